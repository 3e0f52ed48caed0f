//! The sums of two systems after their outputs were swapped on some units.

use ndarray::parallel::prelude::*;
use ndarray::{Array4, ArrayView2, ArrayView3, Axis};

use crate::parallel;

/// The sums of both systems of each pair in each trial, shaped (2, trial, pair, column).
///
/// `taken` has, for each trial and system, the sums over the units that the trial swaps; `sums` those
/// over all units. Swapping moves the first system's sums by what the second had there less what it had
/// there itself, and the second's by as much the other way.
#[must_use]
pub fn pair_sums(
    taken: &ArrayView3<'_, f64>,
    sums: &ArrayView2<'_, f64>,
    pairs: &[(usize, usize)],
) -> Array4<f64> {
    let (trials, _, width) = taken.dim();
    let mut swapped = Array4::zeros((2, trials, pairs.len(), width));
    let (mut first, mut second) = swapped.view_mut().split_at(Axis(0), 1);
    let (mut first, mut second) =
        (first.index_axis_mut(Axis(0), 0), second.index_axis_mut(Axis(0), 0));
    parallel::run(|| {
        first
            .outer_iter_mut()
            .into_par_iter()
            .zip(second.outer_iter_mut().into_par_iter())
            .zip(taken.outer_iter().into_par_iter())
            .for_each(|((mut first, mut second), taken)| {
                for (index, &(a, b)) in pairs.iter().enumerate() {
                    for column in 0..width {
                        let moved = taken[[b, column]] - taken[[a, column]];
                        first[[index, column]] = sums[[a, column]] + moved;
                        second[[index, column]] = sums[[b, column]] - moved;
                    }
                }
            });
    });
    swapped
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, array};

    #[test]
    fn what_one_system_loses_the_other_gains() {
        let sums = array![[10.0, 1.0], [20.0, 2.0], [30.0, 3.0]];
        let taken = array![[[1.0, 0.0], [4.0, 1.0], [9.0, 2.0]]];
        let swapped = pair_sums(&taken.view(), &sums.view(), &[(0, 1), (2, 0)]);
        let expected = array![[[[13.0, 2.0], [22.0, 1.0]]], [[[17.0, 1.0], [18.0, 3.0]]]];
        assert_eq!(swapped, expected);
        assert_eq!(swapped.sum_axis(Axis(0))[[0, 0, 0]] as i64, 30);
    }
}
