"""Pairs that people and a metric order differently, and the segments where they differ most."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.agreement.judged_texts import comparisons, human_scores, texts
from truebleu import agree, count
from truebleu.agreement.report import agreement_report
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from truebleu.counts.counts import Counts

SEGMENTS = 40
# People prefer A to B in every segment, and B to C; the metric prefers B to A.
HUMAN: dict[str, list[float | None]] = {
    "A": [0.0 if index % 3 else -1.0 for index in range(SEGMENTS)],
    "B": [-4.0 - index % 2 for index in range(SEGMENTS)],
    "C": [-9.0 if index != 7 else None for index in range(SEGMENTS)],
}
METRIC: dict[str, list[float]] = {
    "A": [0.5 + 0.01 * (index % 5) for index in range(SEGMENTS)],
    "B": [0.6 + 0.01 * (index % 4) for index in range(SEGMENTS)],
    "C": [0.2 + 0.01 * (index % 3) for index in range(SEGMENTS)],
}
METRIC["B"][11] = 0.9
METRIC["A"][11] = 0.1


def counts() -> Counts:
    return count(METRIC)


def report(**options: Any) -> Any:
    found = agree(counts(), HUMAN, replicates=100, permutations=100, **options)
    return agreement_report(found, counts(), HUMAN, name="mqm")


def test_the_pair_in_opposite_order_has_both_differences_and_p() -> None:
    made = report()
    assert made.comparison is not None
    (pair,) = made.disputed["score"]
    assert (pair.better, pair.worse) == ("A", "B")
    both = [made.comparison.of(label)[0] for label in ("mqm", "score")]
    assert (both[0].a, both[0].b) == ("A", "B")
    assert [pair.human, pair.metric] == [each.difference for each in both]
    assert [pair.human_p, pair.metric_p] == [each.p_adjusted for each in both]
    assert (pair.human_significant, pair.metric_significant) == (True, True)
    scores = made.comparison.systems["C"]["mqm"]
    assert scores.score == pytest.approx(-9)


def test_the_largest_disagreement_comes_first() -> None:
    (pair,) = report().disputed["score"]
    assert len(pair.segments) == 4
    first = pair.segments[0]
    assert (first.number, first.metric) == (12, (0.1, 0.9))
    assert first.human == (HUMAN["A"][11], HUMAN["B"][11])
    assert first.outputs is None


def test_agreement_has_no_disputed_pairs() -> None:
    human = {name: [10 * score for score in row] for name, row in METRIC.items()}
    found = agree(counts(), human, replicates=100, permutations=100)
    assert agreement_report(found, counts(), human).disputed == {"score": ()}


def test_comparisons_of_pairs_have_no_scores_of_segments() -> None:
    test_set = count(texts(), metrics=["bleu", "chrf"])
    found = agree(test_set, comparisons(), coefficients=["tau-13"], permutations=50)
    made = agreement_report(found, test_set, comparisons())
    assert made.comparison is None
    assert made.disputed == {}


def test_a_grid_has_no_report() -> None:
    grid = ["sentbleu:smoothing=4,k=1|2"]
    test_set = replace(texts(), documents=None)
    found = agree(test_set, human_scores(), grid=grid, replicates=100, permutations=50)
    with pytest.raises(SettingError, match="without a grid"):
        agreement_report(found, count(texts()), human_scores())


def test_too_few_judged_segments_have_no_intervals() -> None:
    human = {name: [row[0], row[1], *[None] * 38] for name, row in HUMAN.items()}
    found = agree(counts(), human, replicates=100, permutations=100)
    assert agreement_report(found, counts(), human).comparison is None
