"""p-values of equal systems are uniform: approximate randomization of BLEU on simulated texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu import BLEU
from truebleu.resampling import Swaps, Units
from truebleu.significance.p_values import randomization_p
from truebleu.significance.statistics import metric_statistics, swap_differences
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

# One test set, so that the references are made once. Systems with equal channels are exchangeable,
# and disjoint pairs of them are independent comparisons.
COMPARISONS, SEGMENTS, SWAPS = 2000, 100, 999


@pytest.fixture(scope="module")
def p_values() -> NDArray[np.float64]:
    channel = Channel.at_rate(0.25)
    equal = {f"system {number}": channel for number in range(2 * COMPARISONS)}
    test_set = simulate(segments=SEGMENTS, systems=equal, seed=17)
    units = Units.segments(SEGMENTS)
    counted = metric_statistics(test_set, [BLEU(tokenize="none")], units)
    pairs = [(first, first + 1) for first in range(0, 2 * COMPARISONS, 2)]
    (differences,) = swap_differences(counted, pairs, Swaps(replicates=SWAPS, seed=18))
    scores = counted[0].scores
    return np.asarray(randomization_p(scores[::2] - scores[1::2], differences, scale=100.0))


def test_five_in_a_hundred_true_null_hypotheses_are_rejected(
    p_values: NDArray[np.float64],
) -> None:
    assert 0.04 <= (p_values <= 0.05).mean() <= 0.06


@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.5, 0.9])
def test_other_levels_are_held_too(p_values: NDArray[np.float64], alpha: float) -> None:
    error = np.sqrt(alpha * (1 - alpha) / COMPARISONS)
    assert abs((p_values <= alpha).mean() - alpha) <= 4 * error


def test_p_values_are_uniform(p_values: NDArray[np.float64]) -> None:
    uniform = np.arange(1, COMPARISONS + 1) / COMPARISONS
    # Kolmogorov: beyond 1.95 / sqrt(n) one time in a thousand.
    assert np.abs(np.sort(p_values) - uniform).max() < 1.95 / np.sqrt(COMPARISONS)
