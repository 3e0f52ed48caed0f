//! Examples from mteval's and sacreBLEU's documentation of their tokenizers.

use super::*;

fn tokens(tokenizer: Tokenizer, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokenizer.tokenize(line, false, |token| found.push(token.to_owned()));
    found
}

fn check(tokenizer: Tokenizer, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        let expected: Vec<_> = expected.split(' ').filter(|token| !token.is_empty()).collect();
        assert_eq!(tokens(tokenizer, line), expected, "{tokenizer:?} of {line:?}");
    }
}

#[test]
fn thirteen_a_splits_off_ascii_punctuation_outside_numbers() {
    check(
        Tokenizer::ThirteenA,
        &[
            ("1,000.5", "1,000.5"),
            ("a-b 1-b", "a-b 1 - b"),
            ("2020.", "2020 ."),
            (".5", ". 5"),
            (" ..5", ". .5"),
            ("...", ". . ."),
            ("it's “x”… €5", "it's “x”… €5"),
            ("<skipped>a<skipped>b", "ab"),
            ("&amp;lt; &amp;quot; &apos;", "< & quot ; & apos ;"),
            ("well-\nknown\nword", "wellknown word"),
            ("a\u{a0}b\u{200b}c", "a b\u{200b}c"),
        ],
    );
}

#[test]
fn intl_follows_unicode_categories_and_does_not_pad() {
    check(
        Tokenizer::Intl,
        &[
            ("1,5 1-2 ٣٫١٤", "1,5 1-2 ٣٫١٤"),
            ("a1.", "a1."),
            ("(5)", "(5)"),
            ("it's", "it ' s"),
            ("$5 a+b", "$ 5 a + b"),
            ("«x» 12-year --", "« x » 12 - year - -"),
        ],
    );
}

#[test]
fn zh_isolates_chinese_characters_and_does_not_pad() {
    check(
        Tokenizer::Zh,
        &[
            ("中文abc字", "中 文 abc 字"),
            ("2020.", "2020."),
            (" .5 ", ".5"),
            ("“x”…€", "“ x ” … €"),
            ("-5 カナ", "-5 カナ"),
            ("\u{20000}\u{20001}", "\u{20000}\u{20001}"),
        ],
    );
}

#[test]
fn char_splits_characters_and_none_splits_at_spaces() {
    check(Tokenizer::Char, &[("a b\u{301}", "a b \u{301}")]);
    check(Tokenizer::None, &[("a.b\x1cc\u{3000}d", "a.b c d")]);
}

/// Applies the passes as mteval writes them, one substitution after the other.
fn by_passes(line: &str) -> Vec<String> {
    let digit = |c: char| c.is_ascii_digit();
    let mark = |c: char| c == '.' || c == ',';
    let mut text: Vec<char> = line.chars().collect();
    let mut pass = |rule: &dyn Fn(char, char) -> Option<[char; 4]>| {
        let (mut out, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let pair = text.get(at + 1).and_then(|&next| rule(text[at], next));
            match pair {
                Some(four) => (out.extend(four), at += 2).1,
                None => (out.push(text[at]), at += 1).1,
            }
        }
        text = out;
    };
    pass(&|a, b| (!digit(a) && mark(b)).then_some([a, ' ', b, ' ']));
    pass(&|a, b| (mark(a) && !digit(b)).then_some([' ', a, ' ', b]));
    pass(&|a, b| (digit(a) && b == '-').then_some([a, ' ', b, ' ']));
    text.into_iter().collect::<String>().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn one_scan_equals_the_passes_for_every_short_string() {
    let alphabet = ['a', '5', '.', ',', '-', ' '];
    for length in 0..=6_u32 {
        for mut code in 0..6_usize.pow(length) {
            let mut line = String::new();
            for _ in 0..length {
                line.push(alphabet[code % 6]);
                code /= 6;
            }
            let trimmed = line.trim();
            assert_eq!(tokens(Tokenizer::Zh, &line), by_passes(trimmed), "{line:?}");
            let padded = format!(" {line} ");
            assert_eq!(tokens(Tokenizer::ThirteenA, &line), by_passes(&padded), "{line:?}");
        }
    }
}
