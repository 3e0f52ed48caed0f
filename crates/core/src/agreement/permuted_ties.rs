//! Accuracy with calibrated ties of two hybrids of metrics, without sorting anything in a draw.
//!
//! When two metrics swap the scores of some cells, a pair of cells can have only four differences:
//! each of its cells holds one of two scores. All of them are sorted once. A draw then walks down
//! the list, adding the loss of each difference that occurs: with every pair tied, the ties of
//! people are right; as the threshold falls below a difference, a pair that people tied is lost and
//! one that both order alike is won.
//!
//! Of very many differences, only some hundred are tried as thresholds (`CoarseTies`). What lies between two
//! of them is counted, not walked through: for 256 draws at a time, a bit for each. A permutation test holds
//! its level whatever the statistic is, as long as the observed one is made alike.

use std::cmp::Reverse;
use std::ops::{Add, BitAnd};

use rayon::prelude::*;

use super::coefficients::Averaging;
use super::groups::{Group, Prepared, Size};

/// Up to this many differences every one of them is tried as a threshold; of more, some are.
pub(super) const FINE: u64 = 1 << 18;
/// Differences of standardised scores closer than this are the same but for rounding.
const ROUNDING: f64 = 1e-12;
/// The most differences that are kept; 16 bytes each. Larger groups are calibrated draw by draw.
const MOST: u64 = 1 << 22;
/// Sums of whole weights must be exact as floats. Groups of many sizes need more than 32 bits: a pair of
/// 12 cells and one of 19 have no small weights in common.
pub(super) const LARGEST: u64 = 1 << 53;
/// Draws that are evaluated at once.
pub const DRAWS: usize = 16;
/// One value per draw: all bits set or none.
pub type Mask = [i16; DRAWS];

/// One of the four differences of a pair: the scores that its cells must hold, and its loss.
#[derive(Debug, Clone, Copy)]
struct Difference {
    first: u32,
    second: u32,
    /// Index of its loss.
    kind: u32,
}

/// The differences of all pairs that two metrics can make, largest first.
#[derive(Debug, Clone)]
pub struct PermutedTies {
    differences: Vec<Difference>,
    losses: Vec<i64>,
    /// Weight of correct pairs when every pair is tied.
    tied: i64,
    total: i64,
}

impl PermutedTies {
    /// Prepares two metrics, whose standardised scores are in the order of `gather`.
    ///
    /// Returns None if there are too many pairs.
    #[must_use]
    pub fn new(prepared: &Prepared, averaging: Averaging, metrics: [&[f64]; 2]) -> Option<Self> {
        let Differences { sized, losses, tied, total } =
            Differences::new(prepared, averaging, metrics)?;
        Some(Self { differences: by_falling_size(sized, &losses), losses, tied, total })
    }

    /// Computes the accuracies of both hybrids under their best thresholds, in several draws at
    /// once.
    ///
    /// `holds[2 * cell + metric]` is set for the draws in which the first hybrid holds that
    /// metric's score of the cell; the second holds it in the others.
    #[must_use]
    pub fn accuracies(&self, holds: &[Mask]) -> [[f64; 2]; DRAWS] {
        let (first, second) = if i16::try_from(self.total).is_ok() {
            self.least_losses::<i16>(holds)
        } else if i32::try_from(self.total).is_ok() {
            self.least_losses::<i32>(holds)
        } else {
            self.least_losses::<i64>(holds)
        };
        let share = |least: i64| (self.tied - least) as f64 / self.total as f64;
        std::array::from_fn(|draw| [share(first[draw]), share(second[draw])])
    }

    /// Returns the smallest sum of losses over all thresholds, of both hybrids in each draw.
    fn least_losses<S: Sum>(&self, holds: &[Mask]) -> ([i64; DRAWS], [i64; DRAWS]) {
        let [mut first, mut second] = [[S::default(); DRAWS]; 2];
        let [mut first_least, mut second_least] = [[S::default(); DRAWS]; 2];
        let losses: Vec<S> = self.losses.iter().map(|&loss| S::of(loss)).collect();
        for difference in &self.differences {
            let one = &holds[difference.first as usize];
            let other = &holds[difference.second as usize];
            let loss = losses[difference.kind as usize];
            for draw in 0..DRAWS {
                first[draw] = first[draw] + (loss & S::from(one[draw] & other[draw]));
                second[draw] = second[draw] + (loss & S::from(!(one[draw] | other[draw])));
                first_least[draw] = first_least[draw].min(first[draw]);
                second_least[draw] = second_least[draw].min(second[draw]);
            }
        }
        (first_least.map(Into::into), second_least.map(Into::into))
    }
}

/// A whole number; the smaller it is, the more draws are added up by one instruction.
pub(super) trait Sum:
    Copy + Default + Ord + Add<Output = Self> + BitAnd<Output = Self> + From<i16> + Into<i64>
{
    fn of(number: i64) -> Self;
}

impl Sum for i16 {
    fn of(number: i64) -> Self {
        number as Self
    }
}

impl Sum for i32 {
    fn of(number: i64) -> Self {
        number as Self
    }
}

impl Sum for i64 {
    fn of(number: i64) -> Self {
        number
    }
}

/// All differences, and their losses.
struct Differences {
    /// Differences with their sizes, in the order of groups.
    sized: Vec<(f64, Difference)>,
    /// Losses, or gains if below 0, when the threshold falls below a difference; ascending.
    losses: Vec<i64>,
    /// Weight of correct pairs when every pair is tied.
    tied: i64,
    /// Weight of all pairs.
    total: i64,
}

impl Differences {
    /// Lists the differences; returns None if there are too many or sums would overflow.
    fn new(prepared: &Prepared, averaging: Averaging, metrics: [&[f64]; 2]) -> Option<Self> {
        if prepared.pairs() > MOST / 4 {
            return None;
        }
        // Weight of a group, so that each of its pairs has a whole weight.
        let unit = common_multiple(prepared.sizes().iter().map(|size| size.pairs))?;
        let groups = prepared.groups();
        let cells: usize = groups.iter().map(Group::len).sum();
        let weights = if averaging.micro { cells } else { groups.len() } as u64;
        let total = weights.checked_mul(unit).filter(|&total| 0 < total && total <= LARGEST)?;
        let weight = |size: Size| {
            let (numerator, denominator) = size.weight(averaging.micro);
            (unit / denominator * numerator) as i64
        };
        let of_sizes = prepared.sizes().iter().map(|&size| weight(size));
        let mut losses: Vec<i64> = of_sizes.flat_map(|weight| [weight, -weight]).collect();
        losses.sort_unstable();
        losses.dedup();
        let kind = |loss: i64| losses.partition_point(|&other| other < loss) as u32;
        let of_group = |group: &Group| {
            let weight = weight(group.size());
            let mut sized = Vec::with_capacity(2 * group.pairs() as usize);
            add_differences(&mut sized, prepared, group, metrics, [kind(weight), kind(-weight)]);
            sized
        };
        let tied = groups.iter().map(|group| weight(group.size()) * group.ties as i64).sum();
        let sized = groups.par_iter().flat_map_iter(of_group).collect();
        Some(Self { sized, losses, tied, total: total as i64 })
    }
}

/// Adds the differences of a group that have weight; pairs ordered unlike people are wrong at any
/// threshold. `tied` and `ordered` are the kinds of pairs that people tie and order.
fn add_differences(
    sized: &mut Vec<(f64, Difference)>,
    prepared: &Prepared,
    group: &Group,
    metrics: [&[f64]; 2],
    [tied, ordered]: [u32; 2],
) {
    let place = |cell: usize, metric: usize| (2 * cell + metric) as u32;
    for later in group.start..group.end {
        // The cells come in ascending order of the human score.
        let first_equal = group.start + prepared.below[later] as usize;
        for earlier in group.start..later {
            for (one, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let difference = metrics[one][later] - metrics[other][earlier];
                let is_tie = difference.abs() <= ROUNDING;
                let kind = if earlier >= first_equal {
                    tied
                } else if difference > ROUNDING {
                    ordered
                } else {
                    continue;
                };
                let (first, second) = (place(later, one), place(earlier, other));
                let size = if is_tie { 0.0 } else { difference.abs() };
                sized.push((size, Difference { first, second, kind }));
            }
        }
    }
}

/// Sorts differences, largest first. Equal sizes have their losses first, so that no sum between
/// them is the least: a threshold takes all of them or none.
fn by_falling_size(mut found: Vec<(f64, Difference)>, losses: &[i64]) -> Vec<Difference> {
    found.sort_unstable_by(|left, right| {
        right
            .0
            .total_cmp(&left.0)
            .then_with(|| (left.1.first, left.1.second).cmp(&(right.1.first, right.1.second)))
    });
    for equal in found.chunk_by_mut(|left, right| left.0 - right.0 <= ROUNDING) {
        equal.sort_by_key(|(_, difference)| Reverse(losses[difference.kind as usize]));
    }
    found.into_iter().map(|(_, difference)| difference).collect()
}

/// Returns the least common multiple, or None if it is too large for exact sums.
pub(super) fn common_multiple(numbers: impl Iterator<Item = u64>) -> Option<u64> {
    let mut multiple = 1_u64;
    for number in numbers {
        multiple = multiple.checked_mul(number / common_divisor(multiple, number))?;
        if multiple > LARGEST {
            return None;
        }
    }
    Some(multiple)
}

fn common_divisor(left: u64, right: u64) -> u64 {
    if right == 0 { left } else { common_divisor(right, left % right) }
}

/// Draws that `CoarseTies` evaluates at once: a bit each.
pub(super) const LANES: usize = 64 * WORDS;
pub(super) const WORDS: usize = 4;
/// A bit for each draw.
pub(super) type Bits = [u64; WORDS];
/// The most and the fewest thresholds that are tried.
const THRESHOLDS: (usize, usize) = (512, 64);
/// Number of differences whose quantiles become thresholds.
const SAMPLE: usize = 1 << 16;

/// The differences between two thresholds with equal losses.
#[derive(Debug, Clone)]
struct Run {
    loss: i64,
    end: usize,
    /// True if a threshold follows.
    last: bool,
}

/// The differences of all pairs that two metrics can make, in ranges between thresholds, largest first.
#[derive(Debug, Clone)]
pub(super) struct CoarseTies {
    cells: Vec<[u32; 2]>,
    runs: Vec<Run>,
    tied: i64,
    total: i64,
}

impl CoarseTies {
    /// Prepares two metrics, whose standardised scores are in the order of `gather`.
    ///
    /// Returns None if sums would overflow.
    pub(super) fn new(
        prepared: &Prepared,
        averaging: Averaging,
        metrics: [&[f64]; 2],
    ) -> Option<Self> {
        let Differences { sized: found, losses, tied, total } =
            Differences::new(prepared, averaging, metrics)?;
        let wanted = (2 * THRESHOLDS.0 / losses.len().max(1)).clamp(THRESHOLDS.1, THRESHOLDS.0);
        let thresholds = quantiles(&found, wanted);
        // Counting sort by range and loss; differences of 0 are tied at any threshold.
        let kinds = losses.len();
        let limits = Limits::new(&thresholds);
        let key = |&(size, difference): &(f64, Difference)| {
            if size > ROUNDING {
                (limits.at_least(size) * kinds) as u32 + difference.kind
            } else {
                u32::MAX
            }
        };
        let keys: Vec<u32> = found.par_iter().map(key).collect();
        let mut ends = vec![0_usize; (thresholds.len() + 1) * kinds + 1];
        for &key in keys.iter().filter(|&&key| key != u32::MAX) {
            ends[key as usize + 1] += 1;
        }
        for key in 1..ends.len() {
            ends[key] += ends[key - 1];
        }
        let mut next = ends.clone();
        let mut cells = vec![[0; 2]; ends.last().copied().unwrap_or(0)];
        for (&key, (_, difference)) in keys.iter().zip(&found).filter(|(key, _)| **key != u32::MAX)
        {
            let to = &mut next[key as usize];
            cells[*to] = [difference.first, difference.second];
            *to += 1;
        }
        let run = |key: usize| Run {
            loss: losses[key % kinds],
            end: ends[key + 1],
            last: key % kinds + 1 == kinds,
        };
        let runs = (0..ends.len() - 1).map(run).collect();
        Some(Self { cells, runs, tied, total })
    }

    /// Computes the accuracies of both hybrids under their best thresholds, in `LANES` draws at
    /// once.
    ///
    /// `holds[2 * cell + metric]` has a bit for each draw in which the first hybrid holds that
    /// metric's score of the cell; the second holds it in the others.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn accuracies(&self, holds: &[Bits]) -> Vec<[f64; 2]> {
        let mut sums = [[0.0; LANES]; 2];
        let mut least = [[0.0; LANES]; 2];
        let mut start = 0;
        for run in &self.runs {
            let mut counters = [Counter::default(), Counter::default()];
            for eight in self.cells[start..run.end].chunks(8) {
                let mut both = [[[0; WORDS]; 8]; 2];
                for (place, &[first, second]) in eight.iter().enumerate() {
                    let (one, other) = (&holds[first as usize], &holds[second as usize]);
                    for word in 0..WORDS {
                        both[0][place][word] = one[word] & other[word];
                        both[1][place][word] = !(one[word] | other[word]);
                    }
                }
                counters[0].add(&both[0]);
                counters[1].add(&both[1]);
            }
            if start < run.end {
                for (counter, sums) in counters.iter().zip(&mut sums) {
                    counter.add_to(run.loss as f64, sums);
                }
            }
            if run.last {
                for (least, sums) in least.iter_mut().zip(&sums) {
                    least
                        .iter_mut()
                        .zip(sums)
                        .for_each(|(least, &sum)| *least = f64::min(*least, sum));
                }
            }
            start = run.end;
        }
        let share = |least: f64| (self.tied as f64 - least) / self.total as f64;
        (0..LANES).map(|draw| [share(least[0][draw]), share(least[1][draw])]).collect()
    }
}

/// Number of set bits in each draw, as binary digits: digit by digit, all draws of a word at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter {
    digits: [Bits; 32],
}

impl Counter {
    /// Adds eight bits of each draw, by carry-save adders (Harley and Seal).
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn add(&mut self, bits: &[Bits; 8]) {
        for word in 0..WORDS {
            let bit = |place: usize| bits[place][word];
            let [ones, twos, fours] = [0, 1, 2].map(|digit: usize| self.digits[digit][word]);
            let (ones, carried) = add_three(ones, bit(0), bit(1));
            let (ones, also) = add_three(ones, bit(2), bit(3));
            let (twos, four) = add_three(twos, carried, also);
            let (ones, carried) = add_three(ones, bit(4), bit(5));
            let (ones, also) = add_three(ones, bit(6), bit(7));
            let (twos, eight) = add_three(twos, carried, also);
            let (fours, mut carry) = add_three(fours, four, eight);
            (self.digits[0][word], self.digits[1][word]) = (ones, twos);
            self.digits[2][word] = fours;
            for digit in &mut self.digits[3..] {
                if carry == 0 {
                    break;
                }
                (digit[word], carry) = (digit[word] ^ carry, digit[word] & carry);
            }
        }
    }

    /// Returns the count of each draw.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn counts(&self) -> [u32; LANES] {
        let mut counts = [0; LANES];
        for (exponent, digit) in self.digits.iter().enumerate() {
            if digit.iter().all(|&word| word == 0) {
                continue;
            }
            let bytes = digit.iter().flat_map(|word| word.to_le_bytes());
            for (counts, byte) in counts.as_chunks_mut::<8>().0.iter_mut().zip(bytes) {
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += if u32::from(byte) & 1 << bit == 0 { 0 } else { 1 << exponent };
                }
            }
        }
        counts
    }

    /// Adds the counts of all draws, times a factor; whole numbers that are exact as floats.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn add_to(&self, factor: f64, sums: &mut [f64; LANES]) {
        for (sum, count) in sums.iter_mut().zip(self.counts()) {
            *sum += factor * f64::from(count as i32);
        }
    }
}

/// Adds three bits; returns the sum and the carry.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn add_three(one: u64, other: u64, third: u64) -> (u64, u64) {
    let odd = one ^ other;
    (odd ^ third, (one & other) | (odd & third))
}

/// Thresholds that cut the differences into ranges of about equal size, largest first, then 0.
fn quantiles(found: &[(f64, Difference)], count: usize) -> Vec<f64> {
    let step = found.len().div_ceil(SAMPLE).max(1);
    let mut sample: Vec<f64> = found.iter().step_by(step).map(|&(size, _)| size).collect();
    sample.sort_unstable_by(|left, right| right.total_cmp(left));
    let mut cuts: Vec<f64> =
        (1..count).filter_map(|cut| sample.get(cut * sample.len() / count).copied()).collect();
    cuts.push(0.0);
    cuts.dedup_by(|next, before| *before - *next <= ROUNDING);
    cuts
}

/// Thresholds, largest first, with a fast count of the thresholds that are at least a size. Sizes
/// are sorted into drawers of equal width, so that larger drawers need no look.
struct Limits {
    falling: Vec<f64>,
    scale: f64,
    /// Number of limits in larger drawers, by drawer.
    larger: Vec<u32>,
}

/// Several for each threshold.
const DRAWERS: usize = 1 << 12;

impl Limits {
    fn new(thresholds: &[f64]) -> Self {
        let falling: Vec<f64> = thresholds.iter().map(|threshold| threshold + ROUNDING).collect();
        let largest = falling.first().copied().unwrap_or(1.0);
        let mut found = Self { scale: (DRAWERS - 1) as f64 / largest, falling, larger: Vec::new() };
        found.larger = (0..DRAWERS)
            .map(|drawer| {
                found.falling.partition_point(|&limit| found.drawer(limit) > drawer) as u32
            })
            .collect();
        found
    }

    /// Returns the drawer of a size; a larger size is never in a lower drawer.
    fn drawer(&self, size: f64) -> usize {
        ((size * self.scale) as usize).min(DRAWERS - 1)
    }

    fn at_least(&self, size: f64) -> usize {
        let start = self.larger[self.drawer(size)] as usize;
        start + self.falling[start..].iter().take_while(|&&limit| limit >= size).count()
    }
}
