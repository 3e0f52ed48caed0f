"""Tuners of expected scores, smooth objectives of the candidates' model probabilities.

Candidate k of a list has probability softmax(scale · w·f). The expected sentence score follows Chen
& Cherry (2014, section 3.2); minimum risk is its mean over segments (Smith & Eisner, 2006; Shen et
al., 2016); expected corpus scores are the metric of expected counts (Rosti et al., 2010).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from truebleu.errors import SettingError
from truebleu.metrics.bleu import BLEU
from truebleu.nbest.problem import Tuner, minimize, order
from truebleu.schema import Setting, check_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from truebleu.nbest.problem import Objective, Problem, Search
    from truebleu.resampling import Indices, Values

__all__ = ["ExpectedBleu", "ExpectedCorpusBleu", "MinimumRisk"]

#: Steepness of the smooth brevity penalty at equal lengths of output and reference.
BREVITY_STEEPNESS = 10_000.0


def probabilities(scores: Values, offsets: Indices, scale: float = 1.0) -> Values:
    """Compute the probability of each candidate in its list, the softmax of ``scale * scores``."""
    starts, sizes = offsets[:-1], np.diff(offsets)
    scaled = scale * scores
    scaled = np.exp(scaled - np.repeat(np.maximum.reduceat(scaled, starts), sizes))
    return np.asarray(scaled / np.repeat(np.add.reduceat(scaled, starts), sizes))


def expectation(
    scores: Values, utilities: Values, offsets: Indices, scale: float = 1.0
) -> tuple[Values, Values]:
    """Compute each list's expected utility, and its derivative by each candidate's score."""
    chances = probabilities(scores, offsets, scale)
    expected = np.add.reduceat(chances * utilities, offsets[:-1])
    slopes = scale * chances * (utilities - np.repeat(expected, np.diff(offsets)))
    return expected, slopes


def expected_sentence_loss(
    problem: Problem,
    weights: ArrayLike,
    *,
    utilities: Values | None = None,
    l2: float = 10.0,
    scale: float = 1.0,
    lengths: ArrayLike | None = None,
) -> tuple[float, Values]:
    """Compute Chen & Cherry's loss, ``l2 |w|² − Σ length · E[score]``, with its gradient.

    Args:
        problem: the lists.
        weights: weights of the problem's features.
        utilities: each candidate's score, with 1 for a perfect one. Default: by the objective.
        l2: strength of the penalty.
        scale: factor of the model's scores.
        lengths: weight of each segment. Default: the length of its references.
    """
    w = np.asarray(weights, dtype=np.float64)
    scores = problem.utilities() if utilities is None else utilities
    factors = problem.lengths if lengths is None else np.asarray(lengths, dtype=np.float64)
    expected, slopes = expectation(problem.model_scores(w), scores, problem.offsets, scale)
    slopes = slopes * np.repeat(factors, np.diff(problem.offsets))
    loss = l2 * float(w @ w) - float(factors @ expected)
    return loss, np.asarray(2 * l2 * w - problem.matrix.T @ slopes)


def expected_corpus_loss(
    problem: Problem,
    weights: ArrayLike,
    *,
    l2: float = 0.0,
    scale: float = 1.0,
    steepness: float | None = BREVITY_STEEPNESS,
) -> tuple[float, Values]:
    """Compute ``l2 |w|²`` minus the objective of the expected counts, with its gradient.

    Args:
        problem: the lists.
        weights: weights of the problem's features.
        l2: strength of the penalty.
        scale: factor of the model's scores.
        steepness: steepness of BLEU's smooth brevity penalty; None for the exact one with its kink.
    """
    w = np.asarray(weights, dtype=np.float64)
    rows = problem.rows
    chances = probabilities(problem.model_scores(w), problem.offsets, scale)
    value, gradient = corpus_score(problem, chances @ rows, steepness)
    # A row's utility is its first-order contribution to the score, by the chain rule.
    _, slopes = expectation(problem.model_scores(w), rows @ gradient, problem.offsets, scale)
    loss = l2 * float(w @ w) - value
    return loss, np.asarray(2 * l2 * w - problem.matrix.T @ slopes)


def corpus_score(
    problem: Problem, sums: Values, steepness: float | None = BREVITY_STEEPNESS
) -> tuple[float, Values]:
    """Compute the objective of summed rows, 1 if perfect, and its derivative by each column."""
    start, value, gradients = 0, 0.0, []
    for counted in problem.counted:
        end = start + counted.rows.shape[1]
        part = np.ascontiguousarray(sums[start:end])
        if steepness is not None and isinstance(counted.metric, BLEU):
            score, gradient = _smooth_bleu(part, steepness)
        else:
            score = float(counted.metric.score(part)) / problem.unit
            gradient = counted.metric.gradient(part) / problem.unit
        value += counted.metric.sign * score
        gradients.append(counted.metric.sign * gradient)
        start = end
    return value / len(problem.counted), np.concatenate(gradients) / len(problem.counted)


def _smooth_bleu(sums: Values, steepness: float) -> tuple[float, Values]:
    """Compute BLEU with a smooth brevity penalty (Rosti et al., 2010), and its gradient."""
    orders = (len(sums) - 2) // 2
    matches, totals = sums[2 : 2 + orders], sums[2 + orders :]
    gradient = np.zeros(len(sums))
    if (matches <= 0).any():
        return 0.0, gradient
    length, reference = sums[0], sums[1]
    x = 1 - reference / length
    # (eˣ − 1) / (eᶜˣ + 1) + 1; the fraction is 0 if the exponential would overflow.
    steep = steepness * x
    if steep > 350:
        penalty, slope = 1.0, 0.0
    else:
        below = np.exp(steep) + 1
        penalty = np.expm1(x) / below + 1
        slope = np.exp(x) / below - np.expm1(x) * steepness * np.exp(steep) / below**2
    score = float(np.exp(np.mean(np.log(matches / totals))) * penalty)
    gradient[2 : 2 + orders] = score / orders / matches
    gradient[2 + orders :] = -score / orders / totals
    gradient[0] = score / penalty * slope * reference / length**2
    gradient[1] = -score / penalty * slope / length
    return score, gradient


#: Limit on steps and penalties, so that weights do not overflow.
LARGEST = 1e12
#: Chen & Cherry's λ = 10 divided by the 1,506 segments that they tuned on.
PENALTY = 0.00664


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedBleu(Tuner):
    """Expected sentence scores by stochastic gradient descent (Chen & Cherry, 2014).

    Attributes:
        l2: strength of the penalty per segment: the paper's λ divided by the number of segments, so
            that the default suits lists of any size.
        epochs: passes over all segments, in an order by seed; the result is the weights of the
            epoch with the lowest loss.
        step: step size of AdaGrad, which divides it by the root of the sum of squared gradients;
            the paper does not give its own.
    """

    name: str = field(default="expected-bleu", init=False)
    title: ClassVar[str] = "expected sentence scores by stochastic gradient descent"

    l2: Annotated[float, Setting(minimum=0, maximum=LARGEST)] = PENALTY
    epochs: Annotated[int, Setting(minimum=1, maximum=10**6)] = 30
    step: Annotated[float, Setting(above=0, maximum=LARGEST)] = 0.5

    @property
    def steps(self) -> int:
        """Number of epochs."""
        return self.epochs

    def weights(self, problem: Problem, search: Search) -> Values:
        """Run stochastic gradient descent; return the weights of the epoch with the lowest loss."""
        l2, utilities = self.l2 * len(problem), problem.utilities()

        def loss(w: Values) -> float:
            return expected_sentence_loss(problem, w, utilities=utilities, l2=l2)[0]

        found = min(self._descend(problem, search, utilities), key=loss)
        nothing = np.clip(np.zeros(len(found)), search.lower, search.upper)
        # Weights far from 0 that fail on new lists have no gradient that leads back.
        if loss(nothing) < loss(found):
            again = replace(search, start=nothing, progress=None)
            found = min(self._descend(problem, again, utilities), key=loss)
        return found

    def _descend(self, problem: Problem, search: Search, utilities: Values) -> Iterator[Values]:
        """Yield the weights at the start and after each epoch."""
        weights = search.start
        segments, total = len(problem), float(problem.lengths.sum())
        spans = list(zip(problem.offsets[:-1].tolist(), problem.offsets[1:].tolist(), strict=True))
        squares = np.full(len(weights), 1e-12)
        yield weights
        for epoch in range(self.epochs):
            for segment in order(segments, search.seed, "expected bleu", epoch).tolist():
                begin, end = spans[segment]
                features, in_list = problem.matrix[begin:end], utilities[begin:end]
                scores = np.asarray(features @ weights)
                chances = np.exp(scores - scores.max())
                chances /= chances.sum()
                slopes = chances * (in_list - chances @ in_list)
                # Divide by the mean length, so that steps are comparable between sets.
                factor = float(problem.lengths[segment]) * segments / total
                penalty = 2 * self.l2 * segments / total * weights
                gradient = penalty - factor * np.asarray(features.T @ slopes)
                squares += gradient * gradient
                weights = weights - self.step * gradient / np.sqrt(squares)
                weights = np.clip(weights, search.lower, search.upper)
            yield weights
            search.step()


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumRisk(Tuner):
    """Minimum risk: the lowest mean expected loss, by L-BFGS (Smith & Eisner, 2006).

    Attributes:
        scales: factors of the model's scores in successive searches, each starting from the last
            result: the larger the factor, the closer the expectation is to the score of the
            best candidates. The result is the weights whose choices score best.
        l2: strength of the penalty on squared weights, added to a mean over segments.
    """

    name: str = field(default="risk", init=False)
    title: ClassVar[str] = "minimum risk by L-BFGS"
    is_random: ClassVar[bool] = False

    scales: Annotated[tuple[float, ...], Setting(above=0)] = field(
        default=(0.5, 2.0, 8.0, 32.0), metadata={"text": False}
    )
    l2: Annotated[float, Setting(minimum=0)] = 1e-4

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.scales:
            raise SettingError("scales", self.scales, "numbers above 0")

    def weights(self, problem: Problem, search: Search) -> Values:
        """Search at each scale in turn; return the weights whose choices score best."""
        weights = search.start
        best, best_weights = problem.value(weights), weights
        for scale in self.scales:
            objective = self.objective(problem, scale)
            weights = minimize(objective, replace(search, start=weights), iterations=200)
            value = problem.value(weights)
            if value > best:
                best, best_weights = value, weights
        return best_weights

    def objective(self, problem: Problem, scale: float) -> Objective:
        """Return the loss at one scale."""
        utilities, equal = problem.utilities(), np.full(len(problem), 1 / len(problem))
        return lambda w: expected_sentence_loss(
            problem, w, utilities=utilities, l2=self.l2, scale=scale, lengths=equal
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCorpusBleu(MinimumRisk):
    """The score of expected counts, by L-BFGS (Rosti et al., 2010).

    Attributes:
        scales: factors of the model's scores, see `MinimumRisk`.
        l2: strength of the penalty, see `MinimumRisk`.
    """

    name: str = field(default="expected-corpus-bleu", init=False)
    title: ClassVar[str] = "the score of expected counts by L-BFGS"

    def objective(self, problem: Problem, scale: float) -> Objective:
        """Return the loss at one scale."""
        return lambda w: expected_corpus_loss(problem, w, l2=self.l2, scale=scale)
