//! Stopping long work: a caller requests it from another thread, and the work unwinds soon after.
//!
//! Kernels call [`check`] every few milliseconds. Without a request it costs one read.
//!
//! ```
//! use truebleu_core::interruption;
//! interruption::request();
//! let stopped = std::panic::catch_unwind(interruption::check);
//! interruption::clear();
//! assert!(stopped.is_err_and(|payload| payload.is::<interruption::Interrupted>()));
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of pending requests: several callers may wait for their work to stop.
static REQUESTS: AtomicUsize = AtomicUsize::new(0);

/// Payload of the panic that stops work.
#[derive(Debug, Clone, Copy)]
pub struct Interrupted;

/// Tells all work in this process to stop, until [`clear`] is called as often.
pub fn request() {
    REQUESTS.fetch_add(1, Ordering::Relaxed);
}

/// Takes one request back: its work has stopped.
pub fn clear() {
    REQUESTS.fetch_sub(1, Ordering::Relaxed);
}

/// Unwinds with [`Interrupted`] where the work was told to stop; no panic message is printed.
#[inline]
pub fn check() {
    if REQUESTS.load(Ordering::Relaxed) > 0 {
        std::panic::resume_unwind(Box::new(Interrupted));
    }
}
