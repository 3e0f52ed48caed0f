"""What every tuner gets: features, their scales, and the objective of what weights choose."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.nbest.small_lists import informative
from truebleu import BLEU, TER
from truebleu.errors import SettingError, TruebleuError, UnknownNameError
from truebleu.nbest import FeatureMean, NBest, SparseFeatures, count_candidates
from truebleu.nbest.problem import (
    Search,
    first_argmax,
    make_problem,
    merge_lists,
    minimize,
    order,
    seed_of_run,
    uniforms,
    with_ngrams,
    within_list_sd,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

LISTS, REFERENCES = informative(segments=10)


def test_the_value_of_weights_is_the_score_of_what_they_choose() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu"])
    weights = problem.by_name({"quality": 1.0}, "weights")
    chosen = LISTS.choose(problem.choices(weights))
    assert problem.value(weights) == pytest.approx(BLEU().corpus(chosen, REFERENCES).score)


def test_the_objective_is_a_mean_in_which_lower_is_better_metrics_are_negated() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu", "ter"])
    weights = problem.by_name({"noise": -1.0}, "weights")
    chosen = LISTS.choose(problem.choices(weights))
    bleu, ter = (m.corpus(chosen, REFERENCES).score for m in (BLEU(), TER()))
    assert problem.value(weights) == pytest.approx((bleu - ter) / 2)


@pytest.mark.parametrize(
    ("largest", "unit"), [(1.0, 1.0), (1.5, 1.0), (1.51, 100.0), (-1.5, 1.0), (-1.51, 100.0)]
)
def test_a_perfect_score_is_1_if_no_score_is_above_one_and_a_half(
    largest: float, unit: float
) -> None:
    lists = NBest.of(
        [["x", "y"], ["z"]], features={"quality": [[0.2, largest], [0.1]], "f": [[1, 2], [3]]}
    )
    assert make_problem(lists, None, ["feature:quality"]).unit == unit


def test_features_are_divided_by_their_deviation_and_weights_come_back() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu"])
    varied = ~problem.useless
    assert within_list_sd(problem.matrix, problem.offsets)[varied] == pytest.approx(1)
    assert [name for name, u in zip(problem.names, problem.useless, strict=True) if u] == [
        "constant"
    ]
    weights = np.arange(1.0, 4.0)
    assert problem.raw(problem.scaled(weights)) == pytest.approx(weights)


def test_some_segments_have_the_problem_of_their_own() -> None:
    problem = make_problem(LISTS, REFERENCES, ["bleu"], scale=False)
    part = problem.take([7, 2])
    assert len(part) == 2
    weights = part.by_name({"quality": 1.0}, "weights")
    choices = problem.choices(weights)
    assert part.choices(weights).tolist() == [choices[7], choices[2]]


def test_the_first_of_the_best_is_chosen() -> None:
    scores = np.array([1.0, 3.0, 3.0, 2.0, 2.0])
    assert first_argmax(scores, np.array([0, 3, 5])).tolist() == [1, 0]


def test_lists_that_cannot_be_tuned_raise() -> None:
    with pytest.raises(SettingError, match="features to weight"):
        make_problem([["a", "b"]], ["a"], ["bleu"])
    with pytest.raises(SettingError, match="a metric with a direction"):
        make_problem(LISTS, REFERENCES, ["length"])
    with pytest.raises(UnknownNameError, match="feature in weights 'qualty'"):
        make_problem(LISTS, REFERENCES, ["bleu"]).by_name({"qualty": 1}, "weights")


# Statistics of candidates.


FEW = [["a dog sat", "the cat sat", "the cat"], ["yes", "no", "no"], ["on the mat"]]
FEW_REFERENCES = ["the cat sat down", "no", "on a mat"]


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "nist", "sentbleu", "per"])
def test_rows_equal_counts_of_each_candidate_as_a_system(name: str) -> None:
    counted = count_candidates(FEW, FEW_REFERENCES, name)
    for indices in product(range(3), range(3), range(1)):
        texts = [list_[i] for list_, i in zip(FEW, indices, strict=True)]
        expected = counted.metric.corpus(texts, FEW_REFERENCES).score
        assert counted.score(list(indices)) == pytest.approx(expected, abs=1e-9)


def test_several_references_count() -> None:
    counted = count_candidates([["a b", "c d"]], [["a b"], ["c d"]], TER())
    assert counted.sentence_scores().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["bleu", "chrf", "nist"])
def test_lists_of_any_lengths_count_as_each_by_itself(name: str) -> None:
    lists = [[f"the cat {number}" for number in range(size)] for size in (1, 40, 3, 2, 17, 1)]
    references = [f"the cat {number}" for number in range(6)]
    counted = count_candidates(lists, references, name)
    firsts = [list_[0] for list_ in lists]
    lasts = [list_[-1] for list_ in lists]
    sizes = np.diff(counted.offsets)
    for texts, indices in ((firsts, np.zeros(6, dtype=int)), (lasts, sizes - 1)):
        expected = counted.metric.corpus(texts, references).score
        assert counted.score(indices) == pytest.approx(expected, abs=1e-9)


def test_a_feature_needs_lists() -> None:
    with pytest.raises(TruebleuError, match="n-best lists with features"):
        FeatureMean(name="qe").corpus(["a"], ["a"])


# Features of texts: n-grams, counted and named.


WORDS = NBest.of([["a b a", "b"], ["a b", "c"]])


def test_ngrams_are_counted_by_candidate() -> None:
    sparse = with_ngrams(WORDS, orders=2, min_segments=1).sparse
    assert sparse is not None
    assert sparse.row(0) == {"ngram:a": 2, "ngram:b": 1, "ngram:a b": 1, "ngram:b a": 1}
    assert sparse.row(3) == {"ngram:c": 1}


def test_ngrams_of_few_segments_are_left_out() -> None:
    sparse = with_ngrams(WORDS, orders=2).sparse
    assert sparse is not None
    assert set(sparse.names) == {"ngram:a", "ngram:b", "ngram:a b"}


def test_other_lists_get_given_ngrams_and_keep_their_features() -> None:
    own = NBest(
        texts=("a b", "c"),
        offsets=np.array([0, 2]),
        sparse=SparseFeatures.of([{"own": 3.0}, {}]),
    )
    sparse = with_ngrams(own, orders=2, only=["ngram:a b", "ngram:z"]).sparse
    assert sparse is not None
    assert sparse.names == ("own", "ngram:a b")
    assert [sparse.row(place) for place in (0, 1)] == [{"own": 3.0, "ngram:a b": 1.0}, {}]
    assert with_ngrams(own, orders=0) is own


# Random numbers and the minimiser.


def test_numbers_are_the_same_on_every_machine() -> None:
    # The first 53 bits of NumPy's PCG64, whose stream is promised for all versions.
    assert uniforms(3, 1, "example", 0).tolist() == uniforms(5, 1, "example", 0)[:3].tolist()
    others = [uniforms(3, 2, "example", 0), uniforms(3, 1, "other", 0), uniforms(3, 1, "example")]
    assert all((other != uniforms(3, 1, "example", 0)).all() for other in others)


def test_numbers_are_uniform() -> None:
    drawn = uniforms(20_000, 7, "example")
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert np.allclose(np.histogram(drawn, bins=10, range=(0, 1))[0], 2000, atol=200)


def test_an_order_has_everything_once() -> None:
    assert sorted(order(50, 3, "example").tolist()) == list(range(50))
    assert order(50, 3, "example").tolist() != list(range(50))


def test_the_first_run_has_the_seed_itself() -> None:
    assert seed_of_run(5, 0) == 5
    assert len({seed_of_run(5, run) for run in range(20)}) == 20


CENTRE = np.array([1.0, -2.0])


def bowl(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    return float(((point - CENTRE) ** 2).sum()), 2 * (point - CENTRE)


def test_the_minimum_of_a_bowl_is_its_centre() -> None:
    assert minimize(bowl, Search.of(np.zeros(2))) == pytest.approx(CENTRE)


def test_bounds_are_kept() -> None:
    found = minimize(bowl, Search.of(np.zeros(2), [-9.0, -1.0], [0.5, 9.0]))
    assert found == pytest.approx([0.5, -1.0])


def test_infinite_bounds_are_none() -> None:
    infinite = np.full(2, np.inf)
    assert minimize(bowl, Search.of(np.zeros(2), -infinite, infinite)) == pytest.approx(CENTRE)


def test_merging_keeps_the_order_and_repeats_nothing() -> None:
    old = NBest.of([["a", "b"], ["c"]], features={"f": [[1, 2], [3]], "g": [[0, 0], [0]]})
    new = NBest.of([["b", "b"], ["d"]], features={"g": [[0, 1], [0]], "f": [[2, 2], [3]]})
    merged, count = merge_lists(old, new)
    assert merged[:] == [("a", "b", "b"), ("c", "d")]
    assert count == 2
    assert merged.feature("g").tolist() == [0, 0, 1, 0, 0]
    with pytest.raises(SettingError, match="1 lists"):
        merge_lists(old, NBest.of([["a"]]))
    with pytest.raises(SettingError, match="the same features"):
        merge_lists(old, NBest.of([["a"], ["b"]]))


def test_sparse_features_are_merged_by_name() -> None:
    def lists(name: str) -> NBest:
        made = NBest.of([["a"]])
        return NBest(
            texts=made.texts, offsets=made.offsets, sparse=SparseFeatures.of([{name: 1.0}])
        )

    merged, count = merge_lists(lists("x"), lists("y"))
    assert count == 1
    assert merged.sparse is not None
    assert [merged.sparse.row(place) for place in (0, 1)] == [{"x": 1.0}, {"y": 1.0}]
