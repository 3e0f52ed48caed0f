//! PER: word error rate that ignores the order of words (Tillmann et al., 1997).

use super::words::{Bag, Comparison};
use super::{Details, Part};

/// PER. Its columns: errors and reference length.
#[derive(Debug, Clone, Copy)]
pub struct Per;

impl Comparison for Per {
    type Index = (Bag, usize);

    const WIDTH: usize = 2;

    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut Self::Index) {
        index.0.reset(reference.iter().copied(), vocabulary);
        index.1 = reference.len();
    }

    /// Counts as errors the words of the longer side without an equal in the other.
    fn count(&self, output: &[u32], (bag, length): &mut Self::Index, row: &mut [f64]) {
        let errors = output.len().max(*length) - bag.common(output.iter().copied());
        row.copy_from_slice(&[errors as f64, *length as f64]);
    }

    fn details(&self, sums: &[f64]) -> Details {
        vec![
            ("score", Part::Number(self.score(sums))),
            ("errors", Part::Count(sums[0])),
            ("reference_length", Part::Count(sums[1])),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::words::tests::row;

    #[test]
    fn the_order_of_words_does_not_matter() {
        assert_eq!(row(Per, &["a b c d"], "d c b a"), [0., 4.]);
        assert_eq!(row(Per, &["a b c d"], "d x a a"), [2., 4.]);
    }

    #[test]
    fn missing_and_surplus_words_are_errors() {
        assert_eq!(row(Per, &["a b c d"], "d"), [3., 4.]);
        assert_eq!(row(Per, &["a"], "a b c"), [2., 1.]);
        assert_eq!(row(Per, &[""], "a"), [1., 0.]);
    }

    #[test]
    fn the_reference_with_the_lowest_rate_counts() {
        assert_eq!(row(Per, &["a", "x b a y"], "b a"), [2., 4.]);
        assert_eq!(row(Per, &["x b a y", "b a"], "b a c"), [1., 2.]);
    }
}
