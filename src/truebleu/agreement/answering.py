"""Answers one question for all metrics: values with intervals, tests between metrics, ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from truebleu.agreement.certainty.clusters import rank_metrics
from truebleu.agreement.finding import Asked, find
from truebleu.agreement.results import Answer, MetricAgreement, PairTest
from truebleu.inference.multiplicity import adjust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.agreement.agree import AgreeSettings
    from truebleu.agreement.certainty.bootstrap import Replicates
    from truebleu.agreement.certainty.drawing import Drawing
    from truebleu.agreement.certainty.metric_tests import Test, Tested
    from truebleu.agreement.questions import Question
    from truebleu.inference.arguments import Values

#: Called with how many more questions have been answered.
Progress: TypeAlias = Callable[[int], object]

OUTSIDE = (
    "the value is outside its interval: drawing adds to the noise of the scores, and noise "
    "weakens agreement"
)


def answer_question(asked: Asked, question: Question, drawing: Drawing) -> Answer:
    """The answer of all metrics to one question, with intervals over what `drawing` says."""
    found = find(asked, question, drawing)
    values = {label: one.value for label, one in found.values.items()}
    pairs, ranks = _rank(values, found.test, asked.settings)
    replicates = None
    if drawing.refusal is None and any(value is not None for value in values.values()):
        replicates = found.replicates()
    metrics = []
    for label, rank in ranks.items():
        one = replace(found.values[label], rank=rank)
        if one.value is not None:
            one = _noted(one, *_constant(asked, label, question))
            one = _with_interval(one, replicates, drawing.refusal, asked.settings.level)
        metrics.append(one)
    return Answer(
        question=question,
        title=question.title(asked.judged.people.item),
        metrics=tuple(metrics),
        pairs=pairs,
        smallest_p=_smallest_p(pairs, asked.settings.correction),
        resampled=drawing.name,
        test=found.test_name,
        notes=(*found.notes, *drawing.notes),
    )


def _rank(
    values: Mapping[str, float | None], test: Test, settings: AgreeSettings
) -> tuple[tuple[PairTest, ...], dict[str, int | None]]:
    """Every pair tested, and the metrics' ranks, best first."""
    tests: dict[tuple[str, str], Tested] = {}

    def p(better: str, worse: str) -> float:
        tests[better, worse] = test(better, worse)
        return tests[better, worse].p

    ranked = rank_metrics(values, p, alpha=settings.alpha, correction=settings.correction)
    pairs = tuple(
        PairTest(
            better=pair.better,
            worse=pair.worse,
            difference=pair.difference,
            p=pair.p,
            p_adjusted=pair.adjusted_p,
            significant=pair.significant,
            exact=tests[pair.better, pair.worse].exact,
            draws=tests[pair.better, pair.worse].draws,
            smallest_p=tests[pair.better, pair.worse].smallest,
            note=tests[pair.better, pair.worse].note,
        )
        for pair in ranked.pairs
    )
    ranks: dict[str, int | None] = dict(zip(ranked.order, ranked.ranks, strict=True))
    return pairs, {**ranks, **dict.fromkeys(ranked.undefined)}


def _smallest_p(pairs: tuple[PairTest, ...], correction: str) -> float | None:
    """The smallest adjusted p there could have been: above alpha, nothing can be significant."""
    if not pairs:
        return None
    return float(adjust(np.array([pair.smallest_p for pair in pairs]), correction).min())


def _with_interval(
    found: MetricAgreement, replicates: Replicates | None, refusal: str | None, level: float
) -> MetricAgreement:
    if replicates is None:
        return found if refusal is None else _noted(found, refusal)
    interval = replicates.interval(found.metric, level)
    if interval.low is None or interval.high is None or found.value is None:
        return _noted(found, f"no interval: {interval.reason}")
    if not interval.low <= found.value <= interval.high:
        found = _noted(found, OUTSIDE)
    return replace(found, low=interval.low, high=interval.high)


def _constant(asked: Asked, label: str, question: Question) -> tuple[str, ...]:
    """What is to be known of a value that is defined although nothing varies."""
    people, metric = asked.judged.people, asked.judged.metrics[label]
    human: Values | None
    scores: Values | None
    if question.level == "system" and question.measure is not None:
        human, scores = people.means[~np.isnan(people.means)], metric.systems
    else:
        cells = people.judged_cells
        human = None if people.scores is None else people.scores[cells]
        scores = None if metric.items is None else metric.items[cells]
    notes = []
    if human is not None and np.ptp(human) == 0:
        notes.append("people give everything the same score: the value tells nothing")
    if scores is not None and np.ptp(scores) == 0:
        notes.append("the metric gives everything the same score: the value tells nothing of it")
    return tuple(notes)


def _noted(found: MetricAgreement, *notes: str) -> MetricAgreement:
    return replace(found, notes=(*found.notes, *notes))
