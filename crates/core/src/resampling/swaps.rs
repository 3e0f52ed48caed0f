//! Random swaps: each replicate takes a random half of the units (approximate randomization, Noreen 1989).
//!
//! Swapping systems X and Y on the units of a replicate moves the sums of X by Σ Y − Σ X over these units. So one
//! pass that adds up the taken units of every system serves all pairs of systems: a pair is a subtraction.

use std::ops::Range;

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

use super::cipher;
use super::free_columns::FreeColumns;
use super::stream::{Purpose, keyed};
use super::subset_sums::{Block, blocks};
use crate::interruption;

/// The most replicates that share the tables of subset sums.
const REPLICATES: usize = 1024;
/// Number of coins that are tossed together: a part of the units begins at a multiple of it.
pub const COINS: u64 = 64;
/// Words of 64 coins that a block of the cipher is.
const WORDS: u64 = cipher::WORDS as u64 / 2;

/// The units that replicates swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swaps {
    /// Each unit by a fair coin.
    Random {
        /// Seed of the coins.
        seed: u64,
    },
    /// Replicate i takes the units whose bits are set in i: all 2^units replicates are all there is.
    Enumerated,
}

/// Sums the rows that each of `replicates` swaps, shaped (replicate, column).
///
/// The rows may be a part of all units: the coin of a unit depends on the seed, the replicate and
/// the unit's place among all of them, so that the sums of parts add up to the sums of the whole. A
/// part begins at a multiple of [`COINS`] units.
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
    let table = Table::new(rows);
    sums.axis_chunks_iter_mut(Axis(0), share).into_par_iter().enumerate().for_each(
        |(chunk, sums)| {
            let first = replicates.start + (chunk * share) as u64;
            table.add_replicates(swaps, first, first_unit, sums);
        },
    );
    sums
}

/// Returns the number of replicates to add up at a time, so that all threads get equally many.
pub(super) fn even_share(replicates: usize) -> usize {
    let threads = rayon::current_num_threads().max(1);
    let rounds = replicates.div_ceil(threads * REPLICATES).max(1);
    replicates.div_ceil(threads * rounds).max(1)
}

/// Rows as replicates add them up: the free columns, and the corrections for exceptions.
struct Table {
    columns: FreeColumns,
    rows: Vec<Block>,
    corrections: Vec<Block>,
}

impl Table {
    fn new(rows: &ArrayView2<'_, f64>) -> Self {
        let columns = FreeColumns::new(rows);
        let (_, corrections) = columns.exceptions();
        let all: Vec<usize> = (0..corrections.ncols()).collect();
        let (rows, corrections) = (blocks(rows, columns.free()), blocks(&corrections, &all));
        Self { columns, rows, corrections }
    }

    /// Writes the sums of some replicates.
    fn add_replicates(
        &self,
        swaps: Swaps,
        first: u64,
        first_unit: u64,
        mut sums: ArrayViewMut2<'_, f64>,
    ) {
        let replicates = sums.nrows();
        let (exceptions, corrections) = self.columns.exceptions();
        let mut free = Array2::zeros((replicates, self.columns.free().len()));
        let mut totals = vec![0; replicates];
        // The words of all replicates for 64 units stand together, in the order in which they are used.
        let mut coins = Vec::new();
        let mut of_exceptions = vec![0; exceptions.len().div_ceil(COINS as usize) * replicates];
        let (mut unit, mut exception) = (0, 0);
        for block in &self.rows {
            interruption::check();
            let first_word = (first_unit + unit as u64) / COINS;
            toss(swaps, first..first + replicates as u64, first_word, block.units, &mut coins);
            block.add(&coins, &mut free.view_mut());
            if self.columns.need_total() {
                for words in coins.chunks(replicates) {
                    totals.iter_mut().zip(words).for_each(|(sum, word)| *sum += word.count_ones());
                }
            }
            while exception < exceptions.len() && exceptions[exception] < unit + block.units {
                let place = exceptions[exception] - unit;
                let from = coins.chunks(replicates).nth(place / COINS as usize).unwrap_or_default();
                let to = of_exceptions.chunks_mut(replicates).nth(exception / COINS as usize);
                for (to, from) in to.unwrap_or_default().iter_mut().zip(from) {
                    *to |= (from >> (place % COINS as usize) & 1) << (exception % COINS as usize);
                }
                exception += 1;
            }
            unit += block.units;
        }
        let mut mended = Array2::zeros((replicates, corrections.ncols()));
        let mut of_exceptions = of_exceptions.as_slice();
        for block in &self.corrections {
            let (words, rest) =
                of_exceptions.split_at(block.units.div_ceil(COINS as usize) * replicates);
            block.add(words, &mut mended.view_mut());
            of_exceptions = rest;
        }
        for (place, mut sums) in sums.outer_iter_mut().enumerate() {
            if let (Some(free), Some(mended), Some(sums)) =
                (free.row(place).to_slice(), mended.row(place).to_slice(), sums.as_slice_mut())
            {
                self.columns.complete(free, f64::from(totals[place]), mended, sums);
            }
        }
    }
}

/// Tosses the coins of `units` units: the coins of 64 units in all replicates, then the coins of
/// the next 64. Bits beyond the units are 0. `first` is the index of the first word among all
/// units.
pub(super) fn toss(
    swaps: Swaps,
    replicates: Range<u64>,
    first: u64,
    units: usize,
    coins: &mut Vec<u64>,
) {
    let count = (replicates.end - replicates.start) as usize;
    let words = (units as u64).div_ceil(COINS);
    coins.clear();
    coins.resize(words as usize * count, 0);
    match swaps {
        Swaps::Random { seed } => {
            let cipher = keyed(seed, Purpose::Swaps);
            let mut blocks = [[0; cipher::BLOCKS]; cipher::WORDS];
            for place in first / WORDS..(first + words).div_ceil(WORDS) {
                for start in (0..count).step_by(cipher::BLOCKS) {
                    cipher.parallel(replicates.start + start as u64, place, &mut blocks);
                    let end = count.min(start + cipher::BLOCKS);
                    for (word, [low, high]) in (place * WORDS..).zip(blocks.as_chunks().0) {
                        if (first..first + words).contains(&word) {
                            let row = (word - first) as usize * count;
                            let coins = &mut coins[row + start..row + end];
                            for ((coins, &low), &high) in coins.iter_mut().zip(low).zip(high) {
                                *coins = u64::from(low) | u64::from(high) << 32;
                            }
                        }
                    }
                }
            }
        }
        // The units beyond the 64th are never taken: there are no more than 2^64 replicates.
        Swaps::Enumerated if first == 0 && words > 0 => {
            coins.iter_mut().zip(replicates).for_each(|(coins, index)| *coins = index);
        }
        Swaps::Enumerated => {}
    }
    let beyond = units % COINS as usize;
    if beyond > 0 {
        let last = coins.len() - count;
        coins[last..].iter_mut().for_each(|word| *word &= (1 << beyond) - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stream::Stream;
    use super::*;
    use ndarray::{Slice, array};

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
        // Each kind of number occurs among whole numbers, next to one another and by itself.
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
