"""Soft pairwise accuracy: are a metric and people equally sure which of two systems is better?

Thompson et al. (2024): the mean over pairs of systems i < j of 1 - |p_h - p_m|, where p_h and p_m
are the one-sided p-values, from human and from metric scores, of a paired permutation test that i
is better than j. Unlike accuracy it does not ask a metric to order systems that people can't tell
apart.

The shares are the definition's, without the 1 added to a test's p-value. Both sides use the
segments that people rated for both systems of a pair, and the same draws of signs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.agreement.measures.cells import as_human, as_metric, rated_cells
from truebleu.agreement.measures.paired_signs import PairedSigns, paired_signs
from truebleu.errors import SettingError
from truebleu.resampling import Swaps
from truebleu.seeds import DEFAULT_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from truebleu.inference.arguments import Values

# With 1,000 draws, as the metrics tasks have it, the value changes by 0.002 or so from seed to
# seed; with these by a tenth of that.
DRAWS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftPairwiseAccuracy:
    """The value, and what it rests on.

    Attributes:
        value: from 0 to 1; None where no two systems share a rated segment.
        reason: why there is no value.
        pairs: pairs of systems that were compared.
        unpaired: pairs that share no rated segment, and were left out.
        draws: draws of signs.
        exact: the draws are all there are, so that no chance is in the value.
        seed: of the draws.
    """

    value: float | None
    reason: str | None
    pairs: int
    unpaired: int
    draws: int
    exact: bool
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, *, draws: int = DRAWS, seed: int = DEFAULT_SEED
) -> SoftPairwiseAccuracy:
    """Soft pairwise accuracy of one metric.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric: the metric's scores, shaped alike; higher is better.
        draws: draws of signs; all of them are taken where they are no more than these.
        seed: of the draws.

    >>> human = [[0, -1, 0, -5], [-1, -1, -5, 0], [-5, -2, -1, -6]]
    >>> metric = [[60, 50, 55, 20], [55, 52, 40, 30], [10, 30, 30, 25]]
    >>> soft_pairwise_accuracy(human, metric).value
    0.875
    """
    return soft_pairwise_accuracies(human, {"metric": metric}, draws=draws, seed=seed)["metric"]


def soft_pairwise_accuracies(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> dict[str, SoftPairwiseAccuracy]:
    """Soft pairwise accuracy of several metrics, all by the same draws.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: the scores of each metric by its name, shaped alike.
        draws: draws of signs; all of them are taken where they are no more than these.
        seed: of the draws.
    """
    ratings = as_human(human)
    if len(ratings) < 2:
        raise SettingError("systems", len(ratings), "at least two: accuracy is about pairs")
    names = list(metrics)
    scores = [as_metric(name, metrics[name], ratings) for name in names]
    rated = rated_cells(ratings)
    matrices = np.stack([np.where(rated, ratings, 0.0), *scores])
    found = paired_signs(matrices, rated, Swaps(replicates=draws, seed=seed))
    values = soft_accuracies(found.p_values[0], found.p_values[1:])
    return {name: _result(value, found, seed) for name, value in zip(names, values, strict=True)}


def soft_accuracies(human_p: Values, metric_p: Values) -> list[float | None]:
    """The mean of 1 - |p_h - p_m| over pairs, for each row of metric p-values."""
    if human_p.size == 0:
        return [None] * len(metric_p)
    return [float(value) for value in 1 - np.abs(metric_p - human_p).mean(axis=1)]


def _result(value: float | None, found: PairedSigns, seed: int) -> SoftPairwiseAccuracy:
    return SoftPairwiseAccuracy(
        value=value,
        reason=None if value is not None else "no two systems share a rated segment",
        pairs=len(found.pairs),
        unpaired=len(found.unpaired),
        draws=found.draws,
        exact=found.exact,
        seed=seed,
    )
