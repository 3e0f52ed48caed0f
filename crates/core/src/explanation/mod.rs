//! Where does a difference between two systems come from? What needs the texts once more.

mod ngrams;

pub use ngrams::{MatchDifference, MatchDifferences, match_differences};
