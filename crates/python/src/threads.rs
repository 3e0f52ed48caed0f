//! The number of threads.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use truebleu_core::parallel;

/// Lets kernels use this many threads from now on; 0 means one per processor.
#[pyfunction]
pub fn set_threads(threads: usize) -> PyResult<()> {
    parallel::set_threads(threads).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// How many threads kernels use.
#[pyfunction]
pub fn threads() -> usize {
    parallel::threads()
}
