//! Sums of subsets of rows for many subsets at a time, by tables (the method of four Russians).
//!
//! Rows are added five at a time: the sums of all their 32 subsets are made once and looked up by
//! every replicate. Columns are cut into panels, so small that the tables of 64 units stay in the
//! fastest cache, and the sums of a replicate in registers.

use ndarray::parallel::prelude::*;
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut2, Axis, Slice};
use pulp::{Arch, NullaryFnOnce};

use super::swaps::COINS;

/// Units in a group: the sums of all their 2^5 subsets are computed once, then looked up.
const GROUP: usize = 5;
const SUBSETS: usize = 1 << GROUP;
/// Number of groups in 64 units; the last group is smaller. Their tables stay in the fastest cache,
/// and a replicate's sums over all of them in registers.
const GROUPS: usize = (COINS as usize).div_ceil(GROUP);
/// Units whose coins are tossed at a time: the largest number whose sums all fit into 16 bits, else
/// the smallest number.
const UNITS: [usize; 3] = [2048, 1024, 512];

/// Some units, in the smallest numbers in which all their sums are exact.
pub(super) struct Block {
    pub(super) units: usize,
    panels: Vec<Panel>,
}

impl Block {
    /// Adds to each row of sums the units that its coins take.
    ///
    /// `coins` are the coins of 64 units in all replicates, then the coins of the next 64.
    pub(super) fn add(&self, coins: &[u64], sums: &mut ArrayViewMut2<'_, f64>) {
        let mut column = 0;
        for panel in &self.panels {
            column += match panel {
                Panel::Bits16(rows) => add_panel(rows, coins, column, sums),
                Panel::Half16(rows) => add_panel(rows, coins, column, sums),
                Panel::Bits32(rows) => add_panel(rows, coins, column, sums),
                Panel::Bits64(rows) => add_panel(rows, coins, column, sums),
            };
        }
    }
}

/// Some columns of a block: as many as make a line of the cache, or half of it.
enum Panel {
    Bits16(Vec<Row<u16, 32>>),
    Half16(Vec<Row<u16, 16>>),
    Bits32(Vec<Row<f32, 16>>),
    Bits64(Vec<Row<f64, 8>>),
}

/// Returns the chosen columns of rows, in blocks of units.
pub(super) fn blocks(rows: &ArrayView2<'_, f64>, columns: &[usize]) -> Vec<Block> {
    let fewest = UNITS[UNITS.len() - 1];
    let of_size = |units: usize| -> Vec<Vec<CellSize>> {
        rows.axis_chunks_iter(Axis(0), units)
            .into_par_iter()
            .map(|block| cells(&block, columns))
            .collect()
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
        .map(|(block, cells)| Block {
            units: block.nrows(),
            panels: panels(&block, columns, &cells),
        })
        .collect()
}

fn panels(block: &ArrayView2<'_, f64>, columns: &[usize], cells: &[CellSize]) -> Vec<Panel> {
    let (mut panels, mut column) = (Vec::new(), 0);
    while column < columns.len() {
        let widest = columns.len().min(column + CellSize::Bits16.columns());
        let cell = cells[column..widest].iter().max().copied().unwrap_or(CellSize::Bits16);
        let end = columns.len().min(column + cell.columns());
        let part = &columns[column..end];
        panels.push(match cell {
            CellSize::Bits16 if part.len() <= CellSize::Bits16.columns() / 2 => {
                Panel::Half16(lines(block, part))
            }
            CellSize::Bits16 => Panel::Bits16(lines(block, part)),
            CellSize::Bits32 => Panel::Bits32(lines(block, part)),
            CellSize::Bits64 => Panel::Bits64(lines(block, part)),
        });
        column = end;
    }
    panels
}

/// Returns the rows of a panel; columns that a last, smaller panel lacks are zeros.
fn lines<C: Cell, const COLUMNS: usize>(
    block: &ArrayView2<'_, f64>,
    columns: &[usize],
) -> Vec<Row<C, COLUMNS>> {
    let of_unit = |unit: ArrayView1<'_, f64>| {
        let mut row = Row::zeros();
        row.0.iter_mut().zip(columns).for_each(|(to, &from)| *to = C::of(unit[from]));
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

/// Returns the smallest type of cell that holds each column.
fn cells(block: &ArrayView2<'_, f64>, columns: &[usize]) -> Vec<CellSize> {
    let mut sizes = vec![0.0; columns.len()];
    let mut signed = vec![false; columns.len()];
    for row in block.outer_iter() {
        for ((&column, size), signed) in columns.iter().zip(&mut sizes).zip(&mut signed) {
            let cell = row[column];
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

/// Some columns of a unit, or of a sum: one or two registers of AVX2.
#[derive(Clone, Copy)]
#[repr(align(32))]
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
    coins: &[u64],
    column: usize,
    sums: &mut ArrayViewMut2<'_, f64>,
) -> usize {
    let mut partial = vec![Row::<C, COLUMNS>::zeros(); sums.nrows()];
    add_swapped(rows, coins, &mut partial);
    let end = sums.ncols().min(column + COLUMNS);
    let columns = sums.slice_axis_mut(Axis(1), Slice::from(column..end));
    Arch::new().dispatch(AddPartial { partial: &partial, sums: columns });
    COLUMNS
}

/// Adds to the sums of each replicate the rows that it takes.
///
/// `coins` has a word of coins of each replicate for the first 64 rows, then for the next 64.
pub fn add_swapped<C: Cell, const COLUMNS: usize>(
    rows: &[Row<C, COLUMNS>],
    coins: &[u64],
    sums: &mut [Row<C, COLUMNS>],
) {
    let mut tables = [[Row::<C, COLUMNS>::zeros(); SUBSETS]; GROUPS];
    let processor = Arch::new();
    for (units, words) in rows.chunks(COINS as usize).zip(coins.chunks(sums.len().max(1))) {
        let mut groups = units.chunks(GROUP);
        for table in &mut tables {
            // Coins of units that a last, smaller part lacks find nothing.
            fill_with_subset_sums(table, groups.next().unwrap_or_default());
        }
        processor.dispatch(AddSwapped { sums, tables: &tables, words });
    }
}

/// Computes the sums of all subsets: each adds its highest unit to a smaller subset. Units that a
/// last, smaller group lacks are rows of zeros.
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

/// Addition of the units, out of 64, that each replicate takes.
struct AddSwapped<'a, C, const COLUMNS: usize> {
    sums: &'a mut [Row<C, COLUMNS>],
    tables: &'a [[Row<C, COLUMNS>; SUBSETS]; GROUPS],
    words: &'a [u64],
}

impl<C: Cell, const COLUMNS: usize> NullaryFnOnce for AddSwapped<'_, C, COLUMNS> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) {
        let (pairs, last) = self.tables.as_chunks::<2>();
        for (sums, &word) in self.sums.iter_mut().zip(self.words) {
            // Shifted before it is narrowed: `usize` has 32 bits on some targets, a word has 64.
            let (mut sum, mut rest) = (*sums, word);
            for [one, other] in pairs {
                let both = rest as usize;
                sum = sum.plus(&one[both % SUBSETS]).plus(&other[both / SUBSETS % SUBSETS]);
                rest >>= 2 * GROUP;
            }
            for table in last {
                sum = sum.plus(&table[rest as usize % SUBSETS]);
            }
            *sums = sum;
        }
    }
}

/// Addition of the sums of a block to the sums of the blocks before it.
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
