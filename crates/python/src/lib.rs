//! The Python module `truebleu._core`: check, convert, detach, call the core, convert back.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]
#![allow(clippy::fn_params_excessive_bools, reason = "settings are keyword arguments in Python")]
#![allow(clippy::doc_markdown, reason = "the comments become Python's docstrings")]

mod agreement;
mod agreement_resampling;
mod arguments;
mod forensics;
mod metrics;
mod nbest;
mod nist;
mod resampling;
mod scorer;
mod segments;
mod statistics;
mod texts;
mod threads;
mod tokenizers;
mod word_metrics;

#[pyo3::pymodule]
mod _core {
    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::agreement::{agreement, calibrated_ties, judgment_counts, kept_pairs, pair_counts};
    #[pymodule_export]
    use crate::agreement_resampling::{
        exchanged_cells, heads, hybrid_values, pair_outcomes, replicate_agreement, system_agreement,
    };
    #[pymodule_export]
    use crate::arguments::{first_absent, first_stranger};
    #[pymodule_export]
    use crate::forensics::{count_composed, shifts, survey};
    #[pymodule_export]
    use crate::metrics::{
        bleu_details, bleu_scorer, chrf_scorer, count_bleu, count_chrf, count_sentence_bleu,
        count_ter, mbleu_details, mbleu_scorer, sentence_bleu_scorer, ter_scorer,
    };
    #[pymodule_export]
    use crate::nbest::PairScorer;
    #[pymodule_export]
    use crate::nist::{count_nist, nist_details, nist_scorer};
    #[pymodule_export]
    use crate::resampling::{bootstrap_sums, pair_differences, pair_sums, swapped_sums};
    #[pymodule_export]
    use crate::scorer::Scorer;
    #[pymodule_export]
    use crate::segments::Segments;
    #[pymodule_export]
    use crate::statistics::Statistics;
    #[pymodule_export]
    use crate::threads::{set_threads, threads};
    #[pymodule_export]
    use crate::tokenizers::{tokenize, tokenize_ter, tokenizers};
    #[pymodule_export]
    use crate::word_metrics::{
        count_gtm, count_length, count_per, count_wer, error_rate_scorer, gtm_scorer,
        length_ratio_scorer,
    };
}
