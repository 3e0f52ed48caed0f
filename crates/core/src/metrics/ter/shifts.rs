//! The shifts that might bring an output closer to a reference.

use super::alignment::Alignment;
use super::matrix::{Matrix, Swap};
use super::reference::Reference;

const MAX_WORDS: usize = 10;
const MAX_DISTANCE: usize = 50;

/// Words of an output, moved to stand before the word at `target`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shift {
    start: usize,
    target: usize,
}

impl Shift {
    /// What changes places when this moves `length` words of an output of `words` words.
    fn swap(self, length: usize, words: usize) -> Swap {
        let Self { start, target } = self;
        let end = start + length;
        if target < start {
            Swap { start: target, middle: start, end }
        } else if target > end {
            Swap { start, middle: end, end: target }
        } else {
            // A target inside the words themselves moves them right by as much as it is inside.
            Swap { start, middle: end, end: (target + length).min(words) }
        }
    }
}

/// Shifts that are to be tried in one round.
#[derive(Debug, Default)]
pub struct Candidates {
    /// `by_length[n - 1]` moves n words; within, starts ascend.
    by_length: [Vec<Shift>; MAX_WORDS],
    count: usize,
}

impl Candidates {
    /// Finds all candidates, or says that there are `limit` or more.
    pub fn find(
        &mut self,
        reference: &Reference,
        output: &[u32],
        alignment: &Alignment,
        limit: usize,
    ) -> Option<usize> {
        self.by_length.iter_mut().for_each(Vec::clear);
        self.count = 0;
        for (start, &word) in output.iter().enumerate() {
            for position in reference.positions(word, start, MAX_DISTANCE) {
                let pair = (&output[start..], &reference.words()[position..]);
                self.add_spans(pair, (start, position), alignment);
                if self.count >= limit {
                    return None;
                }
            }
        }
        Some(self.count)
    }

    /// Adds the spans that agree from a word of the output and one of the reference on.
    fn add_spans(
        &mut self,
        (output, reference): (&[u32], &[u32]),
        (start, position): (usize, usize),
        alignment: &Alignment,
    ) {
        let Alignment { reached, output_errors, reference_errors } = alignment;
        let (mut output_error, mut reference_error) = (false, false);
        let agreeing = output.iter().zip(reference).take_while(|(left, right)| left == right);
        for (index, _) in agreeing.take(MAX_WORDS).enumerate() {
            let end = start + index + 1;
            output_error |= output_errors[start + index];
            reference_error |= reference_errors[position + index];
            // Longer spans too would hold the word that their first one is paired with.
            if start < reached[position + 1] && reached[position + 1] <= end {
                return;
            }
            if output_error && reference_error {
                self.add_targets(start, index, &reached[position..=position + index + 1]);
            }
        }
    }

    /// Adds a shift to each place that the words around the span in the reference point at.
    fn add_targets(&mut self, start: usize, index: usize, targets: &[usize]) {
        let mut previous = None;
        for &target in targets {
            if previous.replace(target) != Some(target) {
                self.by_length[index].push(Shift { start, target });
                self.count += 1;
            }
        }
    }

    /// The swap of the best shift, unless none brings the output closer than `distance`.
    ///
    /// The best shift leaves the smallest distance; among equals it moves the most words, then starts first, and then
    /// has the first target. None can leave less than `floor`.
    pub fn best(
        &self,
        matrix: &mut impl Matrix,
        reference: &Reference,
        output: &[u32],
        (distance, floor): (usize, usize),
    ) -> Option<Swap> {
        let (mut best, mut best_distance) = (None, distance);
        for (index, shifts) in self.by_length.iter().enumerate().rev() {
            // Shifts of fewer words must do better than the best of more words.
            let mut best_shift: Option<Shift> = None;
            for &shift in shifts {
                let swap = shift.swap(index + 1, output.len());
                if swap.changes_nothing() {
                    continue;
                }
                let equals_win = best_shift
                    .is_some_and(|best| best.start == shift.start && best.target > shift.target);
                if best_distance == floor && !equals_win {
                    continue;
                }
                let distance = matrix.distance_after(reference, output, swap);
                if distance < best_distance || distance == best_distance && equals_win {
                    (best, best_distance, best_shift) = (Some(swap), distance, Some(shift));
                }
            }
        }
        best
    }
}
