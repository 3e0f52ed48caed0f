//! Weighted sums of small whole numbers by AVX2's multiply-and-add of neighbours.
//!
//! Numbers up to 200 are multiplied as bytes, four units at a time, and added up in 16 bits; others as
//! numbers of 16 bits, two units at a time, and added up in 32 bits. Which of the two is chosen for each block
//! of units and panel of columns, so that one long segment slows nothing but its own block.

use ndarray::parallel::prelude::*;
use ndarray::{ArrayView2, ArrayViewMut2, Axis};
use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast, i16x16, i32x8, u8x32, u16x16, u32x8};

use super::free_columns::{Count, is_small};
use super::weighted_sums::{UNITS, Weights};
use crate::interruption;

/// Numbers of 32 bits in a register.
const LANES: usize = 8;
/// Registers of columns, and sets of weights, that are multiplied at a time: their sums stay in
/// registers.
const REGISTERS: usize = 2;
const SETS: usize = 4;
/// Columns of a panel.
const COLUMNS: usize = REGISTERS * LANES;

/// The largest number that is multiplied as a byte.
const LARGEST: u8 = 200;
/// Weights for which sums of such products fit into 16 bits: their sum in a block of units …
const MOST_IN_ALL: u16 = u16::MAX / LARGEST as u16;
/// … and each of them, as two products are added up with a sign.
const MOST_EACH: u8 = (u16::MAX / 2 / LARGEST as u16 / 2) as u8;
/// Blocks of units whose sums of bytes fit into 32 bits, whatever the weights are.
const BLOCKS: usize = 1 << 8;

/// The columns that hold whole numbers of 16 bits only, as the products take them.
pub(super) struct SmallColumns {
    processor: Option<V3>,
    /// Positions among the chosen columns.
    places: Vec<usize>,
    /// Panels by block of units and panel of columns.
    panels: Vec<Panel>,
}

/// Columns of a block. Columns that the last panel lacks and units that the last block lacks are zeros.
enum Panel {
    /// The numbers of four units in a column side by side.
    Bytes(Vec<[u8x32; REGISTERS]>),
    /// The numbers of two units in a column side by side.
    Pairs(Vec<[i16x16; REGISTERS]>),
}

impl SmallColumns {
    /// Takes the suitable columns among the chosen ones, if the processor has AVX2.
    pub(super) fn new<C: Count>(rows: &ArrayView2<'_, C>, columns: &[usize]) -> Self {
        let processor = V3::try_new();
        let places: Vec<usize> = if processor.is_some() {
            let small = small_columns(rows, columns);
            (0..columns.len()).filter(|&place| small[place]).collect()
        } else {
            Vec::new()
        };
        let columns: Vec<usize> = places.iter().map(|&place| columns[place]).collect();
        let panels = rows
            .axis_chunks_iter(Axis(0), UNITS)
            .into_par_iter()
            .flat_map_iter(|block| {
                let of_panel = move |columns: &[usize]| Panel::new(&block, columns);
                columns.chunks(COLUMNS).map(of_panel)
            })
            .collect();
        Self { processor, places, panels }
    }

    /// Returns the positions, out of `columns` chosen ones, of all other columns.
    pub(super) fn others(&self, columns: usize) -> Vec<usize> {
        (0..columns).filter(|place| self.places.binary_search(place).is_err()).collect()
    }

    /// Adds the products to the sums of the chosen columns.
    pub(super) fn add(&self, weights: &Weights, sums: &mut ArrayViewMut2<'_, f64>) {
        let Some(processor) = self.processor else { return };
        let of_block = self.places.len().div_ceil(COLUMNS);
        let sets = sums.nrows().next_multiple_of(SETS);
        let mut totals = Totals::new(of_block * sets);
        let mut pairs = Vec::new();
        for (block, panels) in self.panels.chunks(of_block.max(1)).enumerate() {
            interruption::check();
            if block % BLOCKS == BLOCKS - 1 {
                totals.carry();
            }
            let nothing = std::iter::repeat(&[0; UNITS]);
            let bytes: Vec<_> = weights.of_block(block).chain(nothing).take(sets).collect();
            let bytes: &[[&[u8; UNITS]; SETS]] = bytes.as_chunks().0;
            let are_light = |sets: &[&[u8; UNITS]; SETS]| sets.iter().all(|set| are_light(set));
            let is_light: Vec<bool> = bytes.iter().map(are_light).collect();
            pairs.clear();
            if panels.iter().any(|panel| matches!(panel, Panel::Pairs(_))) {
                pairs.extend(bytes.iter().map(|sets| sets.map(paired)));
            }
            for (panel, totals) in panels.iter().zip(totals.of_panels(sets)) {
                for (group, (whole, floats)) in totals.enumerate() {
                    match panel {
                        Panel::Bytes(rows) if is_light[group] => {
                            let sets = &bytes[group];
                            processor.vectorize(OfBytes { processor, rows, sets, totals: whole });
                        }
                        Panel::Bytes(rows) => add_heavy(rows, &bytes[group], whole),
                        Panel::Pairs(rows) => {
                            let sets = &pairs[group];
                            processor.vectorize(OfPairs { processor, rows, sets, totals: floats });
                        }
                    }
                }
            }
        }
        totals.carry();
        for (places, totals) in self.places.chunks(COLUMNS).zip(totals.floats.chunks(sets)) {
            for (mut sums, totals) in sums.outer_iter_mut().zip(totals) {
                places.iter().zip(totals).for_each(|(&place, total)| sums[place] += total);
            }
        }
    }
}

impl Panel {
    #[expect(clippy::cast_sign_loss, reason = "bytes are chosen where no number is below 0")]
    fn new<C: Count>(block: &ArrayView2<'_, C>, columns: &[usize]) -> Self {
        let is_byte = |&cell: &C| (0.0..=f64::from(LARGEST)).contains(&cell.into());
        let all = block.outer_iter().all(|row| columns.iter().all(|&column| is_byte(&row[column])));
        let cell = |unit: usize, column: usize| {
            columns
                .get(column)
                .and_then(|&column| block.get((unit, column)))
                .map_or(0.0, |&cell| cell.into())
        };
        if all {
            let of_step = |step: usize| {
                std::array::from_fn(|register| {
                    cast(std::array::from_fn::<u8, { 4 * LANES }, _>(|place| {
                        cell(4 * step + place % 4, register * LANES + place / 4) as u8
                    }))
                })
            };
            Self::Bytes((0..block.nrows().div_ceil(4)).map(of_step).collect())
        } else {
            let of_step = |step: usize| {
                std::array::from_fn(|register| {
                    cast(std::array::from_fn::<i16, { 2 * LANES }, _>(|place| {
                        cell(2 * step + place % 2, register * LANES + place / 2) as i16
                    }))
                })
            };
            Self::Pairs((0..block.nrows().div_ceil(2)).map(of_step).collect())
        }
    }
}

/// Returns whether each chosen column holds whole numbers of 16 bits only.
fn small_columns<C: Count>(rows: &ArrayView2<'_, C>, columns: &[usize]) -> Vec<bool> {
    let all = || vec![true; columns.len()];
    rows.axis_chunks_iter(Axis(0), 16 * UNITS)
        .into_par_iter()
        .map(|block| {
            let mut small = all();
            for row in block.outer_iter() {
                for (small, &column) in small.iter_mut().zip(columns) {
                    *small &= is_small(row[column].into());
                }
            }
            small
        })
        .reduce(all, |a, b| a.into_iter().zip(b).map(|(a, b)| a && b).collect())
}

/// Packs two weights into one number, as the instruction takes them.
fn paired(weights: &[u8; UNITS]) -> [i32; UNITS / 2] {
    let twos = weights.as_chunks::<2>().0;
    std::array::from_fn(|step| i32::from(twos[step][0]) | i32::from(twos[step][1]) << 16)
}

/// Returns whether sums of products with bytes fit into 16 bits, as nearly all do.
fn are_light(weights: &[u8; UNITS]) -> bool {
    let all: u16 = weights.iter().map(|&weight| u16::from(weight)).sum();
    all <= MOST_IN_ALL && weights.iter().fold(0, |most, &weight| most.max(weight)) <= MOST_EACH
}

/// Sums of panels; sums of bytes are whole numbers until they are carried over.
struct Totals {
    whole: Vec<[u32; COLUMNS]>,
    floats: Vec<[f64; COLUMNS]>,
}

impl Totals {
    fn new(count: usize) -> Self {
        Self { whole: vec![[0; COLUMNS]; count], floats: vec![[0.0; COLUMNS]; count] }
    }

    /// Yields the sums of each panel, of some sets of weights at a time.
    fn of_panels(
        &mut self,
        sets: usize,
    ) -> impl Iterator<
        Item = impl Iterator<Item = (&mut [[u32; COLUMNS]; SETS], &mut [[f64; COLUMNS]; SETS])>,
    > {
        let panels = self.whole.chunks_mut(sets).zip(self.floats.chunks_mut(sets));
        panels
            .map(|(whole, floats)| whole.as_chunks_mut().0.iter_mut().zip(floats.as_chunks_mut().0))
    }

    fn carry(&mut self) {
        for (whole, floats) in self.whole.iter_mut().zip(&mut self.floats) {
            for (whole, float) in whole.iter_mut().zip(floats) {
                *float += f64::from(std::mem::take(whole));
            }
        }
    }
}

/// Adds the sums of a panel of bytes to the totals of some sets of light weights.
struct OfBytes<'a> {
    processor: V3,
    rows: &'a [[u8x32; REGISTERS]],
    sets: &'a [&'a [u8; UNITS]; SETS],
    totals: &'a mut [[u32; COLUMNS]; SETS],
}

impl NullaryFnOnce for OfBytes<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for AVX2")]
    #[inline(always)]
    fn call(self) {
        let Self { processor, rows, sets, totals } = self;
        let mut sums = [[processor.splat_u16x16(0); REGISTERS]; SETS];
        for (step, rows) in rows.iter().enumerate().take(UNITS / 4) {
            for (sums, weights) in sums.iter_mut().zip(sets) {
                let weights = i32::from_le_bytes(weights.as_chunks().0[step]);
                let weights = cast(processor.splat_i32x8(weights));
                for (sum, &row) in sums.iter_mut().zip(rows) {
                    let products = processor.avx2._mm256_maddubs_epi16(cast(row), weights);
                    *sum = processor.wrapping_add_u16x16(*sum, cast(products));
                }
            }
        }
        // A column has two sums, one of each half of the units.
        for (totals, sums) in totals.iter_mut().zip(sums) {
            let sums = sums.map(|sum| -> [u32; LANES] {
                let both: u32x8 = cast::<u16x16, u32x8>(sum);
                let low = processor.and_u32x8(both, processor.splat_u32x8(0xffff));
                cast(processor.wrapping_add_u32x8(low, processor.shr_const_u32x8::<16>(both)))
            });
            for (total, &sum) in totals.iter_mut().zip(sums.as_flattened()) {
                *total = total.wrapping_add(sum);
            }
        }
    }
}

/// Adds the products with any weights.
#[cold]
fn add_heavy(
    rows: &[[u8x32; REGISTERS]],
    sets: &[&[u8; UNITS]; SETS],
    totals: &mut [[u32; COLUMNS]; SETS],
) {
    for (weights, totals) in sets.iter().zip(totals) {
        for (rows, weights) in rows.iter().zip(weights.as_chunks::<4>().0) {
            let rows: [[u8; 4 * LANES]; REGISTERS] = rows.map(cast);
            let columns = rows.as_flattened().as_chunks::<4>().0;
            for (total, column) in totals.iter_mut().zip(columns) {
                let products = column.iter().zip(weights);
                *total += products.map(|(&a, &b)| u32::from(a) * u32::from(b)).sum::<u32>();
            }
        }
    }
}

/// Adds the sums of a panel of pairs to the totals of some sets of weights.
///
/// 256 products of a weight up to 255 and a number up to 32,767 fit into 32 bits, whatever they are.
struct OfPairs<'a> {
    processor: V3,
    rows: &'a [[i16x16; REGISTERS]],
    sets: &'a [[i32; UNITS / 2]; SETS],
    totals: &'a mut [[f64; COLUMNS]; SETS],
}

impl NullaryFnOnce for OfPairs<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for AVX2")]
    #[inline(always)]
    fn call(self) {
        let Self { processor, rows, sets, totals } = self;
        let mut sums = [[processor.splat_i32x8(0); REGISTERS]; SETS];
        for (step, rows) in rows.iter().enumerate().take(UNITS / 2) {
            for (sums, weights) in sums.iter_mut().zip(sets) {
                let weight: i16x16 = cast(processor.splat_i32x8(weights[step]));
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
