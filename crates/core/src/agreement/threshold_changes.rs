//! Changes of pairs as the tie threshold passes their differences, counted in ranges.

use std::ops::Range;

use rayon::prelude::*;

use super::groups::Prepared;

/// Number of changes to keep, and of ranges to count differences in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Changes that are kept at a time.
    pub kept: u64,
    /// Ranges for as many pairs as `shared` and for more.
    pub ranges: (usize, usize),
    /// Pairs above which the work is shared between threads.
    pub shared: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { kept: 1 << 22, ranges: (1 << 10, 1 << 16), shared: 1 << 22 }
    }
}

/// Effect of a threshold that passes the difference of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub difference: f64,
    pub class: u32,
    pub times: u32,
    pub tied: bool,
}

/// Changes in one range of differences, by class.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Changes {
    pub gained: u64,
    pub lost: u64,
}

/// The pairs whose changes are counted.
pub(super) struct Source<'a> {
    prepared: &'a Prepared,
    metric: &'a [f64],
    weights: Option<&'a [u32]>,
    /// Number of groups, and of pairs that people tie, by class.
    pub draws: Vec<u64>,
    pub ties: Vec<u64>,
    pub pairs: u64,
    /// Groups and rows of their pairs, in portions for threads; empty if there are few pairs.
    portions: Vec<(usize, Range<usize>)>,
    limits: Limits,
}

impl<'a> Source<'a> {
    pub fn new(
        prepared: &'a Prepared,
        metric: &'a [f64],
        weights: Option<&'a [u32]>,
        limits: Limits,
    ) -> Self {
        let classes = prepared.sizes().len();
        let (mut draws, mut ties, mut pairs) = (vec![0; classes], vec![0; classes], 0);
        for group in prepared.groups() {
            let drawings = Prepared::times(group, weights);
            draws[group.class] += drawings;
            ties[group.class] += drawings * group.ties;
            pairs += drawings * group.pairs();
        }
        let shared = prepared.pairs() > limits.shared;
        let portions = if shared { portions(prepared, limits.shared / 4) } else { Vec::new() };
        Self { prepared, metric, weights, draws, ties, pairs, portions, limits }
    }

    /// Returns a bound that no difference within a group exceeds.
    pub fn widest(&self) -> f64 {
        let spread = |scores: &[f64]| {
            let (low, high) =
                scores.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
                    (low.min(x), high.max(x))
                });
            high - low
        };
        let groups = self.prepared.groups().iter();
        groups.map(|group| spread(&self.metric[group.start..group.end])).fold(0.0, f64::max)
    }

    /// Hands over the changes of the pairs of some rows with all cells before them in the group.
    fn each_of(&self, group: usize, rows: Range<usize>, mut change: impl FnMut(Change)) {
        let group = &self.prepared.groups()[group];
        let times = Prepared::times(group, self.weights) as u32;
        if times == 0 {
            return;
        }
        let class = group.class as u32;
        let metric = &self.metric[group.start..group.end];
        let below = &self.prepared.below[group.start..group.end];
        for row in rows {
            let (score, start) = (metric[row], below[row] as usize);
            for &lower in &metric[..start] {
                let difference = score - lower;
                if difference > 0.0 {
                    change(Change { difference, class, times, tied: false });
                }
            }
            for &equal in &metric[start..row] {
                let difference = (score - equal).abs();
                if difference > 0.0 {
                    change(Change { difference, class, times, tied: true });
                }
            }
        }
    }

    /// Returns the number of changes to keep at a time; all if there are few pairs.
    pub fn kept(&self) -> u64 {
        if self.portions.is_empty() { u64::MAX } else { self.limits.kept }
    }

    /// Returns the number of ranges to count in.
    pub fn ranges(&self) -> usize {
        if self.portions.is_empty() { self.limits.ranges.0 } else { self.limits.ranges.1 }
    }

    fn each(&self, mut change: impl FnMut(Change)) {
        for (index, group) in self.prepared.groups().iter().enumerate() {
            self.each_of(index, 0..group.len(), &mut change);
        }
    }

    /// Counts the changes in each of the ranges.
    pub fn tabulate(&self, ranges: &Ranges, table: &mut Vec<Changes>) {
        let classes = self.draws.len();
        let add = |table: &mut Vec<Changes>, change: Change| {
            if let Some(range) = ranges.of(change.difference) {
                let cell = &mut table[range * classes + change.class as usize];
                let times = u64::from(change.times);
                if change.tied { cell.gained += times } else { cell.lost += times }
            }
        };
        let empty = || vec![Changes::default(); ranges.count * classes];
        table.clear();
        table.resize(ranges.count * classes, Changes::default());
        if self.portions.is_empty() {
            self.each(|change| add(table, change));
            return;
        }
        let total = {
            self.portions
                .par_iter()
                .fold(empty, |mut table, (group, rows)| {
                    self.each_of(*group, rows.clone(), |change| add(&mut table, change));
                    table
                })
                .reduce(empty, |mut left, right| {
                    for (left, right) in left.iter_mut().zip(right) {
                        left.gained += right.gained;
                        left.lost += right.lost;
                    }
                    left
                })
        };
        *table = total;
    }

    /// Returns the smallest and the largest difference in each of the chosen ranges.
    pub fn bounds(&self, ranges: &Ranges, chosen: &[bool]) -> Vec<(f64, f64)> {
        let empty = || vec![(f64::INFINITY, f64::NEG_INFINITY); ranges.count];
        let widen = |bounds: &mut (f64, f64), low: f64, high: f64| {
            *bounds = (bounds.0.min(low), bounds.1.max(high));
        };
        let of = |mut bounds: Vec<_>, (group, rows): &(usize, Range<usize>)| {
            self.each_of(*group, rows.clone(), |Change { difference, .. }| {
                if let Some(at) = ranges.of(difference).filter(|&at| chosen[at]) {
                    widen(&mut bounds[at], difference, difference);
                }
            });
            bounds
        };
        let join = |mut left: Vec<_>, right: Vec<(f64, f64)>| {
            left.iter_mut().zip(right).for_each(|(left, right)| widen(left, right.0, right.1));
            left
        };
        self.portions.par_iter().fold(empty, of).reduce(empty, join)
    }

    /// Collects the changes in the chosen ranges, by ascending difference.
    pub fn collect(&self, ranges: &Ranges, chosen: &[bool], changes: &mut Vec<Change>) {
        let wanted = |change: &Change| ranges.of(change.difference).is_some_and(|at| chosen[at]);
        changes.clear();
        if self.portions.is_empty() {
            self.each(|change| {
                if wanted(&change) {
                    changes.push(change);
                }
            });
        } else {
            let found: Vec<_> = {
                let some = |(group, rows): &(usize, Range<usize>)| {
                    let mut some = Vec::new();
                    self.each_of(*group, rows.clone(), |change| {
                        if wanted(&change) {
                            some.push(change);
                        }
                    });
                    some
                };
                self.portions.par_iter().map(some).collect()
            };
            changes.extend(found.into_iter().flat_map(Vec::into_iter));
        }
        changes.sort_unstable_by(|left, right| left.difference.total_cmp(&right.difference));
    }
}

/// Rows of groups with about equally many pairs.
fn portions(prepared: &Prepared, size: u64) -> Vec<(usize, Range<usize>)> {
    let mut portions = Vec::new();
    for (index, group) in prepared.groups().iter().enumerate() {
        let (mut start, mut pairs) = (0, 0);
        for row in 0..group.len() {
            pairs += row as u64;
            if pairs >= size || row + 1 == group.len() {
                portions.push((index, start..row + 1));
                (start, pairs) = (row + 1, 0);
            }
        }
    }
    portions
}

/// Differences from `low` to `high` cut into ranges of equal width, in ascending order.
#[derive(Debug, Clone)]
pub(super) struct Ranges {
    low: f64,
    high: f64,
    count: usize,
    scale: f64,
}

impl Ranges {
    pub fn new(low: f64, high: f64, count: usize) -> Self {
        // Both operations round monotonically, so a larger difference is never in a lower range.
        Self { low, high, count, scale: (count - 1) as f64 / (high - low) }
    }

    fn of(&self, difference: f64) -> Option<usize> {
        let inside = difference >= self.low && difference <= self.high;
        // A width so small that the scale is infinite gives 0 * infinity = NaN, which becomes 0.
        inside.then(|| (((difference - self.low) * self.scale) as usize).min(self.count - 1))
    }
}
