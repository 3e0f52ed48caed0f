"""McNemar's exact test of pass/fail scores whose items are the units."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest

import truebleu
from truebleu.scores import GivenScores, ItemScores

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.schema import Alternative

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def paired(fixed: int, broken: int, same: int = 10) -> dict[str, list[int]]:
    """Make scores of two models: `new` fixes and breaks so many items of `old`."""
    return {
        "new": [1] * fixed + [0] * broken + [1] * same,
        "old": [0] * fixed + [1] * broken + [1] * same,
    }


@pytest.mark.parametrize("alternative", SIDES)
@settings(max_examples=30)
@given(fixed=st.integers(0, 400), broken=st.integers(0, 400), seed=st.integers(0, 9))
def test_p_equals_scipys_binomial(
    alternative: Alternative, fixed: int, broken: int, seed: int
) -> None:
    result = truebleu.compare(
        paired(fixed, broken), alternative=alternative, seed=seed, replicates=100
    )
    pair = result.comparisons[0]
    expected = 1.0
    if fixed + broken:
        expected = binomtest(fixed, fixed + broken, alternative=alternative).pvalue
    assert pair.p == pytest.approx(expected, rel=1e-12)
    assert (pair.fixed, pair.broken, pair.p_se) == (fixed, broken, 0.0)


@settings(max_examples=15)
@given(fixed=st.integers(0, 40), broken=st.integers(0, 40), same=st.integers(2, 100))
def test_the_interval_leaves_out_0_exactly_if_p_is_at_most_alpha(
    fixed: int, broken: int, same: int
) -> None:
    for level in (0.8, 0.95, 0.999):
        for alternative in SIDES:
            pair = truebleu.compare(
                paired(fixed, broken, same), level=level, alternative=alternative, replicates=2000
            ).comparisons[0]
            low, high = pair.interval
            without_0 = (low is not None and low > 0) or (high is not None and high < 0)
            assert without_0 == (pair.p <= round(1 - level, 12))


def test_a_gates_p_equals_scipys_one_sided_binomial() -> None:
    for fixed, broken in ((10, 25), (25, 10), (0, 5), (4, 4)):
        scores = paired(fixed, broken)
        check = truebleu.gate(scores, baseline="old").checks[0]
        expected = binomtest(fixed, fixed + broken, alternative="less").pvalue
        assert check.p == pytest.approx(expected, rel=1e-12)
        assert check.passed == (expected > 0.05)
        assert check.passed == (check.interval[1] is None or check.interval[1] >= 0)
        assert (check.fixed, check.broken) == (fixed, broken)


def test_errors_that_are_fewer_are_fixed() -> None:
    errors = GivenScores(higher_is_better=False)
    pair = truebleu.compare(paired(3, 20), metrics=errors, alternative="greater").comparisons[0]
    assert (pair.fixed, pair.broken) == (20, 3)
    assert pair.p == pytest.approx(binomtest(20, 23, alternative="greater").pvalue, rel=1e-12)


def test_the_effect_size_is_cohens_g() -> None:
    assert truebleu.compare(paired(108, 84)).comparisons[0].effect_size == 108 / 192 - 0.5
    assert truebleu.compare(paired(0, 0)).comparisons[0].effect_size is None


def test_scores_between_0_and_1_are_swapped() -> None:
    scores = {name: [value / 2 for value in column] for name, column in paired(30, 10).items()}
    result = truebleu.compare(scores)
    assert result.metrics["score"].test == "ar"
    assert result.metrics["score"].replicates == 10_000
    assert result.comparisons[0].fixed is None
    assert truebleu.compare(paired(30, 10)).metrics["score"].test == "mcnemar"


@pytest.mark.parametrize("correction", ["holm", "westfall-young", "tukey"])
def test_many_models_have_exact_p_values(correction: str) -> None:
    rng = np.random.default_rng(1)
    scores = {f"m{i}": (rng.random(60) < 0.5 + i / 20).astype(int) for i in range(4)}
    for pair in truebleu.compare(scores, correction=correction).comparisons:
        assert pair.fixed is not None
        assert pair.broken is not None
        expected = binomtest(pair.fixed, pair.fixed + pair.broken).pvalue
        assert pair.p == pytest.approx(expected, rel=1e-12)
        # Tukey's test has a p of its own.
        assert correction == "tukey" or pair.p_adjusted >= pair.p


@pytest.mark.parametrize(
    "options", [{}, {"documents": "passage"}, {"documents": "passage", "seed": 7}]
)
def test_the_order_of_rows_changes_no_number(options: dict[str, Any]) -> None:
    draw = np.random.default_rng(3)
    rows = {
        name: [
            {"id": f"q{i}", "score": int(draw.random() < rate), "passage": f"p{i // 4}"}
            for i in range(80)
        ]
        for name, rate in (("new", 0.8), ("old", 0.65))
    }
    results = []
    for _ in range(3):
        for of_model in rows.values():
            draw.shuffle(of_model)
        result = truebleu.compare(rows, replicates=500, **options)
        pair = result.comparisons[0]
        results.append((pair.p, pair.interval, result.systems["new"]["score"].interval))
    assert results[1:] == results[:-1]


def test_the_order_of_lines_changes_no_p_of_runs(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    lines = {
        name: [
            json.dumps({"id": f"q{i}", "epoch": run, "correct": bool(draw.random() < rate)})
            for i in range(40)
            for run in range(3)
        ]
        for name, rate in (("new", 0.7), ("old", 0.6))
    }
    p = set()
    for _ in range(2):
        for name, of_model in lines.items():
            draw.shuffle(of_model)
            (tmp_path / f"{name}.jsonl").write_text("\n".join(of_model) + "\n")
        items = ItemScores.read([tmp_path / "new.jsonl", tmp_path / "old.jsonl"])
        p.add(truebleu.compare(items, metrics="scores:answers=mean").comparisons[0].p)
    assert len(p) == 1
