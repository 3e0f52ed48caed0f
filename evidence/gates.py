"""Levels of gates, equivalence tests and verdicts on optimizer runs, for the page of defaults.

Each of `DESIGNS` is a function that gives rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evidence.data import read_set
from truebleu.metrics.registry import as_metrics
from truebleu.reports.resampling import ENOUGH_DOCUMENTS, LARGEST_SHARE
from truebleu.resampling import Units
from truebleu.significance.corrections import adjust
from truebleu.significance.ledger import alpha_of_look
from truebleu.significance.optimizer_runs import RunAverage, two_way_p
from truebleu.significance.statistics import MetricStatistics
from truebleu.significance.student import hall_p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric

ALPHA = 0.05
# A pair with runaway outputs, and one without.
PAIRS = (("Gemini-1.5-Pro", "GPT-4"), ("GPT-4", "Aya23"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A rate beside what it should be.

    Attributes:
        default: what is asked of which default.
        design: the null or the pool, and its size.
        expected: the rate that is promised.
        rate: how often it happened.
        trials: of how many.
        printed: what the program says there.
    """

    default: str
    design: str
    expected: float
    rate: float
    trials: int
    printed: str = ""


@cache
def pool(metric: str) -> tuple[MetricStatistics, Units, dict[str, int]]:
    """WMT24 en-es by one metric: counts by segment, its documents, and the place of each system."""
    test_set = read_set("wmt24-en-es", documents=True)
    (parsed,) = as_metrics([metric])
    rows = parsed.count(test_set).array()
    by_segment = MetricStatistics.of(parsed.name, parsed, rows, Units.segments(len(rows)))
    places = {name: place for place, name in enumerate(test_set.systems)}
    return by_segment, Units.documents(test_set.documents or ()), places


def _margin_p(
    metric: Metric, rows: NDArray[np.float64], truth: float, side: int = 1
) -> NDArray[np.float64]:
    """P of the hypothesis that the first system is worse by a margin that is the truth."""
    sign = side * (-1 if metric.higher_is_better is False else 1)
    sums = rows.sum(axis=0)
    difference = sign * -np.diff(metric.score(sums))[0]
    left_out = metric.score(sums - rows)
    return hall_p(difference, sign * (left_out[:, 0] - left_out[:, 1]), sign * truth)


def _largest_share(metric: Metric, rows: NDArray[np.float64]) -> float:
    """How much of the difference's variance is one unit's."""
    left_out = metric.score(rows.sum(axis=0) - rows)
    squares = (left_out[:, 0] - left_out[:, 1] - (left_out[:, 0] - left_out[:, 1]).mean()) ** 2
    return float(squares.max() / squares.sum())


def margins() -> Iterator[Row]:
    """How often a gate passes a system that is worse by exactly the margin."""
    trials = 300
    for name in ("bleu", "chrf", "ter"):
        by_segment, documents, places = pool(name)
        metric = by_segment.metric
        by_document = documents.add_up(by_segment.rows)
        for kind, whole, count in (
            ("segments", by_segment.rows, 300),
            ("segments", by_segment.rows, 1000),
            ("documents", by_document, 20),
            ("documents", by_document, 60),
        ):
            for pair in PAIRS[:2]:
                rows = whole[:, [places[system] for system in pair]]
                truth = float(-np.diff(metric.score(rows.sum(axis=0)))[0])
                passes = warned = 0
                for trial in range(trials):
                    drawn = np.random.default_rng([trial, count]).integers(0, len(rows), count)
                    passes += bool(_margin_p(metric, rows[drawn], truth) <= ALPHA)
                    warned += _largest_share(metric, rows[drawn]) > max(LARGEST_SHARE, 5 / count)
                few = kind == "documents" and count < ENOUGH_DOCUMENTS
                said = [f"fewer than {ENOUGH_DOCUMENTS} documents"] if few else []
                if warned:
                    said.append(
                        f"in {100 * warned / trials:.0f} % one carries much of the variance"
                    )
                yield Row(
                    default=f"gate at its margin ({by_segment.label})",
                    design=f"{count} {kind} drawn, {' against '.join(pair)}",
                    expected=ALPHA,
                    rate=passes / trials,
                    trials=trials,
                    printed="; ".join(said),
                )


def equivalence() -> Iterator[Row]:
    """How often any pair of systems is called equivalent, where neighbours are a margin apart."""
    trials, systems, segments, step = 300, 8, 100, 0.5
    hits = 0
    for trial in range(trials):
        generator = np.random.default_rng([trial, systems])
        scores = generator.normal(size=(segments, systems)) + step * np.arange(systems)
        left_out = (scores.sum(axis=0) - scores) / (segments - 1)
        means, p = scores.mean(axis=0), []
        for a in range(systems):
            for b in range(a):
                difference, without = means[a] - means[b], left_out[:, a] - left_out[:, b]
                sides = (hall_p(s * difference, s * without, -step) for s in (1, -1))
                p.append(max(float(side) for side in sides))
        hits += bool((adjust(p, "holm") <= ALPHA).any())
    yield Row(
        default="compare --margin, any false equivalence",
        design=f"{systems} systems a margin apart, {segments} segments, normal scores",
        expected=ALPHA,
        rate=hits / trials,
        trials=trials,
    )


def runs() -> Iterator[Row]:
    """How often systems of equal expectation are told apart, whose runs vary."""
    trials = 300
    by_segment, documents, places = pool("bleu")
    texts = by_segment.rows[:, [places["Claude-3.5"], places["Aya23"]]]
    for count in (3, 5):
        for kind, sds in (
            ("segment", (0.0, 0.0)),
            ("segment", (0.06, 0.06)),
            ("segment", (0.12, 0.12)),
            ("segment", (0.12, 0.0)),
            ("document", (0.06, 0.06)),
        ):
            unit = documents.of_segment if kind == "document" else np.arange(len(texts))
            metric = RunAverage(by_segment.metric, count)
            hits, spreads = 0, []
            for trial in range(trials):
                generator = np.random.default_rng([trial, count])
                outputs = []
                for sd in np.repeat(sds, count):
                    coins = generator.random(unit.max() + 1) < 0.5 + sd * generator.normal()
                    outputs.append(np.where(coins[unit][:, None], texts[:, 0], texts[:, 1]))
                rows = np.stack(outputs, axis=1)
                spreads.append(by_segment.metric.score(rows.sum(axis=0)[:count]).std(ddof=1))
                rows = documents.add_up(rows) if kind == "document" else rows
                statistics = MetricStatistics("BLEU", metric, metric.by_system(rows))
                hits += bool(two_way_p(statistics, [(0, 1)], "two-sided")[0] <= ALPHA)
            yield Row(
                default="compare --runs, level (BLEU)",
                design=f"{count} + {count} runs by {kind}s, s.d. of a run {np.mean(spreads):.2f}"
                + (" and that of segments" if sds[1] != sds[0] else ""),
                expected=ALPHA,
                rate=hits / trials,
                trials=trials,
            )


def nights() -> Iterator[Row]:
    """How often any of many gates on one test set passes a system at the margin."""
    trials, segments = 400, 100
    for count in (10, 30):
        hits = 0
        for trial in range(trials):
            generator = np.random.default_rng([trial, count])
            common = generator.normal(size=segments)
            for night in range(1, count + 1):
                gains = common + generator.normal(size=segments)
                left_out = (gains.sum() - gains) / (segments - 1)
                if float(hall_p(gains.mean(), left_out)) <= alpha_of_look(night, ALPHA):
                    hits += 1
                    break
        yield Row(
            default="gate --ledger, any bad system passed",
            design=f"{count} nights on one test set of {segments} segments, normal scores",
            expected=ALPHA,
            rate=hits / trials,
            trials=trials,
        )


#: What gates and runs add to the page of defaults.
DESIGNS = (margins, equivalence, runs, nights)
