//! Agreement of a metric with people: pairs counted, coefficients, ties, and their resampling.

#![allow(clippy::float_cmp, reason = "scores are tied where they are exactly equal")]
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "no count reaches 2^63")]

pub mod bootstrap;
pub mod by_item;
pub mod calibration;
pub mod coefficients;
mod evaluation;
mod exact;
pub mod groups;
pub mod pairs;
pub mod permutation;
mod permuted_pairs;
pub mod permuted_ties;
mod pooled;
pub mod soft_pairwise;
mod threshold_changes;
