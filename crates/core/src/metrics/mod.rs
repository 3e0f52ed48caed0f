//! Step 3, count and score: segments become rows of counts, and summed rows become a score.

mod bag;
pub mod bleu;
pub mod chrf;
mod counting;
mod edits;
pub mod gtm;
pub mod length;
pub mod mbleu;
pub(crate) mod ngrams;
pub mod nist;
pub mod per;
mod positions;
pub mod rates;
mod runs;
mod scoring;
pub mod sentence_bleu;
pub(crate) mod symbols;
pub mod ter;
pub mod wer;
pub mod words;

pub use counting::{Counter, count};
pub use scoring::scores;
