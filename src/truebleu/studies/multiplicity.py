"""Multiplicity: the chance of any false alarm among many comparisons, with and without correction.

Riezler & Maxwell (2005, §4.4, after Cohen 1995): among k comparisons at the level alpha the chance
of at least one false rejection is about 1 - (1 - alpha)**k, for 15 systems and 105 pairs .9954.
Here m systems are equal by construction, so every rejection among their m (m - 1) / 2 pairs is
false. Pairs share systems and so are correlated: the chance without correction is below that
formula, which is for independent comparisons. As all hypotheses are true, the false discovery rate
that Benjamini's corrections bound is the chance of any false alarm too; and Holm's correction
rejects something exactly when Bonferroni's does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.significance.corrections import CORRECTIONS, experimentwise_error
from truebleu.studies._nulls import (
    RATE,
    alarms_of,
    correction_settings,
    null_source,
    number_of_pairs,
    require_enough_units,
    require_resolution,
)
from truebleu.studies._pool import require_count
from truebleu.studies._rates import Rate, rejection_rate
from truebleu.studies._study import StudyResult
from truebleu.studies.type_one import FEWEST_REPETITIONS, NullSettings, batches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.settings import CompareSettings
    from truebleu.studies._nulls import Null, NullSource
    from truebleu.studies._pool import PoolUnit

__all__ = ["FalseAlarms", "MultiplicityResult", "MultiplicitySettings", "study_multiplicity"]

# 1, 3, 6, 10 and 15 comparisons.
USUAL_SYSTEMS = (2, 3, 4, 5, 6)
USUAL_CORRECTIONS = ("none", "bonferroni", "holm", "bh", "by", "westfall-young")


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplicitySettings(NullSettings):
    """The settings of the study.

    Attributes:
        together: how many systems were compared with one another.
        corrections: those that were applied.
        test: by which pairs were compared.
        alpha: the level of the whole family of comparisons.
    """

    STUDY: ClassVar[str] = "multiplicity"

    together: tuple[int, ...]
    corrections: tuple[str, ...]
    test: str
    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarms:
    """How often there is any false alarm among all pairs of so many equal systems.

    Attributes:
        metric: its label.
        systems: how many were compared with one another.
        comparisons: how many pairs they make.
        correction: for so many comparisons.
        alarms: the rate, with its interval of 99 %.
        expected: what the correction promises at most; without one, what independent comparisons
            would have.
    """

    metric: str
    systems: int
    comparisons: int
    correction: str
    alarms: Rate
    expected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplicityResult(StudyResult):
    """False alarms by metric, number of systems and correction."""

    REPORT: ClassVar[str] = "truebleu.reports.studies.multiplicity"

    settings: MultiplicitySettings
    rows: tuple[FalseAlarms, ...]


def study_multiplicity(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    systems: Sequence[int] | None = None,
    corrections: Sequence[str] | None = None,
    test: str = "ar",
    null: Null = "segment",
    unit: PoolUnit = "segment",
    alpha: float = 0.05,
    repetitions: int = 1000,
    replicates: int = 2000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> MultiplicityResult:
    """How often is there any false alarm when so many equal systems are all compared?

    Each repetition makes the largest number of equal systems; the first 2, 3, … of them, which are
    equal as well, serve for the smaller numbers.

    Args:
        test_set: the systems whose outputs are swapped.
        metrics: by which to compare.
        systems: how many systems to compare with one another; by default 2 to 6, as far as there
            are so many.
        corrections: some of `significance.corrections.CORRECTIONS`, by default those of
            USUAL_CORRECTIONS that the test allows; Tukey's and Scheffé's are for metrics that are
            means over segments.
        test: as for `compare`.
        null: how equal systems come about; see `null_source`.
        unit: what the tests resample: segments or documents.
        alpha: the level of the whole family of comparisons.
        repetitions: how many families of equal systems are tested.
        replicates: of each test.
        seed: of null data and replicates.
        runner: keeps the results and shows progress.
    """
    why = "fewer could not tell 5 % from 15 %"
    require_count("repetitions", repetitions, FEWEST_REPETITIONS, why)
    available = None if null == "simulated" else len(test_set.systems)
    sizes = _sizes(systems, available)
    if corrections is None:
        corrections = USUAL_CORRECTIONS
        if test == "bootstrap-absolute":  # its replicates do not vary around 0
            corrections = [name for name in corrections if name != "westfall-young"]
    by_correction = correction_settings(corrections, test, alpha, replicates, seed)
    require_resolution(by_correction, sizes[-1])
    source = null_source(test_set, metrics, null=null, unit=unit, systems=sizes[-1], seed=seed)
    require_enough_units(source.units, unit, alpha)
    if any(CORRECTIONS[name].basis == "segment scores" for name in by_correction):
        for statistics in next(source.sets(0, 1)):
            statistics.unit_means("correction tukey or scheffe")  # refused before any long work
    settings = MultiplicitySettings(
        pool=source.summary,
        null=null,
        errors_per_word=RATE if null == "simulated" else None,
        together=tuple(sizes),
        corrections=tuple(by_correction),
        test=test,
        alpha=alpha,
        repetitions=repetitions,
        replicates=replicates,
        seed=seed,
    )
    tasks = [
        Task((first,), partial(_alarms, source, range(first, end), sizes, by_correction))
        for first, end in batches(repetitions)
    ]
    records = list((runner or Runner()).run(settings, tasks).values())
    return MultiplicityResult(
        settings=settings,
        rows=tuple(
            _row(records, metric, size, correction, alpha)
            for metric in records[0]
            for size in sizes
            for correction in by_correction
        ),
    )


def _sizes(systems: Sequence[int] | None, available: int | None) -> list[int]:
    if systems is None:
        usual = [size for size in USUAL_SYSTEMS if available is None or size <= available]
        return usual or [USUAL_SYSTEMS[0]]  # too few for any: refused with the null data
    for size in systems:
        if isinstance(size, bool) or not isinstance(size, int) or size < 2:
            raise SettingError("systems to compare", size, "a whole number from 2 up")
        if available is not None and size > available:
            expected = f"no more than there are: {available}"
            raise SettingError("systems to compare", size, expected)
    if not systems:
        raise SettingError("systems to compare", "none", "at least one number, such as 3")
    return sorted(set(systems))


def _alarms(
    source: NullSource,
    repetitions: range,
    sizes: Sequence[int],
    settings: Mapping[str, CompareSettings],
) -> Record:
    """For each metric, number of systems and correction: in which repetitions anything is rejected.

    A repetition is a digit: 1 where there was an alarm.
    """
    record: Record = {}
    sets = source.sets(repetitions.start, len(repetitions))
    for index, of_metrics in zip(repetitions, sets, strict=True):
        for statistics in of_metrics:
            by_case = record.setdefault(statistics.label, {})
            for (size, name), alarm in alarms_of(statistics, index, sizes, settings).items():
                case = _case(size, name)
                by_case[case] = by_case.get(case, "") + str(int(alarm))
    return record


def _case(size: int, correction: str) -> str:
    return f"{size} {correction}"


def _row(
    records: Sequence[Record], metric: str, systems: int, correction: str, alpha: float
) -> FalseAlarms:
    comparisons = number_of_pairs(systems)
    alarms = "".join(record[metric][_case(systems, correction)] for record in records)
    return FalseAlarms(
        metric=metric,
        systems=systems,
        comparisons=comparisons,
        correction=correction,
        alarms=rejection_rate(alarms.count("1"), len(alarms)),
        expected=experimentwise_error(alpha, comparisons) if correction == "none" else alpha,
    )
