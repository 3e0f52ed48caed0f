//! The length ratio: output words per reference word.

use super::words::Comparison;
use super::{Details, Part};

/// The length ratio. Its columns: output length and reference length.
#[derive(Debug, Clone, Copy)]
pub struct Length;

impl Comparison for Length {
    type Index = usize;

    const WIDTH: usize = 2;

    fn index(&self, reference: &[u32], _: usize, index: &mut usize) {
        *index = reference.len();
    }

    fn count(&self, output: &[u32], index: &mut usize, row: &mut [f64]) {
        row.copy_from_slice(&[output.len() as f64, *index as f64]);
    }

    /// Returns true if the reference length is closer to the output's, or equally close and
    /// shorter.
    fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
        let (distance, other_distance) = ((row[1] - row[0]).abs(), (other[1] - other[0]).abs());
        distance < other_distance || (distance <= other_distance && row[1] < other[1])
    }
    /// Computes output words per hundred reference words.
    ///
    /// Zero reference words count as one; without any words the ratio is 100.
    fn score(&self, sums: &[f64]) -> f64 {
        let (output, reference) = (sums[0], sums[1]);
        if output + reference > 0.0 {
            let words = if reference > 0.0 { reference } else { 1.0 };
            100.0 * (output / words)
        } else {
            100.0
        }
    }

    fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
        let (output, reference) = (sums[0], sums[1]);
        let by_lengths = if reference > 0.0 {
            [100.0 / reference, -100.0 * output / (reference * reference)]
        } else {
            [100.0, 0.0]
        };
        gradient.copy_from_slice(&by_lengths);
    }

    fn details(&self, sums: &[f64]) -> Details {
        vec![
            ("score", Part::Number(self.score(sums))),
            ("output_length", Part::Count(sums[0])),
            ("reference_length", Part::Count(sums[1])),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::words::tests::row;

    #[test]
    fn the_closest_reference_counts_then_the_shorter() {
        for references in [["a b c d", "a b"], ["a b", "a b c d"]] {
            assert_eq!(row(Length, &references, "x y z"), [3., 2.]);
        }
        assert_eq!(row(Length, &["", "a b c d"], "x y z"), [3., 4.]);
    }

    #[test]
    fn a_ratio_is_always_defined() {
        let score = |sums: &[f64]| Length.score(sums);
        assert!((score(&[3.0, 4.0]) - 75.0).abs() < 1e-12);
        assert!(score(&[0.0, 4.0]).abs() < 1e-12);
        assert!((score(&[3.0, 0.0]) - 300.0).abs() < 1e-12);
        assert!((score(&[0.0, 0.0]) - 100.0).abs() < 1e-12);
    }
}
