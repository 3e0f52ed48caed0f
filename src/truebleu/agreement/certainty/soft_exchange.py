"""Does one metric have the higher soft pairwise accuracy? A test by exchanged segment scores.

PERM-BOTH as in `permutation`, with the normal approximation of every hybrid's accuracy instead of
drawn signs. The observed accuracies are approximated alike: the permutation test holds its level
whatever the statistic is, so that the approximation costs no honesty, and hardly any power. It
takes a hundredth of the time that a thousand draws of signs for each hybrid take.

Assumes that, were the metrics equally good, either score of a cell might as well be the other's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.agreement.certainty.permutation import standardised
from truebleu.agreement.certainty.soft_normal import normal_p, paired_systems
from truebleu.agreement.measures.cells import rated_cells
from truebleu.agreement.measures.pairs import as_cells
from truebleu.errors import SettingError
from truebleu.inference.p_values import randomization_p
from truebleu.seeds import require_replicates, require_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.inference.arguments import Values

# Numbers that a block of hybrids may hold: 32 MB.
BLOCK_SIZE = 1 << 22


def soft_exchange_test(
    human: ArrayLike, worse: ArrayLike, better: ArrayLike, *, draws: int, seed: int
) -> float:
    """The one-sided p-value that the better metric is truly better.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        worse: the segment scores of the metric with the lower accuracy, shaped alike.
        better: those of the other metric.
        draws: exchanges.
        seed: of the draws.
    """
    require_replicates("draws", draws)
    require_seed(seed)
    (ratings, first), (_, second) = as_cells(human, worse), as_cells(human, better)
    rated = rated_cells(ratings)
    pairs = paired_systems(rated)
    if not pairs.size:
        raise SettingError("human", "no segment rated for two systems", "at least one")
    # Far from 0, sums of squares would drown the differences; moving all scores leaves these alone.
    people = _p_values(standardised(ratings, ratings)[np.newaxis], rated, pairs)
    first, second = standardised(first, ratings), standardised(second, ratings)

    def accuracies(matrices: Values) -> Values:
        found = _p_values(matrices, rated, pairs)
        return np.asarray(1 - np.abs(found - people).mean(axis=1))

    observed = accuracies(np.stack([first, second]))
    differences = np.empty(draws)
    size = max(1, BLOCK_SIZE // (2 * rated.size))
    for start in range(0, draws, size):
        count = min(size, draws - start)
        coins = _core.exchanged_cells(rated.size, first=start, draws=count, seed=seed)
        coins = coins.reshape(count, *rated.shape)
        of_first = accuracies(np.where(coins, second, first))
        differences[start : start + count] = accuracies(np.where(coins, first, second)) - of_first
    return float(randomization_p(observed[1] - observed[0], differences, "greater", scale=1.0))


def _p_values(matrices: Values, rated: NDArray[np.bool_], pairs: NDArray[np.intp]) -> Values:
    """The p-values of all pairs of systems, shaped (matrix, pair).

    Sums of squared differences are those of squares less twice those of products, each over the
    segments that are rated for both systems; unrated cells hold 0.
    """
    left, right = pairs
    counts = rated.astype(np.float64)
    totals = matrices @ counts.T
    squares = matrices**2 @ counts.T
    products = matrices @ matrices.swapaxes(1, 2)
    both = squares + squares.swapaxes(1, 2) - 2 * products
    # What rounding leaves of equal systems is no difference.
    both = np.where(both > 1e-12 * (squares + squares.swapaxes(1, 2)), both, 0.0)
    differences = totals - totals.swapaxes(1, 2)
    return normal_p(differences[:, left, right], both[:, left, right])
