//! Bootstrap: each replicate draws as many units as there are, with replacement (Efron, 1979).

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, Slice};

use super::stream::{Purpose, Stream};
use crate::interruption;

/// Replicates whose weights are kept at a time: each row is read once for all of them.
const REPLICATES: usize = 32;
/// Units whose weights are multiplied with their rows at a time.
const UNITS: usize = 512;

/// The sums of rows in each of `replicates`, shaped (replicate, column).
///
/// Units are drawn within each stratum, as many as it has; strata are ranges of rows. The index of a
/// replicate is its own: replicate 7 is the same whichever are asked for with it.
#[must_use]
pub fn bootstrap_sums(
    rows: &ArrayView2<'_, f64>,
    strata: &[Range<u32>],
    replicates: Range<u64>,
    seed: u64,
) -> Array2<f64> {
    let count = (replicates.end - replicates.start) as usize;
    let mut sums = Array2::zeros((count, rows.ncols()));
    sums.axis_chunks_iter_mut(Axis(0), REPLICATES).into_par_iter().enumerate().for_each(
        |(chunk, sums)| {
            let first = replicates.start + (chunk * REPLICATES) as u64;
            add_replicates(rows, strata, first, seed, sums);
        },
    );
    sums
}

/// Adds up some replicates: how often each draws each unit, times the units' rows.
fn add_replicates(
    rows: &ArrayView2<'_, f64>,
    strata: &[Range<u32>],
    first: u64,
    seed: u64,
    mut sums: ArrayViewMut2<'_, f64>,
) {
    let draws: Vec<Vec<u16>> = (first..)
        .take(sums.nrows())
        .map(|index| draw(rows.nrows(), strata, &mut Stream::new(seed, Purpose::Bootstrap, index)))
        .collect();
    let mut weights = Array2::zeros((sums.nrows(), UNITS));
    for start in (0..rows.nrows()).step_by(UNITS) {
        interruption::check();
        let end = rows.nrows().min(start + UNITS);
        let mut weights = weights.slice_axis_mut(Axis(1), Slice::from(..end - start));
        for (mut row, draw) in weights.outer_iter_mut().zip(&draws) {
            row.iter_mut().zip(&draw[start..end]).for_each(|(to, &from)| *to = f64::from(from));
        }
        let rows = rows.slice_axis(Axis(0), Slice::from(start..end));
        general_mat_mul(1.0, &weights, &rows, 1.0, &mut sums);
    }
}

/// How often one replicate draws each unit.
fn draw(units: usize, strata: &[Range<u32>], stream: &mut Stream) -> Vec<u16> {
    let mut drawn = vec![0_u16; units];
    for stratum in strata {
        let size = stratum.end - stratum.start;
        for _ in 0..size {
            let unit = (stratum.start + stream.below(size)) as usize;
            // One unit drawn 65,535 times and more has no chance in any lifetime.
            drawn[unit] = drawn[unit].saturating_add(1);
        }
    }
    drawn
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a test set of one stratum")]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_replicate_draws_as_many_units_as_there_are_in_each_stratum() {
        let rows = array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]];
        let sums = bootstrap_sums(&rows.view(), &[0..2, 2..5], 0..100, 1);
        assert!(sums.outer_iter().all(|sum| sum == array![2.0, 3.0]));
    }

    #[test]
    fn a_replicate_does_not_depend_on_its_neighbours() {
        let rows = Array2::from_shape_fn((1000, 3), |(i, j)| (i * (j + 1)) as f64);
        let strata = [0..1000];
        let all = bootstrap_sums(&rows.view(), &strata, 0..100, 5);
        let some = bootstrap_sums(&rows.view(), &strata, 40..77, 5);
        assert_eq!(all.slice_axis(Axis(0), Slice::from(40..77)), some);
        assert_ne!(all.row(0), all.row(1));
        assert_ne!(all, bootstrap_sums(&rows.view(), &strata, 0..100, 6));
    }

    #[test]
    fn sums_are_those_of_the_drawn_rows() {
        let rows = Array2::from_shape_fn((700, 2), |(i, j)| (i + 1000 * j) as f64);
        let sums = bootstrap_sums(&rows.view(), &[0..700], 3..4, 9);
        let drawn = draw(700, &[0..700], &mut Stream::new(9, Purpose::Bootstrap, 3));
        for column in 0..2 {
            let expected: f64 =
                drawn.iter().enumerate().map(|(i, &w)| f64::from(w) * rows[[i, column]]).sum();
            assert!((sums[[0, column]] - expected).abs() < 0.5);
        }
    }

    #[test]
    fn replicates_spread_like_the_theory_says() {
        // The variance of a bootstrap sum is n times the variance of the units.
        let rows = Array2::from_shape_fn((400, 1), |(i, _)| (i % 2) as f64);
        let sums = bootstrap_sums(&rows.view(), &[0..400], 0..4000, 11);
        let variance = sums.var(0.0);
        assert!((variance - 100.0).abs() < 10.0, "{variance}");
    }
}
