//! Random swaps: each trial takes a random half of the units (approximate randomization, Noreen 1989).
//!
//! Swapping systems X and Y on the units of a trial moves the sums of X by Σ Y − Σ X over these units. So one
//! pass that adds up the taken units of every system serves all pairs of systems: a pair is a subtraction.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

use super::stream::{Purpose, Stream};
use crate::parallel;

/// Trials that share the tables of subset sums.
const TRIALS: usize = 512;
/// Units in a group: the sums of all their 2^8 subsets are computed once, then looked up by a byte.
const GROUP: usize = 8;
/// Columns treated together, so that a group's table stays in the fastest cache.
const COLUMNS: usize = 16;

/// Which units trials take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swaps {
    /// Each unit by a fair coin.
    Random { seed: u64 },
    /// Trial i takes the units whose bits are set in i: all 2^units trials are all there is.
    Enumerated,
}

/// The sums of the rows that each of `trials` takes, shaped (trial, column).
#[must_use]
pub fn swapped_sums(rows: ArrayView2<'_, f64>, swaps: Swaps, trials: Range<u64>) -> Array2<f64> {
    let count = (trials.end - trials.start) as usize;
    let mut sums = Array2::zeros((count, rows.ncols()));
    parallel::run(|| {
        sums.axis_chunks_iter_mut(Axis(0), TRIALS).into_par_iter().enumerate().for_each(
            |(chunk, sums)| {
                let first = trials.start + (chunk * TRIALS) as u64;
                add_trials(&rows, swaps, first, sums);
            },
        );
    });
    sums
}

/// Adds up some trials, eight groups of eight units after the other.
fn add_trials(
    rows: &ArrayView2<'_, f64>,
    swaps: Swaps,
    first: u64,
    mut sums: ArrayViewMut2<'_, f64>,
) {
    let mut coins: Vec<Coins> =
        (first..).take(sums.nrows()).map(|trial| Coins::new(swaps, trial)).collect();
    let mut table = [[0.0; COLUMNS]; 1 << GROUP];
    let mut taken = vec![[0_u8; 8]; sums.nrows()];
    for block in rows.axis_chunks_iter(Axis(0), 8 * GROUP) {
        for (bytes, coins) in taken.iter_mut().zip(&mut coins) {
            *bytes = coins.next().to_le_bytes();
        }
        for (byte, group) in block.axis_chunks_iter(Axis(0), GROUP).enumerate() {
            for start in (0..rows.ncols()).step_by(COLUMNS) {
                let end = rows.ncols().min(start + COLUMNS);
                fill_table(&mut table, &group, start..end);
                for (mut sum, bytes) in sums.outer_iter_mut().zip(&taken) {
                    let subset = &table[usize::from(bytes[byte])];
                    if let Some(sum) = sum.as_slice_mut() {
                        add(&mut sum[start..end], subset);
                    }
                }
            }
        }
    }
}

fn add(sums: &mut [f64], subset: &[f64; COLUMNS]) {
    match <&mut [f64; COLUMNS]>::try_from(&mut *sums) {
        // A known length lets the compiler use the widest registers it has.
        Ok(sums) => sums.iter_mut().zip(subset).for_each(|(sum, part)| *sum += part),
        Err(_) => sums.iter_mut().zip(subset).for_each(|(sum, part)| *sum += part),
    }
}

/// The sums of all subsets of a group: each adds its highest unit to a smaller subset.
fn fill_table(
    table: &mut [[f64; COLUMNS]; 1 << GROUP],
    group: &ArrayView2<'_, f64>,
    columns: Range<usize>,
) {
    // Units that a last, smaller group lacks count as rows of zeros.
    for unit in 0..GROUP {
        let mut row = [0.0; COLUMNS];
        if unit < group.nrows() {
            let cells = columns.clone().map(|column| group[[unit, column]]);
            row.iter_mut().zip(cells).for_each(|(to, from)| *to = from);
        }
        let (smaller, larger) = table.split_at_mut(1 << unit);
        for (sum, part) in larger.iter_mut().zip(smaller.iter()) {
            *sum = std::array::from_fn(|column| part[column] + row[column]);
        }
    }
}

/// The coins of one trial, 64 at a time.
struct Coins {
    swaps: Option<Stream>,
    enumerated: u64,
}

impl Coins {
    fn new(swaps: Swaps, trial: u64) -> Self {
        match swaps {
            Swaps::Random { seed } => {
                Self { swaps: Some(Stream::new(seed, Purpose::Swaps, trial)), enumerated: 0 }
            }
            Swaps::Enumerated => Self { swaps: None, enumerated: trial },
        }
    }

    fn next(&mut self) -> u64 {
        match &mut self.swaps {
            Some(stream) => stream.bits(),
            // The units beyond the 64th are never taken: there are no more than 2^64 trials.
            None => std::mem::take(&mut self.enumerated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Slice, array};

    #[test]
    fn enumerated_trials_are_all_subsets() {
        let rows = array![[1.0], [10.0], [100.0]];
        let sums = swapped_sums(rows.view(), Swaps::Enumerated, 0..8);
        let expected = [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0];
        assert_eq!(sums.column(0).to_vec(), expected);
    }

    #[test]
    fn sums_are_those_of_the_units_that_the_coins_took() {
        // 150 units in one-hot columns show every coin of a trial.
        let rows = Array2::from_shape_fn((150, 150), |(i, j)| f64::from(u8::from(i == j)));
        let sums = swapped_sums(rows.view(), Swaps::Random { seed: 3 }, 5..6);
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
    fn a_trial_does_not_depend_on_its_neighbours() {
        let rows = Array2::from_shape_fn((300, 37), |(i, j)| (i * 7 + j) as f64);
        let swaps = Swaps::Random { seed: 1 };
        let all = swapped_sums(rows.view(), swaps, 0..1500);
        let some = swapped_sums(rows.view(), swaps, 700..731);
        assert_eq!(all.slice_axis(Axis(0), Slice::from(700..731)), some);
    }

    #[test]
    fn a_unit_is_taken_half_of_the_time() {
        let rows = array![[1.0]];
        let sums = swapped_sums(rows.view(), Swaps::Random { seed: 0 }, 0..10_000);
        assert!((sums.sum() - 5000.0).abs() < 250.0);
    }
}
