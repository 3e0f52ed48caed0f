"""Equivalent systems as they are given: their p-values by several tests, side by side.

Riezler & Maxwell (2005, §4.3, Table 2) compared variants of a system that they took for equal. The
runs of one optimizer are such variants: whoever takes them for equal counts every rejection as an
error of type I. Nothing is made equal here, so whether that is right is for the reader to say.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._seeds import DEFAULT_SEED
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.significance._checks import TIE_TOLERANCE, require_alpha
from truebleu.studies._nulls import NAMES, require_enough_samples, require_enough_units
from truebleu.studies._pairs import Testing
from truebleu.studies._pool import Pool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics
    from truebleu.studies._pool import PoolUnit

FIELDS = (
    Field("metric", "Metric"),
    Field("compared", "Compared systems"),
    Field("difference", "Difference", 3, sign=True),
)
PLOT_FIELDS = (Field("test", "Test"), Field("p", "p-value", 3))


def study_equivalents(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("nist",),
    *,
    tests: Sequence[str] = ("ar", "bootstrap-absolute"),
    unit: PoolUnit = "segment",
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> Exhibit:
    """The p-values of all pairs of systems that are taken for equal.

    Args:
        test_set: systems that should not differ, such as several runs of one system.
        metrics: by which to compare.
        tests: some of `conclusions.TESTS`, the first of which the others are held against.
        unit: what the tests resample: segments or documents.
        alpha: the level at which rejections are counted.
        samples: the replicates of each test.
        seed: of the replicates.
        runner: keeps the results and shows progress.
    """
    testing = Testing(tests=tuple(tests), replicates=samples, seed=seed)
    require_enough_samples(samples, require_alpha(alpha))
    pool = Pool.of(test_set, metrics, unit)
    pool.require_systems(2)
    require_enough_units(len(pool), unit, alpha)
    subject = {
        "study": "equivalents",
        **pool.outline,
        "null": "given",
        "tests": list(testing.tests),
        "alpha": alpha,
        "samples": samples,
        "seed": seed,
    }
    tasks = [Task((one.label,), partial(_p_values, one, testing)) for one in pool.counted]
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(pool, records, subject)


def _p_values(one: MetricStatistics, testing: Testing) -> Record:
    pairs = list(combinations(range(one.systems), 2))
    left, right = np.array(pairs).T
    by_test = testing.p_values(one, pairs, 0)
    differences = (one.scores[left] - one.scores[right]).tolist()
    return {"differences": differences, **{test: p.tolist() for test, p in by_test.items()}}


def _exhibit(pool: Pool, records: Mapping[Key, Record], subject: dict[str, Any]) -> Exhibit:
    names = [f"{a} : {b}" for a, b in combinations(pool.names, 2)]
    tests, alpha = subject["tests"], subject["alpha"]
    rows: list[Row] = []
    plot_rows: list[Row] = []
    findings: list[str] = []
    for one in pool.counted:
        record = records[(one.label,)]
        for place, name in enumerate(names):
            p_values = {test: record[test][place] for test in tests}
            difference = record["differences"][place]
            row = {"metric": one.label, "compared": name}
            rows.append({**row, "difference": difference, **p_values})
            plot_rows += [{**row, "test": NAMES[test], "p": p} for test, p in p_values.items()]
        findings += [_finding(one.label, test, record, tests[0], alpha) for test in tests]
    return Exhibit(
        name="type-one",
        title="Systems taken for equal: the p-values of their differences",
        fields=(*FIELDS, *(Field(test, f"p by {NAMES[test]}", 4) for test in tests)),
        rows=tuple(rows),
        findings=tuple(findings),
        plot=Plot(
            mark="point",
            x="compared",
            y="p",
            series="test",
            panel="metric",
            reference=alpha,
            zero_y=True,
        ),
        plot_rows=tuple(plot_rows),
        plot_fields=PLOT_FIELDS,
        settings=subject,
    )


def _finding(metric: str, test: str, record: Mapping[str, Any], first: str, alpha: float) -> str:
    p_values = np.array(record[test])
    rejected = int((p_values <= alpha + TIE_TOLERANCE).sum())
    told_apart = f"{rejected} of {len(p_values)} pairs have p of at most {alpha:g}"
    if test == first:
        return f"{metric}, {NAMES[test]}: {told_apart}."
    others = np.array(record[first])
    smaller, larger = int((p_values < others).sum()), int((p_values > others).sum())
    return (
        f"{metric}, {NAMES[test]}: {told_apart}; p is smaller than by {NAMES[first]} in {smaller}, "
        f"larger in {larger}."
    )
