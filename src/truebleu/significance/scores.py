"""How sure scores are: each system's score with its interval."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truebleu.metrics.registry import as_metrics
from truebleu.metrics.score import score_test_set
from truebleu.resampling import Bootstrap
from truebleu.significance.intervals import score_intervals
from truebleu.significance.settings import CompareSettings, units_of
from truebleu.significance.statistics import bootstrap_scores, metric_statistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.metrics.score import Scores
    from truebleu.significance.statistics import Progress

# The settings that intervals have; those of tests would say nothing here.
INTERVAL_SETTINGS = ("replicates", "seed", "level", "unit", "block_length", "by_domain", "interval")


def score_with_intervals(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: CompareSettings | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score the systems of a test set, each score with its interval."""
    settings = settings or CompareSettings()
    parsed = as_metrics(metrics)
    units = units_of(test_set, settings)
    counted = metric_statistics(test_set, parsed, units)
    bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
    intervals = {
        one.label: score_intervals(one, replicates, settings)
        for one, replicates in zip(
            counted, bootstrap_scores(counted, units, bootstrap, progress), strict=True
        )
    }
    scores = score_test_set(test_set, parsed)
    systems = tuple(
        replace(
            system,
            intervals={
                label: (float(low[index]), float(high[index]))
                for label, (low, high) in intervals.items()
            },
        )
        for index, system in enumerate(scores.systems)
    )
    kept = {name: value for name, value in settings.to_dict().items() if name in INTERVAL_SETTINGS}
    return replace(scores, systems=systems, settings={**kept, "units": len(units)})
