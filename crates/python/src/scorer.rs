//! `Scorer`: a metric's score of a row of sums, for kernels that score by the million.

use pyo3::prelude::*;

/// A score of a row of sums, to be called from any thread.
type Score = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// Scores rows of sums inside the native code; may differ from the metric in the last digits.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Scorer {
    pub score: Box<Score>,
}

impl Scorer {
    pub fn new(score: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { score: Box::new(score) }
    }
}
