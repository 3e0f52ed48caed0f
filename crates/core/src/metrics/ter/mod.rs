//! TER: the edits from an output to a reference, shifts of words among them (Snover et al., 2006).
//!
//! Which shifts are found is a matter of rules, Tercom's as sacreBLEU 2.6.0 has them: the search
//! takes the best one again and again. `search` repeats, `shifts` proposes, and a `matrix` of edit
//! distances judges.

mod alignment;
mod band;
mod matrix;
mod plain;
mod reference;
mod search;
mod shifts;
mod window;

use super::counting::Counter;
use super::rates::error_rate;
use super::symbols::Symbols;
use crate::tokenizers::Tercom;
use reference::Reference;
use search::Search;

/// Counts for TER: the fewest edits to any reference, and the mean length of the references.
#[derive(Debug, Clone, Copy)]
pub struct Ter {
    pub tokenizer: Tercom,
}

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

impl Counter for Ter {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn width(&self) -> usize {
        2
    }

    fn count(
        &self,
        references: &[&str],
        outputs: &[&str],
        rows: &mut [f64],
        scratch: &mut Scratch,
    ) {
        let vocabulary = self.index_references(references, scratch) as u32;
        let Scratch { symbols, words, references: indexed, search } = scratch;
        let indexed = &indexed[..references.len()];
        let length: usize = indexed.iter().map(Reference::len).sum();
        let mean_length = length as f64 / references.len() as f64;
        for (output, row) in outputs.iter().zip(rows.chunks_mut(self.width())) {
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

/// The score of one row of sums: 100 times the edits per word of the reference.
#[must_use]
pub fn score(sums: &[f64]) -> f64 {
    error_rate(sums)
}

#[cfg(test)]
mod tests;
