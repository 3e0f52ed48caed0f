//! chrF: F-score of character n-grams, and of word n-grams for chrF++ (Popović, 2015 and 2017).

use std::borrow::Cow;

use serde::Deserialize;

use super::ngrams::{Ngrams, SortedNgrams, total};
use super::prepared::{Memory, Prepared};
use super::symbols::Symbols;
use super::{BySegment, Counter, Details, Metric, Part, Segment, SegmentCounter, are_counts};
use crate::tokenizers::{is_whitespace, lowercased, words};

/// chrF. Its columns, for each order, characters first: n-grams of the output, of the reference,
/// matches.
///
/// The default is chrF2; with words up to order 2 it is chrF++.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chrf {
    /// Highest order of character n-grams.
    pub char_order: usize,
    /// Highest order of word n-grams.
    pub word_order: usize,
    /// True if segments are compared in lower case.
    pub lowercase: bool,
    /// True to count white space as characters.
    pub whitespace: bool,
    /// Settings of the score, which also decides the best of several references.
    pub scoring: Scoring,
}

impl Default for Chrf {
    fn default() -> Self {
        let scoring = Scoring { beta: 2.0, eps_smoothing: false };
        Self { char_order: 6, word_order: 0, lowercase: false, whitespace: false, scoring }
    }
}

impl Metric for Chrf {
    fn width(&self) -> usize {
        3 * (self.char_order + self.word_order)
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(self, self.width()))
    }

    fn prepare(&self, references: &[&str]) -> Option<Box<dyn Prepared>> {
        let index = |&reference: &&str| {
            let mut indexed = Indexed::default();
            self.index_reference(reference, &mut indexed);
            indexed
        };
        let references = references.iter().map(index).collect();
        Some(Box::new(PreparedReferences { metric: *self, references }))
    }

    fn is_possible(&self, row: &[f64]) -> bool {
        are_counts(row) && row.chunks(3).all(|order| order[2] <= order[0].min(order[1]))
    }

    fn score_row(&self, sums: &[f64]) -> f64 {
        self.scoring.score(sums)
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        self.scoring.gradient(sums, gradient);
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        vec![("score", Part::Number(self.score_row(sums)))]
    }
}

/// Settings of the score of summed counts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// Weight of recall relative to precision.
    pub beta: f64,
    /// True to average the F-scores of all orders, with 1e-16 for orders without n-grams.
    pub eps_smoothing: bool,
}

/// An indexed reference: its characters, with their n-grams sorted or in a tree, and its words.
#[derive(Debug, Default)]
struct Indexed {
    characters: Vec<u32>,
    sorted: SortedNgrams,
    by_character: Ngrams,
    words: Vec<u32>,
    symbols: Symbols,
    by_word: Ngrams,
}

impl Chrf {
    pub(crate) fn prepare_line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        if self.lowercase { Cow::Owned(lowercased(line)) } else { Cow::Borrowed(line) }
    }

    pub(crate) fn characters(&self, line: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        symbols.reserve(line.len());
        let characters = line.chars().filter(|&c| self.whitespace || !is_whitespace(c));
        symbols.extend(characters.map(u32::from));
    }

    /// Returns true if character n-grams are sorted; higher orders need a tree.
    fn sorts(&self) -> bool {
        self.char_order <= SortedNgrams::HIGHEST
    }

    /// Indexes a reference; characters are symbols already, words get numbers.
    fn index_reference(&self, reference: &str, indexed: &mut Indexed) {
        let line = self.prepare_line(reference);
        let Indexed { characters, sorted, by_character, words, symbols, by_word } = indexed;
        self.characters(&line, characters);
        if self.sorts() {
            sorted.set_reference(characters);
        } else {
            by_character.reset(self.char_order, characters.len());
            by_character.add(characters);
        }
        if self.word_order > 0 {
            words.clear();
            symbols.reset(line.len() / 6);
            split_words(&line, |word| words.push(symbols.insert(word)));
            by_word.reset(self.word_order, words.len());
            by_word.add(words);
        }
    }

    /// Computes the row of an output against one reference into `memory.candidate`.
    fn count_output(&self, output: &str, indexed: &Indexed, memory: &mut Memory) {
        let line = self.prepare_line(output);
        let Memory { characters, words, seen, sorted, matches, candidate, .. } = memory;
        candidate.clear();
        self.characters(&line, characters);
        matches.resize(self.char_order, 0.0);
        if self.sorts() {
            sorted.set_output(characters);
            indexed.sorted.matches(sorted, matches);
        } else {
            indexed.by_character.matches(characters, matches, seen);
        }
        extend_row(candidate, characters.len(), indexed.characters.len(), matches);
        if self.word_order > 0 {
            words.clear();
            split_words(&line, |word| words.push(indexed.symbols.get(word)));
            matches.resize(self.word_order, 0.0);
            indexed.by_word.matches(words, matches, seen);
            extend_row(candidate, words.len(), indexed.words.len(), matches);
        }
    }
}

/// Appends the columns of characters or words to a row, from both lengths and the matches.
fn extend_row(row: &mut Vec<f64>, output: usize, reference: usize, matches: &[f64]) {
    for (order, &matched) in (1..).zip(matches) {
        let in_reference = total(reference, order);
        // An order without n-grams in the reference tells nothing about precision.
        let in_output = if in_reference > 0.0 { total(output, order) } else { 0.0 };
        row.extend([in_output, in_reference, matched]);
    }
}

/// The references of a segment.
#[derive(Debug)]
struct PreparedReferences {
    metric: Chrf,
    references: Vec<Indexed>,
}

impl Prepared for PreparedReferences {
    fn count(&self, output: &str, row: &mut [f64], memory: &mut Memory) {
        let mut best = f64::NEG_INFINITY;
        for indexed in &self.references {
            self.metric.count_output(output, indexed, memory);
            let score = self.metric.scoring.score(&memory.candidate);
            if score > best {
                best = score;
                row.copy_from_slice(&memory.candidate);
            }
        }
    }

    fn bytes(&self) -> usize {
        let bytes = |indexed: &Indexed| {
            let Indexed { characters, sorted, by_character, words, symbols, by_word } = indexed;
            let lists = size_of_val(characters.as_slice()) + size_of_val(words.as_slice());
            lists + sorted.bytes() + by_character.bytes() + symbols.bytes() + by_word.bytes()
        };
        self.references.iter().map(bytes).sum()
    }
}

/// Memory for counting, reused from segment to segment.
#[derive(Debug, Default)]
pub struct Scratch {
    indexed: Indexed,
    memory: Memory,
    best: Vec<f64>,
}

impl SegmentCounter for Chrf {
    type Scratch = Scratch;

    /// Counts each output against the reference that gives it the best score.
    fn count_segment(&self, segment: Segment<'_>, rows: &mut [f64], scratch: &mut Scratch) {
        let Segment { references, outputs } = segment;
        let Scratch { indexed, memory, best } = scratch;
        best.clear();
        best.resize(outputs.len(), f64::NEG_INFINITY);
        for reference in references {
            self.index_reference(reference, indexed);
            let rows = rows.chunks_mut(self.width());
            for ((output, row), best) in outputs.iter().zip(rows).zip(best.iter_mut()) {
                self.count_output(output, indexed, memory);
                // A single reference is always the best.
                let score = match references {
                    [_] => 0.0,
                    _ => self.scoring.score(&memory.candidate),
                };
                if score > *best {
                    *best = score;
                    row.copy_from_slice(&memory.candidate);
                }
            }
        }
    }
}

/// Splits a line into the words of chrF++: one ASCII punctuation mark at the end of a word, or else
/// at the start, is a separate word.
pub(crate) fn split_words(line: &str, mut visit: impl FnMut(&str)) {
    for word in words(line) {
        let cut = match word.as_bytes() {
            [_] => 0,
            [.., last] if last.is_ascii_punctuation() => word.len() - 1,
            [first, ..] if first.is_ascii_punctuation() => 1,
            _ => 0,
        };
        let (front, back) = word.split_at(cut);
        if !front.is_empty() {
            visit(front);
        }
        visit(back);
    }
}

impl Scoring {
    /// Computes the score in [0, 100] of one row of sums.
    #[must_use]
    pub fn score(&self, sums: &[f64]) -> f64 {
        if self.eps_smoothing { self.mean_of_f_scores(sums) } else { self.f_score_of_means(sums) }
    }

    /// Writes the derivative of the score by each column of one row of sums; 0 if a rule sets the
    /// score of an order.
    pub fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        if self.eps_smoothing {
            self.gradient_of_mean(sums, gradient);
        } else {
            self.gradient_of_f_score(sums, gradient);
        }
    }

    /// Returns the derivatives of the F-score by precision and by recall.
    fn slopes(&self, precision: f64, recall: f64) -> (f64, f64) {
        let weight = self.beta * self.beta;
        let factor = (1.0 + weight) / (weight * precision + recall).powi(2);
        (factor * recall * recall, factor * weight * precision * precision)
    }

    fn gradient_of_f_score(&self, sums: &[f64], gradient: &mut [f64]) {
        let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
        let both = |output: f64, reference: f64| output > 0.0 && reference > 0.0;
        for (output, reference, matched) in orders_of(sums) {
            if both(output, reference) {
                precision += matched / output;
                recall += matched / reference;
                orders += 1.0;
            }
        }
        if orders == 0.0 || precision + recall == 0.0 {
            return;
        }
        let (by_precision, by_recall) = self.slopes(precision / orders, recall / orders);
        let slopes = (100.0 * by_precision / orders, 100.0 * by_recall / orders);
        let (cells, _) = gradient.as_chunks_mut::<3>();
        for (cell, (output, reference, matched)) in cells.iter_mut().zip(orders_of(sums)) {
            if both(output, reference) {
                *cell = order_gradient(slopes, output, reference, matched);
            }
        }
    }

    fn gradient_of_mean(&self, sums: &[f64], gradient: &mut [f64]) {
        let scale = 100.0 / (sums.len() / 3) as f64;
        let (cells, _) = gradient.as_chunks_mut::<3>();
        for (cell, (output, reference, matched)) in cells.iter_mut().zip(orders_of(sums)) {
            // An order without n-grams on one side counts as almost 0, whatever the other side has.
            if output > 0.0 && reference > 0.0 && matched > 0.0 {
                let (by_precision, by_recall) = self.slopes(matched / output, matched / reference);
                let slopes = (scale * by_precision, scale * by_recall);
                *cell = order_gradient(slopes, output, reference, matched);
            }
        }
    }

    /// Averages precision and recall over the orders that both sides have, then computes one
    /// F-score.
    fn f_score_of_means(&self, sums: &[f64]) -> f64 {
        let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
        for (output, reference, matched) in orders_of(sums) {
            if output > 0.0 && reference > 0.0 {
                precision += matched / output;
                recall += matched / reference;
                orders += 1.0;
            }
        }
        if orders == 0.0 || precision + recall == 0.0 {
            return 0.0;
        }
        let weight = self.beta * self.beta;
        let (precision, recall) = (precision / orders, recall / orders);
        100.0 * ((1.0 + weight) * precision * recall / (weight * precision + recall))
    }

    /// Averages the orders' F-scores; an order without n-grams counts as almost 0.
    fn mean_of_f_scores(&self, sums: &[f64]) -> f64 {
        const EPSILON: f64 = 1e-16;
        let weight = self.beta * self.beta;
        let ratio = |matched: f64, of: f64| if of > 0.0 { matched / of } else { EPSILON };
        let mut sum = 0.0;
        for (output, reference, matched) in orders_of(sums) {
            let (precision, recall) = (ratio(matched, output), ratio(matched, reference));
            let denominator = weight * precision + recall;
            sum += if denominator > 0.0 {
                (1.0 + weight) * precision * recall / denominator
            } else {
                EPSILON
            };
        }
        100.0 * sum / (sums.len() / 3) as f64
    }
}

/// Converts derivatives by an order's precision and recall to derivatives by its columns.
fn order_gradient(slopes: (f64, f64), output: f64, reference: f64, matched: f64) -> [f64; 3] {
    [
        -slopes.0 * matched / (output * output),
        -slopes.1 * matched / (reference * reference),
        slopes.0 / output + slopes.1 / reference,
    ]
}

/// Iterates over the output, reference and matched n-grams of each order.
fn orders_of(sums: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> {
    let (orders, _) = sums.as_chunks::<3>();
    orders.iter().map(|&[output, reference, matched]| (output, reference, matched))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::{check_gradient, row};

    const CHRF: Chrf = Chrf {
        char_order: 2,
        word_order: 1,
        lowercase: false,
        whitespace: false,
        scoring: Scoring { beta: 2.0, eps_smoothing: false },
    };

    #[test]
    fn a_row_holds_output_reference_and_matches_of_each_order() {
        assert_eq!(row(&CHRF, &["ab c"], "abd"), [3., 3., 2., 2., 2., 1., 1., 2., 0.]);
    }

    #[test]
    fn an_order_without_reference_ngrams_does_not_count() {
        assert_eq!(row(&CHRF, &["a"], "ab"), [2., 1., 1., 0., 0., 0., 1., 1., 0.]);
    }

    #[test]
    fn the_best_reference_counts_then_the_first() {
        assert_eq!(row(&CHRF, &["xy", "abc"], "abc"), row(&CHRF, &["abc"], "abc"));
        let first = row(&CHRF, &["xyz", "uv"], "abc");
        assert_eq!(first, row(&CHRF, &["xyz"], "abc"));
    }

    #[test]
    fn one_mark_at_the_end_or_start_is_a_word() {
        let mut found = Vec::new();
        split_words("(hi) \"so . é, ((", |word| found.push(word.to_owned()));
        assert_eq!(found, ["(hi", ")", "\"", "so", ".", "é", ",", "(", "("]);
    }

    #[test]
    fn white_space_counts_only_with_the_setting() {
        let kept = Chrf { whitespace: true, ..CHRF };
        assert_eq!(row(&kept, &["a b"], " a")[..3], [2.0, 3.0, 2.0]);
        assert_eq!(row(&CHRF, &["a b"], " a")[..3], [1.0, 2.0, 1.0]);
    }

    #[test]
    fn epsilon_smoothing_averages_over_all_orders() {
        let eps = Scoring { beta: 2.0, eps_smoothing: true };
        assert!((eps.score(&[1., 1., 1., 0., 0., 0.]) - 50.0).abs() < 1e-9);
        assert!(eps.score(&[0.0; 6]) > 0.0);
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let sums = [90., 100., 70., 80., 95., 50., 20., 25., 15.];
        for eps_smoothing in [false, true] {
            for beta in [1.0, 2.0, 3.0] {
                let metric = Chrf { scoring: Scoring { beta, eps_smoothing }, ..CHRF };
                check_gradient(&metric, &sums);
            }
        }
    }
}
