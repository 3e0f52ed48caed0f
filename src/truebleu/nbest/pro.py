"""Pairwise ranking optimisation (Hopkins & May, 2011): rank better candidates higher."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from truebleu.metrics.bleu import BLEU
from truebleu.nbest.problem import Tuner, minimize, plus_one_bleu, uniforms
from truebleu.schema import Setting

if TYPE_CHECKING:
    from truebleu.nbest.problem import Problem, Search
    from truebleu.resampling import Indices, Values

__all__ = ["Pro"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pro(Tuner):
    """Pairwise ranking optimisation: a classifier of sampled pairs of candidates.

    Attributes:
        draws: pairs of candidates sampled from each list, with replacement.
        pairs: largest number of sampled pairs to keep, the ones with the largest differences.
        least_difference: smallest difference in score of a pair, with 1 for a perfect score.
        l2: strength of the penalty, ``l2 / 2`` times the sum of squared weights.
    """

    name: str = field(default="pro", init=False)
    title: ClassVar[str] = "pairwise ranking optimisation"

    draws: Annotated[int, Setting(minimum=1, maximum=10**7)] = 5000
    pairs: Annotated[int, Setting(minimum=1, maximum=10**7)] = 50
    least_difference: Annotated[float, Setting(minimum=0)] = 0.05
    l2: Annotated[float, Setting(minimum=0)] = 1.0

    def weights(self, problem: Problem, search: Search) -> Values:
        """Fit the weights that rank sampled pairs best."""
        better, worse = draw_pairs(problem, self, seed=search.seed)
        if not len(better):
            return search.start
        differences = problem.matrix[better] - problem.matrix[worse]
        return minimize(lambda w: logistic_loss(w, differences, self.l2), search)


def draw_pairs(problem: Problem, settings: Pro, *, seed: int) -> tuple[Indices, Indices]:
    """Sample pairs; return the rows of their better and of their worse candidates."""
    utilities = _utilities(problem)
    better, worse = [], []
    for segment, start in enumerate(problem.offsets[:-1].tolist()):
        size = int(problem.offsets[segment + 1]) - start
        if size == 1:
            continue
        draws = uniforms(2 * settings.draws, seed, "pro", segment)
        sample = start + (draws * size).astype(np.int64).reshape(-1, 2)
        difference = utilities[sample[:, 0]] - utilities[sample[:, 1]]
        # A difference below 1e-12 is a rounding error.
        clear = np.flatnonzero(np.abs(difference) >= max(settings.least_difference, 1e-12))
        # Ties at the cut are broken by the order of the draws.
        widest = clear[np.argsort(-np.abs(difference[clear]), kind="stable")][: settings.pairs]
        forward = difference[widest] > 0
        better.append(np.where(forward, sample[widest, 0], sample[widest, 1]))
        worse.append(np.where(forward, sample[widest, 1], sample[widest, 0]))
    if not better:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return np.concatenate(better), np.concatenate(worse)


def logistic_loss(weights: Values, differences: Any, l2: float) -> tuple[float, Values]:
    """Compute the logistic loss of pairs, each counted with both signs, and its gradient.

    Args:
        weights: weights of the features.
        differences: features of the better candidate of each pair minus the worse candidate's.
        l2: strength of the penalty, ``l2 / 2`` times the sum of squared weights.
    """
    margins = differences @ weights
    loss = 2 * np.logaddexp(0.0, -margins).sum() + l2 / 2 * float(weights @ weights)
    share = np.exp(-np.logaddexp(0.0, margins))
    return float(loss), np.asarray(-2 * (differences.T @ share) + l2 * weights)


def _utilities(problem: Problem) -> Values:
    """Return each candidate's score; BLEU adds 1 to matches and totals of every order, as Moses."""
    if len(problem.counted) == 1 and isinstance(problem.counted[0].metric, BLEU):
        return plus_one_bleu(problem.counted[0]) / 100
    return problem.utilities()
