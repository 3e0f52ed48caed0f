"""Scores on resampled test sets and after random swaps."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from truebleu import BLEU, TER
from truebleu.counts.counting import count_texts
from truebleu.counts.inputs import counts_of
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Swaps, Units
from truebleu.significance.replicates import bootstrap_scores, scale_swaps, swap_blocks, swap_ratios
from truebleu.significance.unit_counts import count_units
from truebleu.simulation import simulate

TEXTS = simulate(segments=60, systems=[0.1, 0.2], document_length=5, seed=2)
SEGMENTS = Units.segments(60)
BOTH = count_units(count_texts(TEXTS, [BLEU(tokenize="13a"), TER()]), SEGMENTS)


def test_metrics_share_the_resampled_test_sets() -> None:
    bootstrap = Bootstrap(replicates=30, seed=1)
    together = bootstrap_scores(BOTH, SEGMENTS, bootstrap)
    for metric, scores in zip(BOTH, together, strict=True):
        (alone,) = bootstrap_scores([metric], SEGMENTS, bootstrap)
        assert_array_equal(scores, alone)
    with pytest.raises(SettingError, match="counts of at least one metric"):
        bootstrap_scores([], SEGMENTS, bootstrap)


def test_all_swaps_have_the_differences_of_all_signs() -> None:
    scores = {"a": [1.0, 2.0, 4.0, 8.0], "b": [0.0, 0.0, 0.0, 0.0]}
    statistics = count_units(counts_of(scores), Units.segments(4))
    (found,) = swap_blocks(statistics, [(0, 1)], Swaps(replicates=16))
    _, differences, shares = found
    signs = np.array(list(product([1, -1], repeat=4)))
    assert sorted(differences[:, 0]) == sorted(signs @ scores["a"] / 4)
    # A difference tells which segments are swapped: its binary digits.
    swapped = (15 - 4 * differences[:, 0]) / 2
    assert [4 * share for share in shares[:, 0]] == [int(sum_).bit_count() for sum_ in swapped]


def test_swaps_of_equal_systems_have_no_ratio() -> None:
    first, same = swap_ratios(BOTH[0], [(0, 1), (1, 1)]).tolist()
    assert first > 0
    assert same != same


def test_swaps_are_scaled_by_pair() -> None:
    differences, shares = np.array([[1.0, -2.0], [0.5, 4.0]]), np.array([[0.25], [0.5]])
    scaled, wider = scale_swaps(differences, shares, np.array([1.0, 1.5]))
    assert_array_equal(scaled, [[1.0, -3.0], [0.5, 6.0]])
    assert_array_equal(wider, [[0.25, 0.125], [0.5, 0.5]])
    assert_array_equal(differences, [[1.0, -2.0], [0.5, 4.0]])
