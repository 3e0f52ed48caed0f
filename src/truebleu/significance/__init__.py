"""Is a difference real: intervals, tests, corrections and ranks, from scores of replicates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.significance.comparison import (
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

# The public names, and the module that each lives in.
_HOMES = {
    "Comparison": "comparison",
    "GroupComparison": "comparison",
    "MetricResult": "comparison",
    "PairResult": "comparison",
    "SystemResult": "comparison",
    "CORRECTIONS": "corrections",
    "Correction": "corrections",
    "adjust": "corrections",
    "experimentwise_error": "corrections",
    "scheffe_p": "corrections",
    "tukey_p": "corrections",
    "westfall_young": "corrections",
    "GateCheck": "gate",
    "GateResult": "gate",
    "GateSettings": "gate",
    "INTERVAL_METHODS": "intervals",
    "IntervalMethod": "intervals",
    "bca_interval": "intervals",
    "percentile_interval": "intervals",
    "RunScores": "optimizer_runs",
    "group_runs": "optimizer_runs",
    "Heterogeneity": "panel",
    "Panel": "panel",
    "PanelComparison": "panel",
    "PanelSettings": "panel",
    "PanelSystem": "panel",
    "SetResult": "panel",
    "read_panel": "panel",
    "clusters": "pairs",
    "probability_of_best": "pairs",
    "rank_ranges": "pairs",
    "CURVES": "people",
    "AgreementCurve": "people",
    "PeopleAgreement": "people",
    "find_curve": "people",
    "people_agreement": "people",
    "read_curves": "people",
    "GroupScores": "scores",
    "Scores": "scores",
    "SystemScores": "scores",
    "CompareSettings": "settings",
    "IntervalSettings": "settings",
    "ResamplingSettings": "settings",
    "MetricStatistics": "statistics",
    "bootstrap_scores": "statistics",
    "metric_statistics": "statistics",
    "swap_differences": "statistics",
    "student_interval": "student",
    "TESTS": "tests",
    "SignificanceTest": "tests",
    "absolute_bootstrap_p": "tests",
    "bootstrap_wins": "tests",
    "equivalence_p": "tests",
    "fewest_units": "tests",
    "find_test": "tests",
    "monte_carlo_error": "tests",
    "monte_carlo_interval": "tests",
    "non_inferiority_p": "tests",
    "randomization_p": "tests",
    "shifted_bootstrap_p": "tests",
    "smallest_p": "tests",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
