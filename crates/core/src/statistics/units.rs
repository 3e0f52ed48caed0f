//! Rows by unit: sums of their segments, and the grid on which sums of units are exact.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Zip};

use super::SIGNIFICANT_BITS;
use crate::resampling::Count;

/// Sums the rows of each unit; `unit_of` has the unit of each row, counted from 0.
///
/// # Panics
///
/// Panics if a row has no unit, or a unit from `units` on.
#[must_use]
pub fn add_up<C: Count>(rows: &ArrayView2<'_, C>, unit_of: &[u32], units: usize) -> Array2<f64> {
    let mut sums = Array2::zeros((units, rows.ncols()));
    assert_eq!(rows.nrows(), unit_of.len(), "one unit for each row");
    for (row, &unit) in rows.outer_iter().zip(unit_of) {
        Zip::from(sums.row_mut(unit as usize))
            .and(row)
            .for_each(|sum, &count| *sum += count.into());
    }
    sums
}

/// Returns whether any value is not a whole number.
#[must_use]
pub fn has_fractions(rows: &ArrayView2<'_, f64>) -> bool {
    rows.iter().any(|&value| is_fraction(value))
}

/// Rounds fractional columns to multiples of a power of two, so that no replicate's sum needs rounding.
///
/// A replicate draws as many rows as there are, so no sum exceeds that number times the largest absolute
/// value of its column. Columns of whole numbers stay unchanged.
pub fn on_exact_grid(rows: &mut ArrayViewMut2<'_, f64>) {
    let columns = rows.ncols();
    let (mut largest, mut fractional) = (vec![0.0_f64; columns], vec![false; columns]);
    for row in rows.outer_iter() {
        for ((&value, largest), fractional) in row.iter().zip(&mut largest).zip(&mut fractional) {
            *largest = largest.max(value.abs());
            *fractional |= is_fraction(value);
        }
    }
    let count = rows.nrows() as f64;
    let steps = largest.iter().zip(fractional);
    let steps: Vec<f64> =
        steps.map(|(largest, it)| if it { grid_step(largest * count) } else { 0.0 }).collect();
    if steps.iter().all(|&step| step <= 0.0) {
        return;
    }
    for mut row in rows.outer_iter_mut() {
        for (value, &step) in row.iter_mut().zip(&steps).filter(|(_, step)| **step > 0.0) {
            *value = (*value / step).round_ties_even() * step;
        }
    }
}

/// Returns the power of two whose multiples up to `largest` fit into the significand.
fn grid_step(largest: f64) -> f64 {
    let (_, exponent) = libm::frexp(largest);
    // The smallest subnormal number divides all others.
    libm::ldexp(1.0, exponent - SIGNIFICANT_BITS).max(f64::from_bits(1))
}

fn is_fraction(value: f64) -> bool {
    value.fract() != 0.0
}

/// Returns whether all scores are 0 or 1, and of the same segments for all systems.
///
/// Columns alternate between a system's score and its count, which is 0 for a missing segment and else 1.
#[must_use]
pub fn are_rates<C: Count>(rows: &ArrayView2<'_, C>) -> bool {
    let bit = |&value: &C| match value.into() {
        0.0 => Some(false),
        1.0 => Some(true),
        _ => None,
    };
    let mut any = false;
    for row in rows.outer_iter() {
        let Some(count) = row.get(1).and_then(bit) else { return false };
        let is_rate = row.iter().enumerate().all(|(column, value)| {
            bit(value).is_some_and(|value| column % 2 == 0 || value == count)
        });
        if !is_rate {
            return false;
        }
        any |= count;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn rows_are_added_up_wherever_they_stand() {
        let rows = array![[1_i16, 10], [2, 20], [4, 40]];
        assert_eq!(
            add_up(&rows.view(), &[1, 0, 1], 3),
            array![[2.0, 20.0], [5.0, 50.0], [0.0, 0.0]]
        );
    }

    #[test]
    fn sums_on_the_grid_are_the_same_in_any_order() {
        let mut rows = Array2::from_shape_fn((101, 2), |(row, column)| {
            ((row * 37 + column * 11) % 101) as f64 / 7.0 * [1.0, 10.0, 1e2, 1e3, 1e4][row % 5]
        });
        let before = rows.clone();
        on_exact_grid(&mut rows.view_mut());
        for (column, before) in rows.columns().into_iter().zip(before.columns()) {
            let forward: f64 = column.iter().sum();
            let backward: f64 = column.iter().rev().sum();
            assert_eq!(forward.to_bits(), backward.to_bits());
            // 101 rows up to 142,857 add up to less than 2 to the power of 24: half a step of 2^(24 - 52).
            let half = 2.0_f64.powi(-29);
            assert!(
                column.iter().zip(before).all(|(value, before)| (value - before).abs() <= half)
            );
        }
        assert_ne!(rows, before);
    }

    #[test]
    fn whole_columns_stay_and_fractions_round_to_even_steps() {
        // Three rows up to 3 add up to less than 16: the step is 2 to the power of 4 - 52.
        let step = 2.0_f64.powi(-48);
        let mut rows = array![[7.0, 3.0], [1.0, 0.5 + 0.5 * step], [2.0, 0.5 + 1.5 * step]];
        on_exact_grid(&mut rows.view_mut());
        assert_eq!(rows, array![[7.0, 3.0], [1.0, 0.5], [2.0, 0.5 + 2.0 * step]]);
    }

    #[test]
    fn the_smallest_numbers_are_on_the_grid() {
        let mut rows = array![[f64::from_bits(1)], [f64::from_bits(3)]];
        on_exact_grid(&mut rows.view_mut());
        assert_eq!(rows, array![[f64::from_bits(1)], [f64::from_bits(3)]]);
    }

    #[test]
    fn fractions_are_found() {
        assert!(has_fractions(&array![[1.0, 2.0], [-0.25, 0.0]].view()));
        assert!(!has_fractions(&array![[1.0, -2.0], [1e300, 0.0]].view()));
    }

    #[test]
    fn rates_are_zeros_and_ones_of_the_same_segments() {
        assert!(are_rates(&array![[1_i16, 1, 0, 1], [0, 1, 0, 1]].view()));
        assert!(are_rates(&array![[1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]].view()));
        // Another score, segments of one system only, two segments at once, no segments.
        assert!(!are_rates(&array![[0.5, 1.0, 0.0, 1.0]].view()));
        assert!(!are_rates(&array![[1.0, 1.0, 0.0, 0.0]].view()));
        assert!(!are_rates(&array![[1.0, 2.0, 0.0, 2.0]].view()));
        assert!(!are_rates(&array![[0.0, 0.0, 0.0, 0.0]].view()));
        assert!(!are_rates(&Array2::<f64>::zeros((0, 4)).view()));
    }
}
