//! Tests of TER; expected numbers are sacreBLEU 2.6.0's or come from the plain matrix.

use super::matrix::Swap;
use super::*;

const PLAIN: Tercom =
    Tercom { normalized: false, no_punct: false, asian_support: false, case_sensitive: false };
const NORMALIZED: Tercom = Tercom { normalized: true, ..PLAIN };

fn row(tokenizer: Tercom, references: &[&str], output: &str) -> Vec<f64> {
    crate::metrics::tests::row(&Ter { tokenizer }, references, output)
}

fn check(references: &[&str], output: &str, expected: [f64; 2]) {
    assert_eq!(row(PLAIN, references, output), expected, "{output:?} against {references:?}");
}

#[test]
fn a_shift_counts_as_one_edit() {
    check(&["a b c d e"], "d e a b c", [1.0, 5.0]);
    check(&["a b c d e f"], "d e f a x c", [2.0, 6.0]);
    check(&["A b"], "a B", [0.0, 2.0]);
}

#[test]
fn empty_texts_have_edits_and_lengths() {
    check(&[""], "", [0.0, 0.0]);
    check(&[""], "a b", [2.0, 0.0]);
    check(&["a b c"], " ", [3.0, 3.0]);
}

#[test]
fn a_row_has_the_fewest_edits_and_the_mean_length() {
    check(&["a b c", "a b c d"], "a b c d", [0.0, 3.5]);
    check(&["", "x y z"], "x", [1.0, 1.5]);
}

#[test]
fn a_normalised_text_can_differ_from_itself() {
    let line = "this is the dog's.";
    let found = row(NORMALIZED, &[line], line);
    assert_eq!(found, [2.0, 6.0]);
    assert!((Ter::default().score_row(&found) - 100.0 / 3.0).abs() < 1e-9);
}

#[test]
fn without_reference_words_the_score_is_100_or_0() {
    for (sums, expected) in [([3.0, 4.0], 75.0), ([2.0, 0.0], 100.0), ([0.0, 0.0], 0.0)] {
        assert!((Ter::default().score_row(&sums) - expected).abs() < f64::EPSILON);
    }
}

#[test]
fn outputs_do_not_affect_each_other() {
    let outputs = ["b a c", "a b c d e f g", "", "c b a", "b a c"];
    let metric = Ter { tokenizer: PLAIN };
    let mut rows = [0.0; 10];
    let segment = Segment { references: &["a b c", "c b"], outputs: &outputs };
    metric.count_segment(segment, &mut rows, &mut metric.scratch());
    for (output, found) in outputs.iter().zip(rows.as_chunks::<2>().0) {
        check(&["a b c", "c b"], output, *found);
    }
}

/// Returns the words `first` to `end`, exclusive, as numbers.
fn numbers(first: u32, end: u32) -> String {
    (first..end).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn paths_outside_the_band_are_ignored() {
    check(&[&numbers(40, 140)], &numbers(0, 100), [100.0, 100.0]);
    check(&[&numbers(0, 110)], &(numbers(100, 110) + " " + &numbers(0, 100)), [20.0, 110.0]);
    check(&[&numbers(0, 150)], "149 5", [150.0, 150.0]);
    check(&[&numbers(0, 170)], "90 1 60", [169.0, 170.0]);
}

#[test]
fn a_thousand_candidates_end_the_search() {
    for (times, edits) in [(6, 1.0), (8, 16.0)] {
        let (output, reference) =
            ("a ".repeat(times) + &"b ".repeat(times), "b ".repeat(times) + &"a ".repeat(times));
        check(&[&reference], &output, [edits, 2.0 * times as f64]);
    }
}

/// Deterministic pseudorandom numbers below `limit`.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }

    fn words(&mut self, count: usize, vocabulary: usize) -> Vec<u32> {
        (0..count).map(|_| self.below(vocabulary) as u32).collect()
    }
}

/// Returns outputs and references of various lengths whose band fits a window.
fn texts() -> impl Iterator<Item = (Vec<u32>, Reference, Numbers)> {
    (0..600).filter_map(|seed| {
        let mut numbers = Numbers(seed);
        let longest = [12, 40, 150, 400][seed as usize % 4];
        let (output, reference) = (1 + numbers.below(longest), 1 + numbers.below(longest));
        let vocabulary = 2 + numbers.below(30);
        let output = numbers.words(output, vocabulary + 1);
        let mut indexed = Reference::default();
        indexed.reset(&numbers.words(reference, vocabulary), vocabulary);
        let fits = !Band::new(output.len(), reference).is_steep();
        fits.then_some((output, indexed, numbers))
    })
}

#[test]
fn the_window_agrees_with_the_plain_matrix() {
    let (mut window, mut plain) = (WindowMatrix::default(), PlainMatrix::default());
    for (output, reference, _) in texts() {
        window.fill(&reference, &output);
        plain.fill(&reference, &output);
        assert_eq!(window.distance(), plain.distance());
        let (mut row, mut column) = (output.len(), reference.len());
        while row > 0 || column > 0 {
            let edit = plain.last_edit(row, column);
            assert_eq!(window.last_edit(row, column), edit, "{row} {column}");
            row -= usize::from(edit != matrix::Edit::Miss);
            column -= usize::from(edit != matrix::Edit::Drop);
        }
    }
}

#[test]
fn the_window_is_exact_after_a_swap_unless_the_distance_grows() {
    let (mut window, mut plain) = (WindowMatrix::default(), PlainMatrix::default());
    for (mut output, reference, mut numbers) in texts() {
        window.fill(&reference, &output);
        for _ in 0..10 {
            let mut bounds = [(); 3].map(|()| numbers.below(output.len() + 1));
            bounds.sort_unstable();
            let [start, middle, end] = bounds;
            let swap = Swap { start, middle, end };
            let (before, after) =
                (window.distance(), window.distance_after(&reference, &output, swap));
            swap.apply(&mut output);
            plain.fill(&reference, &output);
            assert_eq!(after.min(before + 1), plain.distance().min(before + 1));
            window.refill(&reference, &output, start);
            assert_eq!(window.distance(), plain.distance());
        }
    }
}

#[test]
fn positions_cross_blocks_and_stay_within_the_distance() {
    let words: Vec<u32> = (0..200).map(|position| position % 7).collect();
    let mut reference = Reference::default();
    reference.reset(&words, 8);
    for around in 0..260 {
        let near = |position: &usize| words[*position] == 3 && position.abs_diff(around) <= 50;
        let expected: Vec<_> = (0..200).filter(near).collect();
        let mut found = Vec::new();
        reference.for_each_position(3, around, 50, |position| found.push(position));
        reference.for_each_position(8, around, 50, |position| found.push(position));
        assert_eq!(found, expected);
    }
}

#[test]
fn the_gradient_equals_finite_differences() {
    crate::metrics::tests::check_gradient(&Ter::default(), &[30.0, 120.5]);
}

#[test]
fn listed_positions_equal_the_sets() {
    let words: Vec<u32> = (0u32..500).map(|place| place * place % 37 % 11).collect();
    let (mut sets, mut lists) = (Reference::default(), Reference::default());
    sets.reset_within(&words, 11, usize::MAX);
    lists.reset_within(&words, 11, 0);
    assert!(lists.positions.is_empty() && sets.starts.is_empty());
    assert_eq!(lists.counts(), sets.counts());
    for word in 0..=11 {
        for start in 0..words.len() {
            assert_eq!(lists.occurrences(word, start), sets.occurrences(word, start));
        }
    }
    // Back to sets.
    lists.reset_within(&words, 11, usize::MAX);
    assert_eq!(lists.occurrences(0, 3), sets.occurrences(0, 3));
}
