"""Multiplicity: the chance of any false alarm among many comparisons, with and without correction.

Riezler & Maxwell (2005, §4.4, after Cohen 1995): among k comparisons at the level alpha the chance
of at least one false rejection is about 1 - (1 - alpha)**k, for 15 systems and 105 pairs .9954.
Here m systems are equal by construction, so that every rejection among their m (m - 1) / 2 pairs is
false. Pairs share systems and so go together: the chance without correction is below that formula,
which is for independent comparisons. As all hypotheses are true, the false discovery rate that
Benjamini's corrections bound is the chance of any false alarm too; and Holm's correction rejects
something exactly when Bonferroni's does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.significance.corrections import CORRECTIONS, experimentwise_error
from truebleu.studies._nulls import (
    CORRECTION_NAMES,
    NAMES,
    NULL_NAMES,
    alarms_of,
    null_source,
    number_of_pairs,
    rejection_rate,
    require_enough_units,
    require_resolution,
    settings_of,
)
from truebleu.studies._pool import require_count
from truebleu.studies.type_one import FEWEST_REPETITIONS, batches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.settings import CompareSettings
    from truebleu.studies._nulls import Null, NullSource
    from truebleu.studies._pool import PoolUnit
    from truebleu.studies._rates import Rate

# 1, 3, 6, 10 and 15 comparisons.
USUAL_SYSTEMS = (2, 3, 4, 5, 6)
USUAL_CORRECTIONS = ("none", "bonferroni", "holm", "bh", "by", "westfall-young")
FIELDS = (
    Field("metric", "Metric"),
    Field("systems", "Systems"),
    Field("comparisons", "Comparisons"),
    Field("correction", "Correction"),
    Field("alarms", "Any false alarm", 1, percent=True),
    Field("low", "99 % from", 1, percent=True),
    Field("high", "to", 1, percent=True),
    Field("expected", "Promised", 1, percent=True),
)


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
    samples: int = 2000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How often is there any false alarm when so many equal systems are all compared?

    Each repetition makes the largest number of equal systems; the first 2, 3, … of them, which are
    equal as well, serve for the smaller numbers.

    Args:
        test_set: the systems whose outputs are exchanged.
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
        samples: the replicates of each test.
        seed: of null data and replicates.
        runner: keeps the results and shows progress.
    """
    require_count(
        "repetitions", repetitions, FEWEST_REPETITIONS, "fewer could not tell 5 % from 15 %"
    )
    available = None if null == "simulated" else len(test_set.systems)
    sizes = _sizes(systems, available)
    if corrections is None:
        corrections = USUAL_CORRECTIONS
        if test == "bootstrap-absolute":  # its replicates do not vary around 0
            corrections = [name for name in corrections if name != "westfall-young"]
    settings = settings_of(corrections, test, alpha, samples, seed)
    require_resolution(settings, sizes[-1])
    source = null_source(test_set, metrics, null=null, unit=unit, systems=sizes[-1], seed=seed)
    require_enough_units(source.units, unit, alpha)
    if any(CORRECTIONS[name].basis == "segment scores" for name in settings):
        for one in next(source.sets(0, 1)):
            one.unit_means("correction tukey or scheffe")  # refused before any long work
    subject = {
        "study": "multiplicity",
        **source.outline,
        "together": sizes,
        "corrections": list(settings),
        "test": test,
        "alpha": alpha,
        "repetitions": repetitions,
        "samples": samples,
        "seed": seed,
    }
    tasks = [
        Task((first,), partial(_alarms, source, range(first, end), sizes, settings))
        for first, end in batches(repetitions)
    ]
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(records, subject)


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
    for index, counted in zip(repetitions, sets, strict=True):
        for one in counted:
            by_case = record.setdefault(one.label, {})
            for (size, name), alarm in alarms_of(one, index, sizes, settings).items():
                case = _case(size, name)
                by_case[case] = by_case.get(case, "") + str(int(alarm))
    return record


def _case(size: int, correction: str) -> str:
    return f"{size} {correction}"


def _exhibit(records: Mapping[Key, Record], subject: dict[str, Any]) -> Exhibit:
    rows: list[Row] = []
    findings: list[str] = []
    alpha = subject["alpha"]
    for metric in next(iter(records.values())):
        for size in subject["together"]:
            shares = {
                name: _share(records, metric, _case(size, name)) for name in subject["corrections"]
            }
            rows += [_row(metric, size, name, share, alpha) for name, share in shares.items()]
        # What the largest number of systems shows.
        findings += [_finding(metric, size, name, share, alpha) for name, share in shares.items()]
    test, null = NAMES[subject["test"]], NULL_NAMES[subject["null"]]
    return Exhibit(
        name="type-one",
        title=f"Any false alarm among all pairs of equal systems: {test}, {null}",
        fields=FIELDS,
        rows=tuple(rows),
        findings=tuple(findings),
        plot=Plot(
            mark="line",
            x="comparisons",
            y="alarms",
            low="low",
            high="high",
            interval="binomial, 99 %",
            series="correction",
            panel="metric",
            reference=alpha,
            zero_y=True,
        ),
        settings=subject,
    )


def _share(records: Mapping[Key, Record], metric: str, case: str) -> Rate:
    alarms = "".join(record[metric][case] for record in records.values())
    return rejection_rate(alarms.count("1"), len(alarms))


def _promised(systems: int, correction: str, alpha: float) -> float:
    """The chance that independent comparisons would have; corrections keep the level."""
    return experimentwise_error(alpha, number_of_pairs(systems)) if correction == "none" else alpha


def _row(metric: str, size: int, correction: str, share: Rate, alpha: float) -> Row:
    return {
        "metric": metric,
        "systems": size,
        "comparisons": number_of_pairs(size),
        "correction": CORRECTION_NAMES[correction],
        "alarms": share.value,
        "low": share.low,
        "high": share.high,
        "expected": _promised(size, correction, alpha),
    }


def _finding(metric: str, size: int, correction: str, share: Rate, alpha: float) -> str:
    pairs = number_of_pairs(size)
    found = f"a false alarm in {share} of the cases with {pairs} comparison{'s' * (pairs > 1)}"
    if correction == "none":
        independent = f"{100 * _promised(size, correction, alpha):.1f} %"
        return (
            f"{metric}, no correction: {found}; independent comparisons would have {independent}."
        )
    verdict = "is kept" if share.low <= alpha else "is not kept"
    return f"{metric}, {CORRECTION_NAMES[correction]}: {found}; {100 * alpha:g} % {verdict}."
