//! Statistics of a pair of systems or of a score: intervals, tests and contributions, made of numbers.
//!
//! Every function takes numbers (jackknife scores, tallies, rates) and none takes a metric, except the
//! gradient along a path. Python and the report's page call them, so that both show the same digits.

pub mod units;

/// Bits of a float's significand, less one for the doubling in a difference of two sums.
pub const SIGNIFICANT_BITS: i32 = 52;
