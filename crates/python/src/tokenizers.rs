//! Tokenizers, one line at a time: to look at what a metric sees.

use pyo3::prelude::*;
use truebleu_core::tokenizers::{Tercom, Tokenizer};

use crate::runtime::unknown_name;

/// The tokenizer of that name, or truebleu's UnknownNameError.
pub fn by_name(py: Python<'_>, name: &str) -> PyResult<Tokenizer> {
    Tokenizer::by_name(name).ok_or_else(|| unknown_name(py, "tokenizer", name, &tokenizers()))
}

/// The names of the tokenizers.
#[pyfunction]
pub fn tokenizers() -> Vec<&'static str> {
    Tokenizer::ALL.iter().map(|(name, _)| *name).collect()
}

/// The tokens of a line as BLEU and NIST see them.
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

/// A line as TER tokenizes it, the tokens separated by single spaces.
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
