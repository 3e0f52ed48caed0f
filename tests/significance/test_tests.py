"""Claims about the table of tests, and about adaptive comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu import BLEU
from truebleu.corpus import as_test_set
from truebleu.errors import UnknownNameError
from truebleu.resampling import Swaps, Units
from truebleu.significance import tests as adaptive
from truebleu.significance.compare import compare
from truebleu.significance.statistics import (
    MetricStatistics,
    metric_statistics,
    studentized_swaps,
)
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu.corpus import TestSet
    from truebleu.significance.compare import Comparison


def texts_of(segments: int, *rates: float, seed: int = 4) -> TestSet:
    channels = {f"at {rate}": Channel.at_rate(rate) for rate in rates}
    return simulate(segments=segments, systems=channels, seed=seed)


def compared(test_set: TestSet, test: str, replicates: int, *, adaptive: bool) -> Comparison:
    settings: dict[str, Any] = {
        "test": test,
        "replicates": replicates,
        "adaptive": adaptive,
        "correction": "none",
        "unit": "segment",
    }
    return compare(test_set, metrics=["bleu"], **settings)


@pytest.fixture(scope="module")
def close() -> TestSet:
    """Two systems whose p is near 0.07: too close to 0.05 for 100 replicates."""
    test_set = texts_of(200, 0.2, 0.23, seed=6)
    assert 0.06 < compared(test_set, "ar", 20_000, adaptive=False).comparisons[0].p < 0.15
    return test_set


@pytest.mark.parametrize("test", ["ar", "bootstrap", "bootstrap-absolute"])
def test_replicates_are_added_until_the_decision_is_clear(close: TestSet, test: str) -> None:
    few = compared(close, test, 100, adaptive=False)
    more = compared(close, test, 100, adaptive=True)
    assert not few.metrics["BLEU"].decided
    assert more.metrics["BLEU"].decided
    assert more.metrics["BLEU"].replicates > few.metrics["BLEU"].replicates == 100


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_replicates_added_bit_by_bit_are_those_asked_for_at_once(close: TestSet, test: str) -> None:
    found = compared(close, test, 100, adaptive=True)
    at_once = compared(close, test, found.metrics["BLEU"].replicates, adaptive=False)
    assert found.comparisons[0].p == at_once.comparisons[0].p
    assert found.comparisons[0].p_se == at_once.comparisons[0].p_se


def test_a_clear_decision_takes_fewer_swaps_than_asked_for() -> None:
    found = compared(texts_of(100, 0.1, 0.4), "ar", 10_000, adaptive=True)
    assert found.metrics["BLEU"].replicates == adaptive.ADAPTIVE_START


def test_when_all_swaps_are_within_reach_they_are_tried_instead() -> None:
    for seed in range(100):
        texts = texts_of(10, 0.2, 0.3, seed=seed)
        found = compared(texts, "ar", 400, adaptive=True)
        exact = compared(texts, "ar", 1024, adaptive=False)
        assert exact.metrics["BLEU"].exact
        if found.metrics["BLEU"].replicates > 800:
            assert found.metrics["BLEU"] == exact.metrics["BLEU"]
            assert found.comparisons[0].p == exact.comparisons[0].p
            return
    pytest.fail("no p-value was close to the level")


def test_a_metric_that_is_clear_does_not_wait_for_the_others(close: TestSet) -> None:
    settings: dict[str, Any] = {
        "replicates": 100,
        "adaptive": True,
        "correction": "none",
        "unit": "segment",
    }
    both = compare(close, metrics=["bleu", "length"], **settings).metrics
    alone = compare(close, metrics=["length"], **settings).metrics["Length"]
    assert both["Length"].replicates == alone.replicates != both["BLEU"].replicates


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_what_stays_unclear_is_given_up_at_the_limit(
    close: TestSet, test: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adaptive, "ADAPTIVE_LIMIT", 110)
    found = compared(close, test, 100, adaptive=True).metrics["BLEU"]
    assert (found.replicates, found.decided) == (110, False)


@pytest.mark.parametrize(
    "name", [test.name for test in adaptive.TESTS.values() if test.source != "runs"]
)
def test_replicates_of_a_test_are_those_of_a_comparison(close: TestSet, name: str) -> None:
    test = adaptive.find_test(name)
    units = Units.segments(len(close))
    statistics = metric_statistics(close, [BLEU()], units)
    (differences,), exact = test.differences(statistics, [(0, 1)], replicates=200, seed=12345)
    observed = test.observed(statistics[0], [(0, 1)])
    scale = test.scale(statistics[0])
    p = test.p_values(observed, differences, exact=exact, scale=scale)
    assert p.tolist() == [compared(close, name, 200, adaptive=False).comparisons[0].p]


def test_an_unknown_test_is_named_with_the_known_ones() -> None:
    with pytest.raises(
        UnknownNameError, match="known: ar, studentized, bootstrap, bootstrap-absolute"
    ):
        adaptive.find_test("sign")


def test_studentized_values_are_those_of_the_swapped_texts() -> None:
    """Every swap of six segments, by the definition: swap rows, then difference over its error."""
    statistics = metric_statistics(texts_of(6, 0.2, 0.4), [BLEU()], Units.segments(6))[0]
    (found,) = next(studentized_swaps([statistics], [(0, 1)], Swaps(replicates=64), first=0))
    for replicate in range(64):
        rows = statistics.rows.copy()
        for unit in range(6):
            if replicate >> unit & 1:
                rows[unit] = rows[unit, ::-1]
        gradient = BLEU().gradient(rows.sum(axis=0))
        each = rows[:, 0] @ gradient[0] - rows[:, 1] @ gradient[1]
        first, second = BLEU().score(rows.sum(axis=0))
        expected = (first - second) / np.sqrt(6 * each.var(ddof=1))
        assert found[replicate, 0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_studentized_swaps_hold_where_one_output_is_cut_short() -> None:
    """Two systems of equal score, one short and one long: a null that is no exchange of outputs."""
    pool = texts_of(1500, 0.15, 0.25, seed=3)
    good, bad = (list(text) for text in pool.systems.values())
    wanted = BLEU().corpus(bad, pool.references[0]).score
    cut = 0
    while BLEU().corpus(good, pool.references[0]).score > wanted:
        good[cut] = " ".join(str(good[cut]).split()[:-3])
        cut += 1
    systems = as_test_set({"short": good, "long": bad}, list(pool.references))
    statistics = metric_statistics(systems, [BLEU()], Units.segments(1500))[0]
    assert abs(statistics.scores[0] - statistics.scores[1]) < 0.1
    hits = dict.fromkeys(("ar", "studentized"), 0)
    for trial in range(300):
        chosen = np.random.default_rng(trial).integers(0, 1500, 200)
        sample = MetricStatistics("BLEU", BLEU(), np.ascontiguousarray(statistics.rows[chosen]))
        for name in hits:
            test = adaptive.find_test(name)
            (values,), _ = test.differences([sample], [(0, 1)], replicates=399, seed=trial)
            p = test.p_values(test.observed(sample, [(0, 1)]), values, scale=test.scale(sample))
            hits[name] += bool(p[0] <= 0.05)
    # Three binomial standard deviations around 5 % of 300.
    assert abs(hits["studentized"] - 15) <= 11, hits
