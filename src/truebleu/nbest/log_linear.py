"""The l1-penalised log-linear model of Riezler & Maxwell (2005, section 2), fitted by grafting.

The best-matching candidate of each list should be likely: the loss is minus its conditional
log-likelihood, plus gamma times the sum of absolute weights. Features enter one by one, the one
with the steepest gradient first, as long as that exceeds gamma; the loss is convex, so the end does
not depend on the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.errors import SettingError
from truebleu.nbest._numerics import minimize
from truebleu.nbest.expectation import probabilities

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Optimality conditions hold to this share of gamma.
TOLERANCE = 1e-9
#: More sparse features than this stay sparse, and are not polished by Newton steps.
MOST_DENSE = 300
#: Newton steps after each entry of a feature.
MOST_STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogLinearFit:
    """The optimum for one gamma.

    Attributes:
        gamma: the strength of the penalty.
        weights: of the features.
        objective: the loss with the penalty.
        loss: minus the log-likelihood of the best-matching candidates.
        order: the features by the time when they entered; some may have left again.
        violation: by how much an optimality condition is missed at most.
    """

    gamma: float
    weights: NDArray[np.float64]
    objective: float
    loss: float
    order: tuple[int, ...]
    violation: float


def log_likelihood_loss(
    matrix: Any, offsets: NDArray[np.int64], gold: ArrayLike, weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Minus the log-likelihood of each list's gold candidate, and its gradient.

    Args:
        matrix: the features, shaped (candidate, feature).
        offsets: where each list starts, and where the last one ends.
        gold: the index in its list of each gold candidate.
        weights: of the features.
    """
    scores = np.asarray(matrix @ weights)
    rows = offsets[:-1] + np.asarray(gold)
    chances = probabilities(scores, offsets)
    loss = -np.log(np.maximum(chances[rows], 1e-300)).sum()
    residual = chances.copy()
    residual[rows] -= 1.0
    return float(loss), np.asarray(matrix.T @ residual)


def largest_gamma(matrix: Any, offsets: NDArray[np.int64], gold: ArrayLike) -> float:
    """The gamma from which on all weights are 0."""
    _, gradient = log_likelihood_loss(matrix, offsets, gold, np.zeros(matrix.shape[1]))
    return float(np.abs(gradient).max(initial=0.0))


def fit_log_linear(
    matrix: Any,
    offsets: NDArray[np.int64],
    gold: ArrayLike,
    gamma: float,
    *,
    start: NDArray[np.float64] | None = None,
    at_once: int = 1,
) -> LogLinearFit:
    """The weights with the lowest penalised loss.

    Args:
        matrix: the features, shaped (candidate, feature).
        offsets: where each list starts, and where the last one ends.
        gold: the index in its list of each gold candidate.
        gamma: the strength of the penalty, above 0.
        start: weights of a nearby optimum, to save time.
        at_once: how many features may enter together, which saves time and changes no weight.
    """
    if not gamma > 0:
        raise SettingError("gamma", gamma, "a number above 0")
    features = matrix.shape[1]
    weights = np.zeros(features) if start is None else np.array(start, dtype=np.float64)
    active: list[int] = np.flatnonzero(weights).tolist()
    order = list(active)
    columns = _columns(matrix, active)
    if active:
        weights[active] = _solve(columns, offsets, gold, gamma, weights[active])
    for _ in range(2 * features + 1):
        loss, gradient = log_likelihood_loss(matrix, offsets, gold, weights)
        steepness = np.abs(gradient)
        steepness[active] = 0.0
        # Stable, so that of features that are as steep the first enters.
        steepest = np.argsort(-steepness, kind="stable")[:at_once]
        entering = [int(f) for f in steepest if steepness[f] > gamma * (1 + TOLERANCE)]
        if not entering:
            break
        active += entering
        order += [feature for feature in entering if feature not in order]
        columns = _columns(matrix, active)
        weights[active] = _solve(columns, offsets, gold, gamma, weights[active])
        # A feature that went back to 0 may enter again.
        active = [feature for feature in active if weights[feature]]
    loss, gradient = log_likelihood_loss(matrix, offsets, gold, weights)
    used = weights != 0
    conditions = np.where(
        used, np.abs(gradient + gamma * np.sign(weights)), np.maximum(np.abs(gradient) - gamma, 0)
    )
    return LogLinearFit(
        gamma=gamma,
        weights=weights,
        objective=loss + gamma * float(np.abs(weights).sum()),
        loss=loss,
        order=tuple(order),
        violation=float(conditions.max(initial=0.0)),
    )


def _columns(matrix: Any, active: list[int]) -> Any:
    """The features that have entered: an array, or a sparse array of many sparse ones."""
    chosen = matrix[:, active]
    if isinstance(chosen, np.ndarray) or len(active) > MOST_DENSE:
        return chosen
    return np.asarray(chosen.toarray())


def _solve(
    columns: Any,
    offsets: NDArray[np.int64],
    gold: ArrayLike,
    gamma: float,
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The optimum over a few features: L-BFGS on positive and negative parts, then Newton."""
    count = columns.shape[1]

    def split(parts: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        loss, slope = log_likelihood_loss(columns, offsets, gold, parts[:count] - parts[count:])
        return loss + gamma * float(parts.sum()), np.concatenate([slope + gamma, gamma - slope])

    first = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])
    parts = minimize(
        split, first, lower=np.zeros(2 * count), upper=np.full(2 * count, np.inf), iterations=500
    )
    weights = np.asarray(parts[:count] - parts[count:])
    weights[np.abs(weights) < 1e-9] = 0.0
    if not isinstance(columns, np.ndarray):
        return weights
    return _polished(columns, offsets, gold, gamma, weights)


def _polished(
    columns: NDArray[np.float64],
    offsets: NDArray[np.int64],
    gold: ArrayLike,
    gamma: float,
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Newton steps among the weights that are not 0, without changing a sign."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    for _ in range(MOST_STEPS):
        used = np.flatnonzero(weights)
        if not len(used):
            break
        part = columns[:, used]
        loss, gradient = log_likelihood_loss(part, offsets, gold, weights[used])
        signs = np.sign(weights[used])
        conditions = gradient + gamma * signs
        if np.abs(conditions).max() <= 1e-13 * max(1.0, gamma):
            break
        chances = probabilities(part @ weights[used], offsets)
        means = np.add.reduceat(chances[:, None] * part, starts, axis=0)
        centred = part - np.repeat(means, sizes, axis=0)
        curvature = centred.T @ (chances[:, None] * centred)
        step = np.linalg.lstsq(curvature, -conditions, rcond=1e-12)[0]
        length, before = 1.0, loss + gamma * np.abs(weights[used]).sum()
        while length > 1e-6:
            moved = weights[used] + length * step
            moved[moved * signs < 0] = 0.0
            after = log_likelihood_loss(part, offsets, gold, moved)[0] + gamma * np.abs(moved).sum()
            if after <= before:
                break
            length /= 2
        else:
            break
        weights = weights.copy()
        weights[used] = moved
    return weights
