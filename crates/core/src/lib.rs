//! The core of truebleu: text becomes counts, counts become scores.
//!
//! The modules are the steps of the data flow, in order:
//! `corpus` reads, `tokenizers` split, `metrics` count and score, `resampling` adds up replicates.
//! `agreement` compares metrics with people. `parallel` says on how many threads.

pub mod agreement;
pub mod corpus;
pub mod metrics;
pub mod nbest;
pub mod resampling;
pub mod tokenizers;
