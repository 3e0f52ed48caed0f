//! Parses in CoNLL-U: the words of sentences, each with its head and its relation to it, and the
//! segments of a text that sentences belong to.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::ops::Range;

use memchr::memmem;
use rayon::prelude::*;

use super::Window;
use crate::interruption;
use crate::tokenizers::is_whitespace;

/// Number of fields of a word.
const FIELDS: usize = 10;
/// Largest number of digits in the number of a word.
const DIGITS: usize = 18;
/// Number of characters shown before and after the first character that differs from the text.
const EXCERPT: (usize, usize) = (10, 20);

/// Parsed sentences of a CoNLL-U file or of another parser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parses {
    text: String,
    sentences: Vec<Sentence>,
}

/// A parsed sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sentence {
    words: Vec<Place>,
    /// The words as written in the text, without white space; a contraction counts as one word.
    surface: String,
    first_line: Option<usize>,
    segment: Option<usize>,
}

/// Byte ranges of a word's fields in the text, its head and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    form: Range<usize>,
    lemma: Range<usize>,
    label: Range<usize>,
    head: usize,
    /// Line of the word, from 0 at the sentence's first line.
    line: usize,
}

/// A word of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word itself.
    pub form: &'a str,
    /// Lemma of the word; `_` if it has none.
    pub lemma: &'a str,
    /// Relation to the head; `_` if it has none.
    pub label: &'a str,
    /// Number of its head, from 1; 0 is the root.
    pub head: usize,
    /// Line in the file, or `None` if the parse is not from a file.
    pub line: Option<usize>,
}

impl Parses {
    /// Parses sentences of ten fields per word, separated by blank lines.
    ///
    /// Lines of contractions (`1-2`) give the text only, and empty nodes (`1.1`) are left out.
    /// Comments without words are the parse of an empty segment. A text without lines has no
    /// sentences.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text: Cow<'_, str> = match memmem::find(text.as_bytes(), b"\r\n") {
            Some(_) => text.replace("\r\n", "\n").into(),
            None => text.into(),
        };
        let text = text.trim_end_matches('\n').to_owned();
        if text.is_empty() {
            return Ok(Self::default());
        }
        let mut blocks = Vec::new();
        let mut start = 0;
        for end in memmem::find_iter(text.as_bytes(), b"\n\n").chain([text.len()]) {
            blocks.push(Block { start, text: &text[start..end] });
            start = end + 2;
        }
        let read: Vec<_> = blocks
            .par_iter()
            .map(|block| {
                interruption::check();
                let lines = 1 + memchr::memchr_iter(b'\n', block.text.as_bytes()).count();
                (block.sentence(lines), lines + 1)
            })
            .collect();
        let mut sentences = Vec::with_capacity(read.len());
        let mut lines = 0;
        for (sentence, length) in read {
            let shift_line = |line: &mut Option<usize>| *line = line.map(|line| line + lines);
            let mut sentence = sentence.map_err(|mut error| {
                shift_line(&mut error.line);
                error
            })?;
            shift_line(&mut sentence.first_line);
            sentences.push(sentence);
            lines += length;
        }
        Ok(Self { text, sentences })
    }

    /// Builds one sentence per segment from words of another parser; their lines are ignored.
    pub fn of_words<'a, W>(segments: impl IntoIterator<Item = W>) -> Self
    where
        W: IntoIterator<Item = Word<'a>>,
    {
        let mut text = String::new();
        let mut add = |part: &str| {
            let start = text.len();
            text.push_str(part);
            start..text.len()
        };
        let sentences = segments
            .into_iter()
            .map(|words| {
                let words = words.into_iter().map(|word| Place {
                    form: add(word.form),
                    lemma: add(word.lemma),
                    label: add(word.label),
                    head: word.head,
                    line: 0,
                });
                Sentence { words: words.collect(), ..Sentence::default() }
            })
            .collect();
        Self { text, sentences }
    }

    /// Returns the number of sentences.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Returns true if there are no sentences.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Iterates over the words of a sentence.
    ///
    /// # Panics
    /// Panics if there is no sentence of that index.
    pub fn words(&self, sentence: usize) -> impl Iterator<Item = Word<'_>> {
        let sentence = &self.sentences[sentence];
        sentence.words.iter().map(|word| Word {
            form: &self.text[word.form.clone()],
            lemma: &self.text[word.lemma.clone()],
            label: &self.text[word.label.clone()],
            head: word.head,
            line: sentence.first_line.map(|first| first + word.line),
        })
    }

    /// Returns the indices of the sentences of each segment of a text.
    ///
    /// If a comment names the segment of the first sentence, every sentence must have such a
    /// comment, and segments may have several sentences or none. Otherwise each segment has one
    /// sentence, in order.
    ///
    /// # Errors
    /// Returns the place at which the file does not fit the text, which is called `name`.
    pub fn by_segment(&self, segments: usize, name: &str) -> Result<Vec<Vec<usize>>, Malformed> {
        let numbered = self.sentences.first().is_some_and(|first| first.segment.is_some());
        if !numbered && self.len() != segments {
            let problem = Problem::Unpaired { sentences: self.len(), segments };
            return Err(Malformed { line: None, problem });
        }
        let mut by_segment = vec![Vec::new(); segments];
        for (index, sentence) in self.sentences.iter().enumerate() {
            let error = |problem| Malformed { line: sentence.first_line, problem };
            match sentence.segment {
                None if numbered => return Err(error(Problem::NoSegment)),
                None => by_segment[index].push(index),
                Some(number) if !numbered => return Err(error(Problem::Segment(number))),
                Some(number) if number > segments => {
                    let text = name.to_owned();
                    return Err(error(Problem::NoSuchSegment { number, segments, text }));
                }
                Some(number) => by_segment[number - 1].push(index),
            }
        }
        Ok(by_segment)
    }

    /// Checks that segments consist of the words of their parses.
    ///
    /// White space is ignored, and an absent segment has no words to compare.
    ///
    /// # Errors
    /// Names the first segment of the text, called `name`, whose words differ.
    pub fn check_words(
        &self,
        by_segment: &[Vec<usize>],
        text: Window<'_>,
        name: &str,
    ) -> Result<(), Malformed> {
        let differs = |index: &usize| {
            interruption::check();
            text.get(*index).is_some_and(|segment| {
                let words = by_segment[*index].iter().flat_map(|&at| self.surface(at).chars());
                !words.eq(segment.chars().filter(|&c| !is_whitespace(c)))
            })
        };
        let Some(index) = (0..by_segment.len()).into_par_iter().find_first(differs) else {
            return Ok(());
        };
        let words: Vec<char> =
            by_segment[index].iter().flat_map(|&at| self.surface(at).chars()).collect();
        let segment = text.get(index).unwrap_or_default();
        let expected: Vec<char> = segment.chars().filter(|&c| !is_whitespace(c)).collect();
        let same = words.iter().zip(&expected).take_while(|(word, other)| word == other).count();
        let shown = |text: &[char]| {
            let (before, after) = EXCERPT;
            text.iter().take(same + after).skip(same.saturating_sub(before)).collect()
        };
        let line = by_segment[index].first().and_then(|&at| self.sentences[at].first_line);
        let problem = Problem::OtherWords {
            segment: index + 1,
            text: name.to_owned(),
            found: shown(&words),
            expected: shown(&expected),
        };
        Err(Malformed { line, problem })
    }

    fn surface(&self, sentence: usize) -> &str {
        &self.sentences[sentence].surface
    }
}

/// The lines of one sentence, counted from its first line.
struct Block<'a> {
    start: usize,
    text: &'a str,
}

/// A word's line, split into its fields.
struct Row<'a> {
    line: usize,
    fields: [&'a str; FIELDS],
}

impl Block<'_> {
    fn sentence(&self, lines: usize) -> Result<Sentence, Malformed> {
        if self.text.is_empty() || self.text.starts_with('\n') {
            return Err(Malformed::at(1, Problem::SecondBlankLine));
        }
        let mut segment = None;
        let mut rows = Vec::with_capacity(lines);
        for (line, text) in (1..).zip(self.text.split('\n')) {
            if rows.is_empty() && text.starts_with('#') {
                if let Some(number) = segment_comment(text) {
                    segment = Some(segment_number(number, line)?);
                }
                continue;
            }
            rows.push(
                fields(text)
                    .map(|fields| Row { line, fields })
                    .map_err(|count| Malformed::at(line, Problem::Fields(count)))?,
            );
        }
        let mut sentence = Sentence { first_line: Some(1), segment, ..Sentence::default() };
        let Some(first) = rows.first() else { return Ok(sentence) };
        sentence.words.reserve(rows.len());
        sentence.surface.reserve(4 * rows.len());
        self.read_words(&rows, &mut sentence)?;
        if sentence.words.is_empty() {
            return Err(Malformed::at(first.line, Problem::NoWords));
        }
        read_heads(&rows, &mut sentence.words)?;
        Ok(sentence)
    }

    /// Reads the words without their heads, which may be words that come later.
    fn read_words(&self, rows: &[Row<'_>], sentence: &mut Sentence) -> Result<(), Malformed> {
        let (mut covered, mut last) = (0, 0);
        for row in rows {
            let [number, form, ..] = row.fields;
            let expected = sentence.words.len() + 1;
            let error = |problem| Malformed::at(row.line, problem);
            if is_number(number, expected) {
                let place = |field: usize| self.range(row.fields[field]);
                sentence.words.push(Place {
                    form: place(1),
                    lemma: place(2),
                    label: place(7),
                    head: 0,
                    line: row.line - 1,
                });
                if expected <= covered {
                    last = row.line;
                    continue;
                }
            } else if let Some((start, end)) = span(number) {
                if start != expected || end < start || start <= covered {
                    let found = number.to_owned();
                    return Err(error(Problem::Span { found, from: expected }));
                }
                covered = end;
            } else if is_empty_node(number) {
                last = row.line;
                continue;
            } else {
                let found = number.to_owned();
                return Err(error(Problem::WordNumber { found, expected }));
            }
            push_bare(&mut sentence.surface, form);
            last = row.line;
        }
        let count = sentence.words.len();
        if covered > count {
            let problem = Problem::TooFewWords { found: count, expected: covered };
            return Err(Malformed::at(last, problem));
        }
        Ok(())
    }

    /// Returns the byte range of a field in the whole text.
    fn range(&self, field: &str) -> Range<usize> {
        let start = self.start + (field.as_ptr() as usize - self.text.as_ptr() as usize);
        start..start + field.len()
    }
}

fn read_heads(rows: &[Row<'_>], words: &mut [Place]) -> Result<(), Malformed> {
    let count = words.len();
    let numbered = rows.iter().filter(|row| row.fields[0].bytes().all(|b| b.is_ascii_digit()));
    for (place, (word, row)) in (1..).zip(words.iter_mut().zip(numbered)) {
        let head = row.fields[6];
        match whole_number(head) {
            Some(number) if number <= count && number != place => word.head = number,
            _ => {
                let problem = Problem::Head { found: head.to_owned(), words: count };
                return Err(Malformed::at(row.line, problem));
            }
        }
    }
    Ok(())
}

/// Splits a line into ten fields, or returns the number of fields if it differs from ten.
fn fields(line: &str) -> Result<[&str; FIELDS], usize> {
    let mut fields = [""; FIELDS];
    let (mut count, mut start) = (0, 0);
    // Fields are short: checking every byte is faster than calling a search for each tab.
    for (end, _) in line.bytes().enumerate().filter(|&(_, byte)| byte == b'\t') {
        if let Some(field) = fields.get_mut(count) {
            *field = &line[start..end];
        }
        (count, start) = (count + 1, end + 1);
    }
    if count + 1 != FIELDS {
        return Err(count + 1);
    }
    fields[count] = &line[start..];
    Ok(fields)
}

/// Appends a word without its white space.
fn push_bare(text: &mut String, word: &str) {
    if word.bytes().all(|byte| byte.is_ascii_graphic()) {
        text.push_str(word);
    } else {
        text.extend(word.chars().filter(|&c| !is_whitespace(c)));
    }
}

/// Returns the value of a comment `# segment =` or `# seg =`.
fn segment_comment(line: &str) -> Option<&str> {
    let key = line.strip_prefix('#')?.trim_start_matches(is_whitespace).strip_prefix("seg")?;
    let key = key.strip_prefix("ment").unwrap_or(key);
    let number = key.trim_start_matches(is_whitespace).strip_prefix('=')?;
    Some(number.trim_matches(is_whitespace))
}

fn segment_number(number: &str, line: usize) -> Result<usize, Malformed> {
    match whole_number(number) {
        Some(number @ 1..) => Ok(number),
        _ => Err(Malformed::at(line, Problem::SegmentNumber(number.to_owned()))),
    }
}

fn whole_number(digits: &str) -> Option<usize> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && digits.len() <= DIGITS { digits.parse().ok() } else { None }
}

/// Returns true if `digits` is the decimal form of `number`, without leading zeros.
fn is_number(digits: &str, number: usize) -> bool {
    !digits.starts_with('0') && whole_number(digits) == Some(number)
}

/// Parses the first and last word number of a contraction.
fn span(number: &str) -> Option<(usize, usize)> {
    let (start, end) = number.split_once('-')?;
    if start.starts_with('0') || end.starts_with('0') {
        return None;
    }
    Some((whole_number(start)?, whole_number(end)?))
}

fn is_empty_node(number: &str) -> bool {
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    number
        .split_once('.')
        .is_some_and(|(word, node)| are_digits(word) && are_digits(node) && !node.starts_with('0'))
}

/// A CoNLL-U file that is malformed or does not fit its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Line of the file, from 1, or `None` if the problem is not in one line.
    pub line: Option<usize>,
    /// The problem.
    pub problem: Problem,
}

impl Malformed {
    fn at(line: usize, problem: Problem) -> Self {
        Self { line: Some(line), problem }
    }
}

/// Problem of a parse.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "`found` and `expected` say what they mean")]
pub enum Problem {
    SecondBlankLine,
    Fields(usize),
    WordNumber { found: String, expected: usize },
    Span { found: String, from: usize },
    TooFewWords { found: usize, expected: usize },
    NoWords,
    Head { found: String, words: usize },
    SegmentNumber(String),
    Segment(usize),
    NoSegment,
    NoSuchSegment { number: usize, segments: usize, text: String },
    Unpaired { sentences: usize, segments: usize },
    OtherWords { segment: usize, text: String, found: String, expected: String },
    NoLemma(String),
    NoLabel(String),
}

impl Problem {
    /// Describes what the file has; `quote` formats quoted text.
    pub fn found(&self, quote: impl Fn(&str) -> String) -> String {
        match self {
            Self::SecondBlankLine => "a second blank line".to_owned(),
            Self::Fields(1) => "1 field".to_owned(),
            Self::Fields(count) => format!("{count} fields"),
            Self::WordNumber { found, .. } => format!("the word number {}", quote(found)),
            Self::Span { found, .. } => format!("the words {found}"),
            Self::TooFewWords { found, .. } => format!("words up to {found}"),
            Self::NoWords => "no words".to_owned(),
            Self::Head { found, .. } => format!("the head {}", quote(found)),
            Self::SegmentNumber(found) => format!("the segment {}", quote(found)),
            Self::Segment(number) | Self::NoSuchSegment { number, .. } => {
                format!("segment {number}")
            }
            Self::NoSegment => "a sentence without segment".to_owned(),
            Self::Unpaired { sentences, .. } => format!("{sentences} sentences"),
            Self::OtherWords { segment, text, found, .. } => {
                let words = quote(found);
                format!("words that are not those of segment {segment} of {text}: {words}")
            }
            Self::NoLemma(word) => format!("no lemma of {}", quote(word)),
            Self::NoLabel(word) => format!("no relation of {}", quote(word)),
        }
    }

    /// Describes what was expected instead; `quote` formats quoted text.
    pub fn expected(&self, quote: impl Fn(&str) -> String) -> String {
        match self {
            Self::SecondBlankLine => {
                "a sentence; write that of an empty segment as a comment".to_owned()
            }
            Self::Fields(_) => format!("{FIELDS}, with tabs between them"),
            Self::WordNumber { expected, .. } => expected.to_string(),
            Self::Span { from, .. } => format!("words from {from} on"),
            Self::TooFewWords { expected, .. } => format!("{expected} of them"),
            Self::NoWords => "at least one".to_owned(),
            Self::Head { words, .. } => {
                format!("another word's number up to {words}, or 0 for the root")
            }
            Self::SegmentNumber(_) => "a number from 1 up".to_owned(),
            Self::Segment(_) => "no number, as above".to_owned(),
            Self::NoSegment => "'# segment = …' above it".to_owned(),
            Self::NoSuchSegment { segments, text, .. } => {
                format!("at most {segments}, as {text} has")
            }
            Self::Unpaired { segments, .. } => segments.to_string(),
            Self::OtherWords { expected, .. } => {
                format!("{}; check_text=no takes them as they are", quote(expected))
            }
            Self::NoLemma(_) => "one; word=form compares the words themselves".to_owned(),
            Self::NoLabel(_) => "one; labelled=no counts them without".to_owned(),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = |text: &str| format!("{text:?}");
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        let problem = &self.problem;
        write!(formatter, "found {}, expected {}", problem.found(quote), problem.expected(quote))
    }
}

impl Error for Malformed {}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::corpus::Segments;

    /// Expands lines `id form lemma head label` to CoNLL-U; other lines stay as they are.
    pub fn conllu(text: &str) -> String {
        let mut lines = Vec::new();
        for line in text.split('\n') {
            let fields: Vec<_> = line.split(' ').collect();
            match fields[..] {
                [number, form, lemma, head, label] if !line.starts_with('#') => {
                    let row = [number, form, lemma, "X", "_", "_", head, label, "_", "_"];
                    lines.push(row.join("\t"));
                }
                _ => lines.push(line.to_owned()),
            }
        }
        lines.join("\n")
    }

    fn read(text: &str) -> Parses {
        Parses::read(&conllu(text)).expect("CoNLL-U")
    }

    fn error_message(text: &str) -> String {
        Parses::read(&conllu(text)).expect_err("no CoNLL-U").to_string()
    }

    const PLAIN: &str = "# text = I am\n1 I I 2 nsubj\n2 am be 0 root\n";
    const CONTRACTED: &str = "1-2 zum _ _ _\n1 zu zu 3 case\n2 dem der 3 det\n3 Haus Haus 0 root\n\
                              3.1 ist _ _ _\n4 . . 3 punct\n";

    #[test]
    fn words_have_heads_relations_and_lines() {
        let parses = read(PLAIN);
        let words: Vec<_> = parses.words(0).collect();
        let first = Word { form: "I", lemma: "I", label: "nsubj", head: 2, line: Some(2) };
        let second = Word { form: "am", lemma: "be", label: "root", head: 0, line: Some(3) };
        assert_eq!(words, [first, second]);
        assert_eq!(parses.surface(0), "Iam");
    }

    #[test]
    fn contractions_give_the_text_and_empty_nodes_are_ignored() {
        let parses = read(&format!("{PLAIN}\n{CONTRACTED}"));
        let words: Vec<_> = parses.words(1).map(|word| (word.form, word.head, word.line)).collect();
        let lines = [("zu", 3, 6), ("dem", 3, 7), ("Haus", 0, 8), (".", 3, 10)];
        assert_eq!(words, lines.map(|(form, head, line)| (form, head, Some(line))));
        assert_eq!(parses.surface(1), "zumHaus.");
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_change_nothing() {
        let text = conllu(&format!("{PLAIN}\n{CONTRACTED}"));
        let plain = Parses::read(&text).expect("CoNLL-U");
        for other in [text.replace('\n', "\r\n"), format!("\u{feff}{text}\n\n"), text + "\n"] {
            assert_eq!(Parses::read(&other).as_ref(), Ok(&plain));
        }
        assert!(Parses::read("\n\n").is_ok_and(|parses| parses.is_empty()));
    }

    #[test]
    fn errors_name_the_line_and_the_problem() {
        for (text, message) in [
            ("1 a a 0 root\n2 b b\n", "line 2: found 1 field, expected 10, with tabs between them"),
            ("1 a a 0 root\n3 b b 1 dep\n", "line 2: found the word number \"3\", expected 2"),
            ("01 a a 0 root\n", "line 1: found the word number \"01\", expected 1"),
            ("1.0 a a 0 root\n", "line 1: found the word number \"1.0\", expected 1"),
            (
                "1-3 x _ _ _\n1 a a 0 root\n2 b b 1 d\n",
                "line 3: found words up to 2, expected 3 of them",
            ),
            (
                "2-3 x _ _ _\n1 a a 0 root\n",
                "line 1: found the words 2-3, expected words from 1 on",
            ),
            ("1.1 a a _ _\n", "line 1: found no words, expected at least one"),
            (
                "\n1 a a 0 root",
                "line 1: found a second blank line, expected a sentence; write that \
              of an empty segment as a comment",
            ),
            (
                "# seg =0\n1 a a 0 root",
                "line 1: found the segment \"0\", expected a number from 1 up",
            ),
        ] {
            assert_eq!(error_message(text), message, "{text}");
        }
        let later = error_message(&format!("{PLAIN}\n# more\n1 a a 0 root\n2 b b x dep\n"));
        assert!(later.starts_with("line 7: found the head \"x\", expected another word's number"));
        for head in ["2", "1", "", "-1", "1234567890123456789"] {
            assert!(error_message(&format!("1 a a {head} dep")).contains("the head"), "{head}");
        }
    }

    #[test]
    fn the_first_of_several_problems_is_reported() {
        let blocks: Vec<_> = (0..300).map(|_| "1 a a 7 dep\n").collect();
        assert!(error_message(&blocks.join("\n")).starts_with("line 1: "));
    }

    #[test]
    fn comments_assign_sentences_to_segments() {
        let text = format!("# segment = 3\n{PLAIN}\n# seg = 1\n{PLAIN}\n#segment=3\n{CONTRACTED}");
        let found = read(&text).by_segment(4, "x");
        assert_eq!(found, Ok(vec![vec![1], vec![], vec![0, 2], vec![]]));
        let problem = read(&text).by_segment(2, "x").expect_err("no third segment");
        assert_eq!(problem.to_string(), "line 1: found segment 3, expected at most 2, as x has");
        let problem = read(&format!("{PLAIN}\n# seg = 2\n{PLAIN}")).by_segment(2, "x");
        assert_eq!(problem, Err(Malformed::at(5, Problem::Segment(2))));
        let problem = read(&format!("# seg = 2\n{PLAIN}\n{PLAIN}")).by_segment(2, "x");
        assert_eq!(problem, Err(Malformed::at(6, Problem::NoSegment)));
        let problem = Problem::Unpaired { sentences: 1, segments: 2 };
        let found = read(PLAIN).by_segment(2, "x");
        assert_eq!(found, Err(Malformed { line: None, problem }));
    }

    #[test]
    fn words_are_compared_with_the_text_ignoring_white_space() {
        let parses = read(&format!("{PLAIN}\n{CONTRACTED}\n# text =\n"));
        let by_segment = parses.by_segment(3, "x").expect("one each");
        let check = |texts: [Option<&str>; 3]| {
            let text: Segments = texts.into_iter().collect();
            parses.check_words(&by_segment, Window::new(&text, 0), "x")
        };
        assert_eq!(check([Some(" I\u{a0}am"), Some("zum Haus ."), Some("")]), Ok(()));
        assert_eq!(check([None, Some("zumHaus."), None]), Ok(()));
        let error_message =
            check([Some("I am"), Some("zu dem Haus."), Some("")]).expect_err("others");
        let message = "line 5: found words that are not those of segment 2 of x: \"zumHaus.\", \
                       expected \"zudemHaus.\"; check_text=no takes them as they are";
        assert_eq!(error_message.to_string(), message);
    }
}
