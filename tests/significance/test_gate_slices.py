"""Slices of a gate: a release must not be worse on a part of the items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import truebleu
from truebleu.errors import SettingError

#: Items that only the new model gets right, only the old one, and both, by subject.
SUBJECTS = {"math": (30, 4, 40), "law": (4, 20, 40), "bio": (6, 6, 40)}


def items(subjects: dict[str, tuple[int, int, int]]) -> tuple[dict[str, list[int]], list[str]]:
    """Make the scores of two models, and the subject of each item."""
    new: list[int] = []
    old: list[int] = []
    labels: list[str] = []
    for subject, (fixed, broken, same) in subjects.items():
        new += [1] * fixed + [0] * broken + [1] * same
        old += [0] * fixed + [1] * broken + [1] * same
        labels += [subject] * (fixed + broken + same)
    return {"new": new, "old": old}, labels


def gate(
    subjects: dict[str, tuple[int, int, int]], **options: Any
) -> truebleu.significance.gate.GateResult:
    scores, labels = items(subjects)
    return truebleu.gate(scores, baseline="old", by={"subject": labels}, **options)


def test_a_worse_slice_fails_the_gate_although_the_whole_passes() -> None:
    result = gate(SUBJECTS)
    assert result.checks[0].passed
    assert not result.passed
    assert {s.label: s.passed for s in result.slices} == {"math": True, "law": False, "bio": True}
    text = str(result)
    assert text.startswith("fail: on subject law, new is worse than old by ")
    assert "overall pass: no evidence that new is worse than old" in text
    scores, _ = items(SUBJECTS)
    assert truebleu.gate(scores, baseline="old").passed


def test_p_values_are_holms_over_slices() -> None:
    p = {s: binomtest(f, f + b, alternative="less").pvalue for s, (f, b, _) in SUBJECTS.items()}
    ordered, adjusted, largest = sorted(p, key=p.__getitem__), {}, 0.0
    for rank, subject in enumerate(ordered):
        largest = max(largest, min(1.0, (len(p) - rank) * p[subject]))
        adjusted[subject] = largest
    for of_slice in gate(SUBJECTS).slices:
        assert of_slice.p == pytest.approx(p[of_slice.label], rel=1e-12)
        assert of_slice.p_adjusted == pytest.approx(adjusted[of_slice.label], rel=1e-12)


@pytest.mark.parametrize("kind", ["scores", "pass/fail"])
def test_the_bound_of_a_slice_agrees_with_its_corrected_test(kind: str) -> None:
    rng = np.random.default_rng(3)
    labels = ["a", "b", "c", "d"] * 30
    outcomes = set()
    for _ in range(40):
        new, old = rng.normal(size=(2, 120)) - np.array([[0.4], [0.0]])
        if kind == "pass/fail":
            new, old = (rng.random((2, 120)) < np.array([[0.6], [0.8]])).astype(float)
        scores = {"new": new.tolist(), "old": old.tolist()}
        result = truebleu.gate(
            scores, baseline="old", by={"k": labels}, lower_is_better=False, replicates=999
        )
        for of_slice in result.slices:
            assert of_slice.interval is not None
            assert of_slice.p is not None
            high = of_slice.interval[1]
            assert of_slice.passed == (high is None or high >= 0), of_slice
            outcomes.add((of_slice.passed, of_slice.p <= 0.05))
    # Some slices pass only because of the correction.
    assert outcomes == {(True, True), (True, False), (False, True)}


def test_slices_without_power_for_the_margin_are_not_tested() -> None:
    subjects = {"large": (10, 10, 400), "small": (5, 5, 20), "tiny": (1, 1, 4)}
    result = gate(subjects, margin=0.05)
    tested = {s.label: s.passed for s in result.slices}
    # Standard errors are about sqrt(20) / 420 and sqrt(10) / 30; 1.645 of them are .018 and .17.
    assert tested == {"large": True, "small": None, "tiny": None}
    assert "Not tested (fewer than 10 units, or a power below 50 %" in str(result)
    assert "subject small and subject tiny" in " ".join(str(result).split())
    without = gate(subjects)
    assert {s.label: s.passed for s in without.slices} == {
        "large": True,
        "small": True,
        "tiny": None,
    }


def test_equal_models_fail_by_slices_about_as_often_as_the_level_says() -> None:
    rng, failed, count = np.random.default_rng(7), 0, 200
    for _ in range(count):
        right = rng.random((240, 2)) < 0.6
        scores = {"new": right[:, 0].astype(int), "old": right[:, 1].astype(int)}
        labels = [str(index % 4) for index in range(240)]
        result = truebleu.gate(scores, baseline="old", by={"slice": labels})
        failed += any(s.passed is False for s in result.slices)
    # The exact test of discrete counts is conservative.
    assert 0 < failed <= 0.05 * count + 3 * (0.05 * 0.95 * count) ** 0.5


def test_a_field_that_no_item_has_is_refused() -> None:
    scores, _ = items(SUBJECTS)
    with pytest.raises(SettingError, match="topic"):
        truebleu.gate(scores, baseline="old", by=["topic"])


def test_a_ledger_tells_looks_by_slices_from_others(tmp_path: Any) -> None:
    ledger = tmp_path / "looks.db"
    scores, _ = items(SUBJECTS)
    truebleu.gate(scores, baseline="old", ledger=ledger)
    look = gate(SUBJECTS, ledger=ledger).look
    assert look is not None
    assert (look.number, look.repeated) == (2, False)
    again = gate(SUBJECTS, ledger=ledger).look
    assert again is not None
    assert again.repeated
