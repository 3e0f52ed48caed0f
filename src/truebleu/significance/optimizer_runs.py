"""The average over runs as a metric: whatever can be asked of a score can be asked of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from truebleu._core import Statistics
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.base import Metric, Score
from truebleu.metrics.registry import as_metrics
from truebleu.resampling import Bootstrap
from truebleu.resampling.exact import on_exact_grid
from truebleu.significance.compare import (
    Comparison,
    PairResult,
    SystemResult,
    compare_counted,
    pairs_to_compare,
)
from truebleu.significance.settings import CompareSettings, units_of
from truebleu.significance.statistics import MetricStatistics, bootstrap_scores, metric_statistics
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.corpus import TestSet
    from truebleu.metrics.base import Signature
    from truebleu.significance.statistics import Progress


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


# Compare systems of which several outputs are known, one for each optimizer run.
#
# An optimizer started twice ends with two systems, and their scores may differ by as much as those
# of two methods. Clark et al. (2011, "Better hypothesis testing for statistical machine
# translation") advise to run it at least three times and to report three things: the average, the
# spread over runs, and a test that has seen all runs. MultEval does that, and so does this module.
#
# Two things can be exchanged by a fair coin under the null hypothesis:
#
# "slot": each unit of the test set in each run by itself, all runs of a system pooled into one
# corpus whose counts are added up. That is MultEval's stratified approximate randomization,
# except that what one system gets the other gives, also with three or more runs, where MultEval
# lets a slot be in both or in neither. It assumes that, were the systems equal, all outputs of a
# unit would be exchangeable: two runs of one system no more alike than runs of two systems. Where
# they are more alike, coins of their own make the difference look surer than it is, and p is too
# small.
#
# "unit": all runs of a unit together, so that it does not matter how alike they are; the
# difference is that of the averages. It assumes that the two systems' sets of runs are
# exchangeable.
#
# Neither knows how other runs would have turned out: the runs at hand are all there are. A run
# that is lucky in every segment is good luck that no coin undoes, so a difference that is
# significant but no larger than the spread over runs calls for more runs.


Exchange: TypeAlias = Literal["slot", "unit"]

EXCHANGES: tuple[Exchange, ...] = get_args(Exchange)
WILDCARDS = ("{system}", "{run}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRunsResult(SystemResult):
    """One system by one metric: `score` is the average over its runs, `interval` the average's.

    Attributes:
        run_scores: the score of each run, in the order of the runs.
        spread_over_runs: their standard deviation (with n - 1); None for one run.
        spread_over_segments: the standard deviation of bootstrap scores, mean over the runs.
        best_run: the output with the best score; None for a metric without direction.
        median_run: the output in the middle, the higher of two.
        pooled_score: of all runs as one corpus, as swaps of slots have it.
    """

    run_scores: tuple[float, ...]
    spread_over_runs: float | None
    spread_over_segments: float
    best_run: str | None
    median_run: str
    pooled_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRunsResult(PairResult):
    """Two systems by one metric: `difference`, `interval` and `wins` are of the averages.

    Attributes:
        pooled_difference: of the pooled scores. Randomization of slots tests this one, all other
            tests the difference of the averages.
    """

    pooled_difference: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison(Comparison):
    """A comparison of averages over runs; the results are SystemRunsResult and PairRunsResult.

    Attributes:
        runs: for each system the names of its outputs.
    """

    runs: Mapping[str, tuple[str, ...]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, those of a comparison and the runs."""
        runs = {system: list(outputs) for system, outputs in self.runs.items()}
        return {**Comparison.to_dict(self), "runs": runs}


def compare_runs(
    test_set: TestSet,
    runs: Mapping[str, Sequence[str]],
    metrics: Sequence[str | Metric] = ("bleu",),
    settings: CompareSettings | None = None,
    progress: Progress | None = None,
    *,
    exchange: Exchange = "unit",
) -> RunComparison:
    """Compare systems by the averages over their runs.

    Args:
        test_set: its systems are the outputs of single runs.
        runs: for each system the names of its outputs; as many for each system.
        metrics: metrics such as ``BLEU()``, or as text.
        settings: how to compare; the baseline is one of the systems that have the runs.
        progress: hears of replicates as they are made.
        exchange: what randomization swaps, "slot" or "unit"; see the module's text.
    """
    settings = settings or CompareSettings()
    named = _check_runs(runs, list(test_set.systems))
    names = list(named)
    run_count = len(next(iter(named.values()), ()))
    _check_settings(settings, names, exchange)
    outputs = {name: test_set.systems[name] for group in named.values() for name in group}
    chosen = replace(test_set, systems=outputs)
    units = units_of(chosen, settings)
    counted = metric_statistics(chosen, as_metrics(metrics), units)

    def of_runs(first: int, count: int) -> list[NDArray[np.float64]]:
        """By metric, shaped (replicate, system, run)."""
        bootstrap = Bootstrap(replicates=count, seed=settings.seed)
        scores = bootstrap_scores(counted, units, bootstrap, progress, first=first)
        return [replicates.reshape(count, len(names), -1) for replicates in scores]

    def draw(first: int, count: int) -> list[NDArray[np.float64]]:
        return [replicates.mean(axis=2) for replicates in of_runs(first, count)]

    scores = of_runs(0, settings.replicates)
    averaged = [_average(one, run_count) for one in counted]
    pooled = [_pool(one, run_count) for one in counted]
    means = [replicates.mean(axis=2) for replicates in scores]
    found = compare_counted(
        chosen,
        names,
        averaged,
        means,
        settings,
        draw,
        progress,
        swapped=pooled if exchange == "slot" else None,
    )
    found = replace(found, settings={**found.settings, "runs": run_count, "exchange": exchange})
    return _with_runs(found, named, counted, scores, pooled)


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


def _check_settings(settings: CompareSettings, names: Sequence[str], exchange: str) -> None:
    """Refuse what cannot be done before anything is counted."""
    if exchange not in EXCHANGES:
        raise UnknownNameError("exchange", exchange, EXCHANGES)
    if exchange == "slot" and TESTS[settings.test].source != "swaps":
        raise SettingError("exchange", exchange, "'unit' with a test that exchanges nothing")
    pairs_to_compare(names, settings.baseline)
    if settings.interval == "student":
        expected = "'percentile', 'basic' or 'bca' with optimizer runs"
        raise SettingError("interval", settings.interval, expected)


def _average(one: MetricStatistics, runs: int) -> MetricStatistics:
    """The counts of a system's runs side by side; the score is the average of theirs."""
    metric = RunAverage(one.metric, runs)
    return MetricStatistics(one.label, metric, metric.by_system(one.rows))


def _pool(one: MetricStatistics, runs: int) -> MetricStatistics:
    """One row per unit and run: all runs of a system are one corpus."""
    units, outputs, columns = one.rows.shape
    slots = one.rows.reshape(units, outputs // runs, runs, columns).swapaxes(1, 2)
    flat = on_exact_grid(slots.reshape(units * runs, -1))
    return MetricStatistics(one.label, one.metric, flat.reshape(units * runs, -1, columns))


def _with_runs(
    found: Comparison,
    runs: Mapping[str, tuple[str, ...]],
    counted: Sequence[MetricStatistics],
    scores: Sequence[NDArray[np.float64]],
    pooled: Sequence[MetricStatistics],
) -> RunComparison:
    """A comparison of averages, with what the single runs add to it."""
    systems: dict[str, dict[str, SystemResult]] = {name: {} for name in runs}
    pooled_scores: dict[tuple[str, str], float] = {}
    for one, replicates, pool in zip(counted, scores, pooled, strict=True):
        by_system = zip(
            runs,
            one.scores.reshape(len(runs), -1).tolist(),
            replicates.std(axis=0, ddof=1).mean(axis=1).tolist(),
            pool.scores.tolist(),
            strict=True,
        )
        for name, of_runs, spread, pooled_score in by_system:
            ascending = [run for _, run in sorted(zip(of_runs, runs[name], strict=True))]
            pooled_scores[name, one.label] = pooled_score
            systems[name][one.label] = SystemRunsResult(
                **_values(found.systems[name][one.label]),
                run_scores=tuple(of_runs),
                spread_over_runs=float(np.std(of_runs, ddof=1)) if len(of_runs) > 1 else None,
                spread_over_segments=spread,
                best_run=_best(ascending, higher_is_better=one.metric.higher_is_better),
                median_run=ascending[len(ascending) // 2],
                pooled_score=pooled_score,
            )
    comparisons = tuple(
        PairRunsResult(
            **_values(pair),
            pooled_difference=pooled_scores[pair.a, pair.metric]
            - pooled_scores[pair.b, pair.metric],
        )
        for pair in found.comparisons
    )
    values = {**_values(found), "systems": systems, "comparisons": comparisons}
    return RunComparison(**values, runs=dict(runs))


def _best(ascending: Sequence[str], *, higher_is_better: bool | None) -> str | None:
    if higher_is_better is None:
        return None
    return ascending[-1 if higher_is_better else 0]


def _values(result: Comparison | SystemResult | PairResult) -> dict[str, Any]:
    """The fields of a result as arguments for another."""
    return {field.name: getattr(result, field.name) for field in fields(result)}
