//! The one scanner behind `13a`, `intl`, `zh` and TER's normalisation.
//!
//! mteval writes these tokenizations as passes of substitutions: first "(not a number)(mark) gets
//! spaces around the mark", then "(mark)(not a number)", each pass from left to right and each
//! match consuming two characters. The effect of the passes on a run of marks has a closed form.
//! The first pass frees every second mark: the odd ones if the character before the run is not a
//! number, the even ones if it is. A freed mark is followed by a space, so the second pass frees
//! all the others too, except a last mark that is not free yet and is followed by a number (or by
//! nothing).

/// Role of a character in tokenization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Separates tokens.
    Space,
    /// Always a token.
    Alone,
    /// A token unless numbers hold it, as in `1,000.5`.
    Mark,
    /// Holds marks.
    Number,
    /// A token after a number.
    Hyphen,
    /// A part of a longer token.
    Other,
}

/// The classes of all characters, with a table for characters whose first byte decides.
pub struct Classes {
    /// Class by the first byte, or `None` if the whole character decides.
    by_byte: [Option<Class>; 256],
    /// True for each byte that may be anything but a part of a longer token.
    notable: [bool; 256],
    of: fn(char) -> Class,
}

impl Classes {
    /// Creates classes from `of`. Non-ASCII characters are looked up one by one, unless `plain` is
    /// true for their first byte, which means that they are all `Class::Other`.
    pub fn new(of: fn(char) -> Class, plain: fn(u8) -> bool) -> Self {
        let by_byte = std::array::from_fn(|byte| match u8::try_from(byte) {
            Ok(byte) if byte.is_ascii() => Some(of(char::from(byte))),
            Ok(byte) if plain(byte) => Some(Class::Other),
            _ => None,
        });
        Self { by_byte, notable: by_byte.map(|class| class != Some(Class::Other)), of }
    }

    /// Returns the class of the character at byte `at` and the number of bytes that may be skipped.
    fn class_at(&self, line: &str, at: usize) -> Option<(Class, usize)> {
        match self.by_byte[usize::from(*line.as_bytes().get(at)?)] {
            Some(class) => Some((class, 1)),
            None => line[at..].chars().next().map(|c| ((self.of)(c), c.len_utf8())),
        }
    }
}

/// Finds the bytes of a line that may be anything but a part of a longer token, 64 bytes at a time:
struct Notable<'a> {
    bytes: &'a [u8],
    classes: &'a Classes,
    /// `bits` tells which of the bytes in `start..end` are notable.
    start: usize,
    end: usize,
    bits: u64,
}

impl<'a> Notable<'a> {
    fn new(line: &'a str, classes: &'a Classes) -> Self {
        Self { bytes: line.as_bytes(), classes, start: 0, end: 0, bits: 0 }
    }

    /// Returns the first notable byte from `place` on, or the end of the line; `place` must grow
    /// from call to call.
    fn next(&mut self, mut from: usize) -> usize {
        loop {
            if from < self.end {
                let bits = self.bits >> (from - self.start);
                if bits != 0 {
                    return from + bits.trailing_zeros() as usize;
                }
                from = self.end;
            }
            if from >= self.bytes.len() {
                return self.bytes.len();
            }
            self.fill(from);
        }
    }

    fn fill(&mut self, start: usize) {
        let notable = |byte: &u8| u64::from(self.classes.notable[usize::from(*byte)]);
        let rest = &self.bytes[start..];
        (self.start, self.end) = (start, start + 64);
        self.bits = if let Some(bytes) = rest.first_chunk::<64>() {
            (0..64).fold(0, |bits, place| bits | notable(&bytes[place]) << place)
        } else {
            rest.iter().rev().fold(0, |bits, byte| bits << 1 | notable(byte))
        };
    }
}

/// Neighbours of a line's first and last character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// A space: the mark at the end of `2020.` is free.
    Padded,
    /// Nothing, which holds a mark as a number does: `2020.` stays whole.
    Bare,
}

impl Edges {
    /// Returns true if a neighbour holds a mark; `None` is the end of the line.
    fn hold(self, neighbour: Option<Class>) -> bool {
        neighbour.map_or(self == Self::Bare, |class| class == Class::Number)
    }
}

/// Splits `line` into tokens and calls `visit` with each.
pub fn cut(line: &str, edges: Edges, classes: &Classes, mut visit: impl FnMut(&str)) {
    let mut before = None;
    // Start of the current token.
    let mut token = None;
    // State of the current run of marks: the character before it holds marks; the run is odd so
    // far.
    let (mut held, mut odd) = (false, false);
    let mut notable = Notable::new(line, classes);
    let mut end = 0;
    while let Some((class, length)) = classes.class_at(line, end) {
        let start = end;
        end += length;
        let previous = before.replace(class);
        if class == Class::Other {
            token.get_or_insert(start);
            // Most characters continue a word: skip them before classifying anything else.
            end = notable.next(end);
            continue;
        }
        let joins = match class {
            Class::Other | Class::Number => true,
            Class::Hyphen => previous != Some(Class::Number),
            Class::Mark => {
                if previous == Some(Class::Mark) {
                    odd = !odd;
                } else {
                    (held, odd) = (edges.hold(previous), true);
                }
                let behind = classes.class_at(line, end).map(|(class, _)| class);
                held == odd && edges.hold(behind)
            }
            Class::Space | Class::Alone => false,
        };
        if joins {
            token.get_or_insert(start);
            continue;
        }
        if let Some(from) = token.take() {
            visit(&line[from..start]);
        }
        if class != Class::Space {
            visit(&line[start..end]);
        }
    }
    if let Some(from) = token {
        visit(&line[from..]);
    }
}
