//! Invisible characters and other content of a text that changes scores.

use unicode_normalization::{is_nfc, is_nfd};

use super::Segments;

/// Number of occurrences, and the first segment with one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sighting {
    /// Number of occurrences.
    pub count: usize,
    /// Index of the first segment with an occurrence, or `None` without occurrences.
    pub first: Option<usize>,
}

impl Sighting {
    fn add(&mut self, segment: usize) {
        self.count += 1;
        self.first.get_or_insert(segment);
    }
}

/// Occurrences of suspicious content in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Survey {
    /// Tabs.
    pub tabs: Sighting,
    /// Carriage returns inside a segment.
    pub carriage_returns: Sighting,
    /// Line feeds, U+2028, U+2029, U+0085, vertical tabs and form feeds inside a segment.
    pub line_breaks: Sighting,
    /// Invisible and private characters that no script or emoji needs at their position.
    pub zero_width: Sighting,
    /// Segments that consist of white space only.
    pub blank: Sighting,
    /// Segments that are not in Unicode normalization form C.
    pub decomposed: Sighting,
    /// Segments that end in a space and a full stop, as tokenized text does.
    pub tokenized: Sighting,
}

/// Examines every character of a text.
#[must_use]
pub fn survey(text: &Segments) -> Survey {
    let mut found = Survey::default();
    for (index, segment) in text.iter().enumerate() {
        let Some(segment) = segment else { continue };
        let is_composed = scan(segment, index, &mut found);
        let end = segment.trim_end();
        if end.is_empty() {
            found.blank.add(index);
        }
        if end.ends_with(" .") {
            found.tokenized.add(index);
        }
        if !is_composed && !is_nfc(segment) {
            found.decomposed.add(index);
        }
    }
    found
}

/// Counts the segments that are in form C but differ in form D.
///
/// Slower than a survey, and of interest only if a survey has decomposed segments.
#[must_use]
pub fn count_composed(text: &Segments) -> usize {
    let composed = |segment: &&str| !segment.is_ascii() && is_nfc(segment) && !is_nfd(segment);
    text.iter().flatten().filter(composed).count()
}

/// Counts occurrences in a segment; returns true if its characters alone prove that it is in form
/// C.
fn scan(segment: &str, index: usize, found: &mut Survey) -> bool {
    // Two passes over bytes that the compiler vectorizes; most segments need no other pass.
    let is_control = |byte: u8| byte.wrapping_sub(b'\t') < 5;
    if segment.bytes().fold(false, |any, byte| any | is_control(byte)) {
        segment.bytes().filter(|&byte| is_control(byte)).for_each(|byte| match byte {
            b'\t' => found.tabs.add(index),
            b'\r' => found.carriage_returns.add(index),
            _ => found.line_breaks.add(index),
        });
    }
    if segment.is_ascii() {
        return true;
    }
    let mut is_composed = true;
    for (offset, character) in
        segment.char_indices().filter(|&(_, character)| !character.is_ascii())
    {
        is_composed &= is_always_composed(character);
        match character {
            '\u{85}' | '\u{2028}' | '\u{2029}' => found.line_breaks.add(index),
            _ if is_invisible(character) && !is_needed(segment, offset, character) => {
                found.zero_width.add(index);
            }
            _ => {}
        }
    }
    is_composed
}

/// Returns true if form C never changes a character, whatever its neighbours. False means unknown.
///
/// The list has the common letters, because looking up each of them would take most of the time.
fn is_always_composed(character: char) -> bool {
    matches!(character,
        '\0'..'\u{300}' // Latin
        | '\u{388}'..='\u{3ff}' // Greek
        | '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}' // Cyrillic
        | '\u{5d0}'..='\u{5ea}' // Hebrew
        | '\u{620}'..='\u{64a}' | '\u{660}'..='\u{66f}' // Arabic
        | '\u{1e00}'..='\u{1eff}' // Latin, including Vietnamese
        | '\u{2010}'..='\u{205f}' | '\u{3001}'..='\u{3029}' // punctuation
        | '\u{3041}'..='\u{3096}' | '\u{309b}'..='\u{30ff}' // kana
        | '\u{4e00}'..='\u{9fff}' // ideographs
        | '\u{ac00}'..='\u{d7a3}' // Hangul
        | '\u{ff00}'..='\u{ffef}' // wide and narrow forms
    )
}

/// Returns true for characters without width or without a meaning: soft hyphens, joiners, marks of
/// direction, operators, byte-order marks, annotations, tags and private use.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..)
}

/// Returns true if an invisible character is needed: it joins letters or emoji, separates words, or
/// stands in text that is written from right to left.
fn is_needed(segment: &str, offset: usize, character: char) -> bool {
    let before = segment[..offset].chars().next_back();
    let after = segment[offset + character.len_utf8()..].chars().next();
    let neighbours = [before, after];
    let any = |test: fn(char) -> bool| neighbours.into_iter().flatten().any(test);
    match character {
        // Zero-width spaces: line breaks in scripts that write no spaces.
        '\u{200b}' => any(is_unspaced_script),
        '\u{200c}' | '\u{180e}' => any(joins_letters),
        '\u{200d}' => any(joins_letters) || any(is_emoji),
        '\u{e0020}'..='\u{e007f}' => any(is_emoji),
        '\u{61c}' | '\u{200e}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => segment
            .chars()
            .any(|letter| matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fefc}')),
        _ => false,
    }
}

/// Returns true for Thai, Lao, Tibetan, Myanmar and Khmer, which separate words by no visible
/// space.
fn is_unspaced_script(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}')
}

/// Returns true for scripts whose letters change their form next to each other: Arabic, Syriac,
/// Indic, Mongolian.
fn joins_letters(character: char) -> bool {
    matches!(character,
        '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{a800}'..='\u{abff}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
}

fn is_emoji(character: char) -> bool {
    matches!(character,
        '\u{2190}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use std::iter::once;

    use unicode_normalization::char::canonical_combining_class;
    use unicode_normalization::{IsNormalized, is_nfc_quick};

    use super::*;

    fn of(segments: &[&str]) -> Survey {
        survey(&segments.iter().map(|segment| Some(*segment)).collect())
    }

    fn sighting(count: usize, first: usize) -> Sighting {
        Sighting { count, first: Some(first) }
    }

    #[test]
    fn clean_text_has_no_sightings() {
        assert_eq!(
            of(&["a plain “segment” – €5", "二つ目の文。", "第二句话。"]).zero_width.count,
            0
        );
        assert_eq!(of(&["plain", "ASCII only."]), Survey::default());
    }

    #[test]
    fn controls_are_counted_with_their_first_segment() {
        let found = of(&["a", "b\tc\td", "e\rf", "g\nh\u{2028}i\u{85}j\x0bk\x0cl", "\t"]);
        assert_eq!(found.tabs, sighting(3, 1));
        assert_eq!(found.carriage_returns, sighting(1, 2));
        assert_eq!(found.line_breaks, sighting(5, 3));
    }

    #[test]
    fn only_white_space_is_blank() {
        assert_eq!(of(&["a", "", " \u{3000}\t", "b"]).blank, sighting(2, 1));
        let absent: Segments = [Some("a"), None].into_iter().collect();
        assert_eq!(survey(&absent).blank, Sighting::default());
    }

    #[test]
    fn a_full_stop_after_a_space_at_the_end_is_tokenized() {
        assert_eq!(of(&["a .", "b.", "c . ", " .", "d . e"]).tokenized, sighting(3, 0));
    }

    #[test]
    fn invisible_characters_of_every_kind_count() {
        let kinds = [
            "a\u{ad}b",
            "\u{200e}a",
            "\u{202a}a",
            "a\u{202e}",
            "\u{2066}a",
            "\u{2063}a",
            "\u{e000}a",
            "a\u{f8ff}",
            "a\u{fff9}",
            "a\u{e0041}",
            "a\u{100000}",
        ];
        assert_eq!(of(&kinds).zero_width, sighting(kinds.len(), 0));
        assert_eq!(of(&["שלום\u{200f} x", "\u{200e}سلام"]).zero_width, Sighting::default());
    }

    #[test]
    fn zero_width_characters_count_if_no_script_needs_them() {
        assert_eq!(
            of(&["a\u{200b}b", "c\u{feff}", "d\u{2060}e \u{200d}"]).zero_width,
            sighting(4, 0)
        );
        assert_eq!(of(&["word\u{200c}word"]).zero_width, sighting(1, 0));
    }

    #[test]
    fn zero_width_characters_in_words_or_emoji_do_not_count() {
        let persian = "می\u{200c}خواهم";
        let hindi = "क्\u{200d}ष";
        let family = "👩\u{200d}👩\u{200d}👧";
        let heart = "❤\u{fe0f}\u{200d}🔥";
        let thai = "ภาษา\u{200b}ไทย";
        assert_eq!(of(&[persian, hindi, family, heart, thai]).zero_width, Sighting::default());
    }

    #[test]
    fn normalization_is_counted_by_segment() {
        let segments = ["ASCII", "caf\u{e9}", "cafe\u{301}", "がぎ", "か\u{3099}", "中文"];
        assert_eq!(of(&segments).decomposed, sighting(2, 2));
        assert_eq!(count_composed(&segments.into_iter().map(Some).collect()), 2);
    }

    #[test]
    fn common_letters_are_always_composed() {
        for character in ('\0'..=char::MAX).filter(|&character| is_always_composed(character)) {
            // Unicode calls such characters safe: no mark next to them can change them.
            assert!(matches!(is_nfc_quick(once(character)), IsNormalized::Yes), "{character:?}");
            assert_eq!(canonical_combining_class(character), 0, "{character:?}");
        }
    }

    #[test]
    fn every_decomposed_character_counts() {
        for character in '\0'..=char::MAX {
            let text = format!("a{character}");
            assert_eq!(of(&[&text]).decomposed.count == 0, is_nfc(&text), "{character:?}");
        }
    }
}
