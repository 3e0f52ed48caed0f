"""Levels of the tests between metrics, and coverage of agreement's intervals, on judged sets.

Rows for the page on defaults: `level_rows` has metrics that are equally good, `coverage_rows`
samples of segments from a judged pool whose value is the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import DATA, read_set
from truebleu.agreement.bootstrap import SegmentStatistics, bootstrap_system_agreement
from truebleu.agreement.data import agreement_data
from truebleu.agreement.measures import measure, measure_by
from truebleu.agreement.soft_pairwise import soft_pairwise_test
from truebleu.agreement.tests import permutation_test
from truebleu.human import read_human
from truebleu.metrics.registry import as_metrics

if TYPE_CHECKING:
    from truebleu.agreement.data import AgreementData

SETS = ("wmt21-en-de", "ted-mqm-en-de")
SEGMENTS = (100, 300, 600)
COEFFICIENTS = ("pearson", "spearman", "pairwise-accuracy")
PERMUTATIONS = 199
REPLICATES = 400


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened: a false alarm at .05, or a covered value at .95."""

    design: str
    default: str
    nominal: float
    rate: float
    runs: int


def judged(name: str, *metrics: str) -> AgreementData:
    """A set's human scores and metrics."""
    test_set = read_set(name)
    human = read_human(
        DATA / name / "human-mqm.tsv",
        systems=test_set.systems,
        segments=len(test_set),
        others="ignore",
    )
    return agreement_data(test_set, human, as_metrics(metrics))


def level_rows(name: str, *, bias: float, runs: int, seed: int = 1) -> list[Rate]:
    """False alarms between a real metric plus noise and the same plus other noise.

    Args:
        name: the judged set.
        bias: the standard deviation of each metric's own bias per system, in that of the systems'
            mean scores.
        runs: pairs of metrics.
        seed: of the noise.
    """
    data = judged(name, "chrf")
    rated = np.flatnonzero(data.people.judged_cells.all(axis=0))
    assert data.human is not None  # MQM scores are of segments
    human = np.ascontiguousarray(data.human[:, rated])
    real = data.items["chrF2"][:, rated]
    noise, between = 0.3 * real.std(), bias * real.mean(axis=1).std()
    rng = np.random.default_rng(seed)
    kendall, pearson = measure_by("kendall-b", grouping="item"), measure_by("pearson")
    alarms: dict[str, int] = {}
    for run in range(runs):
        first, second = (
            real + noise * rng.normal(size=real.shape) + between * rng.normal(size=(len(real), 1))
            for _ in range(2)
        )
        means = [scores.mean(axis=1) for scores in (human, first, second)]
        tests = {
            "soft pairwise accuracy": soft_pairwise_test(
                human, first, second, permutations=PERMUTATIONS, seed=run
            ),
            "soft pairwise accuracy, --permute systems": soft_pairwise_test(
                human, first, second, unit="system", permutations=256, seed=run
            ),
            "Kendall's tau-b by item": permutation_test(
                human, first, second, kendall, permutations=PERMUTATIONS, seed=run
            ),
            "Pearson's r of systems": permutation_test(
                means[0], means[1], means[2], pearson, permutations=256, seed=run
            ),
        }
        for label, test in tests.items():
            alarms[label] = alarms.get(label, 0) + ((test.p or 0.0) <= 0.05)
    design = f"equally good metrics, {name}, bias per system {bias:g}"
    return [Rate(design, label, 0.05, count / runs, runs) for label, count in alarms.items()]


def coverage_rows(name: str, *, segments: int, runs: int, seed: int = 1) -> list[Rate]:
    """How often intervals of systems cover the value on the pool that segments are drawn from."""
    data = judged(name, "bleu", "ter")
    rated = np.flatnonzero(data.people.judged_cells.all(axis=0))
    assert data.human is not None  # MQM scores are of segments
    human = data.human[:, rated]
    rows = {label: metric.statistics.rows[rated] for label, metric in data.metrics.items()}
    score = {label: metric.statistics.score for label, metric in data.metrics.items()}
    truth = {
        (by, label): measure(human.mean(axis=1), score[label](counts.sum(axis=0)), by).value or 0.0
        for by in COEFFICIENTS
        for label, counts in rows.items()
    }
    covered = dict.fromkeys(truth, 0)
    rng = np.random.default_rng(seed)
    for run in range(runs):
        drawn = rng.integers(0, len(rated), segments)
        metrics = {
            label: SegmentStatistics(counts[drawn], score[label]) for label, counts in rows.items()
        }
        for by in COEFFICIENTS:
            found = bootstrap_system_agreement(
                human[:, drawn], metrics, by, replicates=REPLICATES, seed=run
            )
            for label in metrics:
                interval = found.interval(label)
                if interval.low is not None and interval.high is not None:
                    value = truth[by, label]
                    covered[by, label] += interval.low - 1e-9 <= value <= interval.high + 1e-9
    design = f"{segments} segments of {name}"
    return [
        Rate(design, f"interval of {by} of systems, {label}", 0.95, count / runs, runs)
        for (by, label), count in covered.items()
    ]
