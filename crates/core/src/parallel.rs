//! The threads that kernels run on. Their number changes the time, never a digit.

use std::sync::{Arc, PoisonError, RwLock};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

static POOL: RwLock<Option<Arc<ThreadPool>>> = RwLock::new(None);

/// Lets kernels use `threads` threads from now on; 0 means one per processor.
pub fn set_threads(threads: usize) -> Result<(), ThreadPoolBuildError> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("truebleu-{index}"))
        .build()?;
    *POOL.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(pool));
    Ok(())
}

/// How many threads kernels use.
#[must_use]
pub fn threads() -> usize {
    match &*POOL.read().unwrap_or_else(PoisonError::into_inner) {
        Some(pool) => pool.current_num_threads(),
        None => rayon::current_num_threads(),
    }
}

/// Runs `work` where its parallel iterators use the configured threads.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let pool = POOL.read().unwrap_or_else(PoisonError::into_inner).clone();
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
