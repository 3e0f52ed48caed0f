//! Which words of an output and of a reference the cheapest edits pair, and which are in error.

use super::matrix::{Edit, Matrix};
use super::reference::Reference;

#[derive(Debug, Default)]
pub struct Alignment {
    /// `reached[n]` is how many words of the output are behind it after n words of the reference.
    pub reached: Vec<usize>,
    /// For each word of the output, how many from it on are free of error …
    pub output_clean: Vec<usize>,
    /// … and so for each word of the reference.
    pub reference_clean: Vec<usize>,
}

impl Alignment {
    /// Goes back along the cheapest path, from the last cell to the first.
    pub fn trace(&mut self, matrix: &impl Matrix, reference: &Reference, output: &[u32]) {
        let (mut row, mut column) = (output.len(), reference.len());
        reset(&mut self.reached, column);
        reset(&mut self.output_clean, row);
        reset(&mut self.reference_clean, column);
        while row > 0 || column > 0 {
            let edit = matrix.last_edit(row, column);
            if edit != Edit::Drop {
                self.reached[column] = row;
                column -= 1;
            }
            if edit != Edit::Miss {
                row -= 1;
            }
            if edit == Edit::Pair && output[row] == reference.words()[column] {
                self.output_clean[row] = self.output_clean[row + 1] + 1;
                self.reference_clean[column] = self.reference_clean[column + 1] + 1;
            }
        }
    }
}

/// Zeros for `words` words and for the end behind them.
fn reset(counts: &mut Vec<usize>, words: usize) {
    counts.clear();
    counts.resize(words + 1, 0);
}
