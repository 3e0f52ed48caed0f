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
    from numpy.typing import NDArray

    from truebleu.nbest.problem import Problem, Search

__all__ = ["Mert"]

#: How the score of an interval is smoothed over its neighbours.
Window = Literal["mean", "min"]
Count = Annotated[int, Setting(minimum=0, maximum=10**6)]
#: MERT looks along every feature: with more features than this, it would take forever.
MOST_FEATURES = 1000
#: A search along all directions that gains less than this share of a perfect score is the last.
LEAST_GAIN = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ascent:
    """One search from one start: the weights and the objective after each pass."""

    weights: NDArray[np.float64]
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
    """Move to the best point on any line through the current one, as long as that gains enough.

    Features whose bounds are equal stay where they are. Random directions are looked along where no
    feature gains enough any more, if the search has come as high as its rival by then.
    """
    lines = lines or line_search(problem)
    least_gain = LEAST_GAIN * problem.unit if least_gain is None else least_gain
    weights, low, high = search.start.copy(), search.lower, search.upper
    free = np.flatnonzero((low < high) & ~problem.useless)
    coordinates = np.eye(len(weights))[free]
    scorer = problem.scorer()

    def best_on(directions: NDArray[np.float64]) -> tuple[float, float, int]:
        """The highest score on any of these lines, where it is on its line, and which line."""
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
            (point[0], point[1], place) for place, point in enumerate(points) if point is not None
        ]
        return max(known, key=lambda point: point[0], default=(-np.inf, 0.0, -1))

    before = -np.inf
    last = -1
    path: list[tuple[float, tuple[float, ...]]] = []
    while len(free):
        # The line that was moved along has nothing better: the weights are its best point.
        others = np.flatnonzero(np.arange(len(free)) != last)
        directions = coordinates[others]
        score, step, place = best_on(directions)
        moved_along = int(others[place]) if place >= 0 else -1
        stuck = score - before <= least_gain
        if settings.directions and stuck and max(score, before) >= rival:
            noise = uniforms(settings.directions * len(free), search.seed, "mert", index, len(path))
            random = np.zeros((settings.directions, len(weights)))
            random[:, free] = 2 * noise.reshape(settings.directions, len(free)) - 1
            oblique = best_on(random)
            if oblique[0] > score:
                (score, step, place), directions, moved_along = oblique, random, -1
        if score == before == -np.inf:
            break
        gained = score - before
        # A pass that gains too little is the last one, but what it gains is kept.
        if gained > 0:
            weights = np.clip(weights + step * directions[place], low, high)
            before, last = score, moved_along
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
        directions: random directions that the best search so far looks along where features gain
            nothing more.
        window: neighbours on either side over which an interval's score is smoothed.
        window_kind: whether smoothing takes their "mean" or their "min".
        ends: how far beyond the first and the last boundary the search goes, if it is best there.
        nearest: a step smaller than this is no step.
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
        """A step for each start."""
        return self.restarts + 1

    def weights(self, problem: Problem, search: Search) -> NDArray[np.float64]:
        """The best weights that searches from the given and from random starts find."""
        if problem.is_sparse or len(problem.names) > MOST_FEATURES:
            found = f"{len(problem.names):,} features"
            raise SettingError(
                "method mert", found, f"{MOST_FEATURES:,} at most; mira takes any number"
            )
        shared: Any = {"lines": line_search(problem), "least_gain": LEAST_GAIN * problem.unit}
        weights = best = search.start
        # What others have not reached by features, few would by random directions.
        rival = -np.inf
        for index in range(self.restarts + 1):
            if index:
                low, high = restart_box(search.lower, search.upper)
                share = uniforms(len(weights), search.seed, "mert restart", index)
                weights = np.where(problem.useless, search.start, low + share * (high - low))
            start = replace(search, start=weights)
            ascent = ascend(problem, self, start, index=index, rival=rival, **shared)
            if not index or ascent.objective > rival:
                best, rival = ascent.weights, ascent.objective
            search.step()
        return best


def restart_box(
    lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The box that random starts are drawn from: [-1, 1] as far as bounds allow.

    Where they leave nothing of it, the bound that is nearest to it.
    """
    low, high = np.maximum(lower, -1.0), np.minimum(upper, 1.0)
    nearest = np.clip(0.0, lower, upper)
    return np.where(low > high, nearest, low), np.where(low > high, nearest, high)


def line_search(problem: Problem) -> _core.LineSearch:
    """Exact searches along lines through the space of weights."""
    matrix = np.ascontiguousarray(problem.matrix)
    return _core.LineSearch(matrix, problem.offsets.tolist(), np.ascontiguousarray(problem.rows))


def _step_limits(
    weights: NDArray[np.float64],
    directions: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How far one may go backwards and forwards along each direction without leaving the bounds."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - weights) / directions, (high - weights) / directions
    still = directions == 0
    back = np.where(still, -np.inf, np.minimum(a, b)).max(axis=1, initial=-np.inf)
    forth = np.where(still, np.inf, np.maximum(a, b)).min(axis=1, initial=np.inf)
    return np.stack([back, forth], axis=1)
