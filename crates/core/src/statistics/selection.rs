//! Two systems on any segments: scores, their difference, its test and all intervals, made step by step.
//!
//! The digits equal `truebleu compare` of the two systems on these segments.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayView3, Axis};
use serde::{Deserialize, Serialize};

use super::intervals::{Estimate, IntervalName, Kind, bounds, choose_interval, with_width};
use super::inversion::{
    Decision, alpha, critical_rank, few_differing_interval, fewest_differing, inverted_interval,
    inverted_level, mcnemar_test, p_value, pass_fail_interval,
};
use super::jackknife::{standard_error, student_interval};
use super::rates::{PairedRates, are_clustered};
use super::swaps::{rounding_variance, scale_swaps, swap_ratio, swap_scale, swapped_shares};
use super::units::{add_up, are_rates, on_exact_grid};
use super::{Interval, SEED_OF_RATIOS, SWAPS_OF_RATIOS, TIE_TOLERANCE};
use crate::metrics::Metric;
use crate::resampling::{Side, Swaps, Tally, bootstrap_sums, pair_differences, swapped_sums};

/// The two systems, once they stand side by side.
const PAIR: (usize, usize) = (0, 1);

/// A metric, and the properties of its scores.
#[derive(Debug)]
pub struct Measure {
    /// The metric that scores sums.
    pub metric: Box<dyn Metric>,
    /// True if scores are means over segments, whose columns are a sum and a count.
    pub is_mean: bool,
    /// 1, or -1 if lower is better.
    pub sign: f64,
    /// The columns that weigh the text.
    pub weights: Vec<usize>,
    /// The range of the scores.
    pub limits: Interval,
}

impl Measure {
    /// Returns the scores of two systems whose sums stand side by side.
    fn scores(&self, sums: &[f64]) -> [f64; 2] {
        let (first, second) = sums.split_at(self.metric.width());
        [first, second].map(|sums| self.metric.score_row(sums))
    }

    fn difference(&self, sums: &[f64]) -> f64 {
        let [first, second] = self.scores(sums);
        first - second
    }
}

/// Settings of the test of two systems.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Seed of swaps and draws.
    pub seed: u64,
    /// Number of swaps, and of draws.
    pub replicates: u64,
    /// Confidence level.
    pub level: f64,
    /// Default interval of scores; see [`choose_interval`].
    pub interval: IntervalName,
}

/// Two systems and some segments.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The systems, counted from 0.
    pub systems: [usize; 2],
    /// The segments, counted from 0.
    pub segments: Vec<usize>,
    /// The unit of each of these segments, counted from 0.
    pub units: Vec<u32>,
    /// Settings of the test.
    pub settings: Settings,
}

/// Scores, their difference, its test and all intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    /// The score of each system.
    pub scores: [f64; 2],
    /// The intervals of the scores; None before all replicates are drawn, NaN for a score that does not vary.
    pub intervals: Option<[Interval; 2]>,
    /// Method of the intervals of the scores.
    pub method: IntervalName,
    /// True if all scores are 0 or 1, whose differences have Tango's interval.
    pub pass_fail: bool,
    /// The first score minus the second.
    pub difference: f64,
    /// The interval of the difference; an end is infinite if the test leaves it open.
    pub interval: Interval,
    /// The p-value of the difference.
    pub p: f64,
    /// Number of units.
    pub units: usize,
    /// Number of units in which the counts of the systems differ.
    pub differing_units: usize,
    /// True if too few units differ for any difference to be significant.
    pub is_moot: bool,
    /// Unit with the largest share of the variance of the difference; None if the difference does not vary.
    pub largest_unit: Option<usize>,
    /// The share of that unit.
    pub largest_share: f64,
}

/// A comparison of two systems, whose replicates are made step by step.
#[derive(Debug)]
pub struct Selection {
    settings: Settings,
    /// Counts by unit, of both systems side by side, on the grid on which their sums are exact.
    rows: Array2<f64>,
    sums: Vec<f64>,
    scores: [f64; 2],
    kind: Kind,
    /// The discordant items of pass/fail scores.
    rates: Option<PairedRates>,
    method: IntervalName,
    swaps: Swaps,
    /// Number of swaps, 0 for McNemar's exact test, and of those that are made.
    count: u64,
    done: u64,
    /// Number of the farthest replicates that end the interval of the difference.
    rank: usize,
    /// Factor that gives swaps the variance of samples.
    scale: f64,
    tally: Tally,
    /// The scores of each system on the replicates that are drawn.
    drawn: [Vec<f64>; 2],
}

impl Selection {
    /// Begins a comparison; `rows` are counts by segment, shaped (segment, system, column).
    ///
    /// None with fewer than two units, as one says nothing about the spread, or if a system has no score.
    ///
    /// # Panics
    ///
    /// Panics if a system or a segment is not among the rows, or a segment has no unit.
    #[must_use]
    pub fn new(rows: &ArrayView3<'_, f64>, measure: &Measure, request: &Request) -> Option<Self> {
        let (settings, width) = (request.settings, measure.metric.width());
        let units = request.units.iter().max().map_or(0, |last| *last as usize + 1);
        if units < 2 {
            return None;
        }
        let items = rows.select(Axis(1), &request.systems).select(Axis(0), &request.segments);
        let items = items.into_shape_with_order((request.segments.len(), 2 * width)).ok()?;
        let mut rows = add_up(&items.view(), &request.units, units);
        on_exact_grid(&mut rows.view_mut());
        let sums = rows.sum_axis(Axis(0)).to_vec();
        let scores = measure.scores(&sums);
        if scores.iter().any(|score| !score.is_finite()) {
            return None;
        }
        let alpha = alpha(settings.level);
        let (mut kind, mut rates) = (Kind::Any, None);
        if measure.is_mean && are_rates(&items.view()) {
            let by_unit = by_system(&rows);
            kind = if are_clustered(&by_unit) { Kind::ClusteredRates } else { Kind::Rates };
            let level = inverted_level(alpha, Side::Both);
            let scores = items.select(Axis(1), &[0, width]);
            rates = Some(PairedRates::of(&by_unit, &scores.view(), PAIR, level));
        } else if measure.is_mean && are_single(&by_system(&rows)) {
            kind = Kind::Means;
        }
        let (swaps, mut count) = swaps_of(units, settings.replicates, settings.seed);
        if kind == Kind::Rates {
            count = 0; // McNemar's exact test needs no swaps
        }
        let rank = critical_rank(count, alpha, swaps == Swaps::Enumerated);
        let observed = measure.sign * (scores[0] - scores[1]);
        let size = scores[0].abs().max(scores[1].abs());
        let bound = observed.abs() - TIE_TOLERANCE * observed.abs().max(size);
        let mut selection = Self {
            settings,
            rows,
            sums,
            scores,
            kind,
            rates,
            method: choose_interval(None, settings.interval, kind, units),
            swaps,
            count,
            done: 0,
            rank,
            scale: 1.0,
            tally: Tally::new(&[observed], &[bound], measure.sign, Side::Both, rank),
            drawn: [Vec::new(), Vec::new()],
        };
        if !selection.is_exact() && !measure.is_mean {
            selection.scale = selection.swap_scale(measure, size);
        }
        Some(selection)
    }

    fn is_exact(&self) -> bool {
        self.swaps == Swaps::Enumerated
    }

    /// Returns the factor that gives swaps the variance of samples; `size` is the size of the scores.
    fn swap_scale(&self, measure: &Measure, size: f64) -> f64 {
        let (swaps, count) = swaps_of(self.rows.nrows(), SWAPS_OF_RATIOS, SEED_OF_RATIOS);
        let swapped = swapped_sums(&self.rows.view(), swaps, 0..count, 0);
        let differences = self.differences(measure, &by_system(&swapped));
        let squares = differences.iter().map(|value| value * value).sum();
        let without: Vec<f64> = self.without(|sums| measure.difference(sums));
        swap_scale(swap_ratio(squares, count, standard_error(&without), size))
    }

    /// Returns a number of the sums without one unit each.
    fn without<R>(&self, number: impl Fn(&[f64]) -> R) -> Vec<R> {
        let sums = |row| self.sums.iter().zip(row).map(|(sum, count)| sum - count);
        self.rows.outer_iter().map(|row| number(&sums(row).collect::<Vec<f64>>())).collect()
    }

    /// Returns the differences after swaps, shaped (replicate, 1), from the sums of the swapped units.
    fn differences(&self, measure: &Measure, swapped: &ArrayView3<'_, f64>) -> Array2<f64> {
        let score = |columns: &[f64], scores: &mut [f64]| {
            measure.metric.quick_scores(columns, scores);
        };
        pair_differences(swapped, &self.sums_by_system(), &[PAIR], score)
    }

    fn sums_by_system(&self) -> ArrayView2<'_, f64> {
        let shape = (2, self.sums.len() / 2);
        ArrayView2::from_shape(shape, &self.sums).expect("two systems side by side")
    }

    /// Makes `count` replicates more, swaps first and then draws; returns the number of those left.
    pub fn advance(&mut self, measure: &Measure, count: u64) -> u64 {
        if self.done < self.count {
            self.swap(measure, count);
        } else {
            self.draw(measure, count);
        }
        self.count - self.done + self.undrawn()
    }

    fn undrawn(&self) -> u64 {
        let all = if self.method.resamples() { self.settings.replicates } else { 0 };
        all - self.drawn[0].len() as u64
    }

    fn swap(&mut self, measure: &Measure, count: u64) {
        let replicates = self.done..(self.done + count).min(self.count);
        let swapped = swapped_sums(&self.rows.view(), self.swaps, replicates.clone(), 0);
        let swapped = by_system(&swapped);
        let mut differences = self.differences(measure, &swapped);
        let shares = swapped_shares(&swapped, &self.sums_by_system(), &measure.weights, &[PAIR]);
        let shares = shares.unwrap_or_else(|| {
            let units = Array2::ones((self.rows.nrows(), 1));
            swapped_sums(&units.view(), self.swaps, replicates.clone(), 0) / units.len() as f64
        });
        let shares = scale_swaps(&mut differences.view_mut(), &shares.view(), &[self.scale]);
        self.tally.add(&differences.view(), &shares.view());
        self.done = replicates.end;
    }

    fn draw(&mut self, measure: &Measure, count: u64) {
        let first = self.drawn[0].len() as u64;
        let replicates = first..first + count.min(self.undrawn());
        let all = 0..self.rows.nrows() as u32;
        let strata = std::slice::from_ref(&all);
        let sums = bootstrap_sums(&self.rows.view(), strata, replicates, self.settings.seed);
        for sums in sums.outer_iter() {
            let scores = measure.scores(&sums.to_vec());
            self.drawn.iter_mut().zip(scores).for_each(|(drawn, score)| drawn.push(score));
        }
    }

    /// Returns the outcome of the swaps, and the intervals of scores if all replicates are drawn;
    /// None before the swaps are made.
    #[must_use]
    pub fn results(&mut self, measure: &Measure) -> Option<Results> {
        if self.done < self.count {
            return None;
        }
        let difference = self.scores[0] - self.scores[1];
        let (p, interval) = self.test(difference, measure);
        let differing_units = self.differing_units();
        let (largest_unit, largest_share) = self.largest_unit(measure);
        let alpha = alpha(self.settings.level);
        Some(Results {
            units: self.rows.nrows(),
            differing_units,
            is_moot: differing_units < fewest_differing(alpha, Side::Both).min(self.rows.nrows()),
            largest_unit,
            largest_share,
            scores: self.scores,
            intervals: self.intervals(measure),
            method: self.method,
            pass_fail: self.rates.is_some(),
            difference,
            interval,
            p,
        })
    }

    /// Returns the p-value of the difference, and the interval that agrees with the test.
    fn test(&self, difference: f64, measure: &Measure) -> (f64, Interval) {
        let (pair, alpha) = (&self.tally.pairs()[0], alpha(self.settings.level));
        let sign = measure.sign;
        if let (Some(rates), Kind::Rates) = (&self.rates, self.kind) {
            return mcnemar_test(rates, alpha, Side::Both, sign);
        }
        let p = p_value(pair.extreme, self.count, self.is_exact());
        let decision = Decision { p, alpha, side: Side::Both, sign };
        let interval = inverted_interval(difference, pair.reach(self.rank), &decision);
        if let Some(rates) = &self.rates {
            return (p, pass_fail_interval(difference, rates, interval, &decision));
        }
        let without: Vec<f64> = self.without(|sums| measure.difference(sums));
        let student = student_interval(difference, &without, inverted_level(alpha, Side::Both));
        let (units, differing) = (self.rows.nrows(), self.differing_units());
        (p, few_differing_interval(interval, student, differing, units, &decision))
    }

    fn differing_units(&self) -> usize {
        let differs = |unit: &ArrayView2<'_, f64>| unit.row(0) != unit.row(1);
        by_system(&self.rows).outer_iter().filter(differs).count()
    }

    /// Returns the unit with the largest share of the variance of the difference, by the delta method.
    fn largest_unit(&self, measure: &Measure) -> (Option<usize>, f64) {
        let width = measure.metric.width();
        let mut gradient = vec![0.0; 2 * width];
        let (first, second) = gradient.split_at_mut(width);
        measure.metric.gradient_row(&self.sums[..width], first);
        measure.metric.gradient_row(&self.sums[width..], second);
        for slope in second.iter_mut() {
            *slope = -*slope;
        }
        let each = self.rows.dot(&ArrayView1::from(&gradient));
        let mean = each.sum() / each.len() as f64;
        let squares: Vec<f64> = each.iter().map(|value| (value - mean).powi(2)).collect();
        let total: f64 = squares.iter().sum();
        let size = self.scores[0].abs().max(self.scores[1].abs());
        if total <= rounding_variance(size) {
            return (None, 0.0);
        }
        let largest = (0..squares.len()).max_by(|a, b| squares[*a].total_cmp(&squares[*b]));
        (largest, largest.map_or(0.0, |unit| squares[unit] / total))
    }

    fn intervals(&mut self, measure: &Measure) -> Option<[Interval; 2]> {
        if self.undrawn() > 0 {
            return None;
        }
        let without = self.without(|sums| measure.scores(sums));
        let [first, second] = [0, 1].map(|system| {
            let without: Vec<f64> = without.iter().map(|scores| scores[system]).collect();
            let column = |column| match self.kind {
                Kind::Any => Vec::new(),
                _ => self.rows.column(2 * system + column).to_vec(),
            };
            let mut estimate = Estimate {
                score: self.scores[system],
                replicates: &mut self.drawn[system],
                without: &without,
                strata: &[],
                successes: &column(0),
                trials: &column(1),
            };
            let (low, high) =
                bounds(self.method, &mut estimate, self.settings.level, measure.limits)?;
            (!low.is_nan() && !high.is_nan()).then_some(with_width((low, high)))
        });
        Some([first?, second?])
    }
}

/// Returns whether every unit is a single score, whose count is 1.
fn are_single(rows: &ArrayView3<'_, f64>) -> bool {
    rows.dim().2 == 2 && rows.index_axis(Axis(2), 1).iter().all(|&count| count == 1.0)
}

/// Returns rows of two systems side by side as shaped (row, system, column).
fn by_system(rows: &Array2<f64>) -> ArrayView3<'_, f64> {
    let shape = (rows.nrows(), 2, rows.ncols() / 2);
    rows.view().into_shape_with_order(shape).expect("two systems side by side")
}

/// Returns random swaps and their number, or all 2^units swaps if they are no more.
fn swaps_of(units: usize, replicates: u64, seed: u64) -> (Swaps, u64) {
    if units < 63 && 1_u64 << units <= replicates {
        return (Swaps::Enumerated, 1 << units);
    }
    (Swaps::Random { seed }, replicates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bleu::Bleu;
    use crate::metrics::length::Length;
    use crate::metrics::mean::Mean;
    use crate::metrics::words::{WordMetric, Words};
    use crate::tokenizers::Tokenizer;
    use ndarray::Array3;

    const SEGMENTS: usize = 60;

    fn mean(sign: f64) -> Measure {
        let limits = (f64::NEG_INFINITY, f64::INFINITY);
        Measure { metric: Box::new(Mean), is_mean: true, sign, weights: vec![1], limits }
    }

    fn native(metric: impl Metric + 'static, limits: Interval) -> Measure {
        let metric = Box::new(metric);
        Measure { metric, is_mean: false, sign: 1.0, weights: vec![1], limits }
    }

    fn length_ratio() -> WordMetric<Length> {
        let words = Words { tokenizer: Tokenizer::None, lowercase: false };
        WordMetric { words, comparison: Length }
    }

    /// Rows of two systems, by the number of the segment.
    fn rows<const WIDTH: usize>(row: impl Fn(usize) -> [[usize; WIDTH]; 2]) -> Array3<f64> {
        Array3::from_shape_fn((SEGMENTS, 2, WIDTH), |(segment, system, column)| {
            row(segment)[system][column] as f64
        })
    }

    fn passed() -> Array3<f64> {
        rows(|n| [[usize::from(n % 10 != 0), 1], [usize::from(n % 4 != 0), 1]])
    }

    fn lengths() -> Array3<f64> {
        rows(|n| [[4 + n % 5, 10], [10 + (n * 3) % 7, 10]])
    }

    /// Requests the first `count` segments in units of `together` segments.
    fn request(count: usize, together: usize, interval: IntervalName) -> Request {
        let units = (0..count as u32).map(|segment| segment / together as u32).collect();
        let settings = Settings { seed: 12_345, replicates: 999, level: 0.95, interval };
        Request { systems: [0, 1], segments: (0..count).collect(), units, settings }
    }

    fn compare(rows: &Array3<f64>, measure: &Measure, request: &Request) -> Results {
        let begun = Selection::new(&rows.view(), measure, request);
        let mut selection = begun.expect("units that can be compared");
        // McNemar's exact test is done at once.
        assert!(selection.count == 0 || selection.results(measure).is_none());
        while selection.advance(measure, 250) > 0 {}
        selection.results(measure).expect("a finished test")
    }

    fn assert_close(found: Interval, expected: Interval) {
        let far = (found.0 - expected.0).abs().max((found.1 - expected.1).abs());
        assert!(far < 1e-12 * expected.1.abs().max(1.0), "found {found:?}, expected {expected:?}");
    }

    /// Results of `truebleu.compare` for the rows, with 999 replicates.
    struct Expected {
        method: IntervalName,
        intervals: [Interval; 2],
        interval: Interval,
        p: f64,
    }

    fn assert_results(found: &Results, expected: &Expected) {
        assert_eq!(found.method, expected.method);
        let intervals = found.intervals.expect("intervals of scores");
        assert_close(intervals[0], expected.intervals[0]);
        assert_close(intervals[1], expected.intervals[1]);
        assert_close(found.interval, expected.interval);
        assert_eq!(found.p, expected.p);
        assert_eq!(found.difference, found.scores[0] - found.scores[1]);
    }

    #[test]
    fn pass_fail_scores_have_wilsons_and_tangos_intervals() {
        let found = compare(&passed(), &mean(1.0), &request(60, 1, IntervalName::Percentile));
        let expected = Expected {
            method: IntervalName::Wilson,
            intervals: [
                (0.798_505_352_760_212_4, 0.953_357_165_526_115_8),
                (0.627_679_299_229_521_8, 0.842_234_774_699_433_2),
            ],
            interval: (0.026_311_991_424_404_834, 0.279_702_386_022_622_3),
            // scipy.stats.binomtest(12, 15).pvalue.
            p: 0.035_156_25,
        };
        assert_results(&found, &expected);
        assert_eq!(found.scores, [0.9, 0.75]);
        assert!(found.pass_fail);
    }

    #[test]
    fn pass_fail_scores_by_documents_have_korn_and_graubards_intervals() {
        let found = compare(&passed(), &mean(1.0), &request(60, 3, IntervalName::Hall));
        let expected = Expected {
            method: IntervalName::KornGraubard,
            intervals: [
                (0.794_942_263_291_936_1, 0.962_408_730_891_434),
                (0.621_403_644_520_455_6, 0.852_813_926_200_996_4),
            ],
            interval: (0.026_311_991_424_404_834, 0.279_702_386_022_622_3),
            p: 0.015,
        };
        assert_results(&found, &expected);
    }

    #[test]
    fn fractions_have_percentiles_and_an_inverted_test() {
        let quarters = rows(|n| [[(n * 7) % 11, 4], [(n * 5) % 13 + 1, 4]]);
        let quarters = quarters.mapv(|value| value / 4.0);
        let found = compare(&quarters, &mean(-1.0), &request(60, 1, IntervalName::Percentile));
        let expected = Expected {
            method: IntervalName::Percentile,
            intervals: [(1.054_166_666_666_666_7, 1.4625), (1.491_666_666_666_666_7, 2.0)],
            interval: (-0.8125, -0.178_571_428_571_428_44),
            p: 0.003,
        };
        assert_results(&found, &expected);
        assert!(!found.pass_fail);
    }

    #[test]
    fn documents_have_halls_interval_and_few_documents_students() {
        let measure = native(length_ratio(), (0.0, f64::INFINITY));
        let found = compare(&lengths(), &measure, &request(60, 2, IntervalName::Hall));
        let expected = Expected {
            method: IntervalName::Hall,
            intervals: [
                (56.202_103_899_544_36, 63.797_896_100_455_64),
                (125.943_795_645_116_74, 133.695_333_617_427_85),
            ],
            interval: (-75.000_000_000_000_01, -64.615_384_615_384_63),
            p: 0.001,
        };
        assert_results(&found, &expected);
        let found = compare(&lengths(), &measure, &request(60, 3, IntervalName::Hall));
        let expected = Expected {
            method: IntervalName::Jackknife,
            intervals: [
                (56.798_849_003_661_19, 63.201_150_996_338_81),
                (125.832_694_955_703_69, 133.833_971_710_963),
            ],
            interval: (-75.833_333_333_333_33, -64.074_074_074_074_07),
            p: 0.001,
        };
        assert_results(&found, &expected);
    }

    #[test]
    fn few_units_are_swapped_in_all_ways() {
        let measure = native(length_ratio(), (50.0, 135.0));
        let found = compare(&lengths(), &measure, &request(9, 1, IntervalName::Percentile));
        let expected = Expected {
            method: IntervalName::Percentile,
            // Bounds of the metric apply: without them [48.9, 65.6] and [114.4, 140].
            intervals: [(50.0, 65.555_555_555_555_56), (114.444_444_444_444_44, 135.0)],
            interval: (-85.0, -55.0),
            p: 0.003_906_25,
        };
        assert_results(&found, &expected);
    }

    #[test]
    fn swaps_are_scaled_to_the_variance_of_samples() {
        let row = |length: usize| {
            let shared = length.min(10);
            let mut row = [length, 10, 0, 0, 0, 0, 0, 0, 0, 0];
            for order in 0..4 {
                (row[2 + order], row[6 + order]) = (shared - order, length - order);
            }
            row
        };
        let rows = rows(|n| [row(5 + (n * 3) % 4), row(12 + (n * 5) % 4)]);
        let measure = native(Bleu::default(), (0.0, 100.0));
        let found = compare(&rows, &measure, &request(60, 1, IntervalName::Percentile));
        let expected = Expected {
            method: IntervalName::Percentile,
            intervals: [
                (54.412_347_135_795_436, 62.238_184_604_957_73),
                (68.975_899_939_17, 72.242_989_504_196_52),
            ],
            interval: (-18.778_399_326_300_18, -8.166_663_279_477_97),
            p: 0.001,
        };
        assert_results(&found, &expected);
    }

    #[test]
    fn the_systems_and_segments_of_a_request_are_compared() {
        let all = passed();
        let mut some = request(20, 1, IntervalName::Percentile);
        some.systems = [1, 0];
        some.segments = (20..40).rev().collect();
        let found = compare(&all, &mean(1.0), &some);
        let part = Array3::from_shape_fn((20, 2, 2), |(n, system, column)| {
            all[[39 - n, 1 - system, column]]
        });
        assert_eq!(found, compare(&part, &mean(1.0), &request(20, 1, IntervalName::Percentile)));
    }

    #[test]
    fn nothing_is_tested_without_two_units_or_without_scores() {
        let (measure, mut rows) = (mean(1.0), passed());
        let begun = |rows: &Array3<f64>, count, together| {
            let request = request(count, together, IntervalName::Percentile);
            Selection::new(&rows.view(), &measure, &request).is_some()
        };
        assert!(begun(&rows, 2, 1));
        assert!(!begun(&rows, 2, 2));
        assert!(!begun(&rows, 0, 1));
        rows.slice_axis_mut(Axis(0), (..2).into()).fill(0.0);
        assert!(!begun(&rows, 2, 1));
        assert!(begun(&rows, 4, 1));
    }

    #[test]
    fn scores_that_draws_may_miss_have_no_interval() {
        let mut rows = passed().mapv(|value| value / 2.0);
        rows.slice_axis_mut(Axis(0), (1..20).into()).index_axis_mut(Axis(1), 0).fill(0.0);
        let found = compare(&rows, &mean(1.0), &request(20, 1, IntervalName::Percentile));
        assert_eq!(found.method, IntervalName::Percentile);
        assert_eq!(found.intervals, None);
    }

    #[test]
    fn too_few_replicates_leave_the_difference_open() {
        let mut request = request(60, 1, IntervalName::Percentile);
        request.settings.replicates = 18;
        let found = compare(&lengths(), &native(length_ratio(), (0.0, 1e9)), &request);
        assert_eq!(found.interval, (f64::NEG_INFINITY, f64::INFINITY));
        request.settings.replicates = 19;
        let found = compare(&lengths(), &native(length_ratio(), (0.0, 1e9)), &request);
        assert!(found.interval.0.is_finite() && found.interval.1.is_finite());
    }

    #[test]
    fn intervals_come_after_the_test() {
        let measure = native(length_ratio(), (0.0, f64::INFINITY));
        let request = request(60, 1, IntervalName::Percentile);
        let begun = Selection::new(&lengths().view(), &measure, &request);
        let mut selection = begun.expect("units that can be compared");
        assert_eq!(selection.advance(&measure, 998), 1 + 999);
        assert_eq!(selection.results(&measure), None);
        assert_eq!(selection.advance(&measure, 998), 999);
        let tested = selection.results(&measure).expect("a finished test");
        assert_eq!(tested.intervals, None);
        assert_eq!(selection.advance(&measure, 998), 1);
        assert_eq!(selection.advance(&measure, 998), 0);
        let found = selection.results(&measure).expect("a finished test");
        assert_eq!(found, Results { intervals: found.intervals, ..tested });
        assert!(found.intervals.is_some());
    }
}
