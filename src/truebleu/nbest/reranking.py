"""`rerank`: choose from n-best lists by given weights, quality scores or a trained model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from truebleu._results import Result
from truebleu._settings import DEFAULT_SEED, require_replicates, require_seed, require_whole_number
from truebleu.errors import SettingError, UnknownNameError
from truebleu.nbest.expectation import probabilities
from truebleu.nbest.gain import another_metric, measure_gain
from truebleu.nbest.mert import MertSettings, line_profile, mert
from truebleu.nbest.problem import (
    Search,
    first_best,
    make_problem,
    minimize,
    with_text_features,
)
from truebleu.nbest.statistics import as_nbest
from truebleu.nbest.weights import weighted_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import ReferencesLike
    from truebleu.metrics.base import Metric
    from truebleu.nbest.gain import Gain
    from truebleu.nbest.problem import Problem

    Progress = Callable[[int], None]


Model = Literal["weights", "quality", "log-linear", "noisy-channel"]
#: The path of gammas: the largest that keeps a feature, halved so often.
PATH_LENGTH = 8
#: The path ends early after so many gammas that are no better than one before.
PATIENCE = 3
#: So many features may enter at once, of few and of many: it changes the time and no weight.
AT_ONCE, AT_ONCE_OF_MANY, MANY = 10, 2000, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPoint:
    """The log-linear model at one gamma.

    Attributes:
        gamma: the strength of the penalty.
        features: how many have a weight.
        loss: minus the log-likelihood on the segments that it was fitted on.
        held_out: the objective on the others, by which gamma is chosen; None where it was given.
    """

    gamma: float
    features: int
    loss: float
    held_out: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankResult(Result):
    """What was chosen, and how good it is.

    Attributes:
        name: where the lists are from.
        model: how candidates were scored.
        segments: how many lists there are.
        candidates: how many candidates in all.
        weights: of the features; of a trained model those of the training lists.
        length_penalty: of the noisy channel.
        normalize: whether the noisy channel's scores were divided by lengths.
        path: of the log-linear model, by falling gamma.
        gamma: the chosen one.
        selected: the features that have a weight in the log-linear model, in the order of entry.
        trained_on: how many segments the model was trained on; None where weights were given.
        folds: the lists were cut into so many parts, each chosen from by a model of the others;
            None where other lists were trained on.
        indices: the index, from 0, of the candidate chosen from each list.
        texts: the chosen candidates.
        changed: in how many segments it is not the first.
        gains: against the first candidates, by each metric; none without references.
    """

    name: str
    model: Model
    segments: int
    candidates: int
    weights: Mapping[str, float]
    length_penalty: float | None
    normalize: bool
    path: tuple[PathPoint, ...]
    gamma: float | None
    selected: tuple[str, ...]
    trained_on: int | None
    folds: int | None
    indices: tuple[int, ...]
    texts: tuple[str, ...]
    changed: int
    gains: tuple[Gain, ...]

    REPORT: ClassVar[str] = "truebleu.reports.nbest:rerank_document"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trained:
    """A model that scores lists, and what there is to say about it."""

    score: Callable[[NBest], NDArray[np.float64]]
    weights: Mapping[str, float]
    length_penalty: float | None = None
    path: tuple[PathPoint, ...] = ()
    gamma: float | None = None
    selected: tuple[str, ...] = ()


def rerank(
    lists: NBest | Iterable[Iterable[str]],
    references: ReferencesLike | None = None,
    *,
    model: Model = "weights",
    weights: Mapping[str, float] | None = None,
    features: Sequence[str] = (),
    length_penalty: float | None = None,
    normalize: bool = False,
    gamma: float | None = None,
    ngrams: int = 0,
    pairs: bool = False,
    train: NBest | None = None,
    train_references: ReferencesLike | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    folds: int = 5,
    seed: int = DEFAULT_SEED,
    replicates: int = 10_000,
    progress: Progress | None = None,
) -> RerankResult:
    """Choose the candidate of each list that scores best.

    >>> from truebleu.nbest import NBest
    >>> lists = NBest.of([["a", "b"], ["c", "d"]], features={"qe": [[0.2, 0.7], [0.9, 0.1]]})
    >>> rerank(lists, model="quality", features=["qe"]).texts
    ('b', 'c')

    Args:
        lists: the candidates of each segment.
        references: to measure the gain by, and to train by where there are no other lists.
        model: "weights", given ones; "quality", the sum of columns of quality scores, each divided
            by its standard deviation within lists where there are several; "log-linear", trained
            with an l1 penalty; "noisy-channel", fairseq's formula.
        weights: of features, for "weights" and "noisy-channel", which is trained without them.
        features: the columns for "quality" and "noisy-channel"; a leading "-" means that lower is
            better.
        length_penalty: of the noisy channel with given weights.
        normalize: divide the noisy channel's scores by lengths first, as fairseq's
            ``--normalize``: the first by the source's, the second by the candidate's.
        gamma: of the log-linear model; chosen from a path on held-out segments if not given.
        ngrams: the log-linear model also has the candidates' n-grams of up to so many words.
        pairs: it also has pairs of a source word and a candidate's word.
        train: lists to train on; without them, those of `lists` are cut into folds.
        train_references: theirs.
        metrics: the first says which candidates are good to a trained model; the gain is measured
            by all, and by another one.
        folds: how many parts of neighbouring segments.
        seed: of restarts and of the test of the gain.
        replicates: of that test.
        progress: called after each trained model.
    """
    if model not in get_args(Model):
        raise UnknownNameError("model", model, get_args(Model))
    require_seed(seed)
    require_replicates("replicates", replicates)
    require_whole_number("folds", folds, 2, 10**6)
    nbest = as_nbest(lists)
    channel = _Channel(tuple(features), length_penalty, normalize, seed)
    asked = _Asked(model, weights, channel, gamma, (ngrams, pairs), metrics)
    trained, used_folds, trained_on = asked.given(nbest), None, None
    if trained is not None:
        indices = first_best(trained.score(nbest), nbest.offsets)
    elif train is not None:
        trained, trained_on = asked.trained(train, train_references), len(train)
        indices = first_best(trained.score(nbest), nbest.offsets)
    else:
        used_folds, trained_on = min(folds, len(nbest)), len(nbest)
        if used_folds < 2:
            raise SettingError("lists", "one segment", "more, or other lists to train on")
        trained = asked.trained(nbest, references)
        indices = np.zeros(len(nbest), dtype=np.int64)
        everything = np.arange(len(nbest))
        for part in np.array_split(everything, used_folds):
            other = asked.trained(nbest, references, np.setdiff1d(everything, part))
            indices[part] = first_best(other.score(nbest), nbest.offsets)[part]
            if progress is not None:
                progress(1)
    gains: tuple[Gain, ...] = ()
    if references is not None:
        gains = measure_gain(
            nbest,
            references,
            [*metrics, *another_metric(metrics, references)],
            np.zeros(len(nbest), dtype=np.int64),
            [indices],
            seed=seed,
            replicates=replicates,
        )
    return RerankResult(
        name=nbest.name,
        model=model,
        segments=len(nbest),
        candidates=nbest.candidates,
        weights=dict(trained.weights),
        length_penalty=trained.length_penalty,
        normalize=normalize,
        path=trained.path,
        gamma=trained.gamma,
        selected=trained.selected,
        trained_on=trained_on,
        folds=used_folds,
        indices=tuple(indices.tolist()),
        texts=tuple(nbest.choose(indices)),
        changed=int((indices > 0).sum()),
        gains=gains,
    )


@dataclass(frozen=True, slots=True)
class _Channel:
    """What is asked of the noisy channel; other models have no use for most of it."""

    features: tuple[str, ...]
    length_penalty: float | None
    normalize: bool
    seed: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """The model that is asked for, with its settings: the arguments of `rerank`.

    Attributes:
        texts: up to how many words n-grams of the texts have, and whether pairs of words count too.
    """

    model: Model
    weights: Mapping[str, float] | None
    channel: _Channel
    gamma: float | None
    texts: tuple[int, bool]
    metrics: Sequence[str | Metric]

    def __post_init__(self) -> None:
        model, channel = self.model, self.channel
        if any(self.texts) and model != "log-linear":
            raise SettingError("ngrams or pairs", max(self.texts), "model log-linear")
        if channel.normalize and model != "noisy-channel":
            raise SettingError("normalize", channel.normalize, "model noisy-channel")
        if self.gamma is not None and model != "log-linear":
            raise SettingError("gamma", self.gamma, "none: only model log-linear has one")
        if model in ("weights", "log-linear") and channel.features:
            expected = f"none: {model} takes all features"
            raise SettingError("features", list(channel.features), expected)
        given = self.weights is not None
        penalty = channel.length_penalty
        if penalty is not None and (model != "noisy-channel" or not given):
            expected = "the noisy channel with given weights beside it"
            raise SettingError("length penalty", penalty, expected)
        if model == "weights" and not self.weights:
            expected = "a weight for each feature, or a model other than weights"
            raise SettingError("weights", None, expected)
        if self.weights is not None and model in ("quality", "log-linear"):
            trains = "" if model == "quality" else ", which trains them"
            raise SettingError("weights", dict(self.weights), f"none with model {model}{trains}")

    def given(self, nbest: NBest) -> _Trained | None:
        """A model that needs no training; None where it has to be trained."""
        if self.model == "quality":
            return _quality(nbest, self.channel.features)
        weights = self.weights
        if weights is None:
            return None
        if self.model == "weights":
            return _Trained(score=lambda lists: weighted_scores(lists, weights), weights=weights)
        penalty = self.channel.length_penalty
        channel = NoisyChannel(
            features=tuple(weights),
            weights=tuple(weights.values()),
            length_penalty=1.0 if penalty is None else penalty,
            normalize=self.channel.normalize,
        )
        return channel.trained()

    def trained(
        self,
        lists: NBest,
        references: ReferencesLike | None,
        part: NDArray[np.int64] | None = None,
    ) -> _Trained:
        """The model, trained on lists or on some segments of them."""
        train = self._log_linear if self.model == "log-linear" else self._noisy_channel
        return train(lists, references, part)

    def _log_linear(
        self, lists: NBest, references: ReferencesLike | None, part: NDArray[np.int64] | None
    ) -> _Trained:
        ngrams, pairs = self.texts
        known = with_text_features(lists, ngrams=ngrams, pairs=pairs)
        problem = make_problem(known, references, self.metrics[:1])
        trained = _log_linear(problem if part is None else problem.take(part), self.gamma)
        if not any(self.texts):
            return trained

        def score(others: NBest) -> NDArray[np.float64]:
            only = [name for name in trained.weights if name not in _own_features(others)]
            more = with_text_features(others, ngrams=ngrams, pairs=pairs, only=only)
            return trained.score(more)

        return replace(trained, score=score)

    def _noisy_channel(
        self, lists: NBest, references: ReferencesLike | None, part: NDArray[np.int64] | None
    ) -> _Trained:
        names = list(self.channel.features)
        if len(names) < 2:
            raise SettingError("features", names, "two or more scores to combine")
        for name in names:
            lists.feature(name)  # refuses one that is not there
        problem = make_problem(lists, references, self.metrics[:1], scale=False, names=names)
        words = word_counts(lists)
        if self.channel.normalize:
            divisors = np.stack(norms(lists, len(problem.names)), axis=1)
            problem = replace(problem, matrix=problem.matrix / divisors)
        if part is not None:
            spans = [np.arange(*lists.offsets[[s, s + 1]]) for s in part]
            problem, words = problem.take(part), words[np.concatenate(spans)]
        channel = tune_noisy_channel(
            problem, words, seed=self.channel.seed, normalize=self.channel.normalize
        )
        return channel.trained()


def _quality(nbest: NBest, features: Sequence[str]) -> _Trained:
    if not features:
        raise SettingError("features", [], "columns of quality scores")
    weights: dict[str, float] = {}
    for feature in features:
        name = feature if feature in nbest.feature_names else feature.removeprefix("-")
        column = nbest.feature(name)
        means = np.add.reduceat(column, nbest.offsets[:-1]) / nbest.sizes
        deviation = float(np.sqrt(np.square(column - np.repeat(means, nbest.sizes)).mean()))
        scale = 1 / deviation if len(features) > 1 and deviation > 0 else 1.0
        weights[name] = scale if name == feature else -scale
    return _Trained(score=lambda lists: weighted_scores(lists, weights), weights=weights)


def _own_features(lists: NBest) -> set[str]:
    """The names of all features that the lists themselves have."""
    sparse = () if lists.sparse is None else lists.sparse.names
    return {*lists.feature_names, *sparse}


# The l1-penalised log-linear model of Riezler & Maxwell (2005, section 2), fitted by grafting.
#
# The best-matching candidate of each list should be likely: the loss is minus its conditional
# log-likelihood, plus gamma times the sum of absolute weights. Features enter one by one, the one
# with the steepest gradient first, as long as that exceeds gamma; the loss is convex, so the end
# does not depend on the order.


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
    parts = minimize(split, Search.of(first, np.zeros(2 * count)), iterations=500)
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


def _log_linear(problem: Problem, gamma: float | None) -> _Trained:
    """Fit at one gamma, or at that of a path that is best for the last fifth of the segments."""
    path: list[PathPoint] = []
    at_once = AT_ONCE if len(problem.names) <= MANY else AT_ONCE_OF_MANY
    gold = first_best(problem.utilities(), problem.offsets)
    if gamma is None:
        highest = largest_gamma(problem.matrix, problem.offsets, gold)
        if highest == 0:
            return _Trained(score=lambda lists: np.zeros(lists.candidates), weights={}, gamma=0.0)
        segments = len(problem)
        cut = max(1, segments - max(1, segments // 5))
        inner, outer = (
            problem.take(range(cut)),
            problem.take(range(min(cut, segments - 1), segments)),
        )
        start, best, chosen = None, -np.inf, 0
        for step in range(1, PATH_LENGTH + 1):
            candidate = highest * 0.5**step
            # The sum over fewer segments is penalised less.
            fitted = fit_log_linear(
                inner.matrix,
                inner.offsets,
                gold[:cut],
                candidate * cut / segments,
                start=start,
                at_once=at_once,
            )
            start = fitted.weights
            value = outer.value(start)
            path.append(
                PathPoint(
                    gamma=candidate,
                    features=int(np.count_nonzero(start)),
                    loss=fitted.loss,
                    held_out=value,
                )
            )
            if value > best:
                best, gamma, chosen = value, candidate, step
            elif step - chosen >= PATIENCE:
                break
    assert gamma is not None  # noqa: S101  # given, or found on the path
    fitted = fit_log_linear(problem.matrix, problem.offsets, gold, gamma, at_once=at_once)
    if not path:
        used = int(np.count_nonzero(fitted.weights))
        path.append(PathPoint(gamma=gamma, features=used, loss=fitted.loss, held_out=None))
    raw = problem.raw(fitted.weights)
    weights = {problem.names[place]: float(raw[place]) for place in np.flatnonzero(raw)}
    return _Trained(
        score=lambda lists: weighted_scores(lists, weights),
        weights=weights,
        path=tuple(path),
        gamma=gamma,
        selected=tuple(problem.names[f] for f in fitted.order if fitted.weights[f]),
    )


# Noisy-channel reranking (Yee et al., 2019): fairseq's formula, weights searched exactly.


#: The bounds of the length penalty and of all weights but the first, which is 1: fairseq's.
BOUNDS = (0.0, 3.0)
#: Searches start from these length penalties.
STARTS = (0.0, 1.0, 2.0)
#: Weights and length penalty are searched in turns, so often at most.
MOST_TURNS = 20
#: What cannot win whatever the penalty is so far below: its logarithm, and more.
OUT = -1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyChannel:
    """``(Σ weight · score) / length ** length_penalty``.

    Attributes:
        features: the scores: usually those of the channel, the direct and the language model.
        weights: one for each.
        length_penalty: the power of the number of words; an empty candidate counts as one word.
        normalize: divide the first score (the channel's, of the source) by the length of the
            source, the second (of the candidate) by that of the candidate, and all others (the
            language model's) by that of the source, as fairseq's ``--normalize`` does.
    """

    features: tuple[str, ...]
    weights: tuple[float, ...]
    length_penalty: float
    normalize: bool = False

    def __post_init__(self) -> None:
        if not self.features or len(self.features) != len(self.weights):
            raise SettingError("weights", self.weights, f"one for each of {self.features}")

    def scores(self, nbest: NBest) -> NDArray[np.float64]:
        """The score of each candidate."""
        columns = [nbest.feature(name) for name in self.features]
        if self.normalize:
            columns = [
                column / norm
                for column, norm in zip(columns, norms(nbest, len(columns)), strict=True)
            ]
        total = np.sum([w * f for w, f in zip(self.weights, columns, strict=True)], axis=0)
        return np.asarray(total / word_counts(nbest) ** self.length_penalty)

    def trained(self) -> _Trained:
        """As a model that scores lists."""
        weights = dict(zip(self.features, self.weights, strict=True))
        return _Trained(score=self.scores, weights=weights, length_penalty=self.length_penalty)


def word_counts(nbest: NBest) -> NDArray[np.float64]:
    """The number of words of each candidate, between white space; at least 1."""
    return np.array([max(len(text.split()), 1) for text in nbest.texts], dtype=np.float64)


def norms(nbest: NBest, count: int) -> list[NDArray[np.float64]]:
    """What fairseq divides each of so many scores by: the source's or the candidate's length."""
    if nbest.sources is None:
        expected = "the source of each segment in the lists (--source-key)"
        raise SettingError("normalize", nbest.name, expected)
    lengths = [max(len(source.split()), 1) for source in nbest.sources]
    sources = np.repeat(np.array(lengths, dtype=np.float64), nbest.sizes)
    return [word_counts(nbest) if place == 1 else sources for place in range(count)]


def tune_noisy_channel(
    problem: Problem,
    words: NDArray[np.float64],
    *,
    normalize: bool = False,
    restarts: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> NoisyChannel:
    """The weights and the length penalty that score best.

    For one length penalty the score is linear in the weights. For given weights its logarithm is
    linear in the length penalty. So both are searched exactly, in turns; fairseq tries 1,000 random
    points instead. The first weight stays 1.

    Args:
        problem: lists whose features are the scores to combine, not scaled.
        words: the number of words of each candidate.
        normalize: what the result says of it; the features must be normalised already.
        restarts: of each search.
        seed: of the restarts.
        progress: called after each start.
    """
    count = len(problem.names)
    lower, upper = np.full(count, BOUNDS[0]), np.full(count, BOUNDS[1])
    lower[0] = upper[0] = 1.0
    settings = MertSettings(restarts=restarts)
    best, chosen = -np.inf, (np.ones(count), 1.0)
    for start in STARTS:
        weights, penalty, value = np.ones(count), start, -np.inf
        for _ in range(MOST_TURNS):
            part = replace(problem, matrix=problem.matrix / (words**penalty)[:, None])
            weights = mert(part, settings, Search.of(weights, lower, upper, seed=seed))
            after, penalty = best_length_penalty(problem, words, weights, penalty)
            if after <= value + 1e-9:
                break
            value = after
        if value > best:
            best, chosen = value, (weights, penalty)
        if progress is not None:
            progress(1)
    return NoisyChannel(
        features=problem.names,
        weights=tuple(float(weight) for weight in chosen[0]),
        length_penalty=float(chosen[1]),
        normalize=normalize,
    )


def best_length_penalty(
    problem: Problem,
    words: NDArray[np.float64],
    weights: NDArray[np.float64],
    present: float,
) -> tuple[float, float]:
    """The best objective for any length penalty within bounds, and such a penalty.

    Of scores above 0 the highest wins whose log(score) - P·log(words) is highest; of scores below 0
    the one whose P·log(words) - log(-score) is. Any score above 0 beats 0, and 0 all below.
    """
    scores, logs = problem.model_scores(weights), np.log(words)
    top = np.repeat(np.maximum.reduceat(scores, problem.offsets[:-1]), np.diff(problem.offsets))
    signs = np.sign(top)
    same = np.sign(scores) == signs
    with np.errstate(divide="ignore"):
        heights = np.where(signs == 0, 0.0, signs * np.log(np.abs(scores)))
    lines = np.stack([np.where(same, heights, OUT), np.where(same, -signs * logs, 0.0)], axis=1)
    line = replace(problem, matrix=lines, names=("height", "slope"))
    profile = line_profile(line, [1.0, 0.0], [0.0, 1.0])
    ends = np.clip(np.concatenate([[BOUNDS[0]], profile.boundaries, [BOUNDS[1]]]), *BOUNDS)
    inside = np.diff(ends) > 0
    if not inside.any():
        return line.value([1.0, present]), present
    place = int(np.argmax(np.where(inside, profile.scores, -np.inf)))
    # Where the present one is as good as any, it stays.
    here = int(np.searchsorted(profile.boundaries, present, side="right"))
    if profile.scores[here] >= profile.scores[place]:
        return float(profile.scores[here]), present
    return float(profile.scores[place]), float((ends[place] + ends[place + 1]) / 2)
