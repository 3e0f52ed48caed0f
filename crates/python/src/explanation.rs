//! N-grams that one system matches more often than another, and properties of outputs.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyString};
use truebleu_core::explanation;
use truebleu_core::metrics::bleu::BleuCounts;

use crate::metrics::{common_length, cut_out, windows};
use crate::runtime::detached;
use crate::texts::Text;
use crate::tokenizers;

/// Orders and names of n-grams; then n-gram, segment and difference of each differing match.
type MatchDifferences<'py> = (
    Bound<'py, PyArray1<i64>>,
    Vec<String>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
);

/// Lists the segments in which two systems match n-grams of the references differently often, as
/// BLEU counts them.
#[pyfunction]
#[pyo3(signature = (first, second, references, *, tokenizer, lowercase, max_order))]
pub fn match_differences<'py>(
    py: Python<'py>,
    first: Text<'py>,
    second: Text<'py>,
    references: Vec<Text<'py>>,
    tokenizer: &str,
    lowercase: bool,
    max_order: usize,
) -> PyResult<MatchDifferences<'py>> {
    let tokenizer = tokenizers::by_name(py, tokenizer)?;
    let counts = BleuCounts { tokenizer, lowercase, max_order, ..BleuCounts::default() };
    let systems = [first, second];
    let segments = common_length(&systems, &references)?;
    let (systems, references) =
        (cut_out(&systems, &(0..segments))?, cut_out(&references, &(0..segments))?);
    let (outputs, references) = ([systems[0].window(), systems[1].window()], windows(&references));
    let found =
        detached(py, || explanation::match_differences(&counts, outputs, &references, segments))?;
    let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let (orders, names): (Vec<i64>, Vec<String>) =
        found.ngrams.into_iter().map(|(order, name)| (number(order), name)).unzip();
    let differences = found.differences;
    let ngrams: Vec<i64> = differences.iter().map(|one| number(one.ngram)).collect();
    let places: Vec<i64> = differences.iter().map(|one| number(one.segment)).collect();
    let sizes: Vec<f64> = differences.iter().map(|one| one.difference).collect();
    Ok((
        orders.into_pyarray(py),
        names,
        ngrams.into_pyarray(py),
        places.into_pyarray(py),
        sizes.into_pyarray(py),
    ))
}

/// Returns the different sequences of three characters of a text.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn trigrams<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyFrozenSet>> {
    let characters = text.to_string_lossy();
    let starts = characters.char_indices().map(|(start, _)| start);
    let ends: Vec<usize> = starts.chain([characters.len()]).collect();
    let trigrams: Vec<&str> = ends.windows(4).map(|ends| &characters[ends[0]..ends[3]]).collect();
    PyFrozenSet::new(text.py(), trigrams)
}

/// Returns the characters of each run of three or more equal parts, and of its part, which has from
/// two to `longest` characters. Runs do not overlap, and have the shortest part that fits.
#[pyfunction]
#[pyo3(signature = (text, longest, /))]
pub fn loops(text: &str, longest: usize) -> Vec<(usize, usize)> {
    explanation::loops(text, longest)
}
