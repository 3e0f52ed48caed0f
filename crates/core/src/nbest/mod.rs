//! Lists of candidates for one segment: how alike all of them are, and which weights choose the best.
//!
//! Minimum Bayes risk needs a sentence score of every candidate against every other one. For
//! metrics of clipped n-gram matches each text is taken apart once: the k-th occurrence of an
//! n-gram in a text is an item of its own, so that the clipped matches of two texts are the size of
//! an intersection of sets (`overlaps`), the same in both directions. [`metrics`] has each metric's
//! items and row of counts, [`utilities`] makes scores of all pairs.
//!
//! Weights of features are tuned on rows of counts: [`lines`] searches lines exactly, [`mira`] learns
//! segment by segment.

mod envelope;
pub mod lines;
pub mod metrics;
pub mod mira;
mod occurrences;
mod overlaps;
pub mod utilities;

pub use metrics::{OverlapMetric, Totals};
pub use utilities::{List, aggregate_utilities, expected_utilities, utility_matrix};
