"""Multiplicity: how often there is any false alarm among many comparisons of equal systems.

Riezler & Maxwell (2005, §4.4, after Cohen 1995) expect a false alarm among k comparisons at the
level alpha with about 1 - (1 - alpha)**k, for 15 systems and 105 pairs .9954. Here systems are
equal by construction, so that alarms can be counted, with and without correction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import ceil, comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.significance.corrections import (
    CORRECTIONS,
    P_VALUE_CORRECTIONS,
    adjust,
    experimentwise_error,
)
from truebleu.significance.pairs import pair_tests
from truebleu.significance.settings import CompareSettings
from truebleu.significance.statistics import MetricStatistics
from truebleu.significance.tests import find_test, smallest_p
from truebleu.studies._nulls import (
    RATE,
    Null,
    NullSettings,
    batches,
    null_source,
    require_enough_units,
    require_repetitions,
)
from truebleu.studies._study import (
    Rate,
    StudyResult,
    rejection_rate,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Record
    from truebleu.metrics.base import Metric
    from truebleu.studies._nulls import NullSource
    from truebleu.studies._pool import PoolUnit


# 1, 3, 6, 10 and 15 comparisons.
USUAL_SYSTEMS = (2, 3, 4, 5, 6)
USUAL_CORRECTIONS = ("none", "bonferroni", "holm", "bh", "westfall-young")


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplicitySettings(NullSettings):
    """What `study_multiplicity` was asked for; `together` are its numbers of systems."""

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

    REPORT: ClassVar[str] = "truebleu.reports.studies.conclusions:multiplicity_document"

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
    require_repetitions(repetitions)
    available = None if null == "simulated" else len(test_set.systems)
    sizes = _system_counts(systems, available)
    if corrections is None:
        corrections = USUAL_CORRECTIONS
        if test == "bootstrap-absolute":  # its replicates do not vary around 0
            corrections = [name for name in corrections if name != "westfall-young"]
    by_correction = correction_settings(corrections, test, alpha, replicates, seed)
    _require_resolution(by_correction, sizes[-1])
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
            _false_alarms(records, metric, size, correction, alpha)
            for metric in records[0]
            for size in sizes
            for correction in by_correction
        ),
    )


def _system_counts(systems: Sequence[int] | None, available: int | None) -> list[int]:
    if systems is None:
        usual = [size for size in USUAL_SYSTEMS if available is None or size <= available]
        return usual or [USUAL_SYSTEMS[0]]  # too few for any: refused with the null data
    for size in systems:
        if size < 2:
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


def _false_alarms(
    records: Sequence[Record], metric: str, systems: int, correction: str, alpha: float
) -> FalseAlarms:
    comparisons = comb(systems, 2)
    alarms = "".join(record[metric][_case(systems, correction)] for record in records)
    return FalseAlarms(
        metric=metric,
        systems=systems,
        comparisons=comparisons,
        correction=correction,
        alarms=rejection_rate(alarms.count("1"), len(alarms)),
        expected=experimentwise_error(alpha, comparisons) if correction == "none" else alpha,
    )


def correction_settings(
    corrections: Sequence[str], test: str, alpha: float, replicates: int, seed: int
) -> dict[str, CompareSettings]:
    """How `compare` would be asked for each correction; it refuses what makes no sense."""
    if not corrections:
        raise SettingError("corrections", corrections, f"some of {', '.join(CORRECTIONS)}")
    for correction in corrections:
        if correction not in CORRECTIONS:
            raise UnknownNameError("correction", correction, tuple(CORRECTIONS))
    return {
        correction: CompareSettings(
            test=test, replicates=replicates, seed=seed, level=1 - alpha, correction=correction
        )
        for correction in CORRECTIONS
        if correction in corrections
    }


def _require_resolution(settings: Mapping[str, CompareSettings], systems: int) -> None:
    """Refuse so few replicates that a correction could never reject anything."""
    comparisons = comb(systems, 2)
    for correction, setting in settings.items():
        if correction not in P_VALUE_CORRECTIONS:
            continue
        p_values = np.ones(comparisons)
        p_values[0] = smallest_p(setting.replicates)
        if (clearest := float(adjust(p_values, correction).min())) > setting.alpha:
            least = ceil(clearest / p_values[0] / setting.alpha)
            expected = (
                f"at least {least}: corrected for {comparisons} comparisons by "
                f"{CORRECTIONS[correction].short_title}, the smallest possible p is {clearest:.3g}"
            )
            raise SettingError("replicates", setting.replicates, expected)


def alarms_of(
    statistics: MetricStatistics,
    index: int,
    sizes: Sequence[int],
    settings: Mapping[str, CompareSettings],
) -> dict[tuple[int, str], bool]:
    """Whether anything is rejected among the first so many systems, for each correction.

    Repetition `index` has replicates of its own.
    """
    pairs = list(combinations(range(statistics.systems), 2))
    setting = next(iter(settings.values()))
    (differences,), exact = find_test(setting.test).differences(
        [statistics],
        pairs,
        replicates=setting.replicates,
        seed=setting.seed,
        first=index * setting.replicates,
    )
    alarms = {}
    for size in sizes:
        columns = [place for place, pair in enumerate(pairs) if max(pair) < size]
        chosen = [pairs[place] for place in columns]
        rows = np.ascontiguousarray(statistics.rows[:, :size])
        first = MetricStatistics(statistics.label, statistics.metric, rows)
        for correction, setting in settings.items():
            tests = pair_tests(first, chosen, differences[:, columns], setting, exact=exact)
            alarms[size, correction] = bool((tests.p_adjusted <= setting.alpha).any())
    return alarms
