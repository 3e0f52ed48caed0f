//! Step 4, resample: rows become the sums of many replicates, without regard to the meaning of the
//! columns.
//!
//! Every row belongs to a unit: a segment, a document, a block. Sums are exact: callers round
//! fractional columns to a grid on which no sum needs rounding, so neither threads nor the order of
//! adding nor the machine can change a digit.

mod bootstrap;
mod cipher;
mod count_at_most;
mod free_columns;
mod pairs;
mod replicates;
mod stream;
mod subset_sums;
mod swaps;
mod tally;
mod weighted_sums;
#[cfg(target_arch = "x86_64")]
mod whole_products;

pub use bootstrap::bootstrap_sums;
pub use count_at_most::count_at_most;
pub use free_columns::Count;
pub use pairs::{Scores, Side, pair_differences, pair_sums, step_down_counts};
pub use replicates::{above_and_below, differing_units, ranked};
pub use stream::{Purpose, Stream};
pub(crate) use subset_sums::{Row, add_swapped};
pub use swaps::{COINS, Swaps, swapped_sums};
pub use tally::Tally;
