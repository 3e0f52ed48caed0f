//! GTM, the General Text Matcher: F-score of a matching that favours long runs
//! (Melamed, Green and Turian, 2003; Turian, Shen and Melamed, 2003).

use super::bag::Bag;
use super::runs::RunIndex;
use super::words::Comparison;

/// Counts for GTM: size of the matching, output length and reference length.
#[derive(Debug, Clone, Copy)]
pub struct Gtm {
    /// At least 1; the greater, the more a long run is worth against short ones.
    pub exponent: f64,
}

#[derive(Debug, Default)]
pub struct GtmIndex {
    bag: Bag,
    runs: RunIndex,
    length: usize,
}

impl Gtm {
    /// With 1 every word is worth the same, in a run or alone.
    fn counts_words(self) -> bool {
        self.exponent <= 1.0
    }

    /// (Σ lengthᵉ)^(1/e) over the runs, in units of the longest: nothing can overflow.
    fn size(self, lengths: &[u32], singles: usize) -> f64 {
        let Some(&longest) = lengths.first() else {
            return (singles as f64).powf(self.exponent.recip());
        };
        let unit = f64::from(longest);
        let worth = |length: f64| (length / unit).powf(self.exponent);
        let runs: f64 = lengths.iter().map(|&length| worth(f64::from(length))).sum();
        unit * (runs + singles as f64 * worth(1.0)).powf(self.exponent.recip())
    }
}

impl Comparison for Gtm {
    type Index = GtmIndex;

    const WIDTH: usize = 3;

    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut GtmIndex) {
        index.length = reference.len();
        if self.counts_words() {
            index.bag.reset(reference.iter().copied(), vocabulary);
        } else {
            index.runs.reset(reference, vocabulary);
        }
    }

    fn count(&self, output: &[u32], index: &mut GtmIndex, row: &mut [f64]) {
        let size = if self.counts_words() {
            index.bag.common(output.iter().copied()) as f64
        } else {
            let (lengths, singles) = index.runs.matching(output);
            self.size(lengths, singles)
        };
        row.copy_from_slice(&[size, output.len() as f64, index.length as f64]);
    }

    /// The higher F-score is better, and of equal ones that against the shorter reference.
    fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
        let (ours, theirs) = (row[0] * (other[1] + other[2]), other[0] * (row[1] + row[2]));
        ours > theirs || (ours >= theirs && row[2] < other[2])
    }
}

/// The F-score in [0, 100] of one row of sums: precision size / output length and recall
/// size / reference length, in harmonic mean. Without any words it is 0.
#[must_use]
pub fn score(sums: &[f64]) -> f64 {
    let (size, lengths) = (sums[0], sums[1] + sums[2]);
    if lengths > 0.0 { 100.0 * (2.0 * size / lengths) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::words::tests::row;

    #[test]
    fn with_exponent_one_words_are_matched_wherever_they_are() {
        assert_eq!(row(Gtm { exponent: 1.0 }, &["a b c d"], "d c b a a"), [4., 5., 4.]);
    }

    #[test]
    fn a_greater_exponent_favours_long_runs() {
        let squares = Gtm { exponent: 2.0 };
        let size = |output| row(squares, &["a b c d e"], output)[0];
        assert!((size("a b c d e") - 5.0).abs() < 1e-12);
        assert!((size("d e a b c") - 13_f64.sqrt()).abs() < 1e-12);
        assert!((size("e d c b a") - 5_f64.sqrt()).abs() < 1e-12);
        assert!(size("x y").abs() < 1e-12);
    }

    #[test]
    fn no_exponent_overflows() {
        let words = ["w"; 500].join(" ");
        let found = row(Gtm { exponent: 1e6 }, &[&words], &words);
        assert_eq!(found, [500., 500., 500.]);
    }

    #[test]
    fn the_best_reference_counts_and_of_equally_good_ones_the_shorter() {
        let metric = Gtm { exponent: 1.0 };
        assert_eq!(row(metric, &["x y z", "a b x"], "a b"), [2., 2., 3.]);
        assert_eq!(row(metric, &["x y z", "x"], "a b"), [0., 2., 1.]);
    }

    #[test]
    fn the_score_is_the_harmonic_mean_of_precision_and_recall() {
        let (precision, recall) = (3.0 / 4.0, 3.0 / 6.0);
        let expected = 100.0 * 2.0 * precision * recall / (precision + recall);
        assert!((score(&[3.0, 4.0, 6.0]) - expected).abs() < 1e-12);
        assert!(score(&[0.0; 3]).abs() < 1e-12);
    }
}
