//! Weighted sums of rows for many sets of weights at a time: a matrix product that is exact.
//!
//! Most counts are small whole numbers. Where the processor can (AVX2), those are multiplied as 16-bit
//! numbers and added up in 32 bits, several times as fast as floats. All other columns, and all columns
//! on other processors, are multiplied as floats, whose sums are exact as well: see the package.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, CowArray, Ix2, Slice};

use crate::interruption;

/// Units that are multiplied at a time.
///
/// 256 products of a weight up to 255 and a number up to 32,767 fit into 32 bits, whatever they are.
pub(super) const UNITS: usize = 256;

/// Replicates whose weights are kept at a time: each row is read once for all of them.
const REPLICATES: usize = 32;

/// The weighted sums of rows in each of `replicates`, shaped (replicate, column).
///
/// `weigh` gets the index of a replicate and writes the weight of each row.
pub(super) fn weighted_sums(
    rows: &ArrayView2<'_, f64>,
    replicates: Range<u64>,
    weigh: impl Fn(u64, &mut [u8]) + Sync,
) -> Array2<f64> {
    let count = (replicates.end - replicates.start) as usize;
    let mut sums = Array2::zeros((count, rows.ncols()));
    let units = rows.nrows();
    let rows = Rows::new(rows);
    sums.axis_chunks_iter_mut(Axis(0), REPLICATES).into_par_iter().enumerate().for_each(
        |(chunk, sums): (usize, ArrayViewMut2<'_, f64>)| {
            let first = replicates.start + (chunk * REPLICATES) as u64;
            let mut weights = Array2::zeros((sums.nrows(), units));
            for (index, mut weights) in (first..).zip(weights.outer_iter_mut()) {
                interruption::check();
                weigh(index, weights.as_slice_mut().unwrap_or_default());
            }
            rows.add(&weights.view(), sums);
        },
    );
    sums
}

/// Rows as the product takes them.
pub(super) struct Rows<'a> {
    small: Vec<usize>,
    #[cfg(target_arch = "x86_64")]
    panels: Vec<whole::Pairs>,
    others: Vec<usize>,
    floats: CowArray<'a, f64, Ix2>,
}

impl<'a> Rows<'a> {
    /// Sorts the columns by how they are multiplied.
    pub(super) fn new(rows: &ArrayView2<'a, f64>) -> Self {
        #[cfg(target_arch = "x86_64")]
        if whole::processor().is_some() {
            let is_small = small_columns(rows);
            let (small, others): (Vec<usize>, Vec<usize>) =
                (0..rows.ncols()).partition(|&column| is_small[column]);
            if !small.is_empty() {
                let floats = rows.select(Axis(1), &others).into();
                return Self { panels: whole::panels(rows, &small), small, others, floats };
            }
        }
        Self {
            small: Vec::new(),
            #[cfg(target_arch = "x86_64")]
            panels: Vec::new(),
            others: (0..rows.ncols()).collect(),
            floats: CowArray::from(*rows),
        }
    }

    /// Adds to each row of sums what its weights, a row of bytes, make of the rows.
    pub(super) fn add(&self, weights: &ArrayView2<'_, u8>, mut sums: ArrayViewMut2<'_, f64>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = whole::processor()
            && !self.small.is_empty()
        {
            whole::add(processor, &self.panels, &self.small, weights, &mut sums);
        }
        if self.small.is_empty() {
            multiply_floats(&self.floats.view(), weights, &mut sums);
        } else if !self.others.is_empty() {
            let mut part = Array2::zeros((sums.nrows(), self.others.len()));
            multiply_floats(&self.floats.view(), weights, &mut part.view_mut());
            for (from, &column) in part.columns().into_iter().zip(&self.others) {
                sums.column_mut(column).zip_mut_with(&from, |sum, part| *sum += part);
            }
        }
    }
}

fn multiply_floats(
    rows: &ArrayView2<'_, f64>,
    weights: &ArrayView2<'_, u8>,
    sums: &mut ArrayViewMut2<'_, f64>,
) {
    let mut floats = Array2::zeros((sums.nrows(), UNITS));
    for start in (0..rows.nrows()).step_by(UNITS) {
        interruption::check();
        let units = Slice::from(start..rows.nrows().min(start + UNITS));
        let weights = weights.slice_axis(Axis(1), units);
        let mut floats = floats.slice_axis_mut(Axis(1), Slice::from(..weights.ncols()));
        floats.zip_mut_with(&weights, |to, &from| *to = f64::from(from));
        general_mat_mul(1.0, &floats, &rows.slice_axis(Axis(0), units), 1.0, sums);
    }
}

/// Which columns hold whole numbers of 16 bits only.
#[cfg(target_arch = "x86_64")]
fn small_columns(rows: &ArrayView2<'_, f64>) -> Vec<bool> {
    let all = || vec![true; rows.ncols()];
    rows.axis_chunks_iter(Axis(0), 16 * UNITS)
        .into_par_iter()
        .map(|block| {
            let mut small = all();
            for row in block.outer_iter() {
                for (small, &cell) in small.iter_mut().zip(row) {
                    *small &= cell.fract() == 0.0 && cell.abs() <= f64::from(i16::MAX);
                }
            }
            small
        })
        .reduce(all, |a, b| a.into_iter().zip(b).map(|(a, b)| a && b).collect())
}

/// The product of 16-bit numbers by AVX2's multiply-and-add of pairs.
#[cfg(target_arch = "x86_64")]
mod whole {
    use ndarray::parallel::prelude::*;
    use ndarray::{ArrayView2, ArrayViewMut2, Axis, Slice};
    use pulp::x86::V3;
    use pulp::{NullaryFnOnce, cast, i16x16, i32x8};
    use rayon::slice::ParallelSliceMut;

    use super::UNITS;
    use crate::interruption;

    /// Numbers of 32 bits in a register.
    const LANES: usize = 8;
    /// Registers of columns, and sets of weights, that are multiplied at a time: their sums stay in
    /// registers.
    const REGISTERS: usize = 2;
    const SETS: usize = 4;
    /// Columns of a panel.
    const COLUMNS: usize = REGISTERS * LANES;

    /// The rows of two units in the columns of a panel, the two numbers of a column side by side.
    pub(super) type Pairs = [i16x16; REGISTERS];

    /// Whether the processor has what it takes.
    pub(super) fn processor() -> Option<V3> {
        V3::try_new()
    }

    /// The chosen columns of the rows: by block of units, panel of columns, and pair of units.
    ///
    /// Columns that the last panel lacks and units that the last block lacks are zeros.
    pub(super) fn panels(rows: &ArrayView2<'_, f64>, columns: &[usize]) -> Vec<Pairs> {
        let of_block = columns.len().div_ceil(COLUMNS) * UNITS / 2;
        let mut panels =
            vec![[cast([0_i16; 2 * LANES]); REGISTERS]; rows.nrows().div_ceil(UNITS) * of_block];
        panels.par_chunks_mut(of_block).zip(rows.axis_chunks_iter(Axis(0), UNITS)).for_each(
            |(panels, block)| {
                for (panel, columns) in panels.chunks_mut(UNITS / 2).zip(columns.chunks(COLUMNS)) {
                    for (to, pair) in panel.iter_mut().zip(block.axis_chunks_iter(Axis(0), 2)) {
                        *to = std::array::from_fn(|register| {
                            cast(std::array::from_fn::<i16, { 2 * LANES }, _>(|place| {
                                let column = columns.get(register * LANES + place / 2);
                                let cell = column.and_then(|&column| pair.get((place % 2, column)));
                                cell.map_or(0, |&cell| cell as i16)
                            }))
                        });
                    }
                }
            },
        );
        panels
    }

    /// Adds the products to the chosen columns of the sums.
    pub(super) fn add(
        processor: V3,
        panels: &[Pairs],
        columns: &[usize],
        weights: &ArrayView2<'_, u8>,
        sums: &mut ArrayViewMut2<'_, f64>,
    ) {
        let of_block = columns.len().div_ceil(COLUMNS) * UNITS / 2;
        // Two weights in one number, as the instruction takes them; the last sets may be empty.
        let mut pairs = vec![[0_i32; UNITS / 2]; sums.nrows().next_multiple_of(SETS)];
        let mut totals = vec![[0.0; COLUMNS]; columns.len().div_ceil(COLUMNS) * pairs.len()];
        for (block, panels) in panels.chunks(of_block).enumerate() {
            interruption::check();
            let end = weights.ncols().min((block + 1) * UNITS);
            let weights = weights.slice_axis(Axis(1), Slice::from(block * UNITS..end));
            for (pairs, weights) in pairs.iter_mut().zip(weights.outer_iter()) {
                pair_up(pairs, weights.to_slice().unwrap_or_default());
            }
            for (panel, totals) in panels.chunks(UNITS / 2).zip(totals.chunks_mut(pairs.len())) {
                for (sets, totals) in pairs.as_chunks().0.iter().zip(totals.as_chunks_mut().0) {
                    processor.vectorize(Product { processor, panel, sets, totals });
                }
            }
        }
        for (columns, totals) in columns.chunks(COLUMNS).zip(totals.chunks(pairs.len())) {
            for (mut sums, totals) in sums.outer_iter_mut().zip(totals) {
                columns.iter().zip(totals).for_each(|(&column, total)| sums[column] += total);
            }
        }
    }

    fn pair_up(pairs: &mut [i32; UNITS / 2], weights: &[u8]) {
        pairs.fill(0);
        let (twos, rest) = weights.as_chunks::<2>();
        for (pair, &[low, high]) in pairs.iter_mut().zip(twos) {
            *pair = i32::from(low) | i32::from(high) << 16;
        }
        if let ([last], Some(pair)) = (rest, pairs.get_mut(twos.len())) {
            *pair = i32::from(*last);
        }
    }

    /// Adds the sums of one panel to the totals of some sets of weights.
    struct Product<'a> {
        processor: V3,
        panel: &'a [Pairs],
        sets: &'a [[i32; UNITS / 2]; SETS],
        totals: &'a mut [[f64; COLUMNS]; SETS],
    }

    impl NullaryFnOnce for Product<'_> {
        type Output = ();

        #[expect(clippy::inline_always, reason = "only inlined code is compiled for AVX2")]
        #[inline(always)]
        fn call(self) {
            let Self { processor, panel, sets, totals } = self;
            let mut sums = [[processor.splat_i32x8(0); REGISTERS]; SETS];
            for (place, rows) in panel.iter().enumerate().take(UNITS / 2) {
                for (sums, weights) in sums.iter_mut().zip(sets) {
                    let weight: i16x16 = cast(processor.splat_i32x8(weights[place]));
                    for (sum, &row) in sums.iter_mut().zip(rows) {
                        let product = processor.multiply_wrapping_add_adjacent_i16x16(weight, row);
                        *sum = processor.wrapping_add_i32x8(*sum, product);
                    }
                }
            }
            for (totals, sums) in totals.iter_mut().zip(sums) {
                let sums = sums.map(cast::<i32x8, [i32; LANES]>);
                for (total, &sum) in totals.iter_mut().zip(sums.as_flattened()) {
                    *total += f64::from(sum);
                }
            }
        }
    }
}
