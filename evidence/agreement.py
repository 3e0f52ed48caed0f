"""Levels of tests between metrics and coverage of agreement's intervals, for the page of defaults.

Levels are measured on equally good metrics, coverage on samples of segments from a judged pool,
whose value is the truth.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import DATA, read_set
from evidence.rates import ALPHA, Design, Question
from truebleu.agreement.bootstrap import (
    MOST_NOISE,
    Draws,
    bootstrap_soft_pairwise,
    bootstrap_system_agreement,
)
from truebleu.agreement.coefficients import coefficient, measure, soft_pairwise_accuracy
from truebleu.agreement.data import agreement_data, signed_scores
from truebleu.agreement.tests import permutation_test, soft_pairwise_test
from truebleu.counts.counting import count_texts
from truebleu.human import read_human

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from truebleu.agreement.bootstrap import AgreementInterval
    from truebleu.agreement.data import AgreementData

    Answers = tuple[Sequence[float], Sequence[float]]

SETS = ("wmt21-en-de", "ted-mqm-en-de")
SEGMENTS = (100, 300, 600)
COEFFICIENTS = ("pearson", "spearman", "pairwise-accuracy")
METRICS = ("bleu", "ter")
PERMUTATIONS = 199
REPLICATES = 200
NOISE = "noise: the interval may be too narrow"
ON_THESE = "the test holds for these systems only"
# Coefficient to test, and whether its claims are about the given systems only.
TESTS = {
    "soft pairwise accuracy": True,
    "soft pairwise accuracy --permute systems": False,
    "Kendall's tau-b by item": True,
    "Pearson's r of systems": False,
}


@cache
def judged(name: str, *metrics: str) -> AgreementData:
    """Read the human scores and metrics of a set."""
    test_set = read_set(name)
    human = read_human(
        DATA / name / "human-mqm.tsv",
        systems=test_set.systems,
        segments=len(test_set),
        others="ignore",
    )
    return agreement_data(count_texts(test_set, metrics), human)


def _rated(data: AgreementData) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Select fully rated segments; return them and their scores, shaped (system, segment)."""
    rated = np.flatnonzero(data.people.judged_cells.all(axis=0))
    assert data.human is not None  # MQM scores are of segments
    return rated, np.ascontiguousarray(data.human[:, rated])


def levels() -> Iterator[Design]:
    """Measure false alarms between two noisy copies of one real metric."""
    for name in SETS:
        for bias in (0.0, 0.5):
            kind = f"own bias per system of {bias:g} s.d." if bias else "no bias per system"
            questions = tuple(
                Question(
                    default=f"agree, level of {label}",
                    design=f"equally good metrics on {name}, {kind}",
                    always=ON_THESE if bias and these_systems else "",
                )
                for label, these_systems in TESTS.items()
            )
            yield Design(questions=questions, trials=200, trial=partial(_levels, name, bias))


def powers() -> Iterator[Design]:
    """Measure the power to detect the better of two metrics, of which one has more noise."""
    for name in SETS:
        questions = tuple(
            Question(
                default=f"power of agree, {label}",
                design=f"{name}, one metric with 3 s.d. of noise, the other with 0.3",
                expected=None,
            )
            for label in TESTS
        )
        trial = partial(_levels, name, 0.0, noises=(0.3, 3.0))
        yield Design(questions=questions, trials=200, trial=trial)


def _levels(
    name: str, bias: float, trial: int, noises: tuple[float, float] = (0.3, 0.3)
) -> Answers:
    data = judged(name, "chrf")
    rated, human = _rated(data)
    real = data.items["chrF2"][:, rated]
    between = bias * real.mean(axis=1).std()
    generator = np.random.default_rng([trial, 1])
    first, second = (
        real
        + noise * real.std() * generator.normal(size=real.shape)
        + between * generator.normal(size=(len(real), 1))
        for noise in noises
    )
    means = [scores.mean(axis=1) for scores in (human, first, second)]
    kendall, pearson = coefficient("kendall-b", grouping="item"), coefficient("pearson")
    tests = (
        soft_pairwise_test(human, first, second, permutations=PERMUTATIONS, seed=trial),
        soft_pairwise_test(human, first, second, unit="system", permutations=256, seed=trial),
        permutation_test(human, first, second, kendall, permutations=PERMUTATIONS, seed=trial),
        permutation_test(
            means[0], means[1], means[2], pearson, studentized=True, permutations=256, seed=trial
        ),
    )
    return [test.p is not None and test.p <= ALPHA for test in tests], [False] * len(tests)


def intervals() -> Iterator[Design]:
    """Measure how often intervals of systems cover the value on the pool of segments."""
    for name in SETS:
        for segments in SEGMENTS:
            questions = tuple(
                Question(
                    default=f"agree, interval of {coefficient} of systems ({metric})",
                    design=f"{segments} segments of {name}",
                    expected=1 - ALPHA,
                    sometimes=NOISE,
                )
                for coefficient in COEFFICIENTS
                for metric in METRICS
            )
            yield Design(questions=questions, trials=150, trial=partial(_covered, name, segments))


def _covered(name: str, segments: int, trial: int) -> Answers:
    data = judged(name, *METRICS)
    rated, human = _rated(data)
    drawn = np.random.default_rng([trial, segments]).integers(0, len(rated), segments)
    pools = {
        label: replace(metric.counts, rows=metric.counts.rows[rated])
        for label, metric in data.metrics.items()
    }
    samples = {label: replace(pool, rows=pool.rows[drawn]) for label, pool in pools.items()}
    covered, noisy = [], []
    for name in COEFFICIENTS:
        replicates = bootstrap_system_agreement(
            human[:, drawn], samples, name, replicates=REPLICATES, seed=trial
        )
        for label, pool in pools.items():
            scores = signed_scores(pool.metric, pool.sums)
            truth = measure(human.mean(axis=1), scores, name)
            covered.append(_contains(replicates.interval(label), truth.value))
            noisy.append(replicates.noise.get(label, 0.0) > MOST_NOISE)
    return covered, noisy


def few_systems() -> Iterator[Design]:
    """Measure false alarms between equally good metrics of 8 systems, by Pearson's r."""
    for slope, shared in ((2, 0), (4, 0), (0.5, 2)):
        question = Question(
            default="agree, level of Pearson's r of 8 systems",
            design=f"simulated: {slope:g} human + {shared:g} common + 1 own s.d. of noise",
        )
        trial = partial(_few_systems, slope, shared)
        yield Design(questions=(question,), trials=2000, trial=trial)


def _few_systems(slope: float, shared: float, trial: int) -> Answers:
    generator = np.random.default_rng([trial, 8])
    human, common, first, second = generator.normal(size=(4, 8))
    first, second = (slope * human + shared * common + own for own in (first, second))
    test = permutation_test(
        human, first, second, coefficient("pearson"), unit="system", studentized=True
    )
    return [test.p is not None and test.p <= ALPHA], [False]


def soft_intervals() -> Iterator[Design]:
    """Measure coverage of intervals of soft pairwise accuracy."""
    for systems, segments, spread in ((4, 50, 0.1), (8, 100, 0.5), (15, 100, 0.1), (15, 300, 0.2)):
        question = Question(
            default="agree, interval of soft pairwise accuracy: covers",
            design=f"simulated: {systems} systems with {spread:g} s.d. between them, "
            f"{segments} segments",
            expected=None,
        )
        trial = partial(_soft_interval, systems, segments, spread)
        # A trial of many systems and segments takes half a second.
        trials = 1000 if systems * segments < 4000 else 200
        yield Design(questions=(question,), trials=trials, trial=trial)


def _scores(systems: int, segments: int, spread: float, *key: int) -> NDArray[np.float64]:
    """Draw human and metric scores of segments; the systems do not depend on the key."""
    quality = spread * np.random.default_rng(systems).normal(size=(2, systems, 1))
    generator = np.random.default_rng([*key, systems, segments])
    human = quality[0] + generator.normal(size=(systems, segments))
    own = quality[1] / 2 + generator.normal(size=(systems, segments))
    return np.stack([human, human / 2 + own])


@cache
def _soft_truth(systems: int, segments: int, spread: float) -> float:
    """Estimate the mean over test sets of this size."""
    values = []
    for key in range(1000):
        human, metric = _scores(systems, segments, spread, 1, key)
        measured = soft_pairwise_accuracy(human, {"m": metric}, permutations=1000, seed=key)
        values.append(measured["m"].value or 0.0)
    return float(np.mean(values))


def _soft_interval(systems: int, segments: int, spread: float, trial: int) -> Answers:
    human, metric = _scores(systems, segments, spread, 2, trial)
    value = soft_pairwise_accuracy(human, {"m": metric}, permutations=10_000, seed=trial)["m"].value
    draws = Draws(replicates=REPLICATES, seed=trial)
    replicates = bootstrap_soft_pairwise(human, {"m": metric}, {"m": value}, draws)
    return [_contains(replicates.interval("m"), _soft_truth(systems, segments, spread))], [False]


def _contains(interval: AgreementInterval, value: float | None) -> bool:
    """Return whether an interval contains a value; False if either is None."""
    low, high = interval.low, interval.high
    if low is None or high is None or value is None:
        return False
    return low - 1e-9 <= value <= high + 1e-9


#: Designs of agreement on the page of defaults.
DESIGNS = (levels, few_systems, intervals, soft_intervals, powers)
