"""Contributions add up to the difference, for every metric and on every path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.plugin_example.truebleu_word_precision import WordPrecision
from truebleu.corpus import as_test_set
from truebleu.counts.inputs import counts_of
from truebleu.explanation import mean_gradient, split_difference
from truebleu.metrics import BLEU, DependencyF, FunctionMetric
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import METRICS, parse_metric
from truebleu.scores import GivenScores
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus import TestSet
    from truebleu.metrics.base import Requested, Score, Scorer, Signature

    Values = NDArray[np.float64]

# Of metrics that need files beside the texts, depf has chains of words as its parses.
#: Metrics that count texts by themselves; means of other scores are tested by "given".
NATIVE = [
    name
    for name, (module, _) in METRICS.items()
    if module.startswith("truebleu.metrics") and name != "scores"
]
SETTINGS = ["chrf:word_order=2", "bleu:tokenize=char", "bleu:smooth=add-k", "nist:max_order=2"]


class Differenced(Metric):
    """BLEU without a gradient of its own, as a plug-in may be."""

    name = "differenced"

    @property
    def signature(self) -> Signature:
        return BLEU().signature

    def count(self, test_set: TestSet) -> Statistics:
        return BLEU().count(test_set)

    def score(self, sums: ArrayLike) -> Values:
        return BLEU().score(sums)

    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        return BLEU().describe(sums, references)


def shared_words(output: str, references: Sequence[str]) -> float:
    return float(len(set(output.split()) & set(references[0].split())))


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    """Outputs that are too long and too short, so that paths cross the brevity penalty's kink."""
    channels = {"long": Channel(insert=0.2), "short": Channel(drop=0.15, substitute=0.1)}
    return simulate(segments=120, systems=channels, references=2)


def chains(segments: Iterable[str | None]) -> str:
    """Each segment as CoNLL-U, in which every word hangs on the one before it."""
    trees = []
    for segment in segments:
        words = enumerate((segment or "").split(), 1)
        rows = (f"{n}\t{word}\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n, word in words)
        trees.append("".join(rows))
    return "\n".join(trees) + "\n"


def requested_of(name: str, test_set: TestSet) -> Requested:
    if name == "depf":
        outputs = {name: chains(text) for name, text in test_set.systems.items()}
        return DependencyF.of(outputs, list(map(chains, test_set.references)))
    if name == "plug-in":
        return WordPrecision()
    if name == "given":
        long, short = np.random.default_rng(1).normal(size=(2, 120)).tolist()
        return GivenScores.of({"long": long, "short": [None, *short[1:]]}, missing="omit")
    if name == "function":
        return FunctionMetric(function=shared_words, name="shared")
    return Differenced() if name == "differenced" else parse_metric(name)


def counted(metric: Requested | str, test_set: TestSet) -> tuple[Scorer, Values, Values]:
    """The scorer, and the rows of the first and the second system."""
    requested = requested_of(metric, test_set) if isinstance(metric, str) else metric
    (counts,) = counts_of(test_set, None, [requested]).metrics
    rows = counts.rows.floats()
    return counts.scorer, rows[:, 0], rows[:, 1]


OTHERS = ("given", "function", "differenced", "plug-in")


@pytest.mark.parametrize("name", [*NATIVE, *SETTINGS, *OTHERS])
class TestEveryMetric:
    def test_contributions_add_up_to_the_difference(self, name: str, test_set: TestSet) -> None:
        metric, first, second = counted(name, test_set)
        split = split_difference(metric, first, second)
        scores = metric.score(np.stack([first, second]).sum(axis=1))
        assert split.unattributed == 0
        assert split.difference == pytest.approx(scores[0] - scores[1], abs=1e-12)
        assert split.by_segment.sum() == pytest.approx(split.difference, abs=1e-9)
        assert split.by_column().sum() == pytest.approx(split.difference, abs=1e-9)

    def test_swapping_the_systems_turns_every_sign(self, name: str, test_set: TestSet) -> None:
        metric, first, second = counted(name, test_set)
        forth, back = (
            split_difference(metric, first, second),
            split_difference(metric, second, first),
        )
        assert_allclose(forth.by_segment, -back.by_segment, atol=1e-9)

    def test_equal_outputs_contribute_nothing(self, name: str, test_set: TestSet) -> None:
        metric, first, second = counted(name, test_set)
        second = second.copy()
        second[10:20] = first[10:20]
        assert not split_difference(metric, first, second).by_segment[10:20].any()
        assert not split_difference(metric, first, first).by_segment.any()

    def test_the_order_of_segments_does_not_matter(self, name: str, test_set: TestSet) -> None:
        metric, first, second = counted(name, test_set)
        order = np.random.default_rng(2).permutation(len(first))
        here = split_difference(metric, first, second).by_segment
        there = split_difference(metric, first[order], second[order]).by_segment
        assert_allclose(here[order], there, atol=1e-9)

    def test_any_partition_adds_up(self, name: str, test_set: TestSet) -> None:
        split = split_difference(*counted(name, test_set))
        labels = np.random.default_rng(4).integers(0, 7, len(split.by_segment))
        by_slice = np.bincount(labels, weights=split.by_segment)
        assert by_slice.sum() == pytest.approx(split.difference, abs=1e-9)
        by_cell = split.rows * split.gradient
        assert_allclose(by_cell.sum(axis=1), split.by_segment, atol=1e-9)

    def test_every_column_has_a_part(self, name: str, test_set: TestSet) -> None:
        metric, first, _ = counted(name, test_set)
        width = first.shape[1]
        assert len(metric.column_parts(width)) == width


def test_a_mean_contributes_the_difference_of_scores_over_their_number() -> None:
    scores = GivenScores.of({"a": [1.0, 2.0, 4.0], "b": [1.0, 0.0, 3.0]})
    test_set = as_test_set({"a": ["x"] * 3, "b": ["x"] * 3}, ["x"] * 3)
    split = split_difference(*counted(scores, test_set))
    assert_allclose(split.by_segment, [0, 2 / 3, 1 / 3], atol=1e-12)


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "nist", "wer", "plug-in"])
def test_contributions_are_what_shapley_values_become(name: str, test_set: TestSet) -> None:
    metric, first, second = counted(name, test_set)
    difference = first - second
    random = np.random.default_rng(3)
    shapley = np.zeros(len(first))
    orders = 2000
    for _ in range(orders):
        order = random.permutation(len(first))
        steps = np.cumsum(np.concatenate([second.sum(axis=0)[None], difference[order]]), axis=0)
        shapley[order] += np.diff(metric.score(steps)) / orders
    by_segment = split_difference(metric, first, second).by_segment
    assert np.corrcoef(by_segment, shapley)[0, 1] > 0.999


def test_a_kink_is_located_anywhere_on_the_path() -> None:
    metric = BLEU()
    second = np.array([[80.0, 100, 60, 40, 30, 20, 80, 78, 76, 74]])
    for length in (100.5, 101.0, 130.0, 500.0):
        first = second.copy()
        first[0, 0] = length
        gradient, rest = mean_gradient(metric, second, first)
        (difference,) = metric.score(first) - metric.score(second)
        assert (gradient * (first - second)).sum() == pytest.approx(difference, abs=1e-9)
        assert rest == 0


@pytest.mark.parametrize("kind", [np.int16, np.int64])
def test_whole_sums_have_the_same_gradient_as_floats(kind: type) -> None:
    first = np.array([[100.0, 100, 70, 50, 40, 30, 100, 98, 96, 94]])
    second = np.array([[80.0, 100, 60, 40, 30, 20, 80, 78, 76, 74]])
    expected, _ = mean_gradient(BLEU(), second, first)
    gradient, _ = mean_gradient(BLEU(), second.astype(kind), first.astype(kind))
    assert np.abs(expected).max() > 0.1
    assert_array_equal(gradient, expected)


def test_a_discontinuity_is_reported_as_unattributed() -> None:
    # Without any 4-gram in common, smoothing sets the precision of one system and not the other.
    texts = {"a": ["a b c d e", "f g h"], "b": ["a b c x e", "f g h"]}
    test_set = as_test_set(texts, ["a b c d e", "f g h"])
    split = split_difference(*counted("bleu", test_set))
    assert abs(split.unattributed) > 1
    total = split.by_segment.sum() + split.unattributed
    assert total == pytest.approx(split.difference, abs=1e-9)


def test_paths_are_independent_of_each_other(test_set: TestSet) -> None:
    metric, *rows = counted("bleu", test_set)
    first, second = (of_system.sum(axis=0) for of_system in rows)
    starts, ends = np.stack([second, first, second / 3]), np.stack([first, second, first])
    together, _ = mean_gradient(metric, starts, ends)
    for path in range(3):
        alone, _ = mean_gradient(metric, starts[path, None], ends[path, None])
        assert_array_equal(together[path], alone[0])
