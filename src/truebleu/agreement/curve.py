"""One's own agreement curve: how often people agree with a metric, by the size of its difference.

Every pair of systems of a test set is one observation: the difference that the metric shows, and
whether people prefer the same system. The curve starts at the 50 % of a coin and rises to a ceiling
(the shape of Kocmi et al. 2024, but through 50 % at 0):

    accuracy(Δ) = 50 + (ceiling - 50) (2 / (1 + exp(-slope Δ)) - 1) per cent

fitted by maximum likelihood. Pairs share systems, so intervals resample systems, within each test
set. Sets of several language pairs are pooled as pairs of systems, never across sets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from truebleu._results import Result
from truebleu.agreement.agree import Count, as_judgments
from truebleu.agreement.data import agreement_data
from truebleu.corpus._files import Files, decode
from truebleu.corpus.tables import json_in
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics.registry import metrics_for
from truebleu.resampling import Bootstrap, Units
from truebleu.schema import DEFAULT_SEED, Level, Seed, verb
from truebleu.significance.people import COIN, EXPECTED, AgreementCurve, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from truebleu.agreement.agree import HumanLike
    from truebleu.agreement.data import SystemScores
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values

__all__ = ["CurveFit", "fit_curves"]

# Agreements, in per cent, whose differences are told.
AGREEMENTS = (60, 70, 80, 90)
# Where the curve is drawn, and how many parts observed pairs are put into.
POINTS, PARTS = 24, 8
# The grid of the fit: slopes times the median difference, and ceilings in per cent.
SLOPES = np.geomspace(0.02, 50, 61)
CEILINGS = np.linspace(COIN, 100, 51)
# How often the grid around the best place is made finer.
REFINEMENTS = 6
# Replicates whose likelihoods are kept at a time.
BLOCK = 1000
# Chances are kept this far from 0 and 1: one surprising pair must not decide everything.
CLIP = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSystems:
    """A test set's systems, with human and metric scores, all of which are better the higher.

    Attributes:
        name: of the test set or its judgments.
        systems: their names.
        human: one score for each.
        scores: by the metric's label, one for each system.
    """

    name: str
    systems: tuple[str, ...]
    human: tuple[float, ...]
    scores: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A difference, and how often people agree with it.

    Attributes:
        difference: in the metric's points.
        accuracy: in per cent.
        low: where its interval begins; None for what was observed.
        high: where its interval ends.
        pairs: how many are behind an observed share.
    """

    difference: float
    accuracy: float
    low: float | None = None
    high: float | None = None
    pairs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveThreshold:
    """The difference with which people agree so often; None where no difference is enough.

    Attributes:
        accuracy: in per cent.
        difference: in the metric's points.
        low: where its interval begins.
        high: where its interval ends; None where it has no end.
    """

    accuracy: int
    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedCurve:
    """How often people agree with one metric.

    Attributes:
        metric: the metric's label.
        name: the metric's name.
        settings: what its signature must say for the curve to be about it.
        ceiling: per cent that it reaches at large differences.
        slope: how fast.
        pairs: of systems that differ by the metric.
        agreement: the per cent of these with which people agree, ties half.
        largest: the largest difference of a pair.
        thresholds: differences that are needed for some agreements.
        points: the curve, with intervals.
        observed: shares of agreement in parts of the pairs, from small differences to large.
    """

    metric: str
    name: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    ceiling: float
    slope: float
    pairs: int
    agreement: float
    largest: float
    thresholds: tuple[CurveThreshold, ...]
    points: tuple[CurvePoint, ...]
    observed: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CurveFit(Result):
    """Agreement curves of metrics; printed as JSON, the file that ``compare --people`` takes.

    Attributes:
        curves: one for each metric.
        sets: the systems that they were fitted to.
        replicates: of the intervals, which resample systems.
        seed: of the replicates.
        level: of the intervals.
    """

    REPORT: ClassVar[str] = "truebleu.reports.agree:curve_document"

    curves: tuple[FittedCurve, ...]
    sets: tuple[JudgedSystems, ...]
    replicates: int
    seed: int
    level: float


@verb
def fit_curves(
    systems: SystemsLike,
    human: HumanLike,
    metrics: MetricsLike = "bleu",
    *,
    references: ReferencesLike | None = None,
    human_lower_is_better: bool = False,
    system_scores: SystemScores = "all",
    pool: Sequence[str | PathLike[str]] = (),
    replicates: Count = 1000,
    seed: Seed = DEFAULT_SEED,
    level: Level = 0.95,
) -> CurveFit:
    """How often do people agree with a metric, by the size of the difference that it shows?

    >>> outputs = {"a": ["a b c d"], "b": ["a b c"], "c": ["a"]}
    >>> fit = fit_curves(outputs, {"a": [5], "b": [4], "c": [1]}, ["chrf"], references=["a b c d"])
    >>> fit.curves[0].pairs, fit.curves[0].agreement
    (3, 100.0)

    Args:
        systems: a test set, or the outputs of at least two systems by name, with `references`.
        human: what people said, as `agree` takes it.
        metrics: names or objects.
        references: of the outputs; none beside a test set.
        human_lower_is_better: human scores are better the lower they are, and are negated.
        system_scores: whether metrics score systems on "all" segments, or on those "rated".
        pool: files of earlier fits, by the same metrics, whose pairs are counted too.
        replicates: of the intervals.
    """
    test_set = as_test_set(systems, references)
    judgments = as_judgments(human, lower_is_better=human_lower_is_better)
    parsed, test_set = metrics_for(metrics, test_set)
    data = agreement_data(test_set, judgments, parsed, system_scores=system_scores)
    own = JudgedSystems(
        name=judgments.label,
        systems=tuple(data.people.systems),
        human=tuple(map(float, data.people.means)),
        scores={label: tuple(map(float, metric.systems)) for label, metric in data.metrics.items()},
    )
    settings = {
        label: {key: value for key, (value,) in settings_of(metric.metric.signature).items()}
        for label, metric in data.metrics.items()
    }
    sets = (own, *(part for file in pool for part in _read_sets(file, settings)))
    bootstrap = Bootstrap(replicates=replicates, seed=seed)
    curves = []
    for label, metric in data.metrics.items():
        fitted = _fit(label, sets, bootstrap, level)
        curves.append(replace(fitted, name=metric.metric.name, settings=settings[label]))
    return CurveFit(curves=tuple(curves), sets=sets, replicates=replicates, seed=seed, level=level)


class _Pairs(NamedTuple):
    """Pairs of systems: the numbers of both, the difference, and whether people agree."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    difference: Values
    agrees: Values


def _pairs(label: str, sets: Sequence[JudgedSystems]) -> _Pairs:
    rows: list[tuple[int, int, float, float]] = []
    start = 0
    for judged in sets:
        human, scores = judged.human, judged.scores[label]
        for a, b in combinations(range(len(judged.systems)), 2):
            shown, said = scores[a] - scores[b], human[a] - human[b]
            # Without a difference there is nothing to agree with.
            if np.isfinite(shown) and np.isfinite(said) and shown != 0:
                agrees = 0.5 if said == 0 else float((shown > 0) == (said > 0))
                rows.append((start + a, start + b, abs(shown), agrees))
        start += len(judged.systems)
    if not rows:
        raise SettingError("curve", label, "a metric by which some judged systems differ")
    first, second, difference, agrees = np.array(rows).T
    return _Pairs(first.astype(np.int64), second.astype(np.int64), difference, agrees)


def _fit(
    label: str, sets: Sequence[JudgedSystems], bootstrap: Bootstrap, level: float
) -> FittedCurve:
    pairs = _pairs(label, sets)
    middle = float(np.median(pairs.difference))
    slopes = SLOPES / middle
    likelihood = _log_likelihoods(pairs, slopes, CEILINGS)
    slope, ceiling = _refined(pairs, slopes, CEILINGS, likelihood.sum(axis=2))
    drawn = _draw_pairs(pairs, sets, bootstrap)
    cells, of_replicate = np.unique(_best_cells(likelihood, drawn), return_inverse=True)
    curves = [
        _curve(float(slopes[cell // len(CEILINGS)]), float(CEILINGS[cell % len(CEILINGS)]))
        for cell in cells.tolist()
    ]
    best = _curve(slope, ceiling)
    tails = [(1 - level) / 2, (1 + level) / 2]
    places = np.linspace(0, float(pairs.difference.max()), POINTS + 1)[1:]
    accuracies = np.array([curve.accuracy(places) for curve in curves])
    bounds = np.quantile(accuracies[of_replicate], tails, axis=0)
    return FittedCurve(
        metric=label,
        ceiling=ceiling,
        slope=slope,
        pairs=len(pairs.difference),
        agreement=100 * float(pairs.agrees.mean()),
        largest=float(pairs.difference.max()),
        thresholds=tuple(
            _threshold(best, curves, of_replicate, accuracy, tails) for accuracy in AGREEMENTS
        ),
        points=tuple(
            CurvePoint(difference=at, accuracy=value, low=low, high=high)
            for at, value, low, high in zip(
                places.tolist(), best.accuracy(places).tolist(), *bounds.tolist(), strict=True
            )
        ),
        observed=_observed(pairs),
    )


def _best_cells(likelihood: Values, drawn: Values) -> NDArray[np.int64]:
    """The most likely cell of the grid in each replicate that drew any pair.

    In blocks: likelihoods by cell and replicate would take gigabytes, and no Ctrl-C be heard.
    """
    by_pair = likelihood.reshape(-1, likelihood.shape[2])
    blocks = [drawn[start : start + BLOCK] for start in range(0, len(drawn), BLOCK)]
    cells = [(by_pair @ block.T).argmax(axis=0)[block.any(axis=1)] for block in blocks]
    return np.concatenate(cells)


def _curve(slope: float, ceiling: float) -> AgreementCurve:
    return AgreementCurve(metric="", ceiling=ceiling, slope=slope, names=(), start=COIN)


def _log_likelihoods(pairs: _Pairs, slopes: Values, ceilings: Values) -> Values:
    """Of every pair, shaped (slope, ceiling, pair)."""
    rise = np.tanh(slopes[:, None] * pairs.difference / 2)
    chance = 0.5 + (ceilings[None, :, None] - COIN) / 100 * rise[:, None]
    chance = np.clip(chance, CLIP, 1 - CLIP)
    agreed = pairs.agrees * np.log(chance)
    return np.asarray(agreed + (1 - pairs.agrees) * np.log1p(-chance))


def _refined(
    pairs: _Pairs, slopes: Values, ceilings: Values, likelihood: Values
) -> tuple[float, float]:
    """The most likely slope and ceiling, on ever finer grids around the best place."""
    for _ in range(REFINEMENTS):
        place = np.unravel_index(int(likelihood.argmax()), likelihood.shape)
        slopes = np.geomspace(*_neighbours(slopes, int(place[0])), 15)
        ceilings = np.linspace(*_neighbours(ceilings, int(place[1])), 15)
        likelihood = _log_likelihoods(pairs, slopes, ceilings).sum(axis=2)
    place = np.unravel_index(int(likelihood.argmax()), likelihood.shape)
    return float(slopes[place[0]]), float(ceilings[place[1]])


def _neighbours(values: Values, place: int) -> tuple[float, float]:
    return float(values[max(0, place - 1)]), float(values[min(len(values) - 1, place + 1)])


def _draw_pairs(pairs: _Pairs, sets: Sequence[JudgedSystems], bootstrap: Bootstrap) -> Values:
    """How often each pair occurs in replicates that draw systems within each set."""
    ends = np.cumsum([len(judged.systems) for judged in sets]).tolist()
    strata = tuple(zip([0, *ends[:-1]], ends, strict=True))
    units = Units("segment", np.arange(ends[-1]), strata)
    counts = bootstrap.sums(np.eye(ends[-1]), units, 0, bootstrap.replicates)
    return np.asarray(counts[:, pairs.first] * counts[:, pairs.second])


def _threshold(
    best: AgreementCurve,
    curves: Sequence[AgreementCurve],
    of_replicate: NDArray[np.int64],
    accuracy: int,
    tails: list[float],
) -> CurveThreshold:
    differences = [curve.difference(accuracy) for curve in curves]
    needed = np.array([np.inf if at is None else at for at in differences])[of_replicate]
    # The nearest of the replicates: between a difference and none there is nothing.
    low, high = np.quantile(needed, tails, method="inverted_cdf").tolist()
    return CurveThreshold(
        accuracy=accuracy,
        difference=best.difference(accuracy),
        low=low if np.isfinite(low) else None,
        high=high if np.isfinite(high) else None,
    )


def _observed(pairs: _Pairs) -> tuple[CurvePoint, ...]:
    order = np.argsort(pairs.difference, kind="stable")
    parts = np.array_split(order, min(PARTS, max(1, len(order) // 10)))
    return tuple(
        CurvePoint(
            difference=float(pairs.difference[part].mean()),
            accuracy=100 * float(pairs.agrees[part].mean()),
            pairs=len(part),
        )
        for part in parts
    )


def _read_sets(
    path: str | PathLike[str], settings: Mapping[str, Mapping[str, str]]
) -> list[JudgedSystems]:
    """The systems of an earlier fit, by the same metrics with the same settings."""
    name = str(path)
    values = json_in(name, None, decode(name, Files().contents(name)), EXPECTED)
    try:
        fitted = {curve["metric"]: curve["settings"] for curve in values["curves"]}
        for label, wanted in settings.items():
            if fitted[label] != dict(wanted):
                found = f"{label} with {fitted[label]}"
                raise MalformedFileError(name, None, found, f"with {wanted}")
        return [_judged(judged, list(settings)) for judged in values["sets"]]
    except MalformedFileError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        found = f"no fit by {', '.join(settings)} ({type(error).__name__}: {error})"
        raise MalformedFileError(name, None, found, EXPECTED) from error


def _judged(judged: Mapping[str, Any], labels: Sequence[str]) -> JudgedSystems:
    systems = tuple(map(str, judged["systems"]))
    human, *scores = (
        tuple(float("nan") if score is None else float(score) for score in row)
        for row in (judged["human"], *(judged["scores"][label] for label in labels))
    )
    if any(len(row) != len(systems) or np.isinf(row).any() for row in (human, *scores)):
        raise ValueError(f"{judged['name']}: not one score for each system")
    by_label = dict(zip(labels, scores, strict=True))
    return JudgedSystems(name=str(judged["name"]), systems=systems, human=human, scores=by_label)
