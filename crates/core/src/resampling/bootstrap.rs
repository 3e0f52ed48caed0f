//! Bootstrap: each replicate draws as many units as there are, with replacement (Efron, 1979).

use std::ops::Range;

use ndarray::{Array2, ArrayView2};

use super::free_columns::Count;
use super::stream::{Purpose, Stream};
use super::weighted_sums::weighted_sums;

/// Sums rows in each of `replicates`, shaped (replicate, column).
///
/// Units are drawn within each stratum, as many as it has; strata are ranges of rows. A replicate
/// depends on its index alone: replicate 7 is identical in all ranges.
#[must_use]
pub fn bootstrap_sums<C: Count>(
    rows: &ArrayView2<'_, C>,
    strata: &[Range<u32>],
    replicates: Range<u64>,
    seed: u64,
) -> Array2<f64> {
    weighted_sums(rows, replicates, |index, draws| {
        draw(draws, strata, &mut Stream::new(seed, Purpose::Bootstrap, index));
    })
}

/// Counts how often one replicate draws each unit.
fn draw(draws: &mut [u8], strata: &[Range<u32>], stream: &mut Stream) {
    for stratum in strata {
        let draws = &mut draws[stratum.start as usize..stratum.end as usize];
        stream.each_below(stratum.end - stratum.start, draws.len(), |unit| {
            let times = &mut draws[unit as usize];
            // One of more than 255 units drawn 256 times and more has no chance in any lifetime.
            *times = times.wrapping_add(1);
        });
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a test set of one stratum")]
mod tests {
    use super::*;
    use ndarray::{Axis, Slice, array};

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
        let mut draws = [0; 700];
        draw(&mut draws, &[0..700], &mut Stream::new(9, Purpose::Bootstrap, 3));
        for column in 0..2 {
            let expected: f64 =
                draws.iter().enumerate().map(|(i, &w)| f64::from(w) * rows[[i, column]]).sum();
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

    #[test]
    fn columns_are_added_exactly_whatever_they_hold() {
        // Numbers of 16 bits go one way, and all others another; 19 columns do not fill two panels.
        let rows = Array2::from_shape_fn((1001, 19), |(i, j)| match j {
            3 => i as f64 + 0.25,
            7 => 40_000.0 + i as f64,
            8 => -32_768.0,
            9 => (1_u64 << 40) as f64 + i as f64,
            18 => 32_767.0,
            _ => (i * (j + 1) % 101) as f64 - 50.0,
        });
        let sums = bootstrap_sums(&rows.view(), &[0..500, 500..1001], 0..39, 4);
        for (index, sum) in sums.outer_iter().enumerate() {
            let mut draws = [0; 1001];
            let mut stream = Stream::new(4, Purpose::Bootstrap, index as u64);
            draw(&mut draws, &[0..500, 500..1001], &mut stream);
            let weights = ndarray::Array1::from_iter(draws.iter().map(|&times| f64::from(times)));
            assert_eq!(sum, weights.dot(&rows));
        }
    }

    #[test]
    fn a_unit_of_few_may_be_drawn_every_time() {
        let rows = array![[1.0, 3.0]];
        assert_eq!(bootstrap_sums(&rows.view(), &[0..1], 0..1, 0), rows);
    }
}
