"""Choices from n-best lists by given weights, quality scores or a trained model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypedDict

import numpy as np

from truebleu._results import Result
from truebleu.corpus.nbest import NBest
from truebleu.corpus.nbest_files import as_nbest
from truebleu.errors import SettingError
from truebleu.nbest.choices import TestReplicates, measure_gain, weighted_scores
from truebleu.nbest.expectation import probabilities
from truebleu.nbest.problem import (
    Search,
    drop_duplicates,
    first_argmax,
    list_metrics,
    make_problem,
    minimize,
    with_ngrams,
    within_list_sd,
)
from truebleu.schema import Column, Seed, Setting, require_type, takes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.choices import Gain
    from truebleu.nbest.problem import Problem
    from truebleu.resampling import Indices, Values

__all__ = ["RerankResult", "rerank"]

#: Source of the candidates' scores.
Model = Literal["weights", "quality", "log-linear"]
#: Number of gammas in the path: the largest gamma that keeps a feature, halved repeatedly.
PATH_LENGTH = 8
#: Number of gammas without improvement after which the path ends early.
PATIENCE = 3
#: Features that enter together, of few and of many; their number changes the time but no weight.
AT_ONCE, AT_ONCE_OF_MANY, MANY = 10, 2000, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPoint:
    """The log-linear model at one gamma.

    Attributes:
        gamma: strength of the penalty.
        features: number of features with a weight.
        loss: negative log-likelihood on the training segments.
        held_out: objective on held-out segments, by which gamma is chosen; None if gamma was given.
    """

    gamma: Annotated[float, Column(heading="Gamma", digits=4)]
    features: Annotated[int, Column(heading="Features")]
    loss: Annotated[float, Column(heading="Loss", digits=2)]
    held_out: Annotated[float | None, Column(heading="Held-out score", digits=2)] = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RerankResult(Result):
    """The chosen candidates, the model, and the gain.

    Attributes:
        name: source of the lists.
        model: source of the candidates' scores: given weights, quality scores or a trained model.
        segments: number of lists.
        candidates: number of candidates of all lists.
        weights: weights of the features; of a trained model, by all training lists.
        path: fits of the trained model, by descending gamma.
        gamma: chosen gamma of the trained model, or None.
        selected: features with a weight in the trained model, in the order of entry.
        trained_on: number of training segments; None without a trained model.
        copies: number of duplicates that were dropped from the training lists.
        folds: number of parts of the lists; the candidates of each part are chosen by a model that
            was trained on the other parts. None without a trained model or with training lists.
        indices: index, from 0, of the candidate chosen from each list.
        texts: chosen candidates.
        changed: number of segments in which the chosen candidate is not the first.
        gains: gains over the first candidates, by each metric; empty without references.
    """

    name: str
    model: Model
    segments: int
    candidates: int
    weights: Mapping[str, float]
    path: tuple[PathPoint, ...]
    gamma: float | None
    selected: tuple[str, ...]
    trained_on: int | None
    copies: int
    folds: int | None
    indices: tuple[int, ...]
    texts: tuple[str, ...]
    changed: int
    gains: tuple[Gain, ...]

    REPORT: ClassVar[str] = "truebleu.reports.nbest:rerank_document"


class RerankOptions(TypedDict, total=False):
    """Options of `rerank`.

    Attributes:
        quality: columns of quality scores to choose by their sum; several are divided by their
            standard deviation within lists. A leading "-" means that lower is better.
        gamma: strength of the trained model's penalty. Default: chosen from a path on held-out
            segments.
        ngrams: longest n-grams of the candidates, in words, that the trained model also has as
            features.
        folds: number of parts of neighbouring segments.
    """

    quality: Annotated[Sequence[str], Setting(group="Metrics", metavar="NAME", default=())]
    gamma: Annotated[float | None, Setting(above=0, rare=True)]
    ngrams: Annotated[int, Setting(minimum=0, maximum=10, group="Metrics", metavar="N", default=0)]
    folds: Annotated[int, Setting(minimum=2, maximum=10**6, rare=True, default=5)]
    seed: Seed
    replicates: TestReplicates


@takes(RerankOptions)
def rerank(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    metrics: str | Sequence[str | Metric] = ("bleu",),
    *,
    weights: Mapping[str, float] | None = None,
    train_lists: NBest | None = None,
    train_references: ReferencesLike | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Unpack[RerankOptions],
) -> RerankResult:
    """Choose the best-scoring candidate of each list.

    Candidates are scored by given weights of their features, or by columns of quality scores;
    without either, by a log-linear model with an l1 penalty, which is trained first. Duplicates and
    all but the first of several equally good best candidates are left out of training.

    >>> from truebleu.nbest import NBest
    >>> lists = NBest.of([["a", "b"], ["c", "d"]], features={"qe": [[0.2, 0.7], [0.9, 0.1]]})
    >>> rerank(lists, quality=["qe"]).texts
    ('b', 'c')

    Args:
        lists: the candidates of each segment.
        references: references to measure the gain, and to train without `train_lists`.
        metrics: metrics of the gain, to which one is added; the first is the training objective.
        weights: weights of features to choose by.
        train_lists: lists to train on. Default: cross-validation on folds of `lists`.
        train_references: references of the training lists.
        progress: callback, called with 1 after each fold.
    """
    nbest, goals = as_nbest(lists), list_metrics(metrics)
    quality, gamma, ngrams = options["quality"], options["gamma"], options["ngrams"]
    require_type("weights", weights, Mapping | None, "weights by the names of features")
    require_type("train_lists", train_lists, NBest | None, "lists, an NBest")
    used_folds, trained_on, copies = None, None, 0
    model: Model = "weights" if weights is not None else "quality" if quality else "log-linear"
    if model == "log-linear":
        texts = references if train_lists is None else train_references
        training = drop_duplicates(train_lists or nbest)
        trained_on, copies = len(training), (train_lists or nbest).candidates - training.candidates
        problem = make_problem(with_ngrams(training, orders=ngrams), texts, goals[:1])
        fit = partial(_log_linear, gamma=gamma, ngrams=ngrams)
        trained = fit(problem)
    else:
        for name, value in {"gamma": gamma, "ngrams": ngrams}.items():
            if value:
                raise SettingError(name, value, f"no value with {model}, as no model is trained")
        if weights is not None and quality:
            raise SettingError("quality", list(quality), "no quality columns with weights")
        trained = _Model(weights=_weight_columns(nbest, quality) if weights is None else weights)
        if not trained.weights:
            raise SettingError("weights", {}, "a weight for each feature")
    indices = first_argmax(trained.score(nbest), nbest.offsets)
    if trained_on is not None and train_lists is None:
        used_folds = min(options["folds"], len(nbest))
        if used_folds < 2:
            raise SettingError("lists", "one segment", "at least two, or lists to train on")
        everything = np.arange(len(nbest))
        for part in np.array_split(everything, used_folds):
            other = fit(problem.take(np.setdiff1d(everything, part)))
            indices[part] = first_argmax(other.score(nbest), nbest.offsets)[part]
            if progress is not None:
                progress(1)
    gains: tuple[Gain, ...] = ()
    if references is not None:
        first = np.zeros(len(nbest), dtype=np.int64)
        test = {"seed": options["seed"], "replicates": options["replicates"]}
        gains = measure_gain(nbest, references, goals, first, [indices], **test)
    return RerankResult(
        name=nbest.name,
        model=model,
        segments=len(nbest),
        candidates=nbest.candidates,
        weights=dict(trained.weights),
        path=trained.path,
        gamma=trained.gamma,
        selected=trained.selected,
        trained_on=trained_on,
        copies=copies,
        folds=used_folds,
        indices=tuple(indices.tolist()),
        texts=tuple(nbest.choose(indices)),
        changed=int((indices > 0).sum()),
        gains=gains,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """Weights of features, and the path by which a log-linear model was trained.

    Attributes:
        weights: weights by the names of features.
        ngrams: longest n-grams among the features, in words.
        path: fits of the trained model, by descending gamma.
        gamma: chosen gamma, or None.
        selected: features with a weight, in the order of entry.
    """

    weights: Mapping[str, float]
    ngrams: int = 0
    path: tuple[PathPoint, ...] = ()
    gamma: float | None = None
    selected: tuple[str, ...] = ()

    def score(self, lists: NBest) -> Values:
        """Compute the weighted sum of each candidate's features."""
        known = {*lists.feature_names, *(() if lists.sparse is None else lists.sparse.names)}
        ngrams = [name for name in self.weights if name not in known]
        return weighted_scores(with_ngrams(lists, orders=self.ngrams, only=ngrams), self.weights)


def _weight_columns(nbest: NBest, columns: Sequence[str]) -> dict[str, float]:
    """Weight columns by 1 / their standard deviation within lists; a single column has weight 1."""
    weights = {}
    for column in columns:
        name = column if column in nbest.feature_names else column.removeprefix("-")
        deviation = float(within_list_sd(nbest.feature(name)[:, None], nbest.offsets)[0])
        scale = 1 / deviation if len(columns) > 1 and deviation > 0 else 1.0
        weights[name] = scale if name == column else -scale
    return weights


# The l1-penalised log-linear model of Riezler & Maxwell (2005, section 2), fitted by grafting.
#
# The loss is the negative conditional log-likelihood of each list's best-matching candidate, plus
# gamma times the sum of absolute weights. Features enter one by one, with the steepest gradient
# first, while it exceeds gamma; the loss is convex, so the result does not depend on the order.


#: Tolerance of the optimality conditions, as a share of gamma.
TOLERANCE = 1e-9
#: Limit on sparse features in a dense matrix, which Newton steps need.
MOST_DENSE = 300
#: Newton steps after each entry of a feature.
MOST_STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogLinearFit:
    """The optimum for one gamma.

    Attributes:
        gamma: strength of the penalty.
        weights: weights of the features.
        loss: negative log-likelihood of the best-matching candidates.
        order: features in the order of entry; some may have a weight of 0 again.
    """

    gamma: float
    weights: Values
    loss: float
    order: tuple[int, ...]


def log_likelihood_loss(
    matrix: Any, offsets: Indices, gold: ArrayLike, weights: Values
) -> tuple[float, Values]:
    """Compute the negative log-likelihood of the lists' gold candidates, and its gradient.

    Args:
        matrix: features, shaped (candidate, feature).
        offsets: index of each list's first candidate, and the number of candidates.
        gold: index in its list of each gold candidate.
        weights: weights of the features.
    """
    scores = np.asarray(matrix @ weights)
    rows = offsets[:-1] + np.asarray(gold)
    chances = probabilities(scores, offsets)
    loss = -np.log(np.maximum(chances[rows], 1e-300)).sum()
    residual = chances.copy()
    residual[rows] -= 1.0
    return float(loss), np.asarray(matrix.T @ residual)


def largest_gamma(matrix: Any, offsets: Indices, gold: ArrayLike) -> float:
    """Return the smallest gamma at which all weights are 0."""
    _, gradient = log_likelihood_loss(matrix, offsets, gold, np.zeros(matrix.shape[1]))
    return float(np.abs(gradient).max(initial=0.0))


def fit_log_linear(
    matrix: Any,
    offsets: Indices,
    gold: ArrayLike,
    gamma: float,
    *,
    start: Values | None = None,
    at_once: int = 1,
) -> LogLinearFit:
    """Fit the weights with the lowest penalised loss.

    Args:
        matrix: features, shaped (candidate, feature).
        offsets: index of each list's first candidate, and the number of candidates.
        gold: index in its list of each gold candidate.
        gamma: strength of the penalty, above 0.
        start: weights of a nearby optimum, to save time.
        at_once: number of features that enter together, which saves time and changes no weight.
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
        # A stable sort, so that the first of equally steep features enters.
        steepest = np.argsort(-steepness, kind="stable")[:at_once]
        entering = [int(f) for f in steepest if steepness[f] > gamma * (1 + TOLERANCE)]
        if not entering:
            break
        active += entering
        order += [feature for feature in entering if feature not in order]
        columns = _columns(matrix, active)
        weights[active] = _solve(columns, offsets, gold, gamma, weights[active])
        # A feature whose weight is 0 again may enter again.
        active = [feature for feature in active if weights[feature]]
    loss, _ = log_likelihood_loss(matrix, offsets, gold, weights)
    return LogLinearFit(gamma=gamma, weights=weights, loss=loss, order=tuple(order))


def _columns(matrix: Any, active: list[int]) -> Any:
    """Return the active features, as a sparse array if they are many and sparse."""
    chosen = matrix[:, active]
    if isinstance(chosen, np.ndarray) or len(active) > MOST_DENSE:
        return chosen
    return np.asarray(chosen.toarray())


def _solve(columns: Any, offsets: Indices, gold: ArrayLike, gamma: float, start: Values) -> Values:
    """Optimise a few features by L-BFGS on positive and negative parts, then Newton steps."""
    count = columns.shape[1]

    def split(parts: Values) -> tuple[float, Values]:
        loss, slope = log_likelihood_loss(columns, offsets, gold, parts[:count] - parts[count:])
        return loss + gamma * float(parts.sum()), np.concatenate([slope + gamma, gamma - slope])

    first = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])
    parts = minimize(split, Search.of(first, np.zeros(2 * count)), iterations=500)
    weights = np.asarray(parts[:count] - parts[count:])
    weights[np.abs(weights) < 1e-9] = 0.0
    if not isinstance(columns, np.ndarray):
        return weights
    return _polish(columns, offsets, gold, gamma, weights)


def _polish(
    columns: Values, offsets: Indices, gold: ArrayLike, gamma: float, weights: Values
) -> Values:
    """Return the weights after Newton steps in the nonzero ones, which change no sign."""
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
            trial = weights[used] + length * step
            trial[trial * signs < 0] = 0.0
            after = log_likelihood_loss(part, offsets, gold, trial)[0] + gamma * np.abs(trial).sum()
            if after <= before:
                break
            length /= 2
        else:
            break
        weights = weights.copy()
        weights[used] = trial
    return weights


def _log_linear(problem: Problem, gamma: float | None, ngrams: int) -> _Model:
    """Fit at `gamma`, or at the best gamma of a path by the last fifth of the segments."""
    path: list[PathPoint] = []
    at_once = AT_ONCE if len(problem.names) <= MANY else AT_ONCE_OF_MANY
    whole = problem
    # Equally good best candidates must not compete with each other.
    problem, gold = whole.without_ties()
    if gamma is None:
        highest = largest_gamma(problem.matrix, problem.offsets, gold)
        if highest == 0:
            return _Model(weights={}, gamma=0.0)
        segments = len(problem)
        cut = max(1, segments - max(1, segments // 5))
        inner = problem.take(range(cut))
        outer = whole.take(range(min(cut, segments - 1), segments))
        start, best, chosen = None, -np.inf, 0
        for step in range(1, PATH_LENGTH + 1):
            trial_gamma = highest * 0.5**step
            # The penalty is proportional to the number of segments in the loss.
            fitted = fit_log_linear(
                inner.matrix,
                inner.offsets,
                gold[:cut],
                trial_gamma * cut / segments,
                start=start,
                at_once=at_once,
            )
            start = fitted.weights
            value = outer.value(start)
            features = int(np.count_nonzero(start))
            path.append(
                PathPoint(gamma=trial_gamma, features=features, loss=fitted.loss, held_out=value)
            )
            if value > best:
                best, gamma, chosen = value, trial_gamma, step
            elif step - chosen >= PATIENCE:
                break
    assert gamma is not None  # noqa: S101  # given, or chosen on the path
    fitted = fit_log_linear(problem.matrix, problem.offsets, gold, gamma, at_once=at_once)
    raw = problem.raw(fitted.weights)
    weights = {problem.names[index]: float(raw[index]) for index in np.flatnonzero(raw)}
    if not path:
        features = int(np.count_nonzero(fitted.weights))
        path.append(PathPoint(gamma=gamma, features=features, loss=fitted.loss))
    return _Model(
        weights=weights,
        ngrams=ngrams,
        path=tuple(path),
        gamma=gamma,
        selected=tuple(problem.names[f] for f in fitted.order if fitted.weights[f]),
    )
