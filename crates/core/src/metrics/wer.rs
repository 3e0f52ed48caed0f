//! WER: word edit distance per reference word.

use super::edits::EditIndex;
use super::rates;
use super::words::Comparison;

/// Counts for WER: edits, reference length, and the edits' kinds: substitutions, deletions, insertions.
#[derive(Debug, Clone, Copy)]
pub struct Wer;

impl Comparison for Wer {
    type Index = (EditIndex, usize);

    const WIDTH: usize = 5;

    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut Self::Index) {
        index.0.reset(reference, vocabulary);
        index.1 = reference.len();
    }

    fn count(&self, output: &[u32], (index, length): &mut Self::Index, row: &mut [f64]) {
        let edits = index.edits(output);
        let columns =
            [edits.total(), *length, edits.substitutions, edits.deletions, edits.insertions];
        row.copy_from_slice(&columns.map(|count| count as f64));
    }

    fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
        rates::is_lower(row, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::words::tests::row;

    #[test]
    fn a_row_holds_edits_and_length_and_the_kinds_of_edits() {
        assert_eq!(row(Wer, &["a b c d"], "a x c"), [2., 4., 1., 1., 0.]);
        assert_eq!(row(Wer, &[""], "a b"), [2., 0., 0., 0., 2.]);
        assert_eq!(row(Wer, &["a b"], " "), [2., 2., 0., 2., 0.]);
    }

    #[test]
    fn the_reference_with_the_lowest_rate_counts() {
        let (long, short) = ("a b c d e f g h", "a b");
        for references in [[long, short], [short, long]] {
            // 3 edits in 8 words against 3 in 2.
            assert_eq!(row(Wer, &references, "a b c d e")[..2], [3., 8.]);
        }
        for references in [["a b x y", "a x"], ["a x", "a b x y"]] {
            // 2 of 4 is as bad as 1 of 2, so the fewer edits count.
            assert_eq!(row(Wer, &references, "a b")[..2], [1., 2.]);
        }
    }
}
