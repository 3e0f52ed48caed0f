"""Claims about ranks and clusters of metrics."""

from __future__ import annotations

import pytest

from truebleu.agreement.ranking import rank_clusters, rank_metrics
from truebleu.agreement.tests import MetricTest
from truebleu.errors import SettingError, UnknownNameError


def with_p(p: float) -> MetricTest:
    return MetricTest(value1=0.0, value2=0.1, p=p, method="scores")


def test_a_metric_is_held_against_its_own_cluster_only() -> None:
    # The first beats all others; of those, only the second beats the last.
    p = [[0.0, 0.04, 0.04, 0.04], [0.0, 0.0, 0.2, 0.01], [0.0, 0.0, 0.0, 0.5], [0.0] * 4]
    assert rank_clusters(p, 0.05) == [1, 2, 2, 3]


def test_nothing_to_rank_is_no_error() -> None:
    assert rank_clusters([[0.0]]) == [1]
    assert rank_metrics({}, lambda *_: with_p(1.0)).ranks == ()


def test_metrics_are_sorted_by_value_and_then_by_name() -> None:
    found = rank_metrics({"c": 0.1, "b": 0.3, "a": 0.1}, lambda *_: with_p(1.0))
    assert found.order == ("b", "a", "c")
    assert found.ranks == (1, 1, 1)


def test_the_better_metric_is_tested_against_the_worse() -> None:
    asked = []

    def test(better: str, worse: str) -> MetricTest:
        asked.append((better, worse))
        return with_p(0.01)

    rank_metrics({"low": 0.1, "high": 0.3, "middle": 0.2}, test)
    assert asked == [("high", "middle"), ("high", "low"), ("middle", "low")]


def test_a_correction_for_all_pairs_joins_what_chance_may_have_parted() -> None:
    # Holm: 3 * 0.02 and 2 * 0.03 are above 0.05.
    p = {("a", "b"): 0.02, ("a", "c"): 0.03, ("b", "c"): 0.5}
    values = {"a": 0.3, "b": 0.2, "c": 0.1}
    plain = rank_metrics(values, lambda better, worse: with_p(p[better, worse]))
    corrected = rank_metrics(
        values, lambda better, worse: with_p(p[better, worse]), correction="holm"
    )
    assert plain.ranks == (1, 2, 2)
    assert corrected.ranks == (1, 1, 1)
    assert [pair.p_adjusted for pair in corrected.pairs] == pytest.approx([0.06, 0.06, 0.5])
    assert [pair.p for pair in corrected.pairs] == pytest.approx([0.02, 0.03, 0.5])
    assert not any(pair.significant for pair in corrected.pairs)


def test_a_metric_without_a_value_has_no_rank() -> None:
    found = rank_metrics({"a": None, "b": 0.2, "c": 0.1}, lambda *_: with_p(0.001))
    assert (found.order, found.ranks, found.undefined) == (("b", "c"), (1, 2), ("a",))


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(SettingError, match="from 0 to 1"):
        rank_clusters([[0.0, 1.2], [0.0, 0.0]])
    with pytest.raises(SettingError, match="square"):
        rank_clusters([[0, 0.2]])
    with pytest.raises(UnknownNameError, match="correction"):
        rank_metrics({"a": 0.1, "b": 0.2}, lambda *_: with_p(0.1), correction="none at all")
