//! Pairs of cells that two scores order alike, counted in O(n log n).
//!
//! The cells of a group come in ascending order of the human score, and `below[i]` counts the cells
//! with a lower one: two cells are tied by people exactly if `below` is equal. A pair is tied by
//! the metric exactly if the double |m1 - m2| is at most epsilon. Subtraction rounds monotonically,
//! so that the cells tied with one cell are a window of the cells sorted by metric.

use std::ops::AddAssign;

/// Up to this many cells, looking at every pair is faster than sorting.
pub(super) const FEW: usize = 48;

/// Every pair of cells falls into one of five classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Both scores differ, in the same direction.
    pub concordant: u64,
    /// Both scores differ, in opposite directions.
    pub discordant: u64,
    /// Tied in the human scores only.
    pub human_ties: u64,
    /// Tied in the metric scores only.
    pub metric_ties: u64,
    /// Tied in both.
    pub both_ties: u64,
}

impl PairCounts {
    /// Returns the number of all pairs.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.concordant + self.discordant + self.human_ties + self.metric_ties + self.both_ties
    }

    /// Adds the counts of a group that was drawn `times` times.
    pub fn add_times(&mut self, other: &Self, times: u64) {
        self.concordant += times * other.concordant;
        self.discordant += times * other.discordant;
        self.human_ties += times * other.human_ties;
        self.metric_ties += times * other.metric_ties;
        self.both_ties += times * other.both_ties;
    }
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        self.add_times(&other, 1);
    }
}

/// Buffers for counting, kept between calls to avoid allocations.
#[derive(Debug, Clone, Default)]
pub struct Sorting {
    order: Vec<(f64, u32)>,
    tree: Vec<u32>,
    singles: Vec<u32>,
}

impl Sorting {
    /// Sorts the scores in ascending order, with their indices.
    pub fn sort(&mut self, scores: &[f64]) -> &[(f64, u32)] {
        self.order.clear();
        self.order.extend(scores.iter().zip(0..).map(|(&score, place)| (score, place)));
        self.order.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
        &self.order
    }

    fn clear_tree(&mut self, size: usize) {
        self.tree.clear();
        self.tree.resize(size + 1, 0);
        self.singles.clear();
        self.singles.resize(size, 0);
    }
}

/// Adds one at `index` of a tree of partial sums (Fenwick, 1994).
fn tree_add(tree: &mut [u32], index: u32) {
    let mut node = index as usize + 1;
    while node < tree.len() {
        tree[node] += 1;
        node += node & node.wrapping_neg();
    }
}

/// Counts the items added at indices below `index`.
fn tree_below(tree: &[u32], index: u32) -> u64 {
    let mut node = index as usize;
    let mut sum = 0;
    while node > 0 {
        sum += u64::from(tree[node]);
        node &= node - 1;
    }
    sum
}

/// Counts the pairs of n items.
#[must_use]
pub fn pairs_of(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

/// Counts the pairs of one group.
#[must_use]
pub fn count(below: &[u32], metric: &[f64], epsilon: f64, sorting: &mut Sorting) -> PairCounts {
    if metric.len() <= FEW {
        count_directly(below, metric, epsilon)
    } else {
        count_by_sorting(below, metric, epsilon, sorting)
    }
}

fn count_directly(below: &[u32], metric: &[f64], epsilon: f64) -> PairCounts {
    let mut counts = PairCounts::default();
    for (later, (&start, &score)) in below.iter().zip(metric).enumerate() {
        let start = start as usize;
        let (mut up, mut down, mut tied) = (0, 0, 0);
        for &lower in &metric[..start] {
            up += u64::from(score - lower > epsilon);
            down += u64::from(lower - score > epsilon);
        }
        for &equal in &metric[start..later] {
            tied += u64::from((score - equal).abs() <= epsilon);
        }
        counts.concordant += up;
        counts.discordant += down;
        counts.metric_ties += start as u64 - up - down;
        counts.both_ties += tied;
        counts.human_ties += (later - start) as u64 - tied;
    }
    counts
}

/// Goes through the cells by ascending metric score; those below the window of ties are in the tree,
/// by their human rank.
fn count_by_sorting(
    below: &[u32],
    metric: &[f64],
    epsilon: f64,
    sorting: &mut Sorting,
) -> PairCounts {
    sorting.clear_tree(below.len());
    sorting.sort(metric);
    let Sorting { order, tree, singles } = sorting;
    let mut counts = PairCounts::default();
    let mut window = 0;
    for &(score, place) in &*order {
        while score - order[window].0 > epsilon {
            let rank = below[order[window].1 as usize];
            tree_add(tree, rank);
            singles[rank as usize] += 1;
            window += 1;
        }
        let rank = below[place as usize];
        let lower = tree_below(tree, rank);
        let equal = u64::from(singles[rank as usize]);
        counts.concordant += lower;
        counts.human_ties += equal;
        counts.discordant += window as u64 - lower - equal;
    }
    let tied_by_people: u64 =
        (0..).zip(below).map(|(later, &start)| later - u64::from(start)).sum();
    counts.both_ties = tied_by_people - counts.human_ties;
    counts.metric_ties = pairs_of(below.len()) - counts.total();
    counts
}

/// Number of pairs that human scores separate by a threshold, and how many the metric orders alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptPairs {
    /// Pairs whose human scores are far enough apart.
    pub kept: u64,
    /// Pairs of these that the metric orders alike.
    pub concordant: u64,
}

/// Counts the pairs whose human scores differ by `threshold` or more (WMT's Kendall-like tau).
///
/// A pair is concordant where the metric orders it strictly like people. With threshold 0 the pairs
/// that people tie are kept too, and none of them is concordant.
#[must_use]
pub fn count_kept(
    human: &[f64],
    below: &[u32],
    metric: &[f64],
    threshold: f64,
    sorting: &mut Sorting,
) -> KeptPairs {
    let mut counts = KeptPairs::default();
    let mut kept = 0;
    if metric.len() <= FEW {
        for (later, (&score, &start)) in metric.iter().zip(below).enumerate() {
            kept = advance(kept, later, human, threshold);
            let ordered = &metric[..kept.min(start as usize)];
            counts.kept += kept as u64;
            counts.concordant += ordered.iter().map(|&lower| u64::from(lower < score)).sum::<u64>();
        }
        return counts;
    }
    sorting.clear_tree(metric.len());
    let ranks = metric_ranks(metric, sorting);
    let mut inserted = 0;
    for (later, (&rank, &start)) in ranks.iter().zip(below).enumerate() {
        kept = advance(kept, later, human, threshold);
        while inserted < kept.min(start as usize) {
            tree_add(&mut sorting.tree, ranks[inserted]);
            inserted += 1;
        }
        counts.kept += kept as u64;
        counts.concordant += tree_below(&sorting.tree, rank);
    }
    counts
}

/// Counts the cells before `later` that are `threshold` or more below it.
fn advance(mut kept: usize, later: usize, human: &[f64], threshold: f64) -> usize {
    while kept < later && human[later] - human[kept] >= threshold {
        kept += 1;
    }
    kept
}

/// Counts, for each cell, the cells with a lower metric score.
fn metric_ranks(metric: &[f64], sorting: &mut Sorting) -> Vec<u32> {
    let mut ranks = vec![0; metric.len()];
    let (mut last, mut rank) = (f64::NAN, 0);
    for (index, &(score, place)) in (0..).zip(sorting.sort(metric)) {
        if score != last {
            (last, rank) = (score, index);
        }
        ranks[place as usize] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resampling::{Purpose, Stream};

    /// Returns ascending human scores, the number of lower ones of each, and metric scores, with
    /// ties.
    fn cells(n: usize, seed: u64) -> (Vec<f64>, Vec<u32>, Vec<f64>) {
        let mut stream = Stream::new(seed, Purpose::Agreement, 0);
        let mut human: Vec<f64> = (0..n).map(|_| f64::from(stream.below(9)) * 0.1).collect();
        human.sort_unstable_by(f64::total_cmp);
        let below =
            human.iter().map(|h| human.iter().filter(|other| *other < h).count() as u32).collect();
        let metric = (0..n).map(|_| f64::from(stream.below(50)) * 0.1).collect();
        (human, below, metric)
    }

    #[test]
    fn sorting_counts_the_same_as_looking_at_every_pair() {
        for (n, seed) in [(2, 1), (7, 2), (60, 3), (300, 4)] {
            let (_, below, metric) = cells(n, seed);
            for epsilon in [0.0, 0.1, 0.3, 0.1 + 0.2, 10.0] {
                let mut sorting = Sorting::default();
                let expected = count_directly(&below, &metric, epsilon);
                assert_eq!(count_by_sorting(&below, &metric, epsilon, &mut sorting), expected);
                assert_eq!(expected.total(), pairs_of(n));
            }
        }
    }

    #[test]
    fn kept_pairs_are_those_of_the_definition() {
        for (n, seed) in [(2, 1), (7, 2), (60, 3), (300, 4)] {
            let (human, below, metric) = cells(n, seed);
            for threshold in [0.0, 0.1, 0.1 + 0.2, 0.5, 10.0] {
                let mut expected = KeptPairs::default();
                for i in 0..n {
                    for j in 0..i {
                        let (h, m) = (human[i] - human[j], metric[i] - metric[j]);
                        expected.kept += u64::from(h.abs() >= threshold);
                        expected.concordant += u64::from(h.abs() >= threshold && h * m > 0.0);
                    }
                }
                let mut sorting = Sorting::default();
                let found = count_kept(&human, &below, &metric, threshold, &mut sorting);
                assert_eq!(found, expected);
            }
        }
    }
}
