//! Intervals made of bootstrap replicates: percentile and BCa.

use super::distributions::{normal_quantile, normal_tail};
use super::{Interval, TIE_TOLERANCE};

/// Rounding of a number of replicates: 1000 * (1 - 0.9) / 2 is 49.99999999999999 in floats, and means 50.
const WHOLE: f64 = 1e-6;

/// Returns the smallest number of replicates from which the interval at this level leaves any out.
#[must_use]
#[expect(clippy::cast_sign_loss, reason = "a number of replicates")]
pub fn min_replicates(level: f64) -> usize {
    (2.0 / (1.0 - level) - WHOLE).ceil() as usize
}

/// Returns the number of replicates that the interval leaves out on either side.
#[must_use]
pub fn percentile_rank(replicates: usize, level: f64) -> usize {
    whole(replicates as f64 * (1.0 - level) / 2.0).min(replicates.saturating_sub(1) / 2)
}

/// Returns the middle of the scores, with the same whole number left out on either side.
///
/// Koehn (2004, §5): of 1,000 scores at the level 0.95 the 26th to the 975th; Zhang & Vogel (2004, §3.1): of
/// 2,000 the 51st smallest and the 51st largest. The scores are reordered.
///
/// # Panics
///
/// Panics without scores.
#[must_use]
pub fn percentile_interval(scores: &mut [f64], level: f64) -> Interval {
    let rank = percentile_rank(scores.len(), level);
    between(scores, rank, scores.len() - 1 - rank)
}

/// Returns the bias-corrected and accelerated interval (Efron 1987, eq. 4.3).
///
/// `without` are the estimates without one unit each. The scores are reordered.
///
/// # Panics
///
/// Panics without scores.
#[must_use]
pub fn bca_interval(estimate: f64, scores: &mut [f64], without: &[f64], level: f64) -> Interval {
    let count = scores.len();
    let (low, high) = bca_levels(estimate, scores, without, level);
    let bottom = whole(count as f64 * low).min(count - 1);
    let top = whole(count as f64 * (1.0 - high)).min(count - 1);
    between(scores, bottom, count - 1 - top)
}

/// Returns the shares of the replicates below the two ends of the BCa interval.
///
/// They are (0.025, 0.975) at the level 0.95 without bias and skewness.
#[must_use]
pub fn bca_levels(estimate: f64, scores: &[f64], without: &[f64], level: f64) -> Interval {
    let bias = normal_quantile(share_below(estimate, scores));
    let acceleration = acceleration(without);
    let share = |quantile: f64| {
        let shifted = bias + quantile;
        let stretch = 1.0 - acceleration * shifted;
        if stretch > 0.0 {
            return normal_tail(bias + shifted / stretch);
        }
        // The formula's pole: its limit from the side of moderate quantiles.
        if shifted > 0.0 { 1.0 } else { 0.0 }
    };
    let quantile = -normal_quantile((1.0 - level) / 2.0);
    (share(-quantile), share(quantile))
}

/// Returns the share of the scores below the estimate, ties counted half.
///
/// If it would be 0 or 1, whose normal quantile is infinite, it is half a replicate away.
fn share_below(estimate: f64, scores: &[f64]) -> f64 {
    let margin = TIE_TOLERANCE * largest(scores).max(estimate.abs());
    let count = scores.len() as f64;
    let below = scores.iter().filter(|score| **score < estimate - margin).count() as f64 / count;
    let above = scores.iter().filter(|score| **score > estimate + margin).count() as f64 / count;
    let half = 0.5 / count;
    f64::midpoint(1.0, below - above).clamp(half, 1.0 - half)
}

/// Returns minus a sixth of the skewness of the jackknife estimates (Efron 1987, eq. 6.6).
///
/// It is 0 if the score does not depend on which unit is left out.
fn acceleration(without: &[f64]) -> f64 {
    let centre = without.iter().sum::<f64>() / without.len() as f64;
    let spread = without.iter().map(|value| (centre - value).abs()).fold(0.0, f64::max);
    if spread <= TIE_TOLERANCE * largest(without) {
        return 0.0;
    }
    let influence = || without.iter().map(|value| (centre - value) / spread);
    let cubes: f64 = influence().map(|value| value.powi(3)).sum();
    let squares: f64 = influence().map(|value| value * value).sum();
    cubes / squares.max(1.0).powf(1.5) / 6.0
}

fn largest(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).fold(0.0, f64::max)
}

#[expect(clippy::cast_sign_loss, reason = "a number of replicates")]
fn whole(number: f64) -> usize {
    (number + WHOLE).floor().max(0.0) as usize
}

/// Returns the scores of two ranks, counted from 0 from the smallest on.
fn between(scores: &mut [f64], low: usize, high: usize) -> Interval {
    let low = *scores.select_nth_unstable_by(low, f64::total_cmp).1;
    (low, *scores.select_nth_unstable_by(high, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_to(last: u32) -> Vec<f64> {
        (0..last).map(|rank| f64::from((rank * 7919) % last + 1)).collect()
    }

    #[test]
    fn percentiles_leave_out_a_whole_number_on_either_side() {
        // Koehn (2004), Zhang & Vogel (2004), and a number that is just below 50 in floats.
        for (count, level, expected) in [
            (1000, 0.95, (26.0, 975.0)),
            (2000, 0.95, (51.0, 1950.0)),
            (1000, 0.9, (51.0, 950.0)),
            (1039, 0.95, (26.0, 1014.0)),
            (1040, 0.95, (27.0, 1014.0)),
        ] {
            assert_eq!(percentile_interval(&mut one_to(count), level), expected);
        }
        assert_eq!(percentile_interval(&mut [3.0], 0.5), (3.0, 3.0));
        assert_eq!(percentile_interval(&mut [4.0, 3.0], 0.0), (3.0, 4.0));
    }

    #[test]
    fn the_smallest_number_of_replicates_leaves_one_out() {
        for (level, expected) in [(0.5, 4), (0.9, 20), (0.95, 40), (0.99, 200), (0.999, 2000)] {
            assert_eq!(min_replicates(level), expected);
            assert_eq!(percentile_rank(expected, level), 1);
            assert_eq!(percentile_rank(expected - 1, level), 0);
        }
    }

    #[test]
    fn bca_levels_equal_efrons_formula() {
        // 30 of 100 scores lie below 30.5; the jackknife's sums are -8/9 of cubes and (4/3)^(3/2).
        let mut scores = one_to(100);
        let without = [1.0, 1.0, 1.0, 0.0];
        let (low, high) = bca_levels(30.5, &scores, &without, 0.9);
        let (bias, acceleration, z) =
            (normal_quantile(0.3), 1.0 / (6.0 * 3.0_f64.sqrt()), normal_quantile(0.95));
        for (found, quantile) in [(low, -z), (high, z)] {
            let shifted = bias + quantile;
            let expected = normal_tail(bias + shifted / (1.0 - acceleration * shifted));
            assert!((found - expected).abs() < 1e-14);
        }
        let rank = |share: f64| (100.0 * share).floor() + 1.0;
        let top = 100.0 - (100.0 * (1.0 - high)).floor();
        assert_eq!(bca_interval(30.5, &mut scores, &without, 0.9), (rank(low), top));
    }

    #[test]
    fn without_bias_and_skewness_bca_is_the_percentile_interval() {
        let without = [-1.0, 1.0, -3.0, 3.0];
        let (low, high) = bca_levels(500.5, &one_to(1000), &without, 0.95);
        assert!((low - 0.025).abs() < 1e-15 && (high - 0.975).abs() < 1e-15);
        assert_eq!(bca_interval(500.5, &mut one_to(1000), &without, 0.95), (26.0, 975.0));
        // An estimate that does not depend on its units has no skewness either.
        assert_eq!(bca_interval(500.5, &mut one_to(1000), &[7.0; 3], 0.95), (26.0, 975.0));
    }

    #[test]
    fn estimates_beyond_all_replicates_stay_finite() {
        // Half a replicate of 1,000 is left above: z0 = 3.29, and both levels are close to 1.
        let (low, high) = bca_levels(2000.0, &one_to(1000), &[7.0; 3], 0.95);
        let bias = normal_quantile(0.9995);
        assert!((low - normal_tail(2.0 * bias - 1.959_963_984_540_054_5)).abs() < 1e-14);
        assert!((high - normal_tail(2.0 * bias + 1.959_963_984_540_054_5)).abs() < 1e-14);
        let (low, high) = bca_levels(-2000.0, &one_to(1000), &[7.0; 3], 0.95);
        assert!(low < 1e-8 && high < 0.001);
    }

    #[test]
    fn levels_beyond_the_pole_are_the_ends() {
        // The acceleration of one outlier among 25 units is 0.16: the pole lies at 6.4.
        let mut without = [1.0; 25];
        without[0] = 0.0;
        assert_eq!(bca_levels(2000.0, &one_to(1000), &without, 0.9999).1, 1.0);
        without[0] = 2.0;
        assert_eq!(bca_levels(-2000.0, &one_to(1000), &without, 0.9999).0, 0.0);
    }

    #[test]
    fn ties_of_the_estimate_count_half() {
        assert_eq!(share_below(2.0, &[1.0, 2.0, 2.0 + 1e-10, 3.0, 4.0]), 0.4);
        assert_eq!(share_below(0.0, &[1.0; 5]), 0.1);
        assert_eq!(share_below(2.0, &[1.0; 5]), 0.9);
    }
}
