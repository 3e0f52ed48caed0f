//! Which words of an output and of a reference the cheapest edits pair, and which are in error.

use super::matrix::{Edit, Matrix};
use super::reference::Reference;

#[derive(Debug, Default)]
pub struct Alignment {
    /// `reached[n]` is how many words of the output are behind it after n words of the reference.
    pub reached: Vec<usize>,
    pub output_errors: Vec<bool>,
    pub reference_errors: Vec<bool>,
}

impl Alignment {
    /// Goes back along the cheapest path, from the last cell to the first.
    pub fn trace(&mut self, matrix: &impl Matrix, reference: &Reference, output: &[u32]) {
        let (mut row, mut column) = (output.len(), reference.len());
        self.reached.clear();
        self.reached.resize(column + 1, 0);
        self.output_errors.clear();
        self.output_errors.resize(row, true);
        self.reference_errors.clear();
        self.reference_errors.resize(column, true);
        while row > 0 || column > 0 {
            let edit = matrix.last_edit(row, column);
            if edit != Edit::Drop {
                self.reached[column] = row;
                column -= 1;
            }
            if edit != Edit::Miss {
                row -= 1;
            }
            if edit == Edit::Pair {
                let error = output[row] != reference.words()[column];
                self.output_errors[row] = error;
                self.reference_errors[column] = error;
            }
        }
    }
}
