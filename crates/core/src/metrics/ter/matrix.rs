//! What the search for shifts asks of a matrix of edit distances.

use super::reference::Reference;

/// The last edit on the cheapest path to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// The last words are a pair, equal or not.
    Pair,
    /// The last word of the output is dropped.
    Drop,
    /// The last word of the reference is missing.
    Miss,
}

/// A shift: `start..middle` and `middle..end` change places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swap {
    pub start: usize,
    pub middle: usize,
    pub end: usize,
}

impl Swap {
    pub fn changes_nothing(self) -> bool {
        self.start == self.middle || self.middle == self.end
    }

    pub fn apply(self, words: &mut [u32]) {
        words[self.start..self.end].rotate_left(self.middle - self.start);
    }
}

/// The edit distances of an output's first words from a reference's, within the band.
pub trait Matrix {
    /// Fills the matrix anew for an output of another length.
    fn fill(&mut self, reference: &Reference, output: &[u32]);

    /// Fills the rows of the words from `start` on, the words before it being unchanged.
    fn refill(&mut self, reference: &Reference, output: &[u32], start: usize);

    /// The distance of the whole output from the whole reference.
    fn distance(&self) -> usize;

    /// Of edits equally cheap, the first in the order that `Edit` lists them.
    fn last_edit(&self, row: usize, column: usize) -> Edit;

    /// The distance that the output would have after a swap; if larger than now, any that is larger.
    fn distance_after(&self, reference: &Reference, output: &[u32], swap: Swap) -> usize;
}
