//! Groups of cells, by item, by system or all together, with all that depends on people alone.

use std::sync::OnceLock;

use super::pairs::{Sorting, pairs_of};

/// Partition of a (system, item) matrix into groups of cells that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// All cells.
    None,
    /// The cells of one item.
    Item,
    /// The cells of one system.
    System,
}

/// One group: its cells are `start..end` of the prepared ones.
#[derive(Debug, Clone)]
pub struct Group {
    /// First cell.
    pub start: usize,
    /// End: the index after the last cell.
    pub end: usize,
    /// Item or system of the group, as numbered by the caller; 0 if all cells are one group.
    pub label: u32,
    /// Index of its size in `Prepared::sizes`.
    pub class: usize,
    /// Pairs of a cell with its own copy, if cells are given repeatedly.
    pub copies: u64,
    /// Number of different human scores.
    pub distinct: usize,
    /// Pairs of different cells that people tie.
    pub ties: u64,
    /// Index of the group.
    pub number: usize,
}

impl Group {
    /// Returns the number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns whether the group has no cells.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Pairs of different cells.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        pairs_of(self.len()) - self.copies
    }

    /// Returns the numbers of cells and pairs.
    #[must_use]
    pub fn size(&self) -> Size {
        Size { cells: self.len(), pairs: self.pairs() }
    }
}

/// Size of a group. Without copies, n cells make n (n - 1) / 2 pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Number of cells.
    pub cells: usize,
    /// Number of pairs of different cells.
    pub pairs: u64,
}

impl Size {
    /// Returns the weight of a pair in a mean over groups, as a fraction; with `micro` a group
    /// weighs its cells.
    #[must_use]
    pub fn weight(self, micro: bool) -> (u64, u64) {
        (if micro { self.cells as u64 } else { 1 }, self.pairs)
    }
}

/// Human scores, sorted and summed up once for many metrics or replicates.
///
/// Cells without a human score, and groups of fewer than two cells, are left out. A cell that is given
/// several times counts as often, but its copies are no pairs: that a cell ties with itself says nothing.
#[derive(Debug, Clone)]
pub struct Prepared {
    cells: Vec<u32>,
    groups: Vec<Group>,
    sizes: Vec<Size>,
    /// Human score of each cell, in the order of `cells`: ascending within its group,
    pub(super) human: Vec<f64>,
    /// number of lower scores in the group,
    pub(super) below: Vec<u32>,
    // Coefficients of pairs, the most usual ones, need neither of these.
    deviations: OnceLock<Deviations>,
    ranks: OnceLock<Ranks>,
}

/// Deviations of human scores, for Pearson's r.
#[derive(Debug, Clone, Default)]
pub(super) struct Deviations {
    /// Human score less the mean of its group, in the order of the cells.
    pub values: Vec<f64>,
    /// Sum of the squares in each group; 0 exactly if the scores are constant.
    pub squares: Vec<f64>,
}

/// Ranks of human scores, for Spearman's rho.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranks {
    /// Twice the average rank less its mean, in the order of the cells: whole numbers.
    pub values: Vec<i64>,
    /// Sum of the squares in each group.
    pub squares: Vec<i128>,
}

/// Buffers of `Prepared::evaluate`; one for each thread, kept between calls.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    pub(super) sorting: Sorting,
    pub(super) values: Vec<f64>,
    pub(super) calibrating: super::calibration::Buffers,
}

impl Prepared {
    /// Groups the cells of a matrix, given row by row (system, item), with NaN for cells without a
    /// judgment.
    ///
    /// # Panics
    ///
    /// If `human` is not `systems` rows of equal length.
    #[must_use]
    pub fn new(human: &[f64], systems: usize, grouping: Grouping) -> Self {
        let items = human.len().checked_div(systems).unwrap_or(0);
        assert_eq!(human.len(), systems * items, "the matrix is not rectangular");
        let (systems, items) = (systems as u32, items as u32);
        match grouping {
            Grouping::None => Self::of_groups(human, std::iter::once(0..systems * items)),
            Grouping::Item => Self::of_groups(
                human,
                (0..items).map(|item| (0..systems).map(move |system| system * items + item)),
            ),
            Grouping::System => Self::of_groups(
                human,
                (0..systems).map(|system| system * items..(system + 1) * items),
            ),
        }
    }

    /// Groups given by the positions of their cells in `human`; a group's label is its index.
    #[must_use]
    pub fn of_groups<C: IntoIterator<Item = u32>>(
        human: &[f64],
        groups: impl IntoIterator<Item = C>,
    ) -> Self {
        let mut prepared = Self {
            cells: Vec::with_capacity(human.len()),
            groups: Vec::new(),
            sizes: Vec::new(),
            human: Vec::with_capacity(human.len()),
            below: Vec::with_capacity(human.len()),
            deviations: OnceLock::new(),
            ranks: OnceLock::new(),
        };
        let mut judged = Vec::new();
        for (label, cells) in (0..).zip(groups) {
            judged.clear();
            // Adding 0 turns -0, which MQM files have, into 0.
            let scored = cells.into_iter().map(|cell| (human[cell as usize] + 0.0, cell));
            judged.extend(scored.filter(|(score, _)| !score.is_nan()));
            if judged.iter().any(|&(_, cell)| cell != judged[0].1) {
                prepared.push(label, &mut judged);
            }
        }
        prepared.sizes = prepared.groups.iter().map(Group::size).collect();
        prepared.sizes.sort_unstable();
        prepared.sizes.dedup();
        for group in &mut prepared.groups {
            group.class = prepared.sizes.partition_point(|&size| size < group.size());
        }
        prepared
    }

    fn push(&mut self, label: u32, judged: &mut [(f64, u32)]) {
        judged.sort_unstable_by(|left, right| {
            left.0.total_cmp(&right.0).then_with(|| left.1.cmp(&right.1))
        });
        let start = self.human.len();
        let n = judged.len();
        self.human.extend(judged.iter().map(|&(score, _)| score));
        self.cells.extend(judged.iter().map(|&(_, cell)| cell));
        let (scores, cells) = (&self.human[start..], &self.cells[start..]);
        let (mut distinct, mut ties) = (0, 0);
        for run in scores.chunk_by(|left, right| left == right) {
            let below = self.below.len() - start;
            self.below.extend(run.iter().map(|_| below as u32));
            distinct += 1;
            ties += pairs_of(run.len());
        }
        // Copies of a cell stand side by side.
        let copies =
            cells.chunk_by(|left, right| left == right).map(|run| pairs_of(run.len())).sum();
        self.groups.push(Group {
            start,
            end: start + n,
            label,
            number: self.groups.len(),
            class: 0,
            copies,
            distinct,
            ties: ties - copies,
        });
    }

    pub(super) fn deviations(&self) -> &Deviations {
        self.deviations.get_or_init(|| {
            let mut found = Deviations::default();
            for group in &self.groups {
                found.values.extend(deviations(&self.human[group.start..group.end]));
                let squares: f64 = found.values[group.start..].iter().map(|own| own * own).sum();
                let varies = group.distinct > 1;
                found.squares.push(if varies { squares.max(f64::MIN_POSITIVE) } else { 0.0 });
            }
            found
        })
    }

    pub(super) fn ranks(&self) -> &Ranks {
        self.ranks.get_or_init(|| {
            let mut found = Ranks::default();
            for group in &self.groups {
                let mut squares = 0;
                for run in self.below[group.start..group.end].chunk_by(|left, right| left == right)
                {
                    let rank = centred_rank(run[0] as usize, run.len(), group.len());
                    found.values.extend(run.iter().map(|_| rank));
                    squares += i128::from(rank).pow(2) * run.len() as i128;
                }
                found.squares.push(squares);
            }
            found
        })
    }

    /// Returns the position in the matrix of each prepared cell.
    #[must_use]
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Returns all groups, in order.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the different sizes of the groups, ascending.
    #[must_use]
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// Counts all pairs within groups.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.groups.iter().map(Group::pairs).sum()
    }

    /// Returns the cells of a matrix in the order in which `evaluate` takes them.
    #[must_use]
    pub fn gather(&self, matrix: &[f64]) -> Vec<f64> {
        self.cells.iter().map(|&cell| matrix[cell as usize]).collect()
    }

    /// Returns the number of times that a replicate drew the group.
    pub(super) fn times(group: &Group, weights: Option<&[u32]>) -> u64 {
        weights.map_or(1, |weights| u64::from(weights[group.label as usize]))
    }
}

/// Returns twice the average rank of a run of equal scores among n, less its mean.
pub(super) fn centred_rank(below: usize, run: usize, n: usize) -> i64 {
    (2 * below + run) as i64 - n as i64
}

/// Returns the scores less their mean.
///
/// The first score is subtracted before, which is exact for equal scores: otherwise the rounding of
/// the mean could hide scores that vary in their last digits only.
pub(super) fn deviations(scores: &[f64]) -> impl Iterator<Item = f64> {
    let first = scores.first().copied().unwrap_or(0.0);
    let mean = scores.iter().map(|score| score - first).sum::<f64>() / scores.len() as f64;
    scores.iter().map(move |score| (score - first) - mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUMAN: [f64; 6] = [1.0, f64::NAN, 3.0, 1.0, 2.0, 0.0];

    #[test]
    fn groups_have_the_judged_cells_of_an_item_or_a_system_by_ascending_score() {
        let by_item = Prepared::new(&HUMAN, 2, Grouping::Item);
        assert_eq!(by_item.cells(), [0, 3, 5, 2]);
        let labels: Vec<_> = by_item.groups().iter().map(|group| group.label).collect();
        assert_eq!(labels, [0, 2]);
        let by_system = Prepared::new(&HUMAN, 2, Grouping::System);
        assert_eq!(by_system.cells(), [0, 2, 5, 3, 4]);
        assert_eq!(by_system.sizes(), [Size { cells: 2, pairs: 1 }, Size { cells: 3, pairs: 3 }]);
        let all = Prepared::new(&HUMAN, 2, Grouping::None);
        assert_eq!(all.cells(), [5, 0, 3, 4, 2]);
        assert_eq!(all.below, [0, 1, 1, 3, 4]);
        assert_eq!(all.ranks().values, [-4, -1, -1, 2, 4]);
        assert_eq!(all.ranks().squares, [38]);
        assert_eq!((all.groups()[0].distinct, all.groups()[0].ties), (4, 1));
    }

    #[test]
    fn metrics_are_gathered_in_the_same_order() {
        let by_item = Prepared::new(&HUMAN, 2, Grouping::Item);
        assert_eq!(by_item.gather(&[10.0, 11.0, 12.0, 13.0, 14.0, 15.0]), [10.0, 13.0, 15.0, 12.0]);
    }

    #[test]
    fn copies_of_a_cell_are_no_pairs() {
        let groups = [vec![0, 3, 0, 0], vec![2, 2], vec![0, 1, 3, 1]];
        let prepared = Prepared::of_groups(&HUMAN, groups);
        let [first, last] = prepared.groups() else { panic!("the second group is one cell") };
        assert_eq!((first.len(), first.copies, first.pairs(), first.ties), (4, 3, 3, 3));
        assert_eq!((last.len(), last.copies, last.pairs(), last.ties), (2, 0, 1, 1));
        assert_eq!((first.label, last.label), (0, 2));
    }

    #[test]
    fn a_negative_zero_ties_with_zero() {
        assert_eq!(Prepared::new(&[0.0, -0.0], 2, Grouping::Item).groups()[0].ties, 1);
    }
}
