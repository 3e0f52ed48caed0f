//! Dependency F: agreement of dependency relations (Riezler & Maxwell, 2005, section 3).
//!
//! The relations of a parsed segment become its lines, so that they are counted like words.

use std::borrow::Cow;

use rayon::prelude::*;

use super::words::{Bag, Comparison, WordMetric, Words};
use super::{Details, Part, are_counts};
use crate::corpus::conllu::{Malformed, Parses, Problem, Word};
use crate::corpus::{Segments, Window};
use crate::interruption;
use crate::tokenizers::{Tokenizer, lowercased};

/// Head of the root relation; no field of CoNLL-U can contain a tab.
const ROOT: &str = "\t";

/// Criteria by which two relations are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are the metric's settings, by name")]
pub struct Relations {
    /// True if their labels must be equal.
    pub labelled: bool,
    /// True if lemmas are compared instead of words.
    pub lemmas: bool,
    /// True if it matters which of two words is the head.
    pub direction: bool,
    /// True if words are compared in lower case.
    pub lowercase: bool,
    /// True if the root's relation counts.
    pub root: bool,
}

impl Relations {
    /// Returns the relations of each segment, one per line; absent if the segment of the text is
    /// absent.
    ///
    /// # Errors
    /// Fails if a word has no lemma or relation that is compared.
    pub fn of_text(
        self,
        parses: &Parses,
        by_segment: &[Vec<usize>],
        text: Window<'_>,
    ) -> Result<Segments, Malformed> {
        let lines: Vec<_> = by_segment
            .par_iter()
            .enumerate()
            .map(|(index, sentences)| {
                interruption::check();
                text.get(index).map(|_| self.of_sentences(parses, sentences)).transpose()
            })
            .collect();
        let mut segments = Segments::default();
        for segment in lines {
            segments.push(segment?.as_deref());
        }
        Ok(segments)
    }

    fn of_sentences(self, parses: &Parses, sentences: &[usize]) -> Result<String, Malformed> {
        let mut lines = String::new();
        for &sentence in sentences {
            let words: Vec<_> = parses.words(sentence).collect();
            self.write(&words, &mut lines)?;
        }
        Ok(lines)
    }

    fn write(self, words: &[Word<'_>], lines: &mut String) -> Result<(), Malformed> {
        let forms =
            words.iter().map(|word| self.compared_form(word)).collect::<Result<Vec<_>, _>>()?;
        let unnamed = words.iter().find(|word| self.labelled && word.label == "_");
        if let Some(word) = unnamed {
            let problem = Problem::NoLabel(word.form.to_owned());
            return Err(Malformed { line: word.line, problem });
        }
        for (word, dependent) in words.iter().zip(&forms) {
            let head = word.head.checked_sub(1).and_then(|head| forms.get(head));
            if head.is_none() && !self.root {
                continue;
            }
            let mut pair = [head.map_or(ROOT, |head| head), dependent];
            if !self.direction {
                pair.sort_unstable();
            }
            let label = if self.labelled { word.label } else { "" };
            for part in [label, "\t", pair[0], "\t", pair[1], "\n"] {
                lines.push_str(part);
            }
        }
        Ok(())
    }

    /// Returns the form of a word that is compared.
    fn compared_form<'a>(self, word: &Word<'a>) -> Result<Cow<'a, str>, Malformed> {
        // An underscore means that the field is empty, unless the word itself is an underscore.
        if self.lemmas && word.lemma == "_" && word.form != "_" {
            let problem = Problem::NoLemma(word.form.to_owned());
            return Err(Malformed { line: word.line, problem });
        }
        let text = if self.lemmas { word.lemma } else { word.form };
        Ok(if self.lowercase { lowercased(text).into() } else { text.into() })
    }
}

/// Dependency F of texts whose lines are relations. Its columns: matching relations, output
/// relations, reference relations.
#[derive(Debug, Clone, Copy)]
pub struct DependencyF;

impl DependencyF {
    /// Returns the metric.
    #[must_use]
    pub fn metric() -> WordMetric<Self> {
        let words = Words { tokenizer: Tokenizer::Lines, lowercase: false };
        WordMetric { words, comparison: Self }
    }
}

impl Comparison for DependencyF {
    type Index = (Bag, usize);

    const WIDTH: usize = 3;

    fn index(&self, reference: &[u32], vocabulary: usize, index: &mut Self::Index) {
        index.0.reset(reference.iter().copied(), vocabulary);
        index.1 = reference.len();
    }

    /// Counts clipped matches: a relation matches as often as both sides have it.
    fn count(&self, output: &[u32], (bag, length): &mut Self::Index, row: &mut [f64]) {
        let matched = bag.common(output.iter().copied());
        row.copy_from_slice(&[matched as f64, output.len() as f64, *length as f64]);
    }

    fn is_possible(&self, row: &[f64]) -> bool {
        are_counts(row) && row[0] <= row[1].min(row[2])
    }

    /// Returns true if the F-score is higher, or equal with fewer reference relations.
    fn is_better(&self, row: &[f64], other: &[f64]) -> bool {
        let (ours, theirs) = (row[0] * (other[1] + other[2]), other[0] * (row[1] + row[2]));
        ours > theirs || (ours >= theirs && row[2] < other[2])
    }

    /// Computes the harmonic mean of precision and recall in [0, 100]; 0 without relations.
    fn score(&self, sums: &[f64]) -> f64 {
        let relations = sums[1] + sums[2];
        if relations > 0.0 { 200.0 * sums[0] / relations } else { 0.0 }
    }

    fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let relations = sums[1] + sums[2];
        if relations > 0.0 {
            let by_relation = -200.0 * sums[0] / (relations * relations);
            gradient.copy_from_slice(&[200.0 / relations, by_relation, by_relation]);
        }
    }

    fn details(&self, sums: &[f64]) -> Details {
        let [matched, output, reference] = [sums[0], sums[1], sums[2]];
        let percent = |of: f64| if of == 0.0 { 0.0 } else { 100.0 * matched / of };
        vec![
            ("score", Part::Number(self.score(sums))),
            ("precision", Part::Number(percent(output))),
            ("recall", Part::Number(percent(reference))),
            ("matched", Part::Count(matched)),
            ("output_relations", Part::Count(output)),
            ("reference_relations", Part::Count(reference)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::conllu::tests::conllu;
    use crate::metrics::tests::{check_gradient, row};

    const ALL: Relations =
        Relations { labelled: true, lemmas: false, direction: true, lowercase: false, root: true };

    fn relations(kind: Relations, sentences: &str) -> Result<Vec<Option<String>>, String> {
        let parses = Parses::read(&conllu(sentences)).expect("CoNLL-U");
        let by_segment = parses.by_segment(parses.len(), "x").expect("one each");
        let text: Segments = by_segment.iter().map(|_| Some("")).collect();
        kind.of_text(&parses, &by_segment, Window::new(&text, 0))
            .map(|lines| lines.iter().map(|line| line.map(str::to_owned)).collect())
            .map_err(|problem| problem.to_string())
    }

    fn lines(kind: Relations, sentences: &str) -> String {
        relations(kind, sentences).expect("relations").remove(0).expect("present")
    }

    const CATS: &str = "1 Cats cat 2 nsubj\n2 sleep _ 0 root\n";

    #[test]
    fn settings_define_equal_relations() {
        assert_eq!(lines(ALL, CATS), "nsubj\tsleep\tCats\nroot\t\t\tsleep\n");
        let unlabelled = Relations { labelled: false, lowercase: true, ..ALL };
        assert_eq!(lines(unlabelled, CATS), "\tsleep\tcats\n\t\t\tsleep\n");
        let undirected = Relations { direction: false, root: false, ..ALL };
        assert_eq!(lines(undirected, CATS), "nsubj\tCats\tsleep\n");
        assert_eq!(lines(ALL, "# text =\n"), "");
    }

    #[test]
    fn a_missing_compared_field_is_an_error() {
        let lemmas = Relations { lemmas: true, ..ALL };
        let refused = relations(lemmas, &format!("# a\n\n{CATS}")).expect_err("no lemma");
        assert!(refused.starts_with("line 4: found no lemma of \"sleep\", expected one"));
        assert_eq!(lines(lemmas, "1 _ _ 0 root\n"), "root\t\t\t_\n");
        let refused = relations(ALL, "1 a a 0 _\n").expect_err("no relation");
        assert!(refused.starts_with("line 1: found no relation of \"a\", expected one"));
    }

    #[test]
    fn an_absent_segment_has_no_relations() {
        let parses = Parses::read(&conllu(&format!("{CATS}\n{CATS}"))).expect("CoNLL-U");
        let text: Segments = [None, Some("x")].into_iter().collect();
        let by_segment = parses.by_segment(2, "x").expect("one each");
        let found = ALL.of_text(&parses, &by_segment, Window::new(&text, 0)).expect("relations");
        assert_eq!(found.get(0), None);
        assert!(found.get(1).is_some());
    }

    #[test]
    fn words_of_another_parser_have_relations() {
        let word = |form, head| Word { form, lemma: "_", label: "dep", head, line: None };
        let parses = Parses::of_words([vec![word("b", 2), word("a", 0)], vec![]]);
        let text: Segments = [Some(""), Some("")].into_iter().collect();
        let by_segment = parses.by_segment(2, "x").expect("one each");
        let found = ALL.of_text(&parses, &by_segment, Window::new(&text, 0)).expect("relations");
        assert_eq!(found.iter().flatten().collect::<Vec<_>>(), ["dep\ta\tb\ndep\t\t\ta\n", ""]);
    }

    #[test]
    fn matches_are_clipped_and_the_best_reference_counts() {
        let metric = DependencyF::metric();
        assert_eq!(row(&metric, &["a b\nc\n"], "c\nc\na b\n"), [2., 3., 2.]);
        assert_eq!(row(&metric, &["a\nb\n", "a\n", "x\n"], "a\n"), [1., 1., 1.]);
        assert_eq!(row(&metric, &["a\nb\n", ""], "x\n"), [0., 1., 0.]);
        assert_eq!(row(&metric, &[""], ""), [0., 0., 0.]);
    }

    #[test]
    fn the_score_is_the_harmonic_mean() {
        let details = DependencyF.details(&[2.0, 4.0, 2.0]);
        assert_eq!(details[0], ("score", Part::Number(200.0 * 2.0 / 6.0)));
        assert_eq!(details[1], ("precision", Part::Number(50.0)));
        assert_eq!(details[2], ("recall", Part::Number(100.0)));
        assert_eq!(DependencyF.details(&[0.0; 3])[0], ("score", Part::Number(0.0)));
        check_gradient(&DependencyF::metric(), &[70.0, 130.0, 120.0]);
    }
}
