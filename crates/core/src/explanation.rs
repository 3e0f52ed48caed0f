//! Differences in the n-grams that two systems match, which need the texts again.
//!
//! These are the n-grams that one system matches more often than another, segment by segment. A
//! column of BLEU's matches is a sum over n-grams. So the contribution of a difference of matches
//! to a difference of scores splits further, into contributions of n-grams.

use std::collections::HashMap;

use crate::corpus::Window;
use crate::metrics::bleu::{BleuCounts, EMPTY_WORD};
use crate::metrics::symbols::{Symbols, UNKNOWN};

/// The n-grams that the two systems match differently often in some segment, and where.
#[derive(Debug, Default)]
pub struct MatchDifferences {
    /// Every such n-gram once: its order, and its tokens with single spaces between them.
    pub ngrams: Vec<(usize, String)>,
    /// Segments where each n-gram is matched differently, in the order of the segments.
    pub differences: Vec<MatchDifference>,
}

/// One n-gram in one segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchDifference {
    /// The index of the n-gram.
    pub ngram: usize,
    /// The index of the segment.
    pub segment: usize,
    /// Clipped matches of the first system minus the second system's.
    pub difference: f64,
}

/// Number of occurrences of an n-gram in a segment.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrences {
    /// The most often in one reference.
    limit: u32,
    /// Number in the reference that is being read.
    seen: u32,
    /// Index of that reference.
    reference: usize,
    /// Number in each of the two outputs.
    outputs: [u32; 2],
}

/// Compares the matches of two systems, clipped against the references as BLEU clips them.
#[must_use]
pub fn match_differences(
    counts: &BleuCounts,
    systems: [Window<'_>; 2],
    references: &[Window<'_>],
    segments: usize,
) -> MatchDifferences {
    let mut symbols = Symbols::default();
    symbols.reset(1 << 12);
    let empty_word = symbols.insert(EMPTY_WORD);
    let mut numbers: HashMap<Box<[u32]>, usize> = HashMap::new();
    let mut found = MatchDifferences::default();
    let mut names: Vec<Box<[u32]>> = Vec::new();
    let (mut texts, mut outputs) = (Vec::new(), [Vec::new(), Vec::new()]);
    for segment in 0..segments {
        texts.clear();
        for reference in references.iter().filter_map(|text| text.get(segment)) {
            let mut tokens = Vec::new();
            let insert = |token: &str| tokens.push(symbols.insert(token));
            counts.tokenizer.tokenize(reference, counts.lowercase, insert);
            texts.push(tokens);
        }
        for (tokens, system) in outputs.iter_mut().zip(&systems) {
            tokens.clear();
            let get = |token: &str| tokens.push(symbols.get(token));
            let output = system.get(segment).unwrap_or_default();
            counts.tokenizer.tokenize(output, counts.lowercase, get);
        }
        let mut changed: Vec<(&[u32], f64)> =
            differing(counts.max_order, empty_word, &texts, &outputs);
        // A map is in no order, and the answer must be the same every time.
        changed.sort_unstable_by(|left, right| left.0.cmp(right.0));
        for (tokens, difference) in changed {
            let next = names.len();
            let ngram = *numbers.entry(tokens.into()).or_insert(next);
            if ngram == next {
                names.push(tokens.into());
            }
            found.differences.push(MatchDifference { ngram, segment, difference });
        }
    }
    let words: Vec<&str> = symbols.iter().collect();
    let spell = |tokens: &[u32]| -> String {
        let tokens: Vec<&str> = tokens.iter().map(|&token| words[token as usize]).collect();
        tokens.join(" ")
    };
    found.ngrams = names.iter().map(|tokens| (tokens.len(), spell(tokens))).collect();
    found
}

/// Returns the n-grams of one segment that the outputs match differently often, and the
/// differences.
fn differing<'a>(
    max_order: usize,
    empty_word: u32,
    references: &'a [Vec<u32>],
    outputs: &[Vec<u32>; 2],
) -> Vec<(&'a [u32], f64)> {
    if outputs[0] == outputs[1] {
        return Vec::new();
    }
    let mut ngrams: HashMap<&[u32], Occurrences> = HashMap::new();
    for (number, reference) in references.iter().enumerate() {
        for tokens in windows(reference, max_order) {
            let occurrences = ngrams.entry(tokens).or_default();
            if occurrences.reference != number {
                (occurrences.reference, occurrences.seen) = (number, 0);
            }
            occurrences.seen += 1;
            occurrences.limit = occurrences.limit.max(occurrences.seen);
        }
    }
    ngrams.remove([empty_word].as_slice());
    for (output, tokens) in outputs.iter().enumerate() {
        for ngram in windows(tokens, max_order).filter(|ngram| !ngram.contains(&UNKNOWN)) {
            if let Some(occurrences) = ngrams.get_mut(ngram) {
                occurrences.outputs[output] += 1;
            }
        }
    }
    let clipped = ngrams.into_iter().map(|(tokens, occurrences)| {
        let [first, second] = occurrences.outputs.map(|count| count.min(occurrences.limit));
        (tokens, f64::from(first) - f64::from(second))
    });
    clipped.filter(|(_, difference)| *difference != 0.0).collect()
}

/// Yields every n-gram of a sequence up to an order.
fn windows(tokens: &[u32], max_order: usize) -> impl Iterator<Item = &[u32]> {
    (1..=max_order).flat_map(move |order| tokens.windows(order))
}

/// Lists the runs of three or more equal parts, from left to right and without overlap: the
/// characters of the run, and of its part, the shortest of two to `longest` characters that fits.
#[must_use]
pub fn loops(text: &str, longest: usize) -> Vec<(usize, usize)> {
    let text: Vec<char> = text.chars().collect();
    let mut runs = Vec::new();
    let mut rest = text.as_slice();
    while !rest.is_empty() {
        let is_repeated =
            |&part: &usize| 3 * part <= rest.len() && rest[..2 * part] == rest[part..3 * part];
        let step = (2..=longest).find(is_repeated).map_or(1, |part| {
            let follows = |next: &&[char]| **next == rest[..part];
            let run = part * rest.chunks_exact(part).take_while(follows).count();
            runs.push((run, part));
            run
        });
        rest = &rest[step..];
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Segments;
    use crate::metrics::{Metric, bleu::Bleu, count};

    fn text(lines: &[&str]) -> Segments {
        lines.iter().map(|line| Some(*line)).collect()
    }

    #[test]
    fn the_differences_of_an_order_add_up_to_that_of_its_matches() {
        let first = text(&["the the cat sat on the mat", "", "a b c d a b"]);
        let second = text(&["a cat is on the the mat", "no", "d c b a"]);
        let references = [
            text(&["the cat sat on the mat", "no", "a b c d"]),
            text(&["on the the mat sat a cat", "yes", "a b a b"]),
        ];
        let bleu = Bleu::default();
        let rows = count(&bleu, &[&first, &second], &references.each_ref()).expect("paired");
        let windows = references.each_ref().map(|text| Window::new(text, 0));
        let systems = [Window::new(&first, 0), Window::new(&second, 0)];
        let found = match_differences(&bleu.counts, systems, &windows, 3);
        for segment in 0..3 {
            for order in 1..=4 {
                let at = |system: usize| rows[(2 * segment + system) * bleu.width() + 1 + order];
                let sum: f64 = found
                    .differences
                    .iter()
                    .filter(|one| one.segment == segment && found.ngrams[one.ngram].0 == order)
                    .map(|one| one.difference)
                    .sum();
                assert!((sum - (at(0) - at(1))).abs() < 1e-12, "segment {segment}, order {order}");
            }
        }
        assert!(found.ngrams.iter().any(|(order, name)| *order == 2 && name == "cat sat"));
    }

    #[test]
    fn equal_outputs_differ_in_nothing() {
        let output = text(&["a cat", "sat"]);
        let reference = text(&["the cat", "sat"]);
        let window = || Window::new(&output, 0);
        let reference = [Window::new(&reference, 0)];
        let counts = BleuCounts::default();
        let found = match_differences(&counts, [window(), window()], &reference, 2);
        assert!(found.ngrams.is_empty() && found.differences.is_empty());
    }

    #[test]
    fn runs_have_the_shortest_part_and_do_not_overlap() {
        assert_eq!(loops("xabababaxyzxyzxyz!", 40), [(6, 2), (9, 3)]);
        assert_eq!(loops("aaaaaaa", 40), [(6, 2)]);
        assert_eq!(loops("abcabcabc", 2), []);
        assert_eq!(loops("abab", 40), []);
        assert_eq!(loops("éàéàéà", 40), [(6, 2)]);
        assert_eq!(loops("", 40), []);
    }
}
