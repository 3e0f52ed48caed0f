//! Random swaps: each replicate takes a random half of the units (approximate randomization, Noreen 1989).
//!
//! Swapping systems X and Y on the units of a replicate moves the sums of X by Σ Y − Σ X over these units. So one
//! pass that adds up the taken units of every system serves all pairs of systems: a pair is a subtraction.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice};

use super::stream::{Purpose, Stream};
use crate::interruption;

/// The most replicates that share the tables of subset sums.
const REPLICATES: usize = 2048;
/// Units in a group: the sums of all their 2^8 subsets are computed once, then looked up by a byte.
const GROUP: usize = 8;
/// Units whose coins are tossed at a time.
const UNITS: usize = 2048;
/// Columns treated together, so that a group's table stays in the fastest cache.
const COLUMNS: usize = 16;

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
#[must_use]
pub fn swapped_sums(
    rows: &ArrayView2<'_, f64>,
    swaps: Swaps,
    replicates: Range<u64>,
) -> Array2<f64> {
    let count = (replicates.end - replicates.start) as usize;
    let mut sums = Array2::zeros((count, rows.ncols()));
    let share = even_share(count);
    sums.axis_chunks_iter_mut(Axis(0), share).into_par_iter().enumerate().for_each(
        |(chunk, sums)| {
            let first = replicates.start + (chunk * share) as u64;
            add_replicates(rows, swaps, first, sums);
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
    mut sums: ArrayViewMut2<'_, f64>,
) {
    let replicates = sums.nrows();
    let mut coins: Vec<Coins> = (first..).take(replicates).map(|i| Coins::new(swaps, i)).collect();
    // The bytes of all replicates for one group stand together, in the order in which they are used.
    let mut taken = vec![0_u8; replicates * UNITS / GROUP];
    for block in rows.axis_chunks_iter(Axis(0), UNITS) {
        interruption::check();
        for (replicate, coins) in coins.iter_mut().enumerate() {
            toss(coins, block.nrows(), taken[replicate..].iter_mut().step_by(replicates));
        }
        for start in (0..rows.ncols()).step_by(COLUMNS) {
            let columns = Slice::from(start..rows.ncols().min(start + COLUMNS));
            let (block, sums) =
                (block.slice_axis(Axis(1), columns), sums.slice_axis_mut(Axis(1), columns));
            if is_exact_in_single_precision(&block) {
                add_columns::<f32>(&block, &taken, sums);
            } else {
                add_columns::<f64>(&block, &taken, sums);
            }
        }
    }
}

/// Whether all sums of a block's rows are whole numbers that 24 bits hold, as most counts are.
fn is_exact_in_single_precision(block: &ArrayView2<'_, f64>) -> bool {
    block.columns().into_iter().all(|column| {
        let size: f64 = column.iter().map(|cell| cell.abs()).sum();
        size < f64::from(1 << 24) && column.iter().all(|cell| cell.fract() == 0.0)
    })
}

/// A number in which sums are exact; the smaller it is, the more of them are added at a time.
trait Cell: Copy + Default + std::ops::AddAssign + std::ops::Add<Output = Self> + Into<f64> {
    fn of(number: f64) -> Self;
}

impl Cell for f32 {
    fn of(number: f64) -> Self {
        number as Self
    }
}

impl Cell for f64 {
    fn of(number: f64) -> Self {
        number
    }
}

/// Adds up some columns of a block of units for all replicates.
fn add_columns<C: Cell>(
    block: &ArrayView2<'_, f64>,
    taken: &[u8],
    mut sums: ArrayViewMut2<'_, f64>,
) {
    let replicates = sums.nrows();
    let mut partial = vec![[C::default(); COLUMNS]; replicates];
    let mut table = vec![[C::default(); COLUMNS]; 1 << GROUP];
    for (group, bytes) in block.axis_chunks_iter(Axis(0), GROUP).zip(taken.chunks(replicates)) {
        fill_with_subset_sums(&mut table, &group);
        add_group(&mut partial, &table, bytes);
    }
    for (mut sum, part) in sums.outer_iter_mut().zip(&partial) {
        sum.iter_mut().zip(part).for_each(|(sum, &part)| *sum += part.into());
    }
}

/// Writes the coins of one replicate for some units, a byte for each group.
fn toss<'a>(coins: &mut Coins, units: usize, mut bytes: impl Iterator<Item = &'a mut u8>) {
    for _ in 0..units.div_ceil(64) {
        for byte in coins.next().to_le_bytes() {
            if let Some(to) = bytes.next() {
                *to = byte;
            }
        }
    }
}

/// Adds to each replicate's sums the subset of a group that it takes.
fn add_group<C: Cell>(partial: &mut [[C; COLUMNS]], table: &[[C; COLUMNS]], bytes: &[u8]) {
    for (sums, &byte) in partial.iter_mut().zip(bytes) {
        let subset = &table[usize::from(byte)];
        for column in 0..COLUMNS {
            sums[column] += subset[column];
        }
    }
}

/// The sums of all subsets of a group: each adds its highest unit to a smaller subset.
///
/// Units that a last, smaller group lacks count as rows of zeros, and so do columns.
fn fill_with_subset_sums<C: Cell>(table: &mut [[C; COLUMNS]], group: &ArrayView2<'_, f64>) {
    table[0] = [C::default(); COLUMNS];
    for unit in 0..GROUP {
        let mut row = [C::default(); COLUMNS];
        if unit < group.nrows() {
            row.iter_mut().zip(group.row(unit)).for_each(|(to, from)| *to = C::of(*from));
        }
        let (smaller, larger) = table.split_at_mut(1 << unit);
        for (sum, part) in larger.iter_mut().zip(smaller) {
            *sum = std::array::from_fn(|column| part[column] + row[column]);
        }
    }
}

/// The coins of one replicate, 64 at a time.
struct Coins {
    swaps: Option<Stream>,
    enumerated: u64,
}

impl Coins {
    fn new(swaps: Swaps, replicate: u64) -> Self {
        match swaps {
            Swaps::Random { seed } => {
                Self { swaps: Some(Stream::new(seed, Purpose::Swaps, replicate)), enumerated: 0 }
            }
            Swaps::Enumerated => Self { swaps: None, enumerated: replicate },
        }
    }

    fn next(&mut self) -> u64 {
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
        let sums = swapped_sums(&rows.view(), Swaps::Enumerated, 0..8);
        let expected = [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0];
        assert_eq!(sums.column(0).to_vec(), expected);
    }

    #[test]
    fn sums_are_those_of_the_units_that_the_coins_took() {
        // 150 units in one-hot columns show every coin of a replicate.
        let rows = Array2::from_shape_fn((150, 150), |(i, j)| f64::from(u8::from(i == j)));
        let sums = swapped_sums(&rows.view(), Swaps::Random { seed: 3 }, 5..6);
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
        let all = swapped_sums(&rows.view(), swaps, 0..1500);
        let some = swapped_sums(&rows.view(), swaps, 700..731);
        assert_eq!(all.slice_axis(Axis(0), Slice::from(700..731)), some);
    }

    #[test]
    fn fractions_and_large_numbers_are_added_exactly_too() {
        let rows = Array2::from_shape_fn((100, 3), |(i, j)| match j {
            0 => i as f64,
            1 => i as f64 + 0.25,
            _ => (1_u64 << 40) as f64 + i as f64,
        });
        let sums = swapped_sums(&rows.view(), Swaps::Random { seed: 8 }, 0..64);
        for sum in sums.outer_iter() {
            let taken = (sum[1] - sum[0]) * 4.0;
            assert!((sum[2] - taken * (1_u64 << 40) as f64 - sum[0]).abs() < f64::EPSILON);
        }
    }

    #[test]
    fn a_unit_is_taken_half_of_the_time() {
        let rows = array![[1.0]];
        let sums = swapped_sums(&rows.view(), Swaps::Random { seed: 0 }, 0..10_000);
        assert!((sums.sum() - 5000.0).abs() < 250.0);
    }
}
