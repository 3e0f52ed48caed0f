"""Claims about soft pairwise accuracy and the permutation tests it is made of."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu import _core
from truebleu.agreement import soft_pairwise as signs
from truebleu.agreement.soft_pairwise import (
    paired_permutations,
    soft_pairwise_accuracies,
    soft_pairwise_accuracy,
)
from truebleu.errors import SettingError
from truebleu.resampling import Swaps

if TYPE_CHECKING:
    from truebleu.significance._checks import Values


def plain_p(first: Values, second: Values) -> float:
    """The share of all signs whose sum is no less than the observed, by enumeration."""
    differences = first - second
    sums = [float(np.dot(w, differences)) for w in product((-1, 1), repeat=len(differences))]
    return sum(total >= float(differences.sum()) - 1e-9 for total in sums) / len(sums)


def plain_accuracy(human: Values, metric: Values) -> float:
    agreements = []
    for a, b in combinations(range(len(human)), 2):
        both = ~np.isnan(human[a]) & ~np.isnan(human[b])
        people = plain_p(human[a, both], human[b, both])
        scores = plain_p(metric[a, both], metric[b, both])
        agreements.append(1 - abs(people - scores))
    return float(np.mean(agreements))


def some_scores(seed: int, systems: int = 4, segments: int = 8) -> tuple[Values, Values]:
    random = np.random.default_rng(seed)
    human = random.integers(-5, 1, (systems, segments)) / 10
    return human, human + random.normal(0, 0.3, human.shape).round(1)


def with_gaps(human: Values, seed: int) -> Values:
    gaps = np.random.default_rng(seed).random(human.shape) < 0.25
    return np.where(gaps, np.nan, human)


@pytest.mark.parametrize("seed", range(5))
def test_complete_scores_agree_with_the_plain_definition(seed: int) -> None:
    human, metric = some_scores(seed)
    found = soft_pairwise_accuracy(human, metric)
    assert found.exact
    assert found.permutations == 2**8
    assert found.value == pytest.approx(plain_accuracy(human, metric), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_each_pair_uses_the_segments_rated_for_both(seed: int) -> None:
    human, metric = some_scores(seed)
    ragged = with_gaps(human, seed)
    found = soft_pairwise_accuracy(ragged, metric)
    assert found.value == pytest.approx(plain_accuracy(ragged, metric), abs=1e-12)


def test_what_a_metric_says_of_unrated_cells_does_not_matter() -> None:
    human, metric = some_scores(1)
    ragged = with_gaps(human, 1)
    other = np.where(np.isnan(ragged), np.nan, metric)
    assert soft_pairwise_accuracy(ragged, other) == soft_pairwise_accuracy(ragged, metric)


def test_random_draws_come_near_all_draws() -> None:
    human, metric = some_scores(2, segments=14)
    exact = soft_pairwise_accuracy(human, metric, permutations=2**14)
    drawn = soft_pairwise_accuracy(human, metric, permutations=10_000)
    assert (exact.exact, drawn.exact) == (True, False)
    # Six pairs' mean of differences of two shares of 10,000 draws, each within 4 standard errors.
    assert drawn.value == pytest.approx(exact.value, abs=4 * np.sqrt(0.25 / 10_000))


def test_the_same_seed_gives_the_same_digits_in_blocks_of_any_size_and_on_any_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    human, metric = some_scores(3, segments=40)
    ragged = with_gaps(human, 3)
    whole = [soft_pairwise_accuracy(one, metric, permutations=1000) for one in (human, ragged)]
    threads = _core.threads()
    monkeypatch.setattr(signs, "BLOCK_SIZE", 100)
    _core.set_threads(1)
    try:
        parts = [soft_pairwise_accuracy(one, metric, permutations=1000) for one in (human, ragged)]
    finally:
        _core.set_threads(threads)
    assert parts == whole
    assert soft_pairwise_accuracy(human, metric, permutations=1000, seed=1).value != whole[0].value


def test_a_metric_equal_to_people_gets_1() -> None:
    human, _ = some_scores(4, segments=30)
    assert soft_pairwise_accuracy(human, 3 * human - 2, permutations=500).value == 1


def test_relabelling_systems_and_segments_changes_nothing() -> None:
    random = np.random.default_rng(5)
    human, metric = random.normal(size=(2, 4, 9))
    value = soft_pairwise_accuracy(human, metric).value
    systems, segments = random.permutation(4), random.permutation(9)
    moved = [scores[systems][:, segments] for scores in (human, metric)]
    assert soft_pairwise_accuracy(*moved).value == pytest.approx(value, abs=1e-12)


def test_a_system_against_its_copy_has_p_1() -> None:
    scores = np.tile(np.array([0.1, 0.2, 0.7, 1 / 3]), (2, 1))
    found = paired_permutations(scores[np.newaxis], np.ones((2, 4), dtype=np.bool_), Swaps())
    assert found.p_values.tolist() == [[1.0]]


def test_sums_that_tie_in_decimals_count_as_ties() -> None:
    # Turning the signs of all but the 0.3 gives 0.1 + 0.2 - 0.3, which is 0 but for rounding.
    differences = np.array([[0.1, 0.2, -0.3], [0, 0, 0]])
    found = paired_permutations(differences[np.newaxis], np.ones((2, 3), dtype=np.bool_), Swaps())
    assert found.p_values[0, 0] == plain_p(differences[0], differences[1]) == 5 / 8


def test_several_metrics_get_what_each_gets_alone() -> None:
    human, metric = some_scores(6, segments=30)
    _, other = some_scores(7, segments=30)
    together = soft_pairwise_accuracies(human, {"a": metric, "b": other}, permutations=2000)
    assert together["a"] == soft_pairwise_accuracy(human, metric, permutations=2000)
    assert together["b"] == soft_pairwise_accuracy(human, other, permutations=2000)


def test_pairs_without_a_common_segment_are_left_out_and_counted() -> None:
    nan = np.nan
    human = [[1, 2, 3, nan], [2, 1, 1, nan], [nan, nan, nan, 1]]
    found = soft_pairwise_accuracy(human, np.ones((3, 4)))
    assert (found.pairs, found.unpaired) == (1, 2)


def test_without_any_common_segment_the_value_is_undefined_in_words() -> None:
    nan = np.nan
    found = soft_pairwise_accuracy([[1, nan], [nan, 1]], [[1, 2], [3, 4]])
    assert (found.value, found.pairs) == (None, 0)
    assert found.reason == "no two systems share a rated segment"


@pytest.mark.parametrize(
    ("human", "metric", "message"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0]], "at least two"),
        ([[1.0], [2.0]], [[1.0, 1.0], [2.0, 2.0]], "the shape"),
        ([[1.0], [2.0]], [[1.0], [float("nan")]], "system 2, segment 1"),
        ([[1.0], [float("inf")]], [[1.0], [1.0]], "finite"),
        ([1.0, 2.0], [1.0, 2.0], "system, segment"),
        ([["good"], ["bad"]], [[1.0], [1.0]], "a number for every system"),
    ],
)
def test_scores_that_do_not_fit_are_refused(human: object, metric: object, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        soft_pairwise_accuracy(human, metric)  # type: ignore[arg-type]
