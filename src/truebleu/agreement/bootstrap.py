"""Intervals of agreement: how it would vary with other segments, documents or systems.

Percentile intervals over bootstrap replicates, on which all metrics are measured alike, so that
differences of two metrics are paired (Deutsch, Dror & Roth 2021, §4). What is resampled is what the
interval is about, and is assumed to be independent draws from one population:

- "segments": other segments like these, for these very systems;
- "documents": the same where segments of one document go together;
- "systems": other systems like these, on these very segments;
- "segments+systems", "documents+systems": both, and the widest interval of them.

System scores are made anew on each replicate: each system gets the mean of its drawn human scores,
and the metric's own score of the drawn segments (corpus BLEU of them, say). People often rate only
a part of the segments, while metrics score all: replicates draw from all.

The scores of systems are noisy, and noise weakens agreement: Pearson's r of the scores on a few
hundred segments is below what it would be on ever more of them, and that of a replicate, which adds
as much noise again, lies lower still. Percentiles of such replicates covered the value on the pool
in 0 to 95 % of samples of 100 to 600 segments of wmt21 en-de and TED. So the noise is taken off:

- Pearson's r: the replicates say how much of the squares and products of the systems' deviations
  is noise; a replicate has it twice, and twice is subtracted (Spearman's correction for
  attenuation, of both sides and of what they share). Covered 91 to 100 % of such samples.
- other coefficients of systems: the bound on the weakened side is moved by twice the difference of
  the value and the replicates' mean. That is better than nothing, but not enough where noise is
  much: covered 54 to 100 %. Where it is more than a tenth of the variance between systems on either
  side, a note says so.

A cell that is drawn twice is no pair with itself. Replicates in which a metric has no value, such
as one system drawn all the time, are left out, and there is no interval where they are too many.
Intervals over few systems are too narrow: over 6 to 20 of them, intervals of Pearson's correlation
at the level 0.95 covered the true one in 90 % of simulated sets of normal scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, get_args

import numpy as np

from truebleu import _core
from truebleu._results import ComparedByValue
from truebleu._settings import DEFAULT_SEED, require_name, require_replicates, require_seed
from truebleu.agreement.coefficients import as_cells, as_human, rated_cells
from truebleu.agreement.measures import measure_by, measure_cells
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import Bootstrap, Units, on_exact_grid
from truebleu.significance.intervals import percentile_interval, smallest_replicates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.coefficients import Coefficient
    from truebleu.agreement.measures import Measure
    from truebleu.resampling import Values

#: What the replicates of intervals resample.
Resample: TypeAlias = Literal[
    "segments", "documents", "systems", "segments+systems", "documents+systems"
]
Score: TypeAlias = Callable[["Values"], "Values"]

RESAMPLE: tuple[Resample, ...] = get_args(Resample)
#: Coefficients that are shares of pairs, from 0 to 1.
SHARES = ("pairwise-accuracy", "acc-eq")
REPLICATES = 1000
# Numbers that a block of replicate sums may hold: 32 MB.
BLOCK_SIZE = 1 << 22
# The largest share of replicates that may lack a value: more would hide a tail of the interval.
MOST_UNDEFINED = 0.05
# The largest share of noise in the variance between systems with which ranks' intervals hold.
MOST_NOISE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementInterval:
    """A value with its interval.

    Attributes:
        value: on the data itself; None where it is undefined.
        low: the lower bound; None where there is no interval.
        high: the upper bound.
        reason: why there is no value or no interval.
        level: of the interval.
        replicates: how many were drawn.
        undefined: in how many of them there is no value.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: str | None
    level: float
    replicates: int
    undefined: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Replicates(ComparedByValue):
    """The agreement of several metrics on the data and on the same bootstrap replicates.

    Attributes:
        observed: each metric's value on the data; None where it is undefined.
        values: shaped (replicate, metric), in the order of `observed`; NaN where undefined.
        resample: what was drawn.
        seed: of the draws.
        shifts: by metric, how far its interval's upper bound is moved, or the lower one where it is
            below 0, for what noise takes off the value.
        bounds: no interval goes beyond.
        noise: by metric, the share of noise in the variance between systems, by people or by the
            metric, whichever is larger; empty where scores are not of systems.
    """

    observed: Mapping[str, float | None]
    values: Values
    resample: Resample
    seed: int
    shifts: Mapping[str, float] = field(default_factory=dict)
    bounds: tuple[float, float] = (-1.0, 1.0)
    noise: Mapping[str, float] = field(default_factory=dict)

    def interval(self, metric: str, level: float = 0.95) -> AgreementInterval:
        """The interval of one metric's agreement."""
        require_name("metric", metric, self.observed)
        interval = _interval(self.observed[metric], self.values[:, self._column(metric)], level)
        if interval.low is None or interval.high is None or metric not in self.shifts:
            return interval
        shift = self.shifts[metric]
        low, high = (
            float(np.clip(bound, *self.bounds))
            for bound in (interval.low + min(shift, 0.0), interval.high + max(shift, 0.0))
        )
        return replace(interval, low=low, high=high)

    def difference(self, metric: str, other: str, level: float = 0.95) -> AgreementInterval:
        """The interval of a metric's agreement less that of another."""
        for name in (metric, other):
            require_name("metric", name, self.observed)
        first, second = self.observed[metric], self.observed[other]
        value = None if first is None or second is None else first - second
        columns = self.values[:, self._column(metric)] - self.values[:, self._column(other)]
        return _interval(value, columns, level)

    def _column(self, metric: str) -> int:
        return list(self.observed).index(metric)


class BootstrapOptions(TypedDict):
    """How replicates are drawn; see `bootstrap_agreement`."""

    resample: Resample
    documents: Sequence[str] | None
    replicates: int
    seed: int


def bootstrap_agreement(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    by: Measure,
    *,
    resample: Resample = "segments",
    documents: Sequence[str] | None = None,
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Replicates:
    """Measure metrics on bootstrap replicates of segments, documents, systems, or both.

    Tie thresholds are calibrated anew on each replicate. For system scores, whose segments are
    drawn before they are averaged or counted, see `bootstrap_system_agreement`.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metrics: the scores of each metric by its name, shaped alike; higher is better.
        by: the measure of agreement.
        resample: what is drawn.
        documents: the document of each segment, with "documents" and "documents+systems".
        replicates: how many.
        seed: of the draws.

    >>> from truebleu.agreement.measures import measure_by
    >>> human = [[0, -1, 0, -5], [-1, -1, -5, 0], [-5, -2, -1, -6]]
    >>> metrics = {"metric": [[6, 5, 5, 2], [5, 5, 4, 3], [1, 3, 3, 2]]}
    >>> replicates = bootstrap_agreement(human, metrics, measure_by("pearson"))
    >>> interval = replicates.interval("metric")
    >>> interval.low < interval.value < interval.high
    True
    """
    require_resample(resample, replicates, seed)
    if not metrics:
        raise SettingError("metrics", 0, "at least one")
    cells = [as_cells(human, metric) for metric in metrics.values()]
    ratings = cells[0][0]
    observed = {
        name: measure_cells(ratings, scores, by).value
        for name, (_, scores) in zip(metrics, cells, strict=True)
    }
    units = units_of_segments(resample, ratings.shape[1], documents)
    # Systems and segments that nobody rated are no part of what the interval is about.
    systems = np.flatnonzero(rated_cells(ratings).any(axis=1))
    segments = np.flatnonzero(rated_cells(ratings).any(axis=0))
    of_segment = None if units is None else _renumbered(units.of_segment[segments])
    _require_several(resample, of_segment, len(systems))
    kept = np.ix_(systems, segments)
    values = _core.replicate_agreement(
        np.ascontiguousarray(ratings[kept]),
        np.stack([scores[kept] for _, scores in cells]),
        **by.native,
        units=None if of_segment is None else of_segment.tolist(),
        systems=resample.endswith("systems"),
        first=0,
        replicates=replicates,
        seed=seed,
    )
    return Replicates(observed, values, resample, seed)


def require_resample(resample: str, replicates: int, seed: int) -> None:
    """Refuse what cannot be drawn."""
    if resample not in RESAMPLE:
        raise UnknownNameError("resample", resample, RESAMPLE)
    require_replicates("replicates", replicates)
    require_seed(seed)


def units_of_segments(
    resample: Resample, segments: int, documents: Sequence[str] | None
) -> Units | None:
    """The units that segments are drawn in; None where they are not drawn."""
    if resample.startswith("documents"):
        if documents is None or len(documents) != segments:
            given = None if documents is None else len(documents)
            raise SettingError("documents", given, f"the document of each of {segments} segments")
        return Units.documents(documents)
    if documents is not None:
        raise SettingError("documents", "given", f"none where {resample} are drawn")
    return Units.segments(segments) if resample.startswith("segments") else None


def _require_several(
    resample: Resample, of_segment: NDArray[np.int64] | None, systems: int
) -> None:
    """Refuse to draw from fewer than two."""
    sizes = {} if of_segment is None else {resample.removesuffix("+systems"): len(set(of_segment))}
    if resample.endswith("systems"):
        sizes["systems"] = systems
    for what, count in sizes.items():
        if count < 2:
            raise SettingError(f"{what} with human scores", count, "at least two to draw from")


def _renumbered(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same units, numbered from 0 without gaps."""
    return np.unique(units, return_inverse=True)[1].astype(np.int64)


def _interval(value: float | None, replicates: Values, level: float) -> AgreementInterval:
    least = smallest_replicates(level)
    defined = replicates[~np.isnan(replicates)]
    undefined = len(replicates) - len(defined)
    reason = None
    if value is None:
        reason = "the coefficient is undefined"
    elif undefined > MOST_UNDEFINED * len(replicates):
        reason = f"{undefined} of {len(replicates)} replicates have no value"
    elif len(defined) < least:
        reason = (
            f"{len(defined)} of {len(replicates)} replicates have a value, and the level {level:g} "
            f"needs {least}: draw more of them"
        )
    low, high = (None, None) if reason else map(float, percentile_interval(defined, level))
    return AgreementInterval(
        value=value,
        low=low,
        high=high,
        reason=reason,
        level=level,
        replicates=len(replicates),
        undefined=undefined,
    )


# --------------------------------------------------------------------------------------------------
# System scores.


@dataclass(frozen=True, slots=True, eq=False)
class SegmentStatistics(ComparedByValue):
    """What a metric counts in each segment, and how the sums become system scores.

    Attributes:
        rows: shaped (segment, system, column).
        score: scores of sums shaped (..., system, column), higher for better.
    """

    rows: Values
    score: Score


def mean_of_segments(scores: ArrayLike) -> SegmentStatistics:
    """A metric whose system score is the mean of its segment scores.

    Args:
        scores: shaped (system, segment).
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise SettingError("metric", matrix.shape, "finite scores shaped (system, segment)")
    return SegmentStatistics(np.stack([matrix.T, np.ones_like(matrix.T)], axis=2), _mean)


def bootstrap_system_agreement(
    human: ArrayLike,
    metrics: Mapping[str, SegmentStatistics],
    coefficient: str | Coefficient,
    *,
    resample: Resample = "segments",
    documents: Sequence[str] | None = None,
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
    correct_noise: bool = True,
) -> Replicates:
    """Measure metrics by their system scores on bootstrap replicates.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: by name, what each metric counts; see `mean_of_segments`.
        coefficient: the coefficient of the system scores, or its name.
        resample: what is drawn.
        documents: the document of each segment, with "documents" and "documents+systems".
        replicates: how many.
        seed: of the draws.
        correct_noise: whether intervals are about the value on ever more segments, with the noise
            of these taken off; otherwise percentiles of plain replicates, which lie too low.
    """
    require_resample(resample, replicates, seed)
    if not metrics:
        raise SettingError("metrics", 0, "at least one")
    everyone = _together(as_human(human), metrics)
    by = measure_by(coefficient)
    observed = [scored.score(scored.rows.sum(axis=0)) for scored in everyone]
    units = units_of_segments(resample, len(everyone[0].rows), documents)
    scores = _replicate_scores(everyone, units, replicates, seed)
    values = _core.system_agreement(
        scores[0],
        scores[1:],
        coefficient=by.coefficient.native_name,
        parameter=by.coefficient.parameter,
        seed=seed if resample.endswith("systems") else None,
    )
    plain = Replicates(
        dict(zip(metrics, _measured(observed, by), strict=True)), values, resample, seed
    )
    if units is None or not correct_noise:
        return plain
    return _without_noise(plain, by.coefficient, observed, scores)


def _without_noise(
    plain: Replicates, by: Coefficient, observed: list[Values], scores: Values
) -> Replicates:
    """Replicates with the noise of the segments taken off; see the module's text.

    Args:
        plain: what they are as they were drawn.
        by: the coefficient.
        observed: the systems' scores by people and by each metric.
        scores: the same on every replicate, shaped (people and metrics, replicate, system).
    """
    people = _noise_share(observed[0], scores[0])
    noise = {
        name: max(people, _noise_share(own, drawn))
        for name, own, drawn in zip(plain.observed, observed[1:], scores[1:], strict=True)
    }
    if by.name == "pearson" and not plain.resample.endswith("systems"):
        columns = [
            _disattenuated((observed[0], own), (scores[0], drawn))
            for own, drawn in zip(observed[1:], scores[1:], strict=True)
        ]
        return replace(plain, values=np.stack(columns, axis=1))
    shifts = {}
    for (name, value), drawn in zip(plain.observed.items(), plain.values.T, strict=True):
        defined = drawn[~np.isnan(drawn)]
        if value is not None and defined.size:
            shifts[name] = 2 * (value - float(defined.mean()))
    bounds = (0.0, 1.0) if by.name in SHARES else (-1.0, 1.0)
    return replace(plain, shifts=shifts, bounds=bounds, noise=noise)


def _noise_share(scores: Values, drawn: Values) -> float:
    """How much of the squared deviations of systems' scores is noise."""
    noisy = drawn - np.nanmean(drawn, axis=0)
    total = float(_products(scores, scores))
    return float(np.nanmean(_products(noisy, noisy))) / total if total > 0 else np.inf


def _products(scores: Values, others: Values) -> Values:
    """The sum over systems of products of deviations from the mean; NaN with fewer than two."""
    both = ~(np.isnan(scores) | np.isnan(others))
    count = both.sum(axis=-1, keepdims=True)
    left, right = (
        values - values.sum(axis=-1, keepdims=True) / np.maximum(count, 1)
        for values in (np.where(both, scores, 0.0), np.where(both, others, 0.0))
    )
    return np.where(count[..., 0] > 1, (left * right * both).sum(axis=-1), np.nan)


def _disattenuated(observed: tuple[Values, Values], drawn: tuple[Values, Values]) -> Values:
    """Pearson's r of people and a metric on each replicate, without the noise of both.

    A replicate's sums of squares and products have the noise of the data and its own. Where noise
    is all there is, r is 1, or -1 where the data without noise go the other way.
    """
    human, metric = drawn
    noisy = [scores - np.nanmean(scores, axis=0) for scores in drawn]
    squares = [
        _products(np.where(np.isnan(other), np.nan, scores), scores)
        - 2 * np.nanmean(_products(noise, noise))
        for scores, other, noise in ((human, metric, noisy[0]), (metric, human, noisy[1]))
    ]
    common = float(np.nanmean(_products(noisy[0], noisy[1])))
    products = _products(human, metric) - 2 * common
    positive = (squares[0] > 0) & (squares[1] > 0)
    sign = 1.0 if float(_products(*observed)) >= common else -1.0
    norms = np.sqrt(np.where(positive, squares[0] * squares[1], 1.0))
    values: Values = np.where(positive, np.clip(products / norms, -1.0, 1.0), sign)
    return np.where(np.isnan(products), np.nan, values)


def _together(human: Values, metrics: Mapping[str, SegmentStatistics]) -> list[SegmentStatistics]:
    """People as the first metric, then the others, for the systems that people rated.

    People's score of a system is the mean of the segments that they rated.
    """
    rated = rated_cells(human)
    systems = np.flatnonzero(rated.any(axis=1))
    if len(systems) < 2:
        raise SettingError("systems with human scores", len(systems), "at least two")
    rows = np.stack([np.where(rated, human, 0.0).T, rated.T.astype(np.float64)], axis=2)
    for name, metric in metrics.items():
        if metric.rows.ndim != 3 or metric.rows.shape[:2] != rows.shape[:2]:
            expected = f"rows for {rows.shape[:2]} segments and systems, as people have them"
            raise SettingError(name, metric.rows.shape, expected)
    everyone = [SegmentStatistics(rows, _mean), *metrics.values()]
    return [SegmentStatistics(scored.rows[:, systems], scored.score) for scored in everyone]


def _mean(sums: Values) -> Values:
    """Sum over count; NaN where nothing was counted."""
    total, count = sums[..., 0], sums[..., 1]
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _measured(scores: list[Values], by: Measure) -> list[float | None]:
    people, *metrics = (row[:, np.newaxis] for row in scores)
    return [measure_cells(people, metric, by).value for metric in metrics]


def _replicate_scores(
    everyone: Sequence[SegmentStatistics], units: Units | None, replicates: int, seed: int
) -> Values:
    """The systems' scores on every replicate, shaped (people and metrics, replicate, system)."""
    systems = everyone[0].rows.shape[1]
    scores = np.empty((len(everyone), replicates, systems))
    if units is None:
        for number, scored in enumerate(everyone):
            scores[number] = scored.score(scored.rows.sum(axis=0))
        return scores
    flat = [units.add_up(scored.rows.reshape(len(scored.rows), -1)) for scored in everyone]
    rows = on_exact_grid(np.concatenate(flat, axis=1))
    ends = np.cumsum([rows.shape[1] for rows in flat])[:-1]
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    size = max(1, BLOCK_SIZE // rows.shape[1])
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        sums = bootstrap.sums(rows, units, start, count)
        parts = zip(everyone, np.split(sums, ends, 1), strict=True)
        for number, (scored, part) in enumerate(parts):
            scores[number, start : start + count] = scored.score(part.reshape(count, systems, -1))
    return scores
