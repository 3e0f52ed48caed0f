//! A reference made ready for many outputs.

/// The words of a reference, numbered, and where each word stands in it.
#[derive(Debug, Default)]
pub struct Reference {
    words: Vec<u32>,
    /// For each word of the vocabulary a set of positions, as `blocks` 64-bit integers.
    positions: Vec<u64>,
    blocks: usize,
    counts: Vec<u32>,
}

impl Reference {
    /// Replaces the words. Those of `vocabulary` and above occur in no reference.
    pub fn reset(&mut self, words: &[u32], vocabulary: usize) {
        self.words.clear();
        self.words.extend_from_slice(words);
        // One block beyond the last, so that 64 bits can be read from any position.
        self.blocks = words.len() / 64 + 2;
        self.positions.clear();
        self.positions.resize((vocabulary + 1) * self.blocks, 0);
        self.counts.clear();
        self.counts.resize(vocabulary + 1, 0);
        for (position, &word) in words.iter().enumerate() {
            let block = word as usize * self.blocks + position / 64;
            self.positions[block] |= 1 << (position % 64);
            self.counts[word as usize] += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// How often each word of the vocabulary occurs.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Which of the 64 positions from `start` on hold `word`, the lowest bit first.
    #[inline]
    pub fn occurrences(&self, word: u32, start: usize) -> u64 {
        let at = word as usize * self.blocks + start / 64;
        let (low, high) = (self.positions[at], self.positions[at + 1]);
        low >> (start % 64) | high << 1 << (63 - start % 64)
    }

    /// Calls `visit` with the positions of `word` within `distance` of `around`, ascending.
    pub fn for_each_position(
        &self,
        word: u32,
        around: usize,
        distance: usize,
        mut visit: impl FnMut(usize),
    ) {
        let behind = (around + distance + 1).min(self.len());
        let mut start = around.saturating_sub(distance);
        while start < behind {
            let inside = u64::MAX >> (64 - (behind - start).min(64));
            let mut found = self.occurrences(word, start) & inside;
            while found != 0 {
                visit(start + found.trailing_zeros() as usize);
                found &= found - 1;
            }
            start += 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_across_blocks_and_within_a_distance() {
        let words: Vec<u32> = (0..200).map(|position| position % 7).collect();
        let mut reference = Reference::default();
        reference.reset(&words, 8);
        for around in 0..260 {
            let near = |position: &usize| words[*position] == 3 && position.abs_diff(around) <= 50;
            let expected: Vec<_> = (0..200).filter(near).collect();
            let mut found = Vec::new();
            reference.for_each_position(3, around, 50, |position| found.push(position));
            reference.for_each_position(8, around, 50, |position| found.push(position));
            assert_eq!(found, expected);
        }
    }
}
