//! `Scorer`: a metric's score of rows of sums, one at a time, many at once, or inside kernels.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use truebleu_core::metrics;

/// A score of a row of sums, to be called from any thread.
type Score = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// Scores rows of sums.
#[pyclass(frozen, module = "truebleu._core")]
pub struct Scorer {
    exact: Box<Score>,
    quick: Option<Box<Score>>,
}

impl Scorer {
    pub fn new(score: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { exact: Box::new(score), quick: None }
    }

    /// With a quicker way that may differ in the last digits, for kernels that score by the million.
    pub fn or_quick(self, quick: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self { quick: Some(Box::new(quick)), ..self }
    }

    pub fn exact(&self) -> &Score {
        &*self.exact
    }

    pub fn for_kernels(&self) -> &Score {
        self.quick.as_deref().unwrap_or(&*self.exact)
    }
}

#[pymethods]
impl Scorer {
    /// The score of one row.
    fn score(&self, sums: Vec<f64>) -> f64 {
        (self.exact)(&sums)
    }

    /// The score of each row.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        sums: PyReadonlyArray2<'py, f64>,
    ) -> Bound<'py, PyArray1<f64>> {
        let sums = sums.as_array();
        py.detach(|| metrics::scores(&sums, &*self.exact)).into_pyarray(py)
    }
}
