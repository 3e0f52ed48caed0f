"""Noisy-channel reranking (Yee et al., 2019): fairseq's formula, weights searched exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.nbest.mert import MertSettings, line_profile, mert

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.nbest.problem import Problem

    Progress = Callable[[int], None]

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
    best, found = -np.inf, (np.ones(count), 1.0)
    for start in STARTS:
        weights, penalty, value = np.ones(count), start, -np.inf
        for _ in range(MOST_TURNS):
            part = replace(problem, matrix=problem.matrix / (words**penalty)[:, None])
            weights = mert(part, weights, settings, lower=lower, upper=upper, seed=seed)
            after, penalty = best_length_penalty(problem, words, weights, penalty)
            if after <= value + 1e-9:
                break
            value = after
        if value > best:
            best, found = value, (weights, penalty)
        if progress is not None:
            progress(1)
    return NoisyChannel(
        features=problem.names,
        weights=tuple(float(weight) for weight in found[0]),
        length_penalty=float(found[1]),
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
