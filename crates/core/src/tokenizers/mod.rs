//! Step 2, tokenize: a segment becomes tokens.
//!
//! Every tokenizer here only splits: a token is a piece of the prepared line. So tokenizing copies
//! nothing; it calls a visitor with one token after the other.

mod categories;
mod cutting;
mod line;
mod mteval;
mod tercom;

pub use line::{is_whitespace, lowercased, words};
pub use tercom::Tercom;

use std::borrow::Cow;

use cutting::{Edges, cut};
use line::prepare;
use serde::Deserialize;

/// The tokenizers of BLEU and NIST: sacreBLEU's, by their names there, and mteval's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Tokenizer {
    /// Splits at white space only.
    None,
    /// Takes every line as a token, for texts that are tokenized already. It has no name, because
    /// users do not choose it.
    Lines,
    /// Every character that is not white space is a token.
    Char,
    /// sacreBLEU's version of the default of mteval-v13a.
    ThirteenA,
    /// sacreBLEU's version of mteval's international tokenization, by Unicode categories.
    Intl,
    /// Chinese characters as tokens, the rest as in `ThirteenA`.
    Zh,
    /// The default of mteval itself: `ThirteenA` with mteval's lower-casing.
    Mteval,
    /// The international tokenization of mteval-v14 itself.
    MtevalIntl,
    /// `MtevalIntl` with mteval's option `-e`: every non-ASCII character is a token.
    MtevalIntlE,
}

impl Tokenizer {
    /// All tokenizers that have a name.
    pub const ALL: [(&'static str, Self); 8] = [
        ("13a", Self::ThirteenA),
        ("char", Self::Char),
        ("intl", Self::Intl),
        ("mteval", Self::Mteval),
        ("mteval-intl", Self::MtevalIntl),
        ("mteval-intl-e", Self::MtevalIntlE),
        ("none", Self::None),
        ("zh", Self::Zh),
    ];

    /// Returns the tokenizer called `name`, if there is one.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, tokenizer)| *tokenizer)
    }

    /// Calls `visit` with each token of `line`, in order; in lower case, by the tokenizer's own
    /// rule, if `lowercase`.
    pub fn tokenize(self, line: &str, lowercase: bool, mut visit: impl FnMut(&str)) {
        use categories as classes;
        match self {
            Self::None => words(&prepare(line, lowercase)).for_each(visit),
            Self::Lines => {
                let line = if lowercase { lowercased(line).into() } else { Cow::Borrowed(line) };
                line.split('\n').filter(|token| !token.is_empty()).for_each(visit);
            }
            Self::Char => {
                let line = prepare(line, lowercase);
                for (start, character) in line.char_indices() {
                    if !is_whitespace(character) {
                        visit(&line[start..start + character.len_utf8()]);
                    }
                }
            }
            Self::ThirteenA => {
                let line = prepare(line, lowercase);
                cut(&line::without_markup(&line), Edges::Padded, &classes::WESTERN, visit);
            }
            Self::Intl => {
                cut(&prepare(line, lowercase), Edges::Bare, &classes::INTERNATIONAL, visit);
            }
            // The line is trimmed first, so white space at its ends is no neighbour of a mark.
            Self::Zh => {
                let line = prepare(line, lowercase);
                cut(line.trim_matches(is_whitespace), Edges::Bare, &classes::CHINESE, visit);
            }
            Self::Mteval => mteval::cut_western(line, lowercase, visit),
            Self::MtevalIntl => {
                mteval::cut_international(line, lowercase, &classes::MTEVAL_INTERNATIONAL, visit);
            }
            Self::MtevalIntlE => {
                mteval::cut_international(line, lowercase, &classes::MTEVAL_INTERNATIONAL_E, visit);
            }
        }
    }
}

impl TryFrom<String> for Tokenizer {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let known = || Self::ALL.map(|(name, _)| name).join(", ");
        Self::by_name(&name)
            .ok_or_else(|| format!("unknown tokenizer `{name}` (known: {})", known()))
    }
}

#[cfg(test)]
mod tests;
