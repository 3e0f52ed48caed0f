//! Classes of characters for each tokenizer.

use std::sync::LazyLock;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::cutting::{Class, Classes};
use super::line::is_whitespace;

/// Classes of mteval's default: ASCII punctuation, with periods and commas held by digits.
pub static WESTERN: LazyLock<Classes> = LazyLock::new(|| {
    // Among non-ASCII characters only white space matters, and it begins with one of these bytes.
    Classes::new(western, |byte| !matches!(byte, 0xc2 | 0xe1 | 0xe2 | 0xe3))
});

/// Classes of `WESTERN`, with every character of the Chinese set as a token.
pub static CHINESE: LazyLock<Classes> = LazyLock::new(|| Classes::new(chinese, |_| false));

/// Classes by Unicode category: punctuation held by numbers, and every symbol as a token.
pub static INTERNATIONAL: LazyLock<Classes> =
    LazyLock::new(|| Classes::new(international, |_| false));

/// Classes of `WESTERN`, with Perl's definition of white space.
pub static MTEVAL_WESTERN: LazyLock<Classes> = LazyLock::new(|| {
    Classes::new(mteval_western, |byte| !matches!(byte, 0xc2 | 0xe1 | 0xe2 | 0xe3))
});

/// Classes of `INTERNATIONAL`, with Perl's definition of white space.
pub static MTEVAL_INTERNATIONAL: LazyLock<Classes> =
    LazyLock::new(|| Classes::new(mteval_international, |_| false));

/// Classes of `MTEVAL_INTERNATIONAL`, with every non-ASCII character as a token.
pub static MTEVAL_INTERNATIONAL_E: LazyLock<Classes> =
    LazyLock::new(|| Classes::new(mteval_international_e, |_| false));

pub fn western(character: char) -> Class {
    match character {
        '0'..='9' => Class::Number,
        '.' | ',' => Class::Mark,
        '-' => Class::Hyphen,
        '!'..='&' | '(' | ')' | '*' | '+' | '/' | ':'..='@' | '['..='`' | '{'..='~' => Class::Alone,
        _ if is_whitespace(character) => Class::Space,
        _ => Class::Other,
    }
}

fn chinese(character: char) -> Class {
    if is_chinese(character) { Class::Alone } else { western(character) }
}

fn international(character: char) -> Class {
    if is_whitespace(character) { Class::Space } else { by_category(character) }
}

fn mteval_western(character: char) -> Class {
    // Python counts U+001C to U+001F as white space, Perl does not.
    if matches!(character, '\x1c'..='\x1f') { Class::Other } else { western(character) }
}

fn mteval_international(character: char) -> Class {
    if character.is_whitespace() { Class::Space } else { by_category(character) }
}

fn mteval_international_e(character: char) -> Class {
    match mteval_international(character) {
        Class::Space => Class::Space,
        class if character.is_ascii() => class,
        _ => Class::Alone,
    }
}

fn by_category(character: char) -> Class {
    use GeneralCategory as G;
    match get_general_category(character) {
        G::DecimalNumber | G::LetterNumber | G::OtherNumber => Class::Number,
        G::ConnectorPunctuation
        | G::DashPunctuation
        | G::OpenPunctuation
        | G::ClosePunctuation
        | G::InitialPunctuation
        | G::FinalPunctuation
        | G::OtherPunctuation => Class::Mark,
        G::MathSymbol | G::CurrencySymbol | G::ModifierSymbol | G::OtherSymbol => Class::Alone,
        _ => Class::Other,
    }
}

/// Returns true for the set that sacreBLEU's `zh` really tests, including its mistyped astral range
/// U+2001 to U+2A6D.
fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{2001}'..='\u{2a6d}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{2ff0}'..='\u{303f}'
        | '\u{3100}'..='\u{312f}'
        | '\u{31a0}'..='\u{31ef}'
        | '\u{3200}'..='\u{4db5}'
        | '\u{4e00}'..='\u{9fbb}'
        | '\u{f900}'..='\u{fa2d}'
        | '\u{fa30}'..='\u{fa6a}'
        | '\u{fa70}'..='\u{fad9}'
        | '\u{fe10}'..='\u{fe1f}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}')
        // White space in the set (U+2002 to U+200A, U+2028, U+3000 …) gets spaces around it and
        // vanishes.
        && !is_whitespace(character)
}
