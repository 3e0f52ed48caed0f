//! Intervals that agree with a test: the differences that it does not reject.

use super::Interval;
use super::rates::{PairedRates, clopper_pearson_interval, mcnemar_p, tango_interval};
use crate::resampling::Side;

/// Returns the significance level of a confidence level; 1 - 0.9 is 0.09999999999999998 in floats, and means
/// 0.1.
#[must_use]
pub fn alpha(level: f64) -> f64 {
    ((1.0 - level) * 1e12).round() / 1e12
}

/// Returns the smallest number of extreme replicates at which a hypothesis is not rejected.
///
/// It is 0 if there are too few replicates to reject any. `exact` replicates are all swaps.
#[must_use]
#[expect(clippy::cast_sign_loss, reason = "a rank from 0 up")]
pub fn critical_rank(replicates: u64, alpha: f64, exact: bool) -> usize {
    let share = (if exact { replicates } else { replicates + 1 }) as f64;
    let mut rank = (alpha * share).floor();
    // Compare as the test compares p: 0.1 * 10 may be a little less than 1, and 1 / 10 is not above
    // 0.1.
    if (rank + 1.0) / share <= alpha {
        rank += 1.0;
    }
    if rank / share > alpha {
        rank -= 1.0;
    }
    (if exact { rank + 1.0 } else { rank }).max(0.0) as usize
}

/// Returns the p-value of a number of extreme replicates; the observed test set counts as one more of them
/// unless the replicates are all swaps.
#[must_use]
pub fn p_value(extreme: u64, replicates: u64, exact: bool) -> f64 {
    let (extreme, replicates) = (extreme as f64, replicates as f64);
    if exact { extreme / replicates } else { (extreme + 1.0) / (replicates + 1.0) }
}

/// Returns the level of the two-sided interval with the ends of the test's interval.
#[must_use]
pub fn inverted_level(alpha: f64, side: Side) -> f64 {
    if side == Side::Both { 1.0 - alpha } else { (1.0 - 2.0 * alpha).max(1e-9) }
}

/// A test of the hypothesis that two systems are equally good, and its outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The p-value.
    pub p: f64,
    /// The significance level.
    pub alpha: f64,
    /// Side on which differences are extreme.
    pub side: Side,
    /// 1, or -1 if lower is better.
    pub sign: f64,
}

impl Decision {
    fn is_rejected(&self) -> bool {
        self.p <= self.alpha
    }
}

/// Returns the differences that a test does not reject, infinite if it rejects none.
///
/// `difference` is the first score minus the second; the half-widths are distances below and above it with
/// higher being better. The p-value decides whether the interval holds 0 if two differences tie but for
/// rounding.
#[must_use]
pub fn inverted_interval(difference: f64, half_widths: Interval, decision: &Decision) -> Interval {
    let observed = decision.sign * difference;
    let (mut low, mut high) = (observed - half_widths.0, observed + half_widths.1);
    if decision.side != Side::Less && !decision.is_rejected() {
        low = low.min(0.0);
    }
    if decision.side != Side::Greater && !decision.is_rejected() {
        high = high.max(0.0);
    }
    // Adding 0 removes the sign of -0.
    if decision.sign > 0.0 { (low + 0.0, high + 0.0) } else { (-high + 0.0, -low + 0.0) }
}

/// Differing units from which the shift of a test by swaps is a fair model.
pub const ENOUGH_DIFFERING: usize = 20;

/// Returns the smallest number of differing units whose swaps can give a p-value of alpha or less.
#[must_use]
#[expect(clippy::cast_sign_loss, reason = "a number from 0 up")]
pub fn fewest_differing(alpha: f64, side: Side) -> usize {
    (-alpha.log2()).ceil() as usize + usize::from(side == Side::Both)
}

/// Returns the interval of a test by swaps if few of the units differ between the two systems.
///
/// The test shifts all units, equal ones too, so that its interval is too narrow: with 6 or more of 100 units
/// differing it is joined with Student's interval of the jackknife, except at an end that excludes 0. With too
/// few differing units for any difference to be significant there is no interval: both ends are infinite.
#[must_use]
pub fn few_differing_interval(
    interval: Interval,
    student: Interval,
    differing: usize,
    units: usize,
    decision: &Decision,
) -> Interval {
    if differing < fewest_differing(decision.alpha, decision.side) {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    if differing >= ENOUGH_DIFFERING || differing >= units {
        return interval;
    }
    let (mut low, mut high) = interval;
    if low <= 0.0 || !decision.is_rejected() {
        low = low.min(student.0);
    }
    if high >= 0.0 || !decision.is_rejected() {
        high = high.max(student.1);
    }
    (low, high)
}

/// Returns Tango's interval of a difference of pass/fail scores, in accord with its test.
///
/// A shift is no model of scores that are 0 or 1. If Tango's interval leaves out 0 and the test does not reject
/// it, the interval is widened to 0; if it holds 0 and the test rejects it, the end is the test's own: for McNemar's
/// test, Clopper and Pearson's bound of the share of discordant items, for swaps, the inverted one.
#[must_use]
pub fn pass_fail_interval(
    difference: f64,
    rates: &PairedRates,
    of_test: Interval,
    decision: &Decision,
) -> Interval {
    let level = inverted_level(decision.alpha, decision.side);
    let (mut low, mut high) = tango_interval(rates.first, rates.second, rates.count, level);
    let decides_low = match decision.side {
        Side::Both => difference > 0.0,
        side => (side == Side::Greater) == (decision.sign > 0.0),
    };
    match (decision.is_rejected(), decides_low) {
        (false, true) => low = low.min(0.0),
        (false, false) => high = high.max(0.0),
        // An end at 0 would hold 0: p may be alpha itself.
        (true, true) if low <= 0.0 => low = of_test.0.max(f64::MIN_POSITIVE),
        (true, false) if high >= 0.0 => high = of_test.1.min(-f64::MIN_POSITIVE),
        _ => {}
    }
    (low + 0.0, high + 0.0)
}

/// Returns the p-value of McNemar's exact test of pass/fail scores, and the interval that agrees with it.
#[must_use]
pub fn mcnemar_test(rates: &PairedRates, alpha: f64, side: Side, sign: f64) -> (f64, Interval) {
    let (first, second) = (rates.first, rates.second);
    let p =
        if sign > 0.0 { mcnemar_p(first, second, side) } else { mcnemar_p(second, first, side) };
    let discordant = first + second;
    let of_share = |share: f64| (2.0 * share - 1.0) * discordant / rates.count;
    let level = inverted_level(alpha, side);
    let share = if discordant > 0.0 { first / discordant } else { 0.5 };
    let (low, high) = clopper_pearson_interval(share, discordant, level);
    let own = (of_share(low), of_share(high));
    let difference = (first - second) / rates.count;
    (p, pass_fail_interval(difference, rates, own, &Decision { p, alpha, side, sign }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_critical_rank_is_where_p_exceeds_alpha() {
        for exact in [false, true] {
            for replicates in [1, 9, 10, 19, 20, 64, 999, 1000, 9999, 10_000] {
                for level in [0.9, 0.95, 0.975, 0.99] {
                    let alpha = alpha(level);
                    let rank = critical_rank(replicates, alpha, exact);
                    let first_kept = (0..=replicates)
                        .find(|&extreme| p_value(extreme, replicates, exact) > alpha);
                    assert_eq!(Some(rank as u64), first_kept);
                }
            }
        }
        assert_eq!(critical_rank(10, 0.05, false), 0);
        assert_eq!(critical_rank(9999, 0.05, false), 500);
        assert_eq!(critical_rank(64, 0.05, true), 4);
    }

    #[test]
    fn the_significance_level_is_what_people_mean() {
        assert_eq!(alpha(0.9), 0.1);
        assert_eq!(alpha(0.95), 0.05);
        assert_eq!(inverted_level(0.05, Side::Both), 0.95);
        assert_eq!(inverted_level(0.05, Side::Less), 0.9);
        assert_eq!(inverted_level(0.5, Side::Greater), 1e-9);
    }

    fn decision(p: f64, side: Side, sign: f64) -> Decision {
        Decision { p, alpha: 0.05, side, sign }
    }

    #[test]
    fn intervals_reach_as_far_as_the_half_widths() {
        let both = decision(0.01, Side::Both, 1.0);
        assert_eq!(inverted_interval(2.0, (1.5, 3.0), &both), (0.5, 5.0));
        // Lower is better: the first is 2 worse, and below is above.
        assert_eq!(
            inverted_interval(2.0, (1.5, 3.0), &decision(0.01, Side::Both, -1.0)),
            (-1.0, 3.5)
        );
    }

    #[test]
    fn few_differing_units_widen_an_interval_but_not_over_0() {
        let test = (-0.5, 1.0);
        let undecided = decision(0.06, Side::Both, 1.0);
        let nothing = (f64::NEG_INFINITY, f64::INFINITY);
        for (differing, expected) in [
            (5, nothing),
            (6, (-1.0, 2.0)),
            (ENOUGH_DIFFERING - 1, (-1.0, 2.0)),
            (ENOUGH_DIFFERING, test),
        ] {
            let student = (-1.0, 2.0);
            assert_eq!(few_differing_interval(test, student, differing, 40, &undecided), expected);
        }
        // All units differ, as the shift of the test has it.
        assert_eq!(few_differing_interval(test, (-1.0, 2.0), 9, 9, &undecided), test);
        // Student's interval is the narrower one.
        assert_eq!(few_differing_interval(test, (-0.2, 0.5), 9, 40, &undecided), test);
        let rejected = decision(0.01, Side::Both, 1.0);
        assert_eq!(few_differing_interval((0.5, 1.0), (-1.0, 2.0), 9, 40, &rejected), (0.5, 2.0));
        let below = few_differing_interval((-1.0, -0.5), (-2.0, 1.0), 9, 40, &rejected);
        assert_eq!(below, (-2.0, -0.5));
        assert_eq!(fewest_differing(0.05, Side::Both), 6);
        assert_eq!(fewest_differing(0.05, Side::Less), 5);
        assert_eq!(fewest_differing(0.05 / 325.0, Side::Both), 14);
    }

    #[test]
    fn a_difference_that_is_not_rejected_has_an_interval_with_0() {
        for (p, side, expected) in [
            (0.05, Side::Both, (1.0, 3.0)),
            (0.051, Side::Both, (0.0, 3.0)),
            (0.051, Side::Greater, (0.0, 3.0)),
            (0.051, Side::Less, (1.0, 3.0)),
        ] {
            assert_eq!(inverted_interval(2.0, (1.0, 1.0), &decision(p, side, 1.0)), expected);
        }
        for (side, expected) in
            [(Side::Both, (-3.0, 0.0)), (Side::Less, (-3.0, 0.0)), (Side::Greater, (-3.0, -1.0))]
        {
            assert_eq!(inverted_interval(-2.0, (1.0, 1.0), &decision(0.2, side, 1.0)), expected);
        }
        let (low, _) = inverted_interval(1.0, (1.0, 1.0), &decision(0.2, Side::Both, -1.0));
        assert!(low.is_sign_positive());
    }

    #[test]
    fn pass_fail_intervals_agree_with_their_test() {
        let ahead = PairedRates { first: 12.0, second: 2.0, count: 50.0 };
        let (low, high) = tango_interval(12.0, 2.0, 50.0, 0.95);
        let behind = PairedRates { first: 2.0, second: 12.0, count: 50.0 };
        let even = PairedRates { first: 6.0, second: 5.0, count: 50.0 };
        let (even_low, even_high) = tango_interval(6.0, 5.0, 50.0, 0.95);
        let own = (0.01, -0.02);
        for (difference, rates, p, expected) in [
            // The test agrees with Tango's interval, or does not reject 0, or rejects it.
            (0.2, ahead, 0.01, (low, high)),
            (0.2, ahead, 0.06, (0.0, high)),
            (-0.2, behind, 0.01, (-high, -low)),
            (-0.2, behind, 0.06, (-high, 0.0)),
            (0.02, even, 0.5, (even_low, even_high)),
            (0.02, even, 0.05, (own.0, even_high)),
            (-0.02, even, 0.05, (even_low, own.1)),
        ] {
            let found = pass_fail_interval(difference, &rates, own, &decision(p, Side::Both, 1.0));
            assert!((found.0 - expected.0).abs() < 1e-12 && (found.1 - expected.1).abs() < 1e-12);
        }
    }

    #[test]
    fn mcnemars_test_is_the_binomial_of_the_discordant_items() {
        let p = |first, second, side, sign| {
            let rates = PairedRates { first, second, count: 50.0 };
            mcnemar_test(&rates, 0.05, side, sign).0
        };
        // Of 2^8 outcomes, 1 has 8 successes, and 9 have 7 or more.
        for (side, sign, expected) in [
            (Side::Both, 1.0, 18.0 / 256.0),
            (Side::Greater, 1.0, 9.0 / 256.0),
            (Side::Less, 1.0, 255.0 / 256.0),
            (Side::Greater, -1.0, 255.0 / 256.0),
            (Side::Less, -1.0, 9.0 / 256.0),
        ] {
            assert!((p(7.0, 1.0, side, sign) - expected).abs() < 1e-14);
        }
        assert_eq!(p(4.0, 4.0, Side::Both, 1.0), 1.0);
        assert_eq!(p(0.0, 0.0, Side::Both, 1.0), 1.0);
    }

    #[test]
    fn mcnemars_interval_leaves_out_0_exactly_if_the_test_rejects() {
        for alpha in [0.5, 0.062_5, 0.05, 0.01, 1e-6, 1e-12] {
            for side in [Side::Both, Side::Greater, Side::Less] {
                for (first, second) in (0..30).flat_map(|n| (0..=n).map(move |k| (k, n - k))) {
                    for sign in [1.0, -1.0] {
                        let (first, second) = (f64::from(first), f64::from(second));
                        let rates = PairedRates { first, second, count: 60.0 };
                        let (p, (low, high)) = mcnemar_test(&rates, alpha, side, sign);
                        let decides_low = match side {
                            Side::Both => first > second,
                            _ => (side == Side::Greater) == (sign > 0.0),
                        };
                        assert_eq!(p <= alpha, if decides_low { low > 0.0 } else { high < 0.0 });
                        assert!(low <= high, "{first} {second} {alpha} {side:?}");
                        let difference = (first - second) / 60.0;
                        assert!(side != Side::Both || (low <= difference && difference <= high));
                    }
                }
            }
        }
    }

    #[test]
    fn one_sided_tests_decide_one_end() {
        let rates = PairedRates { first: 12.0, second: 2.0, count: 50.0 };
        let (low, high) = tango_interval(12.0, 2.0, 50.0, 0.9);
        for (side, sign, expected) in [
            (Side::Greater, 1.0, (0.0, high)),
            (Side::Less, 1.0, (low, high)),
            (Side::Less, -1.0, (0.0, high)),
            (Side::Greater, -1.0, (low, high)),
        ] {
            let found = pass_fail_interval(0.2, &rates, (9.0, 9.0), &decision(0.2, side, sign));
            assert_eq!(found, expected);
        }
        // The test rejects that the first is not worse, which Tango's high end holds.
        let found = pass_fail_interval(0.2, &rates, (8.0, -9.0), &decision(0.01, Side::Less, 1.0));
        assert_eq!(found, (low, -9.0));
    }
}
