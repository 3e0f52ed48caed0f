//! Preparation of a whole line before tokenization, and the white space between its words.

use std::borrow::Cow;

/// Returns true if Python's `str.split` splits at the character; unlike Rust, Python includes
/// U+001C to U+001F.
#[must_use]
pub fn is_whitespace(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, '\t'..='\r' | '\x1c'..='\x1f' | ' ');
    }
    character.is_whitespace()
}

/// Iterates over the words of a line, separated by runs of white space.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_whitespace).filter(|word| !word.is_empty())
}

/// Returns the line in lower case, by the full Unicode rules (a final capital sigma becomes ς).
#[must_use]
pub fn lowercased(line: &str) -> String {
    if line.is_ascii() { line.to_ascii_lowercase() } else { line.to_lowercase() }
}

/// Prepares a line as sacreBLEU does for its tokenizers: in lower case if `lowercase`, then
/// stripped on the right.
pub(super) fn prepare(line: &str, lowercase: bool) -> Cow<'_, str> {
    if !lowercase {
        return Cow::Borrowed(line.trim_end_matches(is_whitespace));
    }
    let mut line = lowercased(line);
    line.truncate(line.trim_end_matches(is_whitespace).len());
    Cow::Owned(line)
}

/// Applies mteval's first steps: removes `<skipped>` and line breaks and decodes four entities.
pub(super) fn without_markup(line: &str) -> Cow<'_, str> {
    if memchr::memchr3(b'<', b'\n', b'&', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let line = line.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    Cow::Owned(without_entities(line))
}

/// Decodes the four entities one after the other: `&amp;lt;` ends as `<`, `&amp;quot;` as `&quot;`.
pub(super) fn without_entities(line: String) -> String {
    if !line.contains('&') {
        return line;
    }
    line.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
}
