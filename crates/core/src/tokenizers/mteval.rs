//! mteval's own tokenizations, with its order of steps and its rules of case.
//!
//! sacreBLEU's `13a` and `intl` come from these but lower-case before anything else, by Unicode's
//! full rules. mteval decodes first, so that `&AMP;` is not an entity, and lower-cases in its own
//! way.

use std::borrow::Cow;

use super::categories::MTEVAL_WESTERN;
use super::cutting::{Classes, Edges, cut};
use super::line::{without_entities, without_markup};

/// Tokenizes a line by mteval's default; only A to Z have a lower case.
pub fn cut_western(line: &str, lowercase: bool, visit: impl FnMut(&str)) {
    let line = without_markup(line);
    let line = if lowercase { Cow::Owned(line.to_ascii_lowercase()) } else { line };
    cut(&line, Edges::Padded, &MTEVAL_WESTERN, visit);
}

/// Tokenizes a line by mteval-v14's international rules, with the given classes of characters.
pub fn cut_international(
    line: &str,
    lowercase: bool,
    classes: &Classes,
    mut visit: impl FnMut(&str),
) {
    let line = without_international_markup(line);
    let line = if lowercase { Cow::Owned(lowercased_one_by_one(&line)) } else { line };
    if begins_with_empty_word(&line) {
        visit("");
    }
    cut(&line, Edges::Bare, classes, visit);
}

/// Removes `<skipped>` and decodes five entities one after the other.
fn without_international_markup(line: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'<', b'&', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let line = without_entities(line.replace("<skipped>", ""));
    Cow::Owned(if line.contains('&') { line.replace("&apos;", "'") } else { line })
}

/// Lowercases like Perl's `lc`: a final capital sigma becomes σ, like any other.
fn lowercased_one_by_one(line: &str) -> String {
    if line.is_ascii() {
        return line.to_ascii_lowercase();
    }
    line.chars().flat_map(char::to_lowercase).collect()
}

/// Returns true if Perl's split has an empty word at the beginning.
///
/// Only the separators of Unicode (`\p{Z}`) are stripped from the ends of a line before it is split at
/// white space, and tabs and other control characters are white space without being separators.
fn begins_with_empty_word(line: &str) -> bool {
    let rest = line.trim_start_matches(char::is_whitespace);
    let before = &line[..line.len() - rest.len()];
    !rest.is_empty() && before.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::super::Tokenizer;

    fn check(tokenizer: Tokenizer, lowercase: bool, cases: &[(&str, &[&str])]) {
        for (line, expected) in cases {
            let mut found = Vec::new();
            tokenizer.tokenize(line, lowercase, |token| found.push(token.to_owned()));
            assert_eq!(found, *expected, "{tokenizer:?} of {line:?}");
        }
    }

    #[test]
    fn the_default_lower_cases_ascii_letters_only_and_decodes_first() {
        check(
            Tokenizer::Mteval,
            true,
            &[
                ("ÀÉ A&AMP;b", &["ÀÉ", "a", "&", "amp", ";", "b"]),
                ("A<SKIPPED>&amp;LT;", &["a", "<", "skipped", ">", "&", "lt", ";"]),
                ("1. ", &["1", "."]),
                ("\ta\u{85}b", &["a", "b"]),
            ],
        );
        check(Tokenizer::Mteval, false, &[("A<skipped>b\x1cC", &["Ab\x1cC"])]);
    }

    #[test]
    fn international_lower_casing_treats_each_character_alone() {
        check(Tokenizer::Intl, true, &[("ΑΣ", &["ας"])]);
        check(
            Tokenizer::MtevalIntl,
            true,
            &[("ΑΣ İ &QUOT;", &["ασ", "i\u{307}", "&", "quot", ";"])],
        );
    }

    #[test]
    fn international_tokenization_decodes_entities_and_does_not_pad() {
        check(
            Tokenizer::MtevalIntl,
            false,
            &[
                ("a<skipped>b&amp;apos;c", &["ab", "'", "c"]),
                ("&amp;quot;", &["&", "quot", ";"]),
                ("1.", &["1."]),
                // White space at the end is a neighbour until it is stripped.
                ("1. ", &["1", "."]),
                ("a\u{2028}b\x1cc", &["a", "b\x1cc"]),
            ],
        );
    }

    #[test]
    fn a_leading_tab_makes_an_empty_word() {
        check(
            Tokenizer::MtevalIntl,
            false,
            &[
                ("\ta\tb\t", &["", "a", "b"]),
                (" \t.5", &["", ".", "5"]),
                (" a", &["a"]),
                // Perl 5.36 splits so: \x1c is not white space in Perl, and \u{a0} is a separator.
                ("\ra", &["", "a"]),
                ("\x0ba", &["", "a"]),
                ("\x0ca", &["", "a"]),
                ("\u{85}a", &["", "a"]),
                ("\x1ca", &["\x1ca"]),
                ("\u{a0}a", &["a"]),
                ("\t", &[]),
                ("", &[]),
            ],
        );
    }

    #[test]
    fn split_non_ascii_makes_each_such_character_a_token() {
        check(
            Tokenizer::MtevalIntlE,
            false,
            &[("１.５é 5.5", &["１", ".", "５", "é", "5.5"]), ("日本\u{a0}a", &["日", "本", "a"])],
        );
    }
}
