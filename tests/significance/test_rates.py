"""Intervals of pass/fail scores: against other packages, and against the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from truebleu import compare, gate, score
from truebleu._core import exact_bounds, exact_p, intervals, normal_quantile, tango_bounds
from truebleu.significance.rates import clopper_pearson_interval, wilson_interval

# Values by SciPy 1.12.0, ratesci 1.0.0, and R's survey 4.1.1.
CASES = json.loads((Path(__file__).parent / "rates.json").read_text(encoding="utf-8"))


def tango_interval(first: Any, second: Any, count: Any, level: float) -> Any:
    rates = np.stack(np.broadcast_arrays(first, second, count)).astype(np.float64)
    quantile = -normal_quantile((1 - level) / 2)
    return tango_bounds(rates.reshape(3, -1), quantile).reshape(2, *rates.shape[1:])


def of_kind(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


@pytest.mark.parametrize("case", of_kind("rate"))
def test_intervals_of_a_rate_agree_with_scipy(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expect"]
    arguments = given["successes"] / given["n"], given["n"], given["level"]
    assert_allclose(wilson_interval(*arguments), expected["wilson"], atol=1e-12)
    assert_allclose(clopper_pearson_interval(*arguments), expected["clopper_pearson"], atol=1e-9)


@pytest.mark.parametrize("case", of_kind("paired-rates"))
def test_tangos_interval_agrees_with_ratesci(case: dict[str, Any]) -> None:
    given = case["input"]
    count = sum(given[part] for part in ("both", "only_a", "only_b", "neither"))
    interval = tango_interval(given["only_a"], given["only_b"], count, given["level"])
    assert_allclose(interval, case["expect"]["tango"], atol=1e-8)


@pytest.mark.parametrize("case", of_kind("cluster-rate"))
def test_korn_and_graubards_interval_agrees_with_the_survey_package(case: dict[str, Any]) -> None:
    given = case["input"]
    successes, trials = (np.array(given[name], float)[:, None] for name in ("successes", "n"))
    interval = intervals("korn-graubard", given["level"], successes=successes, trials=trials)
    assert_allclose(interval.ravel(), case["expect"]["korn_graubard"], atol=1e-9)


def both(first: list[int], second: list[int], **settings: Any) -> Any:
    return compare({"a": first, "b": second}, metrics="scores", replicates=1000, **settings)


def test_compare_takes_wilsons_and_tangos_intervals_by_itself() -> None:
    result = both([1] * 45 + [0] * 5, [1] * 40 + [0] * 10)
    (pair,) = result.comparisons
    assert result.systems["a"]["score"].interval == pytest.approx(wilson_interval(0.9, 50, 0.95))
    tango = tango_interval(5, 0, 50, 0.95)
    # The exact test does not reject, which Tango's interval would.
    assert (pair.p > 0.05, tango[0] > 0) == (True, True)
    assert pair.interval == pytest.approx((0.0, tango[1]))
    printed = " ".join(str(result).split())
    assert "Tango's intervals of differences" in printed
    assert "Wilson's intervals of scores" in printed


@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("documents", [None, [str(place // 5) for place in range(20)]])
def test_intervals_of_rates_never_have_width_0(outcome: int, documents: list[str] | None) -> None:
    result = both([outcome] * 20, [outcome] * 20, documents=documents)
    assert all(
        (high or 0) - (low or 0) > 0.1
        for low, high in (s["score"].interval for s in result.systems.values())
    )
    low, high = result.comparisons[0].interval
    assert high - low > 0.1
    scores = score({"a": [outcome] * 20}, metrics="scores", confidence=True, documents=documents)
    low, high = (scores.systems[0].intervals or {})["score"]
    assert (high or 0) - (low or 0) > 0.1


def test_a_requested_interval_is_used() -> None:
    result = both([1] * 15 + [0] * 5, [1] * 10 + [0] * 10, interval="percentile")
    assert result.metrics["score"].interval_method == "percentile"


def test_documents_widen_the_interval() -> None:
    first, second = [1, 1, 1, 1, 0, 0, 0, 0] * 5, [0, 0, 0, 0, 0, 0, 0, 1] * 5
    widths = []
    for documents in (None, [str(place // 4) for place in range(40)]):
        low, high = both(first, second, documents=documents).comparisons[0].interval
        widths.append(high - low)
    assert widths[1] > 1.3 * widths[0]


def test_verdicts_and_intervals_of_rates_agree() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        share = rng.uniform(0.1, 0.99)
        first, second = (rng.random(25) < share + gap for gap in (0.0, rng.uniform(-0.4, 0.4)))
        (pair,) = both(first.astype(int).tolist(), second.astype(int).tolist()).comparisons
        low, high = pair.interval
        assert (low > 0 or high < 0) == pair.significant


def test_a_gate_decides_by_bounds_that_are_exact() -> None:
    systems = {"new": [1] * 100, "old": [1] * 100}
    # Nothing seen in 100 items leaves a loss of 1 - 0.05 ** (1 / 100) possible.
    assert exact_bounds(0, 0, 100, 0.05)[0] == pytest.approx(-(1 - 0.05**0.01))
    assert gate(systems, metrics="scores", baseline="old", margin=0.04).passed
    result = gate(systems, metrics="scores", baseline="old", margin=0.02)
    assert not result.passed
    assert result.checks[0].p == pytest.approx(exact_p(0, 0, 100, 0.02))
    assert "Clopper and Pearson's bounds" in " ".join(str(result).split())


# P(the bound lies above the truth), added up over every possible outcome.
@pytest.mark.parametrize("margin", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("only_new", [1e-4, 0.05, 0.3])
def test_a_system_at_the_margin_passes_in_at_most_five_per_cent(
    margin: float, only_new: float
) -> None:
    from scipy.stats import multinomial

    count, only_old = 20, only_new + margin
    outcomes = [(b, c) for b in range(count + 1) for c in range(count + 1 - b)]
    chances = multinomial.pmf(
        [(b, c, count - b - c) for b, c in outcomes],
        count,
        [only_new, only_old, 1 - only_new - only_old],
    )
    passes = [exact_bounds(b, c, count, 0.05)[0] > -margin + 1e-9 for b, c in outcomes]
    assert chances @ passes <= 0.05


# Coverage where the bootstrap prints [1, 1]: Wilson's own at these rates is .90 to .98.
@pytest.mark.parametrize(("count", "rate", "least"), [(10, 0.95, 0.89), (50, 0.98, 0.9)])
def test_intervals_near_the_ceiling_cover(count: int, rate: float, least: float) -> None:
    draws = np.random.default_rng(2).binomial(count, rate, size=2000) / count
    low, high = wilson_interval(draws, count, 0.95)
    assert ((low <= rate) & (rate <= high)).mean() > least


def test_paired_differences_near_the_ceiling_are_covered() -> None:
    rng = np.random.default_rng(3)
    shares = [0.02, 0.03, 0.95]  # only the first, only the second, both or neither
    first, second, _ = rng.multinomial(60, shares, size=2000).T
    low, high = tango_interval(first, second, 60, 0.95)
    assert ((low <= -0.01) & (high >= -0.01)).mean() > 0.93
