//! Statistics of a pair of systems or of a score: intervals, tests and contributions, made of numbers.
//!
//! Functions take numbers (jackknife scores, tallies, rates) and no metric, except the gradient
//! along a path and the comparison of two systems on a selection of segments, which combines the
//! other functions. Python and the report's page call them, so that both show the same digits.

#![allow(clippy::float_cmp, reason = "exact cases have exact values")]
#![allow(clippy::doc_markdown, reason = "methods are called after people")]

pub mod distributions;
pub mod few_scores;
pub mod intervals;
pub mod inversion;
pub mod jackknife;
pub mod path;
pub mod percentiles;
pub mod rates;
pub mod selection;
pub mod swaps;
pub mod units;

/// Bits of a float's significand, less one for the doubling in a difference of two sums.
pub const SIGNIFICANT_BITS: i32 = 52;
/// Share of their scale within which two numbers tie. Sums taken in another order differ by some 1e-15 of
/// the scale; scores that differ for a reason differ by much more.
pub const TIE_TOLERANCE: f64 = 1e-9;
/// Share of the scores' size within which estimates vary by rounding only.
pub const ROUNDING: f64 = 1e-12;
/// Swaps by which their variance is known within 5 %.
pub const SWAPS_OF_RATIOS: u64 = 1000;
/// Seed of these swaps.
pub const SEED_OF_RATIOS: u64 = 12_345;
/// Ratio of variances below which swaps find too many differences.
pub const MIN_SWAP_RATIO: f64 = 0.9;
/// Number of units from which Hall's interval takes their skewness for real.
pub const MIN_UNITS_OF_HALL: usize = 30;
/// Number of units from which the bootstrap's percentiles of a mean cover as often as they should.
pub const MIN_UNITS_OF_BOOTSTRAP: usize = 50;

/// An interval: its low and its high end.
pub type Interval = (f64, f64);
