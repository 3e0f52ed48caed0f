"""Minimum error rate training (Och, 2003): exact line searches, directions and restarts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.nbest.problem import Tuner, uniforms
from truebleu.schema import Setting

if TYPE_CHECKING:
    from truebleu.nbest.problem import Problem, Search
    from truebleu.resampling import Values

__all__ = ["Mert"]

#: Smoothing of an interval's score over its neighbours.
Window = Literal["mean", "min"]
Count = Annotated[int, Setting(minimum=0, maximum=10**6)]
#: Limit on features: MERT searches along every feature, which takes too long with more.
MOST_FEATURES = 1000
#: A search along all directions that gains less than this share of a perfect score is the last.
LEAST_GAIN = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ascent:
    """The result of a search from one start, with the objective and weights after each pass."""

    weights: Values
    objective: float
    path: tuple[tuple[float, tuple[float, ...]], ...]


def ascend(
    problem: Problem,
    settings: Mert,
    search: Search,
    *,
    index: int = 0,
    lines: _core.LineSearch | None = None,
    least_gain: float | None = None,
    rival: float = -np.inf,
) -> Ascent:
    """Move to the best point on any line through the current point while that gains enough.

    The weights of features with equal bounds do not change. When no feature gains enough any more,
    random directions are searched too if the objective is at least `rival`.
    """
    lines = lines or line_search(problem)
    least_gain = LEAST_GAIN * problem.unit if least_gain is None else least_gain
    weights, low, high = search.start.copy(), search.lower, search.upper
    free = np.flatnonzero((low < high) & ~problem.useless)
    coordinates = np.eye(len(weights))[free]
    scorer = problem.scorer()

    def best_on(directions: Values) -> tuple[float, float, int]:
        """Return the highest score on any of the lines, the step along its line, and its index."""
        points = lines.best_points(
            weights.tolist(),
            directions.tolist(),
            _step_limits(weights, directions, low, high).tolist(),
            scorer,
            window=settings.window,
            minimum=settings.window_kind == "min",
            ends=settings.ends,
            nearest=settings.nearest,
        )
        known = [
            (point[0], point[1], index) for index, point in enumerate(points) if point is not None
        ]
        return max(known, key=lambda point: point[0], default=(-np.inf, 0.0, -1))

    before = -np.inf
    last = -1
    path: list[tuple[float, tuple[float, ...]]] = []
    while len(free):
        # The weights are the best point on the last line already.
        others = np.flatnonzero(np.arange(len(free)) != last)
        directions = coordinates[others]
        score, step, line = best_on(directions)
        coordinate = int(others[line]) if line >= 0 else -1
        stuck = score - before <= least_gain
        if settings.directions and stuck and max(score, before) >= rival:
            noise = uniforms(settings.directions * len(free), search.seed, "mert", index, len(path))
            random = np.zeros((settings.directions, len(weights)))
            random[:, free] = 2 * noise.reshape(settings.directions, len(free)) - 1
            oblique = best_on(random)
            if oblique[0] > score:
                (score, step, line), directions, coordinate = oblique, random, -1
        if score == before == -np.inf:
            break
        gained = score - before
        # A pass that gains too little is the last, but it still moves the weights.
        if gained > 0:
            weights = np.clip(weights + step * directions[line], low, high)
            before, last = score, coordinate
        path.append((float(before), tuple(weights.tolist())))
        if gained <= least_gain:
            break
    objective = before if path else problem.value(weights)
    return Ascent(weights=weights, objective=float(objective), path=tuple(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mert(Tuner):
    """Minimum error rate training: exact searches along lines, from several starts.

    Attributes:
        restarts: starts from random weights in [-1, 1], besides the given or all-equal start.
        directions: random directions for the best search so far when no feature gains any more.
        window: neighbours on either side over which an interval's score is smoothed.
        window_kind: smoothing by the "mean" or the "min" of the neighbours.
        ends: distance beyond the first and the last boundary of the best point in the outer
            intervals.
        nearest: smallest step; smaller steps are ignored.
    """

    name: str = field(default="mert", init=False)
    title: ClassVar[str] = "minimum error rate training"

    restarts: Count = 20
    directions: Count = 5
    window: Count = 0
    window_kind: Window = "mean"
    ends: tuple[float, float] = field(default=(1.0, 1.0), metadata={"text": False})
    nearest: float = 0.0

    @property
    def steps(self) -> int:
        """Number of starts."""
        return self.restarts + 1

    def weights(self, problem: Problem, search: Search) -> Values:
        """Search from the given and from random starts; return the best weights."""
        if problem.is_sparse or len(problem.names) > MOST_FEATURES:
            found = f"{len(problem.names):,} features"
            expected = f"at most {MOST_FEATURES:,}; mira accepts any number"
            raise SettingError("method mert", found, expected)
        shared: Any = {"lines": line_search(problem), "least_gain": LEAST_GAIN * problem.unit}
        weights = best = search.start
        # Random directions rarely raise a search above the best one, so only the best uses them.
        best_objective = -np.inf
        for index in range(self.restarts + 1):
            if index:
                low, high = restart_box(search.lower, search.upper)
                share = uniforms(len(weights), search.seed, "mert restart", index)
                weights = np.where(problem.useless, search.start, low + share * (high - low))
            start = replace(search, start=weights)
            ascent = ascend(problem, self, start, index=index, rival=best_objective, **shared)
            if not index or ascent.objective > best_objective:
                best, best_objective = ascent.weights, ascent.objective
            search.step()
        return best


def restart_box(lower: Values, upper: Values) -> tuple[Values, Values]:
    """Intersect [-1, 1] with the bounds of each weight, for random starts.

    If the intersection is empty, both ends are the bound closest to [-1, 1].
    """
    low, high = np.maximum(lower, -1.0), np.minimum(upper, 1.0)
    nearest = np.clip(0.0, lower, upper)
    return np.where(low > high, nearest, low), np.where(low > high, nearest, high)


def line_search(problem: Problem) -> _core.LineSearch:
    """Prepare exact line searches through the space of weights."""
    matrix = np.ascontiguousarray(problem.matrix)
    return _core.LineSearch(matrix, problem.offsets.tolist(), np.ascontiguousarray(problem.rows))


def _step_limits(weights: Values, directions: Values, low: Values, high: Values) -> Values:
    """Compute the largest steps backwards and forwards along each direction within the bounds."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - weights) / directions, (high - weights) / directions
    fixed = directions == 0
    back = np.where(fixed, -np.inf, np.minimum(a, b)).max(axis=1, initial=-np.inf)
    forth = np.where(fixed, np.inf, np.maximum(a, b)).min(axis=1, initial=np.inf)
    return np.stack([back, forth], axis=1)
