//! The one scanner behind `13a`, `intl`, `zh` and TER's normalisation.
//!
//! mteval writes these tokenizations as passes of substitutions: first "(not a number)(mark) gets
//! spaces around the mark", then "(mark)(not a number)", each pass from left to right and each match
//! consuming two characters. What the passes leave can be said of a run of marks at once. Let c stand
//! before the run and d behind it. The first pass frees every second mark: the odd ones when c is not
//! a number, the even ones when it is. A freed mark is followed by a space, so the second pass frees all the
//! others too, except a last one that was not freed yet and has a number (or nothing) behind it.

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

/// What stands beyond the ends of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// A space: a mark at the end of `2020.` is free.
    Padded,
    /// Nothing, which holds a mark like a number does: `2020.` stays whole.
    Bare,
}

/// Cuts `line` into tokens and calls `visit` with each. `classify` gets each character in turn.
pub fn cut(
    line: &str,
    edges: Edges,
    classify: impl Fn(char) -> Class,
    mut visit: impl FnMut(&str),
) {
    // Whether a neighbour holds a mark; `None` is the end of the line.
    let holds = |neighbour: Option<Class>| match neighbour {
        Some(class) => class == Class::Number,
        None => edges == Edges::Bare,
    };
    let mut characters = line.char_indices().map(|(start, c)| (start, c, classify(c))).peekable();
    let mut before = None;
    // Where the token under way began.
    let mut token = None;
    while let Some((start, character, class)) = characters.next() {
        let end = start + character.len_utf8();
        let previous = before.replace(class);
        match class {
            Class::Other | Class::Number => {
                token.get_or_insert(start);
            }
            Class::Hyphen if previous != Some(Class::Number) => {
                token.get_or_insert(start);
            }
            Class::Space => {
                if let Some(from) = token.take() {
                    visit(&line[from..start]);
                }
            }
            Class::Alone | Class::Hyphen => {
                if let Some(from) = token.take() {
                    visit(&line[from..start]);
                }
                visit(&line[start..end]);
            }
            Class::Mark => {
                let (mut last, mut last_end, mut odd) = (start, end, true);
                while let Some(&(next, mark, Class::Mark)) = characters.peek() {
                    // Only the last mark of a run can stay held; this one is not the last.
                    if let Some(from) = token.take() {
                        visit(&line[from..last]);
                    }
                    visit(&line[last..last_end]);
                    (last, last_end, odd) = (next, next + mark.len_utf8(), !odd);
                    characters.next();
                }
                let not_freed = holds(previous) == odd;
                if not_freed && holds(characters.peek().map(|(_, _, class)| *class)) {
                    token.get_or_insert(last);
                } else {
                    if let Some(from) = token.take() {
                        visit(&line[from..last]);
                    }
                    visit(&line[last..last_end]);
                }
            }
        }
    }
    if let Some(from) = token {
        visit(&line[from..]);
    }
}
