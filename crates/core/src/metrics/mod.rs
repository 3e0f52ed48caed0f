//! Step 3, count and score: segments become rows of counts, and summed rows become a score.

pub mod bleu;
pub mod chrf;
mod counting;
mod ngrams;
mod symbols;
pub mod ter;

pub use counting::{Counter, count};
