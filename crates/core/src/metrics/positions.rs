//! Where a reference has each of its words.

/// The positions of each word in a reference, in ascending order.
#[derive(Debug, Default)]
pub struct Positions {
    positions: Vec<u32>,
    /// The positions of word w are those from `starts[w]` to `starts[w + 1]`.
    starts: Vec<usize>,
}

impl Positions {
    /// Takes the words of a reference, numbered below `vocabulary`.
    pub fn reset(&mut self, reference: &[u32], vocabulary: usize) {
        // First how many words are smaller or equal, then counted down while they are placed.
        self.starts.clear();
        self.starts.resize(vocabulary + 1, 0);
        for &word in reference {
            self.starts[word as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.positions.clear();
        self.positions.resize(reference.len(), 0);
        for (position, &word) in reference.iter().enumerate().rev() {
            let slot = &mut self.starts[word as usize];
            *slot -= 1;
            self.positions[*slot] = position as u32;
        }
    }

    /// The positions of a word; none for a word that the references lack.
    #[must_use]
    pub fn of(&self, word: u32) -> &[u32] {
        match self.starts.get(word as usize..).unwrap_or_default() {
            [start, end, ..] => &self.positions[*start..*end],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::symbols::UNKNOWN;

    #[test]
    fn positions_are_found_by_word_and_in_order() {
        let mut positions = Positions::default();
        for _ in 0..2 {
            positions.reset(&[2, 0, 2, 3, 0, 2], 5);
            assert_eq!(positions.of(0), [1, 4]);
            assert_eq!(positions.of(2), [0, 2, 5]);
            assert_eq!(positions.of(3), [3]);
            for absent in [1, 4, 5, UNKNOWN] {
                assert_eq!(positions.of(absent), []);
            }
        }
        positions.reset(&[], 0);
        assert_eq!(positions.of(0), []);
    }
}
