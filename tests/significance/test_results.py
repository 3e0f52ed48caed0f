"""Results of a comparison: data that can be compared, pickled, printed and tabulated."""

from __future__ import annotations

import json
import pickle
from typing import Literal

import numpy as np
import pytest

import truebleu
from tests.simulated_causes import simulate_causes
from truebleu import compare
from truebleu.metrics import FunctionMetric
from truebleu.significance import adjust
from truebleu.simulation import Channel, simulate

TEXTS = simulate(segments=40, systems=[0.1, 0.2, 0.3], seed=1)
# Outputs that are numbers, as their own scores.
VALUE = FunctionMetric(function=lambda output, _: float(output), name="value")


def test_a_comparison_can_be_compared_and_pickled() -> None:
    result = compare(TEXTS, replicates=100)
    assert result == compare(TEXTS, replicates=100)
    assert result != compare(TEXTS, replicates=100, seed=1)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  # made here


def test_a_comparison_prints_like_the_command() -> None:
    result = compare(TEXTS, metrics=["bleu", "ter"], replicates=100)
    assert "approximate randomization over 3 documents, all 8 swaps" in str(result)
    assert "<table" in result._repr_html_()


@pytest.mark.parametrize("library", [None, "pandas", "polars"])
def test_a_data_frame_has_a_row_per_pair(library: Literal["pandas", "polars"] | None) -> None:
    result = compare(TEXTS, metrics=["bleu", "ter"], replicates=100)
    frame = result.to_frame(library)
    assert type(frame).__module__.startswith(library or "pandas")
    assert len(frame) == len(result.comparisons) == 6
    assert list(frame["p"]) == [pair.p for pair in result.comparisons]


def test_equivalence_is_corrected_for_all_pairs() -> None:
    channels = {f"s{index}": Channel.at_rate(0.2) for index in range(5)}
    texts = simulate(segments=400, systems=channels, seed=4)
    comparison = compare(texts, metrics=["chrf"], margin=1.5, replicates=1000)
    raw = [pair.equivalence_p for pair in comparison.comparisons]
    adjusted = [pair.equivalence_p_adjusted for pair in comparison.comparisons]
    assert adjusted == pytest.approx(adjust(np.array(raw, dtype=float), "holm"))
    assert [pair.equivalent for pair in comparison.comparisons] == [
        p is not None and p <= 0.05 for p in adjusted
    ]
    stepwise = compare(texts, metrics=["chrf"], margin=1.5, correction="westfall-young")
    assert [pair.equivalence_p_adjusted for pair in stepwise.comparisons] == pytest.approx(
        adjust(np.array([pair.equivalence_p for pair in stepwise.comparisons], float), "holm")
    )


@pytest.mark.slow
def test_false_equivalences_among_many_systems_are_rare() -> None:
    # Neighbours differ by exactly the margin, so that every equivalence is false. Of 300 families,
    # three standard deviations of a share of .05 are .038.
    rng = np.random.default_rng(5)
    claims = uncorrected = 0
    for _ in range(300):
        common = rng.normal(size=100)
        texts = {
            f"s{step}": [repr(float(value)) for value in common + rng.normal(size=100) + 0.5 * step]
            for step in range(8)
        }
        comparison = compare(texts, [""] * 100, [VALUE], margin=0.5, replicates=600)
        claims += any(pair.equivalent for pair in comparison.comparisons)
        uncorrected += any((pair.equivalence_p or 1) <= 0.05 for pair in comparison.comparisons)
    assert claims / 300 < 0.088
    assert uncorrected / 300 > 0.2


def test_to_dict_has_the_names_that_programs_use() -> None:
    texts = simulate_causes(segments=40)
    comparison = compare(texts, metrics=["bleu", "ter"], replicates=200, margin=2.0)
    values = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert values["systems"][0]["scores"]["BLEU"]["interval"] == list(
        comparison.systems["baseline"]["BLEU"].interval
    )
    assert [pair["p"] for pair in values["comparisons"]] == [p.p for p in comparison.comparisons]
    assert values["metrics"][0]["signature"] == str(comparison.metrics["BLEU"].signature)
    assert values["settings"]["units"] == comparison.units


@pytest.mark.parametrize(("items", "note"), [(4, None), (40, "few units differ")])
def test_few_units_that_all_differ_have_no_note(items: int, note: str | None) -> None:
    same = [float(item) for item in range(items)]
    other = [score + 0.1 * (item + 1) if item < 4 else score for item, score in enumerate(same)]
    (pair,) = truebleu.compare({"a": other, "b": same}, metrics="scores").comparisons
    assert (pair.differing_units, pair.note) == (4, note)
