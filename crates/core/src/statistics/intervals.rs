//! Intervals of scores by name, and which of them a score gets.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::few_scores::gaffke_interval;
use super::jackknife::{hall_interval, student_interval};
use super::percentiles::{bca_interval, percentile_interval};
use super::rates::{korn_graubard_interval, wilson_interval};
use super::{Interval, MIN_UNITS_OF_BOOTSTRAP, MIN_UNITS_OF_HALL, TIE_TOLERANCE};

/// The name of a way to make intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalName {
    /// Percentiles of bootstrap replicates.
    Percentile,
    /// Bias-corrected and accelerated percentiles.
    Bca,
    /// Hall's skewness-corrected t.
    Hall,
    /// Student's t by the standard error of the jackknife.
    Jackknife,
    /// Student's t of segment scores.
    Student,
    /// Gaffke's interval of a mean of few scores.
    Gaffke,
    /// Wilson's interval of a rate.
    Wilson,
    /// Korn and Graubard's interval of a rate over clusters.
    KornGraubard,
    /// Student's t by the variance over segments and runs.
    TwoWay,
}

impl IntervalName {
    /// All names.
    pub const ALL: [Self; 9] = [
        Self::Percentile,
        Self::Bca,
        Self::Hall,
        Self::Jackknife,
        Self::Student,
        Self::Gaffke,
        Self::Wilson,
        Self::KornGraubard,
        Self::TwoWay,
    ];

    /// Returns the name as settings have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Percentile => "percentile",
            Self::Bca => "bca",
            Self::Hall => "hall",
            Self::Jackknife => "jackknife",
            Self::Student => "student",
            Self::Gaffke => "gaffke",
            Self::Wilson => "wilson",
            Self::KornGraubard => "korn-graubard",
            Self::TwoWay => "two-way",
        }
    }

    /// Returns whether the interval comes from the bootstrap's replicates.
    #[must_use]
    pub fn resamples(self) -> bool {
        matches!(self, Self::Percentile | Self::Bca)
    }

    /// Returns the interval of a name, if any.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|interval| interval.name() == name)
    }
}

/// Returns the interval that goes with a verdict: the one that covers best.
///
/// By documents that is Hall's skewness-corrected t; within domains the bootstrap's, which knows strata.
#[must_use]
pub fn default_interval(
    about_further_runs: bool,
    by_segment: bool,
    by_domain: bool,
) -> IntervalName {
    if about_further_runs {
        IntervalName::TwoWay
    } else if by_segment || by_domain {
        IntervalName::Percentile
    } else {
        IntervalName::Hall
    }
}

/// The kind of a metric's scores of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any scores.
    Any,
    /// Scores whose mean is the score of the test set.
    Means,
    /// Pass/fail scores, one of each unit.
    Rates,
    /// Pass/fail scores, several of a unit.
    ClusteredRates,
}

/// Returns the interval that scores get: the requested one, the interval of rates for pass/fail
/// scores, Gaffke's for means of few scores, or the default.
///
/// The skewness of few units is not known: Hall's interval is then wider than Student's, in one of 20 samples by
/// twice as much, and covers no more often.
#[must_use]
pub fn choose_interval(
    requested: Option<IntervalName>,
    default: IntervalName,
    kind: Kind,
    units: usize,
) -> IntervalName {
    match (requested, default, kind) {
        (Some(requested), ..) => requested,
        (None, IntervalName::TwoWay, _) => IntervalName::TwoWay,
        (None, _, Kind::Rates) => IntervalName::Wilson,
        (None, _, Kind::ClusteredRates) => IntervalName::KornGraubard,
        (None, _, Kind::Means) if units < MIN_UNITS_OF_BOOTSTRAP => IntervalName::Gaffke,
        (None, IntervalName::Hall, _) if units < MIN_UNITS_OF_HALL => IntervalName::Jackknife,
        (None, default, _) => default,
    }
}

/// Estimates behind the interval of one score; each method looks at its part.
#[derive(Debug)]
pub struct Estimate<'a> {
    /// The score of the test set itself.
    pub score: f64,
    /// The scores on the bootstrap's replicates, which are reordered.
    pub replicates: &'a mut [f64],
    /// The scores without one unit each.
    pub without: &'a [f64],
    /// The ranges of units whose shares are fixed; empty if all units are one stratum.
    pub strata: &'a [Range<usize>],
    /// The successes of pass/fail scores, by unit, or the scores of units whose mean is the score.
    pub successes: &'a [f64],
    /// The trials of pass/fail scores.
    pub trials: &'a [f64],
}

/// Returns the interval of a score within the limits of its metric.
///
/// None for two-way intervals, which need the scores of runs, and if replicates, jackknife scores or trials are
/// missing.
#[must_use]
pub fn bounds(
    name: IntervalName,
    of: &mut Estimate<'_>,
    level: f64,
    limits: Interval,
) -> Option<Interval> {
    let is_missing = match name {
        IntervalName::Percentile => of.replicates.is_empty(),
        IntervalName::Bca => of.replicates.is_empty() || of.without.is_empty(),
        IntervalName::Hall | IntervalName::Jackknife | IntervalName::Student => {
            of.without.len() < 2
        }
        IntervalName::Gaffke => of.successes.len() < 2,
        IntervalName::Wilson | IntervalName::KornGraubard => of.trials.is_empty(),
        IntervalName::TwoWay => true,
    };
    if is_missing {
        return None;
    }
    let (low, high) = match name {
        IntervalName::Percentile => percentile_interval(of.replicates, level),
        IntervalName::Bca => bca_interval(of.score, of.replicates, of.without, level),
        IntervalName::Hall => hall_interval(of.score, of.without, level, of.strata),
        // The jackknife of a mean of segment scores has Student's standard error.
        IntervalName::Jackknife | IntervalName::Student | IntervalName::TwoWay => {
            student_interval(of.score, of.without, level)
        }
        IntervalName::Gaffke => gaffke_interval(of.successes, level),
        IntervalName::Wilson => {
            let trials: f64 = of.trials.iter().sum();
            wilson_interval(of.successes.iter().sum::<f64>() / trials, trials, level)
        }
        IntervalName::KornGraubard => korn_graubard_interval(of.successes, of.trials, level),
    };
    Some((low.clamp(limits.0, limits.1), high.clamp(limits.0, limits.1)))
}

/// Returns an interval, or NaN if it has no width but for rounding: that would cover nothing.
#[must_use]
pub fn with_width((low, high): Interval) -> Interval {
    if high - low <= TIE_TOLERANCE * low.abs().max(high.abs()) {
        return (f64::NAN, f64::NAN);
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use IntervalName::{
        Bca, Gaffke, Hall, Jackknife, KornGraubard, Percentile, Student, TwoWay, Wilson,
    };

    #[test]
    fn names_are_those_of_settings() {
        for interval in IntervalName::ALL {
            assert_eq!(IntervalName::named(interval.name()), Some(interval));
            assert_eq!(serde_json::to_value(interval).unwrap_or_default(), interval.name());
        }
        assert_eq!(KornGraubard.name(), "korn-graubard");
        assert_eq!(IntervalName::named("Hall"), None);
    }

    #[test]
    fn the_default_is_what_covers_best() {
        assert_eq!(default_interval(true, true, false), TwoWay);
        assert_eq!(default_interval(false, true, false), Percentile);
        assert_eq!(default_interval(false, false, true), Percentile);
        assert_eq!(default_interval(false, false, false), Hall);
    }

    #[test]
    fn scores_get_the_interval_of_their_kind_unless_another_is_requested() {
        let few = MIN_UNITS_OF_HALL - 1;
        for (requested, default, kind, units, expected) in [
            (Some(Percentile), Percentile, Kind::Rates, 99, Percentile),
            (Some(Hall), Hall, Kind::Any, few, Hall),
            (None, TwoWay, Kind::Rates, 99, TwoWay),
            (None, Percentile, Kind::Rates, 99, Wilson),
            (None, Hall, Kind::ClusteredRates, few, KornGraubard),
            (None, Hall, Kind::Any, few, Jackknife),
            (None, Hall, Kind::Any, few + 1, Hall),
            (None, Percentile, Kind::Any, few, Percentile),
            (Some(Student), Percentile, Kind::Means, few, Student),
            (None, Percentile, Kind::Means, MIN_UNITS_OF_BOOTSTRAP - 1, Gaffke),
            (None, Percentile, Kind::Means, MIN_UNITS_OF_BOOTSTRAP, Percentile),
            (None, TwoWay, Kind::Means, few, TwoWay),
        ] {
            assert_eq!(choose_interval(requested, default, kind, units), expected);
        }
    }

    #[test]
    fn each_name_makes_its_interval_within_the_limits() {
        let scores: Vec<f64> = (0..100).map(f64::from).collect();
        let without = [49.0, 49.5, 50.0, 50.5, 51.0, 52.0];
        let (successes, trials) = ([1.0, 2.0, 2.0], [2.0, 2.0, 2.0]);
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        let with = |name, limits| {
            let mut replicates = scores.clone();
            let mut estimate = Estimate {
                score: 50.0,
                replicates: &mut replicates,
                without: &without,
                strata: &[],
                successes: &successes,
                trials: &trials,
            };
            bounds(name, &mut estimate, 0.9, limits)
        };
        let student = student_interval(50.0, &without, 0.9);
        for (name, expected) in [
            (Percentile, percentile_interval(&mut scores.clone(), 0.9)),
            (Bca, bca_interval(50.0, &mut scores.clone(), &without, 0.9)),
            (Hall, hall_interval(50.0, &without, 0.9, &[])),
            (Jackknife, student),
            (Student, student),
            (Gaffke, gaffke_interval(&successes, 0.9)),
            (Wilson, wilson_interval(5.0 / 6.0, 6.0, 0.9)),
            (KornGraubard, korn_graubard_interval(&successes, &trials, 0.9)),
        ] {
            assert_eq!(with(name, all), Some(expected));
            assert!(with(name, (0.2, 0.5)).is_some_and(|(low, high)| low >= 0.2 && high <= 0.5));
        }
        assert_eq!(with(TwoWay, all), None);
    }

    #[test]
    fn an_interval_without_width_is_none() {
        assert_eq!(with_width((4.0, 5.0)), (4.0, 5.0));
        for bounds in [(5.0, 5.0), (0.0, 0.0), (5.0, 5.0 + 1e-12)] {
            assert!(with_width(bounds).0.is_nan() && with_width(bounds).1.is_nan());
        }
        // Missing draws leave an end NaN.
        assert_eq!(with_width((f64::NAN, 5.0)).1, 5.0);
    }

    #[test]
    fn nothing_is_made_of_missing_numbers() {
        for name in IntervalName::ALL {
            let mut estimate = Estimate {
                score: 1.0,
                replicates: &mut [],
                without: &[1.0],
                strata: &[],
                successes: &[],
                trials: &[],
            };
            assert_eq!(bounds(name, &mut estimate, 0.9, (0.0, 1.0)), None);
        }
    }
}
