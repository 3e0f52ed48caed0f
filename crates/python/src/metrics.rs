//! Counting and scoring, one group of functions per metric.

use numpy::ndarray::ArrayView1;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use truebleu_core::metrics::bleu::{self, Bleu, Smoothing};
use truebleu_core::metrics::chrf::{self, Chrf};
use truebleu_core::metrics::ter::{self, Ter};
use truebleu_core::tokenizers::Tercom;

use crate::statistics::{Statistics, statistics};
use crate::texts::Text;
use crate::tokenizers;

/// One score for each row of sums.
fn scores<'py>(
    sums: &PyReadonlyArray2<'py, f64>,
    score: impl Fn(&[f64]) -> f64,
) -> Bound<'py, PyArray1<f64>> {
    let of_row = |row: ArrayView1<'_, f64>| match row.as_slice() {
        Some(row) => score(row),
        None => score(&row.to_vec()),
    };
    sums.as_array().outer_iter().map(of_row).collect::<Vec<_>>().into_pyarray(sums.py())
}

/// BLEU's counts: lengths of output and reference, matches and totals of order 1 to `max_order`.
#[pyfunction]
#[pyo3(signature = (systems, references, *, tokenizer, lowercase, max_order))]
pub fn count_bleu(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
    max_order: usize,
) -> PyResult<Statistics> {
    let tokenizer = tokenizers::by_name(tokenizer)?;
    statistics(py, &Bleu { tokenizer, lowercase, max_order }, &systems, &references)
}

fn bleu_scoring(smooth: &str, value: f64, effective_order: bool) -> PyResult<bleu::Scoring> {
    let smoothing = match smooth {
        "none" => Smoothing::None,
        "floor" => Smoothing::Floor(value),
        "add-k" => Smoothing::AddK(value),
        "exp" => Smoothing::Exp,
        _ => return Err(PyValueError::new_err(format!("no smoothing {smooth:?}"))),
    };
    Ok(bleu::Scoring { smoothing, effective_order })
}

/// BLEU of each row of sums.
#[pyfunction]
#[pyo3(signature = (sums, *, smooth, smooth_value, effective_order))]
pub fn bleu_scores<'py>(
    sums: PyReadonlyArray2<'py, f64>,
    smooth: &str,
    smooth_value: f64,
    effective_order: bool,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let scoring = bleu_scoring(smooth, smooth_value, effective_order)?;
    Ok(scores(&sums, |row| scoring.score(row)))
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

/// chrF of each row of sums.
#[pyfunction]
#[pyo3(signature = (sums, *, beta, eps_smoothing))]
pub fn chrf_scores(
    sums: PyReadonlyArray2<'_, f64>,
    beta: f64,
    eps_smoothing: bool,
) -> Bound<'_, PyArray1<f64>> {
    let scoring = chrf::Scoring { beta, eps_smoothing };
    scores(&sums, |row| scoring.score(row))
}

/// chrF of one row of sums.
#[pyfunction]
#[pyo3(signature = (sums, *, beta, eps_smoothing))]
pub fn chrf_score(sums: Vec<f64>, beta: f64, eps_smoothing: bool) -> f64 {
    chrf::Scoring { beta, eps_smoothing }.score(&sums)
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

/// TER of each row of sums.
#[pyfunction]
pub fn ter_scores(sums: PyReadonlyArray2<'_, f64>) -> Bound<'_, PyArray1<f64>> {
    scores(&sums, ter::score)
}

/// TER of one row of sums.
#[pyfunction]
pub fn ter_score(sums: Vec<f64>) -> f64 {
    ter::score(&sums)
}
