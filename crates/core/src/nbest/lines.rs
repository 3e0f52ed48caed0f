//! Exact line search: which candidates win at every point of a line through the space of weights.
//!
//! On the line `origin + x · direction` the model's score of a candidate is a line itself, so the winners
//! of a segment are the upper envelope of its candidates' lines (Och, 2003). Between two boundaries of all
//! envelopes nothing changes: the sums of the winners' rows there give the exact profile of any metric.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::envelope::{Envelope, LANES, Lines};
use crate::metrics::Metric;

/// Boundaries closer than this, relative to their size, are one boundary that rounding split.
const TOLERANCE: f64 = 1e-11;
/// Tolerance near zero, relative to the largest intercept over the largest slope.
const TOLERANCE_AT_ZERO: f64 = 1e-14;
/// Segments that one task takes the envelopes of.
const SEGMENTS_PER_TASK: usize = 64;

/// Candidates with their features and their rows of counts, list after list.
#[derive(Debug)]
pub struct TuningLists {
    offsets: Vec<usize>,
    columns: usize,
    /// Feature after feature in each list, so that one feature of a list is a slice.
    features: Vec<f64>,
    /// Features rounded to `f32`, with lists filled up to whole lanes.
    rough: Vec<f32>,
    /// Start of each list in `rough`, for one feature.
    rough_offsets: Vec<usize>,
    /// Bounds on the slopes of each feature of each list.
    slopes: Vec<Slopes>,
    rows: Rows,
    width: usize,
}

/// Rows of counts, as small as they can be: a search reads them in no order.
#[derive(Debug)]
enum Rows {
    /// Filled up to whole lanes.
    Small(Vec<u16>),
    Any(Vec<f64>),
}

/// Bounds on the slopes of a list's lines.
#[derive(Clone, Copy, Debug, Default)]
struct Slopes {
    /// A line with the lowest slope.
    flattest: usize,
    /// A line with the highest slope.
    steepest: usize,
    /// The largest of the rough slopes, regardless of sign.
    size: f64,
}

/// The winners of every interval of a line, as the sums of their rows.
#[derive(Debug, Default, PartialEq)]
pub struct Profile {
    /// Points where the winners of a segment change, ascending.
    pub boundaries: Vec<f64>,
    /// The sums of each interval: one more than there are boundaries.
    pub sums: Vec<f64>,
    /// The winner of each segment left of all boundaries, by its index in the list.
    pub first: Vec<usize>,
    /// Changes as [boundary, segment, candidate].
    pub changes: Vec<[usize; 3]>,
}

/// The mean of the scores by several metrics, each times a factor that makes higher better.
pub struct Objective<'a> {
    /// The metrics, whose rows stand side by side, with the factor of each score.
    pub metrics: Vec<(&'a dyn Metric, f64)>,
}

/// Rule that chooses a point of a line.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Number of neighbours on either side that smooth an interval's score.
    pub window: usize,
    /// True if smoothing takes their minimum, false for their mean.
    pub minimum: bool,
    /// Distances to go beyond the first and the last boundary.
    pub ends: [f64; 2],
    /// A step smaller than this is no step.
    pub nearest: f64,
}

/// A segment's change of winner.
#[derive(Clone, Copy)]
struct Change {
    at: f64,
    segment: u32,
    before: u32,
    after: u32,
}

/// Events along a line: the winners at its left end, and all changes from left to right.
#[derive(Default)]
struct Events {
    winners: Vec<u32>,
    changes: Vec<Change>,
    /// Largest sizes of intercepts and slopes.
    sizes: [f64; 2],
}

/// Memory for the search in one list, reused from list to list.
#[derive(Default)]
struct Scratch {
    intercepts: Vec<f64>,
    rough_intercepts: Vec<f32>,
    /// Slopes along a direction that is no single feature's.
    oblique: Vec<f64>,
    rough_oblique: Vec<f32>,
    envelope: Envelope,
}

impl TuningLists {
    /// Stores lists that end at `offsets`; `features` and `rows` have one row per candidate.
    ///
    /// Returns None if the lengths do not fit each other, or a list is empty.
    #[must_use]
    pub fn new(offsets: Vec<usize>, features: &[f64], rows: Vec<f64>) -> Option<Self> {
        let count = *offsets.last()?;
        let ascending = offsets[0] == 0 && offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = [features.len(), rows.len()].iter().all(|length| length.is_multiple_of(count));
        if count == 0 || !ascending || !fits || u32::try_from(count).is_err() {
            return None;
        }
        let (columns, width) = (features.len() / count, rows.len() / count);
        let mut transposed = Vec::with_capacity(features.len());
        let (mut rough, mut rough_offsets, mut slopes) = (Vec::new(), Vec::new(), Vec::new());
        for span in offsets.windows(2) {
            let list = &features[span[0] * columns..span[1] * columns];
            rough_offsets.push(rough.len() / columns.max(1));
            for column in 0..columns {
                let start = transposed.len();
                transposed.extend(list.iter().skip(column).step_by(columns));
                slopes.push(Slopes::of(&transposed[start..], &mut rough));
            }
        }
        let rows = Rows::new(rows, width, offsets.len() - 1);
        let features = transposed;
        Some(Self { offsets, columns, features, rough, rough_offsets, slopes, rows, width })
    }

    /// Returns the number of features of every candidate.
    #[must_use]
    pub fn features(&self) -> usize {
        self.columns
    }

    /// Returns the number of columns in a row of counts.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the profiles of several lines through one point, each given by its direction.
    #[must_use]
    pub fn profiles(&self, origin: &[f64], directions: &[Vec<f64>]) -> Vec<Profile> {
        self.events(origin, directions)
            .into_par_iter()
            .map(|events| self.profile(&events))
            .collect()
    }

    /// Returns the boundaries of several lines through one point, and the score of every interval.
    #[must_use]
    pub fn scored(
        &self,
        origin: &[f64],
        directions: &[Vec<f64>],
        objective: &Objective<'_>,
    ) -> Vec<(Vec<f64>, Vec<f64>)> {
        let scored = |events: Events| {
            let mut scores = Vec::with_capacity(events.changes.len() + 1);
            let boundaries = self.walk(&events, |sums| scores.push(objective.score(sums)));
            (boundaries, scores)
        };
        self.events(origin, directions).into_par_iter().map(scored).collect()
    }

    fn profile(&self, events: &Events) -> Profile {
        let mut sums = Vec::with_capacity((events.changes.len() + 1) * self.width);
        let boundaries = self.walk(events, |interval| sums.extend(interval));
        let winners = events.winners.iter().zip(&self.offsets);
        let first = winners.map(|(&winner, start)| winner as usize - start).collect();
        let mut number = 0;
        let changes = sorted(&events.changes).into_iter().map(|change| {
            // The changes at a boundary are not left of it, and left of the next one.
            while boundaries.get(number + 1).is_some_and(|&next| next <= change.at) {
                number += 1;
            }
            let segment = change.segment as usize;
            [number, segment, change.after as usize - self.offsets[segment]]
        });
        let changes = changes.collect();
        Profile { boundaries, sums, first, changes }
    }

    /// Finds the events along several lines through one point, segment by segment.
    fn events(&self, origin: &[f64], directions: &[Vec<f64>]) -> Vec<Events> {
        let segments = self.offsets.len() - 1;
        let processor = Arch::new();
        let tasks: Vec<Vec<Events>> = (0..segments.div_ceil(SEGMENTS_PER_TASK))
            .into_par_iter()
            .map(|task| {
                let first = task * SEGMENTS_PER_TASK;
                let segments = first..segments.min(first + SEGMENTS_PER_TASK);
                processor.dispatch(Searches { lists: self, segments, origin, directions })
            })
            .collect();
        let mut lines: Vec<Events> = Vec::new();
        lines.resize_with(directions.len(), Events::default);
        for (events, part) in tasks.into_iter().flat_map(|task| (0..).zip(task)) {
            let line: &mut Events = &mut lines[events];
            line.winners.extend(part.winners);
            line.changes.extend(part.changes);
            for (size, other) in line.sizes.iter_mut().zip(part.sizes) {
                *size = size.max(other);
            }
        }
        lines
    }

    /// Adds the events in one segment along every line.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn search(
        &self,
        segment: usize,
        origin: &[f64],
        directions: &[Vec<f64>],
        scratch: &mut Scratch,
        lines: &mut [Events],
    ) {
        let Scratch { intercepts, rough_intercepts, oblique, rough_oblique, envelope } = scratch;
        let (start, end) = (self.offsets[segment], self.offsets[segment + 1]);
        let features = &self.features[start * self.columns..end * self.columns];
        let size = end - start;
        weighted_sum(features, origin, size, intercepts);
        rough_intercepts.clear();
        // The filling is below all lines.
        let intercept_size = add_rough(intercepts, f32::MIN, rough_intercepts);
        let highest = first_highest(intercepts);
        let filled = size.next_multiple_of(LANES);
        for (direction, events) in directions.iter().zip(lines) {
            let (exact, rough, slopes) = if let Some(column) = single_feature(direction) {
                let place = self.rough_offsets[segment] * self.columns + column * filled;
                let slopes = self.slopes[segment * self.columns + column];
                (&features[column * size..][..size], &self.rough[place..][..filled], slopes)
            } else {
                weighted_sum(features, direction, size, oblique);
                rough_oblique.clear();
                let slopes = Slopes::of(oblique, rough_oblique);
                (&oblique[..], &rough_oblique[..], slopes)
            };
            envelope.find(&Lines {
                intercepts,
                slopes: exact,
                rough: [rough_intercepts, rough],
                highest,
                flattest: slopes.flattest,
                steepest: slopes.steepest,
                sizes: [intercept_size, slopes.size],
            });
            #[expect(clippy::cast_possible_truncation, reason = "checked in `new`")]
            let place = |candidate: usize| (start + candidate) as u32;
            events.winners.push(place(envelope.winners[0].candidate));
            events.changes.extend(envelope.winners.windows(2).map(|pair| Change {
                at: pair[1].start,
                #[expect(clippy::cast_possible_truncation, reason = "checked in `new`")]
                segment: segment as u32,
                before: place(pair[0].candidate),
                after: place(pair[1].candidate),
            }));
            let sizes = [intercepts[0].abs() + intercept_size, exact[0].abs() + slopes.size];
            for (size, other) in events.sizes.iter_mut().zip(sizes) {
                *size = size.max(other);
            }
        }
    }

    /// Shows the sums of the winners' rows in each interval, and gives the boundaries between them.
    fn walk(&self, events: &Events, mut show: impl FnMut(&[f64])) -> Vec<f64> {
        match &self.rows {
            Rows::Small(rows) => {
                let lanes = self.width.next_multiple_of(LANES);
                let (mut sums, mut shown) = (vec![0_i32; lanes], vec![0.0; self.width]);
                let row = |candidate: u32| {
                    rows[candidate as usize * lanes..][..lanes].as_chunks::<LANES>().0
                };
                let add = |sums: &mut Vec<i32>, plus: u32, minus: Option<u32>| {
                    let sums = sums.as_chunks_mut::<LANES>().0.iter_mut().zip(row(plus));
                    let Some(minus) = minus else {
                        for (sums, plus) in sums {
                            (0..LANES).for_each(|lane| sums[lane] += i32::from(plus[lane]));
                        }
                        return;
                    };
                    for ((sums, plus), minus) in sums.zip(row(minus)) {
                        (0..LANES).for_each(|lane| {
                            sums[lane] += i32::from(plus[lane]) - i32::from(minus[lane]);
                        });
                    }
                };
                let show = |sums: &Vec<i32>| {
                    shown.iter_mut().zip(sums).for_each(|(shown, sum)| *shown = f64::from(*sum));
                    show(&shown);
                };
                walk(events, &mut sums, add, show)
            }
            Rows::Any(rows) => {
                let row = |candidate: u32| &rows[candidate as usize * self.width..][..self.width];
                let add = |sums: &mut Vec<f64>, plus: u32, minus: Option<u32>| {
                    let plus = sums.iter_mut().zip(row(plus));
                    if let Some(minus) = minus {
                        plus.zip(row(minus)).for_each(|((sum, plus), minus)| *sum += plus - minus);
                    } else {
                        plus.for_each(|(sum, plus)| *sum += plus);
                    }
                };
                walk(events, &mut vec![0.0; self.width], add, |sums| show(sums))
            }
        }
    }
}

/// Search for events of some segments along every line, by the widest vectors of the processor.
struct Searches<'a> {
    lists: &'a TuningLists,
    segments: Range<usize>,
    origin: &'a [f64],
    directions: &'a [Vec<f64>],
}

impl NullaryFnOnce for Searches<'_> {
    type Output = Vec<Events>;

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn call(self) -> Vec<Events> {
        let Self { lists, segments, origin, directions } = self;
        let mut scratch = Scratch::default();
        let mut lines: Vec<Events> = Vec::new();
        lines.resize_with(directions.len(), Events::default);
        // All lines of one segment together: its features are read once.
        for segment in segments {
            lists.search(segment, origin, directions, &mut scratch, &mut lines);
        }
        lines
    }
}

/// Walks along a line with sums of rows; `add` adds one row and takes another away.
fn walk<T>(
    events: &Events,
    sums: &mut T,
    mut add: impl FnMut(&mut T, u32, Option<u32>),
    mut show: impl FnMut(&T),
) -> Vec<f64> {
    events.winners.iter().for_each(|&winner| add(sums, winner, None));
    let near = TOLERANCE_AT_ZERO * events.sizes[0] / events.sizes[1].max(f64::MIN_POSITIVE);
    let mut boundaries: Vec<f64> = Vec::with_capacity(events.changes.len());
    for change in sorted(&events.changes) {
        let merged = boundaries.last().is_some_and(|&last| {
            change.at - last <= TOLERANCE * change.at.abs().max(last.abs()) + near
        });
        if !merged {
            show(sums);
            boundaries.push(change.at);
        }
        add(sums, change.after, Some(change.before));
    }
    show(sums);
    boundaries
}

/// Changes from left to right; those at the same place stay in their order.
///
/// Three passes over eleven bits of single precision sort nearly all of them.
fn sorted(changes: &[Change]) -> Vec<Change> {
    const BITS: u32 = 11;
    const MASK: u32 = (1 << BITS) - 1;
    let mut keyed: Vec<(u32, u32)> =
        changes.iter().zip(0..).map(|(change, place)| (rank(change.at), place)).collect();
    let mut other = vec![(0, 0); keyed.len()];
    for pass in 0..3 {
        let digit = |key: u32| (key >> (pass * BITS) & MASK) as usize;
        let mut ends = [0_u32; 1 << BITS];
        for &(key, _) in &keyed {
            ends[digit(key)] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        for &entry in &keyed {
            let end = &mut ends[digit(entry.0)];
            other[*end as usize] = entry;
            *end += 1;
        }
        std::mem::swap(&mut keyed, &mut other);
    }
    let mut found: Vec<Change> = keyed.iter().map(|&(_, place)| changes[place as usize]).collect();
    let mut start = 0;
    for run in keyed.chunk_by(|a, b| a.0 == b.0) {
        if run.len() > 1 {
            found[start..start + run.len()].sort_by(|a, b| a.at.total_cmp(&b.at));
        }
        start += run.len();
    }
    found
}

/// Returns a number that increases with the value; nearly equal values have equal ranks.
fn rank(value: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "rounding keeps the order")]
    let bits = (value as f32).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

impl Rows {
    fn new(rows: Vec<f64>, width: usize, segments: usize) -> Self {
        // The sums of as many must fit into 32 bits.
        let most = f64::from(u16::MAX).min((i32::MAX as usize / segments) as f64);
        let fits = |cell: &f64| *cell >= 0.0 && *cell <= most && cell.fract() == 0.0;
        if !rows.iter().all(fits) {
            return Self::Any(rows);
        }
        let lanes = width.next_multiple_of(LANES);
        let mut small = Vec::with_capacity(rows.len().checked_div(width).unwrap_or(0) * lanes);
        for row in rows.chunks(width.max(1)) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            small.extend(row.iter().map(|cell| *cell as u16));
            small.resize(small.len().next_multiple_of(LANES), 0);
        }
        Self::Small(small)
    }
}

impl Slopes {
    /// Computes bounds on slopes, and appends the slopes to the rounded ones.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn of(slopes: &[f64], rough: &mut Vec<f32>) -> Self {
        let (mut flattest, mut steepest) = (0, 0);
        for (line, &slope) in slopes.iter().enumerate() {
            flattest = if slope < slopes[flattest] { line } else { flattest };
            steepest = if slope > slopes[steepest] { line } else { steepest };
        }
        Self { flattest, steepest, size: add_rough(slopes, 0.0, rough) }
    }
}

/// Adds the values of a list less the first, in single precision, and fills up to whole lanes.
///
/// Gives the largest of them, regardless of sign.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn add_rough(values: &[f64], filler: f32, rough: &mut Vec<f32>) -> f64 {
    let start = rough.len();
    #[expect(clippy::cast_possible_truncation, reason = "rough values are meant")]
    rough.extend(values.iter().map(|value| (value - values[0]) as f32));
    let mut sizes = [0.0_f32; LANES];
    rough.resize(start + values.len().next_multiple_of(LANES), 0.0);
    for part in rough[start..].as_chunks::<LANES>().0 {
        for (size, value) in sizes.iter_mut().zip(part) {
            *size = if value.abs() > *size { value.abs() } else { *size };
        }
    }
    rough[start + values.len()..].fill(filler);
    sizes.into_iter().fold(0.0, f32::max).into()
}

/// Computes the weighted sum of features of every candidate of a list.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn weighted_sum(features: &[f64], weights: &[f64], size: usize, sums: &mut Vec<f64>) {
    sums.clear();
    sums.resize(size, 0.0);
    for (column, &weight) in features.chunks(size).zip(weights) {
        if weight != 0.0 {
            sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += weight * value);
        }
    }
}

impl Objective<'_> {
    /// Returns the number of columns of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.metrics.iter().map(|(metric, _)| metric.width()).sum()
    }

    /// Scores one row of sums; the last digits may differ from the metric's own score.
    ///
    /// # Panics
    ///
    /// Unless the row has as many columns as all metrics together.
    #[must_use]
    pub fn score(&self, sums: &[f64]) -> f64 {
        let mut rest = sums;
        let scores = self.metrics.iter().map(|(metric, factor)| {
            let (row, others) = rest.split_at(metric.width());
            rest = others;
            factor * metric.quick_score_row(row)
        });
        scores.sum()
    }
}

impl Choice {
    /// Returns the score and the middle of the first of the best intervals within `room`.
    #[must_use]
    pub fn best(&self, boundaries: &[f64], scores: &[f64], room: [f64; 2]) -> Option<[f64; 2]> {
        let last = scores.len() - 1;
        let mut best: Option<(f64, usize)> = None;
        for place in 0..scores.len() {
            let left = place.checked_sub(1).map_or(f64::NEG_INFINITY, |place| boundaries[place]);
            let right = if place == last { f64::INFINITY } else { boundaries[place] };
            if left < room[1] && right > room[0] {
                let score = self.smoothed(scores, place);
                if best.is_none_or(|(highest, _)| score > highest) {
                    best = Some((score, place));
                }
            }
        }
        let (score, place) = best?;
        let left = place.checked_sub(1).map_or(f64::NEG_INFINITY, |place| boundaries[place]);
        let right = if place == last { f64::INFINITY } else { boundaries[place] };
        let (low, high) = (left.max(room[0]), right.min(room[1]));
        let point = match (low.is_finite(), high.is_finite()) {
            (false, false) => 0.0,
            (false, true) => high - self.ends[0],
            (true, false) => low + self.ends[1],
            (true, true) => low.midpoint(high),
        };
        Some([score, if point.abs() < self.nearest { 0.0 } else { point }])
    }

    fn smoothed(&self, scores: &[f64], place: usize) -> f64 {
        if self.window == 0 {
            return scores[place];
        }
        let end = scores.len().min(place + self.window + 1);
        let near = &scores[place.saturating_sub(self.window)..end];
        if self.minimum {
            near.iter().fold(f64::INFINITY, |lowest, &score| lowest.min(score))
        } else {
            near.iter().sum::<f64>() / near.len() as f64
        }
    }
}

/// Returns the feature of a direction along one feature, or None for other directions.
fn single_feature(direction: &[f64]) -> Option<usize> {
    let mut moved = direction.iter().enumerate().filter(|(_, value)| **value != 0.0);
    match (moved.next(), moved.next()) {
        (Some((column, &1.0)), None) => Some(column),
        _ => None,
    }
}

#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn first_highest(values: &[f64]) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (place, &value) in values.iter().enumerate() {
        best = if value > best.0 { (value, place) } else { best };
    }
    best.1
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
        // The flat line only touches the other two at 0; both segments change at 1.
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
