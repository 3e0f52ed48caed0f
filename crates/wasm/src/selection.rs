//! Two systems on some segments: scores, their difference, its test and all intervals, with the digits of
//! `truebleu compare` on the same segments.

use ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use truebleu_core::metrics::Metric;
use truebleu_core::resampling::{
    Side, Swaps, Tally, bootstrap_sums, differing_units, pair_differences, swapped_sums,
};

use crate::Table;
use crate::intervals::{hall, percentile, rejecting};

/// Bits of a float's significand, less one for the doubling in a difference of two sums.
const SIGNIFICANT_BITS: i32 = 52;
const TIE_TOLERANCE: f64 = 1e-9;
/// Swaps whose variance is compared with that of samples, and the least ratio that leaves them as they are.
const SWAPS_OF_RATIOS: u64 = 1000;
const LEAST_RATIO: f64 = 0.9;
const SEED_OF_RATIOS: u64 = 12345;
/// The smallest share of the text that scaled swaps are taken to swap, or to leave.
const ALMOST_NONE: f64 = 1e-6;

/// How to test.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub seed: u64,
    pub replicates: u64,
    pub level: f64,
    pub by_bootstrap: bool,
}

/// A comparison of two systems, whose replicates are made step by step.
#[derive(Debug)]
pub struct Selection {
    settings: Settings,
    /// Of units, both systems side by side, on a grid on which sums are exact.
    rows: Array2<f64>,
    sums: Array2<f64>,
    scores: [f64; 2],
    tally: Tally,
    /// Replicates that are made, and those that there are.
    done: u64,
    all: u64,
    exact: bool,
    kept: usize,
    drawn: [Vec<f64>; 2],
    /// What differences after swaps are multiplied by, so that they vary as samples do.
    scale: f64,
}

impl Selection {
    /// None where there are fewer than two units: one says nothing about the spread.
    pub fn new(
        table: &Table,
        systems: [usize; 2],
        places: &[u32],
        units: &[u32],
        settings: Settings,
    ) -> Option<Self> {
        let width = table.metric.width();
        let count = units.iter().max().map_or(0, |last| *last as usize + 1);
        if count < 2 {
            return None;
        }
        let mut rows = Array2::zeros((count, 2 * width));
        for (&place, &unit) in places.iter().zip(units) {
            let mut into = rows.row_mut(unit as usize);
            for (side, system) in systems.into_iter().enumerate() {
                let row = table.row(place as usize, system);
                for (column, value) in row.iter().enumerate() {
                    into[side * width + column] += value;
                }
            }
        }
        on_exact_grid(&mut rows);
        let sums = rows.sum_axis(Axis(0)).into_shape_with_order((2, width)).ok()?;
        let scores = [0, 1].map(|side| table.metric.score_row(&sums.row(side).to_vec()));
        let observed = table.sign * (scores[0] - scores[1]);
        let scale = scores[0].abs().max(scores[1].abs());
        let bound = observed.abs() - TIE_TOLERANCE * observed.abs().max(scale);
        let exact = count < 63 && 1_u64 << count <= settings.replicates;
        let all = if exact { 1 << count } else { settings.replicates };
        let kept = rejecting(all, alpha(settings.level), exact);
        let tally = Tally::new(&[observed], &[bound], table.sign, Side::Both, kept);
        let drawn = [Vec::new(), Vec::new()];
        let mut selection = Self {
            settings,
            rows,
            sums,
            scores,
            tally,
            done: 0,
            all,
            exact,
            kept,
            drawn,
            scale: 1.0,
        };
        if !exact && !table.is_mean {
            selection.scale = selection.swap_scale(table, scale);
        }
        Some(selection)
    }

    /// As `truebleu.significance.statistics.swap_scales`, of scores of this size.
    fn swap_scale(&self, table: &Table, size: f64) -> f64 {
        let units = self.rows.nrows();
        let few = units < 63 && 1_u64 << units <= SWAPS_OF_RATIOS;
        let (swaps, count) = if few {
            (Swaps::Enumerated, 1_u64 << units)
        } else {
            (Swaps::Random { seed: SEED_OF_RATIOS }, SWAPS_OF_RATIOS)
        };
        let taken = swapped_sums(&self.rows.view(), swaps, 0..count, 0);
        let squares: f64 = self.differences(table, taken).iter().map(|value| value * value).sum();
        let without: Vec<f64> = self
            .without_each()
            .map(|left| of_side(&*table.metric, &left, 0) - of_side(&*table.metric, &left, 1))
            .collect();
        let mean = without.iter().sum::<f64>() / units as f64;
        let spread: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = (units as f64 - 1.0) / units as f64 * spread;
        let ratio = squares / count as f64 / variance;
        let varies = variance > (1e-12 * size.max(1.0)).powi(2);
        if varies && ratio < LEAST_RATIO { ratio.powf(-0.5) } else { 1.0 }
    }

    /// The sums of both systems without one unit each.
    fn without_each(&self) -> impl Iterator<Item = Vec<f64>> {
        let sums = self.sums.as_slice().unwrap_or_default();
        self.rows.outer_iter().map(move |row| sums.iter().zip(row).map(|(s, c)| s - c).collect())
    }

    /// The differences after swaps, of the sums over the units that these take.
    fn differences(&self, table: &Table, taken: Array2<f64>) -> Array2<f64> {
        let made = taken.nrows();
        let Ok(taken) = taken.into_shape_with_order((made, 2, table.metric.width())) else {
            return Array2::default((0, 1));
        };
        let score = |columns: &[f64], scores: &mut [f64]| {
            table.metric.quick_scores(columns, scores);
        };
        pair_differences(&taken.view(), &self.sums.view(), &[(0, 1)], score)
    }

    /// Makes so many replicates more, swaps first and then those of the bootstrap; returns how many are left.
    pub fn advance(&mut self, table: &Table, count: u64) -> u64 {
        if self.done < self.all {
            self.swap(table, count);
        } else {
            self.draw(table, count);
        }
        self.all - self.done + self.undrawn()
    }

    fn undrawn(&self) -> u64 {
        let all = if self.settings.by_bootstrap { self.settings.replicates } else { 0 };
        all - self.drawn[0].len() as u64
    }

    fn swap(&mut self, table: &Table, count: u64) {
        let replicates = self.done..(self.done + count).min(self.all);
        let swaps =
            if self.exact { Swaps::Enumerated } else { Swaps::Random { seed: self.settings.seed } };
        let taken = swapped_sums(&self.rows.view(), swaps, replicates.clone(), 0);
        let mut shares = self.shares(table, &taken.view(), swaps, replicates.start);
        let mut differences = self.differences(table, taken);
        if self.scale > 1.0 {
            let scale = self.scale;
            differences *= scale;
            shares.mapv_inplace(|share| {
                (0.5 + (share - 0.5) * scale).clamp(ALMOST_NONE, 1.0 - ALMOST_NONE)
            });
        }
        self.tally.add(&differences.view(), &shares.view());
        self.done = replicates.end;
    }

    fn draw(&mut self, table: &Table, count: u64) {
        let first = self.drawn[0].len() as u64;
        let replicates = first..first + count.min(self.undrawn());
        let all = 0..self.rows.nrows() as u32;
        let (rows, seed) = (self.rows.view(), self.settings.seed);
        let sums = bootstrap_sums(&rows, std::slice::from_ref(&all), replicates, seed);
        for sums in sums.outer_iter() {
            for (side, drawn) in self.drawn.iter_mut().enumerate() {
                drawn.push(of_side(&*table.metric, &sums.to_vec(), side));
            }
        }
    }

    /// Which share of the text each replicate swaps, by the metric's weights.
    fn shares(
        &self,
        table: &Table,
        taken: &ArrayView2<'_, f64>,
        swaps: Swaps,
        first: u64,
    ) -> Array2<f64> {
        let width = table.metric.width();
        let weigh = |of: &dyn Fn(usize) -> f64, side: usize| -> f64 {
            table.weights.iter().map(|column| of(side * width + column)).sum()
        };
        let sums = self.sums.as_slice().unwrap_or_default();
        let totals = [0, 1].map(|side| weigh(&|column| sums[column], side));
        if totals.iter().any(|total| *total <= 0.0) {
            let units = self.rows.nrows();
            let last = first + taken.nrows() as u64;
            let coins = swapped_sums(&Array2::ones((units, 1)).view(), swaps, first..last, 0);
            return coins / units as f64;
        }
        let share = |row: ndarray::ArrayView1<'_, f64>| {
            let swapped = weigh(&|column| row[column], 0) + weigh(&|column| row[column], 1);
            swapped / (totals[0] + totals[1])
        };
        let shares = taken.outer_iter().map(share).collect();
        Array2::from_shape_vec((taken.nrows(), 1), shares).unwrap_or_default()
    }

    /// Units, units that differ, replicates, whether they are all swaps, p, the difference and its ends, and
    /// of each system the score and its ends, which are no numbers before all replicates are drawn.
    pub fn results(&mut self, table: &Table) -> Vec<f64> {
        let pair = &self.tally.pairs()[0];
        let (extreme, replicates) = (pair.extreme as f64, self.all as f64);
        let p =
            if self.exact { extreme / replicates } else { (extreme + 1.0) / (replicates + 1.0) };
        let (below, above) =
            if self.kept > 0 { pair.reach() } else { (f64::INFINITY, f64::INFINITY) };
        let observed = table.sign * (self.scores[0] - self.scores[1]);
        let (mut low, mut high) = (observed - below, observed + above);
        if p > alpha(self.settings.level) {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if table.sign < 0.0 {
            (low, high) = (-high, -low);
        }
        let (units, width) = (self.rows.nrows(), table.metric.width());
        let shaped = ArrayView3::from_shape((units, 2, width), self.rows.as_slice().unwrap_or(&[]));
        let differing = shaped.map_or(0, |rows| differing_units(&rows, &[(0, 1)])[0]);
        let mut results = vec![units as f64, differing as f64, replicates];
        results.push(f64::from(u8::from(self.exact)));
        results.extend([p, self.scores[0] - self.scores[1], low + 0.0, high + 0.0]);
        for side in 0..2 {
            let (low, high) = self.interval(table, side);
            results.extend([self.scores[side], low, high]);
        }
        results
    }

    fn interval(&mut self, table: &Table, side: usize) -> (f64, f64) {
        if self.undrawn() > 0 {
            return (f64::NAN, f64::NAN);
        }
        if self.settings.by_bootstrap {
            return percentile(&mut self.drawn[side], self.settings.level);
        }
        let without: Vec<f64> =
            self.without_each().map(|left| of_side(&*table.metric, &left, side)).collect();
        hall(self.scores[side], &without, self.settings.level)
    }
}

/// The score of one of the systems whose sums stand side by side.
fn of_side(metric: &dyn Metric, sums: &[f64], side: usize) -> f64 {
    let width = metric.width();
    metric.score_row(&sums[side * width..(side + 1) * width])
}

/// The significance level; 1 - 0.9 is 0.09999999999999998 in floats, and means 0.1.
fn alpha(level: f64) -> f64 {
    ((1.0 - level) * 1e12).round() / 1e12
}

/// Rounds fractional columns to multiples of a power of two, so that no replicate's sum needs rounding.
fn on_exact_grid(rows: &mut Array2<f64>) {
    let units = rows.nrows() as f64;
    for mut column in rows.columns_mut() {
        if column.iter().all(|value| value.fract().abs() <= 0.0) {
            continue;
        }
        let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let (_, exponent) = libm::frexp(largest * units);
        let step = libm::ldexp(1.0, exponent - SIGNIFICANT_BITS);
        column.mapv_inplace(|value| (value / step).round_ties_even() * step);
    }
}
