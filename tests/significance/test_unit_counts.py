"""Counts by unit: scores, the jackknife, the delta method, and what one unit carries."""

from __future__ import annotations

import numpy as np
import pytest

from truebleu import BLEU
from truebleu.counts.counting import count_texts
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError
from truebleu.metrics.base import GivenMean, Signature
from truebleu.resampling import Units
from truebleu.significance.unit_counts import UnitCounts, count_units, design_effects, largest_units
from truebleu.simulation import simulate

TEXTS = simulate(segments=60, systems=[0.1, 0.2], document_length=5, seed=2)
(BY_SEGMENT,) = count_units(count_texts(TEXTS, [BLEU(tokenize="13a")]), Units.segments(60))


def means(**scores: list[float]) -> UnitCounts:
    units = Units.segments(len(next(iter(scores.values()))))
    (statistics,) = count_units(counts_of(scores), units)
    return statistics


def test_the_unit_does_not_change_scores() -> None:
    assert TEXTS.documents is not None
    (by_document,) = count_units(count_texts(TEXTS, [BLEU()]), Units.documents(TEXTS.documents))
    outputs = TEXTS.systems.values()
    expected = [BLEU().corpus(list(text), list(TEXTS.references[0])).score for text in outputs]
    assert BY_SEGMENT.scores == pytest.approx(expected)
    assert by_document.scores == pytest.approx(expected)
    assert len(by_document.rows) < len(BY_SEGMENT.rows)


def test_the_jackknife_leaves_out_one_unit_each() -> None:
    without_7 = BY_SEGMENT.metric.score(np.delete(BY_SEGMENT.rows, 7, axis=0).sum(axis=0))
    assert BY_SEGMENT.jackknife_scores()[7] == pytest.approx(without_7)


def test_the_delta_method_has_the_variance_of_the_jackknife() -> None:
    count = len(BY_SEGMENT.rows)
    jackknife = BY_SEGMENT.jackknife_scores()
    by_jackknife = (count - 1) ** 2 / count * jackknife.var(axis=0, ddof=1)
    contributions = BY_SEGMENT.contributions()
    assert contributions.sum(axis=0) == pytest.approx([0, 0], abs=1e-9)
    by_delta = count / (count - 1) * (contributions**2).sum(axis=0)
    assert by_delta == pytest.approx(by_jackknife, rel=0.05)


def test_contributions_are_centred_for_scores_that_depend_on_the_amount_of_text() -> None:
    metric = BLEU(tokenize="13a", smooth="add-k")
    (statistics,) = count_units(count_texts(TEXTS.part(range(8)), [metric]), Units.segments(8))
    gradient = statistics.metric.gradient(statistics.sums)
    effects = np.einsum("usc,sc->us", statistics.rows, gradient)
    # Twice the text has another score, so the effects of its units do not add up to 0.
    assert np.abs(effects.sum(axis=0)).min() > 0.01
    expected = effects - effects.mean(axis=0)
    assert statistics.contributions() == pytest.approx(expected, abs=1e-12)


def test_one_unit_that_differs_carries_all_of_the_variance() -> None:
    statistics = means(a=[1.0] * 9 + [11.0], b=[1.0] * 10)
    ((unit, share),) = largest_units(statistics, [(0, 1)])
    # Of ten differences 0, ..., 0, 10 around their mean of 1, the last has 81 of 90.
    assert unit == 9
    assert share == pytest.approx(0.9)
    assert largest_units(statistics, [(1, 1)]) == [(None, None)]


def test_units_that_differ_are_counted() -> None:
    statistics = means(a=[1.0, 2.0, 3.0], b=[1.0, 0.0, 3.0])
    assert statistics.differing_units([(0, 1), (1, 1)]) == [1, 0]


def test_only_mean_metrics_have_unit_means() -> None:
    assert means(a=[1.0, 2.0]).unit_means("test").tolist() == [[1.0], [2.0]]
    with pytest.raises(SettingError, match="student: 'BLEU'; expected a metric that is a"):
        BY_SEGMENT.unit_means("student")


def test_a_design_effect_compares_variances_of_clusters_and_segments() -> None:
    scores = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 0.0], [1.0, 1.0], [0.0, 3.0], [5.0, 0.0]])
    rows = np.stack([scores, np.ones_like(scores)], axis=2)
    kinds = Units.segments(6), Units.documents(["a", "a", "b", "b", "c", "c"])
    scorer = GivenMean(name="given", signature=Signature.of("given"))
    by_segment = UnitCounts.of("given", scorer, rows, kinds[0])
    # By hand: the variance of a mean of equally many segments, and of means of documents.
    expected = []
    for values in (scores[:, 0], scores[:, 1], scores[:, 0] - scores[:, 1]):
        documents = values.reshape(3, 2).mean(axis=1)
        expected.append((documents.var(ddof=1) / 3) / (values.var(ddof=1) / 6))
    assert design_effects(by_segment, rows, kinds) == pytest.approx(expected[:2])
    assert design_effects(by_segment, rows, kinds, [(0, 1)]) == pytest.approx(expected[2:])
