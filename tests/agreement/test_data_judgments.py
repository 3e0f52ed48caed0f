"""Claims about comparisons of pairs: counts, intervals and tests."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from truebleu.agreement.bootstrap import Draws, bootstrap_judgments, bootstrap_shares_of_wins
from truebleu.agreement.coefficients import (
    PAIR_COEFFICIENTS,
    coefficient,
    count_judgments,
    count_judgments_by_item,
    count_pairs,
    measure,
    measure_judgments,
    value_of_counts,
)
from truebleu.agreement.data import Judgments, mean_of_segments, shares_of_wins
from truebleu.agreement.tests import judgment_permutation_test
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Units

if TYPE_CHECKING:
    from truebleu.resampling import Values

METRIC = [[3.0, 1.0], [2.0, 1.0], [2.0, 4.0]]


def judgments(*rows: tuple[int, int, int, int]) -> Judgments:
    """From rows of left, right, item, verdict."""
    left, right, item, verdict = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Judgments(left=left, right=right, item=item, verdict=verdict)


@pytest.mark.slow
@given(
    st.lists(st.lists(st.integers(-3, 0), min_size=4, max_size=4), min_size=3, max_size=3),
    st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=3, max_size=3),
    st.sampled_from([0.0, 1.0, 2.0]),
    st.randoms(use_true_random=False),
)
def test_judgments_that_scores_imply_count_like_the_scores(
    human: list[list[int]], metric: list[list[int]], epsilon: float, random: Any
) -> None:
    rows = []
    for item in range(4):
        for pair in combinations(range(3), 2):
            left, right = random.sample(pair, 2)
            verdict = int(np.sign(human[left][item] - human[right][item]))
            rows.append((left, right, item, verdict))
    random.shuffle(rows)
    found = count_judgments(metric, judgments(*rows), epsilon=epsilon)
    assert found == count_pairs(human, metric, grouping="item", epsilon=epsilon)
    for name in PAIR_COEFFICIENTS:
        measured = measure_judgments(metric, judgments(*rows), f"{name}:{epsilon}")
        assert measured.value == value_of_counts(name, found)
        assert (measured.reason is None) == (measured.value is not None)


def test_counts_are_kept_apart_by_item() -> None:
    made = judgments((0, 1, 0, 1), (1, 0, 0, 1), (0, 1, 1, -1), (2, 0, 1, 0), (1, 2, 1, -1))
    counts = count_judgments_by_item(METRIC, made)
    assert counts.tolist() == [[1, 1, 0, 0, 0], [1, 0, 1, 1, 0]]
    assert count_judgments(METRIC, made) == (2, 1, 1, 1, 0)


def test_a_pair_judged_twice_counts_twice() -> None:
    made = judgments((0, 1, 0, 1), (0, 1, 0, -1), (0, 1, 0, -1))
    assert measure_judgments(METRIC, made, "chen-cherry").value == pytest.approx(-1 / 3)


@pytest.mark.parametrize(
    ("rows", "name", "reason"),
    [
        ([], "tau-14", "there are no judgments"),
        ([(0, 1, 0, 0)], "tau-14", "people tie every pair"),
        ([(0, 1, 1, 1)], "tau-13", "no pair is ordered by people and by the metric"),
        ([(0, 1, 1, 1)], "kendall-b", "the metric ties every pair"),
    ],
)
def test_undefined_values_are_none_with_a_reason(
    rows: list[tuple[int, int, int, int]], name: str, reason: str
) -> None:
    measured = measure_judgments(METRIC, judgments(*rows), name)
    assert (measured.value, measured.reason) == (None, reason)


@pytest.mark.parametrize("name", ["pearson", "kendall-like:1", "acc-eq:calibrated"])
def test_coefficients_that_need_scores_are_refused(name: str) -> None:
    with pytest.raises(SettingError, match="a coefficient of compared pairs"):
        measure_judgments(METRIC, judgments((0, 1, 0, 1)), name)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0, 3, 0, 1), "right: 3; expected a number from 0 to 2: there are 3 systems"),
        ((-1, 1, 0, 1), "left: -1"),
        ((0, 1, 2, 1), "item: 2; expected a number from 0 to 1: there are 2 items"),
        ((0, 1, 0, 2), "verdict: 2"),
        ((1, 1, 0, 1), "judgment 1 of a system and itself"),
    ],
)
def test_judgments_of_unknown_systems_or_items_raise(
    row: tuple[int, int, int, int], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        count_judgments(METRIC, judgments(row))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": np.array([0.5])}, "left: 'float64"),
        ({"left": np.array([0, 1])}, "right: .* each of 2 judgments"),
        ({"item": np.array([[0]])}, "one whole number for each of 1 judgments"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    arrays: dict[str, Any] = {"left": [0], "right": [1], "item": [0], "verdict": [1], **change}
    with pytest.raises(SettingError, match=message):
        Judgments(**arrays)


@pytest.mark.parametrize("metric", [[["a"], ["b"]], [[1.0], [float("nan")]]])
def test_scores_that_do_not_fit_are_refused(metric: Any) -> None:
    with pytest.raises(SettingError, match="metric"):
        count_judgments(metric, judgments((0, 1, 0, 1)))


# Intervals and tests.


SYSTEMS, SEGMENTS = 4, 10


def made_up(seed: int, count: int = 60) -> tuple[Judgments, Values, Values]:
    """Comparisons on all but the last segment, and two metrics; many ties everywhere."""
    rng = np.random.default_rng(seed)
    left = rng.integers(SYSTEMS, size=count)
    right = (left + rng.integers(1, SYSTEMS, size=count)) % SYSTEMS
    judgments = Judgments(
        left=left,
        right=right,
        item=rng.integers(SEGMENTS - 1, size=count),
        verdict=np.sign(np.round(right - left + rng.normal(size=count))).astype(np.int64),
    )
    better, worse = (
        np.round(-np.arange(SYSTEMS)[:, np.newaxis] + noise * rng.normal(size=(SYSTEMS, SEGMENTS)))
        for noise in (1, 4)
    )
    return judgments, better, worse


def taken(judgments: Judgments, segments: list[int]) -> Judgments:
    """The judgments of some segments, as often as they are listed."""
    rows = np.concatenate([np.flatnonzero(judgments.item == segment) for segment in segments])
    return Judgments(
        left=judgments.left[rows],
        right=judgments.right[rows],
        item=judgments.item[rows],
        verdict=judgments.verdict[rows],
    )


def drawn(units: int, replicates: int, seed: int) -> list[list[int]]:
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    counts = bootstrap.sums(np.eye(units), Units.segments(units), 0, replicates).astype(int)
    return [list(np.repeat(np.arange(units), row)) for row in counts]


@pytest.mark.parametrize("name", ["chen-cherry", "tau-13", "kendall-b", "acc-eq:1"])
def test_replicates_are_of_the_drawn_segments_judgments(name: str) -> None:
    judgments, metric, _ = made_up(1)
    by = coefficient(name)
    replicates = bootstrap_judgments(
        {"m": metric}, judgments, by, Draws(resample="segments", replicates=40, seed=5)
    )
    judged = np.unique(judgments.item)
    for value, draw in zip(replicates.values[:, 0], drawn(len(judged), 40, 5), strict=True):
        expected = measure_judgments(metric, taken(judgments, list(judged[draw])), by).value
        assert value == pytest.approx(expected, nan_ok=True)
    assert replicates.observed["m"] == measure_judgments(metric, judgments, by).value


def test_documents_are_drawn_whole() -> None:
    judgments, metric, _ = made_up(2)
    documents = [f"d{segment // 5}" for segment in range(SEGMENTS)]
    by = coefficient("chen-cherry")
    replicates = bootstrap_judgments(
        {"m": metric},
        judgments,
        by,
        Draws(resample="documents", documents=documents, replicates=40, seed=5),
    )
    for value, draw in zip(replicates.values[:, 0], drawn(2, 40, 5), strict=True):
        segments = [5 * document + i for document in draw for i in range(5)]
        expected = measure_judgments(metric, taken(judgments, segments), by).value
        assert value == pytest.approx(expected)


def test_shares_of_wins_are_of_the_drawn_segments_judgments() -> None:
    judgments, metric, _ = made_up(3)
    found = bootstrap_shares_of_wins(
        {"m": mean_of_segments(metric)},
        judgments,
        coefficient("spearman"),
        Draws(resample="segments", replicates=40, seed=5),
    )
    whole = measure(shares_of_wins(judgments, SYSTEMS), metric.mean(axis=1), "spearman").value
    assert found.observed["m"] == pytest.approx(whole)
    for value, draw in zip(found.values[:, 0], drawn(SEGMENTS, 40, 5), strict=True):
        shares = shares_of_wins(taken(judgments, draw), SYSTEMS)
        expected = measure(shares, metric[:, draw].mean(axis=1), "spearman").value
        assert value == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


@pytest.mark.parametrize("name", ["chen-cherry", "tau-13", "acc-eq:1"])
def test_the_test_makes_all_permutations_of_few_segments(name: str) -> None:
    judgments, better, worse = made_up(4)
    by = coefficient(name)
    found = judgment_permutation_test(
        worse, better, judgments, by, permutations=2**SEGMENTS, seed=1
    )

    def lead(coins: tuple[bool, ...]) -> float:
        low, high = np.where(coins, better, worse), np.where(coins, worse, better)
        values = [measure_judgments(one, judgments, by).value for one in (low, high)]
        assert values[0] is not None
        assert values[1] is not None
        return values[1] - values[0]

    observed = lead((False,) * SEGMENTS)
    leads = [lead(coins) for coins in product([False, True], repeat=SEGMENTS)]
    assert found.exact
    # Segments on which both say the same need no swap.
    assert found.permutations <= 2 ** (SEGMENTS - 1)
    assert found.difference == pytest.approx(observed)
    extreme = [abs(one) >= abs(observed) - 1e-12 for one in leads]
    assert found.p == pytest.approx(np.mean(extreme))
    one_sided = judgment_permutation_test(
        worse, better, judgments, by, alternative="greater", permutations=2**SEGMENTS, seed=1
    )
    assert one_sided.p == pytest.approx(np.mean([one >= observed - 1e-12 for one in leads]))


def test_many_segments_are_permuted_at_random() -> None:
    judgments, better, worse = made_up(4)
    by = coefficient("chen-cherry")
    drawn, exact = (
        judgment_permutation_test(worse, better, judgments, by, permutations=count, seed=1)
        for count in (100, 2**SEGMENTS)
    )
    assert (drawn.exact, drawn.permutations) == (False, 100)
    truth = exact.p
    assert truth is not None
    assert drawn.p == pytest.approx(truth, abs=4 * (truth * (1 - truth) / 100) ** 0.5 + 0.01)


def test_a_metric_against_its_copy_has_p_1() -> None:
    judgments, metric, _ = made_up(5)
    by = coefficient("chen-cherry")
    found = judgment_permutation_test(metric, metric, judgments, by, permutations=50, seed=1)
    assert (found.p, found.exact, found.permutations) == (1.0, True, 1)


def test_not_every_coefficient_counts_pairs() -> None:
    judgments, metric, _ = made_up(5)
    with pytest.raises(SettingError, match="a coefficient of compared pairs"):
        judgment_permutation_test(
            metric, metric, judgments, coefficient("pearson"), permutations=10, seed=1
        )
