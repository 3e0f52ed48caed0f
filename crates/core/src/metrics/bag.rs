//! A bag of words: how often each occurs, whatever the order.

/// The words of a reference as a bag.
#[derive(Debug, Default)]
pub struct Bag {
    counts: Vec<u32>,
    left: Vec<u32>,
}

impl Bag {
    /// Takes words that are numbered below `vocabulary`.
    pub fn reset(&mut self, words: impl IntoIterator<Item = u32>, vocabulary: usize) {
        self.counts.clear();
        self.counts.resize(vocabulary, 0);
        for word in words {
            self.counts[word as usize] += 1;
        }
    }

    /// How many of these words can be paired with equal ones of the bag, each with another one.
    pub fn common(&mut self, words: impl IntoIterator<Item = u32>) -> usize {
        self.left.clone_from(&self.counts);
        let mut common = 0;
        for word in words {
            if let Some(left @ 1..) = self.left.get_mut(word as usize) {
                *left -= 1;
                common += 1;
            }
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_paired_at_most_as_often_as_the_bag_has_it() {
        let mut bag = Bag::default();
        bag.reset([1, 1, 2], 3);
        for _ in 0..2 {
            assert_eq!(bag.common([1, 1, 1, 0, 2, 9]), 3);
            assert_eq!(bag.common([]), 0);
        }
    }
}
