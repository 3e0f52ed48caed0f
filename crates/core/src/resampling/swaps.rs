//! Random swaps: each replicate takes a random half of the units (approximate randomization, Noreen 1989).
//!
//! Swapping systems X and Y on the units of a replicate moves the sums of X by Σ Y − Σ X over these units. So one
//! pass that adds up the taken units of every system serves all pairs of systems: a pair is a subtraction.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, Slice};
use pulp::{Arch, NullaryFnOnce};

use super::stream::{Purpose, Stream};
use crate::interruption;

/// The most replicates that share the tables of subset sums.
const REPLICATES: usize = 2048;
/// Units in a group: the sums of all their 2^8 subsets are computed once, then looked up by a byte.
const GROUP: usize = 8;
/// Units whose coins are tossed at a time; sums over so many of them mostly fit into 16 bits.
const UNITS: usize = 512;
/// Coins that are tossed together: a part of the units begins at a multiple of so many.
pub const COINS: u64 = 64;

/// Which units replicates take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swaps {
    /// Each unit by a fair coin.
    Random {
        /// Of the coins.
        seed: u64,
    },
    /// Replicate i takes the units whose bits are set in i: all 2^units replicates are all there is.
    Enumerated,
}

/// The sums of the rows that each of `replicates` takes, shaped (replicate, column).
///
/// The rows may be a part of all units: the coin of a unit depends on the seed, the replicate and the unit's
/// place among all of them, so that the sums of parts add up to those of the whole. A part begins at a
/// multiple of [`COINS`] units.
///
/// # Panics
/// When it begins elsewhere.
#[must_use]
pub fn swapped_sums(
    rows: &ArrayView2<'_, f64>,
    swaps: Swaps,
    replicates: Range<u64>,
    first_unit: u64,
) -> Array2<f64> {
    assert!(first_unit.is_multiple_of(COINS), "a part begins at a multiple of {COINS} units");
    let count = (replicates.end - replicates.start) as usize;
    let mut sums = Array2::zeros((count, rows.ncols()));
    let share = even_share(count);
    sums.axis_chunks_iter_mut(Axis(0), share).into_par_iter().enumerate().for_each(
        |(chunk, sums)| {
            let first = replicates.start + (chunk * share) as u64;
            add_replicates(rows, swaps, first, first_unit, sums);
        },
    );
    sums
}

/// How many replicates to add up at a time, so that all threads get as many.
fn even_share(replicates: usize) -> usize {
    let threads = rayon::current_num_threads().max(1);
    let rounds = replicates.div_ceil(threads * REPLICATES).max(1);
    replicates.div_ceil(threads * rounds).max(1)
}

/// Adds up some replicates.
fn add_replicates(
    rows: &ArrayView2<'_, f64>,
    swaps: Swaps,
    first: u64,
    first_unit: u64,
    mut sums: ArrayViewMut2<'_, f64>,
) {
    let replicates = sums.nrows();
    let of_replicate = |index| Coins::new(swaps, index).from(first_unit / COINS);
    let mut coins: Vec<Coins> = (first..).take(replicates).map(of_replicate).collect();
    // The bytes of all replicates for one group stand together, in the order in which they are used.
    let mut taken = vec![0_u8; replicates * UNITS / GROUP];
    for block in rows.axis_chunks_iter(Axis(0), UNITS) {
        interruption::check();
        for bytes in taken.chunks_mut(replicates * 8).take(block.nrows().div_ceil(64)) {
            toss(&mut coins, bytes);
        }
        let (mut columns, all) = (0, rows.ncols());
        while columns < all {
            let of = |width| Slice::from(columns..all.min(columns + width));
            let width = match smallest_cell(&block.slice_axis(Axis(1), of(WIDE))) {
                CellSize::Bits16 => {
                    add_columns::<u16, WIDE>(&block, &taken, &mut sums, of(WIDE));
                    WIDE
                }
                CellSize::Bits32 => {
                    add_columns::<f32, NARROW>(&block, &taken, &mut sums, of(NARROW));
                    NARROW
                }
                CellSize::Bits64 => {
                    add_columns::<f64, NARROW>(&block, &taken, &mut sums, of(NARROW));
                    NARROW
                }
            };
            columns += width;
        }
    }
}

/// Columns treated together, so that a group's table stays in the fastest cache.
const WIDE: usize = 32;
/// The same where a number takes more than 16 bits.
const NARROW: usize = 16;

/// The smallest numbers in which all sums of some columns are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CellSize {
    Bits16,
    Bits32,
    Bits64,
}

fn smallest_cell(block: &ArrayView2<'_, f64>) -> CellSize {
    let of_column = |column: ArrayView1<'_, f64>| {
        let size: f64 = column.iter().map(|cell| cell.abs()).sum();
        if column.iter().any(|cell| cell.fract() != 0.0) || size >= f64::from(1 << 24) {
            CellSize::Bits64
        } else if size > f64::from(u16::MAX) || column.iter().any(|&cell| cell < 0.0) {
            CellSize::Bits32
        } else {
            CellSize::Bits16
        }
    };
    block.columns().into_iter().map(of_column).max().unwrap_or(CellSize::Bits16)
}

/// A number in which sums are exact; the smaller it is, the more of them are added at a time.
trait Cell: Copy + Default + Into<f64> + Send {
    fn of(number: f64) -> Self;
    fn plus(self, other: Self) -> Self;
}

impl Cell for u16 {
    #[expect(clippy::cast_sign_loss, reason = "chosen where no number is below 0")]
    fn of(number: f64) -> Self {
        number as Self
    }

    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Cell for f32 {
    fn of(number: f64) -> Self {
        number as Self
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }
}

impl Cell for f64 {
    fn of(number: f64) -> Self {
        number
    }

    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// Adds up some columns of a block of units for all replicates.
fn add_columns<C: Cell, const COLUMNS: usize>(
    block: &ArrayView2<'_, f64>,
    taken: &[u8],
    sums: &mut ArrayViewMut2<'_, f64>,
    columns: Slice,
) {
    let replicates = sums.nrows();
    let block = block.slice_axis(Axis(1), columns);
    let mut partial = vec![[C::default(); COLUMNS]; replicates];
    let mut tables = vec![[C::default(); COLUMNS]; 2 << GROUP];
    let processor = Arch::new();
    // Two groups at a time: the sums are read and written once for both.
    let groups = block.axis_chunks_iter(Axis(0), 2 * GROUP);
    for (groups, bytes) in groups.zip(taken.chunks(2 * replicates)) {
        let groups = std::array::from_fn(|unit| row_of(&groups, unit));
        processor.dispatch(AddGroups { partial: &mut partial, tables: &mut tables, groups, bytes });
    }
    for (mut sum, part) in sums.slice_axis_mut(Axis(1), columns).outer_iter_mut().zip(&partial) {
        // Slices are added several numbers at a time.
        let sum = sum.as_slice_mut().expect("rows of an array made here are slices");
        sum.iter_mut().zip(part).for_each(|(sum, &part)| *sum += part.into());
    }
}

/// The row of a unit; units that a last, smaller group lacks are rows of zeros, and so are columns.
fn row_of<C: Cell, const COLUMNS: usize>(group: &ArrayView2<'_, f64>, unit: usize) -> [C; COLUMNS] {
    let mut row = [C::default(); COLUMNS];
    if unit < group.nrows() {
        row.iter_mut().zip(group.row(unit)).for_each(|(to, from)| *to = C::of(*from));
    }
    row
}

/// Tosses 64 coins of each replicate: the bytes of all replicates for a group, then the next group's.
fn toss(coins: &mut [Coins], bytes: &mut [u8]) {
    let replicates = coins.len();
    for (start, coins) in (0..).step_by(8).zip(coins.chunks_mut(8)) {
        let mut words = [[0; 8]; 8];
        for (word, coins) in words.iter_mut().zip(coins.iter_mut()) {
            *word = coins.next().to_le_bytes();
        }
        for (group, bytes) in bytes.chunks_exact_mut(replicates).enumerate() {
            for (byte, word) in bytes[start..].iter_mut().zip(&words) {
                *byte = word[group];
            }
        }
    }
}

/// Adds to each replicate's sums the subsets of two groups that it takes.
struct AddGroups<'a, C, const COLUMNS: usize> {
    partial: &'a mut [[C; COLUMNS]],
    tables: &'a mut [[C; COLUMNS]],
    groups: [[C; COLUMNS]; 2 * GROUP],
    /// Those of all replicates for the first group, then for the second.
    bytes: &'a [u8],
}

impl<C: Cell, const COLUMNS: usize> NullaryFnOnce for AddGroups<'_, C, COLUMNS> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) {
        let Self { partial, tables, groups, bytes } = self;
        let (first, second) = tables.split_at_mut(1 << GROUP);
        fill_with_subset_sums(first, &groups[..GROUP]);
        fill_with_subset_sums(second, &groups[GROUP..]);
        let (one, other) = bytes.split_at(partial.len());
        for ((sums, &one), &other) in partial.iter_mut().zip(one).zip(other) {
            let (one, other) = (&first[usize::from(one)], &second[usize::from(other)]);
            *sums =
                std::array::from_fn(|column| sums[column].plus(one[column].plus(other[column])));
        }
    }
}

/// The sums of all subsets: each adds its highest unit to a smaller subset.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn fill_with_subset_sums<C: Cell, const COLUMNS: usize>(
    table: &mut [[C; COLUMNS]],
    group: &[[C; COLUMNS]],
) {
    table[0] = [C::default(); COLUMNS];
    for (unit, row) in group.iter().enumerate() {
        let (smaller, larger) = table.split_at_mut(1 << unit);
        for (sum, part) in larger.iter_mut().zip(smaller) {
            *sum = std::array::from_fn(|column| part[column].plus(row[column]));
        }
    }
}

/// The coins of one replicate, 64 at a time.
pub(super) struct Coins {
    swaps: Option<Stream>,
    enumerated: u64,
}

impl Coins {
    pub(super) fn new(swaps: Swaps, replicate: u64) -> Self {
        match swaps {
            Swaps::Random { seed } => {
                Self { swaps: Some(Stream::new(seed, Purpose::Swaps, replicate)), enumerated: 0 }
            }
            Swaps::Enumerated => Self { swaps: None, enumerated: replicate },
        }
    }

    /// Leaves out so many times 64 coins.
    fn from(mut self, words: u64) -> Self {
        match &mut self.swaps {
            Some(stream) => stream.skip(8 * words),
            None if words > 0 => self.enumerated = 0,
            None => {}
        }
        self
    }

    pub(super) fn next(&mut self) -> u64 {
        match &mut self.swaps {
            Some(stream) => stream.bits(),
            // The units beyond the 64th are never taken: there are no more than 2^64 replicates.
            None => std::mem::take(&mut self.enumerated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn enumerated_replicates_are_all_subsets() {
        let rows = array![[1.0], [10.0], [100.0]];
        let sums = swapped_sums(&rows.view(), Swaps::Enumerated, 0..8, 0);
        let expected = [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0];
        assert_eq!(sums.column(0).to_vec(), expected);
    }

    #[test]
    fn sums_are_those_of_the_units_that_the_coins_took() {
        // 150 units in one-hot columns show every coin of a replicate.
        let rows = Array2::from_shape_fn((150, 150), |(i, j)| f64::from(u8::from(i == j)));
        let sums = swapped_sums(&rows.view(), Swaps::Random { seed: 3 }, 5..6, 0);
        let mut stream = Stream::new(3, Purpose::Swaps, 5);
        for block in 0..3 {
            let coins = stream.bits();
            for unit in 0..64.min(150 - 64 * block) {
                let coin = (coins >> unit & 1) as f64;
                assert!((sums[[0, 64 * block + unit]] - coin).abs() < f64::EPSILON);
            }
        }
    }

    #[test]
    fn a_replicate_does_not_depend_on_its_neighbours() {
        let rows = Array2::from_shape_fn((300, 37), |(i, j)| (i * 7 + j) as f64);
        let swaps = Swaps::Random { seed: 1 };
        let all = swapped_sums(&rows.view(), swaps, 0..1500, 0);
        let some = swapped_sums(&rows.view(), swaps, 700..731, 0);
        assert_eq!(all.slice_axis(Axis(0), Slice::from(700..731)), some);
    }

    #[test]
    fn fractions_and_large_numbers_are_added_exactly_too() {
        // Each kind of number stands among whole numbers, beside one another and by itself.
        let kinds: [fn(usize) -> f64; 5] = [
            |i| (i % 500) as f64,
            |i| i as f64 + 0.25,
            |i| (1_u64 << 40) as f64 + i as f64,
            |i| -(i as f64),
            |i| 300.0 + i as f64,
        ];
        for width in [1, 40, 70] {
            for (place, kind) in kinds.iter().enumerate() {
                let rows = Array2::from_shape_fn((601, width), |(i, j)| {
                    if j % 33 == place { kind(i) } else { (i * (j + 1) % 97) as f64 }
                });
                let sums = swapped_sums(&rows.view(), Swaps::Random { seed: 8 }, 3..40, 0);
                for (index, sum) in (3..).zip(sums.outer_iter()) {
                    let mut stream = Stream::new(8, Purpose::Swaps, index);
                    let words: Vec<_> = (0..10).map(|_| stream.bits()).collect();
                    let coins = (0..601).map(|unit| (words[unit / 64] >> (unit % 64) & 1) as f64);
                    assert_eq!(sum, ndarray::Array1::from_iter(coins).dot(&rows));
                }
            }
        }
    }

    #[test]
    fn a_unit_is_taken_half_of_the_time() {
        let rows = array![[1.0]];
        let sums = swapped_sums(&rows.view(), Swaps::Random { seed: 0 }, 0..10_000, 0);
        assert!((sums.sum() - 5000.0).abs() < 250.0);
    }

    #[test]
    fn the_sums_of_parts_add_up_to_those_of_the_whole() {
        let rows = Array2::from_shape_fn((1500, 21), |(i, j)| (i * (j + 3) % 97) as f64);
        let swaps = Swaps::Random { seed: 8 };
        let whole = swapped_sums(&rows.view(), swaps, 5..45, 0);
        for size in [64, 512, 960] {
            let mut sums = Array2::zeros(whole.dim());
            for (part, rows) in rows.axis_chunks_iter(Axis(0), size).enumerate() {
                sums += &swapped_sums(&rows, swaps, 5..45, (part * size) as u64);
            }
            assert_eq!(sums, whole);
        }
    }
}
