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
const REPLICATES: usize = 1024;
/// Units in a group: the sums of all their 2^5 subsets are computed once, then looked up.
const GROUP: usize = 5;
const SUBSETS: usize = 1 << GROUP;
/// Groups of 64 units, of which the last is smaller. Their tables stay in the fastest cache, and a
/// replicate's sums over all of them in registers.
const GROUPS: usize = (COINS as usize).div_ceil(GROUP);
/// Units whose coins are tossed at a time: the most of which all sums fit into 16 bits, else the fewest.
const UNITS: [usize; 3] = [2048, 1024, 512];
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
    let blocks = blocks(rows);
    sums.axis_chunks_iter_mut(Axis(0), share).into_par_iter().enumerate().for_each(
        |(chunk, sums)| {
            let first = replicates.start + (chunk * share) as u64;
            add_replicates(&blocks, swaps, first, first_unit, sums);
        },
    );
    sums
}

/// How many replicates to add up at a time, so that all threads get as many.
pub(super) fn even_share(replicates: usize) -> usize {
    let threads = rayon::current_num_threads().max(1);
    let rounds = replicates.div_ceil(threads * REPLICATES).max(1);
    replicates.div_ceil(threads * rounds).max(1)
}

/// Adds up some replicates.
fn add_replicates(
    blocks: &[Block],
    swaps: Swaps,
    first: u64,
    first_unit: u64,
    mut sums: ArrayViewMut2<'_, f64>,
) {
    let replicates = sums.nrows();
    let of_replicate = |index| Coins::new(swaps, index).from(first_unit / COINS);
    let mut coins: Vec<Coins> = (first..).take(replicates).map(of_replicate).collect();
    // The words of all replicates for 64 units stand together, in the order in which they are used.
    let mut taken = Vec::new();
    for block in blocks {
        interruption::check();
        taken.clear();
        for _ in (0..block.units).step_by(COINS as usize) {
            taken.extend(coins.iter_mut().map(Coins::next));
        }
        let mut column = 0;
        for panel in &block.panels {
            column += match panel {
                Panel::Bits16(rows) => add_panel(rows, &taken, column, &mut sums),
                Panel::Bits32(rows) => add_panel(rows, &taken, column, &mut sums),
                Panel::Bits64(rows) => add_panel(rows, &taken, column, &mut sums),
            };
        }
    }
}

/// Some units, in the smallest numbers in which all their sums are exact.
struct Block {
    units: usize,
    panels: Vec<Panel>,
}

/// Some columns of a block: as many as make a line of the cache.
enum Panel {
    Bits16(Vec<Row<u16, 32>>),
    Bits32(Vec<Row<f32, 16>>),
    Bits64(Vec<Row<f64, 8>>),
}

fn blocks(rows: &ArrayView2<'_, f64>) -> Vec<Block> {
    let fewest = UNITS[UNITS.len() - 1];
    let of_size = |units: usize| -> Vec<Vec<CellSize>> {
        rows.axis_chunks_iter(Axis(0), units).into_par_iter().map(|block| cells(&block)).collect()
    };
    let (units, cells) = UNITS
        .iter()
        .filter(|&&units| units == fewest || units / 2 < rows.nrows())
        .map(|&units| (units, of_size(units)))
        .find(|(units, cells)| {
            *units == fewest || cells.iter().flatten().all(|&cell| cell == CellSize::Bits16)
        })
        .unwrap_or_default();
    rows.axis_chunks_iter(Axis(0), units.max(1))
        .into_par_iter()
        .zip(cells)
        .map(|(block, cells)| Block { units: block.nrows(), panels: panels(&block, &cells) })
        .collect()
}

fn panels(block: &ArrayView2<'_, f64>, cells: &[CellSize]) -> Vec<Panel> {
    let (mut panels, mut column) = (Vec::new(), 0);
    while column < block.ncols() {
        let widest = block.ncols().min(column + CellSize::Bits16.columns());
        let cell = cells[column..widest].iter().max().copied().unwrap_or(CellSize::Bits16);
        let end = block.ncols().min(column + cell.columns());
        let part = block.slice_axis(Axis(1), Slice::from(column..end));
        panels.push(match cell {
            CellSize::Bits16 => Panel::Bits16(lines(&part)),
            CellSize::Bits32 => Panel::Bits32(lines(&part)),
            CellSize::Bits64 => Panel::Bits64(lines(&part)),
        });
        column = end;
    }
    panels
}

/// The rows of a panel; columns that a last, smaller panel lacks are zeros.
fn lines<C: Cell, const COLUMNS: usize>(block: &ArrayView2<'_, f64>) -> Vec<Row<C, COLUMNS>> {
    let of_unit = |unit: ArrayView1<'_, f64>| {
        let mut row = Row::zeros();
        row.0.iter_mut().zip(unit).for_each(|(to, from)| *to = C::of(*from));
        row
    };
    block.outer_iter().map(of_unit).collect()
}

/// The smallest numbers in which all sums of some columns are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CellSize {
    Bits16,
    Bits32,
    Bits64,
}

impl CellSize {
    /// Columns treated together: as many as make a line of the cache.
    const fn columns(self) -> usize {
        match self {
            Self::Bits16 => 32,
            Self::Bits32 => 16,
            Self::Bits64 => 8,
        }
    }
}

/// The smallest cell for each column.
fn cells(block: &ArrayView2<'_, f64>) -> Vec<CellSize> {
    let mut sizes = vec![0.0; block.ncols()];
    let mut signed = vec![false; block.ncols()];
    for row in block.outer_iter() {
        for ((&cell, size), signed) in row.iter().zip(&mut sizes).zip(&mut signed) {
            // A fraction makes the sum of sizes too large for all but the largest numbers.
            let is_whole = ((cell as i64) as f64 - cell).abs() == 0.0;
            *size += if is_whole { cell.abs() } else { f64::INFINITY };
            *signed |= cell < 0.0;
        }
    }
    let of_column = |(size, signed): (f64, bool)| {
        if size >= f64::from(1 << 24) {
            CellSize::Bits64
        } else if size > f64::from(u16::MAX) || signed {
            CellSize::Bits32
        } else {
            CellSize::Bits16
        }
    };
    sizes.into_iter().zip(signed).map(of_column).collect()
}

/// A number in which sums are exact; the smaller it is, the more of them are added at a time.
pub trait Cell: Copy + Default + Into<f64> + Send {
    fn of(number: f64) -> Self;
    fn plus(self, other: Self) -> Self;
}

impl Cell for u16 {
    /// Numbers below 0 wrap round, and so do sums.
    #[expect(clippy::cast_sign_loss, reason = "only the lowest bits matter")]
    fn of(number: f64) -> Self {
        number as i64 as Self
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

/// Some columns of a unit, or of a sum: a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Row<C, const COLUMNS: usize>(pub [C; COLUMNS]);

impl<C: Cell, const COLUMNS: usize> Row<C, COLUMNS> {
    pub fn zeros() -> Self {
        Self([C::default(); COLUMNS])
    }

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|column| self.0[column].plus(other.0[column])))
    }
}

/// Adds up a panel for all replicates, from a column on, and returns how many columns it has.
fn add_panel<C: Cell, const COLUMNS: usize>(
    rows: &[Row<C, COLUMNS>],
    taken: &[u64],
    column: usize,
    sums: &mut ArrayViewMut2<'_, f64>,
) -> usize {
    let mut partial = vec![Row::<C, COLUMNS>::zeros(); sums.nrows()];
    add_taken(rows, taken, &mut partial);
    let end = sums.ncols().min(column + COLUMNS);
    let columns = sums.slice_axis_mut(Axis(1), Slice::from(column..end));
    Arch::new().dispatch(AddPartial { partial: &partial, sums: columns });
    COLUMNS
}

/// Adds to the sums of each replicate the rows that it takes.
///
/// `taken` has a word of coins of each replicate for the first 64 rows, then for the next 64.
pub fn add_taken<C: Cell, const COLUMNS: usize>(
    rows: &[Row<C, COLUMNS>],
    taken: &[u64],
    sums: &mut [Row<C, COLUMNS>],
) {
    let mut tables = [[Row::<C, COLUMNS>::zeros(); SUBSETS]; GROUPS];
    let processor = Arch::new();
    for (units, words) in rows.chunks(COINS as usize).zip(taken.chunks(sums.len().max(1))) {
        let mut groups = units.chunks(GROUP);
        for table in &mut tables {
            // Coins of units that a last, smaller part lacks find nothing.
            fill_with_subset_sums(table, groups.next().unwrap_or_default());
        }
        processor.dispatch(AddTaken { sums, tables: &tables, words });
    }
}

/// The sums of all subsets: each adds its highest unit to a smaller subset. Units that a last, smaller
/// group lacks are rows of zeros.
fn fill_with_subset_sums<C: Cell, const COLUMNS: usize>(
    table: &mut [Row<C, COLUMNS>; SUBSETS],
    group: &[Row<C, COLUMNS>],
) {
    table[0] = Row::zeros();
    for unit in 0..GROUP {
        let row = group.get(unit).copied().unwrap_or(Row::zeros());
        let (smaller, larger) = table.split_at_mut(1 << unit);
        larger.iter_mut().zip(smaller).for_each(|(sum, part)| *sum = part.plus(&row));
    }
}

/// Adds to each replicate's sums those of 64 units that it takes.
struct AddTaken<'a, C, const COLUMNS: usize> {
    sums: &'a mut [Row<C, COLUMNS>],
    tables: &'a [[Row<C, COLUMNS>; SUBSETS]; GROUPS],
    words: &'a [u64],
}

impl<C: Cell, const COLUMNS: usize> NullaryFnOnce for AddTaken<'_, C, COLUMNS> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) {
        let (pairs, last) = self.tables.as_chunks::<2>();
        for (sums, &word) in self.sums.iter_mut().zip(self.words) {
            let (mut sum, mut rest) = (*sums, word as usize);
            for [one, other] in pairs {
                sum = sum.plus(&one[rest % SUBSETS]).plus(&other[rest / SUBSETS % SUBSETS]);
                rest /= SUBSETS * SUBSETS;
            }
            for table in last {
                sum = sum.plus(&table[rest % SUBSETS]);
            }
            *sums = sum;
        }
    }
}

/// Adds the sums of a block to those of the blocks before it.
struct AddPartial<'a, C, const COLUMNS: usize> {
    partial: &'a [Row<C, COLUMNS>],
    sums: ArrayViewMut2<'a, f64>,
}

impl<C: Cell, const COLUMNS: usize> NullaryFnOnce for AddPartial<'_, C, COLUMNS> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(mut self) {
        for (mut sums, part) in self.sums.outer_iter_mut().zip(self.partial) {
            // Slices are added several numbers at a time.
            let sums = sums.as_slice_mut().expect("rows of an array made here are slices");
            sums.iter_mut().zip(part.0).for_each(|(sum, part)| *sum += part.into());
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
