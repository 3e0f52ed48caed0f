//! Detection of lost or duplicated lines: ranges of a text that fit the reference better if they
//! are moved.

use pulp::Arch;
use rayon::prelude::*;

use super::Segments;
use crate::interruption;

/// Number of 64-bit words in a sketch.
const WORDS: usize = 16;

/// Largest shift of a text in either direction, in segments.
const MAX_SHIFT: usize = 2;

/// Number of reference segments that each segment is compared with: its own and those up to
/// `MAX_SHIFT` away.
const NEIGHBOURS: usize = 2 * MAX_SHIFT + 1;

/// Number of segments above which a text is sampled.
const LONGEST: usize = 10_000;

/// Number of segments compared in a long text; their neighbourhoods never overlap.
const SAMPLE: usize = LONGEST / NEIGHBOURS;

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

/// Returns for each text the range that fits the reference clearly better if it is moved, or
/// `None`.
///
/// A text whose length differs from the reference has no range.
#[must_use]
pub fn shifts(texts: &[&Segments], reference: &Segments) -> Vec<Option<Shift>> {
    let neighbourhoods = Neighbourhoods::new(reference);
    texts
        .par_iter()
        .map(|text| {
            interruption::check();
            // Not all processors have an instruction that counts bits.
            (text.len() == reference.len())
                .then(|| Arch::new().dispatch(|| neighbourhoods.shift(text)))?
        })
        .collect()
}

/// The sampled segments of a reference with their neighbours.
struct Neighbourhoods<'a> {
    reference: &'a Segments,
    stride: usize,
    sketches: Vec<Sketch>,
}

impl<'a> Neighbourhoods<'a> {
    fn new(reference: &'a Segments) -> Self {
        let length = reference.len();
        let stride = if length <= LONGEST { 1 } else { length / SAMPLE };
        let near =
            |index: usize| index % stride <= MAX_SHIFT || stride - index % stride <= MAX_SHIFT;
        // With a stride of one every segment is near; otherwise `NEIGHBOURS` around each sampled
        // segment.
        let sketches =
            (0..length).filter(|&index| near(index)).map(|i| Sketch::new(reference.get(i)));
        Self { reference, stride, sketches: sketches.collect() }
    }

    /// Returns the sketch of the reference segment `by` after sampled segment `number`, if there is
    /// one.
    fn near(&self, number: usize, by: isize) -> Option<&Sketch> {
        let step = if self.stride == 1 { 1 } else { NEIGHBOURS };
        self.sketches.get((number * step).checked_add_signed(by)?)
    }

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn shift(&self, text: &Segments) -> Option<Shift> {
        let sampled = text.len().div_ceil(self.stride);
        let mut gains: [Vec<f64>; MOVES.len()] = Default::default();
        for number in 0..sampled {
            let sketch = Sketch::new(text.get(number * self.stride));
            let unmoved = self.near(number, 0).map_or(0.0, |place| sketch.similarity(place));
            for (by, gains) in MOVES.into_iter().zip(&mut gains) {
                let moved = self.near(number, by).map_or(unmoved, |place| sketch.similarity(place));
                gains.push(moved - unmoved);
            }
        }
        let ranges = MOVES.into_iter().zip(gains.iter().map(|gains| Range::best(gains)));
        let (by, range) = ranges.max_by(|a, b| a.1.gain.total_cmp(&b.1.gain))?;
        range.is_sure().then(|| self.refine(text, &range, by))
    }

    /// Moves the ends of a range from the sampled segments to the exact ones.
    fn refine(&self, text: &Segments, range: &Range, by: isize) -> Shift {
        let first = range.start * self.stride;
        let last = (range.end - 1) * self.stride;
        let gain = |index: usize| {
            let sketch = Sketch::new(text.get(index));
            let place = |at: usize| (at < text.len()).then(|| Sketch::new(self.reference.get(at)));
            let unmoved = sketch.similarity(&Sketch::new(self.reference.get(index)));
            let moved = index.checked_add_signed(by).and_then(place);
            moved.map_or(0.0, |place| sketch.similarity(&place)) - unmoved
        };
        let before = (first.saturating_sub(self.stride - 1)..first).rev();
        let after = last + 1..(last + self.stride).min(text.len());
        Shift {
            start: first - longest_gain(before.map(gain)),
            end: last + 1 + longest_gain(after.map(gain)),
            by,
        }
    }
}

const MOVES: [isize; NEIGHBOURS - 1] = [1, -1, 2, -2];

/// Returns the number of leading items with the largest sum.
fn longest_gain(gains: impl Iterator<Item = f64>) -> usize {
    let (mut sum, mut best, mut length) = (0.0, 0.0, 0);
    for (index, gain) in gains.enumerate() {
        sum += gain;
        if sum > best {
            (best, length) = (sum, index + 1);
        }
    }
    length
}

/// Range of sampled segments with the gains of moving it.
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
    /// Returns the range with the largest gain (Kadane's algorithm).
    fn best(gains: &[f64]) -> Self {
        let (mut best, mut start, mut sum) = (Self::default(), 0, 0.0);
        for (index, gain) in gains.iter().enumerate() {
            if sum <= 0.0 {
                (start, sum) = (index, 0.0);
            }
            sum += gain;
            if sum > best.gain {
                best = Self { start, end: index + 1, gain: sum, ..Self::default() };
            }
        }
        let inside = &gains[best.start..best.end];
        best.squares = inside.iter().map(|gain| gain * gain).sum();
        best.wins = inside.iter().filter(|gain| **gain > 0.0).count();
        best.losses = inside.iter().filter(|gain| **gain < 0.0).count();
        best
    }

    fn is_sure(&self) -> bool {
        self.gain > EVIDENCE * self.squares.sqrt() && self.wins >= WINS_PER_LOSS * self.losses
    }
}

/// Set of the character n-grams of a segment, hashed into a fixed number of bits.
struct Sketch {
    bits: [u64; WORDS],
    size: u32,
}

impl Sketch {
    /// Sketches a segment by three letters in a row, or two if characters are whole words.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn new(segment: Option<&str>) -> Self {
        let mut bits = [0; WORDS];
        let (mut before, mut last) = (0, 0);
        // Spaces are skipped because some writers of Chinese and Japanese insert them and others do
        // not.
        for character in segment.unwrap_or_default().chars().filter(|&c| c > ' ') {
            let this = u32::from(character.to_ascii_lowercase());
            let wide = this >= 0x2e80;
            if last != 0 && (wide || before != 0) {
                let hash = hash(if wide { 0 } else { before }, last, this);
                bits[hash / 64] |= 1 << (hash % 64);
            }
            (before, last) = (last, this);
        }
        Self { bits, size: bits.iter().map(|word| word.count_ones()).sum() }
    }

    /// Computes Dice's coefficient of the two sets, from 0 to 1.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    fn similarity(&self, other: &Self) -> f64 {
        let size = self.size + other.size;
        if size == 0 {
            return 0.0;
        }
        let common: u32 =
            self.bits.iter().zip(&other.bits).map(|(a, b)| (a & b).count_ones()).sum();
        f64::from(2 * common) / f64::from(size)
    }
}

/// Hashes three characters to the index of a bit.
fn hash(first: u32, second: u32, third: u32) -> usize {
    let packed = u64::from(first) << 42 | u64::from(second) << 21 | u64::from(third);
    // The fractional part of a multiple of the golden ratio spreads neighbouring numbers.
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of a segment that resembles no other.
    const BLANK: usize = usize::MAX;

    /// Returns a segment whose words depend on its number only.
    fn sentence(number: usize) -> String {
        if number == BLANK {
            return String::new();
        }
        let mut state = number as u64 + 1;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040);
            format!("w{:x}", state >> 44)
        };
        (0..8).map(|_| word()).collect::<Vec<_>>().join(" ")
    }

    fn text(numbers: impl Iterator<Item = usize>) -> Segments {
        let sentences: Vec<String> = numbers.map(sentence).collect();
        sentences.iter().map(|sentence| Some(sentence.as_str())).collect()
    }

    fn shift_of(numbers: impl Iterator<Item = usize>, length: usize) -> Option<Shift> {
        shifts(&[&text(numbers)], &text(0..length))[0]
    }

    #[test]
    fn an_aligned_text_is_not_shifted() {
        assert_eq!(shift_of(0..200, 200), None);
        assert_eq!(shift_of(0..20_000, 20_000), None);
    }

    #[test]
    fn a_lost_first_line_shifts_the_whole_text() {
        let lost = (1..200).chain([199]);
        assert_eq!(shift_of(lost, 200), Some(Shift { start: 0, end: 199, by: 1 }));
    }

    #[test]
    fn an_extra_line_in_the_middle_shifts_the_rest() {
        let extra = (0..120).chain([BLANK]).chain(120..199);
        assert_eq!(shift_of(extra, 200), Some(Shift { start: 121, end: 200, by: -1 }));
    }

    #[test]
    fn two_lost_lines_shift_the_rest_by_two() {
        let lost = (0..50).chain(52..200).chain([BLANK; 2]);
        assert_eq!(shift_of(lost, 200), Some(Shift { start: 50, end: 198, by: 2 }));
    }

    #[test]
    fn a_shifted_range_is_exact_even_if_the_text_is_sampled() {
        for length in [300, 30_000] {
            let (from, to) = (length / 3, length / 2);
            let moved = (0..from).chain(from + 1..to).chain([BLANK]).chain(to..length);
            let expected = Shift { start: from, end: to - 1, by: 1 };
            assert_eq!(shift_of(moved, length), Some(expected));
        }
    }

    #[test]
    fn unrelated_blank_and_absent_text_is_not_shifted() {
        assert_eq!(shift_of(5_000..7_000, 2_000), None);
        let blank: Segments = (0..50).map(|_| Some("")).collect();
        let absent: Segments = (0..50).map(|_| None).collect();
        assert_eq!(shifts(&[&blank, &absent], &text(0..50)), [None, None]);
        assert_eq!(shifts(&[&text(0..50)], &absent), [None]);
    }

    #[test]
    fn texts_of_another_length_or_without_segments_are_not_shifted() {
        assert_eq!(shift_of(1..100, 100), None);
        assert_eq!(shift_of(0..0, 0), None);
    }
}
