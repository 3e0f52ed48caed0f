//! GTM, the General Text Matcher: F-score of a matching that favours long runs
//! (Melamed, Green and Turian, 2003; Turian, Shen and Melamed, 2003).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::words::{Bag, Comparison, Positions};
use super::{Details, Part, are_counts};
use crate::interruption;

/// GTM. Its columns: size of the matching, output length and reference length.
#[derive(Debug, Clone, Copy)]
pub struct Gtm {
    /// Exponent of at least 1; the greater, the more long runs outweigh short ones.
    pub exponent: f64,
}

/// Index of a reference.
#[derive(Debug, Default)]
pub struct GtmIndex {
    bag: Bag,
    runs: RunIndex,
    length: usize,
}

impl Gtm {
    /// Returns true if the exponent is 1, so that every word counts the same, in a run or not.
    fn counts_words(self) -> bool {
        self.exponent <= 1.0
    }

    /// Computes (Σ lengthᵉ)^(1/e) over the runs, in units of the longest run to prevent overflow.
    fn size(self, lengths: &[u32], singles: usize) -> f64 {
        let Some(&longest) = lengths.first() else {
            return (singles as f64).powf(self.exponent.recip());
        };
        let unit = f64::from(longest);
        let scaled = |length: f64| (length / unit).powf(self.exponent);
        let runs: f64 = lengths.iter().map(|&length| scaled(f64::from(length))).sum();
        unit * (runs + singles as f64 * scaled(1.0)).powf(self.exponent.recip())
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

    fn is_possible(&self, row: &[f64]) -> bool {
        // Powers and roots may round the size of equal texts up.
        let largest = row[1].min(row[2]) * (1.0 + 1e-9);
        are_counts(&row[1..]) && (0.0..=largest).contains(&row[0])
    }

    /// Returns true if the F-score is higher, or equal against a shorter reference.
    fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
        let (ours, theirs) = (row[0] * (other[1] + other[2]), other[0] * (row[1] + row[2]));
        ours > theirs || (ours >= theirs && row[2] < other[2])
    }

    /// Computes the F-score in [0, 100]: the harmonic mean of precision, size / output length, and
    /// recall, size / reference length; 0 without words.
    fn score(&self, sums: &[f64]) -> f64 {
        let (size, lengths) = (sums[0], sums[1] + sums[2]);
        if lengths > 0.0 { 100.0 * (2.0 * size / lengths) } else { 0.0 }
    }

    fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let (size, lengths) = (sums[0], sums[1] + sums[2]);
        if lengths > 0.0 {
            let by_length = -200.0 * size / (lengths * lengths);
            gradient.copy_from_slice(&[200.0 / lengths, by_length, by_length]);
        }
    }

    fn details(&self, sums: &[f64]) -> Details {
        let [size, output, reference] = [sums[0], sums[1], sums[2]];
        let percent = |of: f64| if of == 0.0 { 0.0 } else { 100.0 * size / of };
        vec![
            ("score", Part::Number(self.score(sums))),
            ("precision", Part::Number(percent(output))),
            ("recall", Part::Number(percent(reference))),
            ("match_size", Part::Number(size)),
            ("output_length", Part::Count(output)),
            ("reference_length", Part::Count(reference)),
        ]
    }
}

/// A run, by its length and its first positions in output and reference.
///
/// The order puts the longest run last, then the run that begins first in the output, then the run
/// that begins first in the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    length: u32,
    output: Reverse<u32>,
    reference: Reverse<u32>,
}

/// A reference, ready to be matched with outputs.
#[derive(Debug, Default)]
pub struct RunIndex {
    reference: Vec<u32>,
    vocabulary: usize,
    positions: Positions,
    candidates: BinaryHeap<Run>,
    output_matched: Vec<bool>,
    reference_matched: Vec<bool>,
    unmatched: Bag,
    lengths: Vec<u32>,
    windows: Windows,
}

/// Most pairs of equal words of a line whose runs are all listed.
///
/// Repetitive lines have as many runs as pairs, up to the product of the lengths. Their runs are
/// found length by length instead, in n^1.5 log n at most.
const MOST_PAIRS: usize = 1 << 17;

impl RunIndex {
    /// Replaces the reference, whose words are numbered below `vocabulary`.
    pub fn reset(&mut self, reference: &[u32], vocabulary: usize) {
        self.reference.clear();
        self.reference.extend_from_slice(reference);
        self.vocabulary = vocabulary;
        self.positions.reset(reference, vocabulary);
    }

    /// Returns the run lengths above 1 of a matching, and its number of single words.
    ///
    /// The longest run among the unmatched words is selected repeatedly.
    pub fn matching(&mut self, output: &[u32]) -> (&[u32], usize) {
        self.matching_of(output, MOST_PAIRS)
    }

    fn matching_of(&mut self, output: &[u32], most_pairs: usize) -> (&[u32], usize) {
        self.output_matched.clear();
        self.output_matched.resize(output.len(), false);
        self.reference_matched.clear();
        self.reference_matched.resize(self.reference.len(), false);
        self.lengths.clear();
        let pairs: usize = output.iter().map(|&word| self.positions.of(word).len()).sum();
        if pairs <= most_pairs {
            self.match_by_candidates(output);
        } else {
            self.match_by_length(output);
        }
        let singles = self.count_singles(output);
        (&self.lengths, singles)
    }

    fn match_by_candidates(&mut self, output: &[u32]) {
        self.find_candidates(output);
        while let Some(run) = self.candidates.pop() {
            interruption::check();
            if self.is_free(run) {
                self.select(run);
            } else {
                self.push_free_parts(run);
            }
        }
    }

    /// Selects the same runs without a list of all: first the longest runs, in order, then the
    /// next shorter ones.
    fn match_by_length(&mut self, output: &[u32]) {
        let mut windows = std::mem::take(&mut self.windows);
        windows.reset(output, &self.reference);
        let mut longest = output.len().min(self.reference.len());
        loop {
            windows.set_free(&self.output_matched, &self.reference_matched);
            longest = windows.longest(longest);
            if longest < 2 {
                break;
            }
            windows.index(longest);
            for start in 0..output.len() {
                if !windows.output.has(start, longest) || self.output_matched[start] {
                    continue;
                }
                // Windows of one length overlap if an end of one is in the other.
                if self.output_matched[start + longest - 1] {
                    continue;
                }
                let taken = |at: usize| {
                    self.reference_matched[at] || self.reference_matched[at + longest - 1]
                };
                if let Some(position) = windows.first(start, longest, taken)
                    && output[start..start + longest]
                        == self.reference[position..position + longest]
                {
                    self.select(Run {
                        length: longest as u32,
                        output: Reverse(start as u32),
                        reference: Reverse(position as u32),
                    });
                }
            }
            longest -= 1;
        }
        self.windows = windows;
    }

    /// Collects all maximal runs of more than one word.
    fn find_candidates(&mut self, output: &[u32]) {
        self.candidates.clear();
        for (start, &word) in output.iter().enumerate() {
            interruption::check();
            for &position in self.positions.of(word) {
                let position = position as usize;
                if start > 0 && position > 0 && output[start - 1] == self.reference[position - 1] {
                    continue;
                }
                let pairs = output[start..].iter().zip(&self.reference[position..]);
                let length = pairs.take_while(|(left, right)| left == right).count();
                push(&mut self.candidates, length, start, position);
            }
        }
    }

    fn is_free(&self, run: Run) -> bool {
        (0..run.length as usize).all(|offset| self.is_pair_free(run, offset))
    }

    fn is_pair_free(&self, run: Run, offset: usize) -> bool {
        !self.output_matched[run.output.0 as usize + offset]
            && !self.reference_matched[run.reference.0 as usize + offset]
    }

    fn select(&mut self, run: Run) {
        let (output, reference) = (run.output.0 as usize, run.reference.0 as usize);
        let length = run.length as usize;
        self.output_matched[output..output + length].fill(true);
        self.reference_matched[reference..reference + length].fill(true);
        self.lengths.push(run.length);
    }

    /// Pushes the parts of a run that longer runs have not matched.
    fn push_free_parts(&mut self, run: Run) {
        let mut start = 0;
        for end in 0..=run.length as usize {
            if end == run.length as usize || !self.is_pair_free(run, end) {
                let (output, reference) = (run.output.0 as usize, run.reference.0 as usize);
                push(&mut self.candidates, end - start, output + start, reference + start);
                start = end + 1;
            }
        }
    }

    /// Counts the pairs of equal words among the unmatched words; every way of pairing has the same
    /// number.
    fn count_singles(&mut self, output: &[u32]) -> usize {
        self.unmatched.reset(free(&self.reference, &self.reference_matched), self.vocabulary);
        self.unmatched.common(free(output, &self.output_matched))
    }
}

/// Hashes of all windows of a text, and its stretches of unmatched words.
#[derive(Debug, Default)]
struct Hashes {
    /// Hash of the words before each position, and of all words.
    prefixes: Vec<u64>,
    /// Number of unmatched words from each position to the next matched one.
    free: Vec<u32>,
}

/// A prime, so that a polynomial over its field has few roots: windows with equal hashes are equal
/// but for a chance of about 2^-40 in a line of a million words.
const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0b5a_d4ec_d1a2_7b91;

fn product(left: u64, right: u64) -> u64 {
    (u128::from(left) * u128::from(right) % u128::from(PRIME)) as u64
}

impl Hashes {
    fn reset(&mut self, words: &[u32]) {
        self.prefixes.clear();
        self.prefixes.push(0);
        self.prefixes.extend(words.iter().scan(0, |hash, &word| {
            *hash = (product(*hash, BASE) + u64::from(word) + 1) % PRIME;
            Some(*hash)
        }));
    }

    fn set_free(&mut self, matched: &[bool]) {
        self.free.clear();
        self.free.resize(matched.len(), 0);
        let mut length = 0;
        for (free, &matched) in self.free.iter_mut().zip(matched).rev() {
            length = if matched { 0 } else { length + 1 };
            *free = length;
        }
    }

    /// Returns true if a window of `length` words was unmatched when `set_free` was called.
    fn has(&self, start: usize, length: usize) -> bool {
        self.free[start] as usize >= length
    }

    fn of(&self, start: usize, length: usize, power: u64) -> u64 {
        let before = product(self.prefixes[start], power);
        (self.prefixes[start + length] + PRIME - before) % PRIME
    }
}

/// Windows of unmatched words, one length at a time.
#[derive(Debug, Default)]
struct Windows {
    output: Hashes,
    reference: Hashes,
    /// `BASE` to the power of the length.
    power: u64,
    /// Hash and position of each window of the reference, in order.
    sorted: Vec<(u64, u32)>,
    /// Number of taken windows with each hash, at the hash's first window.
    taken: Vec<u32>,
}

impl Windows {
    fn reset(&mut self, output: &[u32], reference: &[u32]) {
        self.output.reset(output);
        self.reference.reset(reference);
    }

    fn set_free(&mut self, output_matched: &[bool], reference_matched: &[bool]) {
        self.output.set_free(output_matched);
        self.reference.set_free(reference_matched);
    }

    /// Lists the windows of a length.
    fn index(&mut self, length: usize) {
        interruption::check();
        let Self { reference, power, sorted, .. } = self;
        *power = (0..length).fold(1, |power, _| product(power, BASE));
        let starts = (0..reference.free.len()).filter(|&start| reference.has(start, length));
        sorted.clear();
        sorted.extend(starts.map(|start| (reference.of(start, length, *power), start as u32)));
        sorted.sort_unstable();
        self.taken.clear();
        self.taken.resize(self.sorted.len(), 0);
    }

    /// Returns the index of the first window that equals a window of the output.
    fn find(&self, start: usize, length: usize) -> Option<usize> {
        let hash = self.output.of(start, length, self.power);
        let index = self.sorted.partition_point(|&(other, _)| other < hash);
        self.sorted.get(index).filter(|&&(other, _)| other == hash).map(|_| index)
    }

    /// Returns the first position in the reference of a window of the output that is not taken.
    fn first(
        &mut self,
        start: usize,
        length: usize,
        is_taken: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let first = self.find(start, length)?;
        let hash = self.sorted[first].0;
        loop {
            let &(other, position) = self.sorted.get(first + self.taken[first] as usize)?;
            if other != hash {
                return None;
            }
            if !is_taken(position as usize) {
                return Some(position as usize);
            }
            self.taken[first] += 1;
        }
    }

    /// Returns true if output and reference have an equal window of a length.
    fn have_common(&mut self, length: usize) -> bool {
        self.index(length);
        (0..self.output.free.len())
            .any(|start| self.output.has(start, length) && self.find(start, length).is_some())
    }

    /// Returns the greatest length of equal windows, at most `limit`; 1 if no window of two words
    /// is equal.
    fn longest(&mut self, limit: usize) -> usize {
        // Common is a length near the limit; so the steps down grow from 1.
        let (mut low, mut high, mut step) = (limit, limit + 1, 1);
        while low > 1 && !self.have_common(low) {
            high = low;
            low = low.saturating_sub(step).max(1);
            step *= 2;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.have_common(middle) { low = middle } else { high = middle }
        }
        low
    }
}

fn push(candidates: &mut BinaryHeap<Run>, length: usize, output: usize, reference: usize) {
    if length > 1 {
        candidates.push(Run {
            length: length as u32,
            output: Reverse(output as u32),
            reference: Reverse(reference as u32),
        });
    }
}

fn free<'a>(words: &'a [u32], matched: &'a [bool]) -> impl Iterator<Item = u32> + 'a {
    words.iter().zip(matched).filter(|(_, matched)| !**matched).map(|(&word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::words::tests::row;

    #[test]
    fn exponent_one_ignores_the_positions_of_words() {
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
    fn the_best_reference_counts_then_the_shorter() {
        let metric = Gtm { exponent: 1.0 };
        assert_eq!(row(metric, &["x y z", "a b x"], "a b"), [2., 2., 3.]);
        assert_eq!(row(metric, &["x y z", "x"], "a b"), [0., 2., 1.]);
    }

    #[test]
    fn the_score_is_the_harmonic_mean_of_precision_and_recall() {
        let score = |sums: &[f64]| Gtm { exponent: 1.0 }.score(sums);
        let (precision, recall) = (3.0 / 4.0, 3.0 / 6.0);
        let expected = 100.0 * 2.0 * precision * recall / (precision + recall);
        assert!((score(&[3.0, 4.0, 6.0]) - expected).abs() < 1e-12);
        assert!(score(&[0.0; 3]).abs() < 1e-12);
    }

    fn matching(reference: &[u32], output: &[u32]) -> (Vec<u32>, usize) {
        let mut index = RunIndex::default();
        index.reset(reference, 10);
        let (lengths, singles) = index.matching(output);
        (lengths.to_vec(), singles)
    }

    #[test]
    fn the_longest_run_is_matched_first() {
        assert_eq!(matching(&[1, 2, 3, 4, 5], &[4, 5, 1, 2, 3]), (vec![3, 2], 0));
        assert_eq!(matching(&[1, 2, 9, 3, 4], &[1, 2, 3, 4]), (vec![2, 2], 0));
        assert_eq!(matching(&[1, 2, 3, 4], &[4, 3, 2, 1, 1]), (vec![], 4));
        assert_eq!(matching(&[], &[1]), (vec![], 0));
    }

    #[test]
    fn parts_of_an_overlapped_run_can_match() {
        // 1 2 3 4 is matched whole; 5 6 remains of the run 3 4 5 6.
        assert_eq!(matching(&[1, 2, 3, 4, 0, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 6]), (vec![4, 2], 0));
        assert_eq!(matching(&[1; 7], &[1; 5]), (vec![5], 0));
    }

    #[test]
    fn repetitive_lines_have_the_same_matching_by_length() {
        let mut state = 1_u32;
        let mut words = |length: usize, vocabulary: u32| -> Vec<u32> {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) % vocabulary
            };
            (0..length).map(|_| next()).collect()
        };
        let mut index = RunIndex::default();
        for length in [1, 2, 3, 8, 40, 150] {
            for other in [1, 7, 40, 170] {
                for vocabulary in [1, 2, 3, 9] {
                    let (reference, mut output) =
                        (words(length, vocabulary), words(other, vocabulary));
                    // A long run, and words that the reference lacks.
                    output.extend_from_slice(&reference[length / 3..]);
                    output.extend([u32::MAX; 2]);
                    index.reset(&reference, 10);
                    let (runs, singles) = index.matching_of(&output, usize::MAX);
                    let listed = (runs.to_vec(), singles);
                    let (runs, singles) = index.matching_of(&output, 0);
                    assert_eq!((runs.to_vec(), singles), listed, "{reference:?} {output:?}");
                }
            }
        }
    }

    #[test]
    fn ties_between_runs_go_to_the_first_in_the_output() {
        // 1 2 and 2 3 share a word: after 1 2, the word 3 is single, and 3 4 is a run.
        assert_eq!(matching(&[1, 2, 0, 2, 3, 0, 3, 4], &[1, 2, 3, 4]), (vec![2, 2], 0));
    }
}
