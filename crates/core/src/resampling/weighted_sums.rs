//! Weighted sums of rows for many sets of weights at a time: a matrix product that is exact.
//!
//! Most counts are small whole numbers. If the processor has AVX2, these are multiplied as numbers
//! of 8 or 16 bits, many times as fast as floats. All other columns, and all columns on other
//! processors, are multiplied as floats, whose sums are exact as well: see the package.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice};

use super::free_columns::{Count, FreeColumns};
use crate::interruption;

/// Units that are multiplied at a time.
pub(super) const UNITS: usize = 256;

/// Replicates whose weights are kept at a time, by each thread: each row is read once for all of them.
const REPLICATES: usize = 32;
/// Number of weights that are kept at a time: the more units, the fewer replicates.
const WEIGHTS: usize = 1 << 26;

/// Computes the weighted sums of rows in each of `replicates`, shaped (replicate, column).
///
/// `weigh` gets the index of a replicate and writes the weight of each row.
pub(super) fn weighted_sums<C: Count>(
    rows: &ArrayView2<'_, C>,
    replicates: Range<u64>,
    weigh: impl Fn(u64, &mut [u8]) + Sync,
) -> Array2<f64> {
    let count = (replicates.end - replicates.start) as usize;
    let mut sums = Array2::zeros((count, rows.ncols()));
    let units = rows.nrows();
    let columns = FreeColumns::new(rows);
    let rows = Rows::new(rows, columns.free());
    let (exceptions, corrections) = columns.exceptions();
    let corrections = Rows::new(&corrections, &(0..corrections.ncols()).collect::<Vec<_>>());
    let together = REPLICATES.min(WEIGHTS / units.max(1)).max(1);
    sums.axis_chunks_iter_mut(Axis(0), together).into_par_iter().enumerate().for_each(
        |(chunk, mut sums): (usize, ArrayViewMut2<'_, f64>)| {
            let first = replicates.start + (chunk * together) as u64;
            let mut weights = Weights::new(sums.nrows(), units);
            for (index, weights) in (first..).zip(weights.sets_mut()) {
                interruption::check();
                weigh(index, weights);
            }
            let (free, mended) =
                (rows.sums(&weights), corrections.sums(&weights.chosen(exceptions)));
            for (place, (mut sums, weights)) in
                sums.outer_iter_mut().zip(weights.sets()).enumerate()
            {
                let total = if columns.need_total() { total(weights) } else { 0.0 };
                if let (Some(free), Some(mended), Some(sums)) =
                    (free.row(place).to_slice(), mended.row(place).to_slice(), sums.as_slice_mut())
                {
                    columns.complete(free, total, mended, sums);
                }
            }
        },
    );
    sums
}

fn total(weights: &[u8]) -> f64 {
    // The sum of `UNITS` weights fits into 16 bits, and many of these are added at a time.
    let blocks = weights.chunks(UNITS);
    blocks.map(|block| f64::from(block.iter().map(|&weight| u16::from(weight)).sum::<u16>())).sum()
}

/// The weights of all units in some replicates, with zeros behind them that fill the last block of units.
pub(super) struct Weights {
    sets: usize,
    units: usize,
    blocks: usize,
    cells: Vec<[u8; UNITS]>,
}

impl Weights {
    fn new(sets: usize, units: usize) -> Self {
        let blocks = units.div_ceil(UNITS);
        Self { sets, units, blocks, cells: vec![[0; UNITS]; sets * blocks] }
    }

    /// Returns the weights of the given units.
    fn chosen(&self, units: &[usize]) -> Self {
        let mut chosen = Self::new(self.sets, units.len());
        for (to, from) in chosen.sets_mut().zip(self.sets()) {
            to.iter_mut().zip(units).for_each(|(to, &unit)| *to = from[unit]);
        }
        chosen
    }

    /// Yields the weights of each replicate.
    fn sets(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.chunks(self.blocks.max(1)).map(|set| &set.as_flattened()[..self.units])
    }

    fn sets_mut(&mut self) -> impl Iterator<Item = &mut [u8]> {
        let units = self.units;
        self.cells
            .chunks_mut(self.blocks.max(1))
            .map(move |set| &mut set.as_flattened_mut()[..units])
    }

    /// Yields the weights of a block of units in each replicate.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn of_block(&self, block: usize) -> impl Iterator<Item = &[u8; UNITS]> {
        self.cells.iter().skip(block).step_by(self.blocks)
    }
}

/// The chosen columns of rows as the product takes them.
struct Rows {
    columns: usize,
    #[cfg(target_arch = "x86_64")]
    small: super::whole_products::SmallColumns,
    /// Positions among the chosen columns that are multiplied as floats, and these columns.
    others: Vec<usize>,
    floats: Array2<f64>,
}

impl Rows {
    /// Sorts the columns by how they are multiplied.
    #[cfg(target_arch = "x86_64")]
    fn new<C: Count>(rows: &ArrayView2<'_, C>, columns: &[usize]) -> Self {
        let small = super::whole_products::SmallColumns::new(rows, columns);
        let others = small.others(columns.len());
        let chosen: Vec<usize> = others.iter().map(|&place| columns[place]).collect();
        let floats = rows.select(Axis(1), &chosen).mapv(Into::into);
        Self { columns: columns.len(), small, others, floats }
    }

    /// Multiplies all columns as floats.
    #[cfg(not(target_arch = "x86_64"))]
    fn new<C: Count>(rows: &ArrayView2<'_, C>, columns: &[usize]) -> Self {
        let others = (0..columns.len()).collect();
        let floats = rows.select(Axis(1), columns).mapv(Into::into);
        Self { columns: columns.len(), others, floats }
    }

    /// Computes the sums of the rows by each set of weights.
    fn sums(&self, weights: &Weights) -> Array2<f64> {
        let mut sums = Array2::zeros((weights.sets, self.columns));
        #[cfg(target_arch = "x86_64")]
        self.small.add(weights, &mut sums.view_mut());
        if !self.others.is_empty() {
            let mut part = Array2::zeros((weights.sets, self.others.len()));
            multiply_floats(&self.floats.view(), weights, &mut part.view_mut());
            for (from, &column) in part.columns().into_iter().zip(&self.others) {
                sums.column_mut(column).assign(&from);
            }
        }
        sums
    }
}

fn multiply_floats(
    rows: &ArrayView2<'_, f64>,
    weights: &Weights,
    sums: &mut ArrayViewMut2<'_, f64>,
) {
    let mut floats = Array2::zeros((sums.nrows(), UNITS));
    for start in (0..rows.nrows()).step_by(UNITS) {
        interruption::check();
        let units = start..rows.nrows().min(start + UNITS);
        let mut floats = floats.slice_axis_mut(Axis(1), Slice::from(..units.len()));
        for (mut to, from) in floats.outer_iter_mut().zip(weights.sets()) {
            to.iter_mut().zip(&from[units.clone()]).for_each(|(to, &from)| *to = f64::from(from));
        }
        general_mat_mul(1.0, &floats, &rows.slice_axis(Axis(0), Slice::from(units)), 1.0, sums);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stream::{Purpose, Stream};
    use super::*;

    /// Weights up to a bound, which differ from replicate to replicate.
    fn weigh(bound: u32) -> impl Fn(u64, &mut [u8]) + Sync {
        move |index, weights| {
            let mut stream = Stream::new(1, Purpose::Bootstrap, index);
            for weight in weights {
                *weight = stream.below(bound) as u8;
            }
        }
    }

    /// Computes one float product after the other.
    fn plain_sums(
        rows: &Array2<f64>,
        replicates: Range<u64>,
        weigh: impl Fn(u64, &mut [u8]),
    ) -> Array2<f64> {
        let mut sums = Array2::zeros((replicates.clone().count(), rows.ncols()));
        for (index, mut sums) in replicates.zip(sums.outer_iter_mut()) {
            let mut weights = vec![0; rows.nrows()];
            weigh(index, &mut weights);
            for (&weight, row) in weights.iter().zip(rows.outer_iter()) {
                sums.scaled_add(f64::from(weight), &row);
            }
        }
        sums
    }

    #[test]
    fn sums_are_exact_whatever_the_weights_and_the_numbers() {
        let mut stream = Stream::new(2, Purpose::Bootstrap, 0);
        // Bytes, bytes but for one block, 16 bits, signs, more than 16 bits, fractions; and columns that follow.
        let mut table = |units: usize| {
            Array2::from_shape_fn((units, 21), |(unit, column)| match column {
                0 => 200.0,
                3 => f64::from(stream.below(201)) + if unit == 300 { 1.0 } else { 0.0 },
                5 => f64::from(stream.below(30_000)) + if unit == 9 { 2767.0 } else { 0.0 },
                8 => -f64::from(stream.below(32_768)),
                11 => f64::from(stream.below(90_000)),
                13 => f64::from(stream.below(9)) / 4.0,
                17 => (unit % 41) as f64,
                18 => (unit % 41) as f64 - if unit == 100 { 2.0 } else { 5.0 },
                _ => f64::from(stream.below(50)),
            })
        };
        for units in [1, 5, 256, 700, 1301] {
            let table = table(units);
            for bound in [2, 4, 82, 256] {
                for replicates in [0..1, 3..40] {
                    let found = weighted_sums(&table.view(), replicates.clone(), weigh(bound));
                    assert_eq!(found, plain_sums(&table, replicates, weigh(bound)));
                }
            }
        }
    }

    #[test]
    fn many_blocks_of_the_largest_bytes_and_weights_are_carried_over() {
        let table = Array2::from_elem((100_000, 2), 200.0);
        let sums = weighted_sums(&table.view(), 0..1, |_, weights| weights.fill(255));
        assert_eq!(sums, Array2::from_elem((1, 2), 100_000.0 * 200.0 * 255.0));
    }

    #[test]
    fn products_of_floats_are_those_of_whole_numbers() {
        let mut stream = Stream::new(3, Purpose::Bootstrap, 0);
        let table = Array2::from_shape_simple_fn((777, 18), || f64::from(stream.below(300)));
        let mut weights = Weights::new(5, 777);
        (0..).zip(weights.sets_mut()).for_each(|(index, weights)| weigh(4)(index, weights));
        let mut sums = Array2::zeros((5, 18));
        multiply_floats(&table.view(), &weights, &mut sums.view_mut());
        assert_eq!(sums, plain_sums(&table, 0..5, weigh(4)));
    }
}
