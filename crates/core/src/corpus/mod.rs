//! Step 1, read: bytes become segments.

mod alignment;
mod characters;
pub mod conllu;
mod inspection;
mod pieces;
mod repetitions;
mod scripts;
mod segments;
mod sketches;
mod text_warnings;
mod training;

pub use inspection::{Finding, Inspection};
pub use repetitions::Repetitions;
pub use scripts::{Letters, letters};
pub use segments::{InvalidUtf8, Segments, Window, line_ends};
pub use text_warnings::{Sighting, Survey, count_composed, survey};
pub use training::TrainingIndex;
