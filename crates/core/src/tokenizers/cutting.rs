//! The one scanner behind `13a`, `intl`, `zh` and TER's normalisation.
//!
//! mteval writes these tokenizations as passes of substitutions: first "(not a number)(mark) gets
//! spaces around the mark", then "(mark)(not a number)", each pass from left to right and each match
//! consuming two characters. What the passes leave of a run of marks can be said at once. The first
//! pass frees every second mark: the odd ones when what stands before the run is not a number, the
//! even ones when it is. A freed mark is followed by a space, so the second pass frees all the others
//! too, except a last one that was not freed yet and has a number (or nothing) behind it.

/// What a character means to the scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Separates tokens.
    Space,
    /// Always a token of its own.
    Alone,
    /// A token of its own unless numbers hold it, as in `1,000.5`.
    Mark,
    /// Holds marks.
    Number,
    /// A token of its own behind a number.
    Hyphen,
    /// A part of a longer token.
    Other,
}

/// The classes of all characters, with a table for those that one byte decides.
pub struct Classes {
    /// By the first byte; `None` where the whole character must be looked at.
    by_byte: [Option<Class>; 256],
    /// Whether a byte may be anything but a part of a longer token.
    notable: [bool; 256],
    of: fn(char) -> Class,
}

impl Classes {
    /// Classes by `of`. Characters that begin with a byte from 0x80 on are looked at one by one,
    /// unless `plain` says of that byte that all of them are `Class::Other`.
    pub fn new(of: fn(char) -> Class, plain: fn(u8) -> bool) -> Self {
        let by_byte = std::array::from_fn(|byte| match u8::try_from(byte) {
            Ok(byte) if byte.is_ascii() => Some(of(char::from(byte))),
            Ok(byte) if plain(byte) => Some(Class::Other),
            _ => None,
        });
        Self { by_byte, notable: by_byte.map(|class| class != Some(Class::Other)), of }
    }

    /// The class of the character at `at` and how many bytes it is safe to go on.
    fn look(&self, line: &str, at: usize) -> Option<(Class, usize)> {
        match self.by_byte[usize::from(*line.as_bytes().get(at)?)] {
            Some(class) => Some((class, 1)),
            None => line[at..].chars().next().map(|c| ((self.of)(c), c.len_utf8())),
        }
    }
}

/// Finds the bytes of a line that may be anything but a part of a longer token, 64 bytes at a time: a loop that
/// ends where a word does takes longer than looking at bytes in vain.
struct Notable<'a> {
    bytes: &'a [u8],
    classes: &'a Classes,
    /// Which of the bytes from here to there are notable.
    start: usize,
    end: usize,
    bits: u64,
}

impl<'a> Notable<'a> {
    fn new(line: &'a str, classes: &'a Classes) -> Self {
        Self { bytes: line.as_bytes(), classes, start: 0, end: 0, bits: 0 }
    }

    /// The first one at a place or behind it, which is behind all places asked for before; the end of the line
    /// where there is none.
    fn next(&mut self, mut place: usize) -> usize {
        loop {
            if place < self.end {
                let bits = self.bits >> (place - self.start);
                if bits != 0 {
                    return place + bits.trailing_zeros() as usize;
                }
                place = self.end;
            }
            if place >= self.bytes.len() {
                return self.bytes.len();
            }
            self.look(place);
        }
    }

    fn look(&mut self, start: usize) {
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

/// What stands beyond the ends of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// A space: a mark at the end of `2020.` is free.
    Padded,
    /// Nothing, which holds a mark like a number does: `2020.` stays whole.
    Bare,
}

impl Edges {
    /// Whether a neighbour holds a mark; `None` is the end of the line.
    fn hold(self, neighbour: Option<Class>) -> bool {
        neighbour.map_or(self == Self::Bare, |class| class == Class::Number)
    }
}

/// Cuts `line` into tokens and calls `visit` with each.
pub fn cut(line: &str, edges: Edges, classes: &Classes, mut visit: impl FnMut(&str)) {
    let mut before = None;
    // Where the token under way began.
    let mut token = None;
    // Of the run of marks under way: what stands before it holds marks; it is odd so far.
    let (mut held, mut odd) = (false, false);
    let mut notable = Notable::new(line, classes);
    let mut end = 0;
    while let Some((class, length)) = classes.look(line, end) {
        let start = end;
        end += length;
        let previous = before.replace(class);
        if class == Class::Other {
            token.get_or_insert(start);
            // Most characters continue a word: run through them before asking anything else.
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
                let behind = classes.look(line, end).map(|(class, _)| class);
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
