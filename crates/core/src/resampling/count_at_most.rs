//! Number of replicates of random swaps whose sum is at most a bound, without adding most sums
//! exactly.
//!
//! The smaller numbers are, the more of them are added at a time. So columns are rounded to whole
//! multiples of a step of their own, whose sums are exact in 16 or 32 bits. The remainders bound
//! the distance of such a sum from the exact sum; if it is still open on which side of the bound
//! the exact sum is, the exact sum is computed. Columns in which 16 bits would often leave it open
//! get 32.

use std::marker::PhantomData;
use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{ArrayView1, ArrayView2, Axis};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::ParallelSlice;

use super::subset_sums::{Cell, Row, add_swapped};
use super::swaps::{COINS, Swaps, even_share, toss};
use crate::interruption;

/// Words of coins that are kept at a time for each thread: 4 MB.
const WORDS: usize = 1 << 19;
/// The fewest replicates that share the tables of subset sums.
const FEWEST: usize = 64;
/// The largest share of sums that 16 bits may leave open: each costs as much as a hundred others.
const OFTEN: f64 = 0.005;

/// Counts the replicates whose sum of swapped rows is at most the bound, for each column.
///
/// All sums of the rows must be exact in 64 bits, as sums of whole numbers are.
#[must_use]
pub fn count_at_most(
    rows: &ArrayView2<'_, f64>,
    bounds: &[f64],
    swaps: Swaps,
    replicates: Range<u64>,
) -> Vec<u64> {
    // The cells of a column side by side, for sums of single columns.
    let by_column = rows.t().as_standard_layout().into_owned();
    let columns: Vec<_> = by_column.axis_iter(Axis(0)).zip(bounds.iter().copied()).collect();
    let is_small = |column: &usize| Rounding::<u16>::of(&columns[*column]).open < OFTEN;
    let (small, large): (Vec<usize>, Vec<usize>) =
        (0..columns.len()).into_par_iter().partition(is_small);
    let small: Vec<Panel<u16, 32>> = panels(&small, &columns);
    let large: Vec<Panel<f32, 16>> = panels(&large, &columns);
    let words = rows.nrows().div_ceil(COINS as usize);
    let count = (replicates.end - replicates.start) as usize;
    let share = even_share(count).min((WORDS / words.max(1)).max(FEWEST));
    let chunks: Vec<_> = replicates.clone().step_by(share).collect();
    let of_chunk = |mut counts: Vec<u64>, &start: &u64| {
        let chosen = start..replicates.end.min(start + share as u64);
        let mut coins =
            Coins { words: Vec::new(), replicates: (chosen.end - chosen.start) as usize };
        toss(swaps, chosen, 0, rows.nrows(), &mut coins.words);
        let mut sums = Sums { coins: &coins, columns: &columns, counts: &mut counts };
        for panel in &small {
            sums.count(panel);
        }
        for panel in &large {
            sums.count(panel);
        }
        counts
    };
    let none = || vec![0; rows.ncols()];
    // Fused, since otherwise every part of the work would unwind by itself when it is stopped.
    chunks.par_iter().panic_fuse().fold(none, of_chunk).reduce(none, |mut counts, others| {
        counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        counts
    })
}

/// The coins of some replicates: for every 64 rows a word of each replicate.
struct Coins {
    words: Vec<u64>,
    replicates: usize,
}

/// The cells of a column, and its bound.
type Column<'a> = (ArrayView1<'a, f64>, f64);

/// Some columns in whole steps, as many as make a line of the cache.
///
/// A sum below `surely` is at most the bound, one from `perhaps` on is not; between them it is open.
struct Panel<C, const COLUMNS: usize> {
    columns: Vec<usize>,
    rows: Vec<Row<C, COLUMNS>>,
    /// Start of sums.
    start: Row<C, COLUMNS>,
    surely: Row<C, COLUMNS>,
    perhaps: Row<C, COLUMNS>,
}

fn panels<C: Steps, const COLUMNS: usize>(
    chosen: &[usize],
    columns: &[Column<'_>],
) -> Vec<Panel<C, COLUMNS>> {
    let panel = |chosen: &[usize]| {
        let units = chosen.first().map_or(0, |&column| columns[column].0.len());
        let zeros = Row::zeros();
        let mut panel = Panel {
            columns: chosen.to_vec(),
            rows: vec![zeros; units],
            start: zeros,
            surely: zeros,
            perhaps: zeros,
        };
        for (place, &column) in chosen.iter().enumerate() {
            let rounding = Rounding::<C>::of(&columns[column]);
            for (row, cell) in panel.rows.iter_mut().zip(columns[column].0) {
                row.0[place] = C::of(rounding.whole(*cell));
            }
            let limit = |sum: f64| C::of((sum + 1.0).floor().clamp(C::LEAST, C::MOST + 1.0));
            panel.start.0[place] = C::of(rounding.start);
            panel.surely.0[place] = limit(rounding.surely_up_to);
            panel.perhaps.0[place] = limit(rounding.perhaps_up_to);
        }
        panel
    };
    chosen.par_chunks(COLUMNS).map(panel).collect()
}

/// A number in which the sums of whole steps are exact.
trait Steps: Cell + PartialOrd {
    /// The least sum there may be,
    const LEAST: f64;
    /// and the largest; the next number is exact too.
    const MOST: f64;
}

impl Steps for u16 {
    const LEAST: f64 = 0.0;
    const MOST: f64 = 65_534.0;
}

impl Steps for f32 {
    const LEAST: f64 = -MANTISSA;
    const MOST: f64 = MANTISSA - 1.0;
}

/// Whole numbers up to this are exact in 32 bits.
const MANTISSA: f64 = (1 << 24) as f64;

/// Rounding of a column to whole steps.
struct Rounding<C> {
    step: f64,
    /// Start of sums, so that no sum is below the least number.
    start: f64,
    surely_up_to: f64,
    perhaps_up_to: f64,
    /// Approximate share of sums that are left open.
    open: f64,
    cells: PhantomData<C>,
}

impl<C: Steps> Rounding<C> {
    fn of((column, bound): &Column<'_>) -> Self {
        let (mut lost, mut won, mut squares, mut is_whole) = (0.0, 0.0, 0.0, true);
        for &cell in column {
            lost -= cell.min(0.0);
            won += cell.max(0.0);
            squares += cell * cell;
            is_whole &= cell.fract().abs() == 0.0;
        }
        let size: f64 = lost + won;
        let is_exact = is_whole && size <= C::MOST;
        // Rounding may add half a step for each cell, and the start of sums is rounded too.
        let most = C::MOST - 1.0 - column.len() as f64;
        let mut rounding = Self {
            step: if is_exact { 1.0 } else { size / most },
            start: 0.0,
            surely_up_to: f64::NEG_INFINITY,
            perhaps_up_to: f64::INFINITY,
            open: 1.0,
            cells: PhantomData,
        };
        if !rounding.step.is_normal() || rounding.step < 0.0 {
            // Nothing can be said without the exact sums.
            rounding.step = f64::INFINITY;
            return rounding;
        }
        let step = rounding.step;
        let (mut above, mut below) = (0.0, 0.0);
        for &cell in column {
            let left = cell - rounding.whole(cell) * step;
            above += left.max(0.0);
            below -= left.min(0.0);
        }
        if C::LEAST == 0.0 {
            let half_steps = if is_exact { 0.0 } else { (column.len() / 2) as f64 };
            rounding.start = (lost / step).ceil() + half_steps;
        }
        // Adding the remainders may round, and so may adding them to the bound.
        let error = if is_exact { 0.0 } else { 1e-12 * (size + bound.abs()) };
        rounding.surely_up_to = (bound - above - error) / step + rounding.start;
        rounding.perhaps_up_to = (bound + below + error) / step + rounding.start;
        // Sums of many cells are about normal.
        let deviation = squares.sqrt() / 2.0;
        let z = (bound - (won - lost) / 2.0) / deviation;
        let width = (above + below) / deviation;
        rounding.open = if width > 0.0 { 0.4 * width * (-z * z / 2.0).exp() } else { 0.0 };
        rounding
    }

    fn whole(&self, cell: f64) -> f64 {
        (cell / self.step).round()
    }
}

/// The sums of some replicates, and their counts.
struct Sums<'a> {
    coins: &'a Coins,
    columns: &'a [Column<'a>],
    counts: &'a mut [u64],
}

impl Sums<'_> {
    fn count<C: Steps, const COLUMNS: usize>(&mut self, panel: &Panel<C, COLUMNS>) {
        interruption::check();
        let Coins { words, replicates } = self.coins;
        let mut sums = vec![panel.start; *replicates];
        add_swapped(&panel.rows, words, &mut sums);
        let (reached, open) = Arch::new().dispatch(Compare { panel, sums: &sums });
        for (&column, reached) in panel.columns.iter().zip(reached) {
            self.counts[column] += u64::from(reached);
        }
        for replicate in open {
            let sums = &sums[replicate];
            for (place, &column) in panel.columns.iter().enumerate() {
                let sum = sums.0[place];
                if sum >= panel.surely.0[place] && sum < panel.perhaps.0[place] {
                    let (cells, bound) = &self.columns[column];
                    let coins = words[replicate..].iter().step_by(*replicates);
                    self.counts[column] += u64::from(exact_sum(cells, coins) <= *bound);
                }
            }
        }
    }
}

/// Number of sums in each column that are surely at most the bound, and replicates with open sums.
struct Compare<'a, C, const COLUMNS: usize> {
    panel: &'a Panel<C, COLUMNS>,
    sums: &'a [Row<C, COLUMNS>],
}

impl<C: Steps, const COLUMNS: usize> NullaryFnOnce for Compare<'_, C, COLUMNS> {
    type Output = ([u16; COLUMNS], Vec<usize>);

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[expect(clippy::needless_bitwise_bool, reason = "without branches, several go at a time")]
    #[inline(always)]
    fn call(self) -> Self::Output {
        let (surely, perhaps) = (self.panel.surely.0, self.panel.perhaps.0);
        // A thread has too few replicates for counts to overflow.
        let (mut reached, mut open) = ([0; COLUMNS], Vec::new());
        for (replicate, sums) in self.sums.iter().enumerate() {
            let mut is_open = false;
            for column in 0..COLUMNS {
                let sum = sums.0[column];
                reached[column] += u16::from(sum < surely[column]);
                is_open |= (sum < perhaps[column]) & (sum >= surely[column]);
            }
            if is_open {
                open.push(replicate);
            }
        }
        (reached, open)
    }
}

fn exact_sum<'a>(column: &ArrayView1<'_, f64>, coins: impl Iterator<Item = &'a u64>) -> f64 {
    let mut sums = [0.0; 4];
    for (cells, &word) in column.axis_chunks_iter(Axis(0), COINS as usize).zip(coins) {
        for (unit, cell) in cells.iter().enumerate() {
            // Avoid a branch: no processor can predict a coin.
            let coins = (word >> unit & 1).wrapping_neg();
            sums[unit % 4] += f64::from_bits(cell.to_bits() & coins);
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resampling::swapped_sums;
    use ndarray::Array2;

    /// Counts by exact sums alone.
    fn plain_counts(
        rows: &Array2<f64>,
        bounds: &[f64],
        swaps: Swaps,
        replicates: Range<u64>,
    ) -> Vec<u64> {
        let sums = swapped_sums(&rows.view(), swaps, replicates, 0);
        let reached = |column: usize| {
            sums.column(column).iter().filter(|&&sum| sum <= bounds[column]).count()
        };
        (0..rows.ncols()).map(|column| reached(column) as u64).collect()
    }

    #[test]
    fn counts_are_those_of_exact_sums() {
        // Multiples of 2^-30, whose sums are exact; a column of whole numbers; a column without any; large ones.
        let rows = Array2::from_shape_fn((700, 9), |(unit, column)| {
            let noise = ((unit * 7919 + column * 104_729) % 1_000_003) as f64;
            match column {
                0 => (unit % 7) as f64 - 3.0,
                1 => 0.0,
                2 => noise * 1024.0,
                _ => (noise - 500_000.0) / (1_u64 << 30) as f64,
            }
        });
        let halves: Vec<f64> =
            rows.columns().into_iter().map(|column| column.sum() / 2.0).collect();
        let mut coins = Vec::new();
        toss(Swaps::Random { seed: 2 }, 9..10, 0, 11 * COINS as usize, &mut coins);
        let exact = exact_sum(&rows.column(4), coins.iter());
        for shift in [0.0, 1e-7, -1e-3, 0.01] {
            let mut bounds: Vec<f64> = halves.iter().map(|half| half + shift).collect();
            // A bound that a sum just reaches.
            bounds[4] = exact;
            let swaps = Swaps::Random { seed: 2 };
            let found = count_at_most(&rows.view(), &bounds, swaps, 3..2500);
            assert_eq!(found, plain_counts(&rows, &bounds, swaps, 3..2500));
        }
    }

    #[test]
    fn enumerated_replicates_are_counted_too() {
        let rows = Array2::from_shape_fn((5, 2), |(unit, column)| {
            (unit as f64 + 0.5) * (column as f64 - 0.5)
        });
        let found = count_at_most(&rows.view(), &[0.0, 1.0], Swaps::Enumerated, 0..32);
        assert_eq!(found, plain_counts(&rows, &[0.0, 1.0], Swaps::Enumerated, 0..32));
    }
}
