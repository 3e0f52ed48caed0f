//! Edit distances cell by cell: the definition, and for references over 50 times their output.

use super::band::Band;
use super::matrix::{Edit, Matrix, Swap};
use super::reference::Reference;

/// Larger than any distance, and a few more edits do not overflow it.
const UNREACHABLE: usize = usize::MAX / 2;

#[derive(Debug, Default)]
pub struct PlainMatrix {
    cells: Vec<(usize, Option<Edit>)>,
    columns: usize,
}

impl PlainMatrix {
    fn cell(&self, row: usize, column: usize) -> (usize, Option<Edit>) {
        self.cells[row * self.columns + column]
    }

    fn cheapest(&self, row: usize, column: usize, equal: bool) -> (usize, Option<Edit>) {
        let drop = (self.cell(row - 1, column).0 + 1, Some(Edit::Drop));
        if column == 0 {
            return drop;
        }
        let pair = (self.cell(row - 1, column - 1).0 + usize::from(!equal), Some(Edit::Pair));
        let miss = (self.cell(row, column - 1).0 + 1, Some(Edit::Miss));
        let mut best = (UNREACHABLE, None);
        for edit in [pair, drop, miss] {
            if edit.0 < best.0 {
                best = edit;
            }
        }
        best
    }
}

impl Matrix for PlainMatrix {
    fn fill(&mut self, reference: &Reference, output: &[u32]) {
        self.columns = reference.len() + 1;
        self.cells.clear();
        self.cells.extend((0..self.columns).map(|column| (column, Some(Edit::Miss))));
        self.cells.resize((output.len() + 1) * self.columns, (UNREACHABLE, None));
        let band = Band::new(output.len(), reference.len());
        for (row, word) in (1..).zip(output) {
            let (first, last) = band.columns(row);
            for column in first..=last {
                let equal = column > 0 && reference.words()[column - 1] == *word;
                self.cells[row * self.columns + column] = self.cheapest(row, column, equal);
            }
        }
    }

    fn refill(&mut self, reference: &Reference, output: &[u32], _start: usize) {
        self.fill(reference, output);
    }

    fn distance(&self) -> usize {
        self.cells.last().map_or(0, |cell| cell.0)
    }

    fn last_edit(&self, row: usize, column: usize) -> Edit {
        self.cell(row, column).1.unwrap_or(Edit::Pair)
    }

    fn distance_after(&self, reference: &Reference, output: &[u32], swap: Swap) -> usize {
        let mut shifted = output.to_vec();
        swap.apply(&mut shifted);
        let mut matrix = Self::default();
        matrix.fill(reference, &shifted);
        matrix.distance()
    }
}
