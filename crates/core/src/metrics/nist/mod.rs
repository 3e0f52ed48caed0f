//! NIST: n-gram matches weighted by their information (Doddington, 2002; as mteval computes it).

mod information;
mod references;

pub use references::References;

use super::counting::by_segment;
use super::ngrams::{Ngrams, total};
use crate::corpus::Window;
use information::Information;

/// Counts for NIST: output length, mean reference length, the information of the matches of order 1 to
/// N, totals of order 1 to N.
#[derive(Debug)]
pub struct Nist {
    references: References,
    information: Information,
    max_order: usize,
}

#[derive(Debug, Default)]
struct Scratch {
    ngrams: Ngrams,
    /// The weight of each n-gram by its number.
    weights: Vec<f64>,
    output: Vec<u32>,
}

impl Nist {
    /// Weighs the n-grams of all references of a test set; `zero_history` is mteval's treatment of
    /// the word `0` in front of another.
    #[must_use]
    pub fn new(references: References, max_order: usize, zero_history: bool) -> Self {
        let information = Information::new(&references, max_order, zero_history);
        Self { references, information, max_order }
    }

    /// The number of columns in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        2 + 2 * self.max_order
    }

    /// The rows of the segments from `start` on, in order: for each segment a row per system.
    ///
    /// A segment's row is added up by itself, in the order of its words: threads cannot change a digit.
    pub fn count(&self, systems: &[Window<'_>], start: usize, rows: &mut [f64]) {
        by_segment(
            self.width(),
            systems,
            rows,
            Scratch::default,
            |index, outputs, rows, scratch| {
                self.index_references(start + index, scratch);
                let length = self.references.mean_length(start + index);
                for (output, row) in outputs.iter().zip(rows.chunks_mut(self.width())) {
                    self.count_output(output, scratch, row);
                    row[1] = length;
                }
            },
        );
    }

    fn index_references(&self, segment: usize, scratch: &mut Scratch) {
        let Scratch { ngrams, weights, .. } = scratch;
        weights.clear();
        ngrams.reset(self.max_order, self.references.words(segment));
        for span in self.references.spans(segment) {
            let first = span.start;
            ngrams.add_and_visit(&self.references.tokens()[span], |start, order| {
                weights.push(self.information.of(first + start, order));
            });
        }
        ngrams.forbid_alone(self.references.symbol(""));
    }

    fn count_output(&self, output: &str, scratch: &mut Scratch, row: &mut [f64]) {
        let Scratch { ngrams, weights, output: tokens } = scratch;
        self.references.look_up(output, tokens);
        row[0] = tokens.len() as f64;
        let (matches, totals) = row[2..].split_at_mut(self.max_order);
        ngrams.weighted_matches(tokens, matches, |ngram| weights[ngram]);
        for (order, cell) in (1..).zip(totals) {
            *cell = total(tokens.len(), order);
        }
    }
}

/// A score and what it is made of.
#[derive(Debug, Clone)]
pub struct NistScore {
    /// In bits, from 0 up.
    pub score: f64,
    pub length_penalty: f64,
    /// The information of the matches per n-gram of the output, for order 1 to N.
    pub information: Vec<f64>,
}

/// The score of one row of sums.
#[must_use]
pub fn score(sums: &[f64]) -> f64 {
    length_penalty(sums[0], sums[1]) * per_ngram(sums).sum::<f64>()
}

/// The score of one row of sums with its parts.
#[must_use]
pub fn details(sums: &[f64]) -> NistScore {
    NistScore {
        score: score(sums),
        length_penalty: length_penalty(sums[0], sums[1]),
        information: per_ngram(sums).collect(),
    }
}

/// Information per n-gram of the output, order by order; of no n-grams it is 0.
fn per_ngram(sums: &[f64]) -> impl Iterator<Item = f64> {
    let (information, totals) = sums[2..].split_at((sums.len() - 2) / 2);
    information.iter().zip(totals).map(|(bits, total)| bits / total.max(1.0))
}

/// 1 for output at least as long as the references on average, one half at two thirds of that.
///
/// mteval divides by zero where there are no reference words: such output is long enough here, and
/// scores 0 all the same, as nothing can match.
fn length_penalty(output: f64, reference: f64) -> f64 {
    if output <= 0.0 {
        0.0
    } else if output >= reference {
        1.0
    } else {
        let beta = 2.0_f64.ln() / 1.5_f64.ln().powi(2);
        (-beta * (output / reference).ln().powi(2)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Segments;
    use crate::tokenizers::Tokenizer;

    fn text(lines: &[&str]) -> Segments {
        lines.iter().copied().map(Some).collect()
    }

    fn rows(outputs: &[&str], texts: &[Segments], max_order: usize) -> Vec<Vec<f64>> {
        let mut references = References::new(Tokenizer::None, false);
        let windows: Vec<_> = texts.iter().map(|text| Window::new(text, 0)).collect();
        references.add(&windows, outputs.len());
        let nist = Nist::new(references, max_order, true);
        let mut rows = vec![0.0; outputs.len() * nist.width()];
        nist.count(&[Window::new(&text(outputs), 0)], 0, &mut rows);
        rows.chunks(nist.width()).map(<[f64]>::to_vec).collect()
    }

    fn sum(rows: &[Vec<f64>]) -> Vec<f64> {
        let column = |index| rows.iter().map(|row: &Vec<f64>| row[index]).sum();
        (0..rows[0].len()).map(column).collect()
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn the_worked_example_scores_as_mteval_says() {
        let references = [text(&["yes", "no way", "a b c d e f"])];
        let rows = rows(&["yes", "", "a b c x e f"], &references, 5);
        for (row, expected) in
            rows.iter().zip([3.169_925_001_442_312_6, 0.0, 2.641_604_167_868_593_8])
        {
            assert_close(score(row), expected);
        }
        let found = details(&sum(&rows));
        assert_close(found.score, 2.081_873_448_210_515_2);
        assert_close(found.information[0], 19.019_550_008_653_876 / 7.0);
    }

    #[test]
    fn a_bigram_after_the_word_0_is_weighed_against_all_words() {
        let references = [text(&["0 x y", "0 x z"])];
        let rows = rows(&["0 x y", "0 x z"], &references, 5);
        assert_close(score(&sum(&rows)), 4.210_777_084_415_067);
    }

    #[test]
    fn several_references_share_their_counts_and_average_their_lengths() {
        let references = [text(&["the the cat", "a b"]), text(&["the cat the the", "b a"])];
        let rows = rows(&["the the the the", "a b a"], &references, 5);
        let sums = sum(&rows);
        assert_close(sums[1], 5.5);
        assert_close(sums[2], 8.331_373_808_524_4);
        assert_close(sums[3], std::f64::consts::LOG2_10);
        assert_close(score(&sums), 1.854_581_877_338_101);
    }

    #[test]
    fn an_absent_reference_has_no_length() {
        let absent: Segments = [None, Some("c d")].into_iter().collect();
        let rows = rows(&["a", "c"], &[text(&["a b c", "c"]), absent], 2);
        assert_close(rows[0][1], 3.0);
        assert_close(rows[1][1], 1.5);
    }

    #[test]
    fn the_penalty_is_one_half_at_two_thirds() {
        assert_close(length_penalty(8.0, 12.0), 0.5);
        assert_close(length_penalty(13.0, 12.0), 1.0);
        assert_close(length_penalty(0.0, 0.0), 0.0);
        assert_close(score(&[3.0, 0.0, 0.0, 3.0]), 0.0);
    }
}
