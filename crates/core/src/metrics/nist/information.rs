//! How much information each n-gram of the references carries.
//!
//! The information of w1 … wn is log2(count(w1 … wn-1) / count(w1 … wn)), in bits, with counts from all
//! references of the test set (Zhang and Vogel, 2004, section 2.3); for n = 1 the history is empty and
//! occurs as often as there are words.
//!
//! Counts are kept by place: for each order and each word of the references, how often the n-gram that
//! starts there occurs. So nothing has to be looked up when a segment's n-grams are weighed. An n-gram
//! whose history occurs once occurs once too, so it needs no counting: its information is 0.

use rayon::prelude::*;

use super::references::References;
use crate::parallel;

/// From how many n-grams on sorting is worth waking the threads.
const MANY: usize = 1 << 14;

/// The information of the n-grams that start at each word of the references.
#[derive(Debug)]
pub struct Information {
    /// For order 1, 2, …: how often the n-gram that starts at each word occurs. An order that is not
    /// there has n-grams that occur once only.
    counts: Vec<Vec<u32>>,
    words: u32,
    /// Whether the bigram that starts at a word has that word for a history. A string of Perl is false
    /// if it is empty or `0`, and mteval takes a history that is false for no history at all.
    false_history: Vec<bool>,
}

impl Information {
    /// The information of n-grams up to an order.
    pub fn new(references: &References, max_order: usize, zero_history: bool) -> Self {
        let tokens = references.tokens();
        let counts = count(references, max_order);
        let symbols = ["0", ""].map(|word| references.symbol(word));
        let is_false = |token| zero_history && symbols.contains(token);
        let false_history = tokens.iter().map(is_false).collect();
        Self { counts, words: tokens.len() as u32, false_history }
    }

    /// The information of the n-gram of that order that starts at that word, in bits.
    pub fn of(&self, start: usize, order: usize) -> f64 {
        let empty_history = order == 1 || order == 2 && self.false_history[start];
        let history = if empty_history { self.words } else { self.count(start, order - 1) };
        (f64::from(history) / f64::from(self.count(start, order))).log2()
    }

    fn count(&self, start: usize, order: usize) -> u32 {
        self.counts.get(order - 1).map_or(1, |counts| counts[start])
    }
}

/// For each order up to the last with an n-gram that could repeat: the counts of all n-grams.
fn count(references: &References, max_order: usize) -> Vec<Vec<u32>> {
    let tokens = references.tokens();
    // The history of each n-gram, as a number that only equal histories share.
    let mut histories = tokens.to_vec();
    let mut counts = vec![count_words(tokens, references.vocabulary())];
    for order in 2..=max_order {
        let mut ngrams = repeatable(references, order, &histories, &counts[order - 2]);
        if ngrams.is_empty() {
            break;
        }
        sort(&mut ngrams);
        let mut found = vec![1; tokens.len()];
        for (number, equal) in (0..).zip(ngrams.chunk_by(|one, other| one.0 == other.0)) {
            for &(_, start) in equal {
                histories[start] = number;
                found[start] = equal.len() as u32;
            }
        }
        counts.push(found);
    }
    counts
}

fn count_words(tokens: &[u32], vocabulary: usize) -> Vec<u32> {
    let mut counts = vec![0_u32; vocabulary];
    for &token in tokens {
        counts[token as usize] += 1;
    }
    tokens.iter().map(|&token| counts[token as usize]).collect()
}

/// Every n-gram of that order whose history repeats: history and last word, and where it starts.
fn repeatable(
    references: &References,
    order: usize,
    histories: &[u32],
    counts: &[u32],
) -> Vec<(u64, usize)> {
    let tokens = references.tokens();
    let starts =
        references.all_spans().flat_map(|span| span.start..(span.end + 1).saturating_sub(order));
    starts
        .filter(|&start| counts[start] > 1)
        .map(|start| {
            let last = tokens[start + order - 1];
            (u64::from(histories[start]) << 32 | u64::from(last), start)
        })
        .collect()
}

fn sort(ngrams: &mut [(u64, usize)]) {
    if ngrams.len() < MANY {
        ngrams.sort_unstable();
    } else {
        parallel::run(|| ngrams.par_sort_unstable());
    }
}
