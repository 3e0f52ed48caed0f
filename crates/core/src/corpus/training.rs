//! Which segments of a test set occur in training text: whole, or by long n-grams of words.
//!
//! A word is a run of letters and digits in lower case, so that tokenized text matches what was not;
//! a letter of a script without spaces is a word of its own.

use std::collections::{BTreeMap, HashMap};

use memchr::{memchr_iter, memrchr};
use rayon::prelude::*;

use super::Segments;
use super::scripts::is_unspaced;
use crate::interruption;

/// Bytes of training text that one thread looks through at a time, about.
const PIECE: usize = 1 << 18;
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bits of the filter for each n-gram of the test set.
const BITS: usize = 32;

/// A segment of the test set in the training text: its index, and whether it is a whole line there.
pub type Sighting = (usize, bool);

/// The n-grams of a test set by their hashes, and where training text had them first.
#[derive(Debug)]
pub struct TrainingIndex {
    order: usize,
    /// Segments by the hash of an n-gram, or of all their words.
    ngrams: HashMap<u64, Vec<usize>>,
    wholes: HashMap<u64, Vec<usize>>,
    /// Has the bit of every hash: most of what is looked up is in neither table.
    filter: Vec<u64>,
    /// A line that has not ended yet.
    rest: Vec<u8>,
    lines: usize,
    first: BTreeMap<Sighting, usize>,
}

impl TrainingIndex {
    /// The n-grams of texts of a test set, such as its source and its references.
    #[must_use]
    pub fn new(texts: &[&Segments], order: usize) -> Self {
        let (mut ngrams, mut wholes) = (HashMap::new(), HashMap::new());
        let mut words = Vec::new();
        let note = |table: &mut HashMap<u64, Vec<usize>>, hash, index| {
            let segments = table.entry(hash).or_default();
            if segments.last() != Some(&index) {
                segments.push(index);
            }
        };
        for text in texts {
            for (index, segment) in text.iter().enumerate() {
                hash_words(segment.unwrap_or_default(), &mut words);
                for hash in ngram_hashes(&words, order) {
                    note(&mut ngrams, hash, index);
                }
                if !words.is_empty() {
                    note(&mut wholes, hash_all(&words), index);
                }
            }
        }
        let size = (BITS * (ngrams.len() + wholes.len())).next_power_of_two().max(64);
        let mut filter = vec![0; size / 64];
        for hash in ngrams.keys().chain(wholes.keys()) {
            let (word, bit) = place(*hash, filter.len());
            filter[word] |= bit;
        }
        let (rest, first) = (Vec::new(), BTreeMap::new());
        Self { order, ngrams, wholes, filter, rest, lines: 0, first }
    }

    /// Looks through more training text; a last line without an end is looked at when that comes.
    pub fn add(&mut self, data: &[u8]) {
        let Some(end) = memrchr(b'\n', data) else {
            return self.rest.extend(data);
        };
        let mut text = std::mem::take(&mut self.rest);
        text.extend(&data[..end]);
        self.rest = data[end + 1..].to_vec();
        self.look_through(&text);
    }

    /// Ends the last line, as at the end of a file.
    pub fn end_line(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            self.look_through(&rest);
        }
    }

    /// How many lines there were.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// What was sighted, in order, with the number of the first line that had it, from 0.
    pub fn sightings(&self) -> impl Iterator<Item = (Sighting, usize)> {
        self.first.iter().map(|(sighting, line)| (*sighting, *line))
    }

    fn look_through(&mut self, text: &[u8]) {
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in memchr_iter(b'\n', text).chain([text.len()]) {
            if end - start >= PIECE || end == text.len() {
                pieces.push(&text[start..end]);
                start = end + 1;
            }
        }
        let found: Vec<_> = pieces.par_iter().map(|piece| self.look_at(piece)).collect();
        for (lines, sightings) in found {
            for (sighting, line) in sightings {
                self.first.entry(sighting).or_insert(self.lines + line);
            }
            self.lines += lines;
        }
    }

    /// The number of lines, and what was sighted in which of them first.
    fn look_at(&self, piece: &[u8]) -> (usize, BTreeMap<Sighting, usize>) {
        interruption::check();
        let (mut words, mut sightings, mut lines) = (Vec::new(), BTreeMap::new(), 0);
        // Bytes that are no text end a word.
        for line in String::from_utf8_lossy(piece).split('\n') {
            hash_words(line, &mut words);
            let mut look_up = |table: &HashMap<u64, Vec<usize>>, hash, whole| {
                let (word, bit) = place(hash, self.filter.len());
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

/// The word and the bit of a filter of so many words that stand for a hash.
fn place(hash: u64, words: usize) -> (usize, u64) {
    ((hash >> 6) as usize & (words - 1), 1 << (hash & 63))
}

/// The hashes of all n-grams of an order, each made of the one before it.
fn ngram_hashes(words: &[u64], order: usize) -> impl Iterator<Item = u64> {
    let power = BASE.wrapping_pow(u32::try_from(order).unwrap_or(u32::MAX));
    let mut sum = 0u64;
    words.iter().enumerate().filter_map(move |(place, word)| {
        sum = sum.wrapping_mul(BASE).wrapping_add(*word);
        if let Some(before) = place.checked_sub(order) {
            sum = sum.wrapping_sub(words[before].wrapping_mul(power));
        }
        (place + 1 >= order).then(|| mixed(sum))
    })
}

fn hash_all(words: &[u64]) -> u64 {
    let sum = words.iter().fold(0u64, |sum, word| sum.wrapping_mul(BASE).wrapping_add(*word));
    mixed(sum ^ words.len() as u64)
}

/// Spreads what differs over all bits.
fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// The hashes of the words of a line.
fn hash_words(line: &str, words: &mut Vec<u64>) {
    words.clear();
    let mut word = 0u64;
    let add = |word: &mut u64, character: char| {
        *word = (*word ^ u64::from(character)).wrapping_mul(BASE).rotate_left(29);
    };
    for character in line.chars() {
        let is_alone = !character.is_ascii() && is_unspaced(character);
        if word != 0 && (is_alone || !character.is_alphanumeric()) {
            words.push(mixed(word));
            word = 0;
        }
        if character.is_ascii_alphanumeric() {
            add(&mut word, character.to_ascii_lowercase());
        } else if is_alone {
            words.push(mixed(u64::from(character)));
        } else if character.is_alphanumeric() {
            character.to_lowercase().for_each(|lower| add(&mut word, lower));
        }
    }
    if word != 0 {
        words.push(mixed(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighted(segments: &[&str], order: usize, pieces: &[&str]) -> Vec<(Sighting, usize)> {
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
    fn words_are_compared_whatever_stands_between_them() {
        let found =
            sighted(&["The cat's “mat”.", "A dog!"], 3, &["x\nthe cat ' s \" mat \"\na dog"]);
        assert_eq!(found, [((0, false), 1), ((0, true), 1), ((1, true), 2)]);
    }

    #[test]
    fn an_ngram_is_found_inside_of_longer_lines() {
        let segments = ["a b c d e", "b c x", "c d e f g"];
        let found = sighted(&segments, 3, &["nothing\n", "z B c\n0 b c d 1\nb c", " d\n"]);
        assert_eq!(found, [((0, false), 2)]);
    }

    #[test]
    fn letters_without_spaces_are_words() {
        let found = sighted(&["他写了代码。", "ไทย"], 3, &["昨天他写了很多\nไทย\n"]);
        assert_eq!(found, [((0, false), 0), ((1, false), 1), ((1, true), 1)]);
    }

    #[test]
    fn a_line_may_come_in_any_pieces_and_pieces_may_be_long() {
        let filler = "some other line of text\n".repeat(30_000);
        let text = format!("{filler}one two three\n{filler}");
        let whole = sighted(&["One, two; three"], 3, &[&text]);
        assert_eq!(whole, [((0, false), 30_000), ((0, true), 30_000)]);
        let parts: Vec<&str> = text
            .as_bytes()
            .chunks(1000)
            .map(|part| std::str::from_utf8(part).expect("ASCII"))
            .collect();
        assert_eq!(sighted(&["One, two; three"], 3, &parts), whole);
    }

    #[test]
    fn bytes_that_are_no_text_are_skipped_and_nothing_matches_nothing() {
        let text: Segments = [Some("one two"), Some("…"), None].into_iter().collect();
        let mut index = TrainingIndex::new(&[&text], 2);
        index.add(b"\xff one\xfe two \n\n?!\n");
        index.end_line();
        assert_eq!(index.sightings().collect::<Vec<_>>(), [((0, false), 0), ((0, true), 0)]);
        assert_eq!(index.lines(), 3);
    }
}
