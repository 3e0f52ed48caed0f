//! The upper envelope of the lines of one list: which candidate wins at every point of a line.
//!
//! Few of a hundred lines are ever highest. So a handful that are known to be (the one that wins at 0, the
//! flattest, the steepest, and the highest where these meet) are a bound from below that most others
//! never reach: two passes in single precision leave some ten lines for the exact sweep by slope.

/// Lists that are shorter are swept whole.
const SHORT: usize = 16;
/// A line that is lower than the bound by less than this, relative to its terms, is kept: single
/// precision errs by less.
const MARGIN: f64 = 1e-6;
/// Candidates whose lines are looked at together.
pub const LANES: usize = 8;
/// Lists that are longer are swept whole: the numbers of their parts would not leave enough digits.
const LONG: usize = LANES << 12;

/// The line of a candidate that wins from `start` on.
#[derive(Clone, Copy, Debug)]
pub struct Winner {
    /// Index of the candidate in the list.
    pub candidate: usize,
    /// Point from which the candidate wins; minus infinity for the first.
    pub start: f64,
    intercept: f64,
    slope: f64,
}

/// The lines of one list, and bounds on their slopes.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Height of each line at 0.
    pub intercepts: &'a [f64],
    /// Slope of each line.
    pub slopes: &'a [f64],
    /// Both less the first line's, rounded, filled up to a multiple of [`LANES`] with lines that
    /// are below all others.
    pub rough: [&'a [f32]; 2],
    /// The highest line at 0.
    pub highest: usize,
    /// A line with the lowest slope.
    pub flattest: usize,
    /// A line with the highest slope.
    pub steepest: usize,
    /// The largest of the rough intercepts and slopes, regardless of sign.
    pub sizes: [f64; 2],
}

/// Memory for the envelope of one list, reused from list to list.
#[derive(Debug, Default)]
pub struct Envelope {
    /// The lines that are highest somewhere, from left to right.
    pub winners: Vec<Winner>,
    reached: Vec<u8>,
    sorted: Vec<u32>,
}

impl Envelope {
    /// Finds the lines that are highest somewhere; of equal lines the first.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub fn find(&mut self, lines: &Lines<'_>) {
        self.sorted.clear();
        match lines.bound() {
            Some(bound) => {
                lines.reaching(&bound, &mut self.reached);
                let (parts, _) = self.reached.as_chunks::<LANES>();
                for (part, first) in parts.iter().zip((0..).step_by(LANES)) {
                    let mut bits = u64::from_le_bytes(*part);
                    while bits != 0 {
                        self.sorted.push(first + bits.trailing_zeros() / u8::BITS);
                        bits &= bits - 1;
                    }
                }
            }
            None => self.sorted.extend((0_u32..).take(lines.slopes.len())),
        }
        // A stable sort keeps the first of equal lines first.
        let slope = |line: u32| lines.slopes[line as usize];
        self.sorted.sort_by(|&a, &b| slope(a).total_cmp(&slope(b)));
        self.sweep(lines);
    }

    fn sweep(&mut self, lines: &Lines<'_>) {
        self.winners.clear();
        for &candidate in &self.sorted {
            let candidate = candidate as usize;
            let (intercept, slope) = (lines.intercepts[candidate], lines.slopes[candidate]);
            let start = loop {
                let Some(&top) = self.winners.last() else { break Some(f64::NEG_INFINITY) };
                if slope > top.slope {
                    let meets = (top.intercept - intercept) / (slope - top.slope);
                    if meets > top.start {
                        break Some(meets);
                    }
                } else if intercept <= top.intercept {
                    break None;
                }
                self.winners.pop();
            };
            if let Some(start) = start {
                self.winners.push(Winner { candidate, start, intercept, slope });
            }
        }
    }
}

/// Points, and how far above the first line a line has to be at one of them to be highest anywhere.
struct Bound {
    points: [f32; 4],
    heights: [f32; 4],
}

impl Lines<'_> {
    fn at(&self, line: usize, point: f64) -> f64 {
        self.intercepts[line] + point * self.slopes[line]
    }

    /// Returns the point where a flatter and a steeper line meet, or None if they do not.
    fn meeting(&self, flatter: usize, steeper: usize) -> Option<f64> {
        let rise = self.slopes[steeper] - self.slopes[flatter];
        let point = (self.intercepts[flatter] - self.intercepts[steeper]) / rise;
        (rise > 0.0 && point.is_finite()).then_some(point)
    }

    /// Computes a lower bound of the maximum; returns None if the list is too short or too long to
    /// gain.
    ///
    /// The maximum of some lines is convex, and so is its distance to another line, which is
    /// smallest where two of the lines meet. A line that is below all these points is below
    /// everywhere.
    #[expect(clippy::cast_possible_truncation, reason = "the margin is larger than what is lost")]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn bound(&self) -> Option<Bound> {
        if !(SHORT..LONG).contains(&self.slopes.len()) {
            return None;
        }
        let Self { highest, flattest, steepest, .. } = *self;
        // If the winner at 0 is itself at an end, no line is beyond it on that side.
        let left = self.meeting(flattest, highest);
        let right = self.meeting(highest, steepest);
        let points = [left.or(right)?, right.or(left)?];
        let [a, b] = self.highest_at(points.map(|point| point as f32));
        // A line that is not above where two others meet is no part of their maximum.
        let a = if self.at(a, points[0]) > self.at(highest, points[0]) { a } else { highest };
        let b = if self.at(b, points[1]) > self.at(highest, points[1]) { b } else { highest };
        let chain = [flattest, a, highest, b, steepest];
        let mut bound = Bound { points: [0.0; 4], heights: [0.0; 4] };
        for (place, pair) in chain.windows(2).enumerate() {
            // Lines that are the same or parallel meet nowhere: the winner at 0 says enough.
            let point = self.meeting(pair[0], pair[1]).unwrap_or(0.0);
            let height =
                chain.iter().fold(f64::NEG_INFINITY, |h, &line| h.max(self.at(line, point)));
            let margin = MARGIN * (self.sizes[0] + self.sizes[1] * point.abs());
            bound.points[place] = point as f32;
            bound.heights[place] = (height - self.at(0, point) - margin) as f32;
        }
        let finite = |numbers: [f32; 4]| numbers.iter().all(|number| number.is_finite());
        (finite(bound.points) && finite(bound.heights)).then_some(bound)
    }

    /// Returns the highest lines at each of two points, roughly.
    ///
    /// The last bits of a height are replaced by the part of the list that it is from, so that the
    /// highest carries its index.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn highest_at(&self, points: [f32; 2]) -> [usize; 2] {
        let mut best = [[f32::MIN; LANES]; 2];
        let (intercepts, _) = self.rough[0].as_chunks::<LANES>();
        let (slopes, _) = self.rough[1].as_chunks::<LANES>();
        let mask = (intercepts.len().next_power_of_two() - 1) as u32;
        for (number, (intercepts, slopes)) in (0_u32..).zip(intercepts.iter().zip(slopes)) {
            for (point, best) in points.iter().zip(&mut best) {
                for lane in 0..LANES {
                    let height = intercepts[lane] + point * slopes[lane];
                    let height = f32::from_bits(height.to_bits() & !mask | number);
                    best[lane] = if height > best[lane] { height } else { best[lane] };
                }
            }
        }
        best.map(|lanes| {
            let mut found = (0, f32::MIN);
            for (lane, height) in lanes.into_iter().enumerate() {
                found = if height > found.1 { (lane, height) } else { found };
            }
            let line = (found.1.to_bits() & mask) as usize * LANES + found.0;
            line.min(self.slopes.len() - 1)
        })
    }

    /// Marks the lines that are as high as the bound at one of its points, roughly.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn reaching(&self, bound: &Bound, reached: &mut Vec<u8>) {
        let Bound { points, heights } = *bound;
        reached.resize(self.rough[0].len(), 0);
        let lines = self.rough[0].iter().zip(self.rough[1]);
        for (reached, (&intercept, &slope)) in reached.iter_mut().zip(lines) {
            // Compute with numbers: a branch for each comparison would be slower.
            *reached = u8::from(intercept + points[0] * slope >= heights[0])
                | u8::from(intercept + points[1] * slope >= heights[1])
                | u8::from(intercept + points[2] * slope >= heights[2])
                | u8::from(intercept + points[3] * slope >= heights[3]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws random lines; every third list has whole numbers, so that many lines are equal or
    /// meet.
    fn random_lines(number: u64, size: usize) -> [Vec<f64>; 2] {
        let mut state = number;
        let mut value = || {
            // Knuth's linear congruential generator.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let value = (state >> 40) as f64 * 10.0 / f64::from(1 << 24);
            if number.is_multiple_of(3) { value.floor() } else { value }
        };
        let intercepts = (0..size).map(|_| value() * 7.0 - 300.0).collect();
        [intercepts, (0..size).map(|_| value()).collect()]
    }

    #[test]
    fn what_the_bound_leaves_out_never_wins() {
        for number in 0..300 {
            let size = 16 + (number as usize * 7) % 120;
            let [intercepts, slopes] = random_lines(number, size);
            let best = |values: &[f64], sign: f64| {
                (1..size).fold(
                    0,
                    |best, i| if sign * values[i] > sign * values[best] { i } else { best },
                )
            };
            let rough = |values: &[f64], filler| {
                let mut rough: Vec<f32> = values.iter().map(|v| (v - values[0]) as f32).collect();
                rough.resize(size.next_multiple_of(LANES), filler);
                rough
            };
            let rough = [rough(&intercepts, f32::MIN), rough(&slopes, 0.0)];
            let lines = Lines {
                intercepts: &intercepts,
                slopes: &slopes,
                rough: [&rough[0], &rough[1]],
                highest: best(&intercepts, 1.0),
                flattest: best(&slopes, -1.0),
                steepest: best(&slopes, 1.0),
                sizes: [100.0, 10.0],
            };
            let mut envelope = Envelope::default();
            envelope.find(&lines);
            let few = envelope.sorted.len();
            let found: Vec<_> = envelope.winners.iter().map(|w| (w.candidate, w.start)).collect();
            envelope.sorted = (0..).take(size).collect();
            envelope.sorted.sort_by(|&a, &b| slopes[a as usize].total_cmp(&slopes[b as usize]));
            envelope.sweep(&lines);
            let all: Vec<_> = envelope.winners.iter().map(|w| (w.candidate, w.start)).collect();
            assert_eq!(found, all, "list {number}");
            assert!(few < size || size < 20, "list {number}: nothing left out of {size}");
        }
    }
}
