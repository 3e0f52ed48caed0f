"""Accuracy: conclusions by confidence, counted again plainly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from tests.studies.recount import studied
from truebleu.corpus import TestSet
from truebleu.errors import TruebleuError
from truebleu.metrics.function import FunctionMetric
from truebleu.simulation import simulate
from truebleu.studies.accuracy import (
    USUAL_BANDS,
    AccuracyBand,
    AccuracyResult,
    chance_of,
    study_accuracy,
)

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.21], seed=3)
EDGES = (0.0, *USUAL_BANDS)


def bands_of(result: AccuracyResult) -> list[AccuracyBand]:
    return [band for row in result.rows for band in row.bands]


def said(result: AccuracyResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_bands_are_those_of_a_plain_count(tmp_path: Path) -> None:
    settings = {"sizes": [10, 30], "samples": 20, "replicates": 1000}
    result, conclusions = studied(study_accuracy, TEXTS, tmp_path, **settings)
    found: dict[tuple[str, str, float], list[bool]] = {}
    for conclusion in conclusions:
        if conclusion.right is not None:
            # In thousandths, so that 95 % is 95 % and no float a little below it.
            confidence = round(1_000_000 * (1 - conclusion.p))
            band = sum(confidence >= round(1_000_000 * edge) for edge in USUAL_BANDS)
            key = (conclusion.metric, conclusion.test, EDGES[band])
            found.setdefault(key, []).append(conclusion.right)
    assert len(bands_of(result)) == len(found)
    for row in result.rows:
        for band_ in row.bands:
            right = found[row.metric, row.test, band_.least]
            assert band_.conclusions == len(right)
            assert band_.right.value == pytest.approx(np.mean(right))
            assert 0 <= band_.right.low <= band_.right.value <= band_.right.high <= 1


def test_wins_are_at_least_half_sure_and_p_values_may_be_less() -> None:
    result = study_accuracy(TEXTS, tests=("ar", "wins"), sizes=[10], samples=30, replicates=200)
    bands = {row.test: [band.least for band in row.bands] for row in result.rows}
    assert 0.0 in bands["ar"]
    assert 0.0 not in bands["wins"]
    assert bands["ar"] == sorted(bands["ar"], reverse=True)
    assert "below 50 %" in str(result)


def _normal_texts(spread: float) -> TestSet:
    """Twelve systems whose means are drawn by this standard deviation, on normal segment scores."""
    random = np.random.default_rng(1)
    values = random.normal(0, 1, size=(12, 1500))
    values += random.normal(0, spread, size=(12, 1)) - values.mean(axis=1, keepdims=True)
    systems = {f"s{number}": [f"{v:.9f}" for v in row] for number, row in enumerate(values)}
    return TestSet(systems=systems, references=(["x"] * 1500,), reference_names=("r",))


VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


@pytest.mark.slow
def test_wins_are_right_as_often_as_they_claim_if_differences_of_all_sizes_are_as_likely() -> None:
    result = study_accuracy(
        _normal_texts(spread=2.0),
        [VALUE],
        tests=("wins",),
        pairs="all",
        sizes=[8, 16],
        samples=200,
        replicates=300,
        bands=(0.5, 0.7, 0.9, 0.999),
    )
    assert [row["band"] for row in result.to_document().data.rows] == [
        "99.9 to 100 %",
        "90 to 99.9 %",
        "70 to 90 %",
        "50 to 70 %",
    ]
    for band in bands_of(result)[1:]:
        assert band.confidence == pytest.approx(band.right.value, abs=0.05)


@pytest.mark.slow
def test_of_systems_that_hardly_differ_half_of_all_conclusions_are_right_however_sure() -> None:
    result = study_accuracy(
        _normal_texts(spread=1e-4),
        [VALUE],
        pairs="all",
        sizes=[40],
        replicates=300,
        bands=(0.5, 0.95),
    )
    sure = [band for band in bands_of(result) if band.least == 0.95]
    assert len(sure) == 2
    for band in sure:
        assert 0.3 < band.right.value < 0.7
        assert band.overconfident
    assert sum("right less often than claimed" in sentence for sentence in said(result)) == 2


def test_samples_that_tie_are_counted_apart() -> None:
    one = list(TEXTS.systems["system-1"])
    texts = replace(TEXTS, systems={"a": one, "b": [*one[:-1], "x"]})
    result = study_accuracy(texts, tests=("wins",), sizes=[5], samples=40, replicates=100)
    judged = sum(band.conclusions for band in bands_of(result))
    assert judged < 40
    assert result.rows[0].undecided == 40 - judged
    assert (
        f"BLEU, bootstrap wins: {40 - judged} samples of pairs tie, and give no conclusion."
        in said(result)
    )


@pytest.mark.parametrize(
    ("least", "trials", "probability"),
    [(0, 9, 0.1), (1, 148, 0.001), (5, 40, 0.05), (40, 40, 0.9), (300, 5000, 0.05)],
)
def test_the_chance_of_so_many_is_binomial(least: int, trials: int, probability: float) -> None:
    expected = binom.sf(least - 1, trials, probability)
    assert chance_of(least, trials, probability) == pytest.approx(expected, abs=1e-10)
    assert chance_of(1, trials, 0.0) == 0
    assert chance_of(1, trials, 1.0) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bands": []}, "bands: found 'none'"),
        ({"bands": [95]}, "bands: found 95, expected confidences between 0 and 1"),
        ({"bands": [0.0]}, "bands: found 0.0"),
        ({"bands": [float("nan")]}, "bands: found nan"),
        ({"replicates": 10}, "(samples|replicates): found 10"),
        ({"sizes": [300]}, "no more than the pool has: 200"),
    ],
)
def test_what_says_nothing_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TruebleuError, match=message):
        study_accuracy(TEXTS, **options)
