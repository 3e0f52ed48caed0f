//! Step 1, read: bytes become segments.

pub mod conllu;
mod repetitions;
mod scripts;
mod segments;
mod shifts;
mod text_warnings;
mod training;

pub use repetitions::Repetitions;
pub use scripts::{Letters, letters};
pub use segments::{InvalidUtf8, Segments, Window, line_ends};
pub use shifts::{Shift, shifts};
pub use text_warnings::{Sighting, Survey, count_composed, survey};
pub use training::TrainingIndex;
