"""Bootstrap intervals of agreement over segments, documents or systems.

The intervals are percentiles of bootstrap replicates. All metrics are measured on the same
replicates, so that differences of two metrics are paired (Deutsch, Dror & Roth 2021, §4). An
interval generalizes to other units like the resampled ones, which are assumed to be independent
draws from one population:

- "segments": other segments, with these systems;
- "documents": other documents, whose segments stay together, with these systems;
- "systems": other systems, on these segments;
- "segments+systems", "documents+systems": both; these intervals are the widest.

System scores are recomputed on each replicate: the human score of a system is the mean of its
resampled human scores, and a metric scores the resampled segments as a corpus (corpus BLEU, for
example). If people rated only a part of the segments, replicates still draw from all segments,
because metrics score all of them.

The scores of systems are noisy, and noise weakens agreement. Pearson's r of the scores on a few
hundred segments is below its limit for ever more segments, and a replicate, which adds as much
noise again, has a lower r still. Percentiles of such replicates covered the value on the pool in
0 to 95 % of samples of 100 to 600 segments of wmt21 en-de and TED. So the noise is removed:

- Pearson's r: the replicates estimate how much of the squares and products of the systems'
  deviations is noise. A replicate contains that noise twice, so it is subtracted twice (Spearman's
  correction for attenuation, of both variances and the covariance). Covered 91 to 100 % of such
  samples.
- other coefficients of systems: the bound on the weakened side is moved by twice the difference
  between the value and the replicates' mean. That helps, but not enough if there is much noise:
  covered 54 to 100 %. If noise is more than a tenth of the variance between systems, by people or
  by the metric, a note says so.

A cell that is drawn twice makes no pair with itself. Replicates in which a metric has no value,
such as replicates of a single system, are left out; if there are too many of them, there is no
interval. Intervals over few systems are too narrow: over 6 to 20 systems, intervals of Pearson's
correlation at the level 0.95 covered the true correlation in 87 to 93 % of simulated sets of normal
scores, over 5 systems in 86 to 88 %, and over 4 in 74 to 84 %.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from truebleu import _core
from truebleu.agreement.coefficients import (
    BLOCK_SIZE,
    SOFT,
    as_cells,
    as_human,
    as_metric,
    coefficient,
    judgment_rows,
    measure_cells,
    measure_judgments,
    paired_systems,
    rated_cells,
    values_of_rows,
)
from truebleu.agreement.data import mean_counts, signed_scores
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Units, on_exact_grid
from truebleu.schema import (
    DEFAULT_SEED,
    ComparedByValue,
    Seed,
    check_fields,
    require_name,
    require_replicates,
)
from truebleu.significance.intervals import min_replicates, percentile_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.coefficients import Coefficient
    from truebleu.agreement.data import AgreementData, Judgments
    from truebleu.resampling import Values
    from truebleu.significance.unit_counts import UnitCounts

__all__ = ["Replicates", "bootstrap_agreement", "bootstrap_system_agreement"]

#: Units that the replicates of intervals resample.
Resample: TypeAlias = Literal[
    "segments", "documents", "systems", "segments+systems", "documents+systems"
]

#: Coefficients that are a share of the pairs, from 0 to 1.
SHARES = ("pairwise-accuracy", "acc-eq")
# Largest share of undefined replicates: more would hide a tail of the interval.
MOST_UNDEFINED = 0.05
# Largest share of noise in the variance between systems with which intervals of ranks hold.
MOST_NOISE = 0.1
# Number of systems from which intervals over resampled systems need no caution.
ENOUGH_SYSTEMS = 8


class AgreementInterval(NamedTuple):
    """An interval of agreement, or the reason for its absence."""

    low: float | None
    high: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Replicates(ComparedByValue):
    """The agreement of several metrics on the data and on common bootstrap replicates.

    Attributes:
        observed: each metric's value on the data, or None if undefined.
        values: values shaped (replicate, metric), in the order of `observed`; NaN if undefined.
        shifts: shift of each metric's upper bound, or of the lower bound if negative, which makes
            up for the weakening by noise.
        bounds: lowest and highest possible bound of an interval.
        noise: share of noise in the variance between systems by metric, by people or by the
            metric, whichever is larger; empty if the scores are not of systems.
    """

    observed: Mapping[str, float | None]
    values: Values
    shifts: Mapping[str, float] = field(default_factory=dict)
    bounds: tuple[float, float] = (-1.0, 1.0)
    noise: Mapping[str, float] = field(default_factory=dict)

    def interval(self, metric: str, level: float = 0.95) -> AgreementInterval:
        """Compute the interval of one metric's agreement."""
        interval = _interval(self._column(metric), level, defined=self.observed[metric] is not None)
        shift = self.shifts.get(metric)
        if interval.low is None or interval.high is None or shift is None:
            return interval
        low, high = interval.low + min(shift, 0.0), interval.high + max(shift, 0.0)
        return AgreementInterval(*np.clip([low, high], *self.bounds).tolist())

    def difference(self, metric: str, other: str, level: float = 0.95) -> AgreementInterval:
        """Compute the interval of the difference in agreement, `metric` minus `other`."""
        differences = self._column(metric) - self._column(other)
        defined = None not in (self.observed[metric], self.observed[other])
        return _interval(differences, level, defined=defined)

    def _column(self, metric: str) -> Values:
        require_name("metric", metric, self.observed)
        return self.values[:, list(self.observed).index(metric)]


def _interval(replicates: Values, level: float, *, defined: bool) -> AgreementInterval:
    minimum = min_replicates(level)
    values = replicates[~np.isnan(replicates)]
    undefined = len(replicates) - len(values)
    if not defined:
        return AgreementInterval(None, None, "the coefficient is undefined")
    if undefined > MOST_UNDEFINED * len(replicates):
        reason = f"{undefined} of {len(replicates)} replicates have no value"
        return AgreementInterval(None, None, reason)
    if len(values) < minimum:
        reason = (
            f"{len(values)} of {len(replicates)} replicates have a value, and the level {level:g} "
            f"needs {minimum}; draw more replicates"
        )
        return AgreementInterval(None, None, reason)
    low, high = percentile_interval(values, level)
    return AgreementInterval(float(low), float(high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Settings of a bootstrap.

    Attributes:
        resample: units to resample; items of any kind are "segments".
        documents: document of each segment, with "documents" and "documents+systems" only.
        replicates: number of replicates.
        seed: seed of the replicates.
        name: units as results name them.
        notes: sentences about differences from the requested units.
        refusal: reason why nothing can be resampled and there is no interval, or None.
    """

    resample: Resample = "segments"
    documents: Sequence[str] | None = None
    replicates: int = 1000
    seed: Seed = DEFAULT_SEED
    name: str = ""
    notes: tuple[str, ...] = ()
    refusal: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        require_replicates("replicates", self.replicates)

    @property
    def systems(self) -> bool:
        """True if systems are resampled."""
        return self.resample.endswith("systems")

    @property
    def bootstrap(self) -> Bootstrap:
        """The bootstrap of segments or documents."""
        return Bootstrap(replicates=self.replicates, seed=self.seed)

    def units(self, segments: int) -> Units | None:
        """Return the units in which segments are resampled, or None for "systems"."""
        if self.resample.startswith("documents"):
            if self.documents is None or len(self.documents) != segments:
                count = None if self.documents is None else len(self.documents)
                expected = f"the document of each of {segments} segments"
                raise SettingError("documents", count, expected)
            return Units.documents(self.documents)
        if self.documents is not None:
            raise SettingError("documents", "given", f"None with resample={self.resample!r}")
        return Units.segments(segments) if self.resample.startswith("segments") else None

    def units_of_judged(self, judged: NDArray[np.int64]) -> Units:
        """Return the units of the segments that people judged, given their indices."""
        if self.documents is None:
            return Units.segments(len(judged))
        return Units.documents([self.documents[segment] for segment in judged.tolist()])


def resampling_of(by: Coefficient, data: AgreementData, resample: Resample, **sizes: Any) -> Draws:
    """Choose the units that the intervals of a coefficient resample.

    Args:
        by: the coefficient.
        data: the human and metric scores.
        resample: the requested units.
        sizes: number of replicates, and their seed.

    Raises:
        SettingError: if the requested units cannot be resampled.
    """
    people, notes, chosen = data.people, list[str](), resample
    if by.name == SOFT and chosen.endswith("systems"):
        chosen = "documents" if chosen.startswith("documents") else "segments"
        notes.append(
            f"Only {chosen} were resampled: with resampled systems, it is a different coefficient."
        )
    if by.compared and chosen.endswith("systems"):
        expected = "'segments' or 'documents': people compared pairs of systems"
        raise SettingError("resample", chosen, expected)
    if people.item == "system" and chosen != "systems":
        chosen = "systems"
        notes.append("Systems were resampled: people scored whole systems.")
    few = chosen.endswith("systems") and len(people.systems) < ENOUGH_SYSTEMS
    if few and by.name == "pearson" and by.of_systems:
        notes.append(
            f"With fewer than {ENOUGH_SYSTEMS} resampled systems intervals of Pearson's r are too "
            "narrow: with 5 they cover in 81 to 88 % of samples at the level 95 %."
        )
    draws = Draws(resample=chosen, name=chosen, notes=tuple(notes), **sizes)
    if chosen == "systems":
        return draws
    if by.of_systems and people.are_separate:
        reason = "no interval: human scores of systems and of segments have different scales"
        return replace(draws, refusal=reason)
    judged_items = np.flatnonzero(people.judged_cells.any(axis=0))
    documents, unit, units = None, people.item, len(judged_items)
    if not data.by_segment:
        chosen = cast("Resample", chosen.replace("documents", "segments"))
    elif chosen.startswith("documents"):
        if data.documents is None:
            raise SettingError("resample", chosen, "a test set with documents; see --documents")
        documents, unit = data.documents, "document"
    name = chosen.replace("segment", people.item)
    if documents is None and data.by_segment and data.repeats is not None:
        # Equal segments are drawn together, as the segments of a document are.
        documents = tuple(map(str, data.repeats))
        chosen = cast("Resample", chosen.replace("segments", "documents"))
    if documents is not None:
        units = len({documents[segment] for segment in judged_items})
    refusal = None if units > 1 else f"no interval: people judged only one {unit}"
    return replace(draws, resample=chosen, name=name, documents=documents, refusal=refusal)


def bootstrap_agreement(
    human: ArrayLike, metrics: Mapping[str, ArrayLike], by: Coefficient, **options: Any
) -> Replicates:
    """Measure metrics on bootstrap replicates of segments, documents, systems, or both.

    Tie thresholds are recalibrated on each replicate. For system scores, which are computed from
    resampled segments, see `bootstrap_system_agreement`.

    Args:
        human: human scores shaped (system, segment), NaN if unrated; or one per system.
        metrics: the scores of each metric by name, in the shape of `human`; higher is better.
        by: the coefficient of agreement.
        options: fields of `Draws`: resample, documents, replicates and seed.

    >>> from truebleu.agreement.coefficients import coefficient
    >>> human = [[0, -1, 0, -5], [-1, -1, -5, 0], [-5, -2, -1, -6]]
    >>> metrics = {"metric": [[6, 5, 5, 2], [5, 5, 4, 3], [1, 3, 3, 2]]}
    >>> replicates = bootstrap_agreement(human, metrics, coefficient("pearson"))
    >>> interval = replicates.interval("metric")
    >>> interval.low < replicates.observed["metric"] < interval.high
    True
    """
    draws = Draws(**options)
    cells = [as_cells(human, metric) for metric in metrics.values()]
    if not cells:
        raise SettingError("metrics", 0, "at least one")
    ratings = cells[0][0]
    observed = {
        name: measure_cells(ratings, scores, by).value
        for name, (_, scores) in zip(metrics, cells, strict=True)
    }
    units = draws.units(ratings.shape[1])
    # The interval is about rated systems and segments only.
    systems = np.flatnonzero(rated_cells(ratings).any(axis=1))
    segments = np.flatnonzero(rated_cells(ratings).any(axis=0))
    rated_units = None
    sizes = {}
    if units is not None:
        names, rated_units = np.unique(units.of_segment[segments], return_inverse=True)
        sizes[draws.resample.removesuffix("+systems")] = len(names)
    if draws.systems:
        sizes["systems"] = len(systems)
    for noun, count in sizes.items():
        if count < 2:
            raise SettingError(f"{noun} with human scores", count, "at least two to resample")
    rated = np.ix_(systems, segments)
    values = _core.Cells(ratings[rated], *(scores[rated] for _, scores in cells)).bootstrap_values(
        by.native,
        units=None if rated_units is None else rated_units.tolist(),
        systems=draws.systems,
        first=0,
        replicates=draws.replicates,
        seed=draws.seed,
    )
    return Replicates(observed, values)


# --------------------------------------------------------------------------------------------------
# System scores.


def bootstrap_system_agreement(
    human: ArrayLike,
    metrics: Mapping[str, UnitCounts],
    by: str | Coefficient,
    *,
    correct_noise: bool = True,
    **options: Any,
) -> Replicates:
    """Measure metrics by their system scores on bootstrap replicates.

    Args:
        human: human scores shaped (system, segment), NaN if unrated.
        metrics: counts by segment of each metric, by name; see `mean_of_segments`.
        by: the coefficient of the system scores, or its name.
        correct_noise: True for intervals about the limit for ever more segments, with the noise
            of these segments removed; False for percentiles of uncorrected replicates, which are
            too low.
        options: fields of `Draws`: resample, documents, replicates and seed.
    """
    draws = Draws(**options)
    by = coefficient(by)
    counted = _people_and_metrics(as_human(human), metrics)
    people, *others = (signed_scores(counts.metric, counts.sums) for counts in counted)
    values = [measure_cells(people[:, None], scores[:, None], by).value for scores in others]
    units = draws.units(counted[0].units)
    scores = _replicate_scores(counted, units, draws.bootstrap)
    replicate_values = _core.Cells(*scores).values_by_row(
        coefficient=by.native_name,
        parameter=by.parameter,
        seed=draws.seed if draws.systems else None,
    )
    uncorrected = Replicates(dict(zip(metrics, values, strict=True)), replicate_values)
    if units is None or not correct_noise:
        return uncorrected
    if by.name == "pearson" and not draws.systems:
        columns = [
            _disattenuated((people, observed), (scores[0], replicated))
            for observed, replicated in zip(others, scores[1:], strict=True)
        ]
        return replace(uncorrected, values=np.stack(columns, axis=1))
    shifts = {}
    for (name, value), column in zip(
        uncorrected.observed.items(), uncorrected.values.T, strict=True
    ):
        defined = column[~np.isnan(column)]
        if value is not None and defined.size:
            shifts[name] = 2 * (value - float(defined.mean()))
    human_noise = _noise_share(people, scores[0])
    noise = {
        name: max(human_noise, _noise_share(observed, replicated))
        for name, observed, replicated in zip(metrics, others, scores[1:], strict=True)
    }
    bounds = (0.0, 1.0) if by.name in SHARES else (-1.0, 1.0)
    return replace(uncorrected, shifts=shifts, bounds=bounds, noise=noise)


def _noise_share(scores: Values, replicates: Values) -> float:
    """Estimate the share of noise in the squared deviations of systems' scores."""
    noise = replicates - np.nanmean(replicates, axis=0)
    total = float(_products(scores, scores))
    return float(np.nanmean(_products(noise, noise))) / total if total > 0 else np.inf


def _products(scores: Values, others: Values) -> Values:
    """Sum products of deviations from the mean over systems; NaN with fewer than two systems."""
    both = ~(np.isnan(scores) | np.isnan(others))
    count = both.sum(axis=-1, keepdims=True)
    left, right = (
        values - values.sum(axis=-1, keepdims=True) / np.maximum(count, 1)
        for values in (np.where(both, scores, 0.0), np.where(both, others, 0.0))
    )
    return np.where(count[..., 0] > 1, (left * right * both).sum(axis=-1), np.nan)


def _disattenuated(observed: tuple[Values, Values], replicates: tuple[Values, Values]) -> Values:
    """Compute Pearson's r of people and a metric on each replicate, corrected for attenuation.

    A replicate's sums of squares and products contain the noise of the data and of the resampling.
    If a corrected sum of squares is not positive, r is 1, or -1 if the covariance of the data
    without noise is negative.
    """
    human, metric = replicates
    noisy = [scores - np.nanmean(scores, axis=0) for scores in replicates]
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


def _people_and_metrics(human: Values, metrics: Mapping[str, UnitCounts]) -> list[UnitCounts]:
    """Return counts of human scores, then of the metrics, for the systems that people rated.

    The human score of a system is the mean of its rated segments.
    """
    systems = np.flatnonzero(rated_cells(human).any(axis=1))
    if len(systems) < 2:
        raise SettingError("systems with human scores", len(systems), "at least two")
    people = mean_counts("human", human)
    for name, metric in metrics.items():
        if metric.rows.ndim != 3 or metric.rows.shape[:2] != people.rows.shape[:2]:
            shape = people.rows.shape[:2]
            expected = f"rows for {shape} segments and systems, as in the human scores"
            raise SettingError(name, metric.rows.shape, expected)
    return [replace(counts, rows=counts.rows[:, systems]) for counts in (people, *metrics.values())]


def _replicate_scores(
    counted: Sequence[UnitCounts], units: Units | None, bootstrap: Bootstrap
) -> Values:
    """Return systems' scores on every replicate, shaped (people and metrics, replicate, system)."""
    systems, replicates = counted[0].systems, bootstrap.replicates
    scores = np.empty((len(counted), replicates, systems))
    if units is None:
        for number, counts in enumerate(counted):
            scores[number] = signed_scores(counts.metric, counts.sums)
        return scores
    flat = [units.add_up(counts.rows.reshape(counts.units, -1)) for counts in counted]
    rows = on_exact_grid(np.concatenate(flat, axis=1))
    ends = np.cumsum([rows.shape[1] for rows in flat])[:-1]
    size = max(1, BLOCK_SIZE // rows.shape[1])
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        sums = bootstrap.sums(rows, units, start, count)
        parts = zip(counted, np.split(sums, ends, 1), strict=True)
        for number, (counts, part) in enumerate(parts):
            of_systems = part.reshape(count, systems, -1)
            scores[number, start : start + count] = signed_scores(counts.metric, of_systems)
    return scores


# --------------------------------------------------------------------------------------------------
# Comparisons of pairs.


def bootstrap_judgments(
    metrics: Mapping[str, Values], judgments: Judgments, by: Coefficient, draws: Draws
) -> Replicates:
    """Compute a coefficient of comparisons on bootstrap replicates of segments or documents.

    Only segments or documents with a judgment are resampled.

    Args:
        metrics: scores shaped (system, segment) by name; higher is better.
        judgments: the comparisons.
        by: a coefficient made of counts of pairs.
        draws: settings of a bootstrap of segments or documents.
    """
    rows = judgment_rows(metrics.values(), judgments, by)
    judged = np.unique(judgments.item)
    units = draws.units_of_judged(judged)
    by_unit = np.ascontiguousarray(units.add_up(rows[judged]))
    sums = draws.bootstrap.sums(by_unit, units, 0, draws.replicates)
    columns = [values_of_rows(by, part) for part in np.split(sums, len(metrics), axis=1)]
    observed = {name: measure_judgments(m, judgments, by).value for name, m in metrics.items()}
    return Replicates(observed, np.stack(columns, axis=1))


def bootstrap_shares_of_wins(
    metrics: Mapping[str, UnitCounts], judgments: Judgments, by: Coefficient, draws: Draws
) -> Replicates:
    """Measure metrics' system scores against shares of wins, on bootstrap replicates.

    A segment is resampled with all its comparisons. A share of wins is the mean of 1 for each win
    and 0 for each loss, so each decided comparison is an additional row with two human scores.

    Args:
        metrics: counts by segment of each metric, by name.
        judgments: the comparisons.
        by: the coefficient of the system scores.
        draws: settings of a bootstrap of segments, documents or systems.
    """
    segments, systems = next(iter(metrics.values())).rows.shape[:2]
    decided = np.flatnonzero(judgments.verdict)
    human = np.full((systems, segments + len(decided)), np.nan)
    columns = segments + np.arange(len(decided))
    human[judgments.left[decided], columns] = judgments.verdict[decided] > 0
    human[judgments.right[decided], columns] = judgments.verdict[decided] < 0
    padded = {
        name: replace(
            counts,
            rows=np.concatenate([counts.rows, np.zeros((len(decided), *counts.rows.shape[1:]))]),
        )
        for name, counts in metrics.items()
    }
    options = asdict(draws)
    if draws.resample != "systems":
        # Resample the rows of a segment together, like the segments of a document.
        labels = list(draws.documents or map(str, range(segments)))
        options["documents"] = [*labels, *(labels[segment] for segment in judgments.item[decided])]
        options["resample"] = draws.resample.replace("segments", "documents")
    return bootstrap_system_agreement(human, padded, by, **options)


# --------------------------------------------------------------------------------------------------
# Soft pairwise accuracy.


def bootstrap_soft_pairwise(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    observed: Mapping[str, float | None],
    draws: Draws,
) -> Replicates:
    """Compute soft pairwise accuracy on bootstrap replicates of segments or documents.

    The value depends on the number of segments: as it grows, all p-values become 0 or 1. So the
    interval is about test sets of this size. A replicate is a sample of a sample, whose p-values
    are further apart than the p-values of the data: replicates are lower than the value on average,
    often by a quarter of the interval's width, and their mean varies less than the value. So
    percentile intervals at 95 % cover the mean over such test sets in 82 to 99 % of samples,
    depending on the data.

    Replicates are shifted by the difference between the observed value and its normal
    approximation.

    Args:
        human: human scores shaped (system, segment), NaN if unrated.
        metrics: the scores of each metric by name, in the shape of `human`; higher is better.
        observed: the value of each metric.
        draws: settings of a bootstrap of segments or documents; with resampled systems it would be
            another statistic.
    """
    ratings = as_human(human)
    rated = rated_cells(ratings)
    pairs = paired_systems(rated)
    # The interval is about rated segments only.
    segments = np.flatnonzero(rated.any(axis=0))
    units = draws.units_of_judged(segments)
    replicates, bootstrap = draws.replicates, draws.bootstrap
    values = np.full((replicates, len(metrics)), np.nan)
    chosen = [number for number, name in enumerate(metrics) if observed[name] is not None]
    if not pairs.size or not chosen:
        return Replicates(observed, values)
    names = list(metrics)
    left, right = pairs
    both = (rated[left] & rated[right]).T

    def by_unit(*columns: Values) -> Values:
        return on_exact_grid(units.add_up(np.concatenate(columns, axis=1)[segments]))

    def moments(scores: Values) -> tuple[Values, Values]:
        """Return the differences of all pairs and their squares, shaped (segment, pair)."""
        differences = (scores[left] - scores[right]).T * both
        return differences, differences**2

    def p_values(rows: Values, start: int, count: int) -> Values:
        """Return p-values of all pairs on the whole test set, then on `count` replicates."""
        replicate_sums = bootstrap.sums(rows, units, start, count)
        sums = np.concatenate([rows.sum(axis=0)[np.newaxis], replicate_sums])
        parts = sums.reshape(1 + count, 2, -1)
        totals, squares = parts[:, 0], parts[:, 1]
        return _core.one_sided_p(totals.ravel(), squares.ravel()).reshape(totals.shape)

    shared_rows = by_unit(both.astype(np.float64))
    people_rows = by_unit(*moments(np.where(rated, ratings, 0.0)))
    # One metric and one block of replicates at a time, to limit memory.
    size = max(1, BLOCK_SIZE // (2 * pairs.shape[1]))
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        replicate_sums = bootstrap.sums(shared_rows, units, start, count)
        shared = np.concatenate([shared_rows.sum(axis=0)[np.newaxis], replicate_sums]) > 0
        people = p_values(people_rows, start, count)
        for number in chosen:
            scores = as_metric(names[number], metrics[names[number]], ratings)
            p = p_values(by_unit(*moments(scores)), start, count)
            centre, *replicated = _accuracies(p, people, shared)
            shifted = np.array(replicated) - centre + observed[names[number]]
            values[start : start + count, number] = shifted.clip(0.0, 1.0)
    return Replicates(observed, values)


def _accuracies(metric: Values, people: Values, shared: NDArray[np.bool_]) -> Values:
    """Compute 1 - mean |p_h - p_m| over the `shared` pairs of each replicate; NaN without pairs."""
    distances = np.where(shared, np.abs(metric - people), 0.0).sum(axis=1)
    count = shared.sum(axis=1)
    return np.where(count > 0, 1 - distances / np.maximum(count, 1), np.nan)
