//! Exact line search: which candidates win at every point of a line through the space of weights.
//!
//! On the line `origin + x · direction` the model's score of a candidate is a line itself, so the winners
//! of a segment are the upper envelope of its candidates' lines (Och, 2003). Between two boundaries of all
//! envelopes nothing changes: the sums of the winners' rows there give the exact profile of any metric.

use rayon::prelude::*;

/// Boundaries closer than this, relative to their size, are one boundary that rounding split.
const TOLERANCE: f64 = 1e-11;
/// The same near zero, relative to the largest intercept over the largest slope.
const TOLERANCE_AT_ZERO: f64 = 1e-14;
/// Segments that one task takes the envelopes of.
const SEGMENTS_PER_TASK: usize = 64;

/// Candidates with their features and their rows of counts, list after list.
#[derive(Debug)]
pub struct TuningLists {
    offsets: Vec<usize>,
    /// Feature after feature, so that one of them is a slice.
    features: Vec<f64>,
    rows: Vec<f64>,
    width: usize,
    /// For every feature, the candidates of each list in the order of its values.
    orders: Vec<Vec<u32>>,
}

/// The winners of every interval of a line, as the sums of their rows.
#[derive(Debug, Default, PartialEq)]
pub struct Profile {
    /// Where the winners of a segment change, ascending.
    pub boundaries: Vec<f64>,
    /// The sums of each interval: one more than there are boundaries.
    pub sums: Vec<f64>,
    /// The winner of each segment left of all boundaries, by its index in the list.
    pub first: Vec<usize>,
    /// At which boundary which segment changes to which candidate.
    pub changes: Vec<[usize; 3]>,
}

/// A segment's change of winner.
struct Change {
    at: f64,
    segment: usize,
    before: usize,
    after: usize,
}

/// The line of a candidate that wins from `start` on.
#[derive(Clone, Copy)]
struct Winner {
    candidate: usize,
    start: f64,
    intercept: f64,
    slope: f64,
}

impl TuningLists {
    /// Lists that end where `offsets` says; `features` and `rows` have one row per candidate.
    ///
    /// None where the lengths do not fit each other, or a list is empty.
    #[must_use]
    pub fn new(offsets: Vec<usize>, features: &[f64], rows: Vec<f64>) -> Option<Self> {
        let count = *offsets.last()?;
        let ascending = offsets[0] == 0 && offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = [features.len(), rows.len()].iter().all(|length| length.is_multiple_of(count));
        if count == 0 || !ascending || !fits || u32::try_from(count).is_err() {
            return None;
        }
        let (columns, width) = (features.len() / count, rows.len() / count);
        let mut transposed = vec![0.0; features.len()];
        for (candidate, row) in features.chunks(columns.max(1)).enumerate() {
            for (column, &value) in row.iter().enumerate() {
                transposed[column * count + candidate] = value;
            }
        }
        let orders = transposed
            .par_chunks(count)
            .map(|column| {
                #[expect(clippy::cast_possible_truncation, reason = "the count fits, see above")]
                let mut order: Vec<u32> = (0..count as u32).collect();
                for span in offsets.windows(2) {
                    order[span[0]..span[1]]
                        .sort_by(|&a, &b| column[a as usize].total_cmp(&column[b as usize]));
                }
                order
            })
            .collect();
        Some(Self { offsets, features: transposed, rows, width, orders })
    }

    /// How many features every candidate has.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features.len() / self.candidates()
    }

    /// How many columns a row of counts has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    fn candidates(&self) -> usize {
        self.rows.len() / self.width.max(1)
    }

    /// The model's score of every candidate.
    #[must_use]
    pub fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let count = self.offsets.last().copied().unwrap_or_default();
        let mut scores = vec![0.0; count];
        for (column, &weight) in self.features.chunks(count).zip(weights) {
            if weight != 0.0 {
                scores.iter_mut().zip(column).for_each(|(score, value)| *score += weight * value);
            }
        }
        scores
    }

    /// The profiles of several lines through one point, each given by its direction.
    #[must_use]
    pub fn profiles(&self, origin: &[f64], directions: &[Vec<f64>]) -> Vec<Profile> {
        let intercepts = self.scores(origin);
        directions.par_iter().map(|direction| self.profile(&intercepts, direction)).collect()
    }

    fn profile(&self, intercepts: &[f64], direction: &[f64]) -> Profile {
        let count = intercepts.len();
        match single_feature(direction) {
            Some(column) => {
                let slopes = &self.features[column * count..(column + 1) * count];
                self.profile_by(intercepts, slopes, Some(&self.orders[column]))
            }
            None => self.profile_by(intercepts, &self.scores(direction), None),
        }
    }

    fn profile_by(&self, intercepts: &[f64], slopes: &[f64], order: Option<&[u32]>) -> Profile {
        let segments = self.offsets.len() - 1;
        let tasks: Vec<(Vec<usize>, Vec<Change>)> = (0..segments.div_ceil(SEGMENTS_PER_TASK))
            .into_par_iter()
            .map(|task| {
                let first = task * SEGMENTS_PER_TASK;
                let last = segments.min(first + SEGMENTS_PER_TASK);
                let (mut winners, mut envelope) = (Vec::new(), Vec::new());
                let (mut own, mut changes) = (Vec::new(), Vec::new());
                for segment in first..last {
                    let span = self.offsets[segment]..self.offsets[segment + 1];
                    let sorted = if let Some(order) = order {
                        &order[span]
                    } else {
                        own.clear();
                        #[expect(clippy::cast_possible_truncation, reason = "checked in `new`")]
                        own.extend(span.start as u32..span.end as u32);
                        own.sort_by(|&a: &u32, &b: &u32| {
                            slopes[a as usize].total_cmp(&slopes[b as usize])
                        });
                        &own
                    };
                    upper_envelope(sorted, intercepts, slopes, &mut envelope);
                    winners.push(envelope[0].candidate);
                    changes.extend(envelope.windows(2).map(|pair| Change {
                        at: pair[1].start,
                        segment,
                        before: pair[0].candidate,
                        after: pair[1].candidate,
                    }));
                }
                (winners, changes)
            })
            .collect();
        let (mut winners, mut changes) = (Vec::with_capacity(segments), Vec::new());
        for (task_winners, task_changes) in tasks {
            winners.extend(task_winners);
            changes.extend(task_changes);
        }
        // Stable: the changes of one segment stay in their order.
        changes.sort_by(|a, b| a.at.total_cmp(&b.at));
        self.walk(&winners, &changes, largest(intercepts) / largest(slopes).max(f64::MIN_POSITIVE))
    }

    /// Adds up the rows of the winners of each interval.
    fn walk(&self, winners: &[usize], changes: &[Change], size: f64) -> Profile {
        let row = |candidate: usize| &self.rows[candidate * self.width..][..self.width];
        let mut sums = vec![0.0; self.width];
        for &winner in winners {
            sums.iter_mut().zip(row(winner)).for_each(|(sum, value)| *sum += value);
        }
        let first = winners.iter().zip(&self.offsets).map(|(winner, start)| winner - start);
        let mut profile = Profile {
            boundaries: Vec::with_capacity(changes.len()),
            sums: Vec::with_capacity((changes.len() + 1) * self.width),
            first: first.collect(),
            changes: Vec::with_capacity(changes.len()),
        };
        for change in changes {
            let near = TOLERANCE_AT_ZERO * size;
            let merged = profile.boundaries.last().is_some_and(|&last: &f64| {
                change.at - last <= TOLERANCE * change.at.abs().max(last.abs()) + near
            });
            if !merged {
                profile.sums.extend(&sums);
                profile.boundaries.push(change.at);
            }
            let rows = row(change.before).iter().zip(row(change.after));
            sums.iter_mut().zip(rows).for_each(|(sum, (before, after))| *sum += after - before);
            let index = change.after - self.offsets[change.segment];
            profile.changes.push([profile.boundaries.len() - 1, change.segment, index]);
        }
        profile.sums.extend(&sums);
        profile
    }
}

/// The one feature that a direction goes along, where it is such a direction.
fn single_feature(direction: &[f64]) -> Option<usize> {
    let mut moved = direction.iter().enumerate().filter(|(_, value)| **value != 0.0);
    match (moved.next(), moved.next()) {
        (Some((column, &1.0)), None) => Some(column),
        _ => None,
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// The lines that are highest somewhere, from left to right; of equal lines the first.
fn upper_envelope(sorted: &[u32], intercepts: &[f64], slopes: &[f64], envelope: &mut Vec<Winner>) {
    envelope.clear();
    for &candidate in sorted {
        let candidate = candidate as usize;
        let (intercept, slope) = (intercepts[candidate], slopes[candidate]);
        let start = loop {
            let Some(&top) = envelope.last() else { break Some(f64::NEG_INFINITY) };
            if slope > top.slope {
                let meets = (top.intercept - intercept) / (slope - top.slope);
                if meets > top.start {
                    break Some(meets);
                }
            } else if intercept <= top.intercept {
                break None;
            }
            envelope.pop();
        };
        if let Some(start) = start {
            envelope.push(Winner { candidate, start, intercept, slope });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> TuningLists {
        // Lines 0, x, −x and 2x − 1; then 1 and x.
        let features = [0.0, 0.0, 0.0, 1.0, 0.0, -1.0, -1.0, 2.0, 1.0, 0.0, 0.0, 1.0];
        let rows = vec![1.0, 2.0, 3.0, 4.0, 10.0, 20.0];
        TuningLists::new(vec![0, 4, 6], &features, rows).expect("lengths that fit")
    }

    #[test]
    fn every_interval_has_the_sums_of_its_winners() {
        let profile = &lists().profiles(&[1.0, 0.0], &[vec![0.0, 1.0]])[0];
        assert_eq!(profile.first, [2, 0]);
        // At 0, the flat line only touches the other two; at 1, both segments change.
        assert_eq!(profile.boundaries, [0.0, 1.0]);
        assert_eq!(profile.sums, [13.0, 12.0, 24.0]);
        assert_eq!(profile.changes, [[0, 0, 1], [1, 0, 3], [1, 1, 1]]);
    }

    #[test]
    fn an_oblique_direction_gives_the_same_profile() {
        let along = lists().profiles(&[1.0, 0.0], &[vec![0.0, 1.0]]);
        let twice = lists().profiles(&[1.0, 0.0], &[vec![0.0, 2.0]]);
        assert_eq!(twice[0].sums, along[0].sums);
        assert_eq!(twice[0].boundaries, [0.0, 0.5]);
    }

    #[test]
    fn boundaries_that_rounding_splits_are_one() {
        let features = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1e-13];
        let features: Vec<f64> =
            features.chunks(2).flat_map(|f| [f[0], 1.0 - f[0] + f[1]]).collect();
        let lists = TuningLists::new(vec![0, 2, 4], &features, vec![1.0; 4]).expect("they fit");
        assert_eq!(lists.profiles(&[0.0, 1.0], &[vec![1.0, 0.0]])[0].boundaries.len(), 1);
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        assert!(TuningLists::new(vec![0, 2], &[1.0], vec![1.0, 1.0]).is_none());
        assert!(TuningLists::new(vec![0, 0, 1], &[1.0], vec![1.0]).is_none());
        assert!(TuningLists::new(vec![0], &[], vec![]).is_none());
    }
}
