"""Minimum error rate training (Och, 2003): exact line searches, directions and restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from truebleu import _core
from truebleu._settings import require_whole_number
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest._draws import uniforms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.nbest.problem import Problem

    Progress = Callable[[int], None]

#: How the score of an interval is smoothed over its neighbours.
Window = Literal["mean", "min"]
#: MERT looks along every feature: with more features than this, it would take forever.
MOST_FEATURES = 1000
#: A search along all directions that gains less than this share of a perfect score is the last.
LEAST_GAIN = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineProfile:
    """The objective along a line through the space of weights: exact, and constant in between.

    Attributes:
        boundaries: where the choice of some segment changes, ascending.
        scores: the objective of each interval, one more than there are boundaries.
        first: the candidate that each segment has left of all boundaries.
        changes: (boundary, segment, candidate) of every change.
    """

    boundaries: NDArray[np.float64]
    scores: NDArray[np.float64]
    first: tuple[int, ...]
    changes: tuple[tuple[int, int, int], ...]

    def smoothed(self, window: int, kind: Window = "mean") -> NDArray[np.float64]:
        """The mean or the minimum of each interval and so many neighbours on either side."""
        return smooth(self.scores, window, kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class MertSettings:
    """How MERT searches.

    Attributes:
        restarts: starts from random weights in [-1, 1], besides the given or all-equal start.
        directions: random directions that every search also looks along.
        window: neighbours on either side over which an interval's score is smoothed.
        window_kind: whether smoothing takes their "mean" or their "min".
        ends: how far beyond the first and the last boundary the search goes, if it is best there.
        nearest: a step smaller than this is no step.
    """

    restarts: int = 20
    directions: int = 5
    window: int = 0
    window_kind: Window = "mean"
    ends: tuple[float, float] = (1.0, 1.0)
    nearest: float = 0.0

    def __post_init__(self) -> None:
        for name in ("restarts", "directions", "window"):
            require_whole_number(name, getattr(self, name), 0, 10**6)
        if self.window_kind not in get_args(Window):
            raise UnknownNameError("window kind", self.window_kind, get_args(Window))


def line_profile(problem: Problem, origin: ArrayLike, direction: ArrayLike) -> LineProfile:
    """The exact profile of the objective on the line ``origin + x * direction``."""
    search = _search(problem)
    start, step = _floats(origin), _floats(direction)
    ((boundaries, sums),) = search.profiles(start, [step])
    first, changes = search.winners(start, step)
    return LineProfile(
        boundaries=boundaries,
        scores=problem.objective(sums),
        first=tuple(first),
        changes=tuple((at, segment, candidate) for at, segment, candidate in changes),
    )


def smooth(scores: NDArray[np.float64], window: int, kind: Window) -> NDArray[np.float64]:
    """Each score replaced by the mean or minimum of its neighbourhood, cut off at the ends."""
    if not window:
        return scores
    padded = np.full(len(scores) + 2 * window, np.nan)
    padded[window : window + len(scores)] = scores
    neighbours = np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1)
    function = np.nanmean if kind == "mean" else np.nanmin
    return np.asarray(function(neighbours, axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ascent:
    """One search from one start: the weights and the objective after each pass."""

    weights: NDArray[np.float64]
    objective: float
    path: tuple[tuple[float, tuple[float, ...]], ...]


def ascend(
    problem: Problem,
    start: ArrayLike,
    settings: MertSettings,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    seed: int = 0,
    index: int = 0,
    search: _core.LineSearch | None = None,
) -> Ascent:
    """Move to the best point on any line through the current one, as long as that gains enough.

    Features whose bounds are equal stay where they are.
    """
    search = search or _search(problem)
    weights = np.array(start, dtype=np.float64)
    low = np.full(len(weights), -np.inf) if lower is None else np.asarray(lower)
    high = np.full(len(weights), np.inf) if upper is None else np.asarray(upper)
    free = np.flatnonzero((low < high) & ~problem.useless)
    least_gain = LEAST_GAIN * problem.unit
    before = -np.inf
    path: list[tuple[float, tuple[float, ...]]] = []
    while len(free):
        directions = [*_coordinates(free, len(weights))]
        noise = uniforms(settings.directions * len(free), seed, "mert", index, len(path))
        for row in noise.reshape(settings.directions, len(free)):
            direction = np.zeros(len(weights))
            direction[free] = 2 * row - 1
            directions.append(direction)
        profiles = search.profiles(weights.tolist(), [d.tolist() for d in directions])
        scores = problem.objective(np.concatenate([sums for _, sums in profiles]))
        best, position, moved = -np.inf, 0, weights
        for direction, (boundaries, _) in zip(directions, profiles, strict=True):
            part = scores[position : position + len(boundaries) + 1]
            position += len(boundaries) + 1
            found = _best_point(boundaries, part, settings, _room(weights, direction, low, high))
            if found is not None and found[0] > best:
                best, step = found
                moved = np.clip(weights + step * direction, low, high)
        if best == -np.inf:
            break
        # A pass that gains too little is the last one, but what it gains is kept.
        if best > before:
            weights = moved
        gained, before = best - before, max(best, before)
        path.append((float(before), tuple(weights.tolist())))
        if gained <= least_gain:
            break
    objective = before if path else problem.value(weights)
    return Ascent(weights=weights, objective=float(objective), path=tuple(path))


def mert(
    problem: Problem,
    start: ArrayLike,
    settings: MertSettings,
    *,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    seed: int,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """The best weights that searches from the given and from random starts find."""
    if problem.is_sparse or len(problem.names) > MOST_FEATURES:
        found = f"{len(problem.names):,} features"
        raise SettingError(
            "method mert", found, f"{MOST_FEATURES:,} at most; mira takes any number"
        )
    search = _search(problem)
    weights = np.array(start, dtype=np.float64)
    best: Ascent | None = None
    for index in range(settings.restarts + 1):
        if index:
            box_low, box_high = np.maximum(lower, -1.0), np.minimum(upper, 1.0)
            # Bounds that leave nothing of [-1, 1] are drawn from themselves.
            outside = box_low > box_high
            box_low[outside] = np.clip(0.0, lower[outside], upper[outside])
            box_high[outside] = box_low[outside]
            share = uniforms(len(weights), seed, "mert restart", index)
            weights = np.where(problem.useless, start, box_low + share * (box_high - box_low))
        ascent = ascend(
            problem,
            weights,
            settings,
            lower=lower,
            upper=upper,
            seed=seed,
            index=index,
            search=search,
        )
        if best is None or ascent.objective > best.objective:
            best = ascent
        if progress is not None:
            progress(1)
    assert best is not None  # noqa: S101  # there is one start at least
    return best.weights


def _search(problem: Problem) -> _core.LineSearch:
    matrix = np.ascontiguousarray(problem.matrix)
    return _core.LineSearch(matrix, problem.offsets.tolist(), np.ascontiguousarray(problem.rows))


def _floats(values: ArrayLike) -> list[float]:
    return [float(value) for value in np.asarray(values, dtype=np.float64)]


def _coordinates(free: NDArray[np.int64], length: int) -> Sequence[NDArray[np.float64]]:
    return list(np.eye(length)[free])


def _room(
    weights: NDArray[np.float64],
    direction: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[float, float]:
    """How far one may go backwards and forwards without leaving the bounds."""
    moved = direction != 0
    with np.errstate(invalid="ignore"):
        a = (low[moved] - weights[moved]) / direction[moved]
        b = (high[moved] - weights[moved]) / direction[moved]
    return float(np.minimum(a, b).max()), float(np.maximum(a, b).min())


def _best_point(
    boundaries: NDArray[np.float64],
    scores: NDArray[np.float64],
    settings: MertSettings,
    room: tuple[float, float],
) -> tuple[float, float] | None:
    """The score and the middle of the first of the best intervals that one may go to."""
    smoothed = smooth(scores, settings.window, settings.window_kind)
    left = np.concatenate([[-np.inf], boundaries])
    right = np.concatenate([boundaries, [np.inf]])
    inside = (left < room[1]) & (right > room[0])
    if not inside.any():
        return None
    place = int(np.argmax(np.where(inside, smoothed, -np.inf)))
    low, high = max(float(left[place]), room[0]), min(float(right[place]), room[1])
    if np.isinf(low) and np.isinf(high):
        point = 0.0
    elif np.isinf(low):
        point = high - settings.ends[0]
    elif np.isinf(high):
        point = low + settings.ends[1]
    else:
        point = (low + high) / 2
    return float(smoothed[place]), 0.0 if abs(point) < settings.nearest else point
