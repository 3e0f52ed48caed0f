//! One text of a test set: a sequence of segments in one buffer.

use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The byte-order mark that some editors put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Segments of one text, in order. A segment that is `None` is absent, which is not the same as
/// empty.
#[derive(Debug, Clone, Default)]
pub struct Segments {
    text: String,
    spans: Vec<Option<Range<usize>>>,
    carriage_returns: usize,
    byte_order_mark: bool,
}

/// Range of bytes at which a text is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidUtf8 {
    /// Offset of the first bad byte.
    pub start: usize,
    /// Offset after the bad bytes.
    pub end: usize,
}

/// Counts the lines among the first `lines` of a text and returns the offset after the last of
/// them.
///
/// Only lines that end in a line feed count.
#[must_use]
pub fn line_ends(text: &[u8], lines: usize) -> (usize, usize) {
    let ends = memchr::memchr_iter(b'\n', text).take(lines);
    ends.fold((0, 0), |(count, _), feed| (count + 1, feed + 1))
}

impl Segments {
    /// Splits a file's bytes into segments.
    ///
    /// A segment ends at a line feed and nowhere else: not at a lone carriage return, U+2028, U+0085 or
    /// a form feed. One carriage return in front of the line feed belongs to the line end, and a
    /// byte-order mark in front of the text is removed.
    pub fn from_lines(bytes: Vec<u8>) -> Result<Self, InvalidUtf8> {
        Self::of_lines(bytes, true)
    }

    /// Splits a later part of a file, in which a byte-order mark is an ordinary character.
    pub fn from_further_lines(bytes: Vec<u8>) -> Result<Self, InvalidUtf8> {
        Self::of_lines(bytes, false)
    }

    fn of_lines(bytes: Vec<u8>, is_beginning: bool) -> Result<Self, InvalidUtf8> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let problem = error.utf8_error();
            let start = problem.valid_up_to();
            // A sequence cut off by the end of the text has no error length: it runs to the end.
            let end = problem.error_len().map_or(error.as_bytes().len(), |length| start + length);
            InvalidUtf8 { start, end }
        })?;
        let byte_order_mark = is_beginning && text.starts_with(BYTE_ORDER_MARK);
        let mut start = if byte_order_mark { BYTE_ORDER_MARK.len_utf8() } else { 0 };
        let mut spans = Vec::with_capacity(memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1);
        let mut carriage_returns = 0;
        while start < text.len() {
            let rest = &text.as_bytes()[start..];
            let feed = memchr::memchr(b'\n', rest).map(|length| start + length);
            let mut end = feed.unwrap_or(text.len());
            if feed.is_some() && end > start && text.as_bytes()[end - 1] == b'\r' {
                end -= 1;
                carriage_returns += 1;
            }
            spans.push(Some(start..end));
            start = feed.map_or(text.len(), |feed| feed + 1);
        }
        Ok(Self { text, spans, carriage_returns, byte_order_mark })
    }

    /// Appends a segment.
    pub fn push(&mut self, segment: Option<&str>) {
        self.spans.push(segment.map(|segment| {
            let start = self.text.len();
            self.text.push_str(segment);
            start..self.text.len()
        }));
    }

    /// Returns the number of segments, including absent ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns true if there are no segments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns segment `index`, or `None` if it is absent.
    ///
    /// # Panics
    /// Panics if there is no segment of that index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&str> {
        self.spans[index].clone().map(|span| &self.text[span])
    }

    /// Iterates over all segments in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.spans.iter().map(|span| span.clone().map(|span| &self.text[span]))
    }

    /// Returns the number of line ends that were a carriage return and a line feed.
    #[must_use]
    pub fn carriage_returns(&self) -> usize {
        self.carriage_returns
    }

    /// Returns true if a byte-order mark was removed from the beginning.
    #[must_use]
    pub fn byte_order_mark(&self) -> bool {
        self.byte_order_mark
    }
}

/// The segments of a text from a start index on.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    segments: &'a Segments,
    start: usize,
}

impl<'a> Window<'a> {
    /// Creates the window that begins at segment `start`.
    #[must_use]
    pub fn new(segments: &'a Segments, start: usize) -> Self {
        Self { segments, start }
    }

    /// Returns segment `index` of the window, or `None` if it is absent.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'a str> {
        self.segments.get(self.start + index)
    }
}

impl<'a> FromIterator<Option<&'a str>> for Segments {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(segments: I) -> Self {
        let mut all = Self::default();
        segments.into_iter().for_each(|segment| all.push(segment));
        all
    }
}

/// Two texts are equal if their segments are; their line ends are ignored.
impl PartialEq for Segments {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Segments {}

impl Hash for Segments {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for segment in self.iter() {
            segment.hash(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let segments = Segments::from_lines(text.as_bytes().to_vec()).expect("valid");
        segments.iter().map(|segment| segment.expect("present").to_owned()).collect()
    }

    #[test]
    fn line_ends_counts_lines_up_to_a_limit() {
        assert_eq!(line_ends(b"a\nbc\nd", 5), (2, 5));
        assert_eq!(line_ends(b"a\nbc\nd", 1), (1, 2));
        assert_eq!(line_ends(b"a", 1), (0, 0));
    }

    #[test]
    fn a_byte_order_mark_in_the_middle_of_a_file_stays() {
        let text = "\u{feff}a\nb".as_bytes().to_vec();
        let further = Segments::from_further_lines(text).expect("valid");
        assert_eq!(further.get(0), Some("\u{feff}a"));
        assert!(!further.byte_order_mark());
    }

    #[test]
    fn a_segment_ends_at_a_line_feed_only() {
        assert_eq!(lines("a\u{2028}b\u{85}c\x0cd\re\nf"), ["a\u{2028}b\u{85}c\x0cd\re", "f"]);
    }

    #[test]
    fn the_last_line_feed_ends_the_last_segment() {
        assert_eq!(lines("a\n"), ["a"]);
        assert_eq!(lines("a\n\n"), ["a", ""]);
        assert_eq!(lines("\n"), [""]);
        assert!(lines("").is_empty());
    }

    #[test]
    fn one_carriage_return_belongs_to_the_line_end() {
        let segments = Segments::from_lines(b"a\r\nb\r\r\nc\r".to_vec()).expect("valid");
        let found: Vec<_> = segments.iter().flatten().collect();
        assert_eq!(found, ["a", "b\r", "c\r"]);
        assert_eq!(segments.carriage_returns(), 2);
    }

    #[test]
    fn a_byte_order_mark_is_removed_once_and_in_front_only() {
        let segments =
            Segments::from_lines("\u{feff}a\n\u{feff}b".as_bytes().to_vec()).expect("valid");
        assert!(segments.byte_order_mark());
        assert_eq!(segments.iter().flatten().collect::<Vec<_>>(), ["a", "\u{feff}b"]);
        assert!(lines("\u{feff}").is_empty());
    }

    #[test]
    fn invalid_utf8_is_located() {
        let problem = Segments::from_lines(b"ok\nb\xffd".to_vec()).expect_err("not UTF-8");
        assert_eq!(problem, InvalidUtf8 { start: 4, end: 5 });
        let cut = Segments::from_lines(b"ok\xe2\x82".to_vec()).expect_err("cut off");
        assert_eq!(cut, InvalidUtf8 { start: 2, end: 4 });
    }

    #[test]
    fn an_absent_segment_is_not_empty() {
        let absent: Segments = [Some("a"), None].into_iter().collect();
        let empty: Segments = [Some("a"), Some("")].into_iter().collect();
        assert_ne!(absent, empty);
        assert_eq!(absent.get(1), None);
    }
}
