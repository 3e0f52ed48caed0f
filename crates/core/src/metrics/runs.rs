//! Runs: equal words that follow each other in an output and in a reference.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bag::Bag;
use super::positions::Positions;

/// A run by its length and its first words in output and reference.
///
/// In this order the longest is the greatest, then the one whose output words come first, then the
/// one whose reference words do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    length: u32,
    output: Reverse<u32>,
    reference: Reverse<u32>,
}

/// A reference, ready to be matched with outputs.
#[derive(Debug, Default)]
pub struct RunIndex {
    reference: Vec<u32>,
    vocabulary: usize,
    positions: Positions,
    candidates: BinaryHeap<Run>,
    output_taken: Vec<bool>,
    reference_taken: Vec<bool>,
    rest: Bag,
    lengths: Vec<u32>,
}

impl RunIndex {
    pub fn reset(&mut self, reference: &[u32], vocabulary: usize) {
        self.reference.clear();
        self.reference.extend_from_slice(reference);
        self.vocabulary = vocabulary;
        self.positions.reset(reference, vocabulary);
    }

    /// The lengths above 1 of the runs of a matching, and how many single words it has besides.
    ///
    /// The longest run among the words that are left is taken, again and again.
    pub fn matching(&mut self, output: &[u32]) -> (&[u32], usize) {
        self.output_taken.clear();
        self.output_taken.resize(output.len(), false);
        self.reference_taken.clear();
        self.reference_taken.resize(self.reference.len(), false);
        self.lengths.clear();
        self.find_candidates(output);
        while let Some(run) = self.candidates.pop() {
            if self.is_free(run) {
                self.take(run);
            } else {
                self.push_free_parts(run);
            }
        }
        let singles = self.count_singles(output);
        (&self.lengths, singles)
    }

    /// All runs that cannot be made longer, but for single words.
    fn find_candidates(&mut self, output: &[u32]) {
        self.candidates.clear();
        for (start, &word) in output.iter().enumerate() {
            for &place in self.positions.of(word) {
                let place = place as usize;
                if start > 0 && place > 0 && output[start - 1] == self.reference[place - 1] {
                    continue;
                }
                let pairs = output[start..].iter().zip(&self.reference[place..]);
                let length = pairs.take_while(|(left, right)| left == right).count();
                push(&mut self.candidates, length, start, place);
            }
        }
    }

    fn is_free(&self, run: Run) -> bool {
        (0..run.length as usize).all(|offset| self.is_pair_free(run, offset))
    }

    fn is_pair_free(&self, run: Run, offset: usize) -> bool {
        !self.output_taken[run.output.0 as usize + offset]
            && !self.reference_taken[run.reference.0 as usize + offset]
    }

    fn take(&mut self, run: Run) {
        let (output, reference) = (run.output.0 as usize, run.reference.0 as usize);
        let length = run.length as usize;
        self.output_taken[output..output + length].fill(true);
        self.reference_taken[reference..reference + length].fill(true);
        self.lengths.push(run.length);
    }

    /// Puts back what longer runs have left of a run.
    fn push_free_parts(&mut self, run: Run) {
        let mut start = 0;
        for end in 0..=run.length as usize {
            if end == run.length as usize || !self.is_pair_free(run, end) {
                let (output, reference) = (run.output.0 as usize, run.reference.0 as usize);
                push(&mut self.candidates, end - start, output + start, reference + start);
                start = end + 1;
            }
        }
    }

    /// How many of the words that no longer run has taken can be paired: in any way, it is as many.
    fn count_singles(&mut self, output: &[u32]) -> usize {
        self.rest.reset(free(&self.reference, &self.reference_taken), self.vocabulary);
        self.rest.common(free(output, &self.output_taken))
    }
}

fn push(candidates: &mut BinaryHeap<Run>, length: usize, output: usize, reference: usize) {
    if length > 1 {
        candidates.push(Run {
            length: length as u32,
            output: Reverse(output as u32),
            reference: Reverse(reference as u32),
        });
    }
}

fn free<'a>(words: &'a [u32], taken: &'a [bool]) -> impl Iterator<Item = u32> + 'a {
    words.iter().zip(taken).filter(|(_, taken)| !**taken).map(|(&word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(reference: &[u32], output: &[u32]) -> (Vec<u32>, usize) {
        let mut index = RunIndex::default();
        index.reset(reference, 10);
        let (lengths, singles) = index.matching(output);
        (lengths.to_vec(), singles)
    }

    #[test]
    fn the_longest_run_is_taken_first() {
        assert_eq!(matching(&[1, 2, 3, 4, 5], &[4, 5, 1, 2, 3]), (vec![3, 2], 0));
        assert_eq!(matching(&[1, 2, 9, 3, 4], &[1, 2, 3, 4]), (vec![2, 2], 0));
        assert_eq!(matching(&[1, 2, 3, 4], &[4, 3, 2, 1, 1]), (vec![], 4));
        assert_eq!(matching(&[], &[1]), (vec![], 0));
    }

    #[test]
    fn a_run_that_is_cut_into_leaves_its_parts() {
        // 1 2 3 4 is taken whole; of the run 3 4 5 6 only 5 6 is left.
        assert_eq!(matching(&[1, 2, 3, 4, 0, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 6]), (vec![4, 2], 0));
        assert_eq!(matching(&[1; 7], &[1; 5]), (vec![5], 0));
    }

    #[test]
    fn of_two_longest_runs_the_first_in_the_output_is_taken() {
        // 1 2 and 2 3 share a word: after 1 2, the word 3 is left alone, and 3 4 is a run.
        assert_eq!(matching(&[1, 2, 0, 2, 3, 0, 3, 4], &[1, 2, 3, 4]), (vec![2, 2], 0));
    }
}
