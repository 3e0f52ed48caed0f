//! Counting and scoring, one group of functions per metric.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::metrics::bleu::{self, Bleu, ReferenceLength, Smoothing};
use truebleu_core::metrics::chrf::{self, Chrf};
use truebleu_core::metrics::mbleu;
use truebleu_core::metrics::sentence_bleu::{self, SentenceBleu, Weight};
use truebleu_core::metrics::ter::{self, Ter};
use truebleu_core::tokenizers::Tercom;

use crate::scorer::Scorer;
use crate::statistics::{Statistics, statistics};
use crate::texts::Text;
use crate::tokenizers;

/// BLEU's counts: lengths of output and reference, matches and totals of order 1 to `max_order`.
#[pyfunction]
#[pyo3(signature = (
    systems, references, *, tokenizer, lowercase, max_order, reference_length = "closest"
))]
pub fn count_bleu(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
    max_order: usize,
    reference_length: &str,
) -> PyResult<Statistics> {
    let tokenizer = tokenizers::by_name(tokenizer)?;
    let reference_length = match reference_length {
        "closest" => ReferenceLength::Closest,
        "shortest" => ReferenceLength::Shortest,
        _ => return Err(PyValueError::new_err(format!("no length {reference_length:?}"))),
    };
    let counter = Bleu { tokenizer, lowercase, max_order, reference_length };
    statistics(py, &counter, &systems, &references)
}

fn bleu_scoring(smooth: &str, value: f64, effective_order: bool) -> PyResult<bleu::Scoring> {
    let smoothing = match smooth {
        "none" => Smoothing::None,
        "floor" => Smoothing::Floor(value),
        "add-k" => Smoothing::AddK(value),
        "exp" => Smoothing::Exp,
        "mteval" => Smoothing::Mteval,
        _ => return Err(PyValueError::new_err(format!("no smoothing {smooth:?}"))),
    };
    Ok(bleu::Scoring { smoothing, effective_order })
}

/// BLEU of rows of sums.
#[pyfunction]
#[pyo3(signature = (*, smooth, smooth_value, effective_order))]
pub fn bleu_scorer(smooth: &str, smooth_value: f64, effective_order: bool) -> PyResult<Scorer> {
    let scoring = bleu_scoring(smooth, smooth_value, effective_order)?;
    let scorer = Scorer::new(move |row| scoring.score(row));
    Ok(scorer.or_quick(move |row| scoring.quick_score(row)))
}

/// Score, brevity penalty, precisions, matches and totals.
type BleuDetails = (f64, f64, Vec<f64>, Vec<f64>, Vec<f64>);

/// BLEU of one row of sums with what it is made of.
#[pyfunction]
#[pyo3(signature = (sums, *, smooth, smooth_value, effective_order))]
pub fn bleu_details(
    sums: Vec<f64>,
    smooth: &str,
    smooth_value: f64,
    effective_order: bool,
) -> PyResult<BleuDetails> {
    let score = bleu_scoring(smooth, smooth_value, effective_order)?.details(&sums);
    let bleu::BleuScore { score, brevity_penalty, precisions, matches, totals } = score;
    Ok((score, brevity_penalty, precisions, matches, totals))
}

/// chrF's counts: n-grams of output, reference and both, for each order, characters first.
#[pyfunction]
#[pyo3(signature = (
    systems, references, *, char_order, word_order, lowercase, whitespace, beta, eps_smoothing
))]
#[expect(clippy::too_many_arguments, reason = "they are the metric's settings, by name")]
pub fn count_chrf(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    char_order: usize,
    word_order: usize,
    lowercase: bool,
    whitespace: bool,
    beta: f64,
    eps_smoothing: bool,
) -> PyResult<Statistics> {
    let scoring = chrf::Scoring { beta, eps_smoothing };
    let counter = Chrf { char_order, word_order, lowercase, whitespace, scoring };
    statistics(py, &counter, &systems, &references)
}

/// chrF of rows of sums.
#[pyfunction]
#[pyo3(signature = (*, beta, eps_smoothing))]
pub fn chrf_scorer(beta: f64, eps_smoothing: bool) -> Scorer {
    let scoring = chrf::Scoring { beta, eps_smoothing };
    Scorer::new(move |row| scoring.score(row))
}

/// TER's counts: edits and mean reference length.
#[pyfunction]
#[pyo3(signature = (
    systems, references, *, normalized, no_punct, asian_support, case_sensitive
))]
pub fn count_ter(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    normalized: bool,
    no_punct: bool,
    asian_support: bool,
    case_sensitive: bool,
) -> PyResult<Statistics> {
    let tokenizer = Tercom { normalized, no_punct, asian_support, case_sensitive };
    statistics(py, &Ter { tokenizer }, &systems, &references)
}

/// TER of rows of sums.
#[pyfunction]
pub fn ter_scorer() -> Scorer {
    Scorer::new(ter::score)
}

/// M-BLEU of rows of BLEU's sums.
#[pyfunction]
pub fn mbleu_scorer() -> Scorer {
    Scorer::new(mbleu::score)
}

/// M-BLEU of one row of BLEU's sums: score, brevity penalty and precisions.
#[pyfunction]
pub fn mbleu_details(sums: Vec<f64>) -> (f64, f64, Vec<f64>) {
    let mbleu::MbleuScore { score, brevity_penalty, precisions } = mbleu::details(&sums);
    (score, brevity_penalty, precisions)
}

/// Sentence BLEU: reference length × score, reference length, score and 1.
#[pyfunction]
#[pyo3(signature = (
    systems, references, *, tokenizer, lowercase, max_order, smoothing, value, smooth_next_order
))]
#[expect(clippy::too_many_arguments, reason = "they are the metric's settings, by name")]
pub fn count_sentence_bleu(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
    max_order: usize,
    smoothing: &str,
    value: f64,
    smooth_next_order: bool,
) -> PyResult<Statistics> {
    let tokenizer = tokenizers::by_name(tokenizer)?;
    let smoothing = sentence_smoothing(smoothing, value, smooth_next_order)?;
    let reference_length = ReferenceLength::Closest;
    let bleu = Bleu { tokenizer, lowercase, max_order, reference_length };
    let counter = SentenceBleu::new(bleu, smoothing);
    statistics(py, &counter, &systems, &references)
}

fn sentence_smoothing(
    name: &str,
    value: f64,
    next_order: bool,
) -> PyResult<sentence_bleu::Smoothing> {
    use sentence_bleu::Smoothing;
    Ok(match name {
        "none" => Smoothing::None,
        "epsilon" => Smoothing::Epsilon(value),
        "add-one" => Smoothing::AddOne,
        "halving" => Smoothing::Halving,
        "length-scaled" => Smoothing::LengthScaled { k: value },
        "average" => Smoothing::Average,
        "interpolate" => Smoothing::Interpolate { alpha: value },
        "scaled-average" => Smoothing::ScaledAverage { k: value, next_order },
        _ => return Err(PyValueError::new_err(format!("no smoothing {name:?}"))),
    })
}

fn sentence_weight(name: &str) -> PyResult<Weight> {
    match name {
        "length" => Ok(Weight::Length),
        "equal" => Ok(Weight::Equal),
        _ => Err(PyValueError::new_err(format!("no weight {name:?}"))),
    }
}

/// The mean of sentence BLEU of rows of sums.
#[pyfunction]
#[pyo3(signature = (*, weight))]
pub fn sentence_bleu_scorer(weight: &str) -> PyResult<Scorer> {
    let weight = sentence_weight(weight)?;
    Ok(Scorer::new(move |row| sentence_bleu::score(row, weight)))
}
