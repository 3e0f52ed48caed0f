//! Metrics that compare the words of an output with those of one reference at a time.
//!
//! Such a metric says what it indexes of a reference, what it counts in an output against it, and
//! which of two rows is the better one. The rest is here: cutting, numbering, several references.

use super::counting::Counter;
use super::symbols::Symbols;
use crate::tokenizers::Tokenizer;

/// What lines are cut into.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    pub tokenizer: Tokenizer,
    pub lowercase: bool,
}

/// How an output is compared with one reference. Equal words have equal numbers.
pub trait Comparison: Sync {
    /// What is known of the reference, and memory that is reused.
    type Index: Default + Send;

    /// The number of columns in a row.
    const WIDTH: usize;

    /// Looks at a reference, whose words are numbered below `vocabulary`.
    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut Self::Index);

    /// Counts an output against the indexed reference.
    fn count(&self, output: &[u32], index: &mut Self::Index, row: &mut [f64]);

    /// Whether a row is better than another one, which is of the same output.
    ///
    /// Two different rows are never equally good, so the order of the references does not matter.
    fn is_better(&self, row: &[f64], other: &[f64]) -> bool;
}

/// Keeps, for each output, its row against the reference that gives it the best one.
#[derive(Debug, Clone, Copy)]
pub struct WordCounter<C> {
    pub words: Words,
    pub comparison: C,
}

#[derive(Debug, Default)]
pub struct Scratch<I> {
    symbols: Symbols,
    references: Sequences,
    outputs: Sequences,
    index: I,
    candidate: Vec<f64>,
}

impl<C: Comparison> Counter for WordCounter<C> {
    type Scratch = Scratch<C::Index>;

    fn scratch(&self) -> Self::Scratch {
        Scratch { candidate: vec![0.0; C::WIDTH], ..Scratch::default() }
    }

    fn width(&self) -> usize {
        C::WIDTH
    }

    fn count(
        &self,
        references: &[&str],
        outputs: &[&str],
        rows: &mut [f64],
        scratch: &mut Self::Scratch,
    ) {
        let Scratch { symbols, references: known, outputs: compared, index, candidate } = scratch;
        let bytes: usize = references.iter().map(|reference| reference.len()).sum();
        symbols.reset(bytes / 8);
        known.read(references, self.words, |word| symbols.insert(word));
        compared.read(outputs, self.words, |word| symbols.get(word));
        let vocabulary = known.words.iter().max().map_or(0, |&last| last as usize + 1);
        for (number, reference) in known.iter().enumerate() {
            self.comparison.index(reference, vocabulary, index);
            for (output, row) in compared.iter().zip(rows.chunks_mut(C::WIDTH)) {
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

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The row of one output by white-space words.
    pub fn row(comparison: impl Comparison, references: &[&str], output: &str) -> Vec<f64> {
        let words = Words { tokenizer: Tokenizer::None, lowercase: false };
        count(&WordCounter { words, comparison }, references, &[output])
    }

    fn count<C: Comparison>(
        counter: &WordCounter<C>,
        references: &[&str],
        outputs: &[&str],
    ) -> Vec<f64> {
        let mut rows = vec![0.0; C::WIDTH * outputs.len()];
        counter.count(references, outputs, &mut rows, &mut counter.scratch());
        rows
    }

    /// A metric whose row is the numbers of the last words.
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
    }

    #[test]
    fn each_output_is_counted_against_its_best_reference() {
        let words = Words { tokenizer: Tokenizer::None, lowercase: true };
        let counter = WordCounter { words, comparison: LastWords };
        let rows = count(&counter, &["a B c", "A d", "b"], &["x C", "d b", ""]);
        assert_eq!(rows, [2., 3., 1., 3., 0., 3.]);
    }
}
