"""Errors of type I: how often each test finds a difference where there is none.

Riezler & Maxwell (2005, §4.3, Table 2) compared systems that they took for equal and saw smaller
p-values from the bootstrap than from approximate randomization. Here systems are equal by
construction, many times over, so the rate of rejections can be compared with the level: a test may
be trusted on these data if it rejects as often as it promises.

Every repetition has null data and replicates of its own, so repetitions are independent and the
error of a rate is binomial. (To draw replicates once for many repetitions would save a third of the
time, and cost that.)

A question that goes with it: the p-values of systems that you take for equal, such as the runs of
one optimizer; nothing is made equal there, so whether every rejection is an error is for you to
judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from truebleu._settings import DEFAULT_SEED, require_alpha
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.resampling import TIE_TOLERANCE
from truebleu.studies._nulls import (
    RATE,
    Null,
    NullSettings,
    batches,
    null_source,
    require_enough_replicates,
    require_enough_units,
    require_repetitions,
)
from truebleu.studies._pool import Pool
from truebleu.studies._study import Rate, StudyResult, StudySettings, rejection_rate
from truebleu.studies._tests import (
    STUDY_TESTS,
    TESTS,
    Testing,
    differences_of,
    require_tests,
    student_p,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._nulls import NullSource
    from truebleu.studies._pool import PoolUnit

ALPHAS = (0.01, 0.05, 0.10)

Verdict = Literal["holds", "too often", "too seldom", "undecided"]
# A level holds if the rate surely lies between half of it and one and a half (Bradley 1978).
BRADLEY = (0.5, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeOneSettings(NullSettings):
    """The settings of the study: which tests, at which significance levels."""

    STUDY: ClassVar[str] = "type-one"

    tests: tuple[str, ...]
    alphas: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejections:
    """How often a test rejects at a level; the interval of the rate is of 99 %."""

    metric: str
    test: str
    alpha: float
    rejected: Rate

    @property
    def verdict(self) -> Verdict:
        """Whether the test keeps its level, where the repetitions are enough to say so.

        To hold, the interval of the rate must lie within half and one and a half of the level: few
        repetitions are no evidence.
        """
        if not self.rejected.holds(self.alpha):
            return "too often" if self.rejected.low > self.alpha else "too seldom"
        low, high = (factor * self.alpha for factor in BRADLEY)
        return "holds" if low <= self.rejected.low and self.rejected.high <= high else "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeOneMetric:
    """What all tests by one metric show together.

    Attributes:
        metric: its label.
        absolute_below_ar: how often the bootstrap of absolute differences gives a smaller p than
            approximate randomization (Riezler and Maxwell's comparison), where both were made.
        constant: whether every p is the same, since outputs do not differ by this metric.
    """

    metric: str
    absolute_below_ar: Rate | None
    constant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeOneResult(StudyResult):
    """How often tests reject a true null hypothesis.

    Attributes:
        settings: how to repeat it.
        rows: one for each metric, test and level.
        metrics: one for each metric.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.conclusions:type_one_document"

    settings: TypeOneSettings
    rows: tuple[Rejections, ...]
    metrics: tuple[TypeOneMetric, ...]


def study_type_one(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    null: Null = "segment",
    unit: PoolUnit = "segment",
    tests: Sequence[str] = TESTS,
    alphas: Sequence[float] = ALPHAS,
    repetitions: int = 1000,
    replicates: int = 1000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> TypeOneResult:
    """How often does each test reject a null hypothesis that is true?

    In each repetition two systems, drawn at random where there are more, are made equal and tested.

    Args:
        test_set: the systems whose outputs are swapped.
        metrics: by which to compare.
        null: how equal systems come about; see `null_source`.
        unit: what the tests resample: segments or documents.
        tests: some of `STUDY_TESTS`; Student's is for metrics that are means.
        alphas: the significance levels.
        repetitions: how many pairs of equal systems are tested.
        replicates: of each test.
        seed: of null data and replicates.
        runner: keeps the results and shows progress.

    >>> from truebleu.simulation import simulate
    >>> pool = simulate(segments=50, systems=[0.1, 0.3])
    >>> study_type_one(pool, tests=["ar"], repetitions=50, replicates=99).rows[1].verdict
    'undecided'
    """
    require_repetitions(repetitions)
    levels = sorted({float(require_alpha(alpha)) for alpha in alphas})
    if not levels:
        raise SettingError("alphas", "none", "at least one level, such as 0.05")
    require_enough_replicates(replicates, levels[0])
    chosen = require_tests(tests, tuple(STUDY_TESTS))
    testing = Testing(
        tests=tuple(test for test in STUDY_TESTS if test in chosen),
        replicates=replicates,
        seed=seed,
    )
    source = null_source(test_set, metrics, null=null, unit=unit, systems=2, seed=seed)
    require_enough_units(source.units, unit, levels[0])
    if "student" in chosen:
        for statistics in next(source.sets(0, 1)):
            student_p(statistics)  # refused before any long work
    settings = TypeOneSettings(
        pool=source.summary,
        null=null,
        errors_per_word=RATE if null == "simulated" else None,
        tests=testing.tests,
        alphas=tuple(levels),
        repetitions=repetitions,
        replicates=replicates,
        seed=seed,
    )
    tasks = [
        Task((first,), partial(_p_values, source, range(first, end), testing))
        for first, end in batches(repetitions)
    ]
    records = list((runner or Runner()).run(settings, tasks).values())
    p_values = {
        metric: {
            test: np.concatenate([record[metric][test] for record in records])
            for test in testing.tests
        }
        for metric in records[0]
    }
    return TypeOneResult(
        settings=settings,
        rows=tuple(
            Rejections(metric=metric, test=test, alpha=alpha, rejected=_rejected(p, alpha))
            for metric, by_test in p_values.items()
            for test, p in by_test.items()
            for alpha in levels
        ),
        metrics=tuple(_metric(metric, by_test) for metric, by_test in p_values.items()),
    )


def _p_values(source: NullSource, repetitions: range, testing: Testing) -> Record:
    """For each metric and test the p-values of some repetitions."""
    record: Record = {}
    sets = source.sets(repetitions.start, len(repetitions))
    for index, of_metrics in zip(repetitions, sets, strict=True):
        for statistics in of_metrics:
            by_test = record.setdefault(statistics.label, {test: [] for test in testing.tests})
            for test, p in testing.p_values(statistics, [(0, 1)], index).items():
                by_test[test].append(float(p[0]))
    return record


def _rejected(p_values: NDArray[np.float64], alpha: float) -> Rate:
    # Shares such as 1 - 0.95 are not quite what they mean.
    return rejection_rate(int((p_values <= alpha + TIE_TOLERANCE).sum()), len(p_values))


def _metric(metric: str, by_test: Mapping[str, NDArray[np.float64]]) -> TypeOneMetric:
    below = None
    if {"ar", "bootstrap-absolute"} <= by_test.keys():
        smaller = int((by_test["bootstrap-absolute"] < by_test["ar"]).sum())
        below = rejection_rate(smaller, len(by_test["ar"]))
    constant = all(len(np.unique(p)) == 1 for p in by_test.values())
    return TypeOneMetric(metric=metric, absolute_below_ar=below, constant=constant)


# Systems that are given, and taken for equal.


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

    REPORT: ClassVar[str] = "truebleu.reports.studies.conclusions:equivalents_document"

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
        tests: "ar", "bootstrap" and so on; the others are compared with the first.
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
        Task((statistics.label,), partial(_equivalent_p_values, statistics, testing))
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


def _equivalent_p_values(statistics: MetricStatistics, testing: Testing) -> Record:
    pairs = list(combinations(range(statistics.systems), 2))
    by_test = testing.p_values(statistics, pairs, 0)
    differences = differences_of(statistics.scores, pairs).tolist()
    return {"differences": differences, **{test: p.tolist() for test, p in by_test.items()}}
