//! NIST: its counts need two passes, one over all references and one over the outputs.

use pyo3::prelude::*;
use truebleu_core::metrics::nist::{self, Nist, References};

use crate::scorer::Scorer;
use crate::statistics::{Statistics, blocks, check_references, common_length, cut_out, windows};
use crate::texts::Text;
use crate::tokenizers;

/// NIST's counts: length of the output, mean length of the references, information of the matches and
/// totals of order 1 to `max_order`.
#[pyfunction]
#[pyo3(signature = (
    systems, references, *, tokenizer, lowercase, max_order, zero_history
))]
pub fn count_nist(
    py: Python<'_>,
    systems: Vec<Text<'_>>,
    references: Vec<Text<'_>>,
    tokenizer: &str,
    lowercase: bool,
    max_order: usize,
    zero_history: bool,
) -> PyResult<Statistics> {
    let segments = common_length(&systems, &references)?;
    let mut known = References::new(tokenizers::by_name(tokenizer)?, lowercase);
    for block in blocks(segments) {
        py.check_signals()?;
        let references = cut_out(&references, &block)?;
        let references = windows(&references);
        check_references(&references, &block)?;
        py.detach(|| known.add(&references, block.len()));
    }
    let nist = py.detach(|| Nist::new(known, max_order, zero_history));
    let stride = systems.len() * nist.width();
    let mut rows = vec![0.0; segments * stride];
    for block in blocks(segments) {
        py.check_signals()?;
        let systems = cut_out(&systems, &block)?;
        let systems = windows(&systems);
        let rows = &mut rows[block.start * stride..block.end * stride];
        py.detach(|| nist.count(&systems, block.start, rows));
    }
    Statistics::from_rows(rows, (segments, systems.len(), nist.width()))
}

/// NIST of rows of sums.
#[pyfunction]
pub fn nist_scorer() -> Scorer {
    Scorer::new(nist::score)
}

/// NIST of one row of sums: score, length penalty, and information per n-gram of each order.
#[pyfunction]
pub fn nist_details(sums: Vec<f64>) -> (f64, f64, Vec<f64>) {
    let nist::NistScore { score, length_penalty, information } = nist::details(&sums);
    (score, length_penalty, information)
}
