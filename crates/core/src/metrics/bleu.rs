//! BLEU: clipped n-gram precision with a brevity penalty (Papineni et al., 2002).

use serde::Deserialize;

use super::ngrams::{Ngrams, total};
use super::prepared::{Memory, Prepared};
use super::symbols::Symbols;
use super::{BySegment, Counter, Details, Metric, Part, Segment, SegmentCounter, are_counts};
use crate::tokenizers::Tokenizer;

/// BLEU. Its columns: output length, reference length, matches of order 1 to N, totals of order 1
/// to N.
///
/// The defaults equal the defaults of mteval-v13a and sacreBLEU.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bleu {
    /// Settings of the counts.
    pub counts: BleuCounts,
    /// Settings of the score of summed counts.
    pub scoring: Scoring,
}

/// Settings of the n-gram counts of BLEU and related metrics.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BleuCounts {
    /// Tokenizer of the segments.
    pub tokenizer: Tokenizer,
    /// True if tokens are compared in lower case.
    pub lowercase: bool,
    /// Highest order of n-grams.
    pub max_order: usize,
    /// Rule for the reference length if a segment has several references.
    #[serde(default)]
    pub reference_length: ReferenceLength,
}

impl Default for BleuCounts {
    fn default() -> Self {
        Self {
            tokenizer: Tokenizer::ThirteenA,
            lowercase: false,
            max_order: 4,
            reference_length: ReferenceLength::Closest,
        }
    }
}

impl BleuCounts {
    /// Returns the number of columns in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        2 + 2 * self.max_order
    }

    /// Returns true if some segment can have this row.
    #[must_use]
    pub fn is_possible(&self, row: &[f64]) -> bool {
        let (matches, totals) = row[2..].split_at(self.max_order);
        // Whole numbers: what differs by less than 1/2 is equal.
        let fits = |(order, (matched, all)): (usize, (&f64, &f64))| {
            matched <= all && (all - (row[0] - order as f64).max(0.0)).abs() < 0.5
        };
        are_counts(row) && matches.iter().zip(totals).enumerate().all(fits)
    }
}

impl Metric for Bleu {
    fn width(&self) -> usize {
        self.counts.width()
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(BySegment::new(&self.counts, self.width()))
    }

    fn is_possible(&self, row: &[f64]) -> bool {
        self.counts.is_possible(row)
    }

    fn prepare(&self, references: &[&str]) -> Option<Box<dyn Prepared>> {
        let mut numbered = Numbered::default();
        self.counts.number_references(references, &mut numbered);
        Some(Box::new(PreparedReferences { counts: self.counts, numbered }))
    }

    fn score_row(&self, sums: &[f64]) -> f64 {
        self.scoring.score(sums)
    }

    fn quick_score_row(&self, sums: &[f64]) -> f64 {
        self.scoring.quick_score(sums)
    }

    fn quick_scores(&self, columns: &[f64], scores: &mut [f64]) {
        self.scoring.quick_scores(columns, scores);
    }

    fn gradient_row(&self, sums: &[f64], gradient: &mut [f64]) {
        self.scoring.gradient(sums, gradient);
    }

    fn details_row(&self, sums: &[f64]) -> Details {
        let BleuScore { score, brevity_penalty, precisions, matches, totals } =
            self.scoring.details(sums);
        vec![
            ("score", Part::Number(score)),
            ("precisions", Part::Numbers(precisions)),
            ("brevity_penalty", Part::Number(brevity_penalty)),
            ("output_length", Part::Count(sums[0])),
            ("reference_length", Part::Count(sums[1])),
            ("matches", Part::Numbers(matches)),
            ("totals", Part::Numbers(totals)),
        ]
    }
}

/// Rule that chooses a reference length for an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceLength {
    /// The reference length closest to the output's; if two are equally close, the shorter.
    #[default]
    Closest,
    /// The shortest reference length, as in mteval up to version 12.
    Shortest,
    /// The mean reference length, rounded down to a whole number, as in Moses' tuners.
    Average,
}

/// The word that mteval's international tokenization puts before a leading tab.
pub(crate) const EMPTY_WORD: &str = "";

/// The references of a segment with words as numbers.
#[derive(Debug, Default)]
pub struct Numbered {
    symbols: Symbols,
    /// The references' symbols, one reference after the other.
    references: Vec<u32>,
    /// End of each reference in `references`.
    ends: Vec<usize>,
}

impl BleuCounts {
    fn number_references(&self, references: &[&str], numbered: &mut Numbered) {
        let Numbered { symbols, references: all, ends } = numbered;
        let bytes: usize = references.iter().map(|reference| reference.len()).sum();
        symbols.reset(bytes / 8);
        all.clear();
        all.reserve(bytes / 4);
        ends.clear();
        for reference in references {
            let insert = |token: &str| all.push(symbols.insert(token));
            self.tokenizer.tokenize(reference, self.lowercase, insert);
            ends.push(all.len());
        }
    }

    fn index_references(&self, numbered: &Numbered, ngrams: &mut Ngrams) {
        let Numbered { symbols, references: all, ends } = numbered;
        ngrams.reset(self.max_order, all.len());
        let mut start = 0;
        for &end in ends {
            ngrams.add(&all[start..end]);
            start = end;
        }
        ngrams.exclude_unigram(symbols.get(EMPTY_WORD));
    }
}

impl SegmentCounter for BleuCounts {
    type Scratch = (Numbered, Memory);

    fn count_segment(&self, segment: Segment<'_>, rows: &mut [f64], scratch: &mut Self::Scratch) {
        let Segment { references, outputs } = segment;
        let (numbered, memory) = scratch;
        self.number_references(references, numbered);
        self.index_references(numbered, &mut memory.ngrams);
        for (output, row) in outputs.iter().zip(rows.chunks_mut(self.width())) {
            self.count_output(output, numbered, row, memory);
        }
    }
}

impl BleuCounts {
    fn count_output(
        &self,
        output: &str,
        numbered: &Numbered,
        row: &mut [f64],
        memory: &mut Memory,
    ) {
        let Memory { words, seen, ngrams, .. } = memory;
        words.clear();
        let get = |token: &str| words.push(numbered.symbols.get(token));
        self.tokenizer.tokenize(output, self.lowercase, get);
        row[0] = words.len() as f64;
        row[1] = self.reference_length.of(&numbered.ends, words.len()) as f64;
        let (matches, totals) = row[2..].split_at_mut(self.max_order);
        for (order, cell) in (1..).zip(totals) {
            *cell = total(words.len(), order);
        }
        ngrams.matches(words, matches, seen);
    }
}

/// The references of a segment, ready to count outputs against them.
#[derive(Debug)]
struct PreparedReferences {
    counts: BleuCounts,
    numbered: Numbered,
}

impl Prepared for PreparedReferences {
    fn count(&self, output: &str, row: &mut [f64], memory: &mut Memory) {
        // Rebuilding the tree takes less time than fetching it from memory.
        self.counts.index_references(&self.numbered, &mut memory.ngrams);
        self.counts.count_output(output, &self.numbered, row, memory);
    }

    fn bytes(&self) -> usize {
        let Numbered { symbols, references, ends } = &self.numbered;
        let lists = size_of_val(references.as_slice()) + size_of_val(ends.as_slice());
        symbols.bytes() + lists
    }
}

impl ReferenceLength {
    /// Returns the reference length for an output of `length` tokens; `ends` are the ends of the
    /// references.
    fn of(self, ends: &[usize], length: usize) -> usize {
        let starts = std::iter::once(&0).chain(ends);
        let lengths = ends.iter().zip(starts).map(|(end, start)| end - start);
        let chosen = match self {
            Self::Closest => {
                lengths.min_by_key(|&reference| (reference.abs_diff(length), reference))
            }
            Self::Shortest => lengths.min(),
            Self::Average => ends.last().map(|total| total / ends.len()),
        };
        chosen.unwrap_or(0)
    }
}

/// Treatment of an order without a match.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothing {
    /// No smoothing: the score is 0.
    None,
    /// This value replaces a count of 0.
    Floor(f64),
    /// This value is added to matches and totals of the orders above 1.
    AddK(f64),
    /// The k-th order without a match counts as 1 / 2^k matches.
    #[default]
    Exp,
    /// `Exp`, except that an order without any n-grams has precision 1, so that a text without
    /// matches also has a score, as in mteval.
    Mteval,
}

/// Settings of the score of summed counts.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// Treatment of an order without a match.
    pub smoothing: Smoothing,
    /// True to average over the orders that have n-grams in the output, not over all.
    pub effective_order: bool,
}

/// A score and its parts.
#[derive(Debug, Clone, Default)]
pub struct BleuScore {
    /// BLEU in [0, 100].
    pub score: f64,
    /// Brevity penalty; 1 unless the output is shorter than the reference.
    pub brevity_penalty: f64,
    /// Precision of each order in [0, 100], after smoothing.
    pub precisions: Vec<f64>,
    /// Matches used in the precisions, including the amount that `AddK` adds.
    pub matches: Vec<f64>,
    /// Totals used in the precisions, including the amount that `AddK` adds.
    pub totals: Vec<f64>,
}

impl Scoring {
    /// Computes the score of one row of sums.
    #[must_use]
    pub fn score(&self, sums: &[f64]) -> f64 {
        let max_order = (sums.len() - 2) / 2;
        let (matches, totals) = sums[2..].split_at(max_order);
        let brevity_penalty = self.brevity_penalty(sums[0], sums[1]);
        self.combine(brevity_penalty, matches, totals, |_, _| ())
    }

    /// Computes the score of one row of sums, which may differ from `score` in its last digits.
    ///
    /// Resampled test sets are scored by the million, and nearly all have matches of every order;
    /// two square roots then replace four logarithms and an exponential.
    #[must_use]
    pub fn quick_score(&self, sums: &[f64]) -> f64 {
        if let &[output, reference, a, b, c, d, k, l, m, n] = sums
            && !matches!(self.smoothing, Smoothing::AddK(_))
        {
            let (matches, totals) = (a * b * c * d, k * l * m * n);
            if matches > 0.0 {
                let mean = (matches / totals).sqrt().sqrt();
                return 100.0 * brevity_penalty(output, reference) * mean;
            }
        }
        self.score(sums)
    }

    /// Computes `quick_score` for many rows stored by column, several at a time, to the same
    /// digits.
    pub fn quick_scores(&self, columns: &[f64], scores: &mut [f64]) {
        let count = scores.len();
        if count == 0 {
            return;
        }
        let by_column: Vec<&[f64]> = columns.chunks_exact(count).collect();
        if let &[_, _, a, b, c, d, k, l, m, n] = by_column.as_slice()
            && !matches!(self.smoothing, Smoothing::AddK(_))
        {
            for index in 0..count {
                let matches = a[index] * b[index] * c[index] * d[index];
                let totals = k[index] * l[index] * m[index] * n[index];
                scores[index] = (matches / totals).sqrt().sqrt();
            }
        } else {
            scores.fill(0.0);
        }
        for (index, score) in scores.iter_mut().enumerate() {
            if *score > 0.0 {
                *score *= 100.0 * brevity_penalty(by_column[0][index], by_column[1][index]);
            } else {
                let row: Vec<f64> = by_column.iter().map(|column| column[index]).collect();
                *score = self.quick_score(&row);
            }
        }
    }

    /// Computes the score of one row of sums with its parts.
    #[must_use]
    pub fn details(&self, sums: &[f64]) -> BleuScore {
        let max_order = (sums.len() - 2) / 2;
        let (matches, totals) = sums[2..].split_at(max_order);
        let brevity_penalty = self.brevity_penalty(sums[0], sums[1]);
        let mut precisions = vec![0.0; max_order];
        let score = self.combine(brevity_penalty, matches, totals, |order, precision| {
            precisions[order] = precision;
        });
        let no_match = matches.iter().all(|&count| count == 0.0);
        let with_added = |counts: &[f64]| match self.smoothing {
            Smoothing::AddK(k) if !no_match => {
                let added = counts.iter().enumerate();
                added.map(|(order, count)| if order > 0 { count + k } else { *count }).collect()
            }
            _ => counts.to_vec(),
        };
        let (matches, totals) = (with_added(matches), with_added(totals));
        BleuScore { score, brevity_penalty, precisions, matches, totals }
    }

    /// Writes the derivative of the score by each column of one row of sums; 0 if the score is 0 by
    /// rule.
    pub fn gradient(&self, sums: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        let max_order = (sums.len() - 2) / 2;
        let (matches, totals) = sums[2..].split_at(max_order);
        let brevity_penalty = self.brevity_penalty(sums[0], sums[1]);
        let mut orders = 0;
        let score = self.combine(brevity_penalty, matches, totals, |order, _| orders = order + 1);
        if score == 0.0 {
            return;
        }
        let share = score / if self.effective_order { orders } else { max_order } as f64;
        let (lengths, by_order) = gradient.split_at_mut(2);
        let (by_match, by_total) = by_order.split_at_mut(max_order);
        for order in 0..orders {
            let added = match self.smoothing {
                Smoothing::AddK(k) if order > 0 => k,
                _ => 0.0,
            };
            let (count, total) = (matches[order] + added, totals[order] + added);
            if count > 0.0 {
                by_match[order] = share / count;
            }
            if total > 0.0 {
                by_total[order] = -share / total;
            }
        }
        brevity_gradient(score, sums[0], sums[1], lengths);
    }

    fn brevity_penalty(&self, output: f64, reference: f64) -> f64 {
        // mteval scores an output without words 0, even if the reference has none either.
        let is_zero = output == 0.0 && self.smoothing == Smoothing::Mteval;
        if is_zero { 0.0 } else { brevity_penalty(output, reference) }
    }

    /// Multiplies the penalty by the geometric mean of the precisions; calls `visit` with each
    /// precision.
    fn combine(
        &self,
        brevity_penalty: f64,
        matches: &[f64],
        totals: &[f64],
        mut visit: impl FnMut(usize, f64),
    ) -> f64 {
        let mteval = self.smoothing == Smoothing::Mteval;
        if !mteval && matches.iter().all(|&count| count == 0.0) {
            return 0.0;
        }
        let mut halving = 1.0;
        let (mut logarithms, mut zero, mut orders_present) = (0.0, false, 0);
        for (order, pair) in matches.iter().zip(totals).enumerate() {
            let added = match self.smoothing {
                Smoothing::AddK(k) if order > 0 => k,
                _ => 0.0,
            };
            let (count, total) = (pair.0 + added, pair.1 + added);
            if total == 0.0 && !mteval {
                break;
            }
            orders_present = order + 1;
            let precision = match self.smoothing {
                _ if count > 0.0 => 100.0 * count / total,
                Smoothing::Mteval if total == 0.0 => 100.0,
                Smoothing::Exp | Smoothing::Mteval => {
                    halving *= 2.0;
                    100.0 / (halving * total)
                }
                Smoothing::Floor(value) => 100.0 * value / total,
                Smoothing::None | Smoothing::AddK(_) => 0.0,
            };
            visit(order, precision);
            zero |= precision == 0.0;
            logarithms += precision.ln();
        }
        let order = if self.effective_order { orders_present } else { matches.len() };
        if zero || orders_present < order {
            return 0.0;
        }
        brevity_penalty * (logarithms / order as f64).exp()
    }
}

/// Returns 1 for output at least as long as the reference, exp(1 − reference / output) for shorter
/// output.
pub(super) fn brevity_penalty(output: f64, reference: f64) -> f64 {
    if output >= reference {
        1.0
    } else if output > 0.0 {
        (1.0 - reference / output).exp()
    } else {
        0.0
    }
}

/// Writes the derivatives by both lengths of a score that has the brevity penalty as a factor.
pub(super) fn brevity_gradient(score: f64, output: f64, reference: f64, lengths: &mut [f64]) {
    if output > 0.0 && output < reference {
        lengths[0] = score * reference / (output * output);
        lengths[1] = -score / output;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::metrics::tests::check_gradient;

    pub const PLAIN: BleuCounts = BleuCounts {
        tokenizer: Tokenizer::None,
        lowercase: false,
        max_order: 4,
        reference_length: ReferenceLength::Closest,
    };

    fn row_by(counter: BleuCounts, references: &[&str], output: &str) -> Vec<f64> {
        let mut row = vec![0.0; counter.width()];
        counter.count_segment(
            Segment { references, outputs: &[output] },
            &mut row,
            &mut counter.scratch(),
        );
        row
    }

    fn row(references: &[&str], output: &str) -> Vec<f64> {
        row_by(PLAIN, references, output)
    }

    #[test]
    fn a_row_holds_lengths_matches_and_totals() {
        let found = row(&["the cat is on the mat"], "the cat sat on mat");
        assert_eq!(found, [5.0, 6.0, 4.0, 1.0, 0.0, 0.0, 5.0, 4.0, 3.0, 2.0]);
    }

    #[test]
    fn the_default_reference_length_is_the_closest_then_the_shorter() {
        assert!((row(&["a b c d", "a b"], "a b c")[1] - 2.0).abs() < f64::EPSILON);
        assert!((row(&["a b", "a b c d"], "a b c")[1] - 2.0).abs() < f64::EPSILON);
        assert!((row(&["", "a b c d"], "a b c")[1] - 4.0).abs() < f64::EPSILON);
    }

    #[test]
    fn the_shortest_reference_length_can_be_chosen() {
        let counter = BleuCounts { reference_length: ReferenceLength::Shortest, ..PLAIN };
        let found = row_by(counter, &["a b c d e f g h", "a b c"], "a b c d e f g");
        assert!((found[1] - 3.0).abs() < f64::EPSILON);
    }

    #[test]
    fn the_mean_of_the_reference_lengths_is_rounded_down() {
        let counter = BleuCounts { reference_length: ReferenceLength::Average, ..PLAIN };
        let found = row_by(counter, &["a b c d e f g h", "a b c"], "a b c d e f g");
        assert!((found[1] - 5.0).abs() < f64::EPSILON);
    }

    #[test]
    fn an_empty_word_has_a_length_but_does_not_match_alone() {
        // The tokens of a matched n-gram are split again to get its order, and "" splits into no
        // words.
        let counter = BleuCounts { tokenizer: Tokenizer::MtevalIntl, ..PLAIN };
        let found = row_by(counter, &["\ta b"], "\ta b");
        assert_eq!(found, [3.0, 3.0, 2.0, 2.0, 1.0, 0.0, 3.0, 2.0, 1.0, 0.0]);
    }

    #[test]
    fn mteval_smoothing_gives_an_order_without_ngrams_precision_1() {
        // Segment scores by mteval-v13a itself.
        let scoring = Scoring { smoothing: Smoothing::Mteval, effective_order: false };
        for (reference, output, expected) in [
            ("yes", "yes", 1.0),
            ("no way", "maybe", 0.309_348_503_326_605_63),
            ("a b c d e f", "u v w x y z", 0.040_583_489_434_387_374),
            ("no way", "", 0.0),
            ("", "", 0.0),
        ] {
            let sums = row(&[reference], output);
            assert!((scoring.score(&sums) - 100.0 * expected).abs() < 1e-12, "{output:?}");
            assert!((scoring.details(&sums).score - 100.0 * expected).abs() < 1e-12);
        }
    }

    #[test]
    fn smoothings_agree_with_chen_and_cherry() {
        // Worked example of smoothings 1, 2 and 3 of the paper, to ten digits.
        let sums = row(&["the cat is on the mat"], "the cat sat on mat");
        for (smoothing, expected) in [
            (Smoothing::None, 0.0),
            (Smoothing::Floor(0.1), 11.062_691_20),
            (Smoothing::AddK(1.0), 33.085_163_61),
            (Smoothing::Exp, 20.801_195_38),
        ] {
            let scoring = Scoring { smoothing, effective_order: false };
            assert!((scoring.score(&sums) - expected).abs() < 1e-7, "{smoothing:?}");
            assert!((scoring.details(&sums).score - scoring.score(&sums)).abs() < 1e-15);
        }
    }

    #[test]
    fn the_quick_score_equals_the_score() {
        for smoothing in [Smoothing::Exp, Smoothing::None, Smoothing::AddK(1.0), Smoothing::Mteval]
        {
            let scoring = Scoring { smoothing, effective_order: false };
            for (references, output) in [
                (["the cat is on the mat"], "the cat is on a mat"),
                (["the cat is on the mat"], "the cat is on the mat"),
                (["the cat is on the mat"], "a dog"),
                ([""], ""),
            ] {
                let sums = row(&references, output);
                let (quick, exact) = (scoring.quick_score(&sums), scoring.score(&sums));
                assert!((quick - exact).abs() < 1e-12, "{smoothing:?} {output}: {quick} {exact}");
                let columns: Vec<f64> = sums.iter().flat_map(|sum| [*sum, *sum]).collect();
                let mut both = [0.0; 2];
                scoring.quick_scores(&columns, &mut both);
                assert_eq!(both.map(f64::to_bits), [quick.to_bits(); 2]);
            }
        }
    }

    #[test]
    fn effective_order_averages_over_the_orders_of_the_output() {
        let sums = row(&["yes"], "yes");
        let score =
            |effective_order| Scoring { smoothing: Smoothing::Exp, effective_order }.score(&sums);
        assert!(score(false) == 0.0);
        assert!((score(true) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let rows = [
            [95.0, 100.0, 60.0, 40.0, 25.0, 12.0, 95.0, 85.0, 75.0, 65.0],
            [120.0, 100.0, 60.0, 40.0, 25.0, 12.0, 120.0, 110.0, 100.0, 90.0],
            [95.0, 100.0, 60.0, 40.0, 25.0, 12.0, 95.0, 85.0, 75.0, 65.0],
        ];
        for smoothing in [
            Smoothing::None,
            Smoothing::Floor(0.1),
            Smoothing::AddK(1.0),
            Smoothing::Exp,
            Smoothing::Mteval,
        ] {
            for effective_order in [false, true] {
                let scoring = Scoring { smoothing, effective_order };
                for row in &rows {
                    check_gradient(&Bleu { counts: PLAIN, scoring }, row);
                }
            }
        }
    }

    #[test]
    fn an_order_without_a_match_has_the_gradient_of_its_smoothed_precision() {
        let sums = [95.0, 100.0, 60.0, 40.0, 0.0, 0.0, 95.0, 85.0, 75.0, 65.0];
        let scoring = Scoring::default();
        let mut gradient = [f64::NAN; 10];
        scoring.gradient(&sums, &mut gradient);
        let score = scoring.score(&sums);
        assert!(gradient[4].abs() + gradient[5].abs() == 0.0);
        assert!((gradient[8] + score / 4.0 / 75.0).abs() < 1e-12);
        scoring.gradient(&[0.0; 10], &mut gradient);
        assert!(gradient.iter().all(|slope| *slope == 0.0));
    }
}
