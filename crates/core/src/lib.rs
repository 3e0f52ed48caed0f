//! The core of truebleu: text becomes counts, counts become scores.
//!
//! The modules are the steps of the data flow, in order:
//! `corpus` reads, `tokenizers` split, `metrics` count and score, `resampling` adds up replicates.
//! `agreement` compares metrics with people, `nbest` candidates with each other. `parallel` says on how many threads.

pub mod agreement;
pub mod corpus;
pub mod metrics;
pub mod nbest;
pub mod parallel;
pub mod resampling;
pub mod tokenizers;
