//! What holds for any text and any numbers: docs/explanation/robustness.md lists these properties.

#![expect(clippy::float_cmp, reason = "counts and sums are whole numbers")]

use std::ops::Range;

use ndarray::{Array2, Axis, Slice};
use proptest::collection::vec;
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use truebleu_core::corpus::{Segments, Window};
use truebleu_core::metrics::settings::MetricSettings;
use truebleu_core::metrics::{Metric, count};
use truebleu_core::resampling::{COINS, Swaps, bootstrap_sums, pair_sums, swapped_sums};
use truebleu_core::tokenizers::Tokenizer;

const BLEU: &str = r#"{"kind": "bleu", "counts": {COUNTS},
    "scoring": {"smoothing": "exp", "effective_order": false}}"#;
const WER: &str = r#"{"kind": "wer", WORDS}"#;
/// Settings of all metrics that count texts, in JSON.
const SETTINGS: [&str; 12] = [
    BLEU,
    WER,
    r#"{"kind": "mbleu", "counts": {COUNTS}}"#,
    r#"{"kind": "sentence_bleu", "counts": {COUNTS}, "smoothing": "average", "weight": "equal"}"#,
    r#"{"kind": "chrf", "char_order": 6, "word_order": 2, "lowercase": false, "whitespace": false,
        "scoring": {"beta": 2, "eps_smoothing": false}}"#,
    r#"{"kind": "ter", "normalized": false, "no_punct": false, "asian_support": false,
        "case_sensitive": false}"#,
    r#"{"kind": "nist", WORDS, "max_order": 5, "zero_history": true}"#,
    r#"{"kind": "per", WORDS}"#,
    r#"{"kind": "gtm", WORDS, "exponent": 1}"#,
    r#"{"kind": "gtm", WORDS, "exponent": 2}"#,
    r#"{"kind": "length", WORDS}"#,
    r#"{"kind": "dependency_f"}"#,
];

fn metric(settings: &str) -> Box<dyn Metric> {
    let words = r#""tokenizer": "13a", "lowercase": false"#;
    let json = settings.replace("COUNTS", r#"WORDS, "max_order": 4"#).replace("WORDS", words);
    MetricSettings::from_json(&json).and_then(MetricSettings::metric).expect("valid settings")
}

/// Returns whether references of other segments change the counts.
fn reads_all_references(settings: &str) -> bool {
    settings.contains("nist")
}

/// Lines of few words, so that they match, with letters and marks that some rule is about.
fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[abc]{1,2}",
        1 => "[.,'&;<>\"-]|&quot;|<skipped>|1,000|\u{a0}|\u{3000}|\t|\n",
        1 => "\\PC{1,3}",
    ];
    vec(word, 0..12).prop_map(|words| words.join(" "))
}

fn lines(segments: Range<usize>, texts: usize) -> impl Strategy<Value = Vec<Vec<String>>> {
    segments.prop_flat_map(move |segments| vec(vec(line(), segments), texts))
}

fn text(lines: &[String]) -> Segments {
    lines.iter().map(|line| Some(line.as_str())).collect()
}

fn rows(metric: &dyn Metric, systems: &[&[String]], references: &[&[String]]) -> Vec<f64> {
    let texts = |all: &[&[String]]| -> Vec<Segments> { all.iter().map(|one| text(one)).collect() };
    let (systems, references) = (texts(systems), texts(references));
    let systems: Vec<_> = systems.iter().collect();
    count(metric, &systems, &references.iter().collect::<Vec<_>>()).expect("texts of one length")
}

/// Counts in blocks that end at `cuts`, as files are counted part by part.
fn rows_in_blocks(metric: &dyn Metric, texts: &[Segments; 3], cuts: &[usize]) -> Vec<f64> {
    let [first, second, reference] = texts;
    let mut counter = metric.counter();
    let blocks: Vec<_> = cuts.windows(2).map(|ends| ends[0]..ends[1]).collect();
    for block in blocks.iter().filter(|_| counter.needs_all_references()).collect::<Vec<_>>() {
        counter.add_references(&[Window::new(reference, block.start)], block.len());
    }
    counter.finish_references();
    let mut rows = vec![0.0; first.len() * 2 * metric.width()];
    for block in blocks {
        let part = |text| Window::new(text, block.start);
        let stride = 2 * metric.width();
        let place = &mut rows[block.start * stride..block.end * stride];
        counter.count(&[part(first), part(second)], &[part(reference)], block.start, place);
    }
    rows
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn counts_of_texts_add_up(one in lines(1..4, 2), other in lines(1..4, 2)) {
        for settings in SETTINGS.iter().filter(|settings| !reads_all_references(settings)) {
            let metric = metric(settings);
            let mut apart = rows(&*metric, &[&one[0]], &[&one[1]]);
            apart.extend(rows(&*metric, &[&other[0]], &[&other[1]]));
            let joined: Vec<Vec<String>> =
                (0..2).map(|text| [one[text].clone(), other[text].clone()].concat()).collect();
            prop_assert_eq!(rows(&*metric, &[&joined[0]], &[&joined[1]]), apart, "{}", settings);
        }
    }

    #[test]
    fn blocks_of_any_size_have_the_same_counts(
        texts in lines(1..40, 3),
        cuts in vec(0..40_usize, 0..5),
    ) {
        let segments = texts[0].len();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut % segments).collect();
        cuts.extend([0, segments]);
        cuts.sort_unstable();
        let parts = [text(&texts[0]), text(&texts[1]), text(&texts[2])];
        for settings in SETTINGS {
            let metric = metric(settings);
            let whole = rows(&*metric, &[&texts[0], &texts[1]], &[&texts[2]]);
            prop_assert_eq!(rows_in_blocks(&*metric, &parts, &cuts), whole, "{}", settings);
        }
    }

    #[test]
    fn neither_the_other_systems_nor_the_order_of_references_matter(texts in lines(1..3, 4)) {
        let [a, b, first, second] = [&texts[0][..], &texts[1], &texts[2], &texts[3]];
        for settings in SETTINGS {
            let metric = metric(settings);
            let both = rows(&*metric, &[a, b], &[first, second]);
            // chrF takes the first of two equally good references, as sacreBLEU does.
            let turned = if settings.contains("chrf") { [first, second] } else { [second, first] };
            let alone = rows(&*metric, &[b], &turned);
            let width = metric.width();
            let of_b: Vec<f64> =
                both.chunks(2 * width).flat_map(|row| row[width..].to_vec()).collect();
            prop_assert_eq!(of_b, alone, "{}", settings);
        }
    }

    #[test]
    fn every_counted_row_is_possible_and_its_score_finite(texts in lines(1..3, 3)) {
        for settings in SETTINGS {
            let metric = metric(settings);
            for row in rows(&*metric, &[&texts[0]], &[&texts[1], &texts[2]]).chunks(metric.width()) {
                prop_assert!(metric.is_possible(row), "{} {:?}", settings, row);
                let score = metric.score(row).expect("the metric's own columns");
                prop_assert!(score.is_finite() && score >= 0.0, "{} {:?}", settings, row);
            }
        }
    }

    #[test]
    fn output_and_reference_can_change_places(texts in lines(1..3, 2)) {
        let (wer, bleu) = (metric(WER), metric(BLEU));
        let there = rows(&*wer, &[&texts[0]], &[&texts[1]]);
        let back = rows(&*wer, &[&texts[1]], &[&texts[0]]);
        for (there, back) in there.chunks(5).zip(back.chunks(5)) {
            // Edits, and insertions less deletions; ties between alignments differ in the rest.
            prop_assert_eq!(there[0], back[0]);
            prop_assert_eq!(there[4] - there[3], back[3] - back[4]);
        }
        let there = rows(&*bleu, &[&texts[0]], &[&texts[1]]);
        let back = rows(&*bleu, &[&texts[1]], &[&texts[0]]);
        for (there, back) in there.chunks(10).zip(back.chunks(10)) {
            prop_assert_eq!(&there[..2], &[back[1], back[0]]);
            prop_assert_eq!(&there[2..6], &back[2..6]);
        }
    }

    #[test]
    fn lines_are_read_as_they_were_written(
        segments in vec("[^\n\r\u{feff}]{0,8}", 1..6),
        is_ended: bool,
    ) {
        let mut bytes = segments.join("\n").into_bytes();
        if is_ended || segments.last().is_some_and(String::is_empty) {
            bytes.push(b'\n');
        }
        let read = Segments::from_lines(bytes).expect("UTF-8");
        prop_assert!(read.iter().eq(segments.iter().map(|segment| Some(segment.as_str()))));
    }

    #[test]
    fn tokens_stand_in_the_line_in_their_order(line in "\\PC{0,40}") {
        for (name, tokenizer) in Tokenizer::ALL.iter().filter(|_| !line.contains(['&', '<'])) {
            let mut rest: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            tokenizer.tokenize(&line, false, |token| {
                let place = rest.find(token).unwrap_or(usize::MAX);
                assert!(place < usize::MAX, "{name} {line:?} {token:?}");
                rest = rest.split_off(place + token.len());
            });
        }
    }
}

/// Whole numbers, whose sums need no rounding.
fn numbers(units: Range<usize>, columns: usize) -> impl Strategy<Value = Array2<f64>> {
    units.prop_flat_map(move |units| {
        vec(-1000..1000_i32, units * columns).prop_map(move |cells| {
            let cells = cells.into_iter().map(f64::from).collect();
            Array2::from_shape_vec((units, columns), cells).expect("as many cells")
        })
    })
}

const MOST: u64 = 40;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sums_of_swaps_are_equal_for_any_parts_of_units_and_replicates(
        rows in numbers(1..300, 3),
        seed: u64,
        place in 0..5_usize,
        cut in 0..=MOST,
    ) {
        let swaps = Swaps::Random { seed };
        let whole = swapped_sums(&rows.view(), swaps, 0..MOST, 0);
        let cut_unit = (place * COINS as usize).min(rows.nrows() / COINS as usize * COINS as usize);
        let (top, rest) = rows.view().split_at(Axis(0), cut_unit);
        let parts = swapped_sums(&top, swaps, 0..MOST, 0)
            + swapped_sums(&rest, swaps, 0..MOST, cut_unit as u64);
        prop_assert_eq!(&parts, &whole);
        let first = swapped_sums(&rows.view(), swaps, 0..cut, 0);
        let last = swapped_sums(&rows.view(), swaps, cut..MOST, 0);
        prop_assert_eq!(whole.slice_axis(Axis(0), Slice::from(..cut as usize)), first);
        prop_assert_eq!(whole.slice_axis(Axis(0), Slice::from(cut as usize..)), last);
    }

    #[test]
    fn swaps_only_exchange(rows in numbers(1..200, 4), seed: u64) {
        // Two systems of two columns.
        let shape = (MOST as usize, 2, 2);
        let swapped = swapped_sums(&rows.view(), Swaps::Random { seed }, 0..MOST, 0);
        let swapped = swapped.into_shape_with_order(shape).expect("two systems");
        let sums = rows.sum_axis(Axis(0)).into_shape_with_order((2, 2)).expect("two systems");
        let there = pair_sums(&swapped.view(), &sums.view(), &[(0, 1)]);
        let back = pair_sums(&swapped.view(), &sums.view(), &[(1, 0)]);
        let side = |sums: &ndarray::Array4<f64>, side| sums.index_axis(Axis(0), side).to_owned();
        prop_assert_eq!(side(&there, 0), side(&back, 1));
        prop_assert_eq!(side(&there, 1), side(&back, 0));
        // What one system loses the other gets.
        let total = &sums.row(0) + &sums.row(1);
        for both in (side(&there, 0) + side(&there, 1)).outer_iter() {
            prop_assert_eq!(both.row(0), total.view());
        }
    }

    #[test]
    fn all_swaps_come_in_opposite_pairs(rows in numbers(1..8, 2)) {
        let replicates = 1_u64 << rows.nrows();
        let sums = swapped_sums(&rows.view(), Swaps::Enumerated, 0..replicates, 0);
        let total = rows.sum_axis(Axis(0));
        for (one, other) in sums.outer_iter().zip(sums.outer_iter().rev()) {
            prop_assert_eq!(&one + &other, total.clone());
        }
    }

    #[test]
    fn bootstrap_sums_add_up_and_depend_on_nothing_but_seed_and_index(
        rows in numbers(2..120, 2),
        seed: u64,
        cut in 0..=MOST,
    ) {
        let strata = [0..1, 1..rows.nrows() as u32];
        let sums = |rows: &Array2<f64>, replicates| {
            bootstrap_sums(&rows.view(), &strata, replicates, seed)
        };
        let whole = sums(&rows, 0..MOST);
        prop_assert_eq!(sums(&(&rows + &rows), 0..MOST), &whole + &whole);
        prop_assert_eq!(whole.slice_axis(Axis(0), Slice::from(cut as usize..)), sums(&rows, cut..MOST));
        // Every replicate has as many units as there are.
        let ones = sums(&Array2::ones(rows.dim()), 0..MOST);
        prop_assert!(ones.iter().all(|&units| units == rows.nrows() as f64));
        for threads in [1, 3] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            prop_assert_eq!(pool.install(|| sums(&rows, 0..MOST)), whole.clone());
        }
    }
}
