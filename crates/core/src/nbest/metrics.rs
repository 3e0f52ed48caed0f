//! Metrics of clipped n-gram matches: the sequences of a text, and a pair's row of counts.

use crate::metrics::bleu::{BleuCounts, EMPTY_WORD};
use crate::metrics::chrf::{Chrf, split_words};
use crate::metrics::ngrams::total;
use crate::metrics::symbols::{Symbols, UNKNOWN};

/// Number of n-grams of each order in a text; means of several texts are fractions.
pub type Totals = [f64];

/// The symbols of a text: a metric may look at two sequences, such as characters and words.
pub type Sequences = [Vec<u32>; 2];

/// A metric whose counts of a pair of texts are their totals and their clipped matches.
pub trait OverlapMetric: Sync {
    /// Returns the highest order of n-grams of each of the two sequences; 0 for an unused one.
    fn max_orders(&self) -> [usize; 2];

    /// Returns the number of columns of a row.
    fn width(&self) -> usize;

    /// Cuts a text; equal tokens get equal numbers from `symbols`.
    fn read(&self, line: &str, symbols: &mut Symbols, sequences: &mut Sequences);

    /// Returns a token of the first sequence that has a length but matches nothing by itself;
    /// `UNKNOWN` if there is no such token.
    fn unmatched(&self, _symbols: &Symbols) -> u32 {
        UNKNOWN
    }

    /// Computes the row of a pair from the totals of both texts and their matches, order by order.
    fn row(&self, output: &Totals, reference: &Totals, matches: &[f64], row: &mut [f64]);
}

impl OverlapMetric for BleuCounts {
    fn max_orders(&self) -> [usize; 2] {
        [self.max_order, 0]
    }

    fn width(&self) -> usize {
        2 + 2 * self.max_order
    }

    fn read(&self, line: &str, symbols: &mut Symbols, sequences: &mut Sequences) {
        let insert = |token: &str| sequences[0].push(symbols.insert(token));
        self.tokenizer.tokenize(line, self.lowercase, insert);
    }

    fn unmatched(&self, symbols: &Symbols) -> u32 {
        symbols.get(EMPTY_WORD)
    }

    fn row(&self, output: &Totals, reference: &Totals, matches: &[f64], row: &mut [f64]) {
        // The number of unigrams is the number of tokens: the lengths.
        (row[0], row[1]) = (output[0], reference[0]);
        let (cells, totals) = row[2..].split_at_mut(self.max_order);
        cells.copy_from_slice(matches);
        totals.copy_from_slice(output);
    }
}

impl OverlapMetric for Chrf {
    fn max_orders(&self) -> [usize; 2] {
        [self.char_order, self.word_order]
    }

    fn width(&self) -> usize {
        3 * (self.char_order + self.word_order)
    }

    fn read(&self, line: &str, symbols: &mut Symbols, sequences: &mut Sequences) {
        let line = self.prepare_line(line);
        let [characters, words] = sequences;
        self.characters(&line, characters);
        if self.word_order > 0 {
            split_words(&line, |word| words.push(symbols.insert(word)));
        }
    }

    fn row(&self, output: &Totals, reference: &Totals, matches: &[f64], row: &mut [f64]) {
        let (cells, _) = row.as_chunks_mut::<3>();
        let counts = output.iter().zip(reference).zip(matches);
        for (cell, ((&output, &reference), &matched)) in cells.iter_mut().zip(counts) {
            // An order that the reference lacks says nothing about precision.
            *cell = [if reference > 0.0 { output } else { 0.0 }, reference, matched];
        }
    }
}

/// Appends the totals of a text's sequences, order by order.
pub fn totals(max_orders: [usize; 2], sequences: &Sequences, totals: &mut Vec<f64>) {
    for (max_order, sequence) in max_orders.into_iter().zip(sequences) {
        totals.extend((1..=max_order).map(|order| total(sequence.len(), order)));
    }
}
