//! Tokenizers and counters on strange texts, with fixed seeds: no panic, and properties of any
//! text.

use truebleu_core::corpus::Segments;
use truebleu_core::metrics::bleu::{Bleu, BleuCounts};
use truebleu_core::metrics::chrf::Chrf;
use truebleu_core::metrics::gtm::Gtm;
use truebleu_core::metrics::mbleu::Mbleu;
use truebleu_core::metrics::nist::Nist;
use truebleu_core::metrics::per::Per;
use truebleu_core::metrics::ter::Ter;
use truebleu_core::metrics::wer::Wer;
use truebleu_core::metrics::words::{WordMetric, Words};
use truebleu_core::metrics::{Metric, count, sum_rows};
use truebleu_core::resampling::{Purpose, Stream};
use truebleu_core::tokenizers::Tokenizer;

const SEED: u64 = 16;
const CASES: u64 = 400;
/// Pieces that some rule is about: white space of all kinds, marks between numbers, entities, scripts.
#[rustfmt::skip]
const PIECES: [&str; 64] = [
    " ", "\t", "\r", "\n", "\u{b}", "\u{c}", "\u{1c}", "\u{85}", "\u{a0}", "\u{2028}", "\u{3000}", "a", "B",
    "the", "cat", "1", "2", ".", ",", "-", "'", "\"", "$", "€", "%", "&", ";", "<", ">", "|", "_", "@",
    "&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&#60;", "<skipped>", "-\n", "é", "e\u{301}", "ß", "İ", "Σ",
    "ς", "ﬁ", "中", "文", "。", "か", "ナ", "ー", "한", "ก", "ا", "א", "😀", "\u{1f1e6}\u{1f1e9}", "\u{200b}",
    "\u{200d}", "\u{202e}", "\u{feff}", "\u{10ffff}",
];

fn strange_text(draws: &mut Stream) -> String {
    let length = draws.below(30);
    (0..length).map(|_| PIECES[draws.below(64) as usize]).collect()
}

fn texts(case: u64) -> (Segments, Segments) {
    let mut draws = Stream::new(SEED, Purpose::Bootstrap, case);
    let mut text = || -> Vec<String> { (0..3).map(|_| strange_text(&mut draws)).collect() };
    let (outputs, references) = (text(), text());
    (segments(&outputs), segments(&references))
}

fn segments(lines: &[String]) -> Segments {
    lines.iter().map(|line| Some(line.as_str())).collect()
}

fn tokens(tokenizer: Tokenizer, line: &str, lowercase: bool) -> Vec<String> {
    let mut found = Vec::new();
    tokenizer.tokenize(line, lowercase, |token| found.push(token.to_owned()));
    found
}

#[test]
fn tokens_are_parts_of_the_text_without_white_space() {
    for case in 0..CASES {
        let mut draws = Stream::new(SEED, Purpose::Bootstrap, case);
        let line = strange_text(&mut draws);
        for (name, tokenizer) in Tokenizer::ALL {
            let found = tokens(tokenizer, &line, false);
            assert_eq!(found, tokens(tokenizer, &line, false), "{name} {line:?}");
            for (place, token) in found.iter().enumerate() {
                assert!(!token.contains([' ', '\t', '\r', '\n']), "{name} {line:?} {token:?}");
                // Only mteval's own international rule has an empty word, and only in front.
                let empty = place == 0 && name.starts_with("mteval-intl");
                assert!(!token.is_empty() || empty, "{name} {line:?}");
            }
            // Cutting adds no letter, and loses none but those of markup.
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            let kept: usize = found.iter().map(|token| letters(token)).sum();
            assert!(kept <= letters(&line), "{name} {line:?}");
            if !line.contains(['&', '<']) {
                assert_eq!(kept, letters(&line), "{name} {line:?}");
            }
        }
    }
}

fn words<C>(comparison: C) -> WordMetric<C> {
    WordMetric { words: Words { tokenizer: Tokenizer::ThirteenA, lowercase: false }, comparison }
}

fn metrics() -> Vec<Box<dyn Metric>> {
    let mut all: Vec<Box<dyn Metric>> = vec![
        Box::new(Chrf::default()),
        Box::new(Ter::default()),
        Box::new(Nist::default()),
        Box::new(Mbleu::default()),
        Box::new(words(Wer)),
        Box::new(words(Per)),
        Box::new(words(Gtm { exponent: 2.0 })),
    ];
    for (_, tokenizer) in Tokenizer::ALL {
        let counts = BleuCounts { tokenizer, ..BleuCounts::default() };
        all.push(Box::new(Bleu { counts, ..Bleu::default() }));
    }
    all
}

#[test]
fn counts_are_finite_and_add_up_whatever_the_text() -> Result<(), Box<dyn std::error::Error>> {
    for case in 0..CASES {
        let (output, reference) = texts(case);
        for metric in metrics() {
            let rows = count(metric.as_ref(), &[&output], &[&reference])?;
            assert_eq!(rows.len(), 3 * metric.width());
            assert!(
                rows.iter().all(|count| count.is_finite() && *count >= 0.0),
                "{case} {metric:?}"
            );
            let score = metric.score(&sum_rows(&rows, metric.width()))?;
            assert!(score.is_finite() && score >= 0.0, "{case} {metric:?} {score}");
            // A text against itself next to another reference is still a perfect match of itself.
            let both = count(metric.as_ref(), &[&output], &[&output, &reference])?;
            assert!(
                both.iter().all(|count| count.is_finite() && *count >= 0.0),
                "{case} {metric:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn matches_are_never_more_than_words() -> Result<(), Box<dyn std::error::Error>> {
    let bleu = Bleu::default();
    for case in 0..CASES {
        let (output, reference) = texts(case);
        for row in count(&bleu, &[&output], &[&reference])?.chunks(bleu.width()) {
            let (matches, totals) = row[2..].split_at(4);
            assert!(matches.iter().zip(totals).all(|(matched, total)| matched <= total), "{case}");
        }
        for row in count(&bleu, &[&output], &[&output])?.chunks(bleu.width()) {
            assert_eq!(row[2..6], row[6..10], "{case}");
        }
        let edits = count(&words(Wer), &[&output], &[&output])?;
        assert!(edits.chunks(5).all(|row| row[0] == 0.0), "{case}");
    }
    Ok(())
}
