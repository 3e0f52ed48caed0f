//! The references of a whole test set, every word a number.

use std::ops::Range;

use rayon::prelude::*;

use crate::corpus::Window;
use crate::metrics::symbols::Symbols;
use crate::parallel;
use crate::tokenizers::Tokenizer;

/// Segments that one thread reads at a time. Each such piece has its own numbers until they are merged,
/// so a piece should be large enough to meet most words more than once.
const PIECE: usize = 512;

/// The tokens of all references, segment by segment.
#[derive(Debug)]
pub struct References {
    tokenizer: Tokenizer,
    lowercase: bool,
    symbols: Symbols,
    tokens: Vec<u32>,
    /// Where each reference ends among the tokens; the first entry is 0.
    ends: Vec<usize>,
    /// How many references there are before each segment, and in all.
    firsts: Vec<usize>,
}

impl References {
    /// No references yet.
    #[must_use]
    pub fn new(tokenizer: Tokenizer, lowercase: bool) -> Self {
        let mut symbols = Symbols::default();
        symbols.reset(0);
        Self { tokenizer, lowercase, symbols, tokens: Vec::new(), ends: vec![0], firsts: vec![0] }
    }

    /// Adds the next segments, from the texts of all translators.
    pub fn add(&mut self, texts: &[Window<'_>], segments: usize) {
        let read = |start: usize| self.read(texts, start..segments.min(start + PIECE));
        let starts: Vec<usize> = (0..segments).step_by(PIECE).collect();
        let pieces: Vec<Piece> = match starts.as_slice() {
            // A single sentence is not worth waking the threads.
            [start] => vec![read(*start)],
            _ => parallel::run(|| starts.par_iter().map(|&start| read(start)).collect()),
        };
        for piece in pieces {
            self.append(&piece);
        }
    }

    fn read(&self, texts: &[Window<'_>], segments: Range<usize>) -> Piece {
        let mut piece = Piece::default();
        piece.symbols.reset(0);
        for segment in segments {
            for reference in texts.iter().filter_map(|text| text.get(segment)) {
                let insert = |token: &str| piece.tokens.push(piece.symbols.insert(token));
                self.tokenizer.tokenize(reference, self.lowercase, insert);
                piece.ends.push(piece.tokens.len());
            }
            piece.firsts.push(piece.ends.len());
        }
        piece
    }

    fn append(&mut self, piece: &Piece) {
        let numbers: Vec<u32> =
            piece.symbols.iter().map(|token| self.symbols.insert(token)).collect();
        let (tokens, references) = (self.tokens.len(), self.ends.len() - 1);
        self.tokens.extend(piece.tokens.iter().map(|&token| numbers[token as usize]));
        self.ends.extend(piece.ends.iter().map(|end| tokens + end));
        self.firsts.extend(piece.firsts.iter().map(|first| references + first));
    }

    /// The tokens of all references.
    #[must_use]
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Where the tokens of each reference of a segment are.
    pub fn spans(&self, segment: usize) -> impl Iterator<Item = Range<usize>> {
        self.ends[self.firsts[segment]..=self.firsts[segment + 1]]
            .windows(2)
            .map(|pair| pair[0]..pair[1])
    }

    /// Where the tokens of each reference are, for all segments.
    pub fn all_spans(&self) -> impl Iterator<Item = Range<usize>> {
        self.ends.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The number of words in the references of a segment.
    #[must_use]
    pub fn words(&self, segment: usize) -> usize {
        self.ends[self.firsts[segment + 1]] - self.ends[self.firsts[segment]]
    }

    /// The mean length of the references that a segment has.
    #[must_use]
    pub fn mean_length(&self, segment: usize) -> f64 {
        let references = self.firsts[segment + 1] - self.firsts[segment];
        self.words(segment) as f64 / references.max(1) as f64
    }

    /// The number of different words.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.symbols.len()
    }

    /// The number of a word, or `UNKNOWN`.
    #[must_use]
    pub fn symbol(&self, token: &str) -> u32 {
        self.symbols.get(token)
    }

    /// Puts the numbers of an output's tokens into `tokens`, `UNKNOWN` for those of no reference.
    pub fn look_up(&self, output: &str, tokens: &mut Vec<u32>) {
        tokens.clear();
        let get = |token: &str| tokens.push(self.symbols.get(token));
        self.tokenizer.tokenize(output, self.lowercase, get);
    }
}

/// Some segments with numbers of their own.
#[derive(Debug, Default)]
struct Piece {
    symbols: Symbols,
    tokens: Vec<u32>,
    ends: Vec<usize>,
    firsts: Vec<usize>,
}
