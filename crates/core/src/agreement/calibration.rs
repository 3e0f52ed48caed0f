//! The threshold below which metric scores count as tied, chosen to agree best with people.
//!
//! Accuracy with ties, as a function of the threshold, changes only where the threshold passes the
//! difference of a pair: it gains where people tie the pair, and loses where the metric had it in
//! people's order. Those changes are counted in ranges of difference, and only the ranges that can hold
//! the largest accuracy are looked at change by change. All counts are whole numbers, one for each
//! size of group, and their weighted sums are compared exactly: rounding chooses nothing.

use std::cmp::Ordering;
use std::ops::Range;

use super::coefficients::Averaging;
use super::exact::{Scale, compare};
use super::groups::{Prepared, Scratch};
use super::threshold_changes::{Change, Changes, Limits, Ranges, Source};

/// The threshold with the largest mean accuracy; the smallest of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The difference of two scores, or 0; pairs that differ by as much are tied.
    pub epsilon: f64,
    /// Smallest difference above `epsilon` that changes the accuracy, or None.
    pub end: Option<f64>,
    /// No larger threshold, from `end` up, is as accurate.
    pub unique: bool,
    /// Calling every pair a tie is as accurate.
    pub degenerate: bool,
    /// The mean over groups at `epsilon`.
    pub accuracy: f64,
    /// The mean over groups of the share of pairs that people tie.
    pub human_ties: f64,
    /// Number of groups.
    pub groups: u64,
}

/// Memory that is kept between calls.
#[derive(Debug, Clone, Default)]
pub struct Buffers {
    table: Vec<Changes>,
    changes: Vec<Change>,
    chosen: Vec<bool>,
}

impl Prepared {
    /// Finds the best threshold of a metric, whose scores are finite and in the order of `gather`.
    ///
    /// Returns None without groups. `averaging` chooses the mean.
    #[must_use]
    pub fn calibrate(
        &self,
        averaging: Averaging,
        metric: &[f64],
        weights: Option<&[u32]>,
        scratch: &mut Scratch,
    ) -> Option<Calibration> {
        self.calibrate_within(Limits::default(), averaging, metric, weights, scratch)
    }

    fn calibrate_within(
        &self,
        limits: Limits,
        averaging: Averaging,
        metric: &[f64],
        weights: Option<&[u32]>,
        scratch: &mut Scratch,
    ) -> Option<Calibration> {
        let source = Source::new(self, metric, weights, limits);
        let groups: u64 = source.draws.iter().sum();
        if groups == 0 {
            return None;
        }
        let fractions: Vec<_> =
            self.sizes().iter().map(|size| size.weight(averaging.micro)).collect();
        let mut search = Search::new(&source, Scale::new(&fractions, source.pairs));
        let widest = source.widest();
        search.explore(0.0..widest, None, &mut scratch.calibrating);
        let share = |counts: &[u64]| {
            let counts: Vec<_> = counts.iter().map(|&count| count as i64).collect();
            self.mean_share(averaging, &counts, &source.draws).unwrap_or(0.0)
        };
        let mut all_tied = Vec::new();
        search.scale.sum(&source.ties, &mut all_tied);
        Some(Calibration {
            epsilon: search.epsilon,
            end: search.end,
            unique: search.unique,
            degenerate: all_tied == search.best,
            accuracy: share(&search.best_right),
            human_ties: share(&source.ties),
            groups,
        })
    }
}

/// Walks through thresholds by ascending value.
struct Search<'a> {
    source: &'a Source<'a>,
    scale: Scale,
    /// Pairs that the metric has right at the current threshold, by class.
    right: Vec<u64>,
    sum: Vec<u64>,
    /// The best so far.
    best: Vec<u64>,
    best_right: Vec<u64>,
    epsilon: f64,
    end: Option<f64>,
    unique: bool,
    started: bool,
}

impl<'a> Search<'a> {
    fn new(source: &'a Source<'a>, scale: Scale) -> Self {
        Self {
            source,
            scale,
            right: Vec::new(),
            sum: Vec::new(),
            best: Vec::new(),
            best_right: Vec::new(),
            epsilon: 0.0,
            end: None,
            unique: true,
            started: false,
        }
    }

    /// Starts at threshold 0: every pair that a larger threshold can lose is right, and so are
    /// pairs tied by both.
    fn start(&mut self, table: &[Changes]) {
        self.right = self.source.ties.clone();
        let classes = self.right.len();
        for row in table.chunks_exact(classes) {
            for (right, changes) in self.right.iter_mut().zip(row) {
                *right = *right + changes.lost - changes.gained;
            }
        }
        self.started = true;
        self.scale.sum(&self.right, &mut self.best);
        self.best_right.clone_from(&self.right);
    }

    /// Looks at all thresholds within bounds; `floor` is a sum that some threshold is known to reach.
    fn explore(&mut self, bounds: Range<f64>, floor: Option<&[u64]>, buffers: &mut Buffers) {
        let count = self.source.ranges();
        let most = self.source.kept();
        let ranges = Ranges::new(bounds.start, bounds.end, count);
        let Buffers { table, changes, chosen } = buffers;
        self.source.tabulate(&ranges, table);
        if !self.started {
            self.start(table);
        }
        let floor = self.choose(table, floor, chosen);
        let classes = self.right.len();
        let size = |at: usize| -> u64 {
            table[at * classes..][..classes].iter().map(|cell| cell.gained + cell.lost).sum()
        };
        let large: Vec<_> = (0..count).map(|at| chosen[at] && size(at) > most).collect();
        let bounds =
            if large.contains(&true) { self.source.bounds(&ranges, &large) } else { vec![] };
        let mut next = 0;
        while next < count {
            let first = next;
            if large[first] {
                self.divide(bounds[first], &table[first * classes..][..classes], &floor);
                next += 1;
                continue;
            }
            let mut kept = 0;
            while next < count && !large[next] && (!chosen[next] || kept + size(next) <= most) {
                kept += if chosen[next] { size(next) } else { 0 };
                next += 1;
            }
            changes.clear();
            if kept > 0 {
                let mut batch = vec![false; count];
                batch[first..next].copy_from_slice(&chosen[first..next]);
                self.source.collect(&ranges, &batch, changes);
            }
            self.walk(&table[first * classes..next * classes], &chosen[first..next], changes);
        }
    }

    /// Chooses the ranges in which some threshold may be as good as the best there is.
    fn choose(
        &mut self,
        table: &[Changes],
        floor: Option<&[u64]>,
        chosen: &mut Vec<bool>,
    ) -> Vec<u64> {
        let classes = self.right.len();
        let mut floor = floor.map_or_else(|| self.best.clone(), <[u64]>::to_vec);
        if compare(&self.best, &floor) == Ordering::Greater {
            floor.clone_from(&self.best);
        }
        let mut right = self.right.clone();
        for row in table.chunks_exact(classes) {
            pass(&mut right, row);
            self.scale.sum(&right, &mut self.sum);
            if compare(&self.sum, &floor) == Ordering::Greater {
                floor.clone_from(&self.sum);
            }
        }
        right.clone_from(&self.right);
        chosen.clear();
        let mut most = vec![0; classes];
        for row in table.chunks_exact(classes) {
            let empty = row.iter().all(|cell| cell.gained + cell.lost == 0);
            for ((most, right), cell) in most.iter_mut().zip(&right).zip(row) {
                *most = right + cell.gained;
            }
            self.scale.sum(&most, &mut self.sum);
            chosen.push(!empty && compare(&self.sum, &floor) != Ordering::Less);
            pass(&mut right, row);
        }
        floor
    }

    /// Walks through ranges: through the chosen ones change by change, past the others.
    fn walk(&mut self, table: &[Changes], chosen: &[bool], changes: &[Change]) {
        let classes = self.right.len();
        let mut rest = changes;
        for (row, &chosen) in table.chunks_exact(classes).zip(chosen) {
            if !chosen {
                pass(&mut self.right, row);
                continue;
            }
            let mut left: u64 = row.iter().map(|cell| cell.gained + cell.lost).sum();
            while left > 0 {
                let difference = rest[0].difference;
                while let Some((change, others)) = rest.split_first()
                    && change.difference == difference
                {
                    let right = &mut self.right[change.class as usize];
                    let times = u64::from(change.times);
                    *right = if change.tied { *right + times } else { *right - times };
                    left -= times;
                    rest = others;
                }
                self.consider(difference);
            }
        }
    }

    /// Takes note of the threshold that the walk has reached.
    fn consider(&mut self, threshold: f64) {
        self.scale.sum(&self.right, &mut self.sum);
        match compare(&self.sum, &self.best) {
            Ordering::Greater => {
                std::mem::swap(&mut self.sum, &mut self.best);
                self.best_right.clone_from(&self.right);
                (self.epsilon, self.end, self.unique) = (threshold, None, true);
            }
            Ordering::Equal => self.unique &= self.end.is_none(),
            Ordering::Less => self.end = self.end.or(Some(threshold)),
        }
    }

    /// Walks through one range with too many changes to keep, of differences from `low` to `high`.
    fn divide(&mut self, (low, high): (f64, f64), row: &[Changes], floor: &[u64]) {
        if low < high {
            self.explore(low..high, Some(floor), &mut Buffers::default());
        } else {
            // Whole scores have few differences, each of many pairs: there is nothing to divide.
            pass(&mut self.right, row);
            self.consider(low);
        }
    }
}

/// Moves the threshold past a range.
fn pass(right: &mut [u64], row: &[Changes]) {
    for (right, cell) in right.iter_mut().zip(row) {
        *right = *right + cell.gained - cell.lost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::coefficients::{Coefficient, Formula};
    use crate::agreement::groups::Grouping;
    use crate::resampling::{Purpose, Stream};

    /// Judgments of 4 systems and a metric, both with ties, some cells not judged.
    fn matrices(items: usize, seed: u64, levels: u32) -> (Vec<f64>, Vec<f64>) {
        let mut stream = Stream::new(seed, Purpose::Agreement, 0);
        let mut cell = || {
            let judged = stream.below(5) > 0;
            let human = f64::from(stream.below(3));
            let metric = 0.1 * (f64::from(stream.below(levels)) + f64::from(levels / 4) * human);
            (if judged { human } else { f64::NAN }, metric)
        };
        (0..4 * items).map(|_| cell()).unzip()
    }

    /// Returns every candidate with its accuracy, evaluating each of them.
    fn plain(
        prepared: &Prepared,
        averaging: Averaging,
        metric: &[f64],
        weights: Option<&[u32]>,
    ) -> Vec<(f64, f64)> {
        let mut candidates = vec![0.0];
        for group in prepared.groups() {
            let scores = &metric[group.start..group.end];
            let pairs = scores.iter().flat_map(|a| scores.iter().map(move |b| (a - b).abs()));
            candidates.extend(pairs);
        }
        candidates.sort_unstable_by(f64::total_cmp);
        candidates.dedup();
        let mut scratch = Scratch::default();
        let mut accuracy = |epsilon: f64| {
            let coefficient = Coefficient::Pairs { formula: Formula::AccEq, epsilon };
            let found = prepared.evaluate(coefficient, averaging, metric, weights, &mut scratch);
            found.value.unwrap_or(f64::NAN)
        };
        candidates.into_iter().map(|epsilon| (epsilon, accuracy(epsilon))).collect()
    }

    #[test]
    fn the_threshold_is_the_smallest_of_the_best_however_little_is_kept() {
        let limits = [
            Limits::default(),
            Limits { kept: 3, ranges: (2, 3), shared: 10 },
            Limits { kept: 40, ranges: (16, 5), shared: 100 },
        ];
        for seed in 0..12 {
            let (human, metric) = matrices(12, seed, [8, 40, 1000][seed as usize % 3]);
            let weights: Vec<u32> = (0..12).map(|item| (item * 7 + 3) % 4).collect();
            for grouping in [Grouping::None, Grouping::Item, Grouping::System] {
                let prepared = Prepared::new(&human, 4, grouping);
                let metric = prepared.gather(&metric);
                for micro in [false, true] {
                    let averaging = Averaging { micro, ..Averaging::default() };
                    let weights = (grouping == Grouping::Item).then_some(&weights[..]);
                    let all = plain(&prepared, averaging, &metric, weights);
                    let best = all.iter().fold(0.0, |best: f64, &(_, value)| best.max(value));
                    let good = |value: f64| (best - value).abs() < 1e-12;
                    let first = all.iter().position(|&(_, value)| good(value)).unwrap_or(0);
                    let rest = &all[first..];
                    let end = rest.iter().position(|&(_, value)| !good(value));
                    for limits in limits {
                        let mut scratch = Scratch::default();
                        let found = prepared
                            .calibrate_within(limits, averaging, &metric, weights, &mut scratch)
                            .expect("there are groups");
                        assert!((found.accuracy - best).abs() < 1e-12);
                        assert_eq!(found.epsilon.to_bits(), all[first].0.to_bits());
                        assert_eq!(found.end, end.map(|end| rest[end].0));
                        let again = end.is_some_and(|end| rest[end..].iter().any(|it| good(it.1)));
                        assert_eq!(found.unique, !again);
                        assert_eq!(found.degenerate, good(all[all.len() - 1].1));
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_calibrated_without_groups() {
        let prepared = Prepared::new(&[1.0, f64::NAN], 2, Grouping::Item);
        let mut scratch = Scratch::default();
        assert_eq!(prepared.calibrate(Averaging::default(), &[], None, &mut scratch), None);
    }
}
