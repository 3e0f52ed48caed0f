//! Edit distances computed a row at a time: the band of a row fits into the bits of one integer.
//!
//! Neighbouring cells differ by −1, 0 or 1, so two bits per cell represent a row, and a dozen
//! operations on whole rows compute the next row (Myers, 1999, in the form of Hyyrö, 2003). Here
//! the bits are a window that moves along with the band. A cell outside the band is unreachable.
//! Its value is set to one more than its neighbour inside, which makes every path through it too
//! expensive, provided that no pair of equal words leaves such a cell; `RowWindow::paired` ensures
//! that.

use super::Reference;
use super::matrix::{Band, Edit, Matrix, Swap};

/// Window of one row. Its lowest bit is for the band's first column, but never for column 0.
#[derive(Debug, Clone, Copy, Default)]
struct RowWindow {
    /// Reference position of the lowest bit's word.
    start: usize,
    /// Number of columns by which the window moved from the previous row.
    shift: u32,
    /// Columns that the previous row did not compute.
    entering: u64,
    /// Columns whose left neighbour is computed in the previous row.
    paired: u64,
    /// Columns computed in this row.
    filled: u64,
}

/// Distances of one row.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    /// Columns whose distance is one more than in the column on their left.
    plus: u64,
    /// Columns whose distance is one less than in the column on their left.
    minus: u64,
    /// Distance to the left of the lowest bit's column.
    left: usize,
}

/// Last edits of a row's cells; columns in neither set miss a word of the reference.
#[derive(Debug, Clone, Copy, Default)]
struct Edits {
    pair: u64,
    drop: u64,
}

#[derive(Debug, Default)]
pub struct WindowMatrix {
    windows: Vec<RowWindow>,
    /// `rows[n]` is for the first n words of the output, as is `edits[n]`.
    rows: Vec<Row>,
    edits: Vec<Edits>,
    /// Lengths of output and reference that the windows are for.
    lengths: (usize, usize),
    distance: usize,
}

impl WindowMatrix {
    fn place_windows(&mut self, output: usize, reference: usize) {
        if self.lengths == (output, reference) && !self.windows.is_empty() {
            return;
        }
        self.lengths = (output, reference);
        self.windows.clear();
        self.windows.push(RowWindow::default());
        let band = Band::new(output, reference);
        let (mut before, mut start_before) = (band.columns(0), 0);
        for row in 1..=output {
            let (first, last) = band.columns(row);
            let start = first.saturating_sub(1);
            let shift = start - start_before;
            let above = before.1 - start;
            let left_of_band = u64::from(start < before.0);
            self.windows.push(RowWindow {
                start,
                shift: shift as u32,
                // Row 0 is filled beyond its window, and each cell holds one more than the last.
                entering: from_bit(above.min(64 - shift)),
                paired: !(from_bit(above + 1) | left_of_band),
                filled: !from_bit(last - start),
            });
            (before, start_before) = ((first, last), start);
        }
    }

    /// Returns the whole distance if `row` replaced the row at `index`, or `None` if their
    /// difference does not determine it.
    ///
    /// Only columns matter that a path of at most the current distance can pass. Together with the
    /// two lengths, that limits the words it drops and misses.
    #[inline]
    fn distance_from(&self, index: usize, row: Row) -> Option<usize> {
        let (output, reference) = self.lengths;
        let drops = (self.distance + output - reference) / 2;
        let misses = (self.distance + reference - output) / 2;
        let RowWindow { start, filled, .. } = self.windows[index];
        let first = index.saturating_sub(drops + start);
        let last = (index + misses).saturating_sub(start);
        let old = self.rows[index];
        let differing = (row.plus ^ old.plus) | (row.minus ^ old.minus);
        let is_uniform = differing & filled & from_bit(first) & !from_bit(last) == 0;
        let value = |row: Row| row.value(!from_bit(first));
        is_uniform.then(|| self.distance + value(row) - value(old))
    }

    fn whole_distance(&self, row: Row) -> usize {
        row.value(self.windows[self.windows.len() - 1].filled)
    }
}

/// Returns all bits from `bit` on, or none from bit 64 on.
fn from_bit(bit: usize) -> u64 {
    if bit < 64 { u64::MAX << bit } else { 0 }
}

impl Row {
    /// Returns the distance in the last of `columns`, which begin with the window's first.
    fn value(&self, columns: u64) -> usize {
        let (plus, minus) = (self.plus & columns, self.minus & columns);
        self.left + plus.count_ones() as usize - minus.count_ones() as usize
    }
}

impl RowWindow {
    /// Computes the row below `above`, for a word at the reference positions `equal`.
    #[inline]
    fn next(&self, above: Row, equal: u64) -> (Row, Edits) {
        let Row { plus, minus, mut left } = above;
        match self.shift {
            0 => (),
            // Most texts are about as long as their reference, and counting bits is slower.
            1 => left = left + (plus & 1) as usize - (minus & 1) as usize,
            shift => left = above.value(!from_bit(shift as usize)),
        }
        let plus = plus >> self.shift | self.entering;
        let minus = minus >> self.shift & !self.entering;
        let equal = equal & self.paired;
        // Columns whose distance equals the one above on the left.
        let level = ((equal & plus).wrapping_add(plus) ^ plus) | equal | minus;
        // Columns whose distance is one more, and one less, than above.
        let more = minus | !(level | plus);
        let less = level & plus;
        let edits = Edits { pair: self.paired & (!level | equal), drop: more };
        let more = more << 1 | 1;
        let row = Row { plus: less << 1 | !(level | more), minus: level & more, left: left + 1 };
        (row, edits)
    }
}

impl Matrix for WindowMatrix {
    fn fill(&mut self, reference: &Reference, output: &[u32]) {
        self.place_windows(output.len(), reference.len());
        self.rows.clear();
        self.rows.resize(output.len() + 1, Row { plus: u64::MAX, minus: 0, left: 0 });
        self.edits.resize(output.len() + 1, Edits::default());
        self.refill(reference, output, 0);
    }

    fn refill(&mut self, reference: &Reference, output: &[u32], start: usize) {
        let mut row = self.rows[start];
        for (index, &word) in (start + 1..).zip(&output[start..]) {
            let window = &self.windows[index];
            (row, self.edits[index]) = window.next(row, reference.occurrences(word, window.start));
            self.rows[index] = row;
        }
        self.distance = self.whole_distance(row);
    }

    fn distance(&self) -> usize {
        self.distance
    }

    fn last_edit(&self, row: usize, column: usize) -> Edit {
        if row == 0 {
            return Edit::Miss;
        }
        if column == 0 {
            return Edit::Drop;
        }
        let bit = 1 << (column - 1 - self.windows[row].start);
        let Edits { pair, drop } = self.edits[row];
        if pair & bit != 0 {
            Edit::Pair
        } else if drop & bit != 0 {
            Edit::Drop
        } else {
            Edit::Miss
        }
    }

    fn distance_after(&self, reference: &Reference, output: &[u32], swap: Swap) -> usize {
        let Swap { start, middle, end } = swap;
        let mut row = self.rows[start];
        let mut windows = self.windows[start + 1..].iter();
        for words in [&output[middle..end], &output[start..middle]] {
            for (&word, window) in words.iter().zip(windows.by_ref()) {
                row = window.next(row, reference.occurrences(word, window.start)).0;
            }
        }
        // The following words are unchanged, so once all columns that matter differ from the old
        // row by one number, they differ by it to the end.
        for (index, &word) in (end..).zip(&output[end..]) {
            if let Some(distance) = self.distance_from(index, row) {
                return distance;
            }
            let window = &self.windows[index + 1];
            row = window.next(row, reference.occurrences(word, window.start)).0;
        }
        self.whole_distance(row)
    }
}
