//! Runtime of all bindings: threads, truebleu's errors, and arrays that memory can hold.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOverflowError, PyRuntimeError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use truebleu_core::interruption::{self, Interrupted};

/// Longest time that a signal, such as Ctrl-C, waits until Python handles it.
const PATIENCE: Duration = Duration::from_millis(100);

/// A pool and the process whose threads it has: a child that was forked has none of them.
struct Pool {
    process: u32,
    /// Requested number of threads; 0 means one per processor.
    threads: usize,
    running: Arc<ThreadPool>,
}

static POOL: RwLock<Option<Pool>> = RwLock::new(None);

/// Returns the pool of this process, made when it is first needed.
fn pool() -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let threads = match &*POOL.read().unwrap_or_else(PoisonError::into_inner) {
        Some(pool) if pool.process == process => return Ok(pool.running.clone()),
        Some(pool) => pool.threads,
        None => 0,
    };
    start(threads)
}

fn start(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("truebleu-{index}"))
        .build()
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let (process, pool) = (std::process::id(), Arc::new(pool));
    let new = Pool { process, threads, running: pool.clone() };
    let old = POOL.write().unwrap_or_else(PoisonError::into_inner).replace(new);
    if let Some(old) = old
        && old.process != process
    {
        // The pool's threads stayed with the parent: ending them would wait for ever.
        std::mem::forget(old);
    }
    Ok(pool)
}

/// Lets kernels use this many threads from now on; 0 means one per processor.
#[pyfunction]
pub fn set_threads(threads: usize) -> PyResult<()> {
    start(threads).map(|_| ())
}

/// Returns the number of threads that kernels use.
#[pyfunction]
pub fn threads() -> PyResult<usize> {
    Ok(pool()?.current_num_threads())
}

/// Runs work on the threads that `set_threads` chose, while other threads may use Python.
///
/// A signal whose handler raises, as Ctrl-C does, stops the work: the error is the handler's.
pub fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = pool()?;
    py.detach(|| {
        let (sender, receiver) = channel();
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                // The results of interrupted work are dropped, so its partial state is never seen.
                let result = catch_unwind(AssertUnwindSafe(work));
                // The receiver is there until the result has come.
                let _ = sender.send(result);
            });
            let mut signal = None;
            loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(result) => {
                        if signal.is_some() {
                            interruption::clear();
                        }
                        return finished(result, signal);
                    }
                    Err(RecvTimeoutError::Timeout) if signal.is_none() => {
                        signal = raised_by_signal();
                        if signal.is_some() {
                            interruption::request();
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("a thread ended without a result"));
                    }
                }
            }
        })
    })
}

/// Returns the exception that the handler of a signal raised, if one came.
fn raised_by_signal() -> Option<PyErr> {
    Python::attach(|py| py.check_signals().err())
}

fn finished<R>(result: std::thread::Result<R>, signal: Option<PyErr>) -> PyResult<R> {
    match (result, signal) {
        (_, Some(error)) => Err(error),
        (Ok(found), None) => Ok(found),
        (Err(payload), None) if payload.is::<Interrupted>() => {
            Err(PyKeyboardInterrupt::new_err("another thread was interrupted"))
        }
        (Err(payload), None) => resume_unwind(payload),
    }
}

/// Runs like `detached`, but work that is too small to be shared stays on the calling thread.
pub fn detached_if<R: Send>(
    py: Python<'_>,
    large: bool,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    if large {
        return detached(py, work);
    }
    // Here, too, another thread's interruption may unwind.
    finished(py.detach(|| catch_unwind(AssertUnwindSafe(work))), None)
}

/// Returns truebleu's SettingError.
pub fn setting_error(py: Python<'_>, setting: &str, found: &str, expected: &str) -> PyErr {
    own_error(py, "SettingError", (setting, found, expected))
}

/// Returns truebleu's UnknownNameError.
pub fn unknown_name(py: Python<'_>, kind: &str, name: &str, known: &[&str]) -> PyErr {
    own_error(py, "UnknownNameError", (kind, name, known))
}

/// Returns the error of that name in `truebleu.errors`.
pub fn own_error<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let errors = py.import("truebleu.errors");
    let error = errors.and_then(|errors| errors.getattr(name)?.call1(arguments));
    error.map_or_else(|problem| problem, PyErr::from_value)
}

/// Returns the replicates from `first` on; MemoryError if their numbers would not fit.
pub fn replicates(first: u64, count: u64, numbers: usize) -> PyResult<std::ops::Range<u64>> {
    let end = first.checked_add(count);
    let end = end.ok_or_else(|| PyOverflowError::new_err("replicates beyond 2**64"))?;
    let cells = usize::try_from(count).ok().and_then(|count| count.checked_mul(numbers.max(1)));
    require_memory(cells)?;
    Ok(first..end)
}

/// Raises MemoryError unless `cells` numbers fit into memory: the core's own allocations abort.
pub fn require_memory(cells: Option<usize>) -> PyResult<()> {
    let fits = cells.is_some_and(|cells| Vec::<f64>::new().try_reserve_exact(cells).is_ok());
    if fits { Ok(()) } else { Err(PyMemoryError::new_err("more numbers than memory can hold")) }
}
