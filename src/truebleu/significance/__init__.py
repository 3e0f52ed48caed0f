"""Is a difference real: intervals, tests, corrections and ranks, from scores of replicates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.significance.compare import (
        Comparison as Comparison,
        GroupComparison as GroupComparison,
        MetricResult as MetricResult,
        PairResult as PairResult,
        SystemResult as SystemResult,
    )
    from truebleu.significance.corrections import (
        CORRECTIONS as CORRECTIONS,
        Correction as Correction,
        adjust as adjust,
        experimentwise_error as experimentwise_error,
        scheffe_p as scheffe_p,
        tukey_p as tukey_p,
        westfall_young as westfall_young,
    )
    from truebleu.significance.gate import (
        GateCheck as GateCheck,
        GateResult as GateResult,
        GateSettings as GateSettings,
    )
    from truebleu.significance.intervals import (
        INTERVAL_METHODS as INTERVAL_METHODS,
        IntervalMethod as IntervalMethod,
        basic_interval as basic_interval,
        bca_interval as bca_interval,
        percentile_interval as percentile_interval,
    )
    from truebleu.significance.optimizer_runs import (
        RunScores as RunScores,
        group_runs as group_runs,
    )
    from truebleu.significance.pairs import (
        clusters as clusters,
        probability_of_best as probability_of_best,
        rank_ranges as rank_ranges,
    )
    from truebleu.significance.panel import (
        Heterogeneity as Heterogeneity,
        Panel as Panel,
        PanelComparison as PanelComparison,
        PanelSettings as PanelSettings,
        PanelSystem as PanelSystem,
        SetResult as SetResult,
        read_panel as read_panel,
    )
    from truebleu.significance.people import (
        CURVES as CURVES,
        AgreementCurve as AgreementCurve,
        PeopleAgreement as PeopleAgreement,
        find_curve as find_curve,
        people_agreement as people_agreement,
        read_curves as read_curves,
    )
    from truebleu.significance.scores import (
        GroupScores as GroupScores,
        Scores as Scores,
        SystemScores as SystemScores,
    )
    from truebleu.significance.settings import (
        CompareSettings as CompareSettings,
        IntervalSettings as IntervalSettings,
        ResamplingSettings as ResamplingSettings,
    )
    from truebleu.significance.statistics import (
        MetricStatistics as MetricStatistics,
        bootstrap_scores as bootstrap_scores,
        metric_statistics as metric_statistics,
        swap_differences as swap_differences,
    )
    from truebleu.significance.student import student_interval as student_interval
    from truebleu.significance.tests import (
        TESTS as TESTS,
        SignificanceTest as SignificanceTest,
        absolute_bootstrap_p as absolute_bootstrap_p,
        bootstrap_wins as bootstrap_wins,
        equivalence_p as equivalence_p,
        fewest_units as fewest_units,
        find_test as find_test,
        monte_carlo_error as monte_carlo_error,
        monte_carlo_interval as monte_carlo_interval,
        non_inferiority_p as non_inferiority_p,
        randomization_p as randomization_p,
        shifted_bootstrap_p as shifted_bootstrap_p,
        smallest_p as smallest_p,
    )

# The public names by the module that they live in.
_HOMES = {
    "compare": ["Comparison", "GroupComparison", "MetricResult", "PairResult", "SystemResult"],
    "corrections": [
        "CORRECTIONS",
        "Correction",
        "adjust",
        "experimentwise_error",
        "scheffe_p",
        "tukey_p",
        "westfall_young",
    ],
    "gate": ["GateCheck", "GateResult", "GateSettings"],
    "intervals": [
        "INTERVAL_METHODS",
        "IntervalMethod",
        "basic_interval",
        "bca_interval",
        "percentile_interval",
    ],
    "optimizer_runs": ["RunScores", "group_runs"],
    "panel": [
        "Heterogeneity",
        "Panel",
        "PanelComparison",
        "PanelSettings",
        "PanelSystem",
        "SetResult",
        "read_panel",
    ],
    "pairs": ["clusters", "probability_of_best", "rank_ranges"],
    "people": [
        "CURVES",
        "AgreementCurve",
        "PeopleAgreement",
        "find_curve",
        "people_agreement",
        "read_curves",
    ],
    "scores": ["GroupScores", "Scores", "SystemScores"],
    "settings": ["CompareSettings", "IntervalSettings", "ResamplingSettings"],
    "statistics": ["MetricStatistics", "bootstrap_scores", "metric_statistics", "swap_differences"],
    "student": ["student_interval"],
    "tests": [
        "TESTS",
        "SignificanceTest",
        "absolute_bootstrap_p",
        "bootstrap_wins",
        "equivalence_p",
        "fewest_units",
        "find_test",
        "monte_carlo_error",
        "monte_carlo_interval",
        "non_inferiority_p",
        "randomization_p",
        "shifted_bootstrap_p",
        "smallest_p",
    ],
}

__all__ = [name for names in _HOMES.values() for name in names]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
