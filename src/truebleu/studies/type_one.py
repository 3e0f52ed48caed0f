"""Errors of type I: how often each test finds a difference where there is none.

Riezler & Maxwell (2005, §4.3, Table 2) compared systems that they took for equal and saw smaller
p-values from the bootstrap than from approximate randomization. Here systems are equal by
construction, many times over, so the rate of rejections can be compared with the level: a test may
be trusted on these data if it rejects as often as it promises.

Every repetition has null data and replicates of its own, so repetitions are independent and the
error of a rate is binomial. (To draw replicates once for many repetitions would save a third of the
time, and cost that.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.significance._checks import TIE_TOLERANCE, require_alpha
from truebleu.studies._nulls import (
    RATE,
    Null,
    null_source,
    require_enough_replicates,
    require_enough_units,
)
from truebleu.studies._pairs import STUDY_TESTS, TESTS, Testing, require_tests, student_p
from truebleu.studies._pool import require_count
from truebleu.studies._rates import Rate, rejection_rate
from truebleu.studies._study import StudyResult, StudySettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.studies._nulls import NullSource
    from truebleu.studies._pool import PoolUnit

__all__ = ["Rejections", "TypeOneMetric", "TypeOneResult", "TypeOneSettings", "study_type_one"]

ALPHAS = (0.01, 0.05, 0.10)
# Fewer repetitions could not tell 5 % from 15 %.
FEWEST_REPETITIONS = 50
# Repetitions in a line of the journal.
BATCH = 20

Verdict = Literal["holds", "too often", "too seldom"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NullSettings(StudySettings):
    """How systems were made equal, and how often.

    Attributes:
        null: how equal systems come about; see `null_source`.
        errors_per_word: of simulated systems.
        repetitions: how often systems were made equal.
        replicates: of each test.
    """

    null: Null
    errors_per_word: float | None
    repetitions: int
    replicates: int


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
        """Whether the test keeps its level, within the error."""
        if self.rejected.holds(self.alpha):
            return "holds"
        return "too often" if self.rejected.low > self.alpha else "too seldom"


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

    REPORT: ClassVar[str] = "truebleu.reports.studies.type_one"

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
    'holds'
    """
    why = "fewer could not tell 5 % from 15 %"
    require_count("repetitions", repetitions, FEWEST_REPETITIONS, why)
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


def batches(repetitions: int) -> list[tuple[int, int]]:
    """The first repetition of each line of the journal, and the one after its last."""
    return [(first, min(first + BATCH, repetitions)) for first in range(0, repetitions, BATCH)]


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
