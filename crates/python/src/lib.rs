//! The Python module `truebleu._core`: check, convert, detach, call the core, convert back.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]
#![allow(clippy::fn_params_excessive_bools, reason = "settings are keyword arguments in Python")]
#![allow(clippy::doc_markdown, reason = "the comments become Python's docstrings")]

mod agreement;
mod explanation;
mod metrics;
mod nbest;
mod parses;
mod prepared;
mod resampling;
mod runtime;
mod statistics;
mod texts;
mod tokenizers;
mod tuning;

#[pyo3::pymodule]
mod _core {
    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const MIN_SWAP_RATIO: f64 = truebleu_core::statistics::MIN_SWAP_RATIO;
    #[pymodule_export]
    const ROUNDING: f64 = truebleu_core::statistics::ROUNDING;
    #[pymodule_export]
    const SWAPS_OF_RATIOS: u64 = truebleu_core::statistics::SWAPS_OF_RATIOS;
    #[pymodule_export]
    const TIE_TOLERANCE: f64 = truebleu_core::statistics::TIE_TOLERANCE;

    #[pymodule_export]
    use crate::agreement::{Cells, heads, one_sided_p, value_of_counts};
    #[pymodule_export]
    use crate::explanation::{loops, match_differences, trigrams};
    #[pymodule_export]
    use crate::metrics::{NativeMetric, Statistics};
    #[pymodule_export]
    use crate::nbest::PairScorer;
    #[pymodule_export]
    use crate::parses::Parses;
    #[pymodule_export]
    use crate::prepared::{ReadyReferences, ReferenceCache};
    #[pymodule_export]
    use crate::resampling::{PairTally, Pairs, Rows};
    #[pymodule_export]
    use crate::runtime::{set_threads, threads};
    #[pymodule_export]
    use crate::statistics::{
        choose_interval, critical_rank, default_interval, exact_bounds, exact_p,
        few_differing_intervals, hall_p, intervals, inverted_intervals, inverted_level,
        jackknife_errors, mcnemar_tests, mean_gradients, mean_intervals, min_replicates,
        normal_quantile, on_exact_grid, p_values, paired_rates, pass_fail_intervals,
        percentile_rank, rate_intervals, scale_swaps, student_p, student_quantiles, swap_ratios,
        swap_scales, swapped_shares, tango_bounds, without_skewness,
    };
    #[pymodule_export]
    use crate::texts::{Inspection, Repetitions, Segments, TrainingIndex, line_ends};
    #[pymodule_export]
    use crate::tokenizers::{tokenize, tokenize_ter, tokenizers};
    #[pymodule_export]
    use crate::tuning::{LineSearch, Mira};
}
