//! Readers, tokenizers and counters on any bytes: what `cargo fuzz` and the test `fuzz` run.

use truebleu_core::corpus::conllu::Parses;
use truebleu_core::corpus::{
    Inspection, Repetitions, Segments, TrainingIndex, count_composed, letters, line_ends, survey,
};
use truebleu_core::metrics::count;
use truebleu_core::metrics::settings::{MeasureSettings, MetricSettings};
use truebleu_core::tokenizers::Tokenizer;

/// A target: it takes any bytes.
type Target = fn(&[u8]);

/// Targets by name: each takes any bytes, and panics if a property of them does not hold.
pub const TARGETS: [(&str, Target); 6] = [
    ("lines", lines),
    ("parses", parses),
    ("settings", settings),
    ("tokenizers", tokenizers),
    ("metrics", metrics),
    ("inspection", inspection),
];

/// Settings of metrics that count texts.
const METRICS: [&str; 8] = [
    r#"{"kind": "bleu", "counts": {"tokenizer": "13a", "lowercase": false, "max_order": 4},
        "scoring": {"smoothing": "exp", "effective_order": false}}"#,
    r#"{"kind": "chrf", "char_order": 6, "word_order": 2, "lowercase": false, "whitespace": false,
        "scoring": {"beta": 2, "eps_smoothing": false}}"#,
    r#"{"kind": "ter", "normalized": false, "no_punct": false, "asian_support": false,
        "case_sensitive": false}"#,
    r#"{"kind": "nist", "tokenizer": "13a", "lowercase": false, "max_order": 5, "zero_history": true}"#,
    r#"{"kind": "wer", "tokenizer": "13a", "lowercase": false}"#,
    r#"{"kind": "per", "tokenizer": "13a", "lowercase": false}"#,
    r#"{"kind": "gtm", "tokenizer": "13a", "lowercase": false, "exponent": 2}"#,
    r#"{"kind": "length", "tokenizer": "13a", "lowercase": false}"#,
];

/// Longest text of the metrics: some take time in proportion to the product of lengths.
const LONGEST: usize = 4096;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Splits bytes into two texts at the first NUL, or in the middle.
fn two(bytes: &[u8]) -> (Segments, Segments) {
    let middle = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len() / 2);
    let of = |bytes: &[u8]| text(bytes).split('\n').map(Some).collect::<Segments>();
    let (a, b) = (of(&bytes[..middle]), of(&bytes[middle..]));
    let n = a.len().min(b.len());
    let first = |text: &Segments| (0..n).map(|index| text.get(index)).collect::<Segments>();
    (first(&a), first(&b))
}

/// Lines of a file: as many as there are line feeds, in the order of the bytes.
pub fn lines(bytes: &[u8]) {
    let (count, end) = line_ends(bytes, usize::MAX);
    assert_eq!(count, bytes.split(|&byte| byte == b'\n').count() - 1);
    assert!(end <= bytes.len());
    let read = Segments::from_lines(bytes.to_vec());
    assert_eq!(read.is_ok(), std::str::from_utf8(bytes).is_ok());
    if let Ok(segments) = read {
        let is_open = end < bytes.len() && !(end == 0 && bytes == "\u{feff}".as_bytes());
        assert_eq!(segments.len(), count + usize::from(is_open));
        assert!(segments.iter().flatten().all(|segment| !segment.contains('\n')));
        let found = survey(&segments);
        assert!(found.blank.count <= segments.len());
        assert!(count_composed(&segments) <= segments.len());
        let _ = letters(&segments);
        let mut repetitions = Repetitions::default();
        repetitions.add(&[&segments]);
        let mut index = TrainingIndex::new(&[&segments], 4);
        index.add(bytes);
        index.end_line();
    }
    let _ = Segments::from_further_lines(bytes.to_vec());
}

/// Parses in CoNLL-U, or an error that names the place.
pub fn parses(bytes: &[u8]) {
    match Parses::read(&text(bytes)) {
        Ok(parses) => {
            let _ = parses.by_segment(3, "name");
        }
        Err(error) => assert!(!error.problem.found(str::to_owned).is_empty()),
    }
}

/// Settings in JSON.
pub fn settings(bytes: &[u8]) {
    let json = text(bytes);
    if let Ok(settings) = MetricSettings::from_json(&json) {
        let _ = settings.metric();
    }
    let _ = MeasureSettings::from_json(&json);
}

/// Tokens of a line: no line feed, and the same in every run.
pub fn tokenizers(bytes: &[u8]) {
    let line = text(&bytes[..bytes.len().min(LONGEST)]).replace('\n', " ");
    for (_, tokenizer) in Tokenizer::ALL {
        for lowercase in [false, true] {
            let mut found: Vec<Vec<String>> = vec![Vec::new(); 2];
            for tokens in &mut found {
                tokenizer.tokenize(&line, lowercase, |token| tokens.push(token.to_owned()));
            }
            assert_eq!(found[0], found[1]);
            assert!(found[0].iter().all(|token| !token.contains('\n')));
        }
    }
}

/// Counts of every metric: finite, as is their score.
pub fn metrics(bytes: &[u8]) {
    let (outputs, references) = two(&bytes[..bytes.len().min(LONGEST)]);
    for settings in METRICS {
        let metric = MetricSettings::from_json(settings).and_then(MetricSettings::metric);
        let Ok(metric) = metric else { panic!("{settings}: unknown") };
        if let Ok(rows) = count(metric.as_ref(), &[&outputs], &[&references]) {
            assert!(rows.iter().all(|count| count.is_finite() && *count >= 0.0), "{settings}");
        }
    }
}

/// Findings about two texts: their segments exist.
pub fn inspection(bytes: &[u8]) {
    let (outputs, references) = two(bytes);
    let mut inspection = Inspection::default();
    inspection.add(&[&references], &[&outputs], Some(&references));
    for finding in inspection.findings() {
        assert!(finding.count <= outputs.len() && finding.first < outputs.len().max(1));
    }
}
