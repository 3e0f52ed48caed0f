//! Candidate shifts that may bring an output closer to a reference.

use super::Reference;
use super::matrix::{Edit, Matrix, Swap};
use crate::interruption;

const MAX_WORDS: usize = 10;
const MAX_DISTANCE: usize = 50;

/// A move of words in an output to the position before the word at `target`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shift {
    start: usize,
    target: usize,
}

impl Shift {
    /// Returns the exchanged ranges if the shift moves `length` words of an output of `words`
    /// words.
    fn swap(self, length: usize, words: usize) -> Swap {
        let Self { start, target } = self;
        let end = start + length;
        if target < start {
            Swap { start: target, middle: start, end }
        } else if target > end {
            Swap { start, middle: end, end: target }
        } else {
            // A target inside the moved words moves them right by its distance from their start.
            Swap { start, middle: end, end: (target + length).min(words) }
        }
    }
}

/// Shifts to try in one round.
#[derive(Debug, Default)]
pub struct Candidates {
    /// `by_length[n - 1]` has the shifts of n words, by ascending start.
    by_length: [Vec<Shift>; MAX_WORDS],
    count: usize,
}

impl Candidates {
    /// Collects all candidates and returns their number, or `None` if there are `limit` or more.
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
            interruption::check();
            if alignment.output_clean[start] < MAX_WORDS {
                reference.for_each_position(word, start, MAX_DISTANCE, |position| {
                    let rest = output[start..].iter().zip(&reference.words()[position..]);
                    self.add_spans((start, position), rest, alignment);
                });
                if self.count >= limit {
                    return None;
                }
            }
        }
        Some(self.count)
    }

    /// Adds the spans that begin at equal words of output and reference.
    fn add_spans<'a>(
        &mut self,
        (start, position): (usize, usize),
        rest: impl Iterator<Item = (&'a u32, &'a u32)>,
        alignment: &Alignment,
    ) {
        let Alignment { output_position, output_clean, reference_clean } = alignment;
        // Both sides must have an error.
        let shortest = output_clean[start].max(reference_clean[position]) + 1;
        // The span must not contain the word that is paired with its first reference word.
        let longest = match output_position[position + 1].checked_sub(start) {
            None | Some(0) => MAX_WORDS,
            Some(distance) => MAX_WORDS.min(distance - 1),
        };
        if shortest > longest {
            return;
        }
        let agreeing = rest.take(longest).take_while(|(left, right)| left == right).count();
        for length in shortest..=agreeing {
            self.add_targets(start, length, &output_position[position..=position + length]);
        }
    }

    /// Adds a shift to each position that the words around the span in the reference align with.
    fn add_targets(&mut self, start: usize, length: usize, targets: &[usize]) {
        let mut previous = None;
        for &target in targets {
            if previous.replace(target) != Some(target) {
                self.by_length[length - 1].push(Shift { start, target });
                self.count += 1;
            }
        }
    }

    /// Returns the swap of the best shift, or `None` if no shift brings the output closer than
    /// `distance`.
    ///
    /// The best shift has the smallest distance; ties go to the shift that moves the most words,
    /// then starts first, then has the first target. sacreBLEU goes on to compare the shifted
    /// words, but those are equal by then. No shift can have a distance below `floor`.
    pub fn best(
        &self,
        matrix: &impl Matrix,
        reference: &Reference,
        output: &[u32],
        (distance, floor): (usize, usize),
    ) -> Option<Swap> {
        let (mut best, mut best_distance) = (None, distance);
        for (index, shifts) in self.by_length.iter().enumerate().rev() {
            // A shift of fewer words must be better than the best shift of more words.
            let mut best_shift: Option<Shift> = None;
            for &shift in shifts {
                interruption::check();
                let swap = shift.swap(index + 1, output.len());
                if swap.is_noop() {
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

#[derive(Debug, Default)]
pub struct Alignment {
    /// `output_position[n]` is the number of output words that the path has passed after n words of the
    /// reference.
    pub output_position: Vec<usize>,
    /// Number of consecutive words without error from each word of the output on.
    pub output_clean: Vec<usize>,
    /// Number of consecutive words without error from each word of the reference on.
    pub reference_clean: Vec<usize>,
}

impl Alignment {
    /// Follows the cheapest path back from the last cell to the first.
    pub fn trace(&mut self, matrix: &impl Matrix, reference: &Reference, output: &[u32]) {
        let (mut row, mut column) = (output.len(), reference.len());
        reset(&mut self.output_position, column);
        reset(&mut self.output_clean, row);
        reset(&mut self.reference_clean, column);
        while row > 0 || column > 0 {
            let edit = matrix.last_edit(row, column);
            if edit != Edit::Drop {
                self.output_position[column] = row;
                column -= 1;
            }
            if edit != Edit::Miss {
                row -= 1;
            }
            if edit == Edit::Pair && output[row] == reference.words()[column] {
                self.output_clean[row] = self.output_clean[row + 1] + 1;
                self.reference_clean[column] = self.reference_clean[column + 1] + 1;
            }
        }
    }
}

/// Sets counts to zero for `words` words and the end after them.
fn reset(counts: &mut Vec<usize>, words: usize) {
    counts.clear();
    counts.resize(words + 1, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(start: usize, length: usize, target: usize) -> Vec<u32> {
        let mut words: Vec<u32> = (0..6).collect();
        Shift { start, target }.swap(length, words.len()).apply(&mut words);
        words
    }

    #[test]
    fn a_target_outside_is_the_word_after_the_moved_words() {
        assert_eq!(shifted(3, 2, 1), [0, 3, 4, 1, 2, 5]);
        assert_eq!(shifted(1, 2, 5), [0, 3, 4, 1, 2, 5]);
        assert_eq!(shifted(0, 2, 6), [2, 3, 4, 5, 0, 1]);
    }

    #[test]
    fn a_target_inside_moves_the_words_right() {
        assert_eq!(shifted(1, 2, 1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(shifted(1, 2, 2), [0, 3, 1, 2, 4, 5]);
        assert_eq!(shifted(1, 2, 3), [0, 3, 4, 1, 2, 5]);
        assert_eq!(shifted(3, 2, 5), [0, 1, 2, 5, 3, 4]);
    }
}
