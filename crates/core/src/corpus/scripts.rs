//! Counts of a text's letters by script, to choose how words are split.

use super::Segments;

/// Number of letters of a text in each script; marks that a script writes as letters count as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Letters {
    /// Chinese characters.
    pub han: usize,
    /// Hiragana and katakana.
    pub kana: usize,
    /// Thai.
    pub thai: usize,
    /// Lao.
    pub lao: usize,
    /// Khmer.
    pub khmer: usize,
    /// Myanmar, the script of Burmese and Shan.
    pub myanmar: usize,
    /// Tibetan.
    pub tibetan: usize,
    /// Scripts that put spaces between words.
    pub spaced: usize,
}

/// Counts the letters of a text.
#[must_use]
pub fn letters(text: &Segments) -> Letters {
    let mut found = Letters::default();
    for segment in text.iter().flatten() {
        if segment.is_ascii() {
            found.spaced += segment.bytes().filter(u8::is_ascii_alphabetic).count();
        } else {
            segment.chars().for_each(|character| found.add(character));
        }
    }
    found
}

/// Returns true if a character belongs to a script without spaces between words.
pub(super) fn is_unspaced(character: char) -> bool {
    let mut letters = Letters::default();
    letters.add(character);
    letters.spaced == 0 && letters != Letters::default()
}

impl Letters {
    fn add(&mut self, character: char) {
        let count = match character {
            '\0'..='\u{7f}' => {
                self.spaced += usize::from(character.is_ascii_alphabetic());
                return;
            }
            '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' => &mut self.thai,
            '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}' => &mut self.lao,
            '\u{f40}'..='\u{fbc}' => &mut self.tibetan,
            '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' | '\u{aa60}'..='\u{aa7f}' => {
                &mut self.myanmar
            }
            '\u{1780}'..='\u{17d3}' => &mut self.khmer,
            // The middle dot U+30FB also separates names in Chinese.
            '\u{3041}'..='\u{3096}'
            | '\u{309d}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{30fc}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{ff66}'..='\u{ff9d}' => &mut self.kana,
            '\u{3005}'
            | '\u{3007}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{323af}' => &mut self.han,
            _ if character.is_alphabetic() => &mut self.spaced,
            _ => return,
        };
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(segments: &[&str]) -> Letters {
        letters(&segments.iter().map(|segment| Some(*segment)).collect())
    }

    #[test]
    fn only_letters_are_counted() {
        let expected = Letters { spaced: 11, ..Letters::default() };
        assert_eq!(of(&["The cat, 42.", "été 한국"]), expected);
        assert_eq!(of(&["", "1 + 1 = 2 …。、！"]), Letters::default());
    }

    #[test]
    fn each_script_without_spaces_has_its_own_count() {
        let found = of(&["中文々", "ひらカナー", "ภาษา", "ລາວ", "ខ្មែរ", "မြန်မာ", "བོད"]);
        let counts = [found.han, found.kana, found.thai, found.lao];
        assert_eq!(counts, [3, 5, 4, 3]);
        assert_eq!([found.khmer, found.myanmar, found.tibetan, found.spaced], [5, 6, 3, 0]);
    }

    #[test]
    fn a_middle_dot_is_not_kana() {
        assert_eq!(of(&["约翰・史密斯"]), Letters { han: 5, ..Letters::default() });
    }

    #[test]
    fn an_absent_segment_has_no_letters() {
        let text: Segments = [None, Some("a")].into_iter().collect();
        assert_eq!(letters(&text), Letters { spaced: 1, ..Letters::default() });
    }
}
