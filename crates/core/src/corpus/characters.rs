//! Characters and lengths of a text's segments, to find what its partners have not.

use unicode_general_category::{GeneralCategory, get_general_category};

/// A text has a character this many times as often as its partners, to be strange.
pub(super) const RATIO: usize = 5;

/// Shares of segments above which a character is strange. In 140 outputs of nine sets, symbols are
/// in at most 5.9 % of the segments if references hardly have them, symbols in front of a word in 1.8 %,
/// letters in 10.7 %; entities and escapes in less than 0.5 %, except in outputs that are faulty.
const SYMBOLS: f64 = 0.08;
const SYMBOLS_IN_FRONT: f64 = 0.05;
const LETTERS: f64 = 0.12;
const SHAPES: f64 = 0.01;

/// Fewest segments with one character or one length.
const FEWEST: f64 = 5.0;

/// What limits of shares increase by in a text of one segment; in others it falls with the root of
/// their number. Short texts are about one subject, and have its symbols and phrases often.
const MARGIN: f64 = 2.0;

/// Slots of characters: ASCII symbols; ASCII symbols in front of a word; other characters below
/// U+3100; wide and narrow forms; and shapes of several characters.
const IN_FRONT: usize = 0x80;
const WIDE: usize = 0x3180;
const SHAPE: usize = WIDE + 0xf0;
const REPLACEMENT: usize = SHAPE;
const CONTROL: usize = SHAPE + 1;
const QUESTION: usize = SHAPE + 2;
const MIXED: usize = SHAPE + 3;
const ENTITY: usize = SHAPE + 4;
const ESCAPE: usize = SHAPE + 5;
const DOUBLE: usize = SHAPE + 6;
const SLOTS: usize = SHAPE + 7;

/// Longest length of a segment that is counted exactly, in any unit.
const LONGEST: usize = 4095;

/// Share of segments of the greatest length, if a text was cut there.
const CUT: f64 = 0.01;

/// Units of lengths, the smallest length of a cut, and what a cut may lack: a space that was removed
/// later, or a part of a character. Scripts without spaces have few words.
const UNITS: [(&str, usize, usize); 3] = [("characters", 0, 1), ("words", 6, 0), ("bytes", 0, 2)];

/// Number of shorter lengths that have no more segments together than the length of the cut.
const PILE: usize = 3;

/// Scripts by their numbers; the first three have letters that look alike.
const LATIN: usize = 1;
const CYRILLIC: usize = 3;
const HANGUL: usize = 9;
const KANA: usize = 10;
const HAN: usize = 11;

/// Number of segments with a character, number of the last and of the first segment, from 1.
type Slot = [u32; 3];

/// Script and size of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Script of most letters; 0 if there is none.
    pub script: u8,
    /// Number of letters of this script, times three if each stands for several.
    pub letters: u32,
    /// Number of words; of two characters each in scripts without spaces.
    pub words: u32,
    /// Number of characters.
    pub length: u32,
}

impl Shape {
    /// Returns true if most letters belong to a script without spaces, or with few letters a word.
    pub(super) fn is_unspaced(self) -> bool {
        usize::from(self.script) >= HANGUL
    }
}

/// A character or shape that a text has and its partners hardly have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StrangeCharacter {
    slot: usize,
    /// The character, or a description of several.
    pub name: String,
    /// Number of segments.
    pub count: usize,
    /// Number among partners and similar texts.
    pub expected: usize,
    /// Index of the first segment.
    pub first: usize,
}

/// Characters and lengths of a text, added up over its segments.
#[derive(Debug, Clone, Default)]
pub(super) struct Characters {
    /// Counts of each slot; empty before the first segment.
    slots: Vec<Slot>,
    /// Slots with counts, in the order in which they were seen.
    seen: Vec<usize>,
    /// Number of segments by their length, in each unit.
    lengths: [Vec<u32>; UNITS.len()],
    /// Number of segments with text.
    pub(super) segments: usize,
    total: usize,
}

impl Characters {
    /// Counts the characters of segment `number`, from 1.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
    #[inline(always)]
    pub(super) fn add(&mut self, segment: &str, number: usize) -> Shape {
        if self.slots.is_empty() {
            self.slots = vec![[0; 3]; SLOTS];
        }
        let (mut continued, mut spaces, mut has_symbols) = (0_u32, 0_u32, false);
        for &byte in segment.as_bytes() {
            continued += u32::from(byte & 0xc0 == 0x80);
            spaces += u32::from(byte == b' ');
            has_symbols |= is_symbol(byte);
            has_symbols |= byte == b'?';
        }
        let length = segment.len() as u32 - continued;
        let words = if segment.is_empty() { 0 } else { spaces + 1 };
        let mut shape = Shape { script: LATIN as u8, letters: length - spaces, words, length };
        self.total += 1;
        if length > 0 {
            self.segments += 1;
            let lengths = [length as usize, words as usize, segment.len()];
            for (counts, length) in self.lengths.iter_mut().zip(lengths) {
                add_count(counts, LONGEST.min(length), 1);
            }
        }
        if has_symbols || continued > 0 {
            self.scan(segment, number as u32, &mut shape);
        }
        shape
    }

    fn scan(&mut self, segment: &str, number: u32, shape: &mut Shape) {
        let mut letters = [0_u32; HAN + 1];
        let (mut before, mut script_before) = (' ', 0);
        let bytes = segment.as_bytes();
        let mut offset = 0;
        while let Some(&byte) = bytes.get(offset) {
            let (character, script, slot);
            if byte.is_ascii() {
                character = char::from(byte);
                script = if byte.is_ascii_alphabetic() { LATIN } else { 0 };
                let is_counted = is_symbol(byte) || byte == b'?';
                slot = if is_counted { ascii_slot(bytes, offset, before) } else { None };
            } else {
                character = segment[offset..].chars().next().unwrap_or_default();
                script = script_of(character);
                if is_twice_encoded(before, character) {
                    self.count(DOUBLE, number);
                }
                slot = match character as usize {
                    code @ ..0x3100 => Some(code + IN_FRONT),
                    code @ 0xff01..0xffe0 => Some(WIDE + code - 0xff00),
                    0xfffd => Some(REPLACEMENT),
                    _ => None,
                };
            }
            offset += character.len_utf8();
            if let Some(slot) = slot {
                self.count(slot, number);
            }
            if script != script_before
                && script.min(script_before) > 0
                && script.max(script_before) <= CYRILLIC
            {
                self.count(MIXED, number);
            }
            letters[script] += 1;
            (before, script_before) = (character, script);
        }
        shape.words += letters[HANGUL..].iter().sum::<u32>() / 2;
        // Japanese is recognised by kana, as it shares characters with Chinese.
        if letters[KANA] * 10 > letters[HAN] {
            letters[KANA] += std::mem::take(&mut letters[HAN]);
        }
        letters[0] = 0;
        letters[HANGUL..].iter_mut().for_each(|count| *count *= 3);
        let largest = (LATIN..letters.len()).max_by_key(|&script| letters[script]).unwrap_or(LATIN);
        shape.letters = letters[largest];
        let is_most = letters[largest] * 2 > letters.iter().sum();
        shape.script = if is_most { largest as u8 } else { 0 };
    }

    fn count(&mut self, slot: usize, number: u32) {
        let [count, last, first] = &mut self.slots[slot];
        if *last != number {
            *last = number;
            *count += 1;
            if *first == 0 {
                *first = number;
                self.seen.push(slot);
            }
        }
    }

    /// Returns true if nearly all segments have text.
    pub(super) fn is_filled(&self) -> bool {
        self.segments * 10 >= self.total * 9
    }

    /// Adds the counts of the next segments.
    pub(super) fn merge(&mut self, next: Self) {
        if self.slots.is_empty() || next.slots.is_empty() {
            if self.slots.is_empty() {
                *self = next;
            }
            return;
        }
        for &slot in &next.seen {
            let ([count, _, first], other) = (&mut self.slots[slot], next.slots[slot]);
            *count += other[0];
            if *first == 0 {
                *first = other[2];
                self.seen.push(slot);
            }
        }
        for (counts, others) in self.lengths.iter_mut().zip(next.lengths) {
            others.iter().enumerate().for_each(|(length, &other)| add_count(counts, length, other));
        }
        self.segments += next.segments;
        self.total += next.total;
    }

    /// Returns what limits of shares increase by in a text of this length, of which only some
    /// segments may be known.
    pub(super) fn margin(&self, scale: f64) -> f64 {
        MARGIN / (scale * self.segments.max(1) as f64).sqrt()
    }

    /// Returns the character that is far more frequent than in partners, in the largest number of
    /// segments; shapes say more than their characters. `looseness` divides the limits.
    pub(super) fn strange(
        &self,
        partners: &[&Self],
        margin: f64,
        looseness: f64,
    ) -> Option<StrangeCharacter> {
        let mut best: Option<StrangeCharacter> = None;
        for &index in &self.seen {
            let [count, _, first] = self.slots[index];
            let count = count as usize;
            if count < 2 {
                continue;
            }
            let Some(limit) = limit(index) else { continue };
            let share = if limit <= SHAPES { limit } else { limit + margin };
            if (count as f64) < (share * self.segments as f64).max(FEWEST) / looseness {
                continue;
            }
            // Partners may be samples.
            let expected = |text: &&Self| {
                let count = text.slots.get(index).map_or(0, |slot| slot[0] as usize);
                count * self.segments / text.segments.max(1)
            };
            let expected = partners.iter().map(expected).max().unwrap_or(0);
            if count >= RATIO * expected
                && best.as_ref().is_none_or(|best| (count, index) > (best.count, best.slot))
            {
                best = Some(StrangeCharacter {
                    slot: index,
                    name: name_of(index),
                    count,
                    expected,
                    first: first as usize - 1,
                });
            }
        }
        best
    }

    /// Returns the length at which the text was cut, the number of segments of this length and the
    /// unit of the length; `None` unless a partner has longer segments instead.
    pub(super) fn cut(
        &self,
        partner: &Self,
        looseness: f64,
    ) -> Option<(usize, usize, &'static str)> {
        UNITS.into_iter().enumerate().find_map(|(unit, (name, shortest, tolerance))| {
            let (lengths, others) = (&self.lengths[unit], &partner.lengths[unit]);
            let is_length = |longest: &usize| (shortest..LONGEST).contains(longest);
            let longest = lengths.iter().rposition(|&count| count > 0).filter(is_length)?;
            let sum = |counts: &[u32]| counts.iter().sum::<u32>() as usize;
            let start = longest.saturating_sub(tolerance);
            let count = sum(&lengths[start..]);
            // Lengths become rarer towards the longest unless they were cut.
            let before = sum(&lengths[start.saturating_sub(PILE * (tolerance + 1))..start]);
            // Ordinary texts are about as long as each other; the partner may be a sample.
            let longer = others.get(longest * 5 / 4 + 1..).map_or(0, sum);
            let longer = longer * self.segments / partner.segments.max(1);
            let fewest = (CUT * self.segments as f64).max(FEWEST) / looseness;
            (count as f64 >= fewest && longer >= count / 4 && count >= before)
                .then_some((longest, count, name))
        })
    }
}

/// Adds to a count, and makes room for it if need be.
fn add_count(counts: &mut Vec<u32>, index: usize, count: u32) {
    if index >= counts.len() {
        counts.resize(index + 1, 0);
    }
    counts[index] += count;
}

/// Returns true for ASCII controls and for symbols that are rare in prose.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor")]
#[inline(always)]
fn is_symbol(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0e..=0x1f | b'#'..=b'&' | b'*' | b'+' | b'/' | b'<'..=b'>' | b'@'
        | b'['..=b'`' | b'{'..=0x7f)
}

/// Returns the slot of an ASCII character, by the characters around it.
fn ascii_slot(segment: &[u8], offset: usize, before: char) -> Option<usize> {
    let rest = &segment[offset + 1..];
    let next = rest.first().copied().unwrap_or(b' ');
    let is_in_front = next.is_ascii_alphanumeric() || next >= 0x80;
    match segment[offset] {
        b'?' => (before.is_alphabetic() && is_in_front).then_some(QUESTION),
        b'&' if is_entity(rest) => Some(ENTITY),
        b'\\' if next.is_ascii_alphanumeric() || matches!(next, b'"' | b'\'') => Some(ESCAPE),
        0x1b => Some(CONTROL),
        byte if is_symbol(byte) => Some(usize::from(byte) + IN_FRONT * usize::from(is_in_front)),
        _ => None,
    }
}

/// Returns true for two bytes of one letter in UTF-8 that were read as two letters of Latin-1 or
/// Windows-1252.
fn is_twice_encoded(first: char, second: char) -> bool {
    match (first, second) {
        (_, 'ª' | '«' | '·' | 'º' | '»') => false,
        ('\u{c2}'..='\u{f4}', '\u{80}'..='\u{bf}') | ('â', '€') => true,
        ('Ã', second) => !second.is_ascii() && !second.is_alphabetic(),
        _ => false,
    }
}

/// Returns true if bytes continue an entity, such as `amp;` or `#39;`.
fn is_entity(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"#").unwrap_or(rest);
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (2..=8).contains(&length) && name.get(length) == Some(&b';')
}

/// Returns the share of segments above which a slot is strange; `None` if translators choose freely
/// between such characters, as among punctuation and spaces.
fn limit(slot: usize) -> Option<f64> {
    use GeneralCategory as G;
    let character = match slot {
        ..IN_FRONT => return Some(SYMBOLS),
        IN_FRONT..0x100 => return Some(SYMBOLS_IN_FRONT),
        QUESTION | MIXED => return Some(5.0 * SHAPES),
        SHAPE.. => return Some(SHAPES),
        _ => character_of(slot)?,
    };
    match get_general_category(character) {
        G::UppercaseLetter | G::LowercaseLetter | G::TitlecaseLetter | G::DecimalNumber => {
            Some(LETTERS)
        }
        // Kana belong to the style of a writer, unless they are narrow.
        G::OtherLetter | G::ModifierLetter if slot >= WIDE => Some(LETTERS),
        G::Control | G::Unassigned | G::PrivateUse => Some(SHAPES),
        G::MathSymbol | G::OtherSymbol | G::ModifierSymbol => Some(SYMBOLS),
        _ => None,
    }
}

fn character_of(slot: usize) -> Option<char> {
    let code = match slot {
        ..IN_FRONT => slot,
        IN_FRONT..WIDE => slot - IN_FRONT,
        WIDE..SHAPE => slot - WIDE + 0xff00,
        REPLACEMENT => 0xfffd,
        CONTROL => 0x1b,
        _ => return None,
    };
    char::from_u32(code as u32)
}

fn name_of(slot: usize) -> String {
    match slot {
        QUESTION => "a question mark inside a word".to_owned(),
        MIXED => "a word in two alphabets".to_owned(),
        ENTITY => "an entity, such as &amp;".to_owned(),
        ESCAPE => "an escape, such as \\n".to_owned(),
        DOUBLE => "a letter that was encoded twice".to_owned(),
        _ => match character_of(slot) {
            Some(character) if character.is_control() || slot == REPLACEMENT => {
                format!("U+{:04X}", character as u32)
            }
            Some(character) => character.to_string(),
            None => String::new(),
        },
    }
}

/// Returns the number of a letter's script; 0 for other characters.
fn script_of(character: char) -> usize {
    match character {
        'a'..='z' | 'A'..='Z' => LATIN,
        ..'\u{c0}' | '×' | '÷' => 0,
        ..'\u{250}' | '\u{1e00}'..='\u{1eff}' => LATIN,
        '\u{370}'..='\u{3ff}' => 2,
        '\u{400}'..='\u{52f}' => CYRILLIC,
        '\u{590}'..='\u{5ff}' => 4,
        '\u{600}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => 5,
        '\u{900}'..='\u{dff}' => 6,
        '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => 7,
        '\u{530}'..='\u{58f}' | '\u{10a0}'..='\u{10ff}' | '\u{1200}'..='\u{139f}' => 8,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}' => HANGUL,
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fe}' => KANA,
        '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => HAN,
        _ => 0,
    }
}
