//! NIST: n-gram matches weighted by their information (Doddington, 2002; as mteval computes it).
//!
//! The information of w1 … wn is log2(count(w1 … wn-1) / count(w1 … wn)), in bits, with counts from
//! all references of the test set (Zhang and Vogel, 2004, section 2.3); for n = 1 the history is
//! empty and its count is the number of words. So the references of the whole test set are read
//! first.

use std::ops::Range;

use rayon::prelude::*;
use serde::Deserialize;

use super::ngrams::{Ngrams, total};
use super::symbols::Symbols;
use super::{Counter, Details, Metric, Part, by_segment};
use crate::corpus::Window;
use crate::tokenizers::Tokenizer;

/// NIST. Its columns: output length, mean reference length, the information of the matches of order
/// 1 to N, totals of order 1 to N.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nist {
    /// Tokenizer of the segments.
    pub tokenizer: Tokenizer,
    /// True if words are compared in lower case.
    pub lowercase: bool,
    /// Highest order of n-grams.
    pub max_order: usize,
    /// True if the word `0` counts as an empty history, as in mteval.
    pub zero_history: bool,
}

impl Default for Nist {
    fn default() -> Self {
        Self { tokenizer: Tokenizer::Mteval, lowercase: false, max_order: 5, zero_history: true }
    }
}

impl Metric for Nist {
    fn width(&self) -> usize {
        2 + 2 * self.max_order
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        let references = References::new(self.tokenizer, self.lowercase);
        Box::new(NistCounter { metric: self, references, information: Information::default() })
    }

    /// Computes the score in bits, from 0 up.
    fn score_row(&self, sums: &[f64]) -> f64 {
        length_penalty(sums[0], sums[1]) * per_ngram(sums).sum::<f64>()
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let (output, reference) = (sums[0], sums[1]);
        let penalty = length_penalty(output, reference);
        if penalty > 0.0 && output < reference {
            let slope = -2.0 * penalty_factor() * (output / reference).ln() * self.score_row(sums);
            gradient[0] = slope / output;
            gradient[1] = -slope / reference;
        }
        let (bits, totals) = sums[2..].split_at(self.max_order);
        let (by_bits, by_total) = gradient[2..].split_at_mut(self.max_order);
        for order in 0..self.max_order {
            by_bits[order] = penalty / totals[order].max(1.0);
            if totals[order] > 1.0 {
                by_total[order] = -penalty * bits[order] / (totals[order] * totals[order]);
            }
        }
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        vec![
            ("score", Part::Number(self.score_row(sums))),
            ("information", Part::Numbers(per_ngram(sums).collect())),
            ("length_penalty", Part::Number(length_penalty(sums[0], sums[1]))),
            ("output_length", Part::Count(sums[0])),
            ("reference_length", Part::Number(sums[1])),
        ]
    }
}

/// Counter for one test set, which needs the information of its references' n-grams.
#[derive(Debug)]
struct NistCounter<'a> {
    metric: &'a Nist,
    references: References,
    information: Information,
}

#[derive(Debug, Default)]
struct Scratch {
    ngrams: Ngrams,
    /// Weights of the n-grams of each order that start at each word, and at the end of a reference.
    weights: Vec<f64>,
    output: Vec<u32>,
    seen: Vec<u32>,
}

impl Counter for NistCounter<'_> {
    fn needs_all_references(&self) -> bool {
        true
    }

    fn add_references(&mut self, references: &[Window<'_>], segments: usize) {
        self.references.add(references, segments);
    }

    fn finish_references(&mut self) {
        let Nist { max_order, zero_history, .. } = *self.metric;
        self.information = Information::new(&self.references, max_order, zero_history);
    }

    /// Sums a segment's row by itself, in the order of its words, so that threads cannot change a
    /// digit.
    fn count(&self, systems: &[Window<'_>], _: &[Window<'_>], first: usize, rows: &mut [f64]) {
        let width = self.metric.width();
        by_segment(width, systems, rows, Scratch::default, |index, outputs, rows, scratch| {
            self.index_references(first + index, scratch);
            let length = self.references.mean_length(first + index);
            for (output, row) in outputs.iter().zip(rows.chunks_mut(width)) {
                self.count_output(output, scratch, row);
                row[1] = length;
            }
        });
    }
}

impl NistCounter<'_> {
    fn index_references(&self, segment: usize, scratch: &mut Scratch) {
        let Scratch { ngrams, weights, .. } = scratch;
        weights.clear();
        ngrams.reset(self.metric.max_order, self.references.words(segment));
        for span in self.references.spans(segment) {
            ngrams.add(&self.references.tokens()[span.clone()]);
            for start in span.start..=span.end {
                weights.extend((1..=self.metric.max_order).map(|order| {
                    let is_whole = start + order <= span.end;
                    if is_whole { self.information.of(start, order) } else { 0.0 }
                }));
            }
        }
        ngrams.exclude_unigram(self.references.symbol(""));
    }

    fn count_output(&self, output: &str, scratch: &mut Scratch, row: &mut [f64]) {
        let Scratch { ngrams, weights, output: tokens, seen } = scratch;
        self.references.encode(output, tokens);
        row[0] = tokens.len() as f64;
        let (matches, totals) = row[2..].split_at_mut(self.metric.max_order);
        let max_order = self.metric.max_order;
        ngrams.weighted_matches(tokens, matches, seen, |position, order| {
            weights[position * max_order + order - 1]
        });
        for (order, cell) in (1..).zip(totals) {
            *cell = total(tokens.len(), order);
        }
    }
}

/// Iterates over the information per n-gram of the output by order; 0 for an order without n-grams.
fn per_ngram(sums: &[f64]) -> impl Iterator<Item = f64> {
    let (information, totals) = sums[2..].split_at((sums.len() - 2) / 2);
    information.iter().zip(totals).map(|(bits, total)| bits / total.max(1.0))
}

/// Returns 1 for output at least as long as the references on average, one half at two thirds of
/// that length.
///
/// mteval divides by zero without reference words; here the penalty of such output is 1, and its
/// score is 0 because nothing can match.
fn length_penalty(output: f64, reference: f64) -> f64 {
    if output <= 0.0 {
        0.0
    } else if output >= reference {
        1.0
    } else {
        (-penalty_factor() * (output / reference).ln().powi(2)).exp()
    }
}

/// Returns the factor that makes the penalty one half at two thirds.
fn penalty_factor() -> f64 {
    2.0_f64.ln() / 1.5_f64.ln().powi(2)
}

/// Number of segments that one thread reads at a time. Each piece has its own numbers until pieces
/// are merged, so a piece should be large enough to contain most words more than once.
const PIECE: usize = 512;

/// The tokens of all references, segment by segment.
#[derive(Debug)]
struct References {
    tokenizer: Tokenizer,
    lowercase: bool,
    symbols: Symbols,
    tokens: Vec<u32>,
    /// End of each reference in the tokens; the first entry is 0.
    ends: Vec<usize>,
    /// Number of references before each segment, and in total.
    firsts: Vec<usize>,
}

impl References {
    /// Creates an empty set of references.
    fn new(tokenizer: Tokenizer, lowercase: bool) -> Self {
        let mut symbols = Symbols::default();
        symbols.reset(0);
        Self { tokenizer, lowercase, symbols, tokens: Vec::new(), ends: vec![0], firsts: vec![0] }
    }

    /// Adds the next segments, from the texts of all translators.
    fn add(&mut self, texts: &[Window<'_>], segments: usize) {
        let read = |start: usize| self.read(texts, start..segments.min(start + PIECE));
        let starts: Vec<usize> = (0..segments).step_by(PIECE).collect();
        let pieces: Vec<Piece> = match starts.as_slice() {
            // Waking the threads takes longer than reading a single sentence.
            [start] => vec![read(*start)],
            _ => starts.par_iter().map(|&start| read(start)).collect(),
        };
        for piece in pieces {
            self.append(&piece);
        }
    }

    fn read(&self, texts: &[Window<'_>], segments: Range<usize>) -> Piece {
        let mut piece = Piece::default();
        piece.symbols.reset(0);
        for segment in segments {
            for reference in texts.iter().filter_map(|text| text.get(segment)) {
                let insert = |token: &str| piece.tokens.push(piece.symbols.insert(token));
                self.tokenizer.tokenize(reference, self.lowercase, insert);
                piece.ends.push(piece.tokens.len());
            }
            piece.firsts.push(piece.ends.len());
        }
        piece
    }

    fn append(&mut self, piece: &Piece) {
        let numbers: Vec<u32> =
            piece.symbols.iter().map(|token| self.symbols.insert(token)).collect();
        let (tokens, references) = (self.tokens.len(), self.ends.len() - 1);
        self.tokens.extend(piece.tokens.iter().map(|&token| numbers[token as usize]));
        self.ends.extend(piece.ends.iter().map(|end| tokens + end));
        self.firsts.extend(piece.firsts.iter().map(|first| references + first));
    }

    /// Returns the tokens of all references.
    fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Iterates over the token ranges of a segment's references.
    fn spans(&self, segment: usize) -> impl Iterator<Item = Range<usize>> {
        self.ends[self.firsts[segment]..=self.firsts[segment + 1]]
            .windows(2)
            .map(|pair| pair[0]..pair[1])
    }

    /// Iterates over the token ranges of all references.
    fn all_spans(&self) -> impl Iterator<Item = Range<usize>> {
        self.ends.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// Returns the number of words in a segment's references.
    fn words(&self, segment: usize) -> usize {
        self.ends[self.firsts[segment + 1]] - self.ends[self.firsts[segment]]
    }

    /// Returns the mean length of a segment's references.
    fn mean_length(&self, segment: usize) -> f64 {
        let references = self.firsts[segment + 1] - self.firsts[segment];
        self.words(segment) as f64 / references.max(1) as f64
    }

    /// Returns the number of different words.
    fn vocabulary(&self) -> usize {
        self.symbols.len()
    }

    /// Returns the number of a word, or `UNKNOWN`.
    fn symbol(&self, token: &str) -> u32 {
        self.symbols.get(token)
    }

    /// Writes the numbers of an output's tokens into `tokens`, `UNKNOWN` if no reference has the
    /// token.
    fn encode(&self, output: &str, tokens: &mut Vec<u32>) {
        tokens.clear();
        let get = |token: &str| tokens.push(self.symbols.get(token));
        self.tokenizer.tokenize(output, self.lowercase, get);
    }
}

/// Consecutive segments with their own numbers of words.
#[derive(Debug, Default)]
struct Piece {
    symbols: Symbols,
    tokens: Vec<u32>,
    ends: Vec<usize>,
    firsts: Vec<usize>,
}

/// Number of n-grams from which sorting in parallel is faster.
const PARALLEL_SORT_SIZE: usize = 1 << 14;

/// Information of the n-grams that start at each word of the references.
///
/// Counts are stored by position: for each order and each word of the references, the count of the
/// n-gram that starts there. So weighing a segment's n-grams needs no lookup. An n-gram whose
/// history occurs once occurs once itself, so it needs no counting: its information is 0.
#[derive(Debug, Default)]
struct Information {
    /// Count of the n-gram that starts at each word, by order from 1. The n-grams of all further
    /// orders occur once only.
    counts: Vec<Vec<u32>>,
    words: u32,
    /// True if the bigram that starts at a word has an empty or `0` history. Perl treats both
    /// strings as false, and mteval counts a false history as empty.
    false_history: Vec<bool>,
}

impl Information {
    /// Computes the information of n-grams up to `max_order`.
    fn new(references: &References, max_order: usize, zero_history: bool) -> Self {
        let tokens = references.tokens();
        let counts = count(references, max_order);
        let symbols = ["0", ""].map(|word| references.symbol(word));
        let is_false = |token| zero_history && symbols.contains(token);
        let false_history = tokens.iter().map(is_false).collect();
        Self { counts, words: tokens.len() as u32, false_history }
    }

    /// Returns the information, in bits, of the n-gram of an order that starts at word `start`.
    fn of(&self, start: usize, order: usize) -> f64 {
        let empty_history = order == 1 || order == 2 && self.false_history[start];
        let history = if empty_history { self.words } else { self.count(start, order - 1) };
        (f64::from(history) / f64::from(self.count(start, order))).log2()
    }

    fn count(&self, start: usize, order: usize) -> u32 {
        self.counts.get(order - 1).map_or(1, |counts| counts[start])
    }
}

/// Counts all n-grams by order, up to the last order with an n-gram that could repeat.
fn count(references: &References, max_order: usize) -> Vec<Vec<u32>> {
    let tokens = references.tokens();
    // The history of each n-gram, as a number that only equal histories share.
    let mut histories = tokens.to_vec();
    let mut counts = vec![count_words(tokens, references.vocabulary())];
    for order in 2..=max_order {
        let mut ngrams = repeatable(references, order, &histories, &counts[order - 2]);
        if ngrams.is_empty() {
            break;
        }
        sort(&mut ngrams);
        let mut found = vec![1; tokens.len()];
        for (number, equal) in (0..).zip(ngrams.chunk_by(|one, other| one.0 == other.0)) {
            for &(_, start) in equal {
                histories[start] = number;
                found[start] = equal.len() as u32;
            }
        }
        counts.push(found);
    }
    counts
}

fn count_words(tokens: &[u32], vocabulary: usize) -> Vec<u32> {
    let mut counts = vec![0_u32; vocabulary];
    for &token in tokens {
        counts[token as usize] += 1;
    }
    tokens.iter().map(|&token| counts[token as usize]).collect()
}

/// Returns the n-grams of an order whose history repeats: history and last word, and the start.
fn repeatable(
    references: &References,
    order: usize,
    histories: &[u32],
    counts: &[u32],
) -> Vec<(u64, usize)> {
    let tokens = references.tokens();
    let starts =
        references.all_spans().flat_map(|span| span.start..(span.end + 1).saturating_sub(order));
    starts
        .filter(|&start| counts[start] > 1)
        .map(|start| {
            let last = tokens[start + order - 1];
            (u64::from(histories[start]) << 32 | u64::from(last), start)
        })
        .collect()
}

fn sort(ngrams: &mut [(u64, usize)]) {
    if ngrams.len() < PARALLEL_SORT_SIZE {
        ngrams.sort_unstable();
    } else {
        ngrams.par_sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Segments;
    use crate::metrics::count;
    use crate::metrics::tests::check_gradient;
    use crate::tokenizers::Tokenizer;

    fn text(lines: &[&str]) -> Segments {
        lines.iter().copied().map(Some).collect()
    }

    fn rows(outputs: &[&str], texts: &[Segments], max_order: usize) -> Vec<Vec<f64>> {
        let metric = Nist { tokenizer: Tokenizer::None, max_order, ..Nist::default() };
        let references: Vec<_> = texts.iter().collect();
        let rows = count(&metric, &[&text(outputs)], &references).expect("texts that fit");
        rows.chunks(metric.width()).map(<[f64]>::to_vec).collect()
    }

    fn score(sums: &[f64]) -> f64 {
        Nist { max_order: (sums.len() - 2) / 2, ..Nist::default() }.score_row(sums)
    }

    fn sum(rows: &[Vec<f64>]) -> Vec<f64> {
        let column = |index| rows.iter().map(|row: &Vec<f64>| row[index]).sum();
        (0..rows[0].len()).map(column).collect()
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn the_worked_example_scores_as_in_mteval() {
        let references = [text(&["yes", "no way", "a b c d e f"])];
        let rows = rows(&["yes", "", "a b c x e f"], &references, 5);
        for (row, expected) in
            rows.iter().zip([3.169_925_001_442_312_6, 0.0, 2.641_604_167_868_593_8])
        {
            assert_close(score(row), expected);
        }
        let sums = sum(&rows);
        assert_close(score(&sums), 2.081_873_448_210_515_2);
        let information = per_ngram(&sums).next().unwrap_or_default();
        assert_close(information, 19.019_550_008_653_876 / 7.0);
    }

    #[test]
    fn a_bigram_after_the_word_0_has_an_empty_history() {
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

    #[test]
    fn the_gradient_equals_finite_differences() {
        let metric = Nist { max_order: 3, ..Nist::default() };
        check_gradient(&metric, &[90.0, 100.5, 200.0, 80.0, 20.0, 90.0, 80.0, 70.0]);
        check_gradient(&metric, &[110.0, 100.5, 200.0, 80.0, 20.0, 110.0, 100.0, 90.0]);
    }
}
