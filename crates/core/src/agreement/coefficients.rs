//! Coefficients of agreement between people and a metric, and their parts in one group.

use super::groups::{self, Group, centred_rank};
use super::pairs::{PairCounts, Sorting};

/// Formula of a coefficient. C, D: concordant, discordant; Th, Tm, Thm: tied by people only, by the
/// metric only, by both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// (C - D) / all pairs (Kendall, 1938).
    TauA,
    /// (C - D) / sqrt((C + D + Th)(C + D + Tm)) (Kendall, 1945).
    TauB,
    /// (C - D - Tm) / (C + D + Tm) (WMT 2010).
    Tau10,
    /// (C - D) / (C + D) (WMT 2013), which is Goodman and Kruskal's gamma.
    Tau13,
    /// (C - D) / (C + D + Tm) (WMT 2014).
    Tau14,
    /// (C + Thm - D - Th - Tm) / all pairs (Deutsch et al., 2023).
    TauEq,
    /// (C + Thm) / all pairs (Deutsch et al., 2023).
    AccEq,
}

impl Formula {
    /// Returns the coefficient of the counts, or None if the denominator is 0.
    #[must_use]
    pub fn of(self, counts: &PairCounts) -> Option<f64> {
        let PairCounts { concordant, discordant, human_ties, metric_ties, .. } = *counts;
        let ordered = concordant + discordant;
        let gain = concordant as f64 - discordant as f64;
        let (numerator, denominator) = match self {
            Self::TauA => (gain, counts.total() as f64),
            Self::TauB => {
                let differing = ((ordered + human_ties) as f64, (ordered + metric_ties) as f64);
                (gain, differing.0.sqrt() * differing.1.sqrt())
            }
            Self::Tau10 => (gain - metric_ties as f64, (ordered + metric_ties) as f64),
            Self::Tau13 => (gain, ordered as f64),
            Self::Tau14 => (gain, (ordered + metric_ties) as f64),
            Self::TauEq => {
                (2.0 * right(counts) as f64 - counts.total() as f64, counts.total() as f64)
            }
            Self::AccEq => (right(counts) as f64, counts.total() as f64),
        };
        (denominator > 0.0).then(|| (numerator / denominator).clamp(-1.0, 1.0))
    }

    /// Returns the numerator over all pairs if it is a whole number of pairs, else None.
    pub(super) fn share(self, counts: &PairCounts) -> Option<i64> {
        match self {
            Self::TauA => Some(counts.concordant as i64 - counts.discordant as i64),
            Self::TauEq => Some(2 * right(counts) as i64 - counts.total() as i64),
            Self::AccEq => Some(right(counts) as i64),
            _ => None,
        }
    }
}

/// Counts the pairs that the metric has as people have them.
fn right(counts: &PairCounts) -> u64 {
    counts.concordant + counts.both_ties
}

/// A coefficient with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coefficient {
    /// Pearson's product-moment correlation.
    Pearson,
    /// Pearson's of average ranks.
    Spearman,
    /// 2 (C - D) / (n² (k - 1) / k), k the lesser number of different scores (Stuart, 1953).
    KendallC,
    /// A formula of the pairs of each group, whose values are averaged.
    Pairs {
        /// Formula of the coefficient.
        formula: Formula,
        /// Metric scores that differ by this or less are tied.
        epsilon: f64,
    },
    /// `AccEq`, or `TauEq`, with the epsilon that makes it largest.
    Calibrated {
        /// Formula of the coefficient.
        formula: Formula,
    },
    /// A formula of the pairs of all groups put together.
    Pooled {
        /// Formula of the coefficient.
        formula: Formula,
        /// Metric scores that differ by this or less are tied.
        epsilon: f64,
    },
    /// Pairs whose human scores differ by the threshold or more: those ordered alike less the
    /// others, over all of them (WMT 2016 to 2021). Micro-averaging pools the pairs.
    KendallLike {
        /// The smallest difference of human scores that counts.
        threshold: f64,
    },
    /// Pearson's of the differences of all pairs of all groups put together.
    PairwiseDifferencePearson,
}

impl Coefficient {
    /// Returns the coefficient of a name; `parameter` is its epsilon, or the threshold of
    /// `kendall-like`.
    ///
    /// None if the name is unknown.
    #[must_use]
    pub fn named(name: &str, parameter: f64) -> Option<Self> {
        let pairs = |formula| Self::Pairs { formula, epsilon: parameter };
        let pooled = |formula| Self::Pooled { formula, epsilon: parameter };
        Some(match name {
            "pearson" => Self::Pearson,
            "spearman" => Self::Spearman,
            "kendall-a" => pairs(Formula::TauA),
            "kendall-b" => pairs(Formula::TauB),
            "kendall-c" => Self::KendallC,
            "tau-10" => pairs(Formula::Tau10),
            "tau-13" => pairs(Formula::Tau13),
            "tau-14" => pairs(Formula::Tau14),
            "tau-eq" => pairs(Formula::TauEq),
            "acc-eq" => pairs(Formula::AccEq),
            "calibrated-tau-eq" => Self::Calibrated { formula: Formula::TauEq },
            "calibrated-acc-eq" => Self::Calibrated { formula: Formula::AccEq },
            "chen-cherry" => pooled(Formula::Tau14),
            "pairwise-accuracy" => pooled(Formula::AccEq),
            "kendall-like" => Self::KendallLike { threshold: parameter },
            "pairwise-difference-pearson" => Self::PairwiseDifferencePearson,
            _ => return None,
        })
    }

    /// Returns whether the value is a mean of the groups' values, which are independent of each
    /// other.
    pub(super) fn is_averaged(self) -> bool {
        match self {
            Self::Pearson | Self::Spearman | Self::KendallC => true,
            // Shares of pairs are added up as whole numbers.
            Self::Pairs { formula, .. } => formula.share(&PairCounts::default()).is_none(),
            _ => false,
        }
    }

    /// Returns the formula of a coefficient of counted pairs; None of any other.
    #[must_use]
    pub fn formula(self) -> Option<Formula> {
        match self {
            Self::Pairs { formula, .. } | Self::Pooled { formula, .. } => Some(formula),
            _ => None,
        }
    }
}

/// Average over the values of groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Averaging {
    /// Each group counts by its number of cells, instead of once.
    pub micro: bool,
    /// A group without a value counts as 0, instead of not at all.
    pub undefined_as_zero: bool,
}

/// The value over all groups.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evaluated {
    /// Value of the coefficient, or None if no group has a value.
    pub value: Option<f64>,
    /// Number of groups in the value.
    pub groups: u64,
    /// Number of groups without a value of their own.
    pub undefined: u64,
    /// Tie threshold, if it was calibrated.
    pub epsilon: Option<f64>,
}

/// Returns the sum of the products with the human deviations and the sum of squares; 0 of a
/// constant.
pub(super) fn moments(deviations: &[f64], metric: &[f64]) -> (f64, f64) {
    if constant(metric) {
        return (0.0, 0.0);
    }
    let (mut products, mut squares) = (0.0, 0.0);
    for (own, deviation) in groups::deviations(metric).zip(deviations) {
        products += own * deviation;
        squares += own * own;
    }
    (products, squares)
}

/// Below this, sums of squares have lost digits to underflow.
pub(super) const TINY: f64 = 1e-280;

/// Computes Pearson's r, or None if either is constant. `squares` is 0 only for constant human
/// scores.
pub(super) fn pearson(deviations: &[f64], squares: f64, metric: &[f64]) -> Option<f64> {
    if squares == 0.0 || constant(metric) {
        return None;
    }
    let (products, own) = moments(deviations, metric);
    if squares > TINY && own > TINY {
        return Some((products / (own.sqrt() * squares.sqrt())).clamp(-1.0, 1.0));
    }
    cosine(deviations, &groups::deviations(&enlarged(metric)).collect::<Vec<_>>())
}

/// Computes the cosine of two vectors of any size, however small; None if either is 0.
pub(super) fn cosine(left: &[f64], right: &[f64]) -> Option<f64> {
    let (left, right) = (enlarged(left), enlarged(right));
    let dot = |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(l, r)| l * r).sum::<f64>();
    let norms = dot(&left, &left).sqrt() * dot(&right, &right).sqrt();
    (norms > 0.0).then(|| (dot(&left, &right) / norms).clamp(-1.0, 1.0))
}

/// Scales values so that the largest is 1.
fn enlarged(values: &[f64]) -> Vec<f64> {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    values.iter().map(|value| if largest > 0.0 { value / largest } else { 0.0 }).collect()
}

fn constant(scores: &[f64]) -> bool {
    scores.iter().all(|score| *score == scores[0])
}

/// Computes Spearman's rho in whole numbers, so that the order of the cells changes no digit; None
/// if either is constant.
pub(super) fn spearman(
    ranks: &[i64],
    squares: i128,
    metric: &[f64],
    sorting: &mut Sorting,
) -> Option<f64> {
    let (mut products, mut own, mut below) = (0_i128, 0_i128, 0);
    for run in sorting.sort(metric).chunk_by(|left, right| left.0 == right.0) {
        let rank = i128::from(centred_rank(below, run.len(), metric.len()));
        let others: i64 = run.iter().map(|&(_, place)| ranks[place as usize]).sum();
        products += rank * i128::from(others);
        own += rank * rank * run.len() as i128;
        below += run.len();
    }
    let norm = (own as f64).sqrt() * (squares as f64).sqrt();
    (norm > 0.0).then(|| (products as f64 / norm).clamp(-1.0, 1.0))
}

pub(super) fn tau_c(counts: &PairCounts, group: &Group, distinct: usize) -> Option<f64> {
    let k = group.distinct.min(distinct) as f64;
    let gain = counts.concordant as f64 - counts.discordant as f64;
    let n = group.len() as f64;
    (k > 1.0).then(|| 2.0 * gain / (n * n * (k - 1.0) / k))
}

/// Counts the different scores.
pub(super) fn distinct(metric: &[f64], sorted: &mut Vec<f64>) -> usize {
    sorted.clear();
    sorted.extend_from_slice(metric);
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.chunk_by(|left, right| left == right).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_those_of_the_worked_example() {
        // Human 4 1 2 2 3, metric 5 1 1 4.8 4.5, by hand.
        let counts = PairCounts {
            concordant: 7,
            discordant: 1,
            human_ties: 1,
            metric_ties: 1,
            both_ties: 0,
        };
        let expected = [
            (Formula::TauA, 0.6),
            (Formula::TauB, 6.0 / 9.0),
            (Formula::Tau10, 5.0 / 9.0),
            (Formula::Tau13, 0.75),
            (Formula::Tau14, 6.0 / 9.0),
            (Formula::TauEq, 0.4),
            (Formula::AccEq, 0.7),
        ];
        for (formula, value) in expected {
            assert!(formula.of(&counts).is_some_and(|found| (found - value).abs() < 1e-15));
        }
    }

    #[test]
    fn a_formula_without_pairs_to_divide_by_has_no_value() {
        let tied = PairCounts { human_ties: 3, ..PairCounts::default() };
        for formula in [Formula::TauB, Formula::Tau10, Formula::Tau13, Formula::Tau14] {
            assert_eq!(formula.of(&tied), None);
        }
        assert_eq!(Formula::AccEq.of(&PairCounts::default()), None);
    }

    #[test]
    fn pearson_survives_scores_whose_squares_underflow() {
        let found = pearson(&[-1e-200, 0.0, 1e-200], f64::MIN_POSITIVE, &[1e-190, 2e-190, 3e-190]);
        assert!(found.is_some_and(|value| (value - 1.0).abs() < 1e-12), "{found:?}");
        assert_eq!(pearson(&[-1.0, 1.0], 2.0, &[0.1, 0.1]), None);
    }
}
