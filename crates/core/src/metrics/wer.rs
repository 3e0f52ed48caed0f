//! WER: word edit distance per reference word.

use super::words::{Comparison, Positions};
use super::{Details, Part, are_counts};
use crate::interruption;

/// WER. Its columns: edits, reference length, substitutions, deletions, insertions.
#[derive(Debug, Clone, Copy)]
pub struct Wer;

impl Comparison for Wer {
    type Index = (EditIndex, usize);

    const WIDTH: usize = 5;

    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut Self::Index) {
        index.0.reset(reference, vocabulary);
        index.1 = reference.len();
    }

    fn count(&self, output: &[u32], (index, length): &mut Self::Index, row: &mut [f64]) {
        let edits = index.edits(output);
        let columns =
            [edits.total(), *length, edits.substitutions, edits.deletions, edits.insertions];
        row.copy_from_slice(&columns.map(|count| count as f64));
    }

    fn is_possible(&self, row: &[f64]) -> bool {
        // Substituted and missing words are words of the reference.
        let rest = row[0] - row[2] - row[3] - row[4];
        are_counts(row) && rest.abs() < 0.5 && row[2] + row[3] <= row[1]
    }

    fn details(&self, sums: &[f64]) -> Details {
        vec![
            ("score", Part::Number(self.score(sums))),
            ("edits", Part::Count(sums[0])),
            ("reference_length", Part::Count(sums[1])),
            ("substitutions", Part::Count(sums[2])),
            ("deletions", Part::Count(sums[3])),
            ("insertions", Part::Count(sums[4])),
        ]
    }
}

/// Edits that turn a reference into an output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Edits {
    /// Number of words that differ.
    pub substitutions: usize,
    /// Number of words that only the reference has.
    pub deletions: usize,
    /// Number of words that only the output has.
    pub insertions: usize,
}

impl Edits {
    /// Returns the number of all edits.
    #[must_use]
    pub fn total(self) -> usize {
        self.substitutions + self.deletions + self.insertions
    }
}

/// Steps between 64 rows of the edit matrix: rows at which the distance rises or falls.
#[derive(Debug, Clone, Copy)]
struct Steps {
    rises: u64,
    falls: u64,
}

impl Steps {
    /// Advances the rows one column to the right; returns their steps and the steps across to that
    /// column.
    ///
    /// `equal` has the rows whose word equals the output's; `above` has the step to the right in
    /// the row above, as its lowest bit.
    fn advance(self, equal: u64, above: Self) -> (Self, Self) {
        let Self { rises, falls } = self;
        let level = equal | above.falls;
        let diagonal = ((level & rises).wrapping_add(rises) ^ rises) | level;
        let across = Self { rises: falls | !(diagonal | rises), falls: rises & diagonal };
        let (up, down) = (across.rises << 1 | above.rises, across.falls << 1 | above.falls);
        let horizontal = equal | falls;
        (Self { rises: down | !(horizontal | up), falls: up & horizontal }, across)
    }

    /// Returns the last step, as the lowest bit.
    fn last(self) -> Self {
        Self { rises: self.rises >> (BLOCK - 1), falls: self.falls >> (BLOCK - 1) }
    }
}

/// Number of columns between two stored ones; the columns between them are recomputed when needed.
const STRETCH: usize = 256;

const BLOCK: usize = 64;

/// Most blocks of a column that are computed, so that the time for long lines is in proportion to
/// their length: 32,768 words, half of them on either side of the straight path.
const MOST_BLOCKS: usize = 512;

/// Blocks of each column that are computed: all of them, or a band around the straight path from
/// the first cell to the last.
///
/// Cells outside of the band have the distance of a path that enters them straight from the band:
/// the distances are never too small, and exact if a cheapest path stays in the band.
#[derive(Debug, Default, Clone, Copy)]
struct Band {
    /// Number of blocks in each column.
    height: usize,
    /// First block of a band that begins at the last column.
    last: usize,
    /// First row and last row of the path.
    rows: (usize, usize),
    /// Number of columns.
    columns: usize,
}

impl Band {
    fn new(blocks: usize, most_blocks: usize, rows: (usize, usize), columns: usize) -> Self {
        let height = blocks.min(most_blocks);
        Self { height, last: blocks - height, rows, columns }
    }

    /// Returns the first block of a column; it never decreases from column to column.
    fn start(self, column: usize) -> usize {
        if self.last == 0 {
            return 0;
        }
        let (top, bottom) = self.rows;
        let down = column as u64 * (bottom - top) as u64 / self.columns.max(1) as u64;
        ((top + down as usize) / BLOCK).saturating_sub(self.height / 2).min(self.last)
    }
}

/// A reference, ready to be compared with outputs.
#[derive(Debug, Default)]
pub struct EditIndex {
    reference: Vec<u32>,
    blocks: usize,
    band: Band,
    positions: Positions,
    /// Columns of one stretch, preceded by the column before it.
    columns: Vec<Steps>,
    /// Column before each stretch.
    checkpoints: Vec<Steps>,
}

impl EditIndex {
    /// Replaces the reference, whose words are numbered below `vocabulary`.
    pub fn reset(&mut self, reference: &[u32], vocabulary: usize) {
        self.reference.clear();
        self.reference.extend_from_slice(reference);
        self.blocks = reference.len().div_ceil(BLOCK);
        self.positions.reset(reference, vocabulary);
    }

    /// Counts the edits of a cheapest alignment.
    ///
    /// Ties are broken by rule: the common beginning and end are aligned; between them, going back
    /// from the end, a deletion is chosen if it is among the cheapest edits, then an insertion if a
    /// column to the left is cheaper, then a pair of words.
    ///
    /// Of references with more than 32,768 words, only alignments are compared that stay within
    /// 16,384 words of the straight path.
    pub fn edits(&mut self, output: &[u32]) -> Edits {
        self.edits_in_band(output, MOST_BLOCKS)
    }

    fn edits_in_band(&mut self, output: &[u32], most_blocks: usize) -> Edits {
        let front = common_length(self.reference.iter(), output.iter());
        let max_back = self.reference.len().min(output.len()) - front;
        let back = common_length(self.reference.iter().rev(), output.iter().rev()).min(max_back);
        let bottom = self.reference.len() - back;
        let output = &output[front..output.len() - back];
        self.band = Band::new(self.blocks, most_blocks, (front, bottom), output.len());
        self.fill(output, front);
        self.trace(output, front, bottom)
    }

    /// Computes the columns of an output without its first `front` words, which equal the
    /// reference's. Afterwards the columns of the last stretch and those before each stretch are
    /// stored.
    fn fill(&mut self, output: &[u32], front: usize) {
        self.checkpoints.clear();
        self.columns.clear();
        let start = self.band.start(0);
        let blocks = start..start + self.band.height;
        self.columns.extend(blocks.map(|block| first_steps(front, block)));
        for (number, stretch) in output.chunks(STRETCH).enumerate() {
            let last = self.columns.len() - self.band.height;
            self.columns.drain(..last);
            self.checkpoints.extend_from_slice(&self.columns);
            self.push_columns(stretch, number * STRETCH);
        }
    }

    /// Appends a column to the stored ones for each output word, after `done` words.
    fn push_columns(&mut self, words: &[u32], done: usize) {
        interruption::check();
        let band = self.band;
        let mut start = band.start(done);
        for (column, &word) in (done + 1..).zip(words) {
            let before = self.columns.len() - band.height;
            let moved = band.start(column) - start;
            start += moved;
            let mut positions = self.positions.of(word);
            if start > 0 {
                positions =
                    &positions[positions.partition_point(|&at| at as usize / BLOCK < start)..];
            }
            // The distance rises from column to column in row 0, and at most so above the band.
            let mut above = Steps { rises: 1, falls: 0 };
            for block in 0..band.height {
                let equal = equal_words(&mut positions, start + block);
                let is_known = moved + block < band.height;
                let left = if is_known { self.columns[before + moved + block] } else { BELOW };
                let (next, across) = left.advance(equal, above);
                self.columns.push(next);
                above = across.last();
            }
        }
    }

    /// Follows the path back from the last column and row `bottom` to the first column or row
    /// `front`.
    fn trace(&mut self, output: &[u32], front: usize, bottom: usize) -> Edits {
        let mut edits = Edits::default();
        let (mut row, mut column) = (bottom, output.len());
        let mut stretch = column.saturating_sub(1) / STRETCH;
        while row > front && column > 0 {
            if column <= stretch * STRETCH {
                stretch -= 1;
                self.recompute(stretch, output);
            }
            // The stored columns begin with the one before the stretch.
            let offset = column - stretch * STRETCH;
            let (start, left) = (self.band.start(column), self.band.start(column - 1));
            if (row - 1) / BLOCK < start {
                edits.insertions += 1;
                column -= 1;
            } else if self.step(offset, row, start).rises {
                edits.deletions += 1;
                row -= 1;
            } else if self.step(offset - 1, row, left).falls {
                edits.insertions += 1;
                column -= 1;
            } else {
                row -= 1;
                column -= 1;
                edits.substitutions += usize::from(self.reference[row] != output[column]);
            }
        }
        edits.deletions += row - front;
        edits.insertions += column;
        edits
    }

    /// Recomputes the columns of an earlier stretch.
    fn recompute(&mut self, stretch: usize, output: &[u32]) {
        self.columns.clear();
        let (before, height) = (stretch * self.band.height, self.band.height);
        self.columns.extend_from_slice(&self.checkpoints[before..before + height]);
        let done = stretch * STRETCH;
        self.push_columns(&output[done..done + STRETCH], done);
    }

    /// Returns the step from the row above to a row, in a stored column whose band begins with the
    /// block `start`; the row is not above the band.
    fn step(&self, column: usize, row: usize, start: usize) -> Step {
        let (block, bit) = ((row - 1) / BLOCK - start, (row - 1) % BLOCK);
        let Steps { rises, falls } = if block < self.band.height {
            self.columns[column * self.band.height + block]
        } else {
            BELOW
        };
        Step { rises: rises >> bit & 1 == 1, falls: falls >> bit & 1 == 1 }
    }
}

/// Steps below the band: the distance rises from row to row.
const BELOW: Steps = Steps { rises: u64::MAX, falls: 0 };

struct Step {
    rises: bool,
    falls: bool,
}

/// Returns the steps of the column in which output and reference have had `front` equal words: down
/// to row `front` the distance falls to 0, and from there it rises.
fn first_steps(front: usize, block: usize) -> Steps {
    let fallen = front.saturating_sub(block * BLOCK);
    let rises = u64::MAX.checked_shl(fallen as u32).unwrap_or(0);
    Steps { rises, falls: !rises }
}

/// Returns the positions within a block as bits and removes them from `positions`.
fn equal_words(positions: &mut &[u32], block: usize) -> u64 {
    let mut equal = 0;
    while let [position, rest @ ..] = positions
        && *position as usize / BLOCK == block
    {
        equal |= 1 << (*position as usize % BLOCK);
        *positions = rest;
    }
    equal
}

fn common_length<'a>(
    left: impl Iterator<Item = &'a u32>,
    right: impl Iterator<Item = &'a u32>,
) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::words::tests::row;

    #[test]
    fn a_row_has_edits_length_and_kinds_of_edits() {
        assert_eq!(row(Wer, &["a b c d"], "a x c"), [2., 4., 1., 1., 0.]);
        assert_eq!(row(Wer, &[""], "a b"), [2., 0., 0., 0., 2.]);
        assert_eq!(row(Wer, &["a b"], " "), [2., 2., 0., 2., 0.]);
    }

    #[test]
    fn the_reference_with_the_lowest_rate_counts() {
        let (long, short) = ("a b c d e f g h", "a b");
        for references in [[long, short], [short, long]] {
            // 3 edits in 8 words against 3 in 2.
            assert_eq!(row(Wer, &references, "a b c d e")[..2], [3., 8.]);
        }
        for references in [["a b x y", "a x"], ["a x", "a b x y"]] {
            // 2 of 4 is the same rate as 1 of 2, so the fewer edits count.
            assert_eq!(row(Wer, &references, "a b")[..2], [1., 2.]);
        }
    }

    /// Computes the whole edit matrix, cell by cell.
    fn matrix(reference: &[u32], output: &[u32]) -> Vec<Vec<usize>> {
        let mut cells = vec![vec![0; output.len() + 1]; reference.len() + 1];
        for row in 0..=reference.len() {
            for column in 0..=output.len() {
                cells[row][column] = if row == 0 || column == 0 {
                    row + column
                } else {
                    let differ = usize::from(reference[row - 1] != output[column - 1]);
                    let pair = cells[row - 1][column - 1] + differ;
                    pair.min(cells[row - 1][column] + 1).min(cells[row][column - 1] + 1)
                };
            }
        }
        cells
    }

    /// Counts the deletions on the path back through the matrix by the rule.
    fn deletions(reference: &[u32], output: &[u32]) -> usize {
        let cells = matrix(reference, output);
        let front = common_length(reference.iter(), output.iter());
        let (mut row, mut column) = (reference.len(), output.len());
        while row > front && column > front && reference[row - 1] == output[column - 1] {
            (row, column) = (row - 1, column - 1);
        }
        let mut found = 0;
        while row > front && column > front {
            if cells[row - 1][column] < cells[row][column] {
                (row, found) = (row - 1, found + 1);
            } else if cells[row][column - 1] < cells[row - 1][column - 1] {
                column -= 1;
            } else {
                (row, column) = (row - 1, column - 1);
            }
        }
        found + row - front
    }

    fn edits(reference: &[u32], output: &[u32]) -> Edits {
        let mut index = EditIndex::default();
        index.reset(reference, 10);
        index.edits(output)
    }

    /// Returns deterministic pseudorandom words below `vocabulary`.
    fn words(length: usize, vocabulary: u32, mut state: u32) -> Vec<u32> {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % vocabulary
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn the_edits_agree_with_the_whole_matrix() {
        let lengths = [0, 1, 2, 7, 63, 64, 65, 127, 128, 129, 200, 300, 700];
        for (seed, &rows) in (1..).zip(&lengths) {
            for (other, &columns) in (100..).zip(&lengths) {
                for vocabulary in [1, 3, 10] {
                    let reference = words(rows, vocabulary, seed);
                    let output = words(columns, vocabulary, other);
                    let found = edits(&reference, &output);
                    let expected = matrix(&reference, &output)[rows][columns];
                    assert_eq!(found.total(), expected, "{rows} × {columns} of {vocabulary}");
                    assert_eq!(found.insertions + rows, found.deletions + columns);
                    assert_eq!(found.deletions, deletions(&reference, &output));
                }
            }
        }
    }

    /// Returns the words with every tenth one replaced, left out or doubled in turn.
    fn edited(words: &[u32]) -> Vec<u32> {
        let change = |(index, &word): (usize, &u32)| match index % 30 {
            9 => vec![word + 1],
            19 => vec![],
            29 => vec![word; 2],
            _ => vec![word],
        };
        words.iter().enumerate().flat_map(change).collect()
    }

    #[test]
    fn a_band_around_a_cheapest_alignment_changes_nothing() {
        let mut index = EditIndex::default();
        for (length, vocabulary) in [(300, 3), (700, 10), (1500, 50)] {
            let reference = words(length, vocabulary, 7);
            index.reset(&reference, 60);
            for output in [edited(&reference), edited(&edited(&reference)[40..])] {
                let whole = index.edits(&output);
                assert_eq!(index.edits_in_band(&output, 4), whole);
                let mut turned = EditIndex::default();
                turned.reset(&output, 60);
                let whole = turned.edits(&reference);
                assert_eq!(turned.edits_in_band(&reference, 4), whole);
            }
        }
    }

    #[test]
    fn a_band_never_counts_too_few_edits() {
        let lengths = [0, 1, 63, 130, 200, 640, 900];
        let mut above = 0;
        for (seed, &rows) in (1..).zip(&lengths) {
            for (other, &columns) in (100..).zip(&lengths) {
                let mut index = EditIndex::default();
                let reference = words(rows, 9, seed);
                index.reset(&reference, 10);
                let mut output = words(columns, 9, other);
                let quarter = rows.min(columns) / 4;
                // A passage from the other end of the reference, which a band cannot reach.
                output[..quarter].copy_from_slice(&reference[rows - quarter..]);
                let (whole, band) = (index.edits(&output), index.edits_in_band(&output, 2));
                assert!(band.total() >= whole.total(), "{band:?} {whole:?}");
                assert!(band.total() <= rows.max(columns));
                assert_eq!(band.insertions + rows, band.deletions + columns);
                above += usize::from(band.total() > whole.total());
            }
        }
        assert!(above > 0, "the band never mattered");
    }

    #[test]
    fn words_not_in_the_reference_are_insertions_or_substitutions() {
        let found = edits(&[1, 2, 3], &[1, u32::MAX, 3, u32::MAX]);
        assert_eq!(found, Edits { substitutions: 1, deletions: 0, insertions: 1 });
        let found = edits(&[], &[u32::MAX]);
        assert_eq!(found, Edits { substitutions: 0, deletions: 0, insertions: 1 });
    }

    #[test]
    fn ties_between_alignments_are_broken_by_rule() {
        // Two substitutions, or a deletion and an insertion around a pair: the deletion comes
        // first.
        let found = edits(&[1, 2], &[2, 1]);
        assert_eq!(found, Edits { substitutions: 0, deletions: 1, insertions: 1 });
        // A common end is aligned before any other choice.
        let found = edits(&[1, 2, 2], &[3, 2]);
        assert_eq!(found, Edits { substitutions: 1, deletions: 1, insertions: 0 });
    }
}
