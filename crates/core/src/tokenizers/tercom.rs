//! The tokenization of TER, after Tercom's normaliser as sacreBLEU has it.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Deserialize;

use super::categories::{WESTERN, western};
use super::cutting::{Class, Classes, Edges, cut};
use super::line::{is_whitespace, lowercased, without_entities, words};

/// Tercom's tokenizer: by default it lower-cases and splits at white space only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // Four switches of the original, each independent.
pub struct Tercom {
    /// True to split off punctuation and decode entities.
    pub normalized: bool,
    /// True to delete punctuation.
    pub no_punct: bool,
    /// True to extend `normalized` and `no_punct` to Asian characters.
    pub asian_support: bool,
    /// True to distinguish upper and lower case.
    pub case_sensitive: bool,
}

impl Tercom {
    /// Returns the tokens of `line`, separated by single spaces.
    #[must_use]
    pub fn tokenize(self, line: &str) -> String {
        let mut tokenized = String::with_capacity(line.len() + line.len() / 4);
        self.cut(line, |token| {
            if !tokenized.is_empty() {
                tokenized.push(' ');
            }
            tokenized.push_str(token);
        });
        tokenized
    }

    /// Calls `visit` with each token of an output, in order.
    pub fn cut(self, line: &str, visit: impl FnMut(&str)) {
        // A possessive at the end of the line is one only if no white space follows it.
        let line = line.trim_end_matches(is_whitespace);
        if self.case_sensitive {
            self.cut_cased(line, visit);
        } else {
            self.cut_cased(&lowercased(line), visit);
        }
    }

    /// Calls `visit` with each token of a reference, which sacreBLEU tokenizes twice.
    ///
    /// The second pass changes something only in normalised text: `dog's.` becomes `dog's .` and
    /// then `dog 's .`, as the possessive must be followed by a space.
    pub fn cut_twice(self, line: &str, visit: impl FnMut(&str)) {
        if self.normalized {
            self.cut(&self.tokenize(line), visit);
        } else {
            self.cut(line, visit);
        }
    }

    fn cut_cased(self, line: &str, mut visit: impl FnMut(&str)) {
        if self.no_punct {
            self.cut_normalized(line, |token| self.without_punctuation(token, &mut visit));
        } else {
            self.cut_normalized(line, visit);
        }
    }

    fn cut_normalized(self, line: &str, visit: impl FnMut(&str)) {
        if !self.normalized {
            return words(line).for_each(visit);
        }
        let line = with_spaced_possessives(without_markup(line));
        if self.asian_support {
            cut(&line, Edges::Padded, &ASIAN, visit);
        } else {
            cut(&line, Edges::Padded, &WESTERN, visit);
        }
    }

    fn without_punctuation(self, token: &str, mut visit: impl FnMut(&str)) {
        let deleted =
            |c| is_western_punctuation(c) || self.asian_support && is_asian_punctuation(c);
        if !token.contains(deleted) {
            return visit(token);
        }
        let token = token.replace(deleted, "");
        if !token.is_empty() {
            visit(&token);
        }
    }
}

/// Removes line breaks and decodes four entities, one after the other.
fn without_markup(line: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'&', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    // Tercom deletes a hyphen after a line break; mteval deletes one before it.
    Cow::Owned(without_entities(line.replace("\n-", "").replace('\n', " ")))
}

/// Inserts a space before each `'s` that is followed by a space or by a mark that is always split
/// off.
fn with_spaced_possessives(line: Cow<'_, str>) -> Cow<'_, str> {
    if !line.contains("'s") {
        return line;
    }
    let mut spaced = String::with_capacity(line.len() + 8);
    let mut copied = 0;
    for (start, possessive) in line.match_indices("'s") {
        let behind = line[start + possessive.len()..].chars().next();
        if behind.is_none_or(|c| c == ' ' || western(c) == Class::Alone) {
            spaced.push_str(&line[copied..start]);
            spaced.push(' ');
            copied = start;
        }
    }
    spaced.push_str(&line[copied..]);
    Cow::Owned(spaced)
}

/// Classes of `WESTERN`, with ideographs and Asian punctuation as tokens; runs of kana stay whole.
static ASIAN: LazyLock<Classes> = LazyLock::new(|| Classes::new(asian, |_| false));

fn asian(character: char) -> Class {
    let alone = is_ideograph(character) || is_asian_punctuation(character);
    if alone { Class::Alone } else { western(character) }
}

/// Returns true for unified ideographs, strokes, radicals, compatibility forms and enclosed
/// letters.
fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{2eff}'
        | '\u{31c0}'..='\u{31ef}'
        | '\u{3200}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}')
}

fn is_western_punctuation(character: char) -> bool {
    matches!(character, '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')')
}

/// Returns true for ideographic, half-width and full-width punctuation.
fn is_asian_punctuation(character: char) -> bool {
    matches!(character,
        '\u{3001}' | '\u{3002}'
        | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301f}'
        | '\u{30fb}'
        | '\u{ff61}'..='\u{ff65}'
        | '．' | '，' | '？' | '：' | '；' | '！' | '＂' | '（' | '）')
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Tercom =
        Tercom { normalized: false, no_punct: false, asian_support: false, case_sensitive: false };
    const NORMALIZED: Tercom = Tercom { normalized: true, ..PLAIN };
    const NO_PUNCT: Tercom = Tercom { no_punct: true, ..PLAIN };

    fn twice(tokenizer: Tercom, line: &str) -> String {
        let mut tokens = Vec::new();
        tokenizer.cut_twice(line, |token| tokens.push(token.to_owned()));
        tokens.join(" ")
    }

    #[test]
    fn the_default_changes_only_case_and_white_space() {
        assert_eq!(PLAIN.tokenize(" A\u{a0}\x1cB.  it's\u{200b}x\n"), "a b. it's\u{200b}x");
        assert_eq!(PLAIN.tokenize("ΟΔΟΣ İ"), "οδος i\u{307}");
        assert_eq!(PLAIN.tokenize(" \u{2028}"), "");
        let cased = Tercom { case_sensitive: true, ..PLAIN };
        assert_eq!(cased.tokenize("A b "), "A b");
    }

    #[test]
    fn normalising_splits_off_punctuation_and_decodes_entities() {
        assert_eq!(NORMALIZED.tokenize("1,000.5 a-b 1-b 2020."), "1,000.5 a-b 1 - b 2020 .");
        assert_eq!(NORMALIZED.tokenize("&amp;lt; &QUOT;x"), "< \" x");
        assert_eq!(NORMALIZED.tokenize("well\n-known\nword"), "wellknown word");
    }

    #[test]
    fn a_possessive_is_a_token_if_a_space_follows() {
        assert_eq!(NORMALIZED.tokenize("dogs's , it's. a's!\u{a0}"), "dogs 's , it's . a 's !");
        assert_eq!(NORMALIZED.tokenize("it's\u{a0}so he's\u{a0}"), "it's so he 's");
    }

    #[test]
    fn the_second_pass_splits_possessives_that_the_first_exposed() {
        assert_eq!(NORMALIZED.tokenize("the dog's. ..5"), "the dog's . . .5");
        assert_eq!(twice(NORMALIZED, "the dog's. ..5"), "the dog 's . . . 5");
        assert_eq!(twice(PLAIN, "The dog's."), "the dog's.");
    }

    #[test]
    fn deleting_punctuation_joins_its_neighbours() {
        assert_eq!(NO_PUNCT.tokenize("a.b ... (c) d-e"), "ab c d-e");
        let both = Tercom { normalized: true, ..NO_PUNCT };
        assert_eq!(both.tokenize("a.b 1,000 (c)"), "a b 1000 c");
    }

    #[test]
    fn asian_support_alone_changes_nothing() {
        let line = "東京、カナ。abc字";
        assert_eq!(Tercom { asian_support: true, ..PLAIN }.tokenize(line), line);
        let normalized = Tercom { asian_support: true, ..NORMALIZED };
        assert_eq!(normalized.tokenize(line), "東 京 、 カナ 。 abc 字");
        let no_punct = Tercom { asian_support: true, ..NO_PUNCT };
        assert_eq!(no_punct.tokenize(line), "東京カナabc字");
    }
}
