//! Standard errors, intervals and tests made of estimates without one unit each.
//!
//! A corpus score is a function of sums over units, and its error is to first order a mean of n influences,
//! one for each unit, which the jackknife gives (Efron & Tibshirani 1993, §11.2). Runaway outputs give these a
//! long tail. A test set that by chance has few of them then has a good score and a small standard error at
//! once, and Student's t is too sure of itself on one side. Hall (1992, "On the removal of skewness by
//! transformation") takes t = (estimate - true) / se to
//!
//! ```text
//! h(t) = t + u t² + u² t³ / 3 + u / 2,   u = skewness / (3 sqrt(n)),
//! ```
//!
//! which is monotone and has about Student's distribution on both sides. On the side where the long tail
//! misleads, the degrees of freedom are those with which a variance of normal values would be known as well:
//! the relative variance of s² is (kurtosis - 1) / n, and 2 / degrees of normal values (as Satterthwaite, 1946,
//! matches them). Of 300 segments with a few runaway outputs that may be 30. An interval and a test that are
//! made of it always agree, and need no replicates.
//!
//! Assumes independent units, and enough of them to have seen the tail: below about 60 no method knows of the
//! runaway outputs that the test set happens to lack.

use std::ops::Range;

use libm::cbrt;

use super::distributions::{student_quantile, student_tail};
use super::{Interval, TIE_TOLERANCE};
use crate::resampling::Side;

/// Returns the standard error of an estimate from those without one unit each (Tukey 1958).
#[must_use]
pub fn standard_error(without: &[f64]) -> f64 {
    let count = without.len() as f64;
    let centre = mean(without);
    let squares: f64 = without.iter().map(|value| (value - centre).powi(2)).sum();
    ((count - 1.0) / count * squares).sqrt()
}

/// Returns Student's interval by the standard error of the jackknife.
#[must_use]
pub fn student_interval(estimate: f64, without: &[f64], level: f64) -> Interval {
    let half = student_quantile(level, without.len() as f64 - 1.0) * standard_error(without);
    (estimate - half, estimate + half)
}

/// Returns the mean of values plus and minus t s / sqrt(n) (Koehn 2004, §4, eq. 5).
#[must_use]
pub fn mean_interval(values: &[f64], level: f64) -> Interval {
    let (count, centre) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let half = student_quantile(level, count - 1.0) * error;
    (centre - half, centre + half)
}

/// Returns the p-value of a difference over its standard error, by Student's t.
///
/// A difference without error is either none at all, p = 1, or certain, p = 0. `scale` is the size of the
/// scores, to which rounding is relative.
#[must_use]
pub fn student_p(difference: f64, error: f64, degrees: f64, side: Side, scale: f64) -> f64 {
    let rounding = TIE_TOLERANCE * difference.abs().max(scale.abs());
    let t = if error > rounding {
        difference / error
    } else if difference.abs() <= rounding {
        return 1.0;
    } else {
        f64::INFINITY.copysign(difference)
    };
    match side {
        Side::Both => 2.0 * student_tail(t.abs(), degrees),
        Side::Greater => student_tail(t, degrees),
        Side::Less => student_tail(-t, degrees),
    }
}

/// Returns Hall's skewness-corrected interval of an estimate.
///
/// `strata` are ranges of units whose shares are fixed, so that their mixture is not left to chance; without
/// any, all units are one stratum.
#[must_use]
pub fn hall_interval(
    estimate: f64,
    without: &[f64],
    level: f64,
    strata: &[Range<usize>],
) -> Interval {
    let influence = Influence::of(without, strata);
    let bound = |side: f64| {
        let quantile = student_quantile(level, influence.degrees_on(side));
        estimate - influence.error * without_skewness(side * quantile, influence.bend)
    };
    (bound(1.0), bound(-1.0))
}

/// Returns the p-value of the hypothesis that the true value is `distance` below the estimate.
///
/// `side` is `Greater` to ask whether the true value is above it. See `hall_interval` for the strata and
/// `student_p` for the scale.
#[must_use]
pub fn hall_p(
    distance: f64,
    without: &[f64],
    side: Side,
    scale: f64,
    strata: &[Range<usize>],
) -> f64 {
    let influence = Influence::of(without, strata);
    let is_certain = influence.error <= TIE_TOLERANCE * distance.abs().max(scale.abs());
    let (shifted, error, scale) = if is_certain {
        (distance, 0.0, scale)
    } else {
        let (t, u) = (distance / influence.error, influence.bend);
        (t + u * t * t + u * u * t * t * t / 3.0 + u / 2.0, 1.0, 0.0)
    };
    let sign = match side {
        Side::Greater => 1.0,
        Side::Less => -1.0,
        Side::Both => shifted,
    };
    student_p(shifted, error, influence.degrees_on(sign), side, scale)
}

/// Moments of the influences of units on an estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Standard error of the estimate.
    pub error: f64,
    /// Skewness / (3 sqrt(n)) of the influences, or 0 if no influence varies.
    pub bend: f64,
    /// Degrees of freedom with which a variance of normal values would be known as well, rounded down.
    pub degrees: f64,
    /// Number of units.
    units: f64,
}

impl Influence {
    /// Computes the moments from the estimates without one unit each.
    #[must_use]
    pub fn of(without: &[f64], strata: &[Range<usize>]) -> Self {
        let units = without.len() as f64;
        let centre = mean(without);
        let mut influence: Vec<f64> =
            without.iter().map(|value| (units - 1.0) * (centre - value)).collect();
        let all = 0..without.len();
        for stratum in if strata.is_empty() { std::slice::from_ref(&all) } else { strata } {
            let part = &mut influence[stratum.clone()];
            let count = part.len() as f64;
            let centre = mean(part);
            // One unit alone in its stratum shows nothing of how such units vary.
            let factor = (count / (count - 1.0).max(1.0)).sqrt();
            for value in part {
                *value = (*value - centre) * factor;
            }
        }
        let moment = |power| influence.iter().map(|value| value.powi(power)).sum::<f64>() / units;
        let variance = moment(2);
        let safe = if variance == 0.0 { 1.0 } else { variance };
        let skewness = moment(3) / (safe * safe.sqrt());
        let kurtosis = moment(4) / (safe * safe);
        let degrees = (2.0 * units / (kurtosis - 1.0).max(1e-9)).min(units - 1.0).floor();
        Self {
            error: (variance / units).sqrt(),
            bend: skewness / (3.0 * units.sqrt()),
            degrees: degrees.max(1.0),
            units,
        }
    }

    /// Returns the degrees of freedom on one side: fewer where the tail is on the other.
    ///
    /// There, a test set that happens to lack the tail has a large t. On the side of the tail t is rather too
    /// small, and needs no more caution.
    fn degrees_on(&self, side: f64) -> f64 {
        if side * self.bend < 0.0 { self.degrees } else { self.units - 1.0 }
    }
}

/// Returns the t that Hall's transformation takes to `shifted`.
#[must_use]
pub fn without_skewness(shifted: f64, bend: f64) -> f64 {
    if bend.abs() < TIE_TOLERANCE {
        return shifted;
    }
    (cbrt(1.0 + 3.0 * bend * (shifted - bend / 2.0)) - 1.0) / bend
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 8] = [1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 6.0, 14.0];

    fn without_each(values: &[f64]) -> Vec<f64> {
        let (sum, count) = (values.iter().sum::<f64>(), values.len() as f64);
        values.iter().map(|value| (sum - value) / (count - 1.0)).collect()
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "found {found}, expected {expected}");
    }

    #[test]
    fn the_jackknife_of_a_mean_is_students_interval_of_the_values() {
        // scipy.stats: sem, and t.interval(0.95, 7, mean, sem).
        let without = without_each(&VALUES);
        assert_close(standard_error(&without), 1.454_672_275_315_45);
        for (low, high) in [student_interval(4.5, &without, 0.95), mean_interval(&VALUES, 0.95)] {
            assert_close(low, 1.060_246_659_669_431_8);
            assert_close(high, 7.939_753_340_330_569);
        }
    }

    #[test]
    fn halls_interval_inverts_the_cubic_by_students_quantiles() {
        // The roots of h(t) = ±t by scipy.optimize.brentq, with 7 degrees below and 4 above the mean: the
        // kurtosis is 4.76, and 16 / 3.76 are 4 whole degrees.
        let without = without_each(&VALUES);
        let (low, high) = hall_interval(4.5, &without, 0.95, &[]);
        assert_close(low, 2.104_164_434_132_996);
        assert_close(high, 18.139_589_910_297_34);
        let influence = Influence::of(&without, &[]);
        assert_eq!(influence.degrees, 4.0);
        assert_eq!(influence, Influence::of(&without, std::slice::from_ref(&(0..8))));
        // Negated values have the negated interval.
        let negated: Vec<f64> = without.iter().map(|value| -value).collect();
        let (negated_low, negated_high) = hall_interval(-4.5, &negated, 0.95, &[]);
        assert_close(negated_low, -high);
        assert_close(negated_high, -low);
    }

    #[test]
    fn halls_p_is_students_tail_of_the_cubic() {
        // scipy.stats.t.sf of h(1 / sem) and h(-3 / sem), with 7 and 4 degrees.
        let without = without_each(&VALUES);
        for (distance, side, expected) in [
            (1.0, Side::Both, 0.402_800_620_528_608_16),
            (1.0, Side::Greater, 0.201_400_310_264_304_08),
            (1.0, Side::Less, 0.788_223_488_066_867),
            (-3.0, Side::Both, 0.291_492_688_547_354_5),
            (-3.0, Side::Greater, 0.867_958_939_101_888_9),
            (-3.0, Side::Less, 0.145_746_344_273_677_25),
        ] {
            assert_close(hall_p(distance, &without, side, 0.0, &[]), expected);
        }
    }

    #[test]
    fn students_p_needs_an_error_unless_the_difference_is_clear() {
        assert_close(student_p(2.0, 1.0, 3.0, Side::Both, 0.0), 0.139_325_968_558_843_05);
        assert_close(student_p(-2.0, 1.0, 3.0, Side::Less, 0.0), 0.069_662_984_279_421_52);
        // Nothing, and rounding of scores of this size.
        assert_eq!(student_p(0.0, 0.0, 3.0, Side::Both, 0.0), 1.0);
        assert_eq!(student_p(1e-9, 0.0, 3.0, Side::Greater, 100.0), 1.0);
        // Certain.
        assert_eq!(student_p(1.0, 0.0, 3.0, Side::Both, 100.0), 0.0);
        assert_eq!(student_p(1.0, 0.0, 3.0, Side::Less, 100.0), 1.0);
        assert_eq!(student_p(-1.0, 1e-12, 3.0, Side::Less, 100.0), 0.0);
    }

    #[test]
    fn estimates_that_do_not_vary_are_certain() {
        let same = [2.0; 10];
        assert_eq!(hall_interval(2.0, &same, 0.9, &[]), (2.0, 2.0));
        assert_eq!(hall_p(1.0, &same, Side::Greater, 0.0, &[]), 0.0);
        assert_eq!(hall_p(0.0, &same, Side::Greater, 0.0, &[]), 1.0);
        assert_eq!(hall_p(1e-8, &same, Side::Both, 100.0, &[]), 1.0);
    }

    #[test]
    fn differences_between_strata_do_not_count() {
        let values: Vec<f64> =
            VALUES.iter().copied().chain(VALUES.iter().map(|value| value + 100.0)).collect();
        let without = without_each(&values);
        let influence = Influence::of(&without, &[0..8, 8..16]);
        // Each half has the variance of the values, so the error is their sem / sqrt(2).
        assert_close(influence.error, 1.454_672_275_315_45 / 2.0_f64.sqrt());
        assert!(Influence::of(&without, &[]).error > 10.0);
        // A single unit in its stratum adds nothing.
        let alone = Influence::of(&without_each(&VALUES), &[0..7, 7..8]);
        let seven = &VALUES[..7];
        let centre = mean(seven);
        let squares: f64 = seven.iter().map(|value| (value - centre).powi(2)).sum();
        assert_close(alone.error, (squares * 7.0 / 6.0).sqrt() / 8.0);
    }

    #[test]
    fn a_long_tail_has_few_degrees() {
        let mut values = [0.0; 50];
        values[0] = 1.0;
        assert_eq!(Influence::of(&without_each(&values), &[]).degrees, 2.0);
        // Values without a tail have at most as many degrees of freedom as normal values.
        let signs: Vec<f64> = (0..10).map(|index| f64::from(index % 2)).collect();
        assert_eq!(Influence::of(&without_each(&signs), &[]).degrees, 9.0);
    }

    #[test]
    fn hardly_skewed_values_need_no_transformation() {
        assert_eq!(without_skewness(1.7, 9e-10), 1.7);
        let (shifted, bend) = (1.7, 0.05);
        let t = without_skewness(shifted, bend);
        assert_close(t + bend * t * t + bend * bend * t * t * t / 3.0 + bend / 2.0, shifted);
    }
}
