//! The sums of two systems after their outputs were swapped on some units.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, Array4, ArrayView1, ArrayView2, ArrayView3, Axis};

use crate::interruption;

/// The sums of both systems of each pair in each replicate, shaped (2, replicate, pair, column).
///
/// `taken` has, for each replicate and system, the sums over the units that the replicate swaps; `sums` those
/// over all units. Swapping moves the first system's sums by what the second had there less what it had
/// there itself, and the second's by as much the other way.
#[must_use]
pub fn pair_sums(
    taken: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
) -> Array4<f64> {
    let (replicates, _, width) = taken.dim();
    let mut swapped = Array4::zeros((2, replicates, pairs.len(), width));
    let (mut first, mut second) = swapped.view_mut().split_at(Axis(0), 1);
    let (mut first, mut second) =
        (first.index_axis_mut(Axis(0), 0), second.index_axis_mut(Axis(0), 0));
    first
        .outer_iter_mut()
        .into_par_iter()
        .zip(second.outer_iter_mut().into_par_iter())
        .zip(taken.outer_iter().into_par_iter())
        .for_each(|((mut first, mut second), taken)| {
            interruption::check();
            for (index, &(a, b)) in pairs.iter().enumerate() {
                for column in 0..width {
                    let moved = taken[[b, column]] - taken[[a, column]];
                    first[[index, column]] = sums[[a, column]] + moved;
                    second[[index, column]] = sums[[b, column]] - moved;
                }
            }
        });
    swapped
}

/// The difference of each pair's scores in each replicate, shaped (replicate, pair).
///
/// As scoring `pair_sums` and subtracting, without keeping the sums.
pub fn pair_differences(
    taken: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
    score: impl Fn(&[f64]) -> f64 + Sync,
) -> Array2<f64> {
    let (replicates, _, width) = taken.dim();
    let mut differences = Array2::zeros((replicates, pairs.len()));
    differences
        .outer_iter_mut()
        .into_par_iter()
        .zip(taken.outer_iter().into_par_iter())
        .for_each_init(
            || (vec![0.0; width], vec![0.0; width]),
            |(first, second), (mut differences, taken)| {
                interruption::check();
                // What each system has left of its own; the pairs add what they get.
                let left = sums - &taken;
                for (difference, &(a, b)) in differences.iter_mut().zip(pairs) {
                    add(first, &left.row(a), &taken.row(b));
                    add(second, &left.row(b), &taken.row(a));
                    *difference = score(first) - score(second);
                }
            },
        );
    differences
}

fn add(sum: &mut [f64], left: &ArrayView1<'_, f64>, right: &ArrayView1<'_, f64>) {
    if let (Some(left), Some(right)) = (left.to_slice(), right.to_slice()) {
        for ((sum, left), right) in sum.iter_mut().zip(left).zip(right) {
            *sum = left + right;
        }
    } else {
        sum.iter_mut()
            .zip(left.iter().zip(right))
            .for_each(|(sum, (left, right))| *sum = left + right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn what_one_system_loses_the_other_gains() {
        let sums = array![[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]];
        let taken = array![[[1.0, 0.0], [4.0, 1.0], [9.0, 2.0]]];
        let swapped = pair_sums(&taken.view(), &sums.view(), &[(0, 1), (2, 0)]);
        let expected = array![[[[13.0, 2.0], [22.0, 1.0]]], [[[17.0, 1.0], [18.0, 3.0]]]];
        assert_eq!(swapped, expected);
    }

    #[test]
    fn differences_are_those_of_the_scores_of_the_sums() {
        let sums = array![[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]];
        let taken =
            array![[[1.0, 0.0], [4.0, 1.0], [9.0, 2.0]], [[2.0, 1.0], [5.0, 1.5], [1.0, 1.0]]];
        let pairs = [(0, 1), (2, 0)];
        let score = |row: &[f64]| row[0] / row[1];
        let found = pair_differences(&taken.view(), &sums.view(), &pairs, score);
        let swapped = pair_sums(&taken.view(), &sums.view(), &pairs);
        for ((replicate, pair), difference) in found.indexed_iter() {
            let of = |side: usize| {
                swapped[[side, replicate, pair, 0]] / swapped[[side, replicate, pair, 1]]
            };
            assert!((difference - (of(0) - of(1))).abs() < 1e-12);
        }
    }
}
