"""Noisy-channel reranking (Yee et al., 2019): fairseq's formula, weights searched exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.nbest.mert import MertSettings, mert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.nbest.lists import NBest
    from truebleu.nbest.problem import Problem

    Progress = Callable[[int], None]

#: The length penalties that are tried: fairseq's bounds.
LENGTH_PENALTIES = tuple(step / 4 for step in range(13))
#: The bounds of all weights but the first, which is 1: fairseq's.
BOUNDS = (0.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyChannel:
    """``(Σ weight · score) / length ** length_penalty``.

    Attributes:
        features: the scores: usually those of the channel, the direct and the language model.
        weights: one for each.
        length_penalty: the power of the number of words; an empty candidate counts as one word.
    """

    features: tuple[str, ...]
    weights: tuple[float, ...]
    length_penalty: float

    def __post_init__(self) -> None:
        if not self.features or len(self.features) != len(self.weights):
            raise SettingError("weights", self.weights, f"one for each of {self.features}")

    def scores(self, nbest: NBest) -> NDArray[np.float64]:
        """The score of each candidate."""
        columns = [nbest.feature(name) for name in self.features]
        total = np.sum([w * f for w, f in zip(self.weights, columns, strict=True)], axis=0)
        return np.asarray(total / word_counts(nbest) ** self.length_penalty)


def word_counts(nbest: NBest) -> NDArray[np.float64]:
    """The number of words of each candidate, between white space; at least 1."""
    return np.array([max(len(text.split()), 1) for text in nbest.texts], dtype=np.float64)


def tune_noisy_channel(
    problem: Problem,
    words: NDArray[np.float64],
    *,
    length_penalties: Sequence[float] = LENGTH_PENALTIES,
    restarts: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> NoisyChannel:
    """The weights and the length penalty that score best.

    For one length penalty the score is linear in the weights, so that every line is searched
    exactly; fairseq tries 1,000 random points instead. The first weight stays 1.

    Args:
        problem: lists whose features are the scores to combine, not scaled.
        words: the number of words of each candidate.
        length_penalties: those to try.
        restarts: of each search.
        seed: of the restarts.
        progress: called after each length penalty.
    """
    count = len(problem.names)
    lower, upper = np.full(count, BOUNDS[0]), np.full(count, BOUNDS[1])
    lower[0] = upper[0] = 1.0
    best, found = (
        -np.inf,
        NoisyChannel(features=problem.names, weights=(1.0,) * count, length_penalty=1.0),
    )
    for penalty in length_penalties:
        part = replace(problem, matrix=problem.matrix / (words**penalty)[:, None])
        settings = MertSettings(restarts=restarts)
        weights = mert(part, np.ones(count), settings, lower=lower, upper=upper, seed=seed)
        value = part.value(weights)
        if value > best:
            best = value
            found = NoisyChannel(
                features=problem.names,
                weights=tuple(float(weight) for weight in weights),
                length_penalty=float(penalty),
            )
        if progress is not None:
            progress(1)
    return found
