//! Scores of all pairs of a list, and each candidate's expected score.

use rayon::prelude::*;

use super::metrics::OverlapMetric;
use super::overlaps::{Overlaps, Role};
use crate::interruption;

/// A row of counts becomes a score.
pub type Score<'a> = &'a (dyn Fn(&[f64]) -> f64 + Sync);

/// Candidates of one segment, and the texts to compare them with.
#[derive(Debug, Clone)]
pub struct List<'a> {
    /// The candidates.
    pub candidates: Vec<&'a str>,
    /// Texts to compare with, or None to compare the candidates with each other.
    pub references: Option<Vec<&'a str>>,
    /// Weight of each reference.
    pub weights: Vec<f64>,
}

impl List<'_> {
    fn references(&self) -> usize {
        self.references.as_ref().unwrap_or(&self.candidates).len()
    }

    fn read_into(&self, metric: &impl OverlapMetric, overlaps: &mut Overlaps) {
        match &self.references {
            None => overlaps.read(metric, self.candidates.iter().map(|&text| (text, Role::Both))),
            Some(references) => {
                let outputs = self.candidates.iter().map(|&text| (text, Role::Output));
                let references = references.iter().map(|&text| (text, Role::Reference));
                overlaps.read(metric, outputs.chain(references));
            }
        }
    }
}

/// Memory that is reused from list to list.
#[derive(Debug, Default)]
struct Scratch {
    overlaps: Overlaps,
    matches: Vec<u32>,
    of_pair: Vec<f64>,
    row: Vec<f64>,
}

impl Scratch {
    /// Calls `visit` with every candidate, reference and score of the one against the other. The scores
    /// of a candidate come in the order of the references.
    fn for_each_pair<M: OverlapMetric>(
        &mut self,
        metric: &M,
        score: Score<'_>,
        list: &List<'_>,
        mut visit: impl FnMut(usize, usize, f64),
    ) {
        let Self { overlaps, matches, of_pair, row } = self;
        let (symmetric, references) = (list.references.is_none(), list.references());
        let offset = if symmetric { 0 } else { list.candidates.len() };
        let orders = metric.max_orders().iter().sum();
        matches.resize(orders * references, 0);
        of_pair.resize(orders, 0.0);
        row.resize(metric.width(), 0.0);
        list.read_into(metric, overlaps);
        overlaps.prepare_pairs();
        for i in 0..list.candidates.len() {
            interruption::check();
            if symmetric {
                overlaps.own_matches(i, of_pair);
                metric.row(overlaps.totals(i), overlaps.totals(i), of_pair, row);
                visit(i, i, score(row));
            }
            overlaps.matches(i, references, symmetric, matches);
            for j in if symmetric { i + 1 } else { 0 }..references {
                for (order, cell) in of_pair.iter_mut().enumerate() {
                    *cell = f64::from(matches[order * references + j]);
                }
                let (output, reference) = (overlaps.totals(i), overlaps.totals(offset + j));
                metric.row(output, reference, of_pair, row);
                visit(i, j, score(row));
                if symmetric {
                    metric.row(reference, output, of_pair, row);
                    visit(j, i, score(row));
                }
            }
        }
    }
}

/// Expected scores of one list's candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// Sum over the references of weight times score, for each candidate.
    pub utilities: Vec<f64>,
    /// Score of each candidate against itself; empty if the references are other texts.
    pub own: Vec<f64>,
}

/// Computes the expected score of each candidate of each list; lists are spread over the threads.
pub fn expected_utilities<M: OverlapMetric>(
    metric: &M,
    score: Score<'_>,
    lists: &[List<'_>],
) -> Vec<Expected> {
    by_list(lists, |scratch, list| {
        let mut utilities = vec![0.0; list.candidates.len()];
        let mut own = vec![0.0; if list.references.is_none() { utilities.len() } else { 0 }];
        scratch.for_each_pair(metric, score, list, |i, j, score| {
            utilities[i] += list.weights[j] * score;
            if i == j && !own.is_empty() {
                own[i] = score;
            }
        });
        Expected { utilities, own }
    })
}

/// Scores each candidate (rows) against each reference (columns) of each list.
pub fn utility_matrix<M: OverlapMetric>(
    metric: &M,
    score: Score<'_>,
    lists: &[List<'_>],
) -> Vec<Vec<f64>> {
    by_list(lists, |scratch, list| {
        let references = list.references();
        let mut matrix = vec![0.0; list.candidates.len() * references];
        scratch.for_each_pair(metric, score, list, |i, j, score| {
            matrix[i * references + j] = score;
        });
        matrix
    })
}

/// Scores each candidate against the mean of the references' counts: one score for each candidate
/// instead of one for each pair (`DeNero` et al., 2009; Vamvas and Sennrich, 2024).
pub fn aggregate_utilities<M: OverlapMetric>(
    metric: &M,
    score: Score<'_>,
    lists: &[List<'_>],
) -> Vec<Vec<f64>> {
    by_list(lists, |scratch, list| {
        let Scratch { overlaps, of_pair, row, .. } = scratch;
        let orders = metric.max_orders().iter().sum();
        list.read_into(metric, overlaps);
        let mean = overlaps.mean_of_references(&list.weights);
        let offset = if list.references.is_none() { 0 } else { list.candidates.len() };
        let mut totals = vec![0.0; orders];
        for (reference, weight) in list.weights.iter().enumerate() {
            for (sum, total) in totals.iter_mut().zip(overlaps.totals(offset + reference)) {
                *sum += weight * total;
            }
        }
        of_pair.resize(orders, 0.0);
        row.resize(metric.width(), 0.0);
        (0..list.candidates.len())
            .map(|i| {
                interruption::check();
                overlaps.matches_with_mean(i, &mean, of_pair);
                metric.row(overlaps.totals(i), &totals, of_pair, row);
                score(row)
            })
            .collect()
    })
}

fn by_list<'a, T: Send>(
    lists: &[List<'a>],
    of_list: impl Fn(&mut Scratch, &List<'a>) -> T + Sync + Send,
) -> Vec<T> {
    if let [list] = lists {
        return vec![of_list(&mut Scratch::default(), list)];
    }
    lists.par_iter().map_init(Scratch::default, of_list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::chrf::{Chrf, Scoring};
    use crate::metrics::{Segment, SegmentCounter};

    const CHRF: Chrf = Chrf {
        char_order: 6,
        word_order: 2,
        lowercase: false,
        whitespace: false,
        scoring: Scoring { beta: 2.0, eps_smoothing: false },
    };
    const TEXTS: [&str; 5] = ["the cat sat.", "a cat sat there", "", "the the cat", "le chat"];

    fn plain(output: &str, reference: &str) -> f64 {
        let mut row = vec![0.0; CHRF.width()];
        CHRF.count_segment(
            Segment { references: &[reference], outputs: &[output] },
            &mut row,
            &mut CHRF.scratch(),
        );
        CHRF.scoring.score(&row)
    }

    fn list(references: Option<Vec<&'static str>>, weights: &[f64]) -> List<'static> {
        List { candidates: TEXTS.to_vec(), references, weights: weights.to_vec() }
    }

    #[test]
    fn every_pair_has_the_score_of_the_metric() {
        let score: Score<'_> = &|row| CHRF.scoring.score(row);
        for references in [None, Some(vec!["the cat", "a dog sat", ""])] {
            let columns = references.clone().unwrap_or(TEXTS.to_vec());
            let weights = vec![1.0; columns.len()];
            let lists = [list(references, &weights), list(None, &[0.0; 5])];
            let matrix = &utility_matrix(&CHRF, score, &lists)[0];
            for (i, output) in TEXTS.iter().enumerate() {
                for (j, reference) in columns.iter().enumerate() {
                    let found = matrix[i * columns.len() + j];
                    assert!((found - plain(output, reference)).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn expected_scores_are_weighted_sums_of_rows() {
        let score: Score<'_> = &|row| CHRF.scoring.score(row);
        let weights = [0.1, 0.2, 0.3, 0.15, 0.25];
        let found = &expected_utilities(&CHRF, score, &[list(None, &weights)])[0];
        for (i, output) in TEXTS.iter().enumerate() {
            let pairs = TEXTS.iter().zip(weights);
            let expected: f64 = pairs.map(|(text, weight)| weight * plain(output, text)).sum();
            assert!((found.utilities[i] - expected).abs() < 1e-12);
            assert!((found.own[i] - plain(output, output)).abs() < 1e-12);
        }
    }

    #[test]
    fn against_a_single_reference_the_mean_is_that_reference() {
        let score: Score<'_> = &|row| CHRF.scoring.score(row);
        let lists = [list(Some(vec!["the cat sat"]), &[1.0])];
        let (aggregate, exact) =
            (aggregate_utilities(&CHRF, score, &lists), expected_utilities(&CHRF, score, &lists));
        for (a, b) in aggregate[0].iter().zip(&exact[0].utilities) {
            assert!((a - b).abs() < 1e-12);
        }
    }
}
