//! Counting and scoring by metrics that compare words: WER, PER, GTM and the length ratio.

use pyo3::prelude::*;
use truebleu_core::metrics::gtm::{self, Gtm};
use truebleu_core::metrics::length::{self, Length};
use truebleu_core::metrics::per::Per;
use truebleu_core::metrics::rates;
use truebleu_core::metrics::wer::Wer;
use truebleu_core::metrics::words::{Comparison, WordCounter, Words};

use crate::scorer::Scorer;
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

/// Errors per hundred words of rows of sums, which begin with errors and reference length.
#[pyfunction]
pub fn error_rate_scorer() -> Scorer {
    Scorer::new(rates::error_rate)
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

/// GTM's F-score of rows of sums.
#[pyfunction]
pub fn gtm_scorer() -> Scorer {
    Scorer::new(gtm::score)
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

/// Output words per hundred reference words of rows of sums.
#[pyfunction]
pub fn length_ratio_scorer() -> Scorer {
    Scorer::new(length::score)
}
