"""Equivalent systems as they are given: their p-values by several tests, side by side.

Riezler & Maxwell (2005, §4.3, Table 2) compared variants of a system that they took for equal. The
runs of one optimizer are such variants: whoever takes them for equal counts every rejection as an
error of type I. Nothing is made equal here, so whether that is right is for you to judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.execution.journal import Runner, Task
from truebleu.significance._checks import TIE_TOLERANCE, require_alpha
from truebleu.studies._nulls import require_enough_replicates, require_enough_units
from truebleu.studies._pairs import Testing, require_tests
from truebleu.studies._pool import Pool
from truebleu.studies._study import StudyResult, StudySettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pool import PoolUnit

__all__ = ["EquivalentPair", "EquivalentsResult", "EquivalentsSettings", "study_equivalents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalentsSettings(StudySettings):
    """The settings of the study; `alpha` is the level at which rejections are counted."""

    STUDY: ClassVar[str] = "equivalents"

    tests: tuple[str, ...]
    alpha: float
    replicates: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalentPair:
    """Two systems taken for equal, by one metric; p-values are in the order of the tests."""

    metric: str
    a: str
    b: str
    difference: float
    p: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalentsResult(StudyResult):
    """The p-values of all pairs by every metric and test."""

    REPORT: ClassVar[str] = "truebleu.reports.studies.equivalents"

    settings: EquivalentsSettings
    rows: tuple[EquivalentPair, ...]

    def p_values(self, metric: str, test: str) -> list[float]:
        """Those of all pairs by one metric and test."""
        place = self.settings.tests.index(test)
        return [row.p[place] for row in self.rows if row.metric == metric]

    def rejected(self, metric: str, test: str) -> int:
        """How many pairs are found to differ."""
        limit = self.settings.alpha + TIE_TOLERANCE
        return sum(p <= limit for p in self.p_values(metric, test))


def study_equivalents(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("nist",),
    *,
    tests: Sequence[str] = ("ar", "bootstrap-absolute"),
    unit: PoolUnit = "segment",
    alpha: float = 0.05,
    replicates: int = 10_000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> EquivalentsResult:
    """The p-values of all pairs of systems that are taken for equal.

    Args:
        test_set: systems that should not differ, such as several runs of one system.
        metrics: by which to compare.
        tests: some of `truebleu.studies._pairs.TESTS`; the others are compared with the first.
        unit: what the tests resample: segments or documents.
        alpha: the level at which rejections are counted.
        replicates: of each test.
        seed: of the replicates.
        runner: keeps the results and shows progress.
    """
    testing = Testing(tests=require_tests(tests), replicates=replicates, seed=seed)
    require_enough_replicates(replicates, require_alpha(alpha))
    pool = Pool.of(test_set, metrics, unit)
    pool.require_systems(2)
    require_enough_units(len(pool), unit, alpha)
    settings = EquivalentsSettings(
        pool=pool.summary, tests=testing.tests, alpha=alpha, replicates=replicates, seed=seed
    )
    tasks = [
        Task((statistics.label,), partial(_p_values, statistics, testing))
        for statistics in pool.statistics
    ]
    records = (runner or Runner()).run(settings, tasks)
    rows = []
    for (metric,), record in records.items():
        for place, (a, b) in enumerate(combinations(pool.names, 2)):
            p = tuple(record[test][place] for test in testing.tests)
            difference = record["differences"][place]
            rows.append(EquivalentPair(metric=str(metric), a=a, b=b, difference=difference, p=p))
    return EquivalentsResult(settings=settings, rows=tuple(rows))


def _p_values(statistics: MetricStatistics, testing: Testing) -> Record:
    pairs = list(combinations(range(statistics.systems), 2))
    left, right = np.array(pairs).T
    by_test = testing.p_values(statistics, pairs, 0)
    differences = (statistics.scores[left] - statistics.scores[right]).tolist()
    return {"differences": differences, **{test: p.tolist() for test, p in by_test.items()}}
