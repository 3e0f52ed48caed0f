//! Sentence BLEU with the smoothings of Chen and Cherry (2014), and its mean over segments.
//!
//! A segment's score is not a function of sums, but the mean of the scores is: the row of a segment
//! holds its score with both weights, and the mean is a quotient of two summed columns.

use serde::Deserialize;

use super::bleu::{BleuCounts, brevity_penalty};
use super::{BySegment, Counter, Details, Metric, Part, Segment, SegmentCounter, are_counts};

/// The smoothings of Chen and Cherry (2014), §2.2, in their order from 0 to 7.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Smoothing {
    /// No smoothing: an order without a match makes the score 0.
    None,
    /// An order without a match counts a small number (eq. 5).
    Epsilon {
        /// The count.
        epsilon: f64,
    },
    /// One more match and one more n-gram in the orders above 1 (eq. 6 and 7).
    AddOne,
    /// The j-th order without a match counts 1 / 2^j.
    Halving,
    /// The j-th order without a match counts (ln len / k)^j (eq. 8).
    LengthScaled {
        /// The divisor of the logarithm of the length.
        k: f64,
    },
    /// Each count becomes the mean of itself and its neighbours (eq. 9).
    Average,
    /// Precisions of orders above 2 move towards the one that the two orders below predict (eq. 10
    /// and 11).
    Interpolate {
        /// Number of n-grams that the prediction counts as.
        alpha: f64,
    },
    /// `LengthScaled`, then `Average`. With `next_order`, length scaling also smooths order N + 1,
    /// which only the averages use.
    ScaledAverage {
        /// The divisor of the logarithm of the length.
        k: f64,
        /// True if order N + 1 is smoothed too.
        #[serde(default)]
        next_order: bool,
    },
}

/// Largest precision, to keep scores and their sums finite for extreme values of K and α.
const LARGEST: f64 = 1e9;

impl Smoothing {
    /// Computes BLEU of a segment, in [0, 1], from its row of BLEU's counts of orders 1 to N + 1.
    ///
    /// The row is overwritten with the smoothed counts.
    fn score(self, row: &mut [f64]) -> f64 {
        let (output, reference) = (row[0], row[1]);
        let max_order = (row.len() - 2) / 2 - 1;
        let (matches, totals) = row[2..].split_at_mut(max_order + 1);
        self.smooth(output, matches, &mut totals[..max_order]);
        let precision = geometric_mean(matches, &totals[..max_order]);
        // The equations can exceed 1, for example if a prior is above 1 (eq. 11), and are not
        // clipped.
        brevity_penalty(output, reference) * precision.min(LARGEST)
    }

    /// Smooths the N + 1 matches and N totals of an output of `length` tokens.
    fn smooth(self, length: f64, matches: &mut [f64], totals: &mut [f64]) {
        // An order above the output's length stays without n-grams or matches.
        let present = totals.iter().take_while(|&&total| total > 0.0).count();
        match self {
            Self::None => {}
            Self::Epsilon { epsilon } => {
                matches[..present].iter_mut().filter(|count| **count == 0.0).for_each(|count| {
                    *count = epsilon;
                });
            }
            Self::AddOne => {
                matches[1..].iter_mut().chain(&mut totals[1..]).for_each(|count| *count += 1.0);
            }
            Self::Halving => fill_geometrically(&mut matches[..present], 0.5),
            Self::LengthScaled { k } => {
                fill_geometrically(&mut matches[..present], length.ln() / k);
            }
            Self::Average => average(matches),
            Self::Interpolate { alpha } => interpolate(matches, totals, alpha),
            Self::ScaledAverage { k, next_order } => {
                let last = present + usize::from(next_order);
                fill_geometrically(&mut matches[..last], length.ln() / k);
                average(matches);
            }
        }
    }
}

/// Sets the j-th count that is 0 to the j-th power of `factor`: 1 / invcnt in the paper's loop.
fn fill_geometrically(matches: &mut [f64], factor: f64) {
    let mut count = 1.0;
    for empty in matches.iter_mut().filter(|count| **count == 0.0) {
        count *= factor;
        *empty = count;
    }
}

/// Applies equation 9 to all counts but the last, which has no upper neighbour. The first count
/// plus 1 serves as the lower neighbour of the first.
fn average(matches: &mut [f64]) {
    let mut below = matches[0] + 1.0;
    for order in 0..matches.len() - 1 {
        below = (below + matches[order] + matches[order + 1]) / 3.0;
        matches[order] = below;
    }
}

/// Applies equations 10 and 11; the precisions below an order are smoothed ones.
fn interpolate(matches: &mut [f64], totals: &mut [f64], alpha: f64) {
    for order in 2..totals.len() {
        if totals[order - 1] == 0.0 {
            // A single token has no precision of order 2 to extrapolate from.
            return;
        }
        let below = matches[order - 1] / totals[order - 1];
        let two_below = matches[order - 2] / totals[order - 2];
        let prior = if two_below > 0.0 { below * (below / two_below) } else { 0.0 };
        // Finite, so that a ratio of two of these is a number.
        matches[order] = (matches[order] + alpha * prior).min(f64::MAX);
        totals[order] += alpha;
    }
}

/// Computes equation 2 over the orders that have a precision: up to the first without a
/// denominator.
///
/// Returns 0 if no order has a precision.
fn geometric_mean(matches: &[f64], totals: &[f64]) -> f64 {
    let (mut logarithms, mut orders) = (0.0, 0.0);
    for (count, total) in matches.iter().zip(totals).take_while(|(_, total)| **total > 0.0) {
        if *count == 0.0 {
            return 0.0;
        }
        logarithms += (count / total).ln();
        orders += 1.0;
    }
    if orders > 0.0 { (logarithms / orders).exp() } else { 0.0 }
}

/// The mean of sentence BLEU. Its columns: reference length × score, reference length, score, 1.
#[derive(Debug, Clone, Copy)]
pub struct SentenceBleu {
    /// Counts of one order more than the score, which the averages use.
    counts: BleuCounts,
    smoothing: Smoothing,
    weight: Weight,
}

impl SentenceBleu {
    /// Creates the metric; n-grams up to the highest order of `counts` are scored.
    #[must_use]
    pub fn new(counts: BleuCounts, smoothing: Smoothing, weight: Weight) -> Self {
        let counts = BleuCounts { max_order: counts.max_order + 1, ..counts };
        Self { counts, smoothing, weight }
    }
}

impl Metric for SentenceBleu {
    fn width(&self) -> usize {
        WIDTH
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(self, WIDTH))
    }

    #[expect(clippy::float_cmp, reason = "the columns are made by this very product")]
    fn is_possible(&self, row: &[f64]) -> bool {
        let [weighted, length, score, segments] = [row[0], row[1], row[2], row[3]];
        are_counts(&[length]) && score >= 0.0 && weighted == length * score && segments == 1.0
    }

    /// Computes the mean of the scores; 0 if all weights are 0.
    fn score_row(&self, sums: &[f64]) -> f64 {
        mean(sums, self.weight)
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let first = self.weight.first_column();
        let (weighted, weights) = (sums[first], sums[first + 1]);
        if weights > 0.0 {
            gradient[first] = 1.0 / weights;
            gradient[first + 1] = -weighted / (weights * weights);
        }
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        vec![
            ("score", Part::Number(self.score_row(sums))),
            ("length_weighted", Part::Number(mean(sums, Weight::Length))),
            ("equally_weighted", Part::Number(mean(sums, Weight::Equal))),
            ("segments", Part::Count(sums[3])),
            ("reference_length", Part::Count(sums[1])),
        ]
    }
}

const WIDTH: usize = 4;

/// Memory for counting, reused from segment to segment.
#[derive(Debug, Default)]
pub struct Scratch {
    bleu: <BleuCounts as SegmentCounter>::Scratch,
    counts: Vec<f64>,
}

impl SegmentCounter for SentenceBleu {
    type Scratch = Scratch;

    fn count_segment(&self, segment: Segment<'_>, rows: &mut [f64], scratch: &mut Scratch) {
        let outputs = segment.outputs;
        let width = self.counts.width();
        scratch.counts.resize(outputs.len() * width, 0.0);
        self.counts.count_segment(segment, &mut scratch.counts, &mut scratch.bleu);
        let counts = scratch.counts.chunks_mut(width);
        for (counts, row) in counts.zip(rows.chunks_mut(WIDTH)) {
            let length = counts[1];
            let score = 100.0 * self.smoothing.score(counts);
            row.copy_from_slice(&[length * score, length, score, 1.0]);
        }
    }
}

/// Weight of a segment in the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Reference length (eq. 13).
    Length,
    /// Equal weights.
    Equal,
}

impl Weight {
    /// Returns the column of the weighted scores; the column of the weights follows it.
    fn first_column(self) -> usize {
        match self {
            Self::Length => 0,
            Self::Equal => 2,
        }
    }
}

fn mean(sums: &[f64], weight: Weight) -> f64 {
    let first = weight.first_column();
    let (weighted, weights) = (sums[first], sums[first + 1]);
    if weights > 0.0 { weighted / weights } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bleu::tests::PLAIN;
    use crate::metrics::tests::check_gradient;

    const ALL: [Smoothing; 9] = [
        Smoothing::None,
        Smoothing::Epsilon { epsilon: 0.1 },
        Smoothing::AddOne,
        Smoothing::Halving,
        Smoothing::LengthScaled { k: 5.0 },
        Smoothing::Average,
        Smoothing::Interpolate { alpha: 5.0 },
        Smoothing::ScaledAverage { k: 5.0, next_order: false },
        Smoothing::ScaledAverage { k: 5.0, next_order: true },
    ];

    fn row(references: &[&str], output: &str, smoothing: Smoothing) -> [f64; 4] {
        let metric = SentenceBleu::new(PLAIN, smoothing, Weight::Length);
        crate::metrics::tests::row(&metric, references, output).try_into().expect("four columns")
    }

    #[test]
    fn the_worked_example_of_every_smoothing() {
        // The paper's equations by hand: m = 4, 1, 0, 0 and m_5 = 0; l = 5, 4, 3, 2; BP = e^(-1/5).
        let expected = [
            0.0,
            0.110_626_912_0,
            0.330_851_636_1,
            0.208_011_953_8,
            0.149_499_230_5,
            0.193_196_907_1,
            0.073_940_797_0,
            0.238_677_593_5,
            0.241_245_114_9,
        ];
        for (smoothing, expected) in ALL.into_iter().zip(expected) {
            let [weighted, length, score, one] =
                row(&["the cat is on the mat"], "the cat sat on mat", smoothing);
            assert!((score / 100.0 - expected).abs() < 5e-11, "{smoothing:?}: {score}");
            assert!((weighted - 6.0 * score).abs() < 1e-12);
            assert!((length - 6.0).abs() < f64::EPSILON && (one - 1.0).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn a_perfect_segment_scores_100_however_short() {
        for smoothing in ALL {
            for segment in ["a", "a b", "a b c", "a b c d", "a b c d e f g"] {
                let [_, _, score, _] = row(&[segment], segment, smoothing);
                // Under the other reading a perfect short segment gains from a smoothed m_(N+1).
                let gains = matches!(smoothing, Smoothing::ScaledAverage { next_order: true, .. });
                let is_right = (score - 100.0).abs() < 1e-12 || gains && score > 100.0;
                assert!(is_right, "{smoothing:?} of {segment:?}: {score}");
            }
        }
    }

    #[test]
    fn empty_and_unmatched_outputs_have_a_score() {
        for smoothing in ALL {
            assert!(row(&[""], "", smoothing)[2].abs() < f64::EPSILON);
            assert!(row(&["a b"], "", smoothing)[2].abs() < f64::EPSILON);
            for output in ["x", "x y", "x y z z z z"] {
                for reference in ["", "a", "a b c d e"] {
                    let score = row(&[reference], output, smoothing)[2];
                    assert!((0.0..=100.0).contains(&score), "{smoothing:?} of {output:?}: {score}");
                }
            }
        }
    }

    #[test]
    fn a_huge_scaled_count_gives_a_finite_score() {
        let reference = "a b ".repeat(2000);
        for k in [f64::MIN_POSITIVE, 1e-3] {
            for smoothing in [
                Smoothing::LengthScaled { k },
                Smoothing::ScaledAverage { k, next_order: true },
                Smoothing::Interpolate { alpha: 1.0 / k },
            ] {
                for output in ["x y z", "a b a", "b"] {
                    let score = row(&[&reference, "b a b"], output, smoothing)[2];
                    assert!((0.0..=1e11).contains(&score), "{smoothing:?} of {output:?}: {score}");
                }
            }
        }
    }

    #[test]
    fn the_mean_weighs_by_reference_length_or_equally() {
        let score = |sums: &[f64], weight| {
            SentenceBleu::new(PLAIN, Smoothing::None, weight).score_row(sums)
        };
        let sums = [6.0 * 20.0 + 2.0 * 100.0, 8.0, 120.0, 2.0];
        for weight in [Weight::Length, Weight::Equal] {
            check_gradient(&SentenceBleu::new(PLAIN, Smoothing::None, weight), &sums);
        }
        assert!((score(&sums, Weight::Length) - 40.0).abs() < 1e-12);
        assert!((score(&sums, Weight::Equal) - 60.0).abs() < 1e-12);
        assert!(score(&[0.0, 0.0, 30.0, 1.0], Weight::Length).abs() < f64::EPSILON);
        assert!(score(&[0.0; 4], Weight::Equal).abs() < f64::EPSILON);
    }
}
