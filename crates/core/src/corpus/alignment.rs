//! Alignment of a text with a reference: whether segments are closer to their own partners than to
//! others, and ranges that fit better if they are moved.

/// Moves of a text by lost or extra lines, in segments.
const MOVES: [isize; 4] = [1, -1, 2, -2];

/// Distances of far segments, in eighths of a text.
const FAR: [usize; 2] = [3, 5];

/// Number of segments that each segment is compared with: itself, moved, near and far ones.
const COMPARED: usize = 1 + MOVES.len() + 2 + FAR.len();

/// Largest distance of a near segment.
const NEAR: usize = 50;

/// Share of other segments that the segments of a text must be closer to their partners than.
/// Random order has .5; 140 outputs and references of nine sets have at least .88, and their
/// sources .83.
const ALIGNED: f64 = 0.72;

/// Fewest segments that can be judged together.
const FEWEST: usize = 20;

/// Weights of a segment that is closer to its partner than to all others, which speaks against
/// disorder, and of one that is not: a constant, and a factor of the share of others. They are near
/// logarithms of the ratio of its probabilities in random order and in ordinary outputs, of whose
/// segments 95 % are of the first kind.
const CLOSEST: f64 = -0.6;
const NOT_CLOSEST: (f64, f64) = (0.1, 1.2);

/// Largest mean weight of a text's segments; if it is larger, as for sources, which have only
/// lengths in common with the reference, all weights are lowered.
const MEAN: f64 = -0.3;

/// Smallest sum of weights of a stretch in disorder: ordinary texts have at most 5.5, and twenty
/// segments in random order about 12.
const DISORDER: f64 = 8.0;

/// Sum of weights that makes a sample suspicious; 4 % of ordinary texts have as much.
const SUSPICIOUS: f64 = 2.6;

/// Smallest gain of two neighbours that fit better exchanged, and the fewest such pairs. Ordinary
/// texts have none.
const CLEAR_GAIN: f32 = 0.2;
const EXCHANGED: usize = 2;

/// Smallest evidence of a shift: the sum of gains divided by the root of their squares, which for
/// equal gains is the root of their number.
/// A certain shift of 13 segments passes; clean systems of nine WMT, IWSLT and TED sets stay below
/// 1.5.
const EVIDENCE: f64 = 3.5;

/// Smallest ratio of gains to losses. In a shifted range nearly all segments gain; in noise, little
/// more than half of the best range.
const WINS_PER_LOSS: usize = 4;

/// Range of segments that fits the reference better at another position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// Index of the first segment that is moved.
    pub start: usize,
    /// Index after the last.
    pub end: usize,
    /// Offset of the reference: segment `i` belongs to reference `i + by`; positive if lines were
    /// lost before it.
    pub by: isize,
}

/// Evidence about the order of a text, added up over its parts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alignment {
    /// Number of segments that were compared: those with text in both.
    pub compared: usize,
    /// Sum of the shares of far segments that segments are closer to their partner than.
    pub far: f64,
    /// Sum of the shares of near segments.
    pub near: f64,
    /// Number of neighbours that both fit clearly better if they are exchanged.
    pub exchanged: usize,
    /// Index of the first such segment.
    pub first_exchanged: usize,
    /// Range with the largest sum of weights: the sum, start and end.
    pub stretch: (f64, usize, usize),
    /// First range that fits better if it is moved.
    pub shift: Option<Shift>,
}

/// Disorder of a text's segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disorder {
    /// A range fits better if it is moved.
    Shifted(Shift),
    /// The segments fit no better than others.
    Random,
    /// The segments from one index to another, exclusive, fit no better than others.
    Stretch(usize, usize),
    /// Pairs of neighbours fit better exchanged: their number, and the index of the first.
    Exchanged(usize, usize),
}

impl Alignment {
    /// Compares `n` segments of a text with a reference, given the similarity of a segment of the
    /// text to one of the reference; `None` if one of them is empty. `position` returns the index
    /// of a segment in the whole text. Returns the similarities of partners as well.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn of(
        n: usize,
        position: impl Fn(usize) -> usize,
        similarity: impl Fn(usize, usize) -> Option<f32>,
    ) -> (Self, Vec<f32>) {
        let mut result = Self::default();
        let mut own_similarities = Vec::with_capacity(n);
        let mut gains: [Vec<f32>; MOVES.len()] = Default::default();
        let mut weights = Vec::with_capacity(n);
        for index in 0..n {
            let mut similarities = [None; COMPARED];
            for (found, other) in similarities.iter_mut().zip(compared(index, n)) {
                if other < n {
                    *found = similarity(index, other);
                }
            }
            let [own, others @ ..] = similarities;
            own_similarities.push(own.unwrap_or(0.0));
            let Some(own) = own else {
                for gains in &mut gains {
                    gains.push(0.0);
                }
                weights.push(None);
                continue;
            };
            for (gains, moved) in gains.iter_mut().zip(others) {
                gains.push(moved.map_or(0.0, |moved| moved - own));
            }
            let (near, far) = others.split_at(COMPARED - 1 - FAR.len());
            let (near, far) = (wins(own, near), wins(own, far));
            result.compared += 1;
            result.near += near;
            result.far += far;
            let others = NOT_CLOSEST.0 + NOT_CLOSEST.1 * (1.0 - near);
            weights.push(Some(if near < 1.0 { others } else { CLOSEST }));
        }
        let mean = weights.iter().flatten().sum::<f64>() / result.compared.max(1) as f64;
        let lowered = |weight: Option<f64>| weight.map_or(0.0, |w| w - (mean - MEAN).max(0.0));
        for index in 0..n.saturating_sub(1) {
            if gains[0][index] >= CLEAR_GAIN && gains[1][index + 1] >= CLEAR_GAIN {
                result.exchanged += 1;
                if result.exchanged == 1 {
                    result.first_exchanged = position(index);
                }
            }
        }
        let (disorder, start, end) = largest_sum(weights.into_iter().map(lowered));
        result.stretch =
            if end > 0 { (disorder, position(start), position(end - 1) + 1) } else { (0.0, 0, 0) };
        let mut moves: Vec<(isize, Range)> =
            MOVES.into_iter().zip(gains.iter().map(|gains| Range::best(gains))).collect();
        let is_random = result.near < ALIGNED * result.compared as f64;
        if disorder > DISORDER || is_random {
            let range = if is_random { 0..n } else { start..end };
            moves.extend(long_moves(range, n, &similarity));
        }
        let best = moves.into_iter().max_by(|a, b| a.1.gain.total_cmp(&b.1.gain));
        result.shift = best.filter(|(_, range)| range.is_sure()).map(|(by, range)| Shift {
            start: position(range.start),
            end: position(range.end - 1) + 1,
            by,
        });
        (result, own_similarities)
    }

    /// Adds the evidence of the next part.
    pub(super) fn merge(&mut self, next: &Self) {
        self.compared += next.compared;
        self.far += next.far;
        self.near += next.near;
        if self.exchanged == 0 {
            self.first_exchanged = next.first_exchanged;
        }
        self.exchanged += next.exchanged;
        if next.stretch.0 > self.stretch.0 {
            self.stretch = next.stretch;
        }
        match (&mut self.shift, next.shift) {
            // A range that crosses parts lacks the segments that moved across.
            (Some(shift), Some(other))
                if other.by == shift.by && other.start <= shift.end + 2 * NEAR =>
            {
                shift.end = other.end;
            }
            (shift, other) => *shift = shift.or(other),
        }
    }

    /// Returns true if a sample may be in disorder, so that all segments must be compared.
    pub(super) fn is_suspicious(&self) -> bool {
        self.stretch.0 > SUSPICIOUS || self.exchanged > 0 || self.disorder().is_some()
    }

    /// Returns the disorder, if any.
    #[must_use]
    pub fn disorder(&self) -> Option<Disorder> {
        let (disorder, start, end) = self.stretch;
        let moved = self.shift.map_or(0, |shift| shift.end - shift.start);
        let is_random = self.near.min(self.far) < ALIGNED * self.compared as f64;
        if self.compared >= FEWEST && is_random && 3 * moved < self.compared {
            Some(Disorder::Random)
        } else if let Some(shift) = self.shift {
            Some(Disorder::Shifted(shift))
        } else if disorder > DISORDER {
            Some(Disorder::Stretch(start, end))
        } else {
            let is_exchanged = self.exchanged >= EXCHANGED && self.compared >= FEWEST;
            is_exchanged.then_some(Disorder::Exchanged(self.exchanged, self.first_exchanged))
        }
    }
}

/// Returns the indices of the segments that segment `index` is compared with: itself, moved ones,
/// two near and two far ones. `usize::MAX` stands for none.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn compared(index: usize, n: usize) -> [usize; COMPARED] {
    let moved = |by: isize| index.checked_add_signed(by).unwrap_or(usize::MAX);
    let hash = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let distance = |bits: u64| 3 + (bits % (NEAR as u64 - 2)).cast_signed() as isize;
    let [first, second, third, fourth] = MOVES.map(moved);
    let (before, after) = (distance(hash >> 20 & 0xf_ffff), distance(hash >> 40));
    let [far, farther] = FAR.map(|eighths| (index + n * eighths / 8) % n);
    [index, first, second, third, fourth, moved(-before), moved(after), far, farther]
}

/// Returns the share of comparisons that a similarity wins; 1 without comparisons.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn wins(own: f32, others: &[Option<f32>]) -> f64 {
    let (mut half_wins, mut count) = (0_u32, 0_u32);
    for other in others.iter().flatten() {
        half_wins += u32::from(own > *other) + u32::from(own >= *other);
        count += 1;
    }
    if count == 0 { 1.0 } else { f64::from(half_wins) / f64::from(2 * count) }
}

/// Returns the gains of moving a range by 3 to `NEAR` segments: many lines may be lost or extra.
#[inline(never)]
fn long_moves(
    range: std::ops::Range<usize>,
    n: usize,
    similarity: &dyn Fn(usize, usize) -> Option<f32>,
) -> Vec<(isize, Range)> {
    let distances = (3..=NEAR.cast_signed()).flat_map(|by| [by, -by]);
    distances
        .map(|by| {
            let gain = |index: usize| {
                let other = index.checked_add_signed(by).filter(|&other| other < n);
                let there = other.and_then(|other| similarity(index, other));
                there.zip(similarity(index, index)).map_or(0.0, |(there, own)| there - own)
            };
            let gains: Vec<f32> = range.clone().map(gain).collect();
            let best = Range::best(&gains);
            (by, Range { start: range.start + best.start, end: range.start + best.end, ..best })
        })
        .collect()
}

/// Returns the largest sum of a range, its start and its end (Kadane's algorithm).
fn largest_sum(values: impl Iterator<Item = f64>) -> (f64, usize, usize) {
    let (mut best, mut start, mut sum) = ((0.0, 0, 0), 0, 0.0);
    for (index, value) in values.enumerate() {
        if sum <= 0.0 {
            (start, sum) = (index, 0.0);
        }
        sum += value;
        if sum > best.0 {
            best = (sum, start, index + 1);
        }
    }
    best
}

/// Range of segments with the gains of moving it.
#[derive(Debug, Default)]
struct Range {
    start: usize,
    end: usize,
    gain: f64,
    squares: f64,
    wins: usize,
    losses: usize,
}

impl Range {
    /// Returns the range with the largest gain.
    fn best(gains: &[f32]) -> Self {
        let (gain, start, end) = largest_sum(gains.iter().map(|&gain| f64::from(gain)));
        let mut best = Self { start, end, gain, ..Self::default() };
        let inside = &gains[best.start..best.end];
        best.squares = inside.iter().map(|&gain| f64::from(gain * gain)).sum();
        best.wins = inside.iter().filter(|gain| **gain > 0.0).count();
        best.losses = inside.iter().filter(|gain| **gain < 0.0).count();
        best
    }

    fn is_sure(&self) -> bool {
        self.gain > EVIDENCE * self.squares.sqrt() && self.wins >= WINS_PER_LOSS * self.losses
    }
}
