//! Step 2, tokenize: a segment becomes tokens.
//!
//! Every tokenizer here only cuts: a token is a piece of the prepared line. So tokenizing writes
//! nothing, it calls a visitor with one token after the other.

mod categories;
mod cutting;
mod line;
mod tercom;
mod whitespace;

pub use line::lowercased;
pub use tercom::Tercom;
pub use whitespace::{is_whitespace, words};

use cutting::{Edges, cut};

/// The tokenizers of BLEU, by the names that sacreBLEU gave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokenizer {
    /// White space separates, nothing else is done.
    None,
    /// Every character that is not white space is a token.
    Char,
    /// The default of mteval-v13a.
    ThirteenA,
    /// mteval's international tokenization, by Unicode categories.
    Intl,
    /// Chinese characters alone, the rest as in `ThirteenA`.
    Zh,
}

impl Tokenizer {
    /// Every tokenizer with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("13a", Self::ThirteenA),
        ("char", Self::Char),
        ("intl", Self::Intl),
        ("none", Self::None),
        ("zh", Self::Zh),
    ];

    /// The tokenizer of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, tokenizer)| *tokenizer)
    }

    /// Calls `visit` with each token of `line`, in order.
    pub fn tokenize(self, line: &str, mut visit: impl FnMut(&str)) {
        match self {
            Self::None => words(line).for_each(visit),
            Self::Char => {
                for (start, character) in line.char_indices() {
                    if !is_whitespace(character) {
                        visit(&line[start..start + character.len_utf8()]);
                    }
                }
            }
            Self::ThirteenA => {
                cut(&line::without_markup(line), Edges::Padded, &categories::WESTERN, visit);
            }
            Self::Intl => cut(line, Edges::Bare, &categories::INTERNATIONAL, visit),
            // The line is trimmed first, so white space at its ends is no neighbour of a mark.
            Self::Zh => {
                cut(line.trim_matches(is_whitespace), Edges::Bare, &categories::CHINESE, visit);
            }
        }
    }
}

#[cfg(test)]
mod tests;
