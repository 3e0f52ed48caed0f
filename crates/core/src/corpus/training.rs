//! Search of training text for segments of a test set: whole lines and long n-grams of words.
//!
//! A word is a run of letters and digits in lower case, so that tokenized text matches untokenized
//! text; a letter of a script without spaces is a word by itself.

use std::collections::{BTreeMap, HashMap};

use memchr::{memchr_iter, memrchr};
use rayon::prelude::*;

use super::Segments;
use super::scripts::is_unspaced;
use crate::interruption;

/// Approximate number of bytes of training text that one thread searches at a time.
const PIECE: usize = 1 << 18;
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bits of the filter for each n-gram of the test set.
const BITS: usize = 32;

/// Occurrence of a segment in training text: its index, and whether it is a whole line there.
pub type Sighting = (usize, bool);

/// Hashed n-grams of a test set, and the first line of training text with each.
#[derive(Debug)]
pub struct TrainingIndex {
    order: usize,
    /// Segments by the hash of one of their n-grams.
    ngrams: HashMap<u64, Vec<usize>>,
    /// Segments by the hash of all their words.
    wholes: HashMap<u64, Vec<usize>>,
    /// Bloom filter with the bit of every hash; most lookups are in neither table.
    filter: Vec<u64>,
    /// Beginning of a line whose end has not come yet.
    rest: Vec<u8>,
    lines: usize,
    first: BTreeMap<Sighting, usize>,
}

impl TrainingIndex {
    /// Indexes the n-grams of texts of a test set, such as its source and its references.
    #[must_use]
    pub fn new(texts: &[&Segments], order: usize) -> Self {
        let (mut ngrams, mut wholes) = (HashMap::new(), HashMap::new());
        let mut words = Vec::new();
        let register = |table: &mut HashMap<u64, Vec<usize>>, hash, index| {
            let segments = table.entry(hash).or_default();
            if segments.last() != Some(&index) {
                segments.push(index);
            }
        };
        for text in texts {
            for (index, segment) in text.iter().enumerate() {
                hash_words(segment.unwrap_or_default(), &mut words);
                for hash in ngram_hashes(&words, order) {
                    register(&mut ngrams, hash, index);
                }
                if !words.is_empty() {
                    register(&mut wholes, hash_all(&words), index);
                }
            }
        }
        let size = (BITS * (ngrams.len() + wholes.len())).next_power_of_two().max(64);
        let mut filter = vec![0; size / 64];
        for hash in ngrams.keys().chain(wholes.keys()) {
            let (word, bit) = filter_bit(*hash, filter.len());
            filter[word] |= bit;
        }
        let (rest, first) = (Vec::new(), BTreeMap::new());
        Self { order, ngrams, wholes, filter, rest, lines: 0, first }
    }

    /// Searches more training text; an unfinished last line is searched when its end comes.
    pub fn add(&mut self, data: &[u8]) {
        let Some(end) = memrchr(b'\n', data) else {
            return self.rest.extend(data);
        };
        let mut text = std::mem::take(&mut self.rest);
        text.extend(&data[..end]);
        self.rest = data[end + 1..].to_vec();
        self.search(&text);
    }

    /// Ends the last line, as at the end of a file.
    pub fn end_line(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.search(&rest);
        }
    }

    /// Returns the number of lines searched.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Iterates over the sightings in order, each with the index of the first line that has it.
    pub fn sightings(&self) -> impl Iterator<Item = (Sighting, usize)> {
        self.first.iter().map(|(sighting, line)| (*sighting, *line))
    }

    fn search(&mut self, text: &[u8]) {
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in memchr_iter(b'\n', text).chain([text.len()]) {
            if end - start >= PIECE || end == text.len() {
                pieces.push(&text[start..end]);
                start = end + 1;
            }
        }
        let found: Vec<_> = pieces.par_iter().map(|piece| self.search_piece(piece)).collect();
        for (lines, sightings) in found {
            for (sighting, line) in sightings {
                self.first.entry(sighting).or_insert(self.lines + line);
            }
            self.lines += lines;
        }
    }

    /// Returns the number of lines, and the sightings with the first line of each.
    fn search_piece(&self, piece: &[u8]) -> (usize, BTreeMap<Sighting, usize>) {
        interruption::check();
        let (mut words, mut sightings, mut lines) = (Vec::new(), BTreeMap::new(), 0);
        // Bytes that are not UTF-8 end a word.
        for line in String::from_utf8_lossy(piece).split('\n') {
            hash_words(line, &mut words);
            let mut look_up = |table: &HashMap<u64, Vec<usize>>, hash, whole| {
                let (word, bit) = filter_bit(hash, self.filter.len());
                if self.filter[word] & bit != 0 {
                    for &index in table.get(&hash).into_iter().flatten() {
                        sightings.entry((index, whole)).or_insert(lines);
                    }
                }
            };
            ngram_hashes(&words, self.order).for_each(|hash| look_up(&self.ngrams, hash, false));
            look_up(&self.wholes, hash_all(&words), true);
            lines += 1;
        }
        (lines, sightings)
    }
}

/// Returns the index of the word, and the bit in it, that represent a hash in a filter of `words`
/// words.
fn filter_bit(hash: u64, words: usize) -> (usize, u64) {
    ((hash >> 6) as usize & (words - 1), 1 << (hash & 63))
}

/// Iterates over the hashes of all n-grams of an order, each computed from the previous one.
fn ngram_hashes(words: &[u64], order: usize) -> impl Iterator<Item = u64> {
    let power = BASE.wrapping_pow(u32::try_from(order).unwrap_or(u32::MAX));
    let mut sum = 0u64;
    words.iter().enumerate().filter_map(move |(index, word)| {
        sum = sum.wrapping_mul(BASE).wrapping_add(*word);
        if let Some(before) = index.checked_sub(order) {
            sum = sum.wrapping_sub(words[before].wrapping_mul(power));
        }
        (index + 1 >= order).then(|| mix(sum))
    })
}

fn hash_all(words: &[u64]) -> u64 {
    let sum = words.iter().fold(0u64, |sum, word| sum.wrapping_mul(BASE).wrapping_add(*word));
    mix(sum ^ words.len() as u64)
}

/// Spreads differences over all bits.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// Writes the hashes of a line's words into `words`.
fn hash_words(line: &str, words: &mut Vec<u64>) {
    words.clear();
    let mut word = 0u64;
    let add = |word: &mut u64, character: char| {
        *word = (*word ^ u64::from(character)).wrapping_mul(BASE).rotate_left(29);
    };
    for character in line.chars() {
        let is_word = !character.is_ascii() && is_unspaced(character);
        if word != 0 && (is_word || !character.is_alphanumeric()) {
            words.push(mix(word));
            word = 0;
        }
        if character.is_ascii_alphanumeric() {
            add(&mut word, character.to_ascii_lowercase());
        } else if is_word {
            words.push(mix(u64::from(character)));
        } else if character.is_alphanumeric() {
            character.to_lowercase().for_each(|lower| add(&mut word, lower));
        }
    }
    if word != 0 {
        words.push(mix(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sightings(segments: &[&str], order: usize, pieces: &[&str]) -> Vec<(Sighting, usize)> {
        let text: Segments = segments.iter().map(|segment| Some(*segment)).collect();
        let mut index = TrainingIndex::new(&[&text], order);
        for piece in pieces {
            index.add(piece.as_bytes());
        }
        index.end_line();
        let lines = pieces.concat().trim_end_matches('\n').split('\n').count();
        assert_eq!(index.lines(), lines);
        index.sightings().collect()
    }

    #[test]
    fn punctuation_between_words_is_ignored() {
        let found =
            sightings(&["The cat's “mat”.", "A dog!"], 3, &["x\nthe cat ' s \" mat \"\na dog"]);
        assert_eq!(found, [((0, false), 1), ((0, true), 1), ((1, true), 2)]);
    }

    #[test]
    fn an_ngram_matches_inside_longer_lines() {
        let segments = ["a b c d e", "b c x", "c d e f g"];
        let found = sightings(&segments, 3, &["nothing\n", "z B c\n0 b c d 1\nb c", " d\n"]);
        assert_eq!(found, [((0, false), 2)]);
    }

    #[test]
    fn letters_without_spaces_are_words() {
        let found = sightings(&["他写了代码。", "ไทย"], 3, &["昨天他写了很多\nไทย\n"]);
        assert_eq!(found, [((0, false), 0), ((1, false), 1), ((1, true), 1)]);
    }

    #[test]
    fn the_sizes_of_pieces_do_not_change_sightings() {
        let filler = "some other line of text\n".repeat(30_000);
        let text = format!("{filler}one two three\n{filler}");
        let whole = sightings(&["One, two; three"], 3, &[&text]);
        assert_eq!(whole, [((0, false), 30_000), ((0, true), 30_000)]);
        let parts: Vec<&str> = text
            .as_bytes()
            .chunks(1000)
            .map(|part| std::str::from_utf8(part).expect("ASCII"))
            .collect();
        assert_eq!(sightings(&["One, two; three"], 3, &parts), whole);
    }

    #[test]
    fn invalid_bytes_are_skipped_and_empty_lines_match_nothing() {
        let text: Segments = [Some("one two"), Some("…"), None].into_iter().collect();
        let mut index = TrainingIndex::new(&[&text], 2);
        index.add(b"\xff one\xfe two \n\n?!\n");
        index.end_line();
        assert_eq!(index.sightings().collect::<Vec<_>>(), [((0, false), 0), ((0, true), 0)]);
        assert_eq!(index.lines(), 3);
    }
}
