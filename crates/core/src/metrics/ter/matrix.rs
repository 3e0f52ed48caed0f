//! Matrices of edit distances for the search for shifts.

use super::Reference;

/// Last edit on the cheapest path to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// The last words of both sides are paired, equal or not.
    Pair,
    /// The last word of the output is deleted.
    Drop,
    /// The last word of the reference is missing.
    Miss,
}

/// A shift as an exchange of the adjacent ranges `start..middle` and `middle..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swap {
    pub start: usize,
    pub middle: usize,
    pub end: usize,
}

impl Swap {
    pub fn is_noop(self) -> bool {
        self.start == self.middle || self.middle == self.end
    }

    pub fn apply(self, words: &mut [u32]) {
        words[self.start..self.end].rotate_left(self.middle - self.start);
    }
}

/// Edit distances between prefixes of an output and a reference, within the band.
pub trait Matrix {
    /// Recomputes the whole matrix, for an output of another length.
    fn fill(&mut self, reference: &Reference, output: &[u32]);

    /// Recomputes the rows from word `start` on; the words before it are unchanged.
    fn refill(&mut self, reference: &Reference, output: &[u32], start: usize);

    /// Returns the distance between the whole output and the whole reference.
    fn distance(&self) -> usize;

    /// Returns the last edit of a cell; equally cheap edits are preferred in the order of `Edit`.
    fn last_edit(&self, row: usize, column: usize) -> Edit;

    /// Returns the distance that the output would have after a swap, or any larger number if it
    /// exceeds the current distance.
    fn distance_after(&self, reference: &Reference, output: &[u32], swap: Swap) -> usize;
}

const BEAM: usize = 25;

/// Range of the computed columns in each row.
#[derive(Debug, Clone, Copy)]
pub struct Band {
    slope: f64,
    beam: usize,
    last_column: usize,
}

impl Band {
    pub fn new(output: usize, reference: usize) -> Self {
        let slope = if output > 0 { reference as f64 / output as f64 } else { 1.0 };
        let mut band = Self { slope, beam: BEAM, last_column: reference };
        if band.is_steep() {
            // Otherwise the columns of two neighbouring rows might not touch.
            band.beam = ceiling(slope / 2.0 + BEAM as f64);
        }
        band
    }

    /// Returns true if rows have more than twice `BEAM` columns.
    pub fn is_steep(&self) -> bool {
        self.slope / 2.0 > BEAM as f64
    }

    /// Returns the first and the last computed column of a row. They never decrease from row 1 on.
    pub fn columns(&self, row: usize) -> (usize, usize) {
        if row == 0 {
            return (0, self.last_column);
        }
        let diagonal = floor(row as f64 * self.slope);
        // Rounding takes at most 1 off the diagonal, so the last row reaches the last column.
        (diagonal.saturating_sub(self.beam), self.last_column.min(diagonal + self.beam - 1))
    }
}

#[allow(clippy::cast_sign_loss)] // Lengths and their ratios are not negative.
fn floor(number: f64) -> usize {
    number as usize
}

fn ceiling(number: f64) -> usize {
    floor(number.ceil())
}

/// Larger than any distance; a few more edits do not overflow it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_reaches_the_last_column() {
        for output in 1..=130 {
            for reference in 0..=700 {
                let (first, last) = Band::new(output, reference).columns(output);
                assert!(first <= reference && last == reference, "{output} {reference}");
            }
        }
    }

    #[test]
    fn neighbouring_rows_touch() {
        for (output, reference) in [(1, 60), (3, 150), (3, 151), (7, 349), (10, 600), (400, 8)] {
            let band = Band::new(output, reference);
            for row in 1..=output {
                assert!(band.columns(row).0 <= band.columns(row - 1).1 + 1, "{output} {reference}");
            }
        }
    }
}
