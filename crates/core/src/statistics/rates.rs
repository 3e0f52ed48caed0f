//! Intervals of pass/fail scores, which are 0 or 1, and of paired differences of them.
//!
//! Near 0 and 1 no bootstrap and no t holds: ten successes in ten trials vary in no resample. Score
//! intervals do. A rate has Wilson's (1927), and by documents or blocks, whose results are
//! correlated, Korn and Graubard's (1998): Clopper and Pearson's with the effective sample size of
//! the clusters. The difference of two rates on the same items is tested by McNemar's exact test
//! (1947), the binomial test of the items that only one of the two gets right, and has Tango's
//! interval (1998), with the effective sample size of clusters too. Gates, which must not be
//! fooled, take Clopper and Pearson's bounds (1934) of the share of items that only one of the two
//! gets right, and of the share of these that the new one gets right; they leave out 0 where
//! McNemar's exact test rejects.
//!
//! Assumes independent items, or clusters; nothing else.

use ndarray::{ArrayView1, ArrayView2, ArrayView3, Axis};

use super::distributions::{beta_quantile, fair_tail, normal_quantile, student_quantile};
use super::{Interval, TIE_TOLERANCE};
use crate::resampling::{Count, Side};

/// Variance below which clusters do not vary.
const NO_VARIANCE: f64 = 1e-12;
/// Halvings of the distance to a bound.
const HALVINGS: u32 = 60;

/// Returns Wilson's score interval of a rate; the trials need not be a whole number.
#[must_use]
pub fn wilson_interval(rate: f64, trials: f64, level: f64) -> Interval {
    let square = normal_quantile((1.0 - level) / 2.0).powi(2);
    let centre = rate + square / (2.0 * trials);
    let variance = rate * (1.0 - rate) / trials + square / (4.0 * trials * trials);
    let half = (square * variance).sqrt();
    let divisor = 1.0 + square / trials;
    closed((centre - half) / divisor, (centre + half) / divisor, rate)
}

/// Returns Clopper and Pearson's interval of a rate, which covers at least as often as its level says.
#[must_use]
pub fn clopper_pearson_interval(rate: f64, trials: f64, level: f64) -> Interval {
    let (successes, tail) = (rate * trials, (1.0 - level) / 2.0);
    let failures = trials - successes;
    let low = if successes > 0.0 { beta_quantile(successes, failures + 1.0, tail) } else { 0.0 };
    let high =
        if failures > 0.0 { beta_quantile(successes + 1.0, failures, 1.0 - tail) } else { 1.0 };
    closed(low, high, rate)
}

/// Returns the interval with 0 inside if nothing succeeded, and 1 if everything did, whatever rounding does.
fn closed(low: f64, high: f64, rate: f64) -> Interval {
    let low = if rate <= 0.0 { 0.0 } else { low };
    let high = if rate >= 1.0 { 1.0 } else { high };
    (low.clamp(0.0, 1.0), high.clamp(0.0, 1.0))
}

/// Returns the effective sample size of clustered trials (Korn & Graubard 1998).
///
/// It is the number of clusters if nothing varies, and never more than the trials. `variance` is
/// the variance of the rate or difference by clusters, `trial_variance` the variance of a single
/// independent trial.
#[must_use]
pub fn effective_sample_size(
    variance: f64,
    trial_variance: f64,
    trials: f64,
    clusters: f64,
    level: f64,
) -> f64 {
    let varies = variance > NO_VARIANCE && trial_variance > NO_VARIANCE;
    let size = if varies { trial_variance / variance } else { clusters };
    if size >= trials {
        return trials;
    }
    let factor = student_quantile(level, trials - 1.0) / student_quantile(level, clusters - 1.0);
    size * factor * factor
}

/// Returns Korn and Graubard's interval of a rate over clusters, or Wilson's if every cluster is one trial.
#[must_use]
pub fn korn_graubard_interval(successes: &[f64], trials: &[f64], level: f64) -> Interval {
    let count: f64 = trials.iter().sum();
    let rate = successes.iter().sum::<f64>() / count;
    if trials.iter().all(|&trials| trials == 1.0) {
        return wilson_interval(rate, count, level);
    }
    let deviations = successes.iter().zip(trials).map(|(success, trials)| success - rate * trials);
    let variance = ratio_variance(deviations, successes.len(), count);
    let clusters = successes.len() as f64;
    let size = effective_sample_size(variance, rate * (1.0 - rate), count, clusters, level);
    clopper_pearson_interval(rate, size, level)
}

/// Estimates the variance of a ratio by linearisation over clusters.
fn ratio_variance(deviations: impl Iterator<Item = f64>, clusters: usize, trials: f64) -> f64 {
    let squares: f64 = deviations.map(|deviation| deviation * deviation).sum();
    let clusters = clusters as f64;
    clusters / (clusters - 1.0) * squares / (trials * trials)
}

/// Returns Tango's score interval of a difference of two rates on the same items.
///
/// `first` and `second` are the items that only the first, or only the second, gets right; they need not be
/// whole numbers.
#[must_use]
pub fn tango_interval(first: f64, second: f64, count: f64, level: f64) -> Interval {
    tango_bounds(first, second, count, -normal_quantile((1.0 - level) / 2.0))
}

/// Returns Tango's score interval by a quantile of the normal distribution instead of the level.
#[must_use]
pub fn tango_bounds(first: f64, second: f64, count: f64, quantile: f64) -> Interval {
    let bound = |side: f64| {
        let (mut inside, mut outside) = ((first - second) / count, -side);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            if tango_rejects(first, second, count, middle, side, quantile) {
                outside = middle;
            } else {
                inside = middle;
            }
        }
        if (inside + side).abs() < TIE_TOLERANCE { -side } else { inside }
    };
    (bound(1.0), bound(-1.0))
}

/// Returns whether the score test rejects a difference that lies below (1) or above (-1) the observed one.
fn tango_rejects(
    first: f64,
    second: f64,
    count: f64,
    difference: f64,
    side: f64,
    quantile: f64,
) -> bool {
    let room = difference * (1.0 - difference);
    let middle = first + second - (2.0 * count - first + second) * difference;
    let discriminant = (middle * middle + 8.0 * count * second * room).max(0.0).sqrt();
    let only_second = (discriminant + middle) / (4.0 * count);
    let variance = (count * (2.0 * only_second + room)).max(0.0);
    side * (first - second - count * difference) > quantile * variance.sqrt() + 1e-12
}

/// Returns the p-value of McNemar's exact test: that of the binomial distribution with probability 1/2.
///
/// `first` and `second` are the items that only the first, or only the second, gets right; `Side::Greater` asks
/// whether the first is better.
#[must_use]
pub fn mcnemar_p(first: f64, second: f64, side: Side) -> f64 {
    let discordant = first + second;
    match side {
        Side::Greater => fair_tail(first, discordant),
        Side::Less => fair_tail(second, discordant),
        Side::Both => (2.0 * fair_tail(first.max(second), discordant)).min(1.0),
    }
}

/// Returns bounds of a paired difference of rates that each lie beyond it in at most `alpha` of all cases.
///
/// Clopper and Pearson bound the share of discordant items among all items, and the first's share of the
/// discordant items: if that is one half, the difference is 0 whatever the former is.
#[must_use]
pub fn exact_bounds(first: f64, second: f64, count: f64, alpha: f64) -> Interval {
    let (discordant, level) = (first + second, 1.0 - 2.0 * alpha);
    let (low, high) = if discordant > 0.0 {
        let (low, high) = clopper_pearson_interval(first / discordant, discordant, level);
        (2.0 * low - 1.0, 2.0 * high - 1.0)
    } else {
        (-1.0, 1.0)
    };
    let (fewest, most) = clopper_pearson_interval(discordant / count, count, level);
    (low * if low < 0.0 { most } else { fewest }, high * if high > 0.0 { most } else { fewest })
}

/// Returns the p-value, by the exact bounds, of the hypothesis that the first rate is lower by the margin or
/// more; it is 1 if no bound excludes that.
#[must_use]
pub fn exact_p(first: f64, second: f64, count: f64, margin: f64) -> f64 {
    let passes = |alpha| exact_bounds(first, second, count, alpha).0 > -margin;
    let (mut low, mut high) = (0.0, 0.5);
    if !passes(high) {
        return 1.0;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if passes(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Returns whether units hold several items; rows are shaped (unit, system, 2): successes and trials.
#[must_use]
pub fn are_clustered(rows: &ArrayView3<'_, f64>) -> bool {
    rows.dim().2 > 1 && rows.index_axis(Axis(2), 1).iter().any(|&trials| trials > 1.0)
}

/// Discordant items of two systems, in items that are independent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedRates {
    /// Number of items that only the first system gets right.
    pub first: f64,
    /// Number of items that only the second system gets right.
    pub second: f64,
    /// Number of items.
    pub count: f64,
}

impl PairedRates {
    /// Counts the discordant items of a pair; clusters reduce the numbers to their effective sample size.
    ///
    /// `rows` are shaped (unit, system, 2): successes and trials. `scores` has the items' scores, shaped
    /// (item, system). The level of intervals decides the effective size of few clusters.
    #[must_use]
    pub fn of<C: Count + PartialOrd>(
        rows: &ArrayView3<'_, f64>,
        scores: &ArrayView2<'_, C>,
        pair: (usize, usize),
        level: f64,
    ) -> Self {
        let (left, right) = (scores.column(pair.0), scores.column(pair.1));
        let (first, second) = (wins(&left, &right), wins(&right, &left));
        let column =
            |system, column| rows.index_axis(Axis(1), system).index_axis_move(Axis(1), column);
        let trials = column(pair.0, 1);
        let count = trials.sum();
        if !are_clustered(rows) {
            return Self { first, second, count };
        }
        let difference = (first - second) / count;
        let (gained, lost) = (column(pair.0, 0), column(pair.1, 0));
        let gains = gained.iter().zip(&lost).zip(&trials);
        let deviations = gains.map(|((gained, lost), trials)| gained - lost - difference * trials);
        let variance = ratio_variance(deviations, rows.dim().0, count);
        let trial_variance = (first + second) / count - difference * difference;
        let clusters = rows.dim().0 as f64;
        let size = effective_sample_size(variance, trial_variance, count, clusters, level);
        Self { first: first * size / count, second: second * size / count, count: size }
    }
}

/// Counts the items on which the left score is larger.
fn wins<C: Count + PartialOrd>(left: &ArrayView1<'_, C>, right: &ArrayView1<'_, C>) -> f64 {
    left.iter().zip(right).filter(|(left, right)| left > right).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array3, array};

    fn assert_close(found: Interval, expected: Interval, within: f64) {
        let far = (found.0 - expected.0).abs().max((found.1 - expected.1).abs());
        assert!(far < within, "found {found:?}, expected {expected:?}");
    }

    #[test]
    fn intervals_of_a_rate_equal_scipy() {
        // scipy.stats.binomtest(...).proportion_ci.
        for (successes, trials, level, wilson, exact) in [
            (0.0, 10.0, 0.95, (0.0, 0.277_532_799_862_889_26), (0.0, 0.308_497_107_818_762_9)),
            (10.0, 10.0, 0.95, (0.722_467_200_137_110_9, 1.0), (0.691_502_892_181_237_1, 1.0)),
            (
                3.0,
                10.0,
                0.95,
                (0.107_791_267_406_301_02, 0.603_221_852_538_854_6),
                (0.066_739_511_177_734_47, 0.652_452_850_060_008),
            ),
            (
                5.0,
                10.0,
                0.9,
                (0.269_271_821_138_267_25, 0.730_728_178_861_732_8),
                (0.222_441_101_008_128_92, 0.777_558_898_991_871),
            ),
        ] {
            let rate = successes / trials;
            assert_close(wilson_interval(rate, trials, level), wilson, 1e-14);
            assert_close(clopper_pearson_interval(rate, trials, level), exact, 1e-13);
        }
    }

    #[test]
    fn clustered_rates_have_the_interval_of_rs_survey_package() {
        // svyciprop(method = "beta") of survey 4.1.1.
        let trials = [5.0; 8];
        let interval =
            korn_graubard_interval(&[3.0, 5.0, 4.0, 3.0, 2.0, 0.0, 5.0, 1.0], &trials, 0.95);
        assert_close(interval, (0.256_251_145_737_823_54, 0.852_927_901_558_874_4), 1e-9);
        let trials = [21.0, 12.0, 11.0, 20.0, 13.0, 23.0];
        let interval = korn_graubard_interval(&[20.0, 12.0, 11.0, 16.0, 13.0, 23.0], &trials, 0.95);
        assert_close(interval, (0.756_088_010_577_941_2, 0.998_597_630_435_305_5), 1e-9);
        let single = korn_graubard_interval(&[1.0, 0.0, 0.0], &[1.0; 3], 0.95);
        assert_eq!(single, wilson_interval(1.0 / 3.0, 3.0, 0.95));
    }

    #[test]
    fn clusters_that_do_not_vary_count_once_each() {
        // Four clusters of ten successes: few clusters widen by (2.023 / 3.182)^2.
        let factor = student_quantile(0.95, 39.0) / student_quantile(0.95, 3.0);
        let expected = clopper_pearson_interval(1.0, 4.0 * factor * factor, 0.95);
        assert_eq!(korn_graubard_interval(&[10.0; 4], &[10.0; 4], 0.95), expected);
        assert_eq!(effective_sample_size(0.0, 0.25, 40.0, 4.0, 0.95), 4.0 * factor * factor);
        assert_eq!(effective_sample_size(1.0, 1e-13, 40.0, 4.0, 0.95), 4.0 * factor * factor);
        // The effective size never exceeds the number of trials, even if clusters vary less than
        // independent trials.
        assert_eq!(effective_sample_size(0.001, 0.25, 40.0, 4.0, 0.95), 40.0);
        assert_eq!(effective_sample_size(0.25 / 40.0, 0.25, 40.0, 4.0, 0.95), 40.0);
        assert_eq!(effective_sample_size(0.01, 0.25, 40.0, 4.0, 0.95), 25.0 * factor * factor);
    }

    #[test]
    fn tangos_interval_equals_ratesci() {
        // scoreci of ratesci 1.0.0.
        for (first, second, count, expected) in [
            (12.0, 2.0, 50.0, (0.061_112_406_186_343_914, 0.344_708_748_282_148_5)),
            (0.0, 0.0, 30.0, (-0.113_513_393_173_968_7, 0.113_513_393_173_968_7)),
            (5.0, 5.0, 30.0, (-0.215_471_555_766_807_04, 0.215_471_555_766_807_04)),
            (10.0, 0.0, 10.0, (0.444_934_400_274_246_47, 1.0)),
        ] {
            assert_close(tango_interval(first, second, count, 0.95), expected, 1e-12);
            let (low, high) = tango_interval(second, first, count, 0.95);
            assert_close((-high, -low), expected, 1e-12);
        }
        assert_eq!(tango_interval(10.0, 0.0, 10.0, 0.95).1, 1.0);
        assert_eq!(tango_interval(0.0, 10.0, 10.0, 0.95).0, -1.0);
    }

    #[test]
    fn exact_bounds_combine_two_shares() {
        // Nothing seen in 100 items leaves a loss of 1 - 0.05^(1 / 100) possible.
        let loss = 1.0 - 0.05_f64.powf(0.01);
        assert_close(exact_bounds(0.0, 0.0, 100.0, 0.05), (-loss, loss), 1e-14);
        // All of 8 discordant items to the first: its share is at least 0.05^(1 / 8), so that the difference is
        // above 0, and the low end has the fewest discordant items.
        let low = 2.0 * 0.05_f64.powf(0.125) - 1.0;
        let (fewest, most) = clopper_pearson_interval(0.4, 20.0, 0.9);
        assert_close(exact_bounds(8.0, 0.0, 20.0, 0.05), (low * fewest, most), 1e-14);
        assert_close(exact_bounds(0.0, 8.0, 20.0, 0.05), (-most, -low * fewest), 1e-14);
        // A single discordant item may be chance: both ends have the most discordant items.
        let share = clopper_pearson_interval(1.0, 1.0, 0.9).0;
        let (_, most) = clopper_pearson_interval(0.05, 20.0, 0.9);
        assert_close(exact_bounds(1.0, 0.0, 20.0, 0.05), ((2.0 * share - 1.0) * most, most), 1e-14);
    }

    #[test]
    fn the_exact_p_is_where_the_bound_reaches_the_margin() {
        // Nothing in 100 items: p of a loss of 2 % is 0.98^100, one-sided.
        assert!((exact_p(0.0, 0.0, 100.0, 0.02) / 0.98_f64.powi(100) - 1.0).abs() < 1e-12);
        assert!((exact_p(8.0, 0.0, 20.0, 0.0) / 0.5_f64.powi(8) - 1.0).abs() < 1e-12);
        assert_eq!(exact_p(0.0, 8.0, 20.0, 0.1), 1.0);
        let p = exact_p(3.0, 5.0, 40.0, 0.15);
        assert!((exact_bounds(3.0, 5.0, 40.0, p).0 + 0.15).abs() < 1e-12);
    }

    /// Scores of two systems on six items, one unit each.
    fn items() -> (Array3<f64>, ndarray::Array2<i16>) {
        let scores = array![[1_i16, 0], [1, 1], [0, 1], [1, 0], [1, 0], [0, 0]];
        let rows = Array3::from_shape_fn((6, 2, 2), |(item, system, column)| {
            if column == 0 { f64::from(scores[[item, system]]) } else { 1.0 }
        });
        (rows, scores)
    }

    #[test]
    fn discordant_items_are_counted() {
        let (rows, scores) = items();
        assert!(!are_clustered(&rows.view()));
        let rates = PairedRates::of(&rows.view(), &scores.view(), (0, 1), 0.95);
        assert_eq!(rates, PairedRates { first: 3.0, second: 1.0, count: 6.0 });
        let swapped = PairedRates::of(&rows.view(), &scores.view(), (1, 0), 0.95);
        assert_eq!(swapped, PairedRates { first: 1.0, second: 3.0, count: 6.0 });
    }

    #[test]
    fn clusters_shrink_discordant_items_to_their_effective_sample_size() {
        let (rows, scores) = items();
        // The first three and the last three items together.
        let units = Array3::from_shape_fn((2, 2, 2), |(unit, system, column)| {
            (0..3).map(|item| rows[[3 * unit + item, system, column]]).sum()
        });
        assert!(are_clustered(&units.view()));
        let rates = PairedRates::of(&units.view(), &scores.view(), (0, 1), 0.95);
        // Gains of 0 and 2 in three items each, where a third of each is expected: both miss it by 1.
        let variance = 2.0 * 2.0 / 36.0;
        let trial_variance = 4.0 / 6.0 - 1.0 / 9.0;
        let size = effective_sample_size(variance, trial_variance, 6.0, 2.0, 0.95);
        assert!(size < 1.0);
        assert!((rates.count - size).abs() < 1e-15);
        assert!((rates.first - size / 2.0).abs() < 1e-15);
        assert!((rates.second - size / 6.0).abs() < 1e-15);
    }
}
