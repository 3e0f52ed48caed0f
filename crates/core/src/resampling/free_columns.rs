//! Columns whose sums follow from other columns, so that no replicate has to add them up.
//!
//! Counts depend on each other: an output of n tokens has n − 1 pairs of neighbours, all systems
//! share the length of a reference, a rare event is 0 nearly everywhere. What a column means is not
//! known here, so it is looked for: a column that is another one plus a constant, or just a
//! constant, but for a few rows. Its sum is then made of the other's sum, the sum of the weights
//! and the weights of these rows. All of them are whole numbers that 64 bits hold, so that the
//! digits are the same either way.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use crate::interruption;

/// A number of rows: counts may be kept in 16 or 32 bits, which 64 hold exactly.
pub trait Count: Copy + Into<f64> + Send + Sync {}

impl Count for i16 {}
impl Count for i32 {}
impl Count for f64 {}

/// Smallest number of rows to look for relations in.
const FEWEST: usize = 256;
/// Rows in which columns are compared first, at equal distances.
const SAMPLE: usize = 32;
/// Number of cells in a sample that must agree before all rows are looked at.
const AGREEING: usize = 24;
/// Inverse of the largest share of exceptions among rows: correcting more would take as long as
/// adding up the columns.
const RARE: usize = 8;
/// Rows that are looked at by one thread.
const TOGETHER: usize = 1 << 12;

/// The columns that have to be added up, and how the sums of all columns follow.
pub(super) struct FreeColumns {
    free: Vec<usize>,
    /// Relation of each column to a free column.
    sums: Vec<Follows>,
    /// Rows that are exceptions to the relation of a column.
    exceptions: Vec<usize>,
    /// The columns that they differ in.
    mended: Vec<usize>,
    /// Corrections for them, shaped (exception, mended column).
    corrections: Array2<f64>,
}

/// Sum of a column: a free column's sum times a factor, plus a constant times the sum of the
/// weights.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Follows {
    /// Index among the free columns.
    place: usize,
    factor: f64,
    constant: f64,
}

/// Difference of a row from the relation of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Exception {
    row: usize,
    difference: f64,
}

/// A guess about a column: it equals another column, or 0, plus a constant.
#[derive(Debug, Clone, Copy)]
struct Guess {
    column: usize,
    base: Option<usize>,
    constant: f64,
}

impl Guess {
    fn difference<C: Count>(&self, row: &ArrayView1<'_, C>) -> f64 {
        let base = self.base.map_or(0.0, |base| row[base].into());
        row[self.column].into() - base - self.constant
    }
}

impl FreeColumns {
    /// Finds the free columns of rows.
    pub(super) fn new<C: Count>(rows: &ArrayView2<'_, C>) -> Self {
        let guesses = if rows.nrows() < FEWEST { Vec::new() } else { guesses(rows) };
        let mut kept = if guesses.is_empty() { Vec::new() } else { exceptions(rows, &guesses) };
        // Take columns with fewest exceptions first, as long as few rows are exceptions to any of
        // them.
        kept.sort_by_key(|(guess, exceptions)| (exceptions.len(), guess.column));
        let mut is_exception = vec![false; if kept.is_empty() { 0 } else { rows.nrows() }];
        let mut count = 0;
        kept.retain(|(_, exceptions)| {
            let new = exceptions.iter().filter(|exception| !is_exception[exception.row]).count();
            let few = count + new <= rows.nrows() / RARE;
            if few {
                count += new;
                for exception in exceptions {
                    is_exception[exception.row] = true;
                }
            }
            few
        });
        let mut sums = vec![None; rows.ncols()];
        for (guess, _) in &kept {
            sums[guess.column] = Some(*guess);
        }
        let free: Vec<usize> = (0..rows.ncols()).filter(|&column| sums[column].is_none()).collect();
        let place = |column: usize| free.binary_search(&column).unwrap_or_default();
        let follows = |(column, guess): (usize, Option<Guess>)| match guess {
            None => Follows { place: place(column), factor: 1.0, constant: 0.0 },
            Some(Guess { base: Some(base), constant, .. }) => {
                Follows { place: place(base), factor: 1.0, constant }
            }
            Some(Guess { base: None, constant, .. }) => Follows { place: 0, factor: 0.0, constant },
        };
        let sums = sums.into_iter().enumerate().map(follows).collect();
        kept.retain(|(_, exceptions)| !exceptions.is_empty());
        let exceptions: Vec<usize> =
            (0..is_exception.len()).filter(|&row| is_exception[row]).collect();
        let mut corrections = Array2::zeros((exceptions.len(), kept.len()));
        for ((_, differences), mut corrections) in kept.iter().zip(corrections.columns_mut()) {
            for Exception { row, difference } in differences {
                corrections[exceptions.partition_point(|known| known < row)] = *difference;
            }
        }
        let mended = kept.iter().map(|(guess, _)| guess.column).collect();
        Self { free, sums, exceptions, mended, corrections }
    }

    /// Returns the columns that have to be added up, in their order.
    pub(super) fn free(&self) -> &[usize] {
        &self.free
    }

    /// Returns whether the sum of all weights is needed.
    pub(super) fn need_total(&self) -> bool {
        self.sums.iter().any(|follows| follows.constant != 0.0)
    }

    /// Returns the exceptional rows, with their corrections, shaped (exception, mended column).
    pub(super) fn exceptions(&self) -> (&[usize], ArrayView2<'_, f64>) {
        (&self.exceptions, self.corrections.view())
    }

    /// Writes the sums of all columns of one replicate.
    ///
    /// `free` holds the sums of the free columns, `total` is the sum of all weights, and `mended`
    /// holds the sums of the corrections.
    pub(super) fn complete(&self, free: &[f64], total: f64, mended: &[f64], sums: &mut [f64]) {
        if free.len() == sums.len() {
            sums.copy_from_slice(free);
            return;
        }
        for (sum, follows) in sums.iter_mut().zip(&self.sums) {
            *sum = follows.factor * free[follows.place] + follows.constant * total;
        }
        for (&column, correction) in self.mended.iter().zip(mended) {
            sums[column] += correction;
        }
    }
}

/// Returns whether a cell is a whole number of 16 bits; sums and differences of such cells are
/// exact.
pub(super) fn is_small(cell: f64) -> bool {
    // Machine integers, so that several are compared at a time.
    (f64::from(cell as i32) - cell).abs() == 0.0 && cell.abs() <= f64::from(i16::MAX)
}

/// Guesses relations of columns from a sample of rows. The first column, and columns without a
/// guess, are free.
fn guesses<C: Count>(rows: &ArrayView2<'_, C>) -> Vec<Guess> {
    let of_sample = |step: usize| step * (rows.nrows() - 1) / (SAMPLE - 1);
    let samples: Vec<[f64; SAMPLE]> = rows
        .columns()
        .into_iter()
        .map(|column| std::array::from_fn(|step| column[of_sample(step)].into()))
        .collect();
    let (mut free, mut guesses) = (vec![], vec![]);
    for (column, sample) in samples.iter().enumerate() {
        let nothing = [0.0; SAMPLE];
        let as_base = |&base: &usize| Some((Some(base), common(sample, &samples[base])?));
        let found = match common(sample, &nothing) {
            _ if column == 0 => None,
            Some(constant) => Some((None, constant)),
            None => free.iter().find_map(as_base),
        };
        match found {
            Some((base, constant)) => guesses.push(Guess { column, base, constant }),
            None => free.push(column),
        }
    }
    guesses
}

/// Returns the difference that two columns have in most rows of a sample.
#[expect(clippy::float_cmp, reason = "whole numbers; others are refused later")]
fn common(column: &[f64; SAMPLE], base: &[f64; SAMPLE]) -> Option<f64> {
    let same = |place: usize| {
        let difference = column[place] - base[place];
        let others = column.iter().zip(base);
        let agreeing = others.filter(|(a, b)| (*a - *b - difference).abs() == 0.0).count();
        (agreeing >= AGREEING).then_some(difference)
    };
    let first: [f64; 3] = std::array::from_fn(|place| column[place] - base[place]);
    // Nearly all pairs of columns are refused by a look at three rows.
    if first[0] == first[1] || first[0] == first[2] {
        same(0)
    } else if first[1] == first[2] {
        same(1)
    } else {
        None
    }
}

/// Returns the guesses about columns of small whole numbers that are wrong in few rows only, with
/// these rows.
fn exceptions<C: Count>(
    rows: &ArrayView2<'_, C>,
    guesses: &[Guess],
) -> Vec<(Guess, Vec<Exception>)> {
    let most = rows.nrows() / RARE;
    let mut looked_at: Vec<usize> = guesses.iter().map(|guess| guess.column).collect();
    looked_at.extend(guesses.iter().filter_map(|guess| guess.base));
    looked_at.sort_unstable();
    looked_at.dedup();
    let of_part = |(part, rows): (usize, ArrayView2<'_, C>)| {
        interruption::check();
        let mut small = vec![true; rows.ncols()];
        let mut found: Vec<Vec<Exception>> = vec![Vec::new(); guesses.len()];
        for (row, cells) in (part * TOGETHER..).zip(rows.outer_iter()) {
            for &column in &looked_at {
                small[column] &= is_small(cells[column].into());
            }
            for (guess, found) in guesses.iter().zip(&mut found) {
                let difference = guess.difference(&cells);
                if difference != 0.0 && found.len() <= most {
                    found.push(Exception { row, difference });
                }
            }
        }
        (small, found)
    };
    let parts: Vec<(Vec<bool>, Vec<Vec<Exception>>)> =
        rows.axis_chunks_iter(Axis(0), TOGETHER).into_par_iter().enumerate().map(of_part).collect();
    let of_guess = |(place, guess): (usize, &Guess)| {
        let is_small = |column: usize| parts.iter().all(|(small, _)| small[column]);
        let found = || parts.iter().flat_map(|(_, found)| &found[place]).copied();
        let small = is_small(guess.column) && guess.base.is_none_or(is_small);
        (small && found().count() <= most).then(|| (*guess, found().collect()))
    };
    guesses.iter().enumerate().filter_map(of_guess).collect()
}

#[cfg(test)]
mod tests {
    use super::super::stream::{Purpose, Stream};
    use super::*;

    /// Draws columns of whole numbers; some follow from others except in a given share of rows.
    fn related(rows: usize, exceptions: u32, stream: &mut Stream) -> Array2<f64> {
        let mut table = Array2::from_shape_simple_fn((rows, 9), || f64::from(stream.below(60)));
        for mut row in table.outer_iter_mut() {
            let mut odd = || f64::from(u8::from(stream.below(1000) < exceptions));
            row[1] = row[0] - 3.0 + odd();
            row[3] = row[2] + 40.0 - 7.0 * odd();
            row[4] = 5.0 + 100.0 * odd();
            row[5] = row[2];
            row[6] = 9.0 * odd();
            row[8] = row[7] - 60.0;
        }
        table
    }

    fn check(table: &Array2<f64>, columns: &FreeColumns, stream: &mut Stream) {
        for _ in 0..20 {
            let weights: Vec<f64> =
                (0..table.nrows()).map(|_| f64::from(stream.below(4))).collect();
            let expected = ndarray::ArrayView1::from(&weights).dot(table);
            let free: Vec<f64> = columns.free().iter().map(|&column| expected[column]).collect();
            let (exceptions, corrections) = columns.exceptions();
            let again: ndarray::Array1<f64> = exceptions.iter().map(|&row| weights[row]).collect();
            let mut sums = vec![f64::NAN; table.ncols()];
            let mended = again.dot(&corrections).to_vec();
            columns.complete(&free, weights.iter().sum(), &mended, &mut sums);
            assert_eq!(sums, expected.to_vec());
        }
    }

    #[test]
    fn sums_of_related_columns_are_those_of_adding_them_up() {
        let mut stream = Stream::new(5, Purpose::Bootstrap, 0);
        for (exceptions, free) in [(0, [0, 2, 7]), (20, [0, 2, 7])] {
            for rows in [FEWEST, 1000, TOGETHER + 300] {
                let table = related(rows, exceptions, &mut stream);
                let columns = FreeColumns::new(&table.view());
                assert_eq!(columns.free(), free);
                check(&table, &columns, &mut stream);
            }
        }
    }

    #[test]
    fn what_is_not_related_or_not_often_enough_is_free() {
        let mut stream = Stream::new(6, Purpose::Bootstrap, 0);
        // Each column has few exceptions, but all together have them in many rows.
        let table = related(2000, 60, &mut stream);
        let columns = FreeColumns::new(&table.view());
        assert_eq!(columns.free().len(), 5);
        check(&table, &columns, &mut stream);
        let table = related(2000, 200, &mut stream);
        let columns = FreeColumns::new(&table.view());
        assert_eq!(columns.free(), [0, 1, 2, 3, 4, 6, 7]);
        check(&table, &columns, &mut stream);
        let table = related(FEWEST - 1, 0, &mut stream);
        assert_eq!(FreeColumns::new(&table.view()).free().len(), 9);
        let table = Array2::from_shape_simple_fn((3000, 12), || f64::from(stream.below(9)));
        assert_eq!(FreeColumns::new(&table.view()).free().len(), 12);
    }

    #[test]
    fn columns_beyond_small_whole_numbers_are_free() {
        let mut stream = Stream::new(7, Purpose::Bootstrap, 0);
        for odd in [0.5, 32_768.0, -40_000.0, f64::INFINITY, f64::NAN] {
            let mut table = related(700, 0, &mut stream);
            table[[699, 2]] = odd;
            table[[699, 4]] = odd;
            assert_eq!(FreeColumns::new(&table.view()).free(), [0, 2, 3, 4, 5, 7]);
        }
    }

    #[test]
    fn constants_need_no_sum_but_one_column_is_always_added_up() {
        let table = Array2::from_shape_fn((300, 4), |(_, column)| column as f64);
        let columns = FreeColumns::new(&table.view());
        assert_eq!(columns.free(), [0]);
        check(&table, &columns, &mut Stream::new(8, Purpose::Bootstrap, 0));
    }
}
