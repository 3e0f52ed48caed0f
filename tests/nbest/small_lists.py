"""Small random lists with features, for tests of what chooses from them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import truebleu
from truebleu.nbest import NBest
from truebleu.nbest.mert import line_search
from truebleu.nbest.reranking import log_likelihood_loss

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.nbest.problem import Problem
    from truebleu.nbest.reranking import LogLinearFit

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "fast", "."]


def small_lists(
    segments: int = 6, candidates: int = 5, features: int = 2, seed: int = 1, digits: int = 1
) -> tuple[NBest, list[str]]:
    """Lists of different lengths, and a reference for each segment.

    Features have few digits, so that equal values and parallel lines occur.
    """
    random = Random(seed)  # noqa: S311
    sentence = [WORDS[random.randrange(len(WORDS))] for _ in range(9)]
    references, lists = [], []
    values: dict[str, list[list[float]]] = {f"f{i}": [] for i in range(features)}
    for segment in range(segments):
        words = random.sample(sentence, 8)
        references.append(" ".join(words))
        size = 1 if segment == 0 else 2 + random.randrange(candidates - 1)
        outputs = []
        for _ in range(size):
            output = list(words)
            for _ in range(random.randrange(4)):
                output[random.randrange(len(output))] = WORDS[random.randrange(len(WORDS))]
            outputs.append(" ".join(output[: 5 + random.randrange(4)]))
        lists.append(outputs)
        for column in values.values():
            column.append([round(random.uniform(-2, 2), digits) for _ in range(size)])
    return NBest.of(lists, features=values), references


def informative(segments: int = 24, seed: int = 3) -> tuple[NBest, list[str]]:
    """Lists with a feature that says how good a candidate is, noise, and a constant."""
    lists, references = small_lists(segments=segments, seed=seed, features=1)
    quality = [
        [truebleu.CHRF().sentence(text, [reference]).score for text in list_]
        for list_, reference in zip(lists, references, strict=True)
    ]
    noise = [lists.feature("f0")[span].tolist() for span in lists.spans()]
    features = {
        "quality": quality,
        "noise": noise,
        "constant": [[7.0] * size for size in lists.sizes],
    }
    return NBest.of(list(lists), features=features), references


class LineProfile(NamedTuple):
    """The objective along a line: where choices change, its scores between, and the choices."""

    boundaries: NDArray[np.float64]
    scores: NDArray[np.float64]
    first: list[int]
    changes: list[list[int]]


def line_profile(problem: Problem, origin: ArrayLike, direction: ArrayLike) -> LineProfile:
    """The exact profile of the objective on the line ``origin + x * direction``."""
    start, step = (np.asarray(end, dtype=np.float64).tolist() for end in (origin, direction))
    boundaries, sums, first, changes = line_search(problem).profile(start, step)
    moves = [[boundary, segment, candidate] for boundary, segment, candidate in changes]
    return LineProfile(boundaries, problem.objective(sums), list(first), moves)


def violation(problem: Problem, gold: ArrayLike, fitted: LogLinearFit) -> float:
    """By how much an optimality condition of the l1-penalised model is missed at most."""
    weights, gamma = fitted.weights, fitted.gamma
    _, gradient = log_likelihood_loss(problem.matrix, problem.offsets, gold, weights)
    used = np.abs(gradient + gamma * np.sign(weights))
    unused = np.maximum(np.abs(gradient) - gamma, 0)
    return float(np.where(weights != 0, used, unused).max())
