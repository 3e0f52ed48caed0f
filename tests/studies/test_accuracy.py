"""Accuracy: conclusions by confidence, counted again plainly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom

from tests.studies.recount import conclusions
from truebleu.corpus import TestSet
from truebleu.errors import TruebleuError
from truebleu.execution.journal import Runner
from truebleu.metrics.function import FunctionMetric
from truebleu.simulation import simulate
from truebleu.studies._pairs import TEST_NAMES, TESTS
from truebleu.studies.accuracy import USUAL_BANDS, chance_of, study_accuracy

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.21], seed=3)
LABELS = [
    "below 50 %", "50 to 60 %", "60 to 70 %", "70 to 80 %", "80 to 90 %",
    "90 to 95 %", "95 to 99 %", "99 to 99.9 %", "99.9 to 100 %",
]  # fmt: skip


def test_bands_are_those_of_a_plain_count(tmp_path: Path) -> None:
    journal, metrics = tmp_path / "journal", ["bleu", "ter"]
    exhibit = study_accuracy(
        TEXTS,
        metrics,
        tests=TESTS,
        sizes=[10, 30],
        repetitions=20,
        samples=1000,
        runner=Runner(journal),
    )
    found: dict[tuple[str, str, str], list[bool]] = {}
    for one in conclusions(journal, TEXTS, metrics):
        if one.right is not None:
            # In thousandths, so that 95 % is 95 % and no float a little below it.
            confidence = round(1_000_000 * (1 - one.p))
            band = sum(confidence >= round(1_000_000 * edge) for edge in USUAL_BANDS)
            key = (one.metric, TEST_NAMES[one.test], LABELS[band])
            found.setdefault(key, []).append(one.right)
    assert len(exhibit.rows) == len(found)
    for row in exhibit.rows:
        right = found[str(row["metric"]), str(row["test"]), str(row["band"])]
        assert row["conclusions"] == len(right)
        assert row["right"] == pytest.approx(np.mean(right))
        low, share, high = (float(row[name] or 0) for name in ("low", "right", "high"))
        assert 0 <= low <= share <= high <= 1


def test_wins_are_at_least_half_sure_and_p_values_may_be_less() -> None:
    exhibit = study_accuracy(TEXTS, tests=("ar", "wins"), sizes=[10], repetitions=30, samples=200)
    bands = {
        test: [row["band"] for row in exhibit.rows if row["test"] == TEST_NAMES[test]]
        for test in ("ar", "wins")
    }
    assert "below 50 %" in bands["ar"]
    assert "below 50 %" not in bands["wins"]
    assert bands["ar"] == sorted(bands["ar"], key=lambda band: -LABELS.index(str(band)))


def _normal_texts(spread: float) -> TestSet:
    """Twelve systems whose means are drawn by this standard deviation, on normal segment scores."""
    random = np.random.default_rng(1)
    values = random.normal(0, 1, size=(12, 1500))
    values += random.normal(0, spread, size=(12, 1)) - values.mean(axis=1, keepdims=True)
    systems = {f"s{number}": [f"{v:.9f}" for v in row] for number, row in enumerate(values)}
    return TestSet(systems=systems, references=(["x"] * 1500,), reference_names=("r",))


VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def test_wins_are_right_as_often_as_they_claim_if_differences_of_all_sizes_are_as_likely() -> None:
    exhibit = study_accuracy(
        _normal_texts(spread=2.0),
        [VALUE],
        tests=("wins",),
        pairs="all",
        sizes=[8, 16],
        repetitions=200,
        samples=300,
        bands=(0.5, 0.7, 0.9, 0.999),
    )
    assert [row["band"] for row in exhibit.rows] == [
        "99.9 to 100 %",
        "90 to 99.9 %",
        "70 to 90 %",
        "50 to 70 %",
    ]
    for row in exhibit.rows[1:]:
        assert float(row["confidence"] or 0) == pytest.approx(float(row["right"] or 0), abs=0.05)


def test_of_systems_that_hardly_differ_half_of_all_conclusions_are_right_however_sure() -> None:
    exhibit = study_accuracy(
        _normal_texts(spread=1e-4), [VALUE], pairs="all", sizes=[40], samples=300, bands=(0.5, 0.95)
    )
    sure = [row for row in exhibit.rows if row["band"] == "95 to 100 %"]
    assert len(sure) == 2
    for row in sure:
        assert 0.3 < float(row["right"] or 0) < 0.7
    assert sum("right less often than claimed" in finding for finding in exhibit.findings) == 2


def test_ties_are_left_out_and_said() -> None:
    one, other = TEXTS.systems["system-1"], TEXTS.systems["system-2"]
    texts = replace(TEXTS, systems={"a": one, "copy": one, "c": other})
    exhibit = study_accuracy(texts, tests=("ar",), sizes=[30], repetitions=10, samples=100)
    assert sum(int(row["conclusions"] or 0) for row in exhibit.rows) == 20
    assert any("a and copy tie in the pool" in finding for finding in exhibit.findings)
    only = study_accuracy(
        texts, tests=("ar",), pairs=[("a", "copy")], sizes=[30], repetitions=10, samples=100
    )
    assert only.rows == ()
    assert "BLEU, approximate randomization: there is no conclusion to judge." in only.findings


def test_samples_that_tie_are_counted_apart() -> None:
    one = list(TEXTS.systems["system-1"])
    texts = replace(TEXTS, systems={"a": one, "b": [*one[:-1], "x"]})
    exhibit = study_accuracy(texts, tests=("wins",), sizes=[5], repetitions=40, samples=100)
    judged = sum(int(row["conclusions"] or 0) for row in exhibit.rows)
    assert judged < 40
    assert (
        f"BLEU, bootstrap wins: {40 - judged} samples of pairs tie, and give no conclusion."
        in exhibit.findings
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
    ("options", "said"),
    [
        ({"bands": []}, "bands: found 'none'"),
        ({"bands": [95]}, "bands: found 95, expected confidences between 0 and 1"),
        ({"bands": [0.0]}, "bands: found 0.0"),
        ({"bands": [float("nan")]}, "bands: found nan"),
        ({"samples": 10}, "replicates: found 10"),
        ({"sizes": [300]}, "no more than the pool has: 200"),
    ],
)
def test_what_says_nothing_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(TruebleuError, match=said):
        study_accuracy(TEXTS, **options)
