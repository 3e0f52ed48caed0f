"""Errors of type I: how often each test finds a difference where there is none.

Riezler & Maxwell (2005, §4.3, Table 2) compared systems that they took for equal and saw smaller
p-values from the bootstrap than from approximate randomization. Here systems are equal by
construction, many times over, so that the share of rejections can be held against the level: a
test may be trusted on these data if it rejects as often as it promises.

Every repetition has null data and replicates of its own, so that repetitions are independent and
the error of a share is binomial. (To draw replicates once for many repetitions would save a third
of the time, and cost that.)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.errors import SettingError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.significance._checks import TIE_TOLERANCE, require_alpha
from truebleu.studies._nulls import (
    NAMES,
    NULL_NAMES,
    ORIGINS,
    STUDENT,
    PairTests,
    null_source,
    rejection_rate,
    require_enough_samples,
    require_enough_units,
    student_p,
)
from truebleu.studies._pairs import TESTS
from truebleu.studies._pool import require_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.studies._nulls import Null, NullSource
    from truebleu.studies._pool import PoolUnit
    from truebleu.studies._rates import Rate

ALPHAS = (0.01, 0.05, 0.10)
# Fewer repetitions could not tell 5 % from 15 %.
FEWEST_REPETITIONS = 50
# Repetitions in a line of the journal.
BATCH = 20

FIELDS = (
    Field("metric", "Metric"),
    Field("test", "Test"),
    Field("origin", "As in"),
    Field("alpha", "Level", 1, percent=True),
    Field("rejected", "Rejected", 1, percent=True),
    Field("low", "99 % from", 1, percent=True),
    Field("high", "to", 1, percent=True),
    Field("verdict", "Verdict"),
)
PLOT_FIELDS = (Field("of", "Metric and level"),)


def study_type_one(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    null: Null = "segment",
    unit: PoolUnit = "segment",
    tests: Sequence[str] = TESTS,
    alphas: Sequence[float] = ALPHAS,
    repetitions: int = 1000,
    samples: int = 1000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """How often does each test reject a null hypothesis that is true?

    In each repetition two systems, drawn at random where there are more, are made equal and tested.

    Args:
        test_set: the systems whose outputs are exchanged.
        metrics: by which to compare.
        null: how equal systems come about; see `null_source`.
        unit: what the tests resample: segments or documents.
        tests: some of `pair_tests.ALL_TESTS`; Student's is for metrics that are means.
        alphas: the nominal levels.
        repetitions: how many pairs of equal systems are tested.
        samples: the replicates of each test.
        seed: of null data and replicates.
        runner: keeps the results and shows progress.

    >>> from truebleu.simulation import simulate
    >>> pool = simulate(segments=50, systems=[0.1, 0.3])
    >>> study_type_one(pool, tests=["ar"], repetitions=50, samples=99).rows[1]["verdict"]
    'holds'
    """
    require_count(
        "repetitions", repetitions, FEWEST_REPETITIONS, "fewer could not tell 5 % from 15 %"
    )
    levels = sorted({float(require_alpha(alpha)) for alpha in alphas})
    if not levels:
        raise SettingError("alphas", "none", "at least one level, such as 0.05")
    require_enough_samples(samples, levels[0])
    made = PairTests(tests, samples, seed)
    source = null_source(test_set, metrics, null=null, unit=unit, systems=2, seed=seed)
    require_enough_units(source.units, unit, levels[0])
    if STUDENT in made.names:
        for one in next(source.sets(0, 1)):
            student_p(one)  # refused before any long work
    subject = {
        "study": "type-one",
        **source.outline,
        "tests": list(made.names),
        "alphas": levels,
        "repetitions": repetitions,
        "samples": samples,
        "seed": seed,
    }
    tasks = [
        Task((first,), partial(_p_values, source, range(first, end), made))
        for first, end in batches(repetitions)
    ]
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(records, subject)


def batches(repetitions: int) -> list[tuple[int, int]]:
    """The first repetition of each line of the journal, and the one after its last."""
    return [(first, min(first + BATCH, repetitions)) for first in range(0, repetitions, BATCH)]


def _p_values(source: NullSource, repetitions: range, tests: PairTests) -> Record:
    """For each metric and test the p-values of some repetitions."""
    record: Record = {}
    sets = source.sets(repetitions.start, len(repetitions))
    for index, counted in zip(repetitions, sets, strict=True):
        for one in counted:
            by_test = record.setdefault(one.label, {test: [] for test in tests.names})
            for test, p in tests.p_values(one, index).items():
                by_test[test].append(p)
    return record


def _exhibit(records: Mapping[Key, Record], subject: dict[str, Any]) -> Exhibit:
    rows: list[Row] = []
    findings: list[str] = []
    for metric in next(iter(records.values())):
        by_test = {
            test: np.concatenate([record[metric][test] for record in records.values()])
            for test in subject["tests"]
        }
        for test, p_values in by_test.items():
            shares = {alpha: _rejected(p_values, alpha) for alpha in subject["alphas"]}
            rows += [_row(metric, test, alpha, share) for alpha, share in shares.items()]
            findings.append(_finding(metric, test, shares))
        findings += [*_beside(metric, by_test), *_same(metric, by_test)]
    null, unit = NULL_NAMES[subject["null"]], subject["unit"]
    return Exhibit(
        name="type-one",
        title=f"How often tests reject a true null hypothesis: {null}, tested by {unit}",
        fields=FIELDS,
        rows=tuple(rows),
        findings=(*findings, *_unit_warning(subject)),
        plot=Plot(
            mark="point",
            x="test",
            y="rejected",
            low="low",
            high="high",
            interval="binomial, 99 %",
            panel="of",
            reference_field="alpha",
            zero_y=True,
        ),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _rejected(p_values: NDArray[np.float64], alpha: float) -> Rate:
    # Shares such as 1 - 0.95 are not quite what they mean.
    return rejection_rate(int((p_values <= alpha + TIE_TOLERANCE).sum()), len(p_values))


def _row(metric: str, test: str, alpha: float, share: Rate) -> Row:
    return {
        "metric": metric,
        "test": NAMES[test],
        "origin": ORIGINS[test],
        "alpha": alpha,
        "rejected": share.value,
        "low": share.low,
        "high": share.high,
        "verdict": _verdict(alpha, share),
        "of": f"{metric}, level {100 * alpha:g} %",
    }


def _verdict(alpha: float, share: Rate) -> str:
    if share.holds(alpha):
        return "holds"
    return "too often" if share.low > alpha else "too seldom"


def _finding(metric: str, test: str, shares: Mapping[float, Rate]) -> str:
    """What a test did at all levels, in one sentence."""
    found = _listed([f"{100 * share.value:.1f} %" for share in shares.values()])
    nominal = _listed([f"{100 * alpha:g} %" for alpha in shares])
    verdicts = {alpha: _verdict(alpha, share) for alpha, share in shares.items()}
    if set(verdicts.values()) == {"holds"}:
        judged = "within the error"
    else:
        judged = "; ".join(
            f"{verdict} at "
            + _listed([f"{100 * a:g} %" for a in verdicts if verdicts[a] == verdict])
            for verdict in ("too often", "too seldom", "holds")
            if verdict in verdicts.values()
        )
    levels = "levels" if len(shares) > 1 else "level"
    return (
        f"{metric}, {NAMES[test]}: {found} of the pairs of equal systems are told apart at the "
        f"{levels} {nominal}: {judged}."
    )


def _beside(metric: str, by_test: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """Riezler and Maxwell's comparison: which of their two tests gives the smaller p-values."""
    if not {"ar", "bootstrap-absolute"} <= by_test.keys():
        return []
    smaller = int((by_test["bootstrap-absolute"] < by_test["ar"]).sum())
    return [
        f"{metric}: the bootstrap of absolute differences gives a smaller p than approximate "
        f"randomization in {rejection_rate(smaller, len(by_test['ar']))} of the comparisons."
    ]


def _same(metric: str, by_test: Mapping[str, NDArray[np.float64]]) -> list[str]:
    if any(len(np.unique(p_values)) > 1 for p_values in by_test.values()):
        return []
    return [
        f"{metric}: p is the same in all comparisons; by this metric the outputs do not differ."
    ]


def _unit_warning(subject: Mapping[str, Any]) -> list[str]:
    if subject["null"] != "document" or subject["unit"] != "segment":
        return []
    return [
        "Whole documents were exchanged, as if each system had its good and bad documents, and "
        "tested as if segments were independent; with unit document the tests know better."
    ]


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
