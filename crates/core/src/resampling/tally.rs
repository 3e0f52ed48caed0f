//! Summaries of replicates' differences, pair by pair: the number of extreme ones, their spread,
//! and the largest shifts that they do not rule out.
//!
//! The hypothesis that the true difference is δ, spread like the text, takes δ times a unit's share
//! of the text out of the unit. A swap then moves the rest: where D is the observed difference, D*
//! a replicate's difference, and B* the share of the text that it leaves in place less the share
//! that it swaps, the replicate counts against δ where |D* − δB*| ≥ |D − δ|. Solved for δ, each
//! replicate reaches so far below D and so far above it, and the k-th farthest are the ends of the
//! interval of all δ that the test does not reject.

use ndarray::{ArrayView2, Axis, Slice};
use rayon::prelude::*;

use super::pairs::Side;
use crate::interruption;

/// Pairs that are tallied by one thread.
const TOGETHER: usize = 32;
/// Replicates between two looks at whether the user wants to stop.
const PATIENCE: usize = 1 << 10;

/// The tallies of all pairs.
#[derive(Debug, Clone)]
pub struct Tally {
    sign: f64,
    side: Side,
    pairs: Vec<OfPair>,
}

/// Summary of the differences of one pair.
#[derive(Debug, Clone)]
pub struct OfPair {
    /// The observed difference.
    observed: f64,
    /// Size from which a difference is extreme.
    bound: f64,
    /// Number of extreme differences.
    pub extreme: u64,
    /// Their sum.
    pub total: f64,
    /// The sum of their squares.
    pub squares: f64,
    /// The largest of their sizes.
    pub largest: f64,
    below: Farthest,
    above: Farthest,
}

impl OfPair {
    fn new(observed: f64, bound: f64, kept: usize) -> Self {
        let (below, above) = (Farthest::new(kept), Farthest::new(kept));
        let (total, squares, largest) = (0.0, 0.0, 0.0);
        Self { observed, bound, extreme: 0, total, squares, largest, below, above }
    }

    fn add(&mut self, difference: f64, share: f64, side: Side) {
        self.extreme += u64::from(side.extremeness(difference) >= self.bound);
        self.total += difference;
        self.squares += difference * difference;
        self.largest = self.largest.max(difference.abs());
        if self.below.kept == 0 {
            return;
        }
        // 1 + B* and 1 − B*: twice the shares of the text that stay and that are swapped.
        let (stays, goes) = (2.0 * (1.0 - share), 2.0 * share);
        if goes <= 0.0 || (stays <= 0.0 && side == Side::Both) {
            // Nothing was swapped, or everything, whose size is the same: that rules out no difference.
            self.below.offer(f64::INFINITY, 1.0);
            self.above.offer(f64::INFINITY, 1.0);
            return;
        }
        let moved = difference - self.observed * (1.0 - goes);
        match side {
            Side::Both if moved >= 0.0 => {
                self.below.offer(moved, goes);
                self.above.offer(moved, stays);
            }
            Side::Both => {
                self.below.offer(-moved, stays);
                self.above.offer(-moved, goes);
            }
            // Each end belongs to a one-sided test of its own.
            Side::Greater | Side::Less => {
                self.below.offer(moved, goes);
                self.above.offer(-moved, goes);
            }
        }
    }

    /// Returns the half-widths of the interval below and above the observed difference by the replicate
    /// of this rank, counted from the farthest; infinite for rank 0, and beyond the kept replicates.
    #[must_use]
    pub fn reach(&self, rank: usize) -> (f64, f64) {
        (self.below.at(rank), self.above.at(rank))
    }
}

impl Tally {
    /// Creates an empty tally.
    ///
    /// `sign` negates differences if lower is better; `observed` and `bounds` have the sign
    /// already. The ends of intervals come from the `kept` farthest replicates; 0 leaves them out.
    #[must_use]
    pub fn new(observed: &[f64], bounds: &[f64], sign: f64, side: Side, kept: usize) -> Self {
        let pairs = observed.iter().zip(bounds);
        let pairs = pairs.map(|(&observed, &bound)| OfPair::new(observed, bound, kept)).collect();
        Self { sign, side, pairs }
    }

    /// Returns the tally of each pair.
    #[must_use]
    pub fn pairs(&self) -> &[OfPair] {
        &self.pairs
    }

    /// Adds differences, shaped (replicate, pair).
    ///
    /// `shares` are the shares of the text that each replicate swaps, shaped (replicate, pair) or,
    /// if all pairs have equal shares, (replicate, 1).
    ///
    /// # Panics
    ///
    /// Panics unless the shapes fit together.
    pub fn add(&mut self, differences: &ArrayView2<'_, f64>, shares: &ArrayView2<'_, f64>) {
        let (sign, side, common) = (self.sign, self.side, shares.ncols() == 1);
        self.pairs.par_chunks_mut(TOGETHER).enumerate().for_each(|(place, pairs)| {
            let columns = place * TOGETHER..place * TOGETHER + pairs.len();
            let differences = differences.slice_axis(Axis(1), Slice::from(columns.clone()));
            let columns = if common { 0..1 } else { columns };
            let shares = shares.slice_axis(Axis(1), Slice::from(columns));
            for (row, (differences, shares)) in
                differences.outer_iter().zip(shares.outer_iter()).enumerate()
            {
                if row % PATIENCE == 0 {
                    interruption::check();
                }
                let first = shares[0];
                for (index, (pair, difference)) in pairs.iter_mut().zip(differences).enumerate() {
                    let share = if common { first } else { shares[index] };
                    pair.add(sign * difference, share, side);
                }
            }
        });
    }
}

/// The farthest of many reaches.
#[derive(Debug, Clone)]
struct Farthest {
    kept: usize,
    /// No nearer reach can be among the farthest.
    nearest: f64,
    reaches: Vec<f64>,
}

impl Farthest {
    const fn new(kept: usize) -> Self {
        Self { kept, nearest: f64::NEG_INFINITY, reaches: Vec::new() }
    }

    /// Takes the quotient, if it is far enough: most are not, and are never divided.
    fn offer(&mut self, moved: f64, by: f64) {
        if moved > self.nearest * by {
            self.take(moved / by);
        }
    }

    fn take(&mut self, reach: f64) {
        // Room for as many more, so that the farthest are seldom looked for.
        let room = 2 * self.kept + 16;
        self.reaches.reserve_exact(if self.reaches.is_empty() { room } else { 0 });
        self.reaches.push(reach);
        if self.reaches.len() >= room {
            self.reaches.select_nth_unstable_by(self.kept - 1, |a, b| b.total_cmp(a));
            self.reaches.truncate(self.kept);
            self.nearest = self.reaches[self.kept - 1];
        }
    }

    /// Returns the half-width of this rank, counted from the farthest.
    fn at(&self, rank: usize) -> f64 {
        if rank == 0 || rank > self.kept || self.reaches.len() < rank {
            return f64::INFINITY;
        }
        let mut reaches = self.reaches.clone();
        *reaches.select_nth_unstable_by(rank - 1, |a, b| b.total_cmp(a)).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    const OBSERVED: [f64; 3] = [0.4, -0.2, 0.0];

    /// Differences of 3 pairs in 301 replicates, and the shares that these swap.
    fn replicates() -> (Array2<f64>, Array2<f64>) {
        let shares = Array2::from_shape_fn((301, 3), |(r, p)| ((r * 7 + p) % 19 + 1) as f64 / 20.0);
        let differences = Array2::from_shape_fn((301, 3), |(r, p)| {
            let noise = ((r * 31 + p * 17) % 101) as f64 / 50.0 - 1.0;
            OBSERVED[p] * (1.0 - 2.0 * shares[[r, p]]) + noise
        });
        (differences, shares)
    }

    fn rows(table: &Array2<f64>, part: std::ops::Range<usize>) -> ArrayView2<'_, f64> {
        table.slice_axis(Axis(0), Slice::from(part))
    }

    #[test]
    fn a_tally_counts_what_the_differences_show() {
        let (differences, shares) = replicates();
        let bounds = [0.3, 0.1, 0.5];
        for side in [Side::Both, Side::Greater, Side::Less] {
            let mut tally = Tally::new(&OBSERVED, &bounds, -1.0, side, 0);
            tally.add(&rows(&differences, 0..100), &rows(&shares, 0..100));
            tally.add(&rows(&differences, 100..301), &rows(&shares, 100..301));
            for (pair, column) in differences.columns().into_iter().enumerate() {
                let turned = || column.iter().map(|d| -d);
                let extreme = turned().filter(|d| side.extremeness(*d) >= bounds[pair]).count();
                let found = &tally.pairs()[pair];
                assert_eq!(found.extreme, extreme as u64);
                assert!((found.total - turned().sum::<f64>()).abs() < 1e-9);
                assert!((found.squares - turned().map(|d| d * d).sum::<f64>()).abs() < 1e-9);
                let largest = turned().fold(0.0, |largest: f64, d| largest.max(d.abs()));
                assert!((found.largest - largest).abs() < f64::EPSILON);
                assert_eq!(found.reach(1), (f64::INFINITY, f64::INFINITY));
            }
        }
    }

    /// Counts, by definition, the replicates that are as far from δ as the observed difference.
    fn against(
        differences: &[f64],
        shares: &[f64],
        observed: f64,
        delta: f64,
        side: Side,
    ) -> usize {
        let pairs = differences.iter().zip(shares);
        let reached = pairs.filter(|&(difference, share)| {
            let rest = difference - delta * (1.0 - 2.0 * share);
            side.extremeness(rest) >= side.extremeness(observed - delta)
        });
        reached.count()
    }

    #[test]
    fn the_ends_are_where_as_many_replicates_count_as_were_kept() {
        let (differences, shares) = replicates();
        let kept = 15;
        let sides =
            [(Side::Both, true, true), (Side::Greater, true, false), (Side::Less, false, true)];
        for (side, has_below, has_above) in sides {
            let mut tally = Tally::new(&OBSERVED, &[0.0; 3], 1.0, side, kept);
            tally.add(&differences.view(), &shares.view());
            for (pair, observed) in OBSERVED.into_iter().enumerate() {
                let (below, above) = tally.pairs()[pair].reach(kept);
                let (drawn, swapped) =
                    (differences.column(pair).to_vec(), shares.column(pair).to_vec());
                let count = |delta: f64| against(&drawn, &swapped, observed, delta, side);
                if has_below {
                    assert!(count(observed - below + 1e-9) >= kept);
                    assert!(count(observed - below - 1e-9) < kept);
                }
                if has_above {
                    assert!(count(observed + above - 1e-9) >= kept);
                    assert!(count(observed + above + 1e-9) < kept);
                }
            }
        }
    }

    #[test]
    fn a_smaller_rank_reaches_as_far_as_if_fewer_were_kept() {
        let (differences, shares) = replicates();
        let tally = |kept| {
            let mut tally = Tally::new(&OBSERVED, &[0.0; 3], 1.0, Side::Both, kept);
            tally.add(&differences.view(), &shares.view());
            tally
        };
        let many = tally(15);
        for rank in 1..=15 {
            for (one, other) in many.pairs().iter().zip(tally(rank).pairs()) {
                assert_eq!(one.reach(rank), other.reach(rank));
            }
        }
        assert_eq!(many.pairs()[0].reach(0), (f64::INFINITY, f64::INFINITY));
        assert_eq!(many.pairs()[0].reach(16), (f64::INFINITY, f64::INFINITY));
    }

    #[test]
    fn what_swaps_nothing_or_everything_rules_out_nothing() {
        let column = |numbers: [f64; 4]| Array2::from_shape_fn((4, 1), |(row, _)| numbers[row]);
        let (differences, shares) =
            (column([1.0, 0.2, -1.0, -0.2]), column([0.0, 0.25, 1.0, 0.75]));
        for (side, kept, open) in
            [(Side::Both, 2, true), (Side::Both, 3, false), (Side::Greater, 2, false)]
        {
            let mut tally = Tally::new(&[1.0], &[1.0], 1.0, side, kept);
            tally.add(&differences.view(), &shares.view());
            let (below, above) = tally.pairs()[0].reach(kept);
            assert_eq!((below.is_infinite(), above.is_infinite()), (open, open));
        }
    }

    #[test]
    fn parts_of_the_replicates_come_to_the_same() {
        let (differences, shares) = replicates();
        let common = shares.slice_axis(Axis(1), Slice::from(..1)).to_owned();
        let mut whole = Tally::new(&OBSERVED, &[0.0; 3], 1.0, Side::Both, 7);
        whole.add(&differences.view(), &common.view());
        let mut parts = Tally::new(&OBSERVED, &[0.0; 3], 1.0, Side::Both, 7);
        for part in [0..5, 5..200, 200..301] {
            parts.add(&rows(&differences, part.clone()), &rows(&common, part));
        }
        for (one, other) in whole.pairs().iter().zip(parts.pairs()) {
            assert_eq!(one.reach(7), other.reach(7));
            assert!(one.total.to_bits() == other.total.to_bits());
        }
    }
}
