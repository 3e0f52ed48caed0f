"""Batch k-best MIRA (Cherry & Foster, 2012), like Moses' kbmira but in double precision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from truebleu import _core
from truebleu.metrics.bleu import BLEU
from truebleu.nbest.problem import Tuner, order
from truebleu.schema import Setting

if TYPE_CHECKING:
    from truebleu.nbest.problem import Problem, Search
    from truebleu.resampling import Indices, Values

__all__ = ["Mira"]

Background = Literal["hope", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One pass: number of updates, mean loss, and objective of the average weights."""

    updates: int
    mean_loss: float
    objective: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MiraRun:
    """The weights and the objective of the best epoch, and a summary of every epoch."""

    weights: Values
    objective: float
    epochs: tuple[Epoch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mira(Tuner):
    """Batch k-best MIRA, for any number of features.

    Attributes:
        step: largest step (C).
        decay: factor of the background statistics after each segment.
        epochs: passes over all segments; the result is the weights of the best one.
        background: candidates added to the background: the "hope" or the "model" candidates.
        safe_hope: True to search hope again if the model's scores outweigh the metric's.
        shuffle: True to visit segments in a random order in each epoch, by seed.
    """

    name: str = field(default="mira", init=False)
    title: ClassVar[str] = "batch k-best MIRA"

    step: Annotated[float, Setting(above=0)] = 0.01
    decay: Annotated[float, Setting(minimum=0, maximum=1)] = 0.999
    epochs: Annotated[int, Setting(minimum=1, maximum=10**6)] = 60
    background: Background = "hope"
    safe_hope: bool = False
    shuffle: bool = True

    @property
    def steps(self) -> int:
        """Number of epochs."""
        return self.epochs

    def weights(self, problem: Problem, search: Search) -> Values:
        """Return the average weights of the best epoch."""
        return self.run(problem, search).weights

    def run(self, problem: Problem, search: Search) -> MiraRun:
        """Run all epochs; return the best epoch's average weights and a summary of every epoch."""
        matrix, first = problem.matrix, problem.counted[0]
        # Row starts, columns and values of sparse features; columns are None if dense.
        starts: Indices = np.zeros(0, dtype=np.int64)
        columns, values = None, matrix
        if problem.is_sparse:
            starts, columns = (np.asarray(p, np.int64) for p in (matrix.indptr, matrix.indices))
            values = matrix.data
        # BLEU chooses the reference length by candidate.
        lengths = np.repeat(problem.lengths, np.diff(problem.offsets))
        if isinstance(first.metric, BLEU):
            lengths = np.ascontiguousarray(first.rows[:, 1])
        learner = _core.Mira(
            search.start.tolist(),
            lower=search.lower.tolist(),
            upper=search.upper.tolist(),
            offsets=problem.offsets.tolist(),
            starts=starts,
            columns=columns,
            values=np.ascontiguousarray(values).ravel(),
            rows=np.ascontiguousarray(problem.rows),
            lengths=lengths,
            largest_step=self.step,
            decay=self.decay,
            model_background=self.background == "model",
            safe_hope=self.safe_hope,
        )
        scorer = problem.scorer(problem.unit)
        segments = len(problem)
        best, best_weights, epochs = -np.inf, search.start, []
        for epoch in range(self.epochs):
            visited = np.arange(segments)
            if self.shuffle:
                visited = order(segments, search.seed, "mira", epoch)
            updates, loss, average, sums = learner.run(visited.tolist(), scorer)
            objective = float(problem.objective(sums))
            epochs.append(Epoch(updates=updates, mean_loss=loss / segments, objective=objective))
            # The first of equally good epochs wins.
            if objective > best:
                best, best_weights = objective, average
            search.step()
        return MiraRun(weights=best_weights, objective=best, epochs=tuple(epochs))
