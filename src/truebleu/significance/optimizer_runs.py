"""Systems with several outputs, one for each optimizer run.

Two runs of an optimizer give two systems, whose scores may differ as much as the scores of two
methods. Clark et al. (2011, "Better hypothesis testing for statistical machine translation")
recommend at least three runs, and to report three things: the average, the standard deviation over
runs, and a test that uses all runs. MultEval does so, and so does `compare` with `runs`.

A difference between averages over runs has two sources of variance: segments, and runs. The scope
of the verdict decides which of them count.

"further-runs", the default if systems have two runs or more: would other runs of the same two
systems differ too? Segments and runs are both samples, crossed as in a two-way table, and the
variance of the difference has two parts,

    V = V_segments + V_runs - V_interaction,

where V_segments is the jackknife variance of the difference over segments, V_runs = (s_a² + s_b²) /
r is the variance of averages of r runs, and the interaction of runs and segments, which is in both,
is subtracted once; V is never taken for less than either part. The difference over its standard
error is compared with Student's t, whose degrees of freedom are V² over the sum of each part's
square over its own degrees (Satterthwaite 1946): segments - 1, and runs - 1 for each system
separately, since one may vary more than the other (Welch 1947). Three runs give few degrees of
freedom, and the test is as conservative as that demands.

Systems may have unequal numbers of runs: each system's runs are then taken in turn until all have
the least common multiple, which changes no average; variances count every run once.

"these-runs": do the given outputs differ? The runs are fixed, and the test cannot account for a run
that is lucky in every segment. Two kinds of swaps are possible, by a fair coin under the null
hypothesis:

"together": all runs of a unit are swapped together, so that correlation between runs does not
matter; the difference is the difference of the averages. Assumes that the two systems' sets of
runs are exchangeable.

"separately": each unit of the test set is swapped in each run separately; all runs of a system are
pooled into one corpus, whose counts are added up. That is MultEval's stratified approximate
randomization, except that every swap exchanges two outputs, also with three or more runs, while
MultEval may assign an output to both systems or to neither. Assumes that, were the systems equal,
all outputs of a unit would be exchangeable: two runs of one system no more alike than runs of two
systems. If they are more alike, separate coins make the difference look more certain than it is,
and p is too small.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu import _core
from truebleu.errors import RefusedError, SettingError, UnknownNameError
from truebleu.metrics.base import Score, Scorer
from truebleu.resampling import Bootstrap, Units, on_exact_grid
from truebleu.schema import require_type
from truebleu.significance.student import student_p, student_quantiles
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.counts.counts import Counts
    from truebleu.resampling import Values
    from truebleu.schema import About, Alternative
    from truebleu.significance.unit_counts import Pair

__all__ = ["RunScores", "group_runs"]

WILDCARDS = ("{system}", "{run}")
# Bit that makes the seed of the draws of runs differ from the seed of segments.
RUNS_STREAM = 1 << 40
# Largest common number of runs.
MOST_RUNS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """The runs of one system by one metric.

    Attributes:
        scores: score of each run, in the order of the runs.
        sd_of_runs: standard deviation of the scores (with n - 1); None for one run.
        sd_of_segments: standard deviation of bootstrap scores, averaged over the runs.
        best: name of the output with the best score; None for a metric without direction.
        median: name of the output with the median score, the higher of two.
        pooled_score: score of all runs as one corpus, as in swaps of separate runs.
    """

    scores: tuple[float, ...]
    sd_of_runs: float | None
    sd_of_segments: float
    best: str | None
    median: str
    pooled_score: float


def _of_metric(name: str) -> Any:
    """Make a property of an average that is its metric's."""
    return property(lambda average: getattr(average.metric, name))


@dataclass(frozen=True, slots=True)
class RunAverage(Scorer):
    """Mean of the scores of a system's runs.

    The outputs of a test set are the runs, system by system. A row has the counts of all runs of a
    system side by side, so that resampling keeps them together.

    Attributes:
        metric: metric of each run.
        runs: number of runs of each system, repeated ones included.
        sizes: number of different runs of each system, which are its first; empty if all are.
    """

    metric: Scorer
    runs: int
    sizes: tuple[int, ...] = ()

    name = _of_metric("name")
    signature = _of_metric("signature")
    higher_is_better = _of_metric("higher_is_better")
    digits = _of_metric("digits")
    limits = _of_metric("limits")
    # Columns of the first run: all runs translate the same text.
    weight_columns = _of_metric("weight_columns")

    def by_system(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Reshape counts (unit, output, column) to (unit, system, run and column)."""
        return np.ascontiguousarray(rows.reshape(len(rows), rows.shape[1] // self.runs, -1))

    def by_run(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Split the last axis of counts of runs side by side into (run, column)."""
        return rows.reshape(*rows.shape[:-1], self.runs, -1)

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Average the runs' scores, over any leading axes."""
        rows = np.asarray(sums, dtype=np.float64)
        return np.asarray(self.metric.score(self.by_run(rows)).mean(axis=-1))

    def gradient(self, sums: ArrayLike) -> NDArray[np.float64]:
        """Return the gradient of the average: each run's gradient over the number of runs."""
        rows = np.asarray(sums, dtype=np.float64)
        return np.asarray(self.metric.gradient(self.by_run(rows)) / self.runs).reshape(rows.shape)

    def describe(self, sums: Sequence[float], references: int | None) -> Score:
        """Return the average of one row of sums as a Score."""
        signature = self.signature.with_references(references)
        return Score(score=float(self.score(sums)), signature=signature)


class SystemRuns:
    """Runs of all systems, and their averages.

    Attributes:
        averages: counts whose scores are the averages over runs, for each metric.
        pooled: counts of all runs of a system as one corpus, for each metric.
    """

    def __init__(
        self,
        runs: Mapping[str, tuple[str, ...]],
        outputs: Sequence[UnitCounts],
        about: About | None,
        seed: int,
    ) -> None:
        """Take the outputs of each system by name, and the counts of all outputs by metric."""
        self._runs = runs
        sizes = tuple(map(len, runs.values()))
        self._sizes, self._count = np.array(sizes), math.lcm(*sizes)
        # Each system's runs in turn, until all have the same number.
        turns = np.arange(self._count) % self._sizes[:, np.newaxis]
        first = np.cumsum(self._sizes) - self._sizes
        self._order = (first[:, np.newaxis] + turns).ravel()
        self._about, self._seed = about, seed
        self._outputs = outputs
        repeated = [replace(part, rows=part.rows[:, self._order]) for part in outputs]
        self.averages = [
            UnitCounts(part.label, average, average.by_system(part.rows))
            for part in repeated
            for average in [RunAverage(part.metric, self._count, sizes)]
        ]
        self.pooled = [_pool(counts, self._count) for counts in repeated]

    def by_system(self, rows: Values) -> Values:
        """Group counts or scores of all outputs, along the second axis, by system."""
        return rows[:, self._order].reshape(len(rows), len(self._runs), -1)

    def mean_scores(self, scores: Sequence[Values], first: int = 0) -> list[Values]:
        """Average scores of all outputs over runs, by metric, shaped (replicate, system).

        For verdicts on further runs, every replicate also resamples runs with replacement. The
        deviations of runs from their mean are stretched: the mean of R runs resampled from r
        varies less than the mean of r further runs, by the factor (r - 1) / R in the variance.

        Args:
            scores: scores of the outputs on replicates, for each metric, shaped (replicate,
                output).
            first: index of the first replicate.
        """
        by_run = [self.by_system(replicates) for replicates in scores]
        means = [replicates.mean(axis=2) for replicates in by_run]
        if self._about != "further-runs":
            return means
        weights = self._draw_runs(first, len(means[0]))
        stretch = np.sqrt(self._count / (self._sizes - 1))
        return [
            mean + stretch * ((replicates - mean[..., np.newaxis]) * weights).mean(axis=2)
            for replicates, mean in zip(by_run, means, strict=True)
        ]

    def _draw_runs(self, first: int, replicates: int) -> Values:
        """Count how often each replicate draws each run, shaped (replicate, system, run)."""
        systems, runs = len(self._runs), self._count
        units = Units.segments(
            systems * runs, [str(index // runs) for index in range(systems * runs)]
        )
        # A separate stream, so that drawing run r is independent of drawing segment r.
        bootstrap = Bootstrap(replicates=replicates, seed=self._seed ^ RUNS_STREAM)
        sums = bootstrap.sums(np.eye(systems * runs), units, first, replicates)
        return sums.reshape(replicates, systems, runs)

    def run_scores(self, metric: int, replicates: Values) -> list[RunScores]:
        """Score the runs of each system by one metric.

        Args:
            metric: index of the metric.
            replicates: scores of the outputs on replicates, shaped (replicate, output).
        """
        outputs = self._outputs[metric]
        higher = outputs.metric.higher_is_better
        by_system = zip(
            self._runs.values(),
            [part.tolist() for part in np.split(outputs.scores, np.cumsum(self._sizes)[:-1])],
            self.by_system(replicates).std(axis=0, ddof=1).mean(axis=1).tolist(),
            self.pooled[metric].scores.tolist(),
            strict=True,
        )
        of_systems = []
        for names, scores, sd_of_segments, pooled_score in by_system:
            ascending = [name for _, name in sorted(zip(scores, names, strict=True))]
            of_systems.append(
                RunScores(
                    scores=tuple(scores),
                    sd_of_runs=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
                    sd_of_segments=sd_of_segments,
                    best=None if higher is None else ascending[-1 if higher else 0],
                    median=ascending[len(ascending) // 2],
                    pooled_score=pooled_score,
                )
            )
        return of_systems


def two_way_errors(statistics: UnitCounts, pairs: Sequence[Pair] | None) -> tuple[Values, Values]:
    """Return standard errors of averages over runs, or of differences, and degrees of freedom.

    Segments and runs are both samples: see this module's docstring for the variance.

    Args:
        statistics: counts of averages over two runs or more.
        pairs: systems of each difference; None for the averages themselves.
    """
    metric = statistics.metric
    if not isinstance(metric, RunAverage) or min(metric.sizes or (metric.runs,)) < 2:
        expected = "systems with two runs or more"
        raise SettingError("runs", "one output of each system", expected)
    count = len(statistics.rows)
    runs = np.array(metric.sizes or (metric.runs,) * statistics.systems)
    once = np.arange(metric.runs) < runs[:, np.newaxis]
    rows = metric.by_run(statistics.rows)
    sums = rows.sum(axis=0)
    left_out = metric.metric.score(sums - rows)
    # Contribution of each unit to the error of each run's score, shaped (unit, system, run).
    parts = (count - 1) / count * (left_out.mean(axis=0) - left_out)
    of_units = parts.mean(axis=2)
    scores = metric.metric.score(sums)
    deviations = (scores - scores.mean(axis=1, keepdims=True)) * once
    of_runs = (deviations**2).sum(axis=1) / (runs - 1) / runs
    residuals = parts - of_units[..., np.newaxis]
    residuals = (residuals - residuals.mean(axis=0)) * once
    interaction = count * (residuals**2).sum(axis=(0, 2)) / ((count - 1) * (runs - 1)) / runs
    squares = of_runs**2 / (runs - 1)
    if pairs is not None:
        left, right = np.array(pairs).T
        of_units = of_units[:, left] - of_units[:, right]
        of_runs = of_runs[left] + of_runs[right]
        interaction = interaction[left] + interaction[right]
        squares = squares[left] + squares[right]
    of_units = count / (count - 1) * (of_units**2).sum(axis=0)
    variance = np.maximum(of_units + of_runs - interaction, np.maximum(of_units, of_runs))
    divisor = of_units**2 / (count - 1) + squares
    degrees = np.divide(
        variance**2, divisor, out=np.full_like(variance, count - 1), where=divisor > 0
    )
    return np.sqrt(variance), degrees


def two_way_p(statistics: UnitCounts, pairs: Sequence[Pair], alternative: Alternative) -> Values:
    """Compute p-values of differences between averages over runs, for further runs."""
    differences = statistics.sign * statistics.differences(pairs)
    errors, degrees = two_way_errors(statistics, pairs)
    return student_p(differences, errors, degrees, alternative, scale=statistics.scale)


def two_way_equivalence_p(statistics: UnitCounts, pairs: Sequence[Pair], margin: float) -> Values:
    """Compute p-values of the hypotheses that further runs differ by the margin or more."""
    distance = margin - np.abs(statistics.differences(pairs))
    errors, degrees = two_way_errors(statistics, pairs)
    return student_p(distance, errors, degrees, "greater", scale=statistics.scale)


def two_way_half_widths(
    statistics: UnitCounts, pairs: Sequence[Pair], alternative: Alternative, alpha: float
) -> Values:
    """Return the half-widths of the intervals that invert the two-way test, below and above."""
    errors, degrees = two_way_errors(statistics, pairs)
    half = student_quantiles(_core.inverted_level(alpha, alternative), degrees) * errors
    return np.stack([half, half])


def two_way_interval(statistics: UnitCounts, pairs: Sequence[Pair] | None, level: float) -> Values:
    """Return intervals of averages over further runs, or of their differences: lows, highs."""
    estimates = statistics.scores if pairs is None else statistics.differences(pairs)
    errors, degrees = two_way_errors(statistics, pairs)
    half = student_quantiles(level, degrees) * errors
    return np.stack([estimates - half, estimates + half])


def are_runs_compared(options: Mapping[str, Any]) -> bool:
    """Return whether runs of scored models are compared: if no option requires something else."""
    is_open = all(options.get(name) is None for name in ("runs", "test", "interval"))
    return is_open and not options.get("by")


def select_runs(
    counts: Counts, runs: str | Mapping[str, Sequence[str]] | None
) -> tuple[Counts, Mapping[str, tuple[str, ...]] | None]:
    """Return the counts of the systems' runs, and the runs of each system, or None without runs.

    Args:
        counts: counts of all outputs.
        runs: argument `runs` of `compare`; None for the runs that the counts have, if any.
    """
    grouped = counts.outline.runs
    if runs is not None:
        grouped = as_runs(runs, counts.outline.systems)
    if grouped is None:
        return counts, None
    return counts.select([output for outputs in grouped.values() for output in outputs]), grouped


def as_runs(
    runs: str | Mapping[str, Sequence[str]], outputs: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the outputs of each system, given by name or by a pattern of their names.

    Raises SettingError or UnknownNameError unless all are different outputs of the test set.
    """
    grouped = group_runs(outputs, runs) if isinstance(runs, str) else runs
    require_type("runs", grouped, Mapping, "a pattern, or the outputs of each system by name")
    used: dict[str, str] = {}
    for system, group in grouped.items():
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise SettingError(f"runs of {system}", group, "a list of outputs")
        if not group:
            raise SettingError(f"runs of {system}", "none", "at least one output")
        for name in group:
            if name not in outputs:
                raise UnknownNameError(f"output of {system}", name, outputs)
            if name in used:
                expected = f"outputs that no other run uses; {used[name]} has {name}"
                raise SettingError(f"runs of {system}", name, expected)
            used[name] = system
    if math.lcm(*map(len, grouped.values())) > MOST_RUNS:
        found = ", ".join(f"{len(group)} of {system}" for system, group in grouped.items())
        expected = f"numbers with a least common multiple of at most {MOST_RUNS}"
        raise SettingError("runs", found, expected)
    return {system: tuple(group) for system, group in grouped.items()}


def group_runs(names: Iterable[str], pattern: str) -> dict[str, tuple[str, ...]]:
    """Group outputs into the runs of each system by a pattern of their names.

    Both wildcards match any text; {system} is greedy.

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
        ending = "; names of systems are without the file's ending" if "." in pattern else ""
        raise RefusedError(
            f"{strangers[0]!r} does not fit {pattern!r}, the pattern of runs{ending}"
        )
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


def _pool(statistics: UnitCounts, runs: int) -> UnitCounts:
    """Make counts with a row for each unit and run, so that a system's runs are one corpus."""
    units, outputs, columns = statistics.rows.shape
    rows = statistics.rows.reshape(units, outputs // runs, runs, columns).swapaxes(1, 2)
    flat = on_exact_grid(rows.reshape(units * runs, -1))
    return UnitCounts(statistics.label, statistics.metric, flat.reshape(units * runs, -1, columns))
