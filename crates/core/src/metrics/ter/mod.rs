//! TER: edits between an output and a reference, including shifts of words (Snover et al., 2006).
//!
//! The rules for shifts are Tercom's as sacreBLEU 2.6.0 has them: the search applies the best shift
//! repeatedly. `Search` repeats, `shifts` proposes, and a `matrix` of edit distances judges.

mod matrix;
mod shifts;
mod window;

use super::symbols::Symbols;
use super::words::{error_rate, error_rate_gradient};
use super::{BySegment, Counter, Details, Metric, Part, Segment, SegmentCounter};
use crate::tokenizers::Tercom;
use matrix::{Band, Matrix, PlainMatrix};
use shifts::{Alignment, Candidates};
use window::WindowMatrix;

/// TER. Its columns: fewest edits to any reference, mean length of the references.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ter {
    /// Tokenizer of the segments.
    pub tokenizer: Tercom,
}

impl Metric for Ter {
    fn width(&self) -> usize {
        WIDTH
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(self, WIDTH))
    }

    /// Computes 100 times the edits per word of the reference.
    fn score_row(&self, sums: &[f64]) -> f64 {
        error_rate(sums)
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        error_rate_gradient(sums, gradient);
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        vec![
            ("score", Part::Number(self.score_row(sums))),
            ("edits", Part::Count(sums[0])),
            ("reference_length", Part::Number(sums[1])),
        ]
    }
}

const WIDTH: usize = 2;

/// Memory for counting, reused from segment to segment.
#[derive(Debug, Default)]
pub struct Scratch {
    symbols: Symbols,
    words: Vec<u32>,
    /// References of the segment first; the rest is unused memory.
    references: Vec<Reference>,
    search: Search,
}

impl Ter {
    /// Numbers the words of the references; returns the number of different words.
    fn index_references(self, references: &[&str], scratch: &mut Scratch) -> usize {
        let Scratch { symbols, words, references: indexed, .. } = scratch;
        let bytes: usize = references.iter().map(|reference| reference.len()).sum();
        symbols.reset(bytes / 8);
        words.clear();
        let mut ends = Vec::with_capacity(references.len());
        for reference in references {
            self.tokenizer.cut_twice(reference, |word| words.push(symbols.insert(word)));
            ends.push(words.len());
        }
        let vocabulary = words.iter().max().map_or(0, |&last| last as usize + 1);
        indexed.resize_with(indexed.len().max(ends.len()), Reference::default);
        let mut start = 0;
        for (reference, end) in indexed.iter_mut().zip(ends) {
            reference.reset(&words[start..end], vocabulary);
            start = end;
        }
        vocabulary
    }
}

impl SegmentCounter for Ter {
    type Scratch = Scratch;

    fn count_segment(&self, segment: Segment<'_>, rows: &mut [f64], scratch: &mut Scratch) {
        let Segment { references, outputs } = segment;
        let vocabulary = self.index_references(references, scratch) as u32;
        let Scratch { symbols, words, references: indexed, search } = scratch;
        let indexed = &indexed[..references.len()];
        let length: usize = indexed.iter().map(Reference::len).sum();
        let mean_length = length as f64 / references.len() as f64;
        for (output, row) in outputs.iter().zip(rows.chunks_mut(WIDTH)) {
            words.clear();
            // Words that no reference has share the number after the last.
            self.tokenizer.cut(output, |word| words.push(symbols.get(word).min(vocabulary)));
            let mut fewest = usize::MAX;
            for reference in indexed {
                fewest = fewest.min(search.edits(reference, words, fewest));
            }
            row[0] = fewest as f64;
            row[1] = mean_length;
        }
    }
}

/// Limit of sacreBLEU: fewer shifts than this are tried for one output and reference.
const MAX_CANDIDATES: usize = 1000;

/// Memory of the search, reused from output to output.
#[derive(Debug, Default)]
pub struct Search {
    round: Round,
    window: WindowMatrix,
    plain: PlainMatrix,
    unpaired: Vec<u32>,
}

#[derive(Debug, Default)]
struct Round {
    output: Vec<u32>,
    alignment: Alignment,
    candidates: Candidates,
}

impl Search {
    /// Returns the edits from `output` to `reference`, or any number of at least `enough` if there
    /// are that many.
    fn edits(&mut self, reference: &Reference, output: &[u32], enough: usize) -> usize {
        let longer = output.len().max(reference.len());
        let floor = longer - self.common_words(reference, output);
        if floor >= enough || floor == longer {
            return floor;
        }
        self.round.output.clear();
        self.round.output.extend_from_slice(output);
        if Band::new(output.len(), reference.len()).is_steep() {
            self.round.edits(&mut self.plain, reference, floor, enough)
        } else {
            self.round.edits(&mut self.window, reference, floor, enough)
        }
    }

    /// Counts the words that could be paired with equal ones in any order.
    fn common_words(&mut self, reference: &Reference, output: &[u32]) -> usize {
        self.unpaired.clear();
        self.unpaired.extend_from_slice(reference.counts());
        let mut common = 0;
        for &word in output {
            let remaining = &mut self.unpaired[word as usize];
            common += usize::from(*remaining > 0);
            *remaining = remaining.saturating_sub(1);
        }
        common
    }
}

impl Round {
    /// Shifts words of `output` until no shift helps; no order of its words has a distance below
    /// `floor`.
    fn edits(
        &mut self,
        matrix: &mut impl Matrix,
        reference: &Reference,
        floor: usize,
        enough: usize,
    ) -> usize {
        let Self { output, alignment, candidates } = self;
        matrix.fill(reference, output);
        let (mut shifts, mut candidates_tried) = (0, 0);
        loop {
            let distance = matrix.distance();
            if distance == floor || shifts + floor >= enough {
                return shifts + distance;
            }
            alignment.trace(matrix, reference, output);
            let limit = MAX_CANDIDATES - candidates_tried;
            // SacreBLEU gives up at the limit, even on the best shift of the round.
            let Some(found) = candidates.find(reference, output, alignment, limit) else {
                return shifts + distance;
            };
            candidates_tried += found;
            let Some(swap) = candidates.best(matrix, reference, output, (distance, floor)) else {
                return shifts + distance;
            };
            swap.apply(output);
            matrix.refill(reference, output, swap.start);
            shifts += 1;
        }
    }
}

/// The words of a reference, numbered, with the positions of each word.
#[derive(Debug, Default)]
struct Reference {
    words: Vec<u32>,
    /// Set of positions of each word of the vocabulary, as `blocks` 64-bit integers; empty if that
    /// would take too much memory.
    positions: Vec<u64>,
    blocks: usize,
    counts: Vec<u32>,
    /// Positions sorted by word, used instead of the sets if those would take too much memory.
    listed: Vec<u32>,
    /// Start of each word in `listed`.
    starts: Vec<u32>,
}

/// Largest number of integers for the sets of all words: 32 MB. The sets grow with the square of
/// the length.
const MAX_BLOCKS: usize = 1 << 22;

impl Reference {
    /// Replaces the words. Words numbered `vocabulary` or higher occur in no reference.
    fn reset(&mut self, words: &[u32], vocabulary: usize) {
        self.reset_within(words, vocabulary, MAX_BLOCKS);
    }

    fn reset_within(&mut self, words: &[u32], vocabulary: usize, max_blocks: usize) {
        self.words.clear();
        self.words.extend_from_slice(words);
        // One block beyond the last, so that 64 bits can be read from any position.
        self.blocks = words.len() / 64 + 2;
        self.positions.clear();
        self.starts.clear();
        self.counts.clear();
        self.counts.resize(vocabulary + 1, 0);
        for &word in words {
            self.counts[word as usize] += 1;
        }
        if (vocabulary + 1).saturating_mul(self.blocks) > max_blocks {
            self.list(words);
            return;
        }
        self.positions.resize((vocabulary + 1) * self.blocks, 0);
        for (position, &word) in words.iter().enumerate() {
            let block = word as usize * self.blocks + position / 64;
            self.positions[block] |= 1 << (position % 64);
        }
    }

    /// Lists the positions of each word in ascending order.
    fn list(&mut self, words: &[u32]) {
        let mut end = 0;
        for &count in &self.counts {
            self.starts.push(end);
            end += count;
        }
        self.starts.push(end);
        let mut next = self.starts.clone();
        self.listed.clear();
        self.listed.resize(words.len(), 0);
        for (position, &word) in (0u32..).zip(words) {
            self.listed[next[word as usize] as usize] = position;
            next[word as usize] += 1;
        }
    }

    fn len(&self) -> usize {
        self.words.len()
    }

    fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the number of occurrences of each word of the vocabulary.
    fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Returns the positions of `word` among the 64 from `start` on as bits, the lowest bit first.
    #[inline]
    fn occurrences(&self, word: u32, start: usize) -> u64 {
        if !self.starts.is_empty() {
            return self.listed_occurrences(word, start);
        }
        let at = word as usize * self.blocks + start / 64;
        let (low, high) = (self.positions[at], self.positions[at + 1]);
        low >> (start % 64) | high << 1 << (63 - start % 64)
    }

    fn listed_occurrences(&self, word: u32, start: usize) -> u64 {
        let (begin, end) = (self.starts[word as usize], self.starts[word as usize + 1]);
        let positions = &self.listed[begin as usize..end as usize];
        let first = positions.partition_point(|&position| (position as usize) < start);
        let distances = positions[first..].iter().map(|&position| position as usize - start);
        distances
            .take_while(|&distance| distance < 64)
            .fold(0, |bits, distance| bits | 1 << distance)
    }

    /// Calls `visit` with the positions of `word` within `distance` of `around`, ascending.
    fn for_each_position(
        &self,
        word: u32,
        around: usize,
        distance: usize,
        mut visit: impl FnMut(usize),
    ) {
        let end = (around + distance + 1).min(self.len());
        let mut start = around.saturating_sub(distance);
        while start < end {
            let inside = u64::MAX >> (64 - (end - start).min(64));
            let mut found = self.occurrences(word, start) & inside;
            while found != 0 {
                visit(start + found.trailing_zeros() as usize);
                found &= found - 1;
            }
            start += 64;
        }
    }
}

#[cfg(test)]
mod tests;
