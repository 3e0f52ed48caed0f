//! Tokenizers, one line at a time, to inspect a metric's tokens.

use pyo3::prelude::*;
use truebleu_core::tokenizers::{Tercom, Tokenizer};

use crate::runtime::unknown_name;

/// Returns the tokenizer of a name, or truebleu's UnknownNameError.
pub fn by_name(py: Python<'_>, name: &str) -> PyResult<Tokenizer> {
    Tokenizer::by_name(name).ok_or_else(|| unknown_name(py, "tokenizer", name, &tokenizers()))
}

/// Returns the names of the tokenizers.
#[pyfunction]
pub fn tokenizers() -> Vec<&'static str> {
    Tokenizer::ALL.iter().map(|(name, _)| *name).collect()
}

/// Returns the tokens of a line for BLEU and NIST.
#[pyfunction]
#[pyo3(signature = (line, *, tokenizer, lowercase))]
pub fn tokenize(
    py: Python<'_>,
    line: &str,
    tokenizer: &str,
    lowercase: bool,
) -> PyResult<Vec<String>> {
    let mut tokens = Vec::new();
    by_name(py, tokenizer)?.tokenize(line, lowercase, |token| tokens.push(token.to_owned()));
    Ok(tokens)
}

/// Tokenizes a line for TER, and separates the tokens by single spaces.
#[pyfunction]
#[pyo3(signature = (line, *, normalized, no_punct, asian_support, case_sensitive))]
pub fn tokenize_ter(
    line: &str,
    normalized: bool,
    no_punct: bool,
    asian_support: bool,
    case_sensitive: bool,
) -> String {
    Tercom { normalized, no_punct, asian_support, case_sensitive }.tokenize(line)
}
