//! In how many replicates of random swaps a sum is at most a bound, without adding most sums exactly.
//!
//! Fractions take 64 bits, and half as many of them are added at a time as of numbers of 32 bits. So columns
//! are rounded to whole multiples of a step of their own, of which 32-bit sums are exact. What rounding left
//! over bounds how far such a sum can be from the exact one; where that leaves it open on which side of the
//! bound the exact sum is, once in a thousand sums or so, it is made.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{ArrayView1, ArrayView2, Axis};

use super::swaps::{COINS, Coins, Swaps, swapped_sums};
use crate::interruption;

/// Sums that are kept at a time: 64 MB.
const SUMS: usize = 1 << 23;
/// Whole numbers below this, and their sums, are exact in 32 bits.
const EXACT: f64 = (1 << 24) as f64;

/// A column in whole steps, and between which sums of them it is open whether the exact sum is at most a bound.
struct Rounded {
    surely_up_to: f64,
    perhaps_up_to: f64,
}

/// For each column, in how many of `replicates` the sum of the rows that it takes is at most the bound.
///
/// All sums of the rows must be exact in 64 bits, as those of whole numbers are.
#[must_use]
pub fn count_at_most(
    rows: &ArrayView2<'_, f64>,
    bounds: &[f64],
    swaps: Swaps,
    replicates: Range<u64>,
) -> Vec<u64> {
    let mut whole = rows.to_owned();
    // The cells of a column side by side, for sums of single columns.
    let by_column = rows.t().as_standard_layout().into_owned();
    let columns = whole.columns_mut().into_iter().zip(bounds);
    let rounded: Vec<Rounded> = columns.map(|(column, &bound)| round(column, bound)).collect();
    let mut counts = vec![0; rows.ncols()];
    let share = (SUMS / rows.ncols().max(1)).max(1);
    for start in replicates.clone().step_by(share) {
        let chosen = start..replicates.end.min(start + share as u64);
        let sums = swapped_sums(&whole.view(), swaps, chosen, 0);
        let found = sums
            .axis_iter(Axis(0))
            .into_par_iter()
            .enumerate()
            .fold(
                || vec![0; rows.ncols()],
                |mut counts: Vec<u64>, (index, sums)| {
                    interruption::check();
                    let mut open = 0_u64;
                    for ((&sum, rounded), count) in sums.iter().zip(&rounded).zip(&mut counts) {
                        let is_reached = u64::from(sum <= rounded.surely_up_to);
                        *count += is_reached;
                        open += u64::from(sum <= rounded.perhaps_up_to) - is_reached;
                    }
                    if open > 0 {
                        let coins = toss(swaps, start + index as u64, rows.nrows());
                        for (column, (sum, rounded)) in sums.iter().zip(&rounded).enumerate() {
                            if *sum > rounded.surely_up_to && *sum <= rounded.perhaps_up_to {
                                let exact = exact_sum(&by_column.row(column), &coins);
                                counts[column] += u64::from(exact <= bounds[column]);
                            }
                        }
                    }
                    counts
                },
            )
            .reduce(|| vec![0; rows.ncols()], add);
        counts = add(counts, found);
    }
    counts
}

fn add(mut counts: Vec<u64>, others: Vec<u64>) -> Vec<u64> {
    counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
    counts
}

/// Turns a column into whole steps.
fn round(mut column: ndarray::ArrayViewMut1<'_, f64>, bound: f64) -> Rounded {
    let size: f64 = column.iter().map(|cell| cell.abs()).sum();
    let is_whole = column.iter().all(|cell| cell.fract().abs() == 0.0);
    if is_whole && size < EXACT {
        return Rounded { surely_up_to: bound, perhaps_up_to: bound };
    }
    // Rounding may add half a step for each cell.
    let most = EXACT - 1.0 - column.len() as f64;
    if most <= 0.0 || !size.is_normal() {
        return Rounded { surely_up_to: f64::NEG_INFINITY, perhaps_up_to: f64::INFINITY };
    }
    let step = 2_f64.powi((size / most).log2().ceil() as i32);
    let (mut above, mut below) = (0.0, 0.0);
    for cell in &mut column {
        let whole = (*cell / step).round();
        let left = *cell - whole * step;
        above += left.max(0.0);
        below += (-left).max(0.0);
        *cell = whole;
    }
    // What is left over is exact, but adding it up may round, and so may adding it to the bound.
    let error = f64::max(above, below) * (1.0 + 1e-9) + 1e-12 * bound.abs();
    Rounded { surely_up_to: (bound - error) / step, perhaps_up_to: (bound + error) / step }
}

fn toss(swaps: Swaps, replicate: u64, units: usize) -> Vec<u64> {
    let mut coins = Coins::new(swaps, replicate);
    (0..units.div_ceil(COINS as usize)).map(|_| coins.next()).collect()
}

fn exact_sum(column: &ArrayView1<'_, f64>, coins: &[u64]) -> f64 {
    let is_taken = |unit: usize| coins[unit / 64] >> (unit % 64) & 1 == 1;
    column.iter().enumerate().filter(|&(unit, _)| is_taken(unit)).map(|(_, cell)| cell).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// The same by exact sums alone.
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
        let exact = exact_sum(&rows.column(4), &toss(Swaps::Random { seed: 2 }, 9, 700));
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
