//! Coefficients of pairs of two hybrids of metrics, without comparing any scores in a draw.
//!
//! When two metrics swap the scores of some cells, each cell of a pair holds one of two scores, so that the
//! pair can be in four states. Whether the metric orders the pair in each of them is looked at once. A draw is
//! a bit of a word: a few logical operations say for 256 draws at a time whether a pair is ordered as people
//! order it, the other way round, or tied, and counters of binary digits add that up.

use super::coefficients::{Averaging, Formula};
use super::evaluation::Mean;
use super::groups::{Group, Prepared};
use super::pairs::{FEW, PairCounts, pairs_of};
use super::permuted_ties::{Bits, Counter, LANES, WORDS};
use crate::interruption;

/// The most pairs that are kept; 12 bytes each.
const MOST: u64 = 1 << 22;

/// One bit for each of the four states of a pair: bit 2 x + y is set if the later cell holds the
/// score of metric x, and the earlier cell the score of metric y.
type States = u8;
const ALL: States = 0b1111;

/// Two cells of a group, in ascending order of the human score.
#[derive(Debug, Clone, Copy)]
struct Pair {
    earlier: u32,
    later: u32,
    /// States in which the metric puts the later cell above the earlier.
    up: States,
    /// States in which it puts the later cell below the earlier.
    down: States,
}

/// The pairs that two metrics can make of human scores, by group.
pub(super) struct PermutedPairs<'a> {
    prepared: &'a Prepared,
    formula: Formula,
    averaging: Averaging,
    /// Pairs of each group, first those that people order, then those that they tie.
    pairs: Vec<Pair>,
}

impl<'a> PermutedPairs<'a> {
    /// Prepares two metrics, whose standardised scores are in the order of `gather`.
    ///
    /// Returns None if groups are large, or the formula is a share of pairs: shares are added up as
    /// whole numbers.
    pub(super) fn new(
        prepared: &'a Prepared,
        formula: Formula,
        epsilon: f64,
        averaging: Averaging,
        metrics: [&[f64]; 2],
    ) -> Option<Self> {
        let is_share = formula.share(&PairCounts::default()).is_some();
        let is_large = prepared.groups().iter().any(|group| group.len() > FEW);
        if is_share || is_large || prepared.pairs() > MOST {
            return None;
        }
        let pair = |earlier: usize, later: usize| {
            let (mut up, mut down) = (0, 0);
            for (state, (x, y)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
                let (later, earlier) = (metrics[x][later], metrics[y][earlier]);
                up |= States::from(later - earlier > epsilon) << state;
                down |= States::from(earlier - later > epsilon) << state;
            }
            Pair { earlier: earlier as u32, later: later as u32, up, down }
        };
        let mut pairs = Vec::new();
        for group in prepared.groups() {
            let first_equal = |later: usize| group.start + prepared.below[later] as usize;
            for later in group.start..group.end {
                pairs.extend((group.start..first_equal(later)).map(|earlier| pair(earlier, later)));
            }
            for later in group.start..group.end {
                pairs.extend((first_equal(later)..later).map(|earlier| pair(earlier, later)));
            }
        }
        Some(Self { prepared, formula, averaging, pairs })
    }

    /// Computes the values of both hybrids in `LANES` draws at once; NaN if a hybrid has no value.
    ///
    /// `holds[2 * cell + 1]` has a bit for each draw in which the first hybrid holds the second
    /// metric's score of the cell, and the second hybrid the first's.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn values(&self, holds: &[Bits]) -> Vec<[f64; 2]> {
        let means = || -> Vec<Mean> { (0..LANES).map(|_| Mean::new(self.averaging)).collect() };
        let mut means = [means(), means()];
        let mut rest = &self.pairs[..];
        for group in self.prepared.groups() {
            interruption::check();
            let (pairs, others) = rest.split_at(pairs_of(group.len()) as usize);
            rest = others;
            let tied = (group.ties + group.copies) as usize;
            let (ordered, tied) = pairs.split_at(pairs.len() - tied);
            for (hybrid, means) in means.iter_mut().enumerate() {
                self.add(group, &count(ordered, tied, holds, hybrid == 1), means);
            }
        }
        let [first, second] = means;
        let value = |mean: Mean| mean.done().value.unwrap_or(f64::NAN);
        first.into_iter().zip(second).map(|(one, other)| [value(one), value(other)]).collect()
    }

    /// Adds a group to the mean of each draw.
    fn add(&self, group: &Group, counted: &Counted, means: &mut [Mean]) {
        let tied = group.ties + group.copies;
        let ordered = pairs_of(group.len()) - tied;
        let value = |counts: [u32; 3]| {
            let [concordant, discordant, human_ties] = counts.map(u64::from);
            self.formula.of(&PairCounts {
                concordant,
                discordant,
                human_ties,
                metric_ties: ordered - concordant - discordant,
                // A cell ties with its copy in everything.
                both_ties: tied - human_ties - group.copies,
            })
        };
        let Counted { up, down, apart, has_ties } = counted;
        if !has_ties {
            // One count says all.
            let all = ordered as u32;
            let values: Vec<_> = (0..=all).map(|up| value([up, all - up, apart[0]])).collect();
            for (mean, &up) in means.iter_mut().zip(up) {
                mean.add(values[up as usize], group.len(), 1);
            }
            return;
        }
        let mut last = ([u32::MAX; 3], None);
        for (draw, mean) in means.iter_mut().enumerate() {
            let counts = [up[draw], down[draw], apart[draw]];
            // Neighbours are often alike: groups are small.
            if counts != last.0 {
                last = (counts, value(counts));
            }
            mean.add(last.1, group.len(), 1);
        }
    }
}

/// Counted pairs of a group in each draw:
struct Counted {
    /// number of pairs ordered by people that the metric orders alike,
    up: [u32; LANES],
    /// number of those it orders the other way round,
    down: [u32; LANES],
    /// and those that people tie and the metric does not.
    apart: [u32; LANES],
    /// True if the metric ties any pair in any draw.
    has_ties: bool,
}

/// Counts the pairs of a group, as the first hybrid has them, or the second: the other way round.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn count(ordered: &[Pair], tied: &[Pair], holds: &[Bits], is_second: bool) -> Counted {
    let of = |pairs: &[Pair], states: fn(&Pair) -> States| {
        let mut counter = Counter::default();
        for eight in pairs.chunks(8) {
            let mut bits = [[0; WORDS]; 8];
            for (bits, pair) in bits.iter_mut().zip(eight) {
                let states = if is_second { turned(states(pair)) } else { states(pair) };
                let cells = [pair.later, pair.earlier];
                *bits = draws_in(states, cells.map(|cell| &holds[2 * cell as usize + 1]));
            }
            counter.add(&bits);
        }
        counter.counts()
    };
    let up = of(ordered, |pair| pair.up);
    let are_apart = |pairs: &[Pair]| pairs.iter().all(|pair| pair.up | pair.down == ALL);
    let is_ordered = are_apart(ordered);
    let down = if is_ordered {
        up.map(|up| ordered.len() as u32 - up)
    } else {
        of(ordered, |pair| pair.down)
    };
    let is_apart = are_apart(tied);
    let apart =
        if is_apart { [tied.len() as u32; LANES] } else { of(tied, |pair| pair.up | pair.down) };
    Counted { up, down, apart, has_ties: !(is_ordered && is_apart) }
}

/// Returns the states of the second hybrid, which holds the scores that the first does not.
fn turned(states: States) -> States {
    (0..4).fold(0, |turned, state| turned | (states >> state & 1) << (3 - state))
}

/// Returns the draws in which two cells hold scores in one of the `states`.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn draws_in(states: States, [later, earlier]: [&Bits; 2]) -> Bits {
    let all = |state: u32| 0_u64.wrapping_sub(u64::from(states >> state & 1));
    // A polynomial over two elements: the sum of some of 1, y, x and x y.
    let one = all(0);
    let (y, x) = (all(1) ^ one, all(2) ^ one);
    let both = all(3) ^ one ^ x ^ y;
    std::array::from_fn(|word| {
        let (later, earlier) = (later[word], earlier[word]);
        one ^ (x & later) ^ (y & earlier) ^ (both & later & earlier)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_looked_up_bit_by_bit() {
        let (later, earlier) = ([0b1100; WORDS], [0b1010; WORDS]);
        for states in 0..16 {
            let found = draws_in(states, [&later, &earlier]);
            assert!(found.iter().all(|word| word & 15 == u64::from(states)), "{states}");
        }
        assert_eq!((turned(0b0001), turned(0b1010)), (0b1000, 0b0101));
    }
}
