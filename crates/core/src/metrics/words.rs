//! Metrics that compare the words of an output with one reference at a time.
//!
//! Such a metric implements `Comparison`: the index of a reference, the counts of an output against
//! it, the better one of two rows, and the score of sums. This module does the rest: tokenization,
//! numbering, several references, and the indexes of a reference: the count of each word ([`Bag`])
//! and its positions ([`Positions`]).

use serde::Deserialize;

use super::symbols::Symbols;
use super::{BySegment, Counter, Details, Metric, Segment, SegmentCounter, are_counts};
use crate::tokenizers::Tokenizer;

/// Settings that split lines into words.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Tokenizer of the segments.
    pub tokenizer: Tokenizer,
    /// True if words are compared in lower case.
    pub lowercase: bool,
}

/// Comparison of an output with one reference. Equal words have equal numbers.
pub trait Comparison: std::fmt::Debug + Send + Sync {
    /// Index of a reference, with memory that is reused.
    type Index: Default + Send;

    /// Number of columns in a row.
    const WIDTH: usize;

    /// Indexes a reference, whose words are numbered below `vocabulary`.
    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut Self::Index);

    /// Counts an output against the indexed reference.
    fn count(&self, output: &[u32], index: &mut Self::Index, row: &mut [f64]);

    /// Returns true if a row is better than another row of the same output.
    ///
    /// Two different rows are never equally good, so the order of the references does not matter.
    /// By default lower error rates are better, for rows that begin with errors and reference
    /// length.
    fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
        is_lower(row, other)
    }

    /// Returns true if some segment can have this row; by default, if all columns are counts.
    fn is_possible(&self, row: &[f64]) -> bool {
        are_counts(row)
    }

    /// Computes the score of one row of sums; by default the error rate.
    fn score(&self, sums: &[f64]) -> f64 {
        error_rate(sums)
    }

    /// Writes the derivative of the score by each column of one row of sums.
    fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
        error_rate_gradient(sums, gradient);
    }

    /// Computes the score of one row of sums and its parts; the score comes first.
    fn details(&self, sums: &[f64]) -> Details;
}

/// A metric of words: counts each output against the reference that gives it the best row.
#[derive(Debug, Clone, Copy)]
pub struct WordMetric<C> {
    /// Settings that split lines into words.
    pub words: Words,
    /// Comparison of an output with one reference.
    pub comparison: C,
}

impl<C: Comparison> Metric for WordMetric<C> {
    fn width(&self) -> usize {
        C::WIDTH
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(self, C::WIDTH))
    }

    fn is_possible(&self, row: &[f64]) -> bool {
        self.comparison.is_possible(row)
    }

    fn score_row(&self, sums: &[f64]) -> f64 {
        self.comparison.score(sums)
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        self.comparison.gradient(sums, gradient);
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        self.comparison.details(sums)
    }
}

/// Memory for counting, reused from segment to segment.
#[derive(Debug, Default)]
pub struct Scratch<I> {
    symbols: Symbols,
    references: Sequences,
    outputs: Sequences,
    index: I,
    candidate: Vec<f64>,
}

impl<C: Comparison> SegmentCounter for WordMetric<C> {
    type Scratch = Scratch<C::Index>;

    fn scratch(&self) -> Self::Scratch {
        Scratch { candidate: vec![0.0; C::WIDTH], ..Scratch::default() }
    }

    fn count_segment(&self, segment: Segment<'_>, rows: &mut [f64], scratch: &mut Self::Scratch) {
        let Segment { references, outputs } = segment;
        let Scratch { symbols, references: known_words, outputs: compared_words, index, candidate } =
            scratch;
        let bytes: usize = references.iter().map(|reference| reference.len()).sum();
        symbols.reset(bytes / 8);
        known_words.read(references, self.words, |word| symbols.insert(word));
        compared_words.read(outputs, self.words, |word| symbols.get(word));
        let vocabulary = known_words.words.iter().max().map_or(0, |&last| last as usize + 1);
        for (number, reference) in known_words.iter().enumerate() {
            self.comparison.index(reference, vocabulary, index);
            for (output, row) in compared_words.iter().zip(rows.chunks_mut(C::WIDTH)) {
                self.comparison.count(output, index, candidate);
                if number == 0 || self.comparison.is_better(candidate, row) {
                    row.copy_from_slice(candidate);
                }
            }
        }
    }
}

/// Several sequences of numbered words, one after the other.
#[derive(Debug, Default)]
struct Sequences {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl Sequences {
    fn read(&mut self, lines: &[&str], words: Words, mut number: impl FnMut(&str) -> u32) {
        self.words.clear();
        self.ends.clear();
        for line in lines {
            let push = |word: &str| self.words.push(number(word));
            words.tokenizer.tokenize(line, words.lowercase, push);
            self.ends.push(self.words.len());
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.words[start..end])
    }
}

/// Computes errors per hundred reference words, from a row of sums that begins with errors and
/// reference length.
///
/// Without reference words the rate is 100 if there are errors, otherwise 0.
#[must_use]
pub fn error_rate(sums: &[f64]) -> f64 {
    let (errors, length) = (sums[0], sums[1]);
    if length > 0.0 {
        100.0 * (errors / length)
    } else if errors > 0.0 {
        100.0
    } else {
        0.0
    }
}

/// Writes the derivative of the error rate by each column; 0 without reference words.
pub fn error_rate_gradient(sums: &[f64], gradient: &mut [f64]) {
    gradient.fill(0.0);
    let (errors, length) = (sums[0], sums[1]);
    if length > 0.0 {
        gradient[0] = 100.0 / length;
        gradient[1] = -100.0 * errors / (length * length);
    }
}

/// Returns true if a row has the lower rate or, at equal rates, the smaller columns in
/// lexicographic order.
///
/// Errors without reference words are a rate above all others; zero errors without words are a rate
/// of 0.
#[must_use]
pub fn is_lower(row: &[f64], other: &[f64]) -> bool {
    // Fractions are compared crosswise: whole numbers, so nothing is rounded.
    let (rate, other_rate) = (row[0] * other[1], other[0] * row[1]);
    rate < other_rate || (rate <= other_rate && row < other)
}

/// Number of occurrences of each word in a reference.
#[derive(Debug, Default)]
pub struct Bag {
    counts: Vec<u32>,
    unmatched: Vec<u32>,
}

impl Bag {
    /// Replaces the words, which are numbered below `vocabulary`.
    pub fn reset(&mut self, words: impl IntoIterator<Item = u32>, vocabulary: usize) {
        self.counts.clear();
        self.counts.resize(vocabulary, 0);
        for word in words {
            self.counts[word as usize] += 1;
        }
    }

    /// Counts the words that can be paired with equal words of the bag, each used once.
    pub fn common(&mut self, words: impl IntoIterator<Item = u32>) -> usize {
        self.unmatched.clone_from(&self.counts);
        let mut common = 0;
        for word in words {
            if let Some(unmatched @ 1..) = self.unmatched.get_mut(word as usize) {
                *unmatched -= 1;
                common += 1;
            }
        }
        common
    }
}

/// Positions of each word in a reference, in ascending order.
#[derive(Debug, Default)]
pub struct Positions {
    positions: Vec<u32>,
    /// The positions of word w are `starts[w]..starts[w + 1]`.
    starts: Vec<usize>,
}

impl Positions {
    /// Replaces the reference, whose words are numbered below `vocabulary`.
    pub fn reset(&mut self, reference: &[u32], vocabulary: usize) {
        // First the number of smaller or equal words, then counted down while positions are filled
        // in.
        self.starts.clear();
        self.starts.resize(vocabulary + 1, 0);
        for &word in reference {
            self.starts[word as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.positions.clear();
        self.positions.resize(reference.len(), 0);
        for (position, &word) in reference.iter().enumerate().rev() {
            let slot = &mut self.starts[word as usize];
            *slot -= 1;
            self.positions[*slot] = position as u32;
        }
    }

    /// Returns the positions of a word; empty if the references do not have the word.
    #[must_use]
    pub fn of(&self, word: u32) -> &[u32] {
        match self.starts.get(word as usize..).unwrap_or_default() {
            [start, end, ..] => &self.positions[*start..*end],
            _ => &[],
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::metrics::symbols::UNKNOWN;
    use crate::metrics::tests::check_gradient;

    /// Returns the row of one output, with words split at white space.
    pub fn row(comparison: impl Comparison, references: &[&str], output: &str) -> Vec<f64> {
        let words = Words { tokenizer: Tokenizer::None, lowercase: false };
        count(&WordMetric { words, comparison }, references, &[output])
    }

    fn count<C: Comparison>(
        counter: &WordMetric<C>,
        references: &[&str],
        outputs: &[&str],
    ) -> Vec<f64> {
        let mut rows = vec![0.0; C::WIDTH * outputs.len()];
        counter.count_segment(Segment { references, outputs }, &mut rows, &mut counter.scratch());
        rows
    }

    /// A metric whose row has the numbers of the last words.
    #[derive(Debug)]
    struct LastWords;

    impl Comparison for LastWords {
        type Index = u32;
        const WIDTH: usize = 2;

        fn index(&self, reference: &[u32], _: usize, index: &mut u32) {
            *index = reference.last().copied().unwrap_or_default();
        }

        fn count(&self, output: &[u32], index: &mut u32, row: &mut [f64]) {
            let last = output.last().copied().unwrap_or_default();
            row.copy_from_slice(&[f64::from(last), f64::from(*index)]);
        }

        fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
            row[1] > other[1]
        }

        fn score(&self, sums: &[f64]) -> f64 {
            sums[0]
        }

        fn gradient(&self, _: &[f64], gradient: &mut [f64]) {
            gradient.copy_from_slice(&[1.0, 0.0]);
        }

        fn details(&self, _: &[f64]) -> Details {
            vec![]
        }
    }

    #[test]
    fn each_output_is_counted_against_its_best_reference() {
        let words = Words { tokenizer: Tokenizer::None, lowercase: true };
        let counter = WordMetric { words, comparison: LastWords };
        let rows = count(&counter, &["a B c", "A d", "b"], &["x C", "d b", ""]);
        assert_eq!(rows, [2., 3., 1., 3., 0., 3.]);
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let words = Words { tokenizer: Tokenizer::None, lowercase: false };
        check_gradient(
            &WordMetric { words, comparison: super::super::wer::Wer },
            &[30.0, 120.0, 10.0, 12.0, 8.0],
        );
        check_gradient(&WordMetric { words, comparison: super::super::per::Per }, &[30.0, 120.0]);
        check_gradient(
            &WordMetric { words, comparison: super::super::length::Length },
            &[130.0, 120.0],
        );
        let comparison = super::super::gtm::Gtm { exponent: 2.0 };
        check_gradient(&WordMetric { words, comparison }, &[70.0, 130.0, 120.0]);
    }

    #[test]
    fn a_rate_is_in_errors_per_hundred_words() {
        assert!((error_rate(&[3.0, 12.0]) - 25.0).abs() < 1e-12);
        assert!((error_rate(&[3.0, 2.0]) - 150.0).abs() < 1e-12);
        assert!((error_rate(&[3.0, 0.0]) - 100.0).abs() < 1e-12);
        assert!(error_rate(&[0.0, 0.0]) == 0.0);
    }

    #[test]
    fn the_lower_rate_wins_then_the_fewer_errors() {
        assert!(is_lower(&[2.0, 8.0], &[1.0, 3.0]));
        assert!(is_lower(&[1.0, 2.0], &[2.0, 4.0]));
        assert!(!is_lower(&[2.0, 4.0], &[1.0, 2.0]));
        assert!(is_lower(&[1.0, 2.0, 0.0], &[1.0, 2.0, 1.0]));
        assert!(!is_lower(&[1.0, 2.0], &[1.0, 2.0]));
    }

    #[test]
    fn an_empty_reference_is_best_for_an_empty_output_only() {
        assert!(is_lower(&[0.0, 0.0], &[2.0, 2.0]));
        assert!(!is_lower(&[2.0, 2.0], &[0.0, 0.0]));
        assert!(is_lower(&[9.0, 2.0], &[1.0, 0.0]));
        assert!(!is_lower(&[1.0, 0.0], &[9.0, 2.0]));
    }

    #[test]
    fn a_word_is_paired_at_most_as_often_as_the_bag_has_it() {
        let mut bag = Bag::default();
        bag.reset([1, 1, 2], 3);
        for _ in 0..2 {
            assert_eq!(bag.common([1, 1, 1, 0, 2, 9]), 3);
            assert_eq!(bag.common([]), 0);
        }
    }

    #[test]
    fn positions_are_listed_by_word_in_order() {
        let mut positions = Positions::default();
        for _ in 0..2 {
            positions.reset(&[2, 0, 2, 3, 0, 2], 5);
            assert_eq!(positions.of(0), [1, 4]);
            assert_eq!(positions.of(2), [0, 2, 5]);
            assert_eq!(positions.of(3), [3]);
            for absent in [1, 4, 5, UNKNOWN] {
                assert_eq!(positions.of(absent), [0_u32; 0]);
            }
        }
        positions.reset(&[], 0);
        assert_eq!(positions.of(0), [0_u32; 0]);
    }
}
