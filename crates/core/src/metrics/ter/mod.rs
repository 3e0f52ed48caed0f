//! TER: the edits from an output to a reference, shifts of words among them (Snover et al., 2006).
//!
//! Which shifts are found is a matter of rules, Tercom's as sacreBLEU 2.6.0 has them: the search
//! takes the best one again and again. `Search` repeats, `shifts` proposes, and a `matrix` of edit
//! distances judges.

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

/// TER. Its columns: the fewest edits to any reference, and the mean length of the references.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ter {
    /// What cuts segments into words.
    pub tokenizer: Tercom,
}

impl Metric for Ter {
    fn width(&self) -> usize {
        WIDTH
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(self, WIDTH))
    }

    /// 100 times the edits per word of the reference.
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
    /// Those of the segment come first; the rest is memory.
    references: Vec<Reference>,
    search: Search,
}

impl Ter {
    /// Numbers the words of the references, and returns how many different ones there are.
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
            // All words that no reference has share the number behind the last.
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

/// sacreBLEU tries fewer shifts than this for one output and reference.
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
    /// The edits from `output` to `reference`, or any number from `enough` on if there are so many.
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

    /// How many words could be paired with equal ones in any order.
    fn common_words(&mut self, reference: &Reference, output: &[u32]) -> usize {
        self.unpaired.clear();
        self.unpaired.extend_from_slice(reference.counts());
        let mut common = 0;
        for &word in output {
            let left = &mut self.unpaired[word as usize];
            common += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
        common
    }
}

impl Round {
    /// Shifts `output` until nothing is gained; no order of its words is closer than `floor`.
    fn edits(
        &mut self,
        matrix: &mut impl Matrix,
        reference: &Reference,
        floor: usize,
        enough: usize,
    ) -> usize {
        let Self { output, alignment, candidates } = self;
        matrix.fill(reference, output);
        let (mut shifts, mut tried) = (0, 0);
        loop {
            let distance = matrix.distance();
            if distance == floor || shifts + floor >= enough {
                return shifts + distance;
            }
            alignment.trace(matrix, reference, output);
            let limit = MAX_CANDIDATES - tried;
            // At the limit sacreBLEU gives up, even on the best shift of the round.
            let Some(found) = candidates.find(reference, output, alignment, limit) else {
                return shifts + distance;
            };
            tried += found;
            let Some(swap) = candidates.best(matrix, reference, output, (distance, floor)) else {
                return shifts + distance;
            };
            swap.apply(output);
            matrix.refill(reference, output, swap.start);
            shifts += 1;
        }
    }
}

/// The words of a reference, numbered, and where each word stands in it.
#[derive(Debug, Default)]
struct Reference {
    words: Vec<u32>,
    /// For each word of the vocabulary a set of positions, as `blocks` 64-bit integers; none where
    /// that would take too much memory.
    positions: Vec<u64>,
    blocks: usize,
    counts: Vec<u32>,
    /// In their place, all positions in the order of words, and where those of each word begin.
    listed: Vec<u32>,
    begins: Vec<u32>,
}

/// Integers that the sets of all words may take: 32 MB. Beyond, they would grow with the square of
/// the length.
const MOST_BLOCKS: usize = 1 << 22;

impl Reference {
    /// Replaces the words. Those of `vocabulary` and above occur in no reference.
    fn reset(&mut self, words: &[u32], vocabulary: usize) {
        self.reset_within(words, vocabulary, MOST_BLOCKS);
    }

    fn reset_within(&mut self, words: &[u32], vocabulary: usize, most: usize) {
        self.words.clear();
        self.words.extend_from_slice(words);
        // One block beyond the last, so that 64 bits can be read from any position.
        self.blocks = words.len() / 64 + 2;
        self.positions.clear();
        self.begins.clear();
        self.counts.clear();
        self.counts.resize(vocabulary + 1, 0);
        for &word in words {
            self.counts[word as usize] += 1;
        }
        if (vocabulary + 1).saturating_mul(self.blocks) > most {
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
            self.begins.push(end);
            end += count;
        }
        self.begins.push(end);
        let mut next = self.begins.clone();
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

    /// How often each word of the vocabulary occurs.
    fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Which of the 64 positions from `start` on hold `word`, the lowest bit first.
    #[inline]
    fn occurrences(&self, word: u32, start: usize) -> u64 {
        if !self.begins.is_empty() {
            return self.listed_occurrences(word, start);
        }
        let at = word as usize * self.blocks + start / 64;
        let (low, high) = (self.positions[at], self.positions[at + 1]);
        low >> (start % 64) | high << 1 << (63 - start % 64)
    }

    fn listed_occurrences(&self, word: u32, start: usize) -> u64 {
        let (begin, end) = (self.begins[word as usize], self.begins[word as usize + 1]);
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
        let behind = (around + distance + 1).min(self.len());
        let mut start = around.saturating_sub(distance);
        while start < behind {
            let inside = u64::MAX >> (64 - (behind - start).min(64));
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
