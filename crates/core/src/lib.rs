//! The core of truebleu: text becomes counts, counts become scores.
//!
//! The modules are the steps of the data flow, in order: [`corpus`] reads, [`tokenizers`] cut,
//! [`metrics`] count and score, [`resampling`] adds up replicates, [`statistics`] makes intervals and tests.
//! [`agreement`] compares metrics with people, [`nbest`] compares candidates with each other,
//! [`explanation`] says where a difference comes from.
//!
//! Nothing but [`interruption`] is global: kernels run in the caller's [rayon](https://docs.rs/rayon) thread pool, and a
//! replicate depends on its seed and index alone, so that the number of threads changes no digit.

#![deny(missing_docs)]

pub mod agreement;
pub mod corpus;
pub mod explanation;
pub mod interruption;
pub mod metrics;
pub mod nbest;
pub mod resampling;
pub mod statistics;
pub mod tokenizers;
