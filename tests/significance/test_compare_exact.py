"""Exact randomization is the full enumeration of swaps, of texts that are scored anew each time."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from truebleu import BLEU, CHRF, NIST, TER
from truebleu.corpus import as_test_set
from truebleu.significance.compare import compare
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu import TestSet
    from truebleu.metrics.base import Metric
    from truebleu.schema import Alternative

CHANNELS = {"a": Channel.at_rate(0.35), "b": Channel.at_rate(0.2)}
METRICS = [BLEU(smooth="add-k"), CHRF(), TER(), NIST()]
SEGMENTS = 7


def swapped_differences(test_set: TestSet, metric: Metric, groups: Sequence[object]) -> list[float]:
    """The differences of a's and b's scores after each of the possible swaps of whole groups."""
    first, second = ([*text] for text in test_set.systems.values())
    different = list(dict.fromkeys(groups))
    differences = []
    for coins in product([False, True], repeat=len(different)):
        swapped = dict(zip(different, coins, strict=True))
        pairs = [
            (b, a) if swapped[group] else (a, b)
            for a, b, group in zip(first, second, groups, strict=True)
        ]
        x, y = zip(*pairs, strict=True)
        references = [*test_set.references]
        differences.append(
            metric.corpus(list(x), references).score - metric.corpus(list(y), references).score
        )
    return differences


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_p_is_the_share_of_swaps_that_are_as_extreme(metric: Metric, seed: int) -> None:
    test_set = simulate(segments=SEGMENTS, systems=CHANNELS, references=2, seed=seed)
    # The first of all swaps exchanges nothing: the observed difference.
    differences = np.array(swapped_differences(test_set, metric, range(SEGMENTS)))
    tie = 1e-9 * 100
    better = differences if metric.higher_is_better else -differences
    expected: dict[Alternative, float] = {
        "two-sided": fmean(np.abs(better) >= abs(better[0]) - tie),
        "greater": fmean(better >= better[0] - tie),
        "less": fmean(better <= better[0] + tie),
    }
    for alternative, p in expected.items():
        settings: dict[str, Any] = {"alternative": alternative}
        comparison = compare(test_set, metrics=[metric], **settings)
        assert comparison.metrics[metric.name].exact
        assert comparison.metrics[metric.name].replicates == 2**SEGMENTS
        assert comparison.comparisons[0].p == pytest.approx(p, rel=1e-12)
        assert comparison.comparisons[0].p_se == 0


@pytest.mark.slow
def test_documents_are_swapped_whole() -> None:
    test_set = simulate(segments=30, systems=CHANNELS, document_length=4, seed=4)
    assert test_set.documents is not None
    differences = np.abs(swapped_differences(test_set, BLEU(), test_set.documents))
    comparison = compare(test_set, metrics=["bleu"], unit="document")
    assert (
        comparison.metrics["BLEU"].replicates
        == len(differences)
        == 2 ** len(set(test_set.documents))
    )
    assert comparison.comparisons[0].p == pytest.approx(fmean(differences >= differences[0] - 1e-7))


def test_the_seed_does_not_matter_if_swaps_are_exhaustive() -> None:
    test_set = simulate(segments=10, systems=CHANNELS, seed=5)
    p = {compare(test_set, metrics=["bleu"], seed=seed).comparisons[0].p for seed in range(5)}
    assert len(p) == 1


def test_random_swaps_approximate_exhaustive_swaps() -> None:
    test_set = simulate(segments=12, systems=CHANNELS, seed=6)
    results = [
        compare(test_set, metrics=["bleu"], test="ar", replicates=replicates)
        for replicates in (2**12, 2**12 - 1)
    ]
    assert [found.metrics["BLEU"].exact for found in results] == [True, False]
    exact, random = (found.comparisons[0] for found in results)
    assert abs(random.p - exact.p) <= 4 * random.p_se + 1 / 2**12


@pytest.mark.parametrize(
    ("segments", "alternative", "smallest"),
    [
        # Of a two-sided test no swap and all swaps are equally extreme.
        (5, "two-sided", 2 / 32),
        (6, "two-sided", 2 / 64),
        (4, "greater", 1 / 16),
        (5, "greater", 1 / 32),
        (5, "less", 1 / 32),
    ],
)
def test_the_smallest_p_of_all_swaps_decides_whether_any_can_be_significant(
    segments: int, alternative: Alternative, smallest: float
) -> None:
    test_set = simulate(segments=segments, systems=CHANNELS, seed=2)
    comparison = compare(test_set, metrics=["bleu"], alternative=alternative)
    assert comparison.metrics["BLEU"].exact
    assert comparison.metrics["BLEU"].smallest_p == smallest
    sentences = str(comparison)
    assert ("no difference can be significant" in sentences) == (smallest > 0.05)


def test_exhaustive_swaps_of_few_segments_determine_the_smallest_p() -> None:
    reference = ["the cat sat on the mat"] * 4
    texts = {"right": reference, "wrong": ["a dog"] * 4}
    (found,) = compare(as_test_set(texts, reference), metrics=["bleu"]).comparisons
    # No swap, and all of them: 2 of 16.
    assert found.p == 2 / 16
    assert not found.significant
