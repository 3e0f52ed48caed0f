//! Segments that repeat earlier ones: equal rows of several texts.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rayon::prelude::*;

use super::Segments;

/// Equal rows of texts that are added part by part, kept as digests of 8 bytes.
#[derive(Debug, Clone, Default)]
pub struct Repetitions {
    digests: Vec<u64>,
}

impl Repetitions {
    /// Adds a part of all texts; a row is the segments of all texts at one index.
    pub fn add(&mut self, texts: &[&Segments]) {
        let rows = texts.iter().map(|text| text.len()).min().unwrap_or(0);
        let digest = |row| {
            let mut hasher = DefaultHasher::new();
            for text in texts {
                text.get(row).hash(&mut hasher);
            }
            hasher.finish()
        };
        self.digests.par_extend((0..rows).into_par_iter().map(digest));
    }

    /// Returns the number of rows that repeat an earlier one.
    #[must_use]
    pub fn count(&self) -> usize {
        let mut sorted = self.digests.clone();
        sorted.par_sort_unstable();
        sorted.windows(2).filter(|pair| pair[0] == pair[1]).count()
    }

    /// Returns the index of the first equal row of each row.
    #[must_use]
    pub fn first_equal(&self) -> Vec<usize> {
        let mut first = HashMap::with_capacity(self.digests.len());
        let rows = self.digests.iter().enumerate();
        rows.map(|(row, digest)| *first.entry(digest).or_insert(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(segments: &[&str]) -> Segments {
        let mut text = Segments::default();
        for segment in segments {
            text.push(Some(segment));
        }
        text
    }

    #[test]
    fn rows_are_equal_if_all_their_segments_are() {
        let (first, second) = (text(&["a", "b", "a", "a"]), text(&["x", "y", "x", "y"]));
        let mut both = Repetitions::default();
        both.add(&[&first, &second]);
        assert_eq!((both.count(), both.first_equal()), (1, vec![0, 1, 0, 3]));
    }

    #[test]
    fn parts_are_compared_with_earlier_parts() {
        let mut rows = Repetitions::default();
        rows.add(&[&text(&["a", "b"])]);
        rows.add(&[&text(&["b", "c", "a"])]);
        assert_eq!((rows.count(), rows.first_equal()), (2, vec![0, 1, 1, 3, 0]));
    }

    #[test]
    fn the_border_between_texts_counts() {
        let mut rows = Repetitions::default();
        rows.add(&[&text(&["ab", "a"]), &text(&["c", "bc"])]);
        assert_eq!(rows.count(), 0);
    }
}
