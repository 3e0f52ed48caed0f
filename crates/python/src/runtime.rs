//! What every binding needs: threads, truebleu's errors, and arrays that memory can hold.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pool of `set_threads`; without one, rayon's own.
static POOL: RwLock<Option<Arc<ThreadPool>>> = RwLock::new(None);

fn pool() -> Option<Arc<ThreadPool>> {
    POOL.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Lets kernels use this many threads from now on; 0 means one per processor.
#[pyfunction]
pub fn set_threads(threads: usize) -> PyResult<()> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("truebleu-{index}"))
        .build()
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    *POOL.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(pool));
    Ok(())
}

/// How many threads kernels use.
#[pyfunction]
pub fn threads() -> usize {
    pool().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
}

/// Runs work on the threads that `set_threads` chose, while other threads may use Python.
pub fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    })
}

/// As `detached`, but work that is too small to be shared stays on the calling thread.
pub fn detached_if<R: Send>(py: Python<'_>, large: bool, work: impl FnOnce() -> R + Send) -> R {
    if large { detached(py, work) } else { py.detach(work) }
}

/// truebleu's SettingError.
pub fn setting_error(py: Python<'_>, setting: &str, found: &str, expected: &str) -> PyErr {
    own_error(py, "SettingError", (setting, found, expected))
}

/// truebleu's UnknownNameError.
pub fn unknown_name(py: Python<'_>, kind: &str, name: &str, known: &[&str]) -> PyErr {
    own_error(py, "UnknownNameError", (kind, name, known))
}

/// The error of that name in `truebleu.errors`.
pub fn own_error<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let errors = py.import("truebleu.errors");
    let error = errors.and_then(|errors| errors.getattr(name)?.call1(arguments));
    error.map_or_else(|problem| problem, PyErr::from_value)
}

/// The replicates from `first` on, MemoryError where their numbers would not fit.
pub fn replicates(first: u64, count: u64, numbers: usize) -> PyResult<std::ops::Range<u64>> {
    let end = first.checked_add(count);
    let end = end.ok_or_else(|| PyOverflowError::new_err("replicates beyond 2**64"))?;
    let cells = usize::try_from(count).ok().and_then(|count| count.checked_mul(numbers.max(1)));
    require_memory(cells)?;
    Ok(first..end)
}

/// MemoryError unless so many numbers fit into memory: the core's own allocations abort.
pub fn require_memory(cells: Option<usize>) -> PyResult<()> {
    let fits = cells.is_some_and(|cells| Vec::<f64>::new().try_reserve_exact(cells).is_ok());
    if fits { Ok(()) } else { Err(PyMemoryError::new_err("more numbers than memory can hold")) }
}
