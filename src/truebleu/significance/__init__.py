"""Is a difference real: intervals, tests, corrections and ranks, from scores of replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.significance.compare import Comparison, MetricResult, PairResult, SystemResult
    from truebleu.significance.corrections import (
        CORRECTIONS,
        Correction,
        adjust,
        experimentwise_error,
        scheffe_p,
        tukey_p,
        westfall_young,
    )
    from truebleu.significance.gate import GateCheck, GateResult, GateSettings
    from truebleu.significance.intervals import (
        INTERVAL_METHODS,
        IntervalMethod,
        basic_interval,
        bca_interval,
        percentile_interval,
    )
    from truebleu.significance.optimizer_runs import RunScores, group_runs
    from truebleu.significance.pairs import clusters, probability_of_best, rank_ranges
    from truebleu.significance.scores import Scores, SystemScores
    from truebleu.significance.settings import (
        CompareSettings,
        IntervalSettings,
        ResamplingSettings,
    )
    from truebleu.significance.statistics import (
        MetricStatistics,
        bootstrap_scores,
        metric_statistics,
        swap_differences,
    )
    from truebleu.significance.student import student_interval
    from truebleu.significance.tests import (
        TESTS,
        SignificanceTest,
        absolute_bootstrap_p,
        bootstrap_wins,
        equivalence_p,
        fewest_units,
        find_test,
        monte_carlo_error,
        monte_carlo_interval,
        non_inferiority_p,
        randomization_p,
        shifted_bootstrap_p,
        smallest_p,
    )

_HOMES = {
    "CORRECTIONS": "corrections",
    "CompareSettings": "settings",
    "Comparison": "compare",
    "Correction": "corrections",
    "GateCheck": "gate",
    "GateResult": "gate",
    "GateSettings": "gate",
    "INTERVAL_METHODS": "intervals",
    "IntervalMethod": "intervals",
    "IntervalSettings": "settings",
    "MetricResult": "compare",
    "MetricStatistics": "statistics",
    "PairResult": "compare",
    "ResamplingSettings": "settings",
    "RunScores": "optimizer_runs",
    "SignificanceTest": "tests",
    "Scores": "scores",
    "SystemResult": "compare",
    "SystemScores": "scores",
    "TESTS": "tests",
    "absolute_bootstrap_p": "tests",
    "adjust": "corrections",
    "basic_interval": "intervals",
    "bca_interval": "intervals",
    "bootstrap_scores": "statistics",
    "bootstrap_wins": "tests",
    "clusters": "pairs",
    "equivalence_p": "tests",
    "experimentwise_error": "corrections",
    "fewest_units": "tests",
    "find_test": "tests",
    "group_runs": "optimizer_runs",
    "metric_statistics": "statistics",
    "monte_carlo_error": "tests",
    "monte_carlo_interval": "tests",
    "non_inferiority_p": "tests",
    "percentile_interval": "intervals",
    "probability_of_best": "pairs",
    "randomization_p": "tests",
    "rank_ranges": "pairs",
    "scheffe_p": "corrections",
    "shifted_bootstrap_p": "tests",
    "smallest_p": "tests",
    "student_interval": "student",
    "swap_differences": "statistics",
    "tukey_p": "corrections",
    "westfall_young": "corrections",
}

__all__ = [
    "CORRECTIONS",
    "INTERVAL_METHODS",
    "TESTS",
    "CompareSettings",
    "Comparison",
    "Correction",
    "GateCheck",
    "GateResult",
    "GateSettings",
    "IntervalMethod",
    "IntervalSettings",
    "MetricResult",
    "MetricStatistics",
    "PairResult",
    "ResamplingSettings",
    "RunScores",
    "Scores",
    "SignificanceTest",
    "SystemResult",
    "SystemScores",
    "absolute_bootstrap_p",
    "adjust",
    "basic_interval",
    "bca_interval",
    "bootstrap_scores",
    "bootstrap_wins",
    "clusters",
    "equivalence_p",
    "experimentwise_error",
    "fewest_units",
    "find_test",
    "group_runs",
    "metric_statistics",
    "monte_carlo_error",
    "monte_carlo_interval",
    "non_inferiority_p",
    "percentile_interval",
    "probability_of_best",
    "randomization_p",
    "rank_ranges",
    "scheffe_p",
    "shifted_bootstrap_p",
    "smallest_p",
    "student_interval",
    "swap_differences",
    "tukey_p",
    "westfall_young",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
