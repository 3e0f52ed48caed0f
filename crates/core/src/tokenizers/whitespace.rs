//! What separates words: the characters that Python's `str.split` splits at.

/// Whether Python counts the character as white space; unlike Rust, that includes U+001C to U+001F.
#[must_use]
pub fn is_whitespace(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, '\t'..='\r' | '\x1c'..='\x1f' | ' ');
    }
    character.is_whitespace()
}

/// The pieces of a line between runs of white space.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_whitespace).filter(|word| !word.is_empty())
}
