//! Step 1, read: bytes become segments.

mod segments;

pub use segments::{InvalidUtf8, Segments, Window};
