//! Accuracy with calibrated ties of two hybrids of metrics, without sorting anything in a draw.
//!
//! When two metrics swap the scores of some cells, a pair of cells can have only four differences: each
//! of its cells holds one of two scores. All of them are sorted once. A draw then walks down the list, adding
//! what each difference that is there is worth: with every pair tied, people's ties are what is right; as the
//! threshold falls below a difference, a pair that people tied is lost and one that both order alike is won.

use std::ops::{Add, BitAnd};

use super::coefficients::Averaging;
use super::groups::{Group, Prepared};

/// Differences of standardised scores closer than this are the same but for rounding.
const ROUNDING: f64 = 1e-12;
/// The most differences that are kept; 12 bytes each. Larger groups are calibrated draw by draw.
const MOST: u64 = 1 << 22;
/// Sums of whole weights must fit into 32 bits.
const LARGEST: u64 = i32::MAX as u64;
/// Draws that are evaluated at once.
pub const DRAWS: usize = 16;
/// For each of them, all bits set or none.
pub type Mask = [i16; DRAWS];

/// One of the four differences of a pair: which cells must hold which score, and what it is worth.
#[derive(Debug, Clone, Copy)]
struct Difference {
    first: u32,
    second: u32,
    /// What is lost, or won if below 0, when the threshold falls below the difference.
    loss: i32,
}

/// The differences of all pairs that two metrics can make, largest first.
#[derive(Debug, Clone)]
pub struct PermutedTies {
    differences: Vec<Difference>,
    /// What is right when every pair is tied.
    tied: i32,
    total: i32,
}

impl PermutedTies {
    /// Prepares two metrics, whose standardised scores come as `gather` orders them.
    ///
    /// None where there are too many pairs.
    #[must_use]
    pub fn new(prepared: &Prepared, averaging: Averaging, metrics: [&[f64]; 2]) -> Option<Self> {
        if prepared.pairs() > MOST / 4 {
            return None;
        }
        let unit = common_multiple(prepared.sizes().iter().map(|size| size.pairs))?;
        let groups = prepared.groups();
        let cells: usize = groups.iter().map(Group::len).sum();
        let weights = if averaging.micro { cells } else { groups.len() } as u64;
        let total = weights.checked_mul(unit).filter(|&total| 0 < total && total <= LARGEST)?;
        let mut found = Vec::new();
        let mut tied = 0;
        for group in groups {
            let (numerator, denominator) = group.size().weight(averaging.micro);
            let weight = (unit / denominator * numerator) as i32;
            tied += weight * group.ties as i32;
            add_differences(&mut found, prepared, group, metrics, weight);
        }
        Some(Self { differences: by_falling_size(found), tied, total: total as i32 })
    }

    /// The accuracies of both hybrids under their best thresholds, in several draws at once.
    ///
    /// `holds[2 * cell + metric]` is set for the draws in which the first hybrid holds that metric's
    /// score of the cell; the second holds it in the others.
    #[must_use]
    pub fn accuracies(&self, holds: &[Mask]) -> [[f64; 2]; DRAWS] {
        let (first, second) = if i16::try_from(self.total).is_ok() {
            self.least_losses::<i16>(holds)
        } else {
            self.least_losses::<i32>(holds)
        };
        let share = |least: i32| f64::from(self.tied - least) / f64::from(self.total);
        std::array::from_fn(|draw| [share(first[draw]), share(second[draw])])
    }

    /// The least sum of losses on the way down, of both hybrids in each draw.
    fn least_losses<S: Sum>(&self, holds: &[Mask]) -> ([i32; DRAWS], [i32; DRAWS]) {
        let [mut first, mut second] = [[S::default(); DRAWS]; 2];
        let [mut first_least, mut second_least] = [[S::default(); DRAWS]; 2];
        for difference in &self.differences {
            let one = &holds[difference.first as usize];
            let other = &holds[difference.second as usize];
            let loss = S::of(difference.loss);
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
trait Sum:
    Copy + Default + Ord + Add<Output = Self> + BitAnd<Output = Self> + From<i16> + Into<i32>
{
    fn of(number: i32) -> Self;
}

impl Sum for i16 {
    fn of(number: i32) -> Self {
        number as Self
    }
}

impl Sum for i32 {
    fn of(number: i32) -> Self {
        number
    }
}

/// Adds those differences of a group that are worth something: pairs in the other order than people's
/// are wrong at any threshold.
fn add_differences(
    found: &mut Vec<(f64, Difference)>,
    prepared: &Prepared,
    group: &Group,
    metrics: [&[f64]; 2],
    weight: i32,
) {
    let place = |cell: usize, metric: usize| (2 * cell + metric) as u32;
    for later in group.start..group.end {
        // The cells come in ascending order of the human score.
        let first_equal = group.start + prepared.below[later] as usize;
        for earlier in group.start..later {
            for (one, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let difference = metrics[one][later] - metrics[other][earlier];
                let is_tie = difference.abs() <= ROUNDING;
                let loss = if earlier >= first_equal {
                    weight
                } else if difference > ROUNDING {
                    -weight
                } else {
                    continue;
                };
                let (first, second) = (place(later, one), place(earlier, other));
                let size = if is_tie { 0.0 } else { difference.abs() };
                found.push((size, Difference { first, second, loss }));
            }
        }
    }
}

/// Largest first. Of equal sizes the losses stand first, so that no sum between them is the least: a
/// threshold takes all of them or none.
fn by_falling_size(mut found: Vec<(f64, Difference)>) -> Vec<Difference> {
    found.sort_unstable_by(|left, right| {
        right
            .0
            .total_cmp(&left.0)
            .then_with(|| (left.1.first, left.1.second).cmp(&(right.1.first, right.1.second)))
    });
    for equal in found.chunk_by_mut(|left, right| left.0 - right.0 <= ROUNDING) {
        equal.sort_by_key(|(_, difference)| std::cmp::Reverse(difference.loss));
    }
    found.into_iter().map(|(_, difference)| difference).collect()
}

/// The least common multiple; None where it is too large for exact sums.
fn common_multiple(numbers: impl Iterator<Item = u64>) -> Option<u64> {
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
