//! Swaps that are scaled up to the variance of samples, and the share of the text that they swap.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayView3, ArrayViewMut2, Axis};

use super::{MIN_SWAP_RATIO, ROUNDING};

/// The smallest share of the text that scaled swaps are taken to swap, or to leave.
const SMALLEST_SHARE: f64 = 1e-6;

/// Returns the variance below which estimates vary by rounding only; `size` is the size of the scores.
#[must_use]
pub fn rounding_variance(size: f64) -> f64 {
    (ROUNDING * size.max(1.0)).powi(2)
}

/// Returns the variance of a difference over random swaps, over that over samples of units.
///
/// It is about 1 if outputs might as well be the other system's, and below 1 if a count moves one of the
/// scores only, as lengths do if one output is short and the other long: swaps then make two systems more alike
/// than samples do. `squares` is the sum of the squared differences after `count` swaps, `error` the standard
/// error of the jackknife, `size` the size of the scores. None if nothing varies.
#[must_use]
pub fn swap_ratio(squares: f64, count: u64, error: f64, size: f64) -> Option<f64> {
    let variance = error * error;
    (variance > rounding_variance(size)).then(|| squares / count as f64 / variance)
}

/// Returns the factor by which differences after swaps are multiplied, so that they vary as samples do.
#[must_use]
pub fn swap_scale(ratio: Option<f64>) -> f64 {
    match ratio {
        Some(ratio) if ratio < MIN_SWAP_RATIO => 1.0 / ratio.sqrt(),
        _ => 1.0,
    }
}

/// Returns the share of the text that each replicate swaps, by the columns that weigh it.
///
/// `swapped_sums` are the sums over the swapped units, shaped (replicate, system, column), `sums` those over all
/// units. The shares are shaped (replicate, pair), or (replicate, 1) if all pairs have the same: systems
/// differ if each is counted against the closest of several references. None if a system has no weight.
#[must_use]
pub fn swapped_shares(
    swapped_sums: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    weights: &[usize],
    pairs: &[(usize, usize)],
) -> Option<Array2<f64>> {
    let weigh = |columns: ndarray::ArrayView1<'_, f64>| -> f64 {
        weights.iter().map(|&column| columns[column]).sum()
    };
    let totals: Vec<f64> = sums.outer_iter().map(weigh).collect();
    if weights.is_empty() || totals.iter().any(|&total| total.is_nan() || total <= 0.0) {
        return None;
    }
    let (replicates, systems, _) = swapped_sums.dim();
    let mut swapped = Array2::zeros((replicates, systems));
    swapped.axis_iter_mut(Axis(0)).into_par_iter().zip(swapped_sums.axis_iter(Axis(0))).for_each(
        |(mut swapped, sums)| {
            swapped.iter_mut().zip(sums.outer_iter()).for_each(|(to, of)| *to = weigh(of));
        },
    );
    let is_common = totals.iter().all(|total| *total == totals[0])
        && swapped.outer_iter().all(|row| row.iter().all(|value| *value == row[0]));
    if is_common {
        return Some(Array2::from_shape_fn((replicates, 1), |(row, _)| {
            swapped[[row, 0]] / totals[0]
        }));
    }
    Some(Array2::from_shape_fn((replicates, pairs.len()), |(row, pair)| {
        let (left, right) = pairs[pair];
        (swapped[[row, left]] + swapped[[row, right]]) / (totals[left] + totals[right])
    }))
}

/// Scales differences after swaps, and returns the scaled shares of the text that are swapped.
///
/// The shares are scaled around a half, so that a hypothesis moves scaled differences by them. The
/// share stays above none and below all: such swaps rule nothing out, however small their
/// difference is. All are shaped (replicate, pair); the shares may be (replicate, 1).
pub fn scale_swaps(
    differences: &mut ArrayViewMut2<'_, f64>,
    shares: &ArrayView2<'_, f64>,
    scales: &[f64],
) -> Array2<f64> {
    for mut row in differences.outer_iter_mut() {
        row.iter_mut().zip(scales).for_each(|(difference, scale)| *difference *= scale);
    }
    Array2::from_shape_fn((shares.nrows(), scales.len()), |(row, pair)| {
        let share = shares[[row, if shares.ncols() == 1 { 0 } else { pair }]];
        if scales[pair] == 1.0 {
            return share;
        }
        (0.5 + (share - 0.5) * scales[pair]).clamp(SMALLEST_SHARE, 1.0 - SMALLEST_SHARE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array3, array};

    #[test]
    fn the_ratio_is_a_variance_over_a_squared_error() {
        assert_eq!(swap_ratio(90.0, 10, 3.0, 50.0), Some(1.0));
        assert_eq!(swap_ratio(45.0, 10, 3.0, 50.0), Some(0.5));
        // Errors are rounding relative to scores, and to 1 for smaller scores.
        assert_eq!(swap_ratio(1.0, 10, 5e-11, 50.0), None);
        assert!(swap_ratio(1.0, 10, 6e-11, 50.0).is_some());
        assert_eq!(swap_ratio(1.0, 10, 1e-12, 0.1), None);
        assert!(swap_ratio(1.0, 10, 1.1e-12, 0.1).is_some());
    }

    #[test]
    fn only_swaps_that_vary_less_are_scaled() {
        assert_eq!(swap_scale(Some(0.25)), 2.0);
        assert_eq!(swap_scale(Some(MIN_SWAP_RATIO)), 1.0);
        assert!(swap_scale(Some(0.899)) > 1.05);
        assert_eq!(swap_scale(Some(4.0)), 1.0);
        assert_eq!(swap_scale(None), 1.0);
    }

    #[test]
    fn shares_are_weights_of_the_swapped_units() {
        // Two replicates of three systems, whose columns 1 and 2 weigh the text.
        let swapped = Array3::from_shape_fn((2, 3, 3), |(replicate, system, column)| {
            (1 + replicate + 2 * system * column) as f64
        });
        let sums = array![[9.0, 2.0, 8.0], [9.0, 10.0, 10.0], [9.0, 20.0, 20.0]];
        let shares = swapped_shares(&swapped.view(), &sums.view(), &[1, 2], &[(0, 1), (2, 0)]);
        let expected = array![[10.0 / 30.0, 16.0 / 50.0], [14.0 / 30.0, 20.0 / 50.0]];
        assert_eq!(shares, Some(expected));
        assert_eq!(swapped_shares(&swapped.view(), &sums.view(), &[], &[(0, 1)]), None);
        let weightless = array![[9.0, 2.0, -2.0], [9.0, 10.0, 10.0], [9.0, 20.0, 20.0]];
        assert_eq!(swapped_shares(&swapped.view(), &weightless.view(), &[1, 2], &[(1, 2)]), None);
    }

    #[test]
    fn systems_of_one_reference_share_their_shares() {
        let swapped = array![[[3.0], [3.0]], [[1.0], [1.0]]];
        let (sums, pairs) = (array![[4.0], [4.0]], [(0, 1), (1, 0)]);
        let shares = swapped_shares(&swapped.view(), &sums.view(), &[0], &pairs);
        assert_eq!(shares, Some(array![[0.75], [0.25]]));
        // Equal totals of different swaps, or equal swaps of different totals, are not shared.
        let swapped = array![[[3.0], [1.0]], [[1.0], [1.0]]];
        let shares = swapped_shares(&swapped.view(), &sums.view(), &[0], &pairs);
        assert_eq!(shares, Some(array![[0.5, 0.5], [0.25, 0.25]]));
        let (swapped, sums) = (array![[[3.0], [3.0]]], array![[4.0], [8.0]]);
        let shares = swapped_shares(&swapped.view(), &sums.view(), &[0], &pairs);
        assert_eq!(shares, Some(array![[0.5, 0.5]]));
    }

    #[test]
    fn scaled_swaps_move_shares_away_from_a_half() {
        let mut differences = array![[1.0, -3.0], [2.0, 0.5]];
        let shares = array![[0.25], [0.9]];
        let scaled = scale_swaps(&mut differences.view_mut(), &shares.view(), &[1.0, 1.5]);
        assert_eq!(differences, array![[1.0, -4.5], [2.0, 0.75]]);
        assert_eq!(scaled, array![[0.25, 0.125], [0.9, 1.0 - SMALLEST_SHARE]]);
        let of_pairs = array![[0.25, 0.0], [1.0, 0.5]];
        let scaled = scale_swaps(&mut differences.view_mut(), &of_pairs.view(), &[1.0, 2.0]);
        assert_eq!(scaled, array![[0.25, SMALLEST_SHARE], [1.0, 0.5]]);
    }
}
