//! Step 1, read: bytes become segments.

mod forensics;
mod segments;
mod shifts;

pub use forensics::{Sighting, Survey, count_composed, survey};
pub use segments::{InvalidUtf8, Segments, Window};
pub use shifts::{Shift, shifts};
