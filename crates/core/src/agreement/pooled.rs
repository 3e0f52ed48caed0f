//! Coefficients of the pairs of all groups put together.

use super::coefficients::{Averaging, Evaluated, TINY, cosine, moments};
use super::evaluation::Mean;
use super::groups::{Group, Prepared, Scratch, deviations};
use super::pairs::{self, KeptPairs, PairCounts, Sorting};

impl Prepared {
    /// Counts the pairs of all groups put together.
    #[must_use]
    pub fn counts(
        &self,
        epsilon: f64,
        metric: &[f64],
        weights: Option<&[u32]>,
        scratch: &mut Scratch,
    ) -> PairCounts {
        let mut pooled = PairCounts::default();
        self.each(metric, weights, |group, metric, times| {
            pooled.add_times(&self.count(group, metric, epsilon, &mut scratch.sorting), times);
        });
        pooled
    }

    /// Hands over, for each pair of cells, its group and whether each of two metrics has it right.
    pub fn pair_outcomes(
        &self,
        metrics: [&[f64]; 2],
        epsilons: [f64; 2],
        mut outcome: impl FnMut(usize, bool, bool),
    ) {
        for (index, group) in self.groups().iter().enumerate() {
            for later in group.start..group.end {
                let start = group.start + self.below[later] as usize;
                for earlier in group.start..later {
                    let [first, second] = [0, 1].map(|side: usize| {
                        let difference = metrics[side][later] - metrics[side][earlier];
                        if earlier < start {
                            difference > epsilons[side]
                        } else {
                            difference.abs() <= epsilons[side]
                        }
                    });
                    outcome(index, first, second);
                }
            }
        }
    }

    pub(super) fn kendall_like(
        &self,
        threshold: f64,
        averaging: Averaging,
        metric: &[f64],
        weights: Option<&[u32]>,
        sorting: &mut Sorting,
    ) -> Evaluated {
        let tau = |pairs: KeptPairs| {
            let gain = 2.0 * pairs.concordant as f64 - pairs.kept as f64;
            (pairs.kept > 0).then(|| gain / pairs.kept as f64)
        };
        let mut pooled = KeptPairs::default();
        let mut mean = Mean::new(averaging);
        self.each(metric, weights, |group, metric, times| {
            let counts = self.count_kept(group, metric, threshold, sorting);
            pooled.kept += times * counts.kept;
            pooled.concordant += times * counts.concordant;
            mean.add(tau(counts), group.len(), times);
        });
        let found = mean.done();
        if averaging.micro { Evaluated { value: tau(pooled), ..found } } else { found }
    }

    fn count_kept(
        &self,
        group: &Group,
        metric: &[f64],
        threshold: f64,
        sorting: &mut Sorting,
    ) -> KeptPairs {
        let cells = group.start..group.end;
        let (human, below) = (&self.human[cells.clone()], &self.below[cells]);
        let mut counts = pairs::count_kept(human, below, metric, threshold, sorting);
        if threshold <= 0.0 {
            // Copies of a cell differ by 0.
            counts.kept -= group.copies;
        }
        counts
    }

    /// Computes Pearson's r of the differences of pairs: over the pairs of n numbers, the sum of
    /// the products of differences is n times the sum of the products of deviations.
    pub(super) fn difference_pearson(&self, metric: &[f64], weights: Option<&[u32]>) -> Evaluated {
        let (mut products, mut squares, mut human) = (0.0, 0.0, 0.0);
        let mut groups = 0;
        let people = self.deviations();
        self.each(metric, weights, |group, metric, times| {
            let factor = times as f64 * group.len() as f64;
            let own = moments(&people.values[group.start..group.end], metric);
            products += factor * own.0;
            squares += factor * own.1;
            human += factor * people.squares[group.number];
            groups += times;
        });
        let value = if squares > TINY && human > TINY {
            Some((products / (squares.sqrt() * human.sqrt())).clamp(-1.0, 1.0))
        } else {
            self.tiny_difference_pearson(metric, weights)
        };
        let (groups, undefined) = if value.is_some() { (groups, 0) } else { (0, groups) };
        Evaluated { value, groups, undefined, epsilon: None }
    }

    /// Computes `difference_pearson` if squares underflow.
    fn tiny_difference_pearson(&self, metric: &[f64], weights: Option<&[u32]>) -> Option<f64> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.each(metric, weights, |group, metric, times| {
            let factor = (times as f64 * group.len() as f64).sqrt();
            // Deviations of a constant are rounding.
            let varies = [group.distinct > 1, metric.iter().any(|score| *score != metric[0])];
            let [people, own] = varies.map(|varies| if varies { factor } else { 0.0 });
            let human = &self.deviations().values[group.start..group.end];
            left.extend(human.iter().map(|deviation| people * deviation));
            right.extend(deviations(metric).map(|deviation| own * deviation));
        });
        cosine(&left, &right)
    }
}
