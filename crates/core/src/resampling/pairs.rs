//! The sums of two systems after their outputs were swapped on some units.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, Array4, ArrayView2, ArrayView3, Axis};

use crate::interruption;

/// Computes the sums of both systems of each pair in each replicate, shaped (2, replicate, pair,
/// column).
///
/// `swapped_sums` has, for each replicate and system, the sums over the units that the replicate swaps;
/// `sums` the sums over all units. Swapping moves the first system's sums by the second's swapped
/// sums less its own, and the second's sums by the opposite.
#[must_use]
pub fn pair_sums(
    swapped_sums: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
) -> Array4<f64> {
    let (replicates, _, width) = swapped_sums.dim();
    let mut swapped = Array4::zeros((2, replicates, pairs.len(), width));
    let (mut first, mut second) = swapped.view_mut().split_at(Axis(0), 1);
    let (mut first, mut second) =
        (first.index_axis_mut(Axis(0), 0), second.index_axis_mut(Axis(0), 0));
    first
        .outer_iter_mut()
        .into_par_iter()
        .zip(second.outer_iter_mut().into_par_iter())
        .zip(swapped_sums.outer_iter().into_par_iter())
        .for_each(|((mut first, mut second), swapped_sums)| {
            interruption::check();
            for (index, &(a, b)) in pairs.iter().enumerate() {
                for column in 0..width {
                    let shifted = swapped_sums[[b, column]] - swapped_sums[[a, column]];
                    first[[index, column]] = sums[[a, column]] + shifted;
                    second[[index, column]] = sums[[b, column]] - shifted;
                }
            }
        });
    swapped
}

/// Scores rows of sums that are stored in columns: the i-th row has every n-th number from i on.
pub trait Scores: Fn(&[f64], &mut [f64]) + Sync {}

impl<F: Fn(&[f64], &mut [f64]) + Sync> Scores for F {}

/// Computes the difference of each pair's scores in each replicate, shaped (replicate, pair).
///
/// Equal to scoring `pair_sums` and subtracting, without keeping the sums.
pub fn pair_differences(
    swapped_sums: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
    scores: impl Scores,
) -> Array2<f64> {
    let mut differences = Array2::zeros((swapped_sums.dim().0, pairs.len()));
    let runs = runs(pairs);
    differences
        .outer_iter_mut()
        .into_par_iter()
        .zip(swapped_sums.outer_iter().into_par_iter())
        .for_each_init(Scratch::default, |scratch, (mut differences, swapped_sums)| {
            interruption::check();
            if let Some(differences) = differences.as_slice_mut() {
                scratch.differences(&swapped_sums, sums, &runs, &scores, differences);
            }
        });
    differences
}

/// Side on which a difference is extreme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Far from 0.
    Both,
    /// High.
    Greater,
    /// Low.
    Less,
}

impl Side {
    /// Returns the difference with the sign that makes an extreme one large.
    #[must_use]
    pub fn extremeness(self, difference: f64) -> f64 {
        match self {
            Self::Both => difference.abs(),
            Self::Greater => difference,
            Self::Less => -difference,
        }
    }
}

/// Replicates that are counted together.
const TOGETHER: usize = 128;

/// Counts the replicates with a difference as extreme as a bound in a pair or in one after it.
///
/// Differences are multiplied by `factors`. `order` lists the pairs, and `bounds` and the counts
/// are in this order.
#[expect(clippy::too_many_arguments, reason = "all of them are settings of one pass")]
pub fn step_down_counts(
    swapped_sums: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
    scores: impl Scores,
    factors: &[f64],
    side: Side,
    order: &[usize],
    bounds: &[f64],
) -> Vec<u64> {
    let runs = runs(pairs);
    swapped_sums
        .axis_chunks_iter(Axis(0), TOGETHER)
        .into_par_iter()
        .map_init(
            || (Scratch::default(), vec![0.0; pairs.len()]),
            |(scratch, differences), swapped_sums| {
                let mut counts = vec![0_u64; pairs.len()];
                for swapped_sums in swapped_sums.outer_iter() {
                    interruption::check();
                    scratch.differences(&swapped_sums, sums, &runs, &scores, differences);
                    let mut largest = f64::NEG_INFINITY;
                    for place in (0..order.len()).rev() {
                        let pair = order[place];
                        largest = largest.max(side.extremeness(differences[pair] * factors[pair]));
                        counts[place] += u64::from(largest >= bounds[place]);
                    }
                }
                counts
            },
        )
        .reduce(
            || vec![0; pairs.len()],
            |mut counts, other| {
                counts.iter_mut().zip(other).for_each(|(count, more)| *count += more);
                counts
            },
        )
}

/// A run of pairs of one system with others that follow each other.
struct Run {
    first: usize,
    second: usize,
    length: usize,
}

/// The most pairs that are scored together.
const BATCH: usize = 128;

/// Returns the pairs as runs, in their order.
fn runs(pairs: &[(usize, usize)]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for &(first, second) in pairs {
        match runs.last_mut() {
            Some(run)
                if run.first == first
                    && run.second + run.length == second
                    && run.length < BATCH =>
            {
                run.length += 1;
            }
            _ => runs.push(Run { first, second, length: 1 }),
        }
    }
    runs
}

/// Memory for the differences of one replicate, reused from one to the next.
#[derive(Default)]
struct Scratch {
    /// Sums that a replicate takes, and sums that it leaves to their own system, by column and
    /// system.
    swapped_sums: Vec<f64>,
    left: Vec<f64>,
    columns: Vec<f64>,
    scores: Vec<f64>,
}

impl Scratch {
    /// Writes the difference of each pair in one replicate.
    fn differences(
        &mut self,
        swapped_sums: &ArrayView2<'_, f64>,
        sums: &ArrayView2<'_, f64>,
        runs: &[Run],
        scores: &impl Scores,
        differences: &mut [f64],
    ) {
        let (systems, width) = swapped_sums.dim();
        self.swapped_sums.clear();
        self.left.clear();
        for column in 0..width {
            self.swapped_sums.extend(swapped_sums.column(column));
            self.left.extend(
                sums.column(column).iter().zip(swapped_sums.column(column)).map(|(a, b)| a - b),
            );
        }
        let mut done = 0;
        for run in runs {
            // The first systems of the pairs, then the second ones.
            let count = run.length;
            self.columns.resize(2 * count * width, 0.0);
            self.scores.resize(2 * count, 0.0);
            for column in 0..width {
                let of_column = column * systems;
                let others = of_column + run.second..of_column + run.second + count;
                let (left, swapped_sums) =
                    (self.left[of_column + run.first], self.swapped_sums[of_column + run.first]);
                let (first, second) =
                    self.columns[2 * count * column..2 * count * (column + 1)].split_at_mut(count);
                for (sum, part) in first.iter_mut().zip(&self.swapped_sums[others.clone()]) {
                    *sum = left + part;
                }
                for (sum, part) in second.iter_mut().zip(&self.left[others]) {
                    *sum = part + swapped_sums;
                }
            }
            scores(&self.columns, &mut self.scores);
            let (first, second) = self.scores.split_at(count);
            let of_run = &mut differences[done..done + count];
            for ((difference, first), second) in of_run.iter_mut().zip(first).zip(second) {
                *difference = first - second;
            }
            done += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn what_one_system_loses_the_other_gains() {
        let sums = array![[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]];
        let swapped_sums = array![[[1.0, 0.0], [4.0, 1.0], [9.0, 2.0]]];
        let swapped = pair_sums(&swapped_sums.view(), &sums.view(), &[(0, 1), (2, 0)]);
        let expected = array![[[[13.0, 2.0], [22.0, 1.0]]], [[[17.0, 1.0], [18.0, 3.0]]]];
        assert_eq!(swapped, expected);
    }

    #[test]
    fn differences_are_those_of_the_scores_of_the_sums() {
        let sums = array![[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]];
        let swapped_sums =
            array![[[1.0, 0.0], [4.0, 1.0], [9.0, 2.0]], [[2.0, 1.0], [5.0, 1.5], [1.0, 1.0]]];
        let pairs = [(0, 1), (2, 0)];
        let found = pair_differences(&swapped_sums.view(), &sums.view(), &pairs, ratios);
        let swapped = pair_sums(&swapped_sums.view(), &sums.view(), &pairs);
        for ((replicate, pair), difference) in found.indexed_iter() {
            let of = |side: usize| {
                swapped[[side, replicate, pair, 0]] / swapped[[side, replicate, pair, 1]]
            };
            assert!((difference - (of(0) - of(1))).abs() < 1e-12);
        }
    }

    /// Divides the first column by the second, for rows stored in columns.
    fn ratios(columns: &[f64], scores: &mut [f64]) {
        let count = scores.len();
        for (place, score) in scores.iter_mut().enumerate() {
            *score = columns[place] / columns[count + place];
        }
    }

    /// Sums of 7 systems in 300 replicates, and all pairs of systems.
    fn many() -> (ndarray::Array3<f64>, Array2<f64>, Vec<(usize, usize)>) {
        let swapped_sums = ndarray::Array3::from_shape_fn((300, 7, 2), |(r, s, c)| {
            ((r * 31 + s * 17 + c * 5) % 23) as f64 + if c == 1 { 30.0 } else { 0.0 }
        });
        let sums = Array2::from_shape_fn((7, 2), |(s, c)| (100 + 7 * s + 200 * c) as f64);
        let pairs = (0..7).flat_map(|a| (a + 1..7).map(move |b| (a, b))).collect();
        (swapped_sums, sums, pairs)
    }

    #[test]
    fn counts_step_down_from_the_largest_of_what_follows() {
        let (swapped_sums, sums, pairs) = many();
        let all = pair_differences(&swapped_sums.view(), &sums.view(), &pairs, ratios);
        let order: Vec<usize> = (0..pairs.len()).rev().collect();
        let factors: Vec<f64> = (0..pairs.len()).map(|pair| 1.0 + pair as f64).collect();
        let bounds: Vec<f64> = (0..pairs.len()).map(|place| 0.2 - 0.005 * place as f64).collect();
        let counts = step_down_counts(
            &swapped_sums.view(),
            &sums.view(),
            &pairs,
            ratios,
            &factors,
            Side::Both,
            &order,
            &bounds,
        );
        for place in 0..order.len() {
            let reached = all.outer_iter().filter(|row| {
                order[place..]
                    .iter()
                    .any(|&pair| (row[pair] * factors[pair]).abs() >= bounds[place])
            });
            assert_eq!(counts[place], reached.count() as u64);
        }
    }
}
