"""Systems of which several outputs are known, one for each optimizer run.

An optimizer started twice ends with two systems, and their scores may differ by as much as those of
two methods. Clark et al. (2011, "Better hypothesis testing for statistical machine translation")
advise to run it at least three times and to report three things: the average, the standard
deviation over runs, and a test that has seen all runs. MultEval does that, and so does `compare`
with `runs`.

Swaps can take two things by a fair coin under the null hypothesis:

"together": all runs of a unit, so that it does not matter how alike they are; the difference is
that of the averages. It assumes that the two systems' sets of runs are exchangeable.

"separately": each unit of the test set in each run by itself, all runs of a system pooled into one
corpus whose counts are added up. That is MultEval's stratified approximate randomization, except
that what one system gets the other gives, also with three or more runs, where MultEval lets an
output be in both or in neither. It assumes that, were the systems equal, all outputs of a unit
would be exchangeable: two runs of one system no more alike than runs of two systems. Where they are
more alike, coins of their own make the difference look surer than it is, and p is too small.

Neither knows how other runs would have turned out: the runs at hand are all there are. A run that
is lucky in every segment is good luck that no coin undoes, so a difference that is significant but
no larger than the deviation over runs calls for more runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu._core import Statistics
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.base import Metric, Score
from truebleu.resampling.replicates import on_exact_grid
from truebleu.significance.statistics import MetricStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus import TestSet
    from truebleu.metrics.base import Signature
    from truebleu.significance._checks import Values
    from truebleu.significance.compare import PairResult, SystemResult

__all__ = ["RunScores", "group_runs"]

WILDCARDS = ("{system}", "{run}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """The runs of one system by one metric.

    Attributes:
        scores: the score of each run, in the order of the runs.
        sd_of_runs: their standard deviation (with n - 1); None for one run.
        sd_of_segments: the standard deviation of bootstrap scores, mean over the runs.
        best: the output with the best score; None for a metric without direction.
        median: the output in the middle, the higher of two.
        pooled_score: of all runs as one corpus, as swaps of separate runs have it.
    """

    scores: tuple[float, ...]
    sd_of_runs: float | None
    sd_of_segments: float
    best: str | None
    median: str
    pooled_score: float


@dataclass(frozen=True, slots=True)
class RunAverage(Metric):
    """The mean of the scores of a system's runs.

    The outputs of a test set are the runs, one system after the other. A row has the counts of
    all runs of a system side by side, so resampling takes them together.
    """

    metric: Metric
    runs: int

    @property
    def name(self) -> str:
        """The name of the metric that is averaged."""
        return self.metric.name

    @property
    def higher_is_better(self) -> bool | None:
        """As of the metric that is averaged."""
        return self.metric.higher_is_better

    @property
    def digits(self) -> int:
        """As of the metric that is averaged."""
        return self.metric.digits

    @property
    def signature(self) -> Signature:
        """That of the metric that is averaged: the runs' scores have the same one."""
        return self.metric.signature

    def count(self, test_set: TestSet) -> Statistics:
        """The counts of each system's runs side by side."""
        return Statistics(self.by_system(self.metric.count(test_set).array()))

    def by_system(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts shaped (unit, output, column) with those of each system's runs side by side."""
        return np.ascontiguousarray(rows.reshape(len(rows), rows.shape[1] // self.runs, -1))

    def by_run(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Counts of runs side by side taken apart: the last axis becomes (run, column)."""
        return rows.reshape(*rows.shape[:-1], self.runs, -1)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """The mean of the runs' scores, over any leading axes."""
        rows = np.asarray(sums, dtype=np.float64)
        return np.asarray(self.metric.score(self.by_run(rows)).mean(axis=-1))

    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """The average of one row of sums."""
        signature = self.signature.with_references(references)
        return Score(score=float(self.score(sums)), signature=signature)


class RunResults:
    """What the runs of all systems add to a comparison of their averages.

    Attributes:
        averages: by metric, statistics whose scores are the averages over runs.
        pooled: by metric, statistics of all runs of a system as one corpus.
    """

    def __init__(
        self,
        runs: Mapping[str, tuple[str, ...]],
        outputs: Sequence[MetricStatistics],
        scores: Sequence[Values],
    ) -> None:
        """Take the outputs' statistics, and their scores on the bootstrap's replicates."""
        self._runs = runs
        self._count = len(next(iter(runs.values())))
        self._outputs = outputs
        self._sd_of_segments = [
            self._by_run(drawn).std(axis=0, ddof=1).mean(axis=1).tolist() for drawn in scores
        ]
        self.averages = [_average(statistics, self._count) for statistics in outputs]
        self.pooled = [_pool(statistics, self._count) for statistics in outputs]

    def _by_run(self, scores: Values) -> Values:
        return scores.reshape(len(scores), len(self._runs), -1)

    def mean_scores(self, scores: Sequence[Values]) -> list[Values]:
        """By metric the means over runs, shaped (replicate, system), of scores of all outputs."""
        return [self._by_run(drawn).mean(axis=2) for drawn in scores]

    def with_run_scores(self, metric: int, results: Sequence[SystemResult]) -> list[SystemResult]:
        """The results of all systems by one metric, with the scores of their runs."""
        outputs = self._outputs[metric]
        by_system = zip(
            self._runs.values(),
            results,
            outputs.scores.reshape(len(self._runs), -1).tolist(),
            self._sd_of_segments[metric],
            self.pooled[metric].scores.tolist(),
            strict=True,
        )
        with_runs = []
        for names, result, scores, sd_of_segments, pooled_score in by_system:
            ascending = [name for _, name in sorted(zip(scores, names, strict=True))]
            run_scores = RunScores(
                scores=tuple(scores),
                sd_of_runs=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                sd_of_segments=sd_of_segments,
                best=_best(ascending, higher_is_better=outputs.metric.higher_is_better),
                median=ascending[len(ascending) // 2],
                pooled_score=pooled_score,
            )
            with_runs.append(replace(result, runs=run_scores))
        return with_runs

    def with_pooled_differences(
        self, metric: int, results: Sequence[PairResult]
    ) -> list[PairResult]:
        """The results of all pairs by one metric, with the differences of pooled scores."""
        pooled = dict(zip(self._runs, self.pooled[metric].scores.tolist(), strict=True))
        return [
            replace(pair, pooled_difference=pooled[pair.a] - pooled[pair.b]) for pair in results
        ]


def as_runs(
    runs: str | Mapping[str, Sequence[str]], outputs: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The runs of each system, given as such or as a pattern of the outputs' names."""
    grouped = group_runs(outputs, runs) if isinstance(runs, str) else runs
    return _check_runs(grouped, outputs)


def group_runs(names: Iterable[str], pattern: str) -> dict[str, tuple[str, ...]]:
    """The runs of each system, where the names of outputs say which is which.

    Both wildcards stand for any text, {system} for as much as it can.

    >>> group_runs(["base.opt1", "base.opt2", "new.opt1", "new.opt2"], "{system}.opt{run}")
    {'base': ('base.opt1', 'base.opt2'), 'new': ('new.opt1', 'new.opt2')}
    """
    expression = _as_expression(pattern)
    groups: dict[str, tuple[str, ...]] = {}
    strangers = []
    for name in names:
        match = expression.fullmatch(name)
        if match is None:
            strangers.append(name)
        else:
            system = match["system"]
            groups[system] = (*groups.get(system, ()), name)
    if strangers:
        raise SettingError("runs", ", ".join(strangers), f"names of the pattern {pattern!r}")
    return groups


def _as_expression(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\{.*?\})", pattern)
    wildcards = tuple(parts[1::2])
    if sorted(wildcards) != sorted(WILDCARDS) or not parts[2]:
        expected = "{system} and {run} once each with text between, as in '{system}.opt{run}'"
        raise SettingError("pattern of runs", pattern, expected)
    parts[::2] = [re.escape(text) for text in parts[::2]]
    parts[1::2] = [f"(?P<{wildcard.strip('{}')}>.+)" for wildcard in wildcards]
    return re.compile("".join(parts), re.DOTALL)


def _check_runs(
    runs: Mapping[str, Sequence[str]], known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The runs, refused unless they are outputs of the test set, all different, equally many."""
    used: dict[str, str] = {}
    for system, group in runs.items():
        if not group:
            raise SettingError(f"runs of {system}", "none", "at least one output")
        for name in group:
            if name not in known:
                raise UnknownNameError(f"output of {system}", name, known)
            if name in used:
                expected = f"outputs of one run each; {used[name]} has it already"
                raise SettingError(f"runs of {system}", name, expected)
            used[name] = system
    if len({len(group) for group in runs.values()}) > 1:
        found = ", ".join(f"{len(group)} of {system}" for system, group in runs.items())
        raise SettingError("runs", found, "as many runs of one system as of another")
    return {system: tuple(group) for system, group in runs.items()}


def _average(statistics: MetricStatistics, runs: int) -> MetricStatistics:
    """The counts of a system's runs side by side; the score is the average of theirs."""
    metric = RunAverage(statistics.metric, runs)
    return MetricStatistics(statistics.label, metric, metric.by_system(statistics.rows))


def _pool(statistics: MetricStatistics, runs: int) -> MetricStatistics:
    """One row per unit and run: all runs of a system are one corpus."""
    units, outputs, columns = statistics.rows.shape
    rows = statistics.rows.reshape(units, outputs // runs, runs, columns).swapaxes(1, 2)
    flat = on_exact_grid(rows.reshape(units * runs, -1))
    return MetricStatistics(
        statistics.label, statistics.metric, flat.reshape(units * runs, -1, columns)
    )


def _best(ascending: Sequence[str], *, higher_is_better: bool | None) -> str | None:
    if higher_is_better is None:
        return None
    return ascending[-1 if higher_is_better else 0]
