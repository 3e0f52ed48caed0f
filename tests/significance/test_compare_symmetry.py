"""What must hold of every comparison, whatever the texts: claims about `compare`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu import BLEU, TER
from truebleu.resampling import Bootstrap, Units
from truebleu.significance.compare import compare
from truebleu.significance.tests import REPLICATE_TESTS
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from truebleu import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.schema import IntervalName
    from truebleu.significance.compare import PairResult

CHANNELS = {"a": Channel.at_rate(0.2), "b": Channel.at_rate(0.24), "c": Channel.at_rate(0.22)}
METRICS: list[Metric] = [BLEU(), TER()]
RESAMPLING = list(REPLICATE_TESTS)


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    return simulate(segments=150, systems=CHANNELS, seed=3)


def renamed(test_set: TestSet, order: str) -> TestSet:
    """The same systems under the same names in another order."""
    return replace(test_set, systems={name: test_set.systems[name] for name in order})


def pairs(test_set: TestSet, **settings: Any) -> dict[tuple[str, str, str], PairResult]:
    comparison = compare(test_set, metrics=METRICS, **settings)
    return {(pair.metric, pair.a, pair.b): pair for pair in comparison.comparisons}


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize("test", RESAMPLING)
def test_swapping_names_flips_signs_and_nothing_else(
    test_set: TestSet, test: str, interval: IntervalName
) -> None:
    settings: dict[str, Any] = {
        "test": test,
        "interval": interval,
        "replicates": 1000,
        "margin": 1.0,
    }
    forth = pairs(renamed(test_set, "abc"), **settings)
    back = pairs(renamed(test_set, "cba"), **settings)
    assert len(forth) == len(back) == 6
    for (metric, a, b), left in forth.items():
        right = back[metric, b, a]
        assert left.difference == -right.difference
        low, high = right.interval
        assert low is not None
        assert high is not None
        assert left.interval == pytest.approx((-high, -low), rel=1e-9)
        assert left.wins == pytest.approx(1 - right.wins, abs=1e-12)
        for field in ("p", "p_se", "p_adjusted", "significant", "equivalence_p"):
            assert getattr(left, field) == getattr(right, field), field


def test_swapping_names_reverses_one_sided_tests(test_set: TestSet) -> None:
    greater = pairs(renamed(test_set, "abc"), alternative="greater")
    less = pairs(renamed(test_set, "cba"), alternative="less")
    for (metric, a, b), pair in greater.items():
        assert pair.p == less[metric, b, a].p


def test_the_order_of_systems_changes_no_systems_result(test_set: TestSet) -> None:
    found = [
        compare(renamed(test_set, order), metrics=METRICS, replicates=500)
        for order in ("abc", "bca")
    ]
    for name in CHANNELS:
        assert found[0].systems[name] == found[1].systems[name]


@pytest.mark.parametrize("test", RESAMPLING)
def test_a_copy_has_difference_0_and_p_1(test_set: TestSet, test: str) -> None:
    texts = {"original": test_set.systems["a"], "copy": [*test_set.systems["a"]]}
    copies = replace(test_set, systems=texts)
    comparison = compare(copies, metrics=METRICS, test=test, replicates=500)
    for pair in comparison.comparisons:
        assert (pair.difference, pair.interval, pair.wins) == (0, (None, None), 0.5)
        assert (pair.p, pair.p_adjusted, pair.significant) == (1, 1, False)
        assert pair.note is not None
    for metric in comparison.metrics.values():
        assert len(metric.clusters) == 1


@pytest.mark.parametrize("test", RESAMPLING)
def test_zero_is_a_seed_like_any_other(test_set: TestSet, test: str) -> None:
    settings: dict[str, Any] = {"test": test, "replicates": 500, "seed": 0}
    found = [
        compare(test_set, metrics=METRICS, **{**settings, "seed": seed}).comparisons
        for seed in (0, 0, 1, 12345)
    ]
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert found[0] != found[3]


@pytest.mark.parametrize("test", RESAMPLING)
def test_documents_of_one_segment_are_segments(test_set: TestSet, test: str) -> None:
    names = tuple(f"document {segment}" for segment in range(len(test_set)))
    alone = replace(test_set, documents=names)
    by_unit: list[dict[str, Any]] = [
        compare(
            alone, metrics=METRICS, test=test, unit=unit, interval="hall", replicates=500
        ).to_dict()
        for unit in ("segment", "document")
    ]
    for pairs in by_unit:
        for pair in pairs["comparisons"]:
            del pair["largest_unit"]
    for key in ("systems", "comparisons", "metrics"):
        assert by_unit[0][key] == by_unit[1][key]


def test_blocks_of_one_segment_are_segments(test_set: TestSet) -> None:
    quick: dict[str, Any] = {"metrics": METRICS, "replicates": 500}
    by_segment = compare(test_set, unit="segment", interval="hall", **quick)
    by_block = compare(test_set, unit="block", block_length=1, **quick)
    # What differs is what the design effect is about: documents, or blocks of one segment.
    assert [replace(pair, design_effect=None) for pair in by_segment.comparisons] == [
        replace(pair, design_effect=None) for pair in by_block.comparisons
    ]
    assert {round(pair.design_effect or 0, 9) for pair in by_block.comparisons} == {1.0}
    assert by_segment.systems == by_block.systems


def test_the_interval_of_1000_replicates_is_the_26th_to_the_975th(
    test_set: TestSet,
) -> None:
    """Koehn (2004, §5): at the level 0.95, the 25 lowest and the 25 highest are left out."""
    settings: dict[str, Any] = {"replicates": 1000, "level": 0.95, "seed": 8, "unit": "segment"}
    comparison = compare(test_set, metrics=[BLEU()], **settings)
    units = Units.segments(len(test_set))
    ordered = {}
    for name, text in test_set.systems.items():
        rows = BLEU().statistics(text, [*test_set.references])
        sums = Bootstrap(replicates=1000, seed=8).sums(rows, units, 0, 1000)
        ordered[name] = BLEU().score(sums)
    for name, scores in ordered.items():
        expected = (np.sort(scores)[26 - 1], np.sort(scores)[975 - 1])
        assert comparison.systems[name]["BLEU"].interval == expected
    for pair in comparison.comparisons:
        differences = ordered[pair.a] - ordered[pair.b]
        # Koehn's §6: how often the first is better on the same resampled test sets.
        assert pair.wins == pytest.approx((differences > 0).mean(), abs=1e-12)
