//! Coefficients of pairs by item, all items at once: for one look at a matrix of few systems.
//!
//! The scores of a system lie side by side, item after item, so that two systems are compared on many
//! items by the same instructions. Nothing is sorted or prepared, which pays only where the same human
//! scores are looked at again and again.

use super::coefficients::{Averaging, Coefficient, Evaluated};
use super::evaluation::Mean;
use super::pairs::{FEW, PairCounts};

/// Items whose counts are kept together: they fit into the processor's nearest cache.
const BLOCK: usize = 128;

/// The counts of a block of items.
#[derive(Clone)]
struct Counts {
    cells: [u64; BLOCK],
    concordant: [u64; BLOCK],
    discordant: [u64; BLOCK],
    human_ties: [u64; BLOCK],
    metric_ties: [u64; BLOCK],
    both_ties: [u64; BLOCK],
}

impl Counts {
    const NONE: Self = Self {
        cells: [0; BLOCK],
        concordant: [0; BLOCK],
        discordant: [0; BLOCK],
        human_ties: [0; BLOCK],
        metric_ties: [0; BLOCK],
        both_ties: [0; BLOCK],
    };

    /// Adds the pairs that two systems make, one for each item that people judged of both.
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "without branches, items go several at a time"
    )]
    fn add(&mut self, human: [&[f64]; 2], metric: [&[f64]; 2], epsilon: f64) {
        let n = human[0].len().min(BLOCK);
        let [first, second] = human.map(|scores| &scores[..n]);
        let [left, right] = metric.map(|scores| &scores[..n]);
        for item in 0..n {
            // A missing score, NaN, is neither more nor less than another, nor equal to it.
            let (more, less) = (first[item] > second[item], first[item] < second[item]);
            let tied = first[item] == second[item];
            let (up, down) =
                (left[item] - right[item] > epsilon, right[item] - left[item] > epsilon);
            let level = !(up | down);
            self.concordant[item] += u64::from((more & up) | (less & down));
            self.discordant[item] += u64::from((more & down) | (less & up));
            self.human_ties[item] += u64::from(tied & !level);
            self.metric_ties[item] += u64::from((more | less) & level);
            self.both_ties[item] += u64::from(tied & level);
        }
    }

    fn of(&self, item: usize) -> PairCounts {
        PairCounts {
            concordant: self.concordant[item],
            discordant: self.discordant[item],
            human_ties: self.human_ties[item],
            metric_ties: self.metric_ties[item],
            both_ties: self.both_ties[item],
        }
    }
}

/// Returns the mean over items, equal to `Prepared::evaluate`; None if another way is faster.
///
/// The matrices come row by row (system, item), with NaN for cells without human scores.
#[must_use]
pub fn average_by_item(
    human: &[f64],
    metric: &[f64],
    systems: usize,
    coefficient: Coefficient,
    averaging: Averaging,
) -> Option<Evaluated> {
    let Coefficient::Pairs { formula, epsilon } = coefficient else { return None };
    // Shares of pairs are added up as whole numbers, elsewhere.
    if systems == 0 || systems > FEW || formula.share(&PairCounts::default()).is_some() {
        return None;
    }
    let items = human.len() / systems;
    let mut mean = Mean::new(averaging);
    for start in (0..items).step_by(BLOCK) {
        let end = items.min(start + BLOCK);
        let row = |scores, system: usize| block(scores, system * items + start, end - start);
        let mut counts = Counts::NONE;
        for first in 0..systems {
            for (cells, score) in counts.cells.iter_mut().zip(row(human, first)) {
                *cells += u64::from(!score.is_nan());
            }
            for second in 0..first {
                counts.add(
                    [row(human, first), row(human, second)],
                    [row(metric, first), row(metric, second)],
                    epsilon,
                );
            }
        }
        for item in 0..end - start {
            let cells = counts.cells[item];
            if cells >= 2 {
                mean.add(formula.of(&counts.of(item)), cells as usize, 1);
            }
        }
    }
    Some(mean.done())
}

fn block(scores: &[f64], start: usize, length: usize) -> &[f64] {
    &scores[start..start + length]
}

#[cfg(test)]
mod tests {
    use super::super::coefficients::Formula;
    use super::super::groups::{Grouping, Prepared, Scratch};
    use super::*;
    use crate::resampling::{Purpose, Stream};

    #[test]
    fn it_gives_what_sorted_groups_give_to_the_last_digit() {
        let mut stream = Stream::new(3, Purpose::Agreement, 0);
        for (systems, items) in [(1, 5), (2, 1), (3, 128), (5, 300), (8, 129), (FEW, 7)] {
            let mut scores = |levels: u32| -> Vec<f64> {
                (0..systems * items).map(|_| f64::from(stream.below(levels))).collect()
            };
            let (mut human, metric) = (scores(4), scores(9));
            for cell in (0..human.len()).step_by(7) {
                human[cell] = f64::NAN;
            }
            for formula in [Formula::TauB, Formula::Tau10, Formula::Tau13, Formula::Tau14] {
                for (epsilon, micro, undefined_as_zero) in
                    [(0.0, false, false), (2.0, false, true), (0.5, true, false)]
                {
                    let coefficient = Coefficient::Pairs { formula, epsilon };
                    let averaging = Averaging { micro, undefined_as_zero };
                    let prepared = Prepared::new(&human, systems, Grouping::Item);
                    let gathered = prepared.gather(&metric);
                    let scratch = &mut Scratch::default();
                    let expected =
                        prepared.evaluate(coefficient, averaging, &gathered, None, scratch);
                    let found = average_by_item(&human, &metric, systems, coefficient, averaging);
                    assert_eq!(found, Some(expected), "{formula:?} {systems} × {items}");
                }
            }
        }
    }

    #[test]
    fn many_systems_and_whole_shares_are_left_to_others() {
        let human = vec![0.0; FEW + 1];
        let tau = Coefficient::Pairs { formula: Formula::TauB, epsilon: 0.0 };
        let share = Coefficient::Pairs { formula: Formula::AccEq, epsilon: 0.0 };
        let averaging = Averaging::default();
        assert_eq!(average_by_item(&human, &human, FEW + 1, tau, averaging), None);
        assert_eq!(average_by_item(&human[..4], &human[..4], 2, share, averaging), None);
    }
}
