//! Counting and scoring by metrics that compare words: WER, PER, GTM and the length ratio.

use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use truebleu_core::metrics::gtm::{self, Gtm};
use truebleu_core::metrics::length::{self, Length};
use truebleu_core::metrics::per::Per;
use truebleu_core::metrics::rates;
use truebleu_core::metrics::wer::Wer;
use truebleu_core::metrics::words::{Comparison, WordCounter, Words};

use crate::metrics::scores;
use crate::statistics::{Statistics, statistics};
use crate::texts::Text;
use crate::tokenizers;

fn count_words(
    py: Python<'_>,
    systems: &[Text<'_>],
    references: &[Text<'_>],
    tokenizer: &str,
    lowercase: bool,
    comparison: impl Comparison,
) -> PyResult<Statistics> {
    let words = Words { tokenizer: tokenizers::by_name(tokenizer)?, lowercase };
    statistics(py, &WordCounter { words, comparison }, systems, references)
}

/// WER's counts: edits, reference length, substitutions, deletions and insertions.
#[pyfunction]
#[pyo3(signature = (systems, references, *, tokenizer, lowercase))]
pub fn count_wer(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
) -> PyResult<Statistics> {
    count_words(py, &systems, &references, tokenizer, lowercase, Wer)
}

/// PER's counts: errors and reference length.
#[pyfunction]
#[pyo3(signature = (systems, references, *, tokenizer, lowercase))]
pub fn count_per(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
) -> PyResult<Statistics> {
    count_words(py, &systems, &references, tokenizer, lowercase, Per)
}

/// Errors per hundred words of each row of sums, which begins with errors and reference length.
#[pyfunction]
pub fn error_rates(sums: PyReadonlyArray2<'_, f64>) -> Bound<'_, PyArray1<f64>> {
    scores(&sums, rates::error_rate)
}

/// Errors per hundred words of one row of sums, which begins with errors and reference length.
#[pyfunction]
pub fn error_rate(sums: Vec<f64>) -> f64 {
    rates::error_rate(&sums)
}

/// GTM's counts: size of the matching, output length and reference length.
#[pyfunction]
#[pyo3(signature = (systems, references, *, tokenizer, lowercase, exponent))]
pub fn count_gtm(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
    exponent: f64,
) -> PyResult<Statistics> {
    count_words(py, &systems, &references, tokenizer, lowercase, Gtm { exponent })
}

/// GTM's F-score of each row of sums.
#[pyfunction]
pub fn gtm_scores(sums: PyReadonlyArray2<'_, f64>) -> Bound<'_, PyArray1<f64>> {
    scores(&sums, gtm::score)
}

/// GTM's F-score of one row of sums.
#[pyfunction]
pub fn gtm_score(sums: Vec<f64>) -> f64 {
    gtm::score(&sums)
}

/// The length ratio's counts: output length and closest reference length.
#[pyfunction]
#[pyo3(signature = (systems, references, *, tokenizer, lowercase))]
pub fn count_length(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
) -> PyResult<Statistics> {
    count_words(py, &systems, &references, tokenizer, lowercase, Length)
}

/// Output words per hundred reference words of each row of sums.
#[pyfunction]
pub fn length_ratios(sums: PyReadonlyArray2<'_, f64>) -> Bound<'_, PyArray1<f64>> {
    scores(&sums, length::score)
}

/// Output words per hundred reference words of one row of sums.
#[pyfunction]
pub fn length_ratio(sums: Vec<f64>) -> f64 {
    length::score(&sums)
}
