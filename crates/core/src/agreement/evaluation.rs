//! One coefficient over all groups: averaged, or of their pairs put together.

use super::coefficients::{
    Averaging, Coefficient, Evaluated, Formula, distinct, pearson, spearman, tau_c,
};
use super::groups::{Group, Prepared, Scratch};
use super::pairs::{self, PairCounts, Sorting};
use crate::interruption;

/// A mean of groups in the making.
#[derive(Default)]
pub(super) struct Mean {
    averaging: Averaging,
    total: f64,
    weight: f64,
    groups: u64,
    undefined: u64,
}

impl Mean {
    pub fn new(averaging: Averaging) -> Self {
        Self { averaging, ..Self::default() }
    }

    pub fn add(&mut self, value: Option<f64>, cells: usize, times: u64) {
        self.undefined += if value.is_none() { times } else { 0 };
        let zero = self.averaging.undefined_as_zero.then_some(0.0);
        let Some(value) = value.or(zero) else { return };
        let weight = times as f64 * if self.averaging.micro { cells as f64 } else { 1.0 };
        self.total += weight * value;
        self.weight += weight;
        self.groups += times;
    }

    pub fn done(self) -> Evaluated {
        Evaluated {
            value: (self.groups > 0).then(|| self.total / self.weight),
            groups: self.groups,
            undefined: self.undefined,
            epsilon: None,
        }
    }
}

impl Prepared {
    /// Computes the coefficient of a metric, whose scores are finite and in the order of `gather`.
    ///
    /// Weights are the numbers of draws of each label, in the order of labels. `Pooled` and
    /// `PairwiseDifferencePearson` do not average, and ignore `averaging`.
    #[must_use]
    pub fn evaluate(
        &self,
        coefficient: Coefficient,
        averaging: Averaging,
        metric: &[f64],
        weights: Option<&[u32]>,
        scratch: &mut Scratch,
    ) -> Evaluated {
        if coefficient.is_averaged() {
            let mut mean = Mean::new(averaging);
            self.each(metric, weights, |group, metric, times| {
                mean.add(self.value(coefficient, group, metric, scratch), group.len(), times);
            });
            return mean.done();
        }
        let Scratch { sorting, .. } = scratch;
        match coefficient {
            Coefficient::Pairs { formula, epsilon } => {
                self.shares(formula, epsilon, averaging, metric, weights, sorting)
            }
            Coefficient::Calibrated { formula } => {
                let Some(found) = self.calibrate(averaging, metric, weights, scratch) else {
                    return Evaluated::default();
                };
                let accuracy = found.accuracy;
                let value = if formula == Formula::TauEq { 2.0 * accuracy - 1.0 } else { accuracy };
                let epsilon = Some(found.epsilon);
                Evaluated { value: Some(value), groups: found.groups, undefined: 0, epsilon }
            }
            Coefficient::Pooled { formula, epsilon } => {
                let mut pooled = PairCounts::default();
                let mut mean = Mean::default();
                self.each(metric, weights, |group, metric, times| {
                    let counts = self.count(group, metric, epsilon, sorting);
                    pooled.add_times(&counts, times);
                    mean.add(formula.of(&counts), group.len(), times);
                });
                Evaluated { value: formula.of(&pooled), ..mean.done() }
            }
            Coefficient::KendallLike { threshold } => {
                self.kendall_like(threshold, averaging, metric, weights, sorting)
            }
            Coefficient::PairwiseDifferencePearson => self.difference_pearson(metric, weights),
            Coefficient::Pearson | Coefficient::Spearman | Coefficient::KendallC => {
                Evaluated::default()
            }
        }
    }

    /// Hands over each group that was drawn, its metric scores and how often it was drawn.
    pub(super) fn each(
        &self,
        metric: &[f64],
        weights: Option<&[u32]>,
        mut of: impl FnMut(&Group, &[f64], u64),
    ) {
        for group in self.groups() {
            interruption::check();
            let times = Self::times(group, weights);
            if times > 0 {
                of(group, &metric[group.start..group.end], times);
            }
        }
    }

    /// Computes the values of all groups by a coefficient that is averaged over them; None of any
    /// other.
    pub(super) fn values(
        &self,
        coefficient: Coefficient,
        metric: &[f64],
        scratch: &mut Scratch,
    ) -> Option<Vec<Option<f64>>> {
        let mut values = Vec::with_capacity(self.groups().len());
        self.each(metric, None, |group, metric, _| {
            values.push(self.value(coefficient, group, metric, scratch));
        });
        coefficient.is_averaged().then_some(values)
    }

    /// Averages the values of groups that were drawn.
    pub(super) fn mean_of_drawn(
        &self,
        averaging: Averaging,
        values: &[Option<f64>],
        weights: &[u32],
    ) -> Option<f64> {
        let mut mean = Mean::new(averaging);
        for (group, &value) in self.groups().iter().zip(values) {
            let times = Self::times(group, Some(weights));
            if times > 0 {
                mean.add(value, group.len(), times);
            }
        }
        mean.done().value
    }

    /// Computes the value of one group by a coefficient that is averaged over groups.
    fn value(
        &self,
        coefficient: Coefficient,
        group: &Group,
        metric: &[f64],
        scratch: &mut Scratch,
    ) -> Option<f64> {
        let Scratch { sorting, values, .. } = scratch;
        let cells = group.start..group.end;
        match coefficient {
            Coefficient::Pearson => {
                let human = self.deviations();
                pearson(&human.values[cells], human.squares[group.number], metric)
            }
            Coefficient::Spearman => {
                let human = self.ranks();
                spearman(&human.values[cells], human.squares[group.number], metric, sorting)
            }
            Coefficient::KendallC => {
                let counts = self.count(group, metric, 0.0, sorting);
                tau_c(&counts, group, distinct(metric, values))
            }
            Coefficient::Pairs { formula, epsilon } => {
                formula.of(&self.count(group, metric, epsilon, sorting))
            }
            _ => None,
        }
    }

    pub(super) fn count(
        &self,
        group: &Group,
        metric: &[f64],
        epsilon: f64,
        with: &mut Sorting,
    ) -> PairCounts {
        let mut counts = pairs::count(&self.below[group.start..group.end], metric, epsilon, with);
        // A cell ties with its copy in everything.
        counts.both_ties -= group.copies;
        counts
    }

    /// Averages shares of pairs, adding numerators as whole numbers for groups of one size.
    fn shares(
        &self,
        formula: Formula,
        epsilon: f64,
        averaging: Averaging,
        metric: &[f64],
        weights: Option<&[u32]>,
        sorting: &mut Sorting,
    ) -> Evaluated {
        let mut numerators = vec![0; self.sizes().len()];
        let mut draws = vec![0; self.sizes().len()];
        self.each(metric, weights, |group, metric, times| {
            let counts = self.count(group, metric, epsilon, sorting);
            numerators[group.class] += times as i64 * formula.share(&counts).unwrap_or(0);
            draws[group.class] += times;
        });
        let value = self.mean_share(averaging, &numerators, &draws);
        Evaluated { value, groups: draws.iter().sum(), undefined: 0, epsilon: None }
    }

    /// Averages numerator / pairs over groups, from sums over the groups of each size.
    pub(super) fn mean_share(
        &self,
        averaging: Averaging,
        numerators: &[i64],
        draws: &[u64],
    ) -> Option<f64> {
        let mut mean = Mean::new(averaging);
        for ((&size, &numerator), &times) in self.sizes().iter().zip(numerators).zip(draws) {
            if times > 0 {
                let share = numerator as f64 / size.pairs as f64 / times as f64;
                mean.add(Some(share), size.cells, times);
            }
        }
        mean.done().value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::groups::Grouping;
    use crate::resampling::{Purpose, Stream};

    const NAMES: [&str; 16] = [
        "pearson",
        "spearman",
        "kendall-a",
        "kendall-b",
        "kendall-c",
        "tau-10",
        "tau-13",
        "tau-14",
        "tau-eq",
        "acc-eq",
        "calibrated-tau-eq",
        "calibrated-acc-eq",
        "chen-cherry",
        "pairwise-accuracy",
        "kendall-like",
        "pairwise-difference-pearson",
    ];

    fn scores(cells: usize, levels: u32, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, Purpose::Agreement, 0);
        (0..cells).map(|_| f64::from(stream.below(levels))).collect()
    }

    #[test]
    fn a_group_drawn_twice_counts_like_two_groups() {
        let (systems, items) = (4, 9);
        let mut human = scores(systems * items, 3, 1);
        human[5] = f64::NAN;
        human[7] = f64::NAN;
        let metric = scores(systems * items, 7, 2);
        let weights: Vec<u32> = vec![2, 0, 1, 3, 1, 0, 2, 1, 1];
        let draws = weights.iter().zip(0..).flat_map(|(&times, item)| {
            let cells: Vec<u32> = (0..4).map(|system| system * 9 + item).collect();
            vec![cells; times as usize]
        });
        let resampled = Prepared::of_groups(&human, draws);
        let prepared = Prepared::new(&human, systems, Grouping::Item);
        let mut scratch = Scratch::default();
        for name in NAMES {
            let coefficient = Coefficient::named(name, 1.0).expect("a known name");
            for (micro, undefined_as_zero) in [(false, false), (true, false), (false, true)] {
                let averaging = Averaging { micro, undefined_as_zero };
                let of = |prepared: &Prepared, weights, scratch: &mut Scratch| {
                    let metric = prepared.gather(&metric);
                    prepared.evaluate(coefficient, averaging, &metric, weights, scratch)
                };
                let weighted = of(&prepared, Some(&weights), &mut scratch);
                let repeated = of(&resampled, None, &mut scratch);
                let difference = weighted.value.zip(repeated.value).map(|(a, b)| (a - b).abs());
                assert!(difference.is_some_and(|difference| difference < 1e-12), "{name}");
                assert_eq!(weighted.groups, repeated.groups, "{name}");
                assert_eq!(weighted.undefined, repeated.undefined, "{name}");
                assert_eq!(weighted.epsilon, repeated.epsilon, "{name}");
            }
        }
    }

    #[test]
    fn nothing_drawn_is_undefined() {
        let prepared = Prepared::new(&scores(12, 5, 3), 3, Grouping::Item);
        let metric = prepared.gather(&scores(12, 5, 4));
        let mut scratch = Scratch::default();
        for name in NAMES {
            let coefficient = Coefficient::named(name, 0.0).expect("a known name");
            let averaging = Averaging { micro: false, undefined_as_zero: true };
            let weights = Some(&[0; 4][..]);
            let found = prepared.evaluate(coefficient, averaging, &metric, weights, &mut scratch);
            assert_eq!(found, Evaluated::default(), "{name}");
        }
    }

    #[test]
    fn outcomes_of_pairs_add_up_to_the_counts() {
        let prepared = Prepared::new(&scores(40, 3, 5), 4, Grouping::Item);
        let metrics = [6, 7].map(|seed| prepared.gather(&scores(40, 6, seed)));
        let mut right = [0, 0];
        prepared.pair_outcomes([&metrics[0], &metrics[1]], [0.0, 2.0], |_, first, second| {
            right[0] += u64::from(first);
            right[1] += u64::from(second);
        });
        for (side, epsilon) in [0.0, 2.0].into_iter().enumerate() {
            let counts = prepared.counts(epsilon, &metrics[side], None, &mut Scratch::default());
            assert_eq!(right[side], counts.concordant + counts.both_ties);
        }
    }
}
