"""Sensitivity: by which metric most pairs of systems differ, and how wide its intervals are.

Zhang & Vogel (2004, §3, Table 1, Fig. 3) compare seven systems pair by pair: two differ when the
bootstrap's interval of their difference leaves out 0, and NIST's relative intervals are the
narrowest. Riezler & Maxwell (2005, §3, Table 1) find a small difference significant by NIST and not
by BLEU or F-score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truebleu._settings import DEFAULT_SEED
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.resampling import TIE_TOLERANCE
from truebleu.significance.corrections import P_VALUE_CORRECTIONS, adjust
from truebleu.significance.settings import CompareSettings
from truebleu.significance.tests import bootstrap_wins, smallest_p
from truebleu.studies._pool import (
    Pool,
    PoolUnit,
    Sampling,
    draw_samples,
    require_count,
    resampled_scores,
    sizes_that_fit,
)
from truebleu.studies._study import (
    HIGH,
    LOW,
    MEDIAN,
    Mean,
    StudyResult,
    StudySettings,
    as_record,
    from_record,
    mean_of_known,
    or_none,
    relative_intervals,
)
from truebleu.studies._tests import Testing, differences_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.corpus.test_set import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric
    from truebleu.significance.statistics import MetricStatistics, Pair

#: Those of both papers, and the two that are most used beside BLEU.
USUAL_METRICS = ("bleu", "nist", "mbleu", "chrf", "ter")


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivitySettings(StudySettings):
    """What `study_sensitivity` was asked for, with the sizes that were chosen, ascending."""

    STUDY: ClassVar[str] = "sensitivity"

    sizes: tuple[int, ...]
    samples: int
    sampling: Sampling
    replicates: int
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """How many pairs differ significantly by one metric and test, on samples of one size.

    Attributes:
        metric: its label.
        size: units in a sample.
        samples: how many samples there were.
        test: "interval" of the difference, or "ar".
        correction: for all pairs.
        pairs: how many pairs there are.
        significant: how many of them differ significantly, the mean over samples.
        share: the same as a share, with its error over samples.
        width: the mean relative width of the systems' intervals; None where medians are 0.
    """

    metric: str
    size: int
    samples: int
    test: str
    correction: str
    pairs: int
    significant: float
    share: Mean
    width: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativeInterval:
    """A system's interval by one metric, as Zhang & Vogel's Table 1 has it.

    Attributes:
        metric: its label.
        size: units in a sample.
        system: its name.
        median: of the bootstrap's scores, the mean over samples.
        low: the lower bound less the median, as a share of it.
        high: the upper bound likewise.
        width: their difference.
        significant: from how many others it differs significantly by approximate randomization.
    """

    metric: str
    size: int
    system: str
    median: float
    low: float | None
    high: float | None
    width: float | None
    significant: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricContrast:
    """The most sensitive metric against another, by approximate randomization with the correction.

    Attributes:
        size: units in a sample.
        samples: how many samples there were.
        best: the metric by which most pairs differ significantly.
        other: another metric.
        only_best: pairs that differ by the first alone, the mean over samples.
        only_other: pairs that differ by the second alone.
        difference: of the shares, with its error over samples.
    """

    size: int
    samples: int
    best: str
    other: str
    only_best: float
    only_other: float
    difference: Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class OppositeWinners:
    """How many pairs differ significantly by two metrics, but with opposite winners."""

    size: int
    a: str
    b: str
    pairs: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityResult(StudyResult):
    """By which metric most pairs of systems differ significantly.

    Attributes:
        settings: how to repeat it.
        correction: for all pairs of one metric.
        by_system: whether the report lists the systems' intervals instead of tests.
        rows: one for each size, metric, test and correction.
        systems: one for each size, metric and system.
        contrasts: the most sensitive metric against each other one, by size.
        opposite: what two metrics find in opposite directions.
    """

    REPORT: ClassVar[str] = "truebleu.reports.studies.metrics:sensitivity_document"

    settings: SensitivitySettings
    correction: str
    by_system: bool
    rows: tuple[Sensitivity, ...]
    systems: tuple[RelativeInterval, ...]
    contrasts: tuple[MetricContrast, ...]
    opposite: tuple[OppositeWinners, ...]


def study_sensitivity(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = USUAL_METRICS,
    *,
    sizes: Sequence[int] | None = None,
    samples: int | None = None,
    sampling: Sampling | None = None,
    unit: PoolUnit = "segment",
    replicates: int = 10_000,
    level: float = 0.95,
    correction: str = "holm",
    by_system: bool = False,
    seed: int = DEFAULT_SEED,
    runner: Runner | None = None,
) -> SensitivityResult:
    """By which metric most pairs of systems differ significantly, and its relative intervals.

    A pair differs by the interval of the difference (Zhang & Vogel 2004, §3.2) or by approximate
    randomization, each with and without a correction for all pairs. The winner need not be the
    right one: a metric may be sure of what people would not say.

    Args:
        test_set: with two systems at least.
        metrics: to compare.
        sizes: units in samples, on which not everything is significant as on large test sets; the
            whole test set if not given.
        samples: of each size, 20 if not given; only with sizes.
        sampling: how samples are taken, at random if not given; see `draw_samples`.
        unit: what is sampled, resampled and swapped.
        replicates: of each test.
        level: of intervals, and 1 minus the significance level.
        correction: for all pairs of one metric.
        by_system: list the systems' intervals, as Zhang & Vogel's Table 1 does, instead of tests.
        seed: of samples and replicates.
        runner: keeps the results and shows progress.
    """
    comparison = CompareSettings(replicates=replicates, level=level, seed=seed)
    alpha = comparison.alpha
    pairs = list(combinations(range(len(test_set.systems)), 2))
    _require_decisive(len(pairs), replicates, alpha, correction)
    pool = Pool.of(test_set, metrics, unit)
    chosen = [len(pool)] if sizes is None else sizes_that_fit(sizes, len(pool), ())
    _require_enough_units(chosen[0], len(pairs), alpha, correction)
    for name, value in (("samples", samples), ("sampling", sampling)):
        if sizes is None and value is not None:
            expected = "sizes (--sizes) beside it: without them the whole test set is taken, once"
            raise SettingError(name, value, expected)
    sampling, samples = sampling or "random", 20 if samples is None else samples
    if sizes is not None:
        require_count("samples", samples, 2, "one does not show how samples differ")
    # Without the correction: one journal serves all of them.
    settings = SensitivitySettings(
        pool=pool.summary,
        sizes=tuple(chosen),
        samples=samples,
        sampling=sampling,
        replicates=replicates,
        level=level,
        seed=seed,
    )
    tasks = []
    for size in chosen:
        for index, sample in enumerate(_samples(sampling, len(pool), size, samples, seed)):
            # One for each metric and test: what is interrupted on a whole test set keeps the rest.
            for number, statistics in enumerate(pool.statistics):
                for test, p_values in TESTS.items():
                    on_sample = _Sample(pool, number, pairs, sample, index, comparison)
                    tasks.append(
                        Task((size, index, statistics.label, test), partial(p_values, on_sample))
                    )
    records = (runner or Runner()).run(settings, tasks)
    by_size = [
        [_Conclusions.of(statistics, size, records) for statistics in pool.statistics]
        for size in chosen
    ]
    rows: list[Sensitivity] = []
    systems: list[RelativeInterval] = []
    contrasts: list[MetricContrast] = []
    opposite: list[OppositeWinners] = []
    for of_size in by_size:
        for conclusions in of_size:
            rows += _rows(conclusions, alpha, correction)
            systems += _system_rows(pool, pairs, conclusions, alpha, correction)
        contrasts += _contrasts(of_size, alpha, correction)
        opposite += _opposite(of_size, pairs, alpha, correction)
    return SensitivityResult(
        settings=settings,
        correction=correction,
        by_system=by_system,
        rows=tuple(rows),
        systems=tuple(systems),
        contrasts=tuple(contrasts),
        opposite=tuple(opposite),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Conclusions:
    """What one metric concluded on the samples of one size.

    Attributes:
        statistics: of the whole pool by the metric.
        size: units in a sample.
        p: p-values by test, shaped (sample, pair).
        scores: shaped (sample, system).
        intervals: medians and relative bounds, shaped (sample, value, system).
    """

    statistics: MetricStatistics
    size: int
    p: Mapping[str, NDArray[np.float64]]
    scores: NDArray[np.float64]
    intervals: NDArray[np.float64]

    @classmethod
    def of(
        cls, statistics: MetricStatistics, size: int, records: Mapping[Key, Record]
    ) -> _Conclusions:
        """What the records of this size say of the metric."""
        by_test = {
            test: [
                record
                for (of_size, _, label, by), record in records.items()
                if (of_size, label, by) == (size, statistics.label, test)
            ]
            for test in TESTS
        }
        return cls(
            statistics,
            size,
            {test: np.array([record["p"] for record in by_test[test]]) for test in TESTS},
            np.array([record["scores"] for record in by_test["ar"]]),
            np.stack([from_record(record["intervals"]) for record in by_test["interval"]]),
        )

    def significant(self, test: str, correction: str, alpha: float) -> NDArray[np.bool_]:
        """Which pairs differ significantly, shaped (sample, pair)."""
        # A share of wins that means 0.05 is not quite that in floats, nor a multiple of it.
        limit = alpha * (1 + TIE_TOLERANCE)
        return np.stack([adjust(p, correction) <= limit for p in self.p[test]])

    @property
    def widths(self) -> NDArray[np.float64]:
        """The systems' mean relative widths over samples."""
        return mean_of_known(self.intervals[:, HIGH] - self.intervals[:, LOW])

    @property
    def width(self) -> float:
        """The mean relative width of all systems; NaN where none has one."""
        return float(mean_of_known(self.widths))


def _rows(conclusions: _Conclusions, alpha: float, correction: str) -> Iterator[Sensitivity]:
    for test in TESTS:
        for name in dict.fromkeys(("none", correction)):
            significant = conclusions.significant(test, name, alpha)
            share = Mean.of(significant.mean(axis=1).tolist())
            yield Sensitivity(
                metric=conclusions.statistics.label,
                size=conclusions.size,
                samples=len(significant),
                test=test,
                correction=name,
                pairs=significant.shape[1],
                significant=float(significant.sum(axis=1).mean()),
                share=Mean(
                    share.value,
                    None if share.low is None else max(0.0, share.low),
                    None if share.high is None else min(1.0, share.high),
                ),
                width=or_none(conclusions.width),
            )


def _system_rows(
    pool: Pool, pairs: Sequence[Pair], conclusions: _Conclusions, alpha: float, correction: str
) -> Iterator[RelativeInterval]:
    shares = conclusions.significant("ar", correction, alpha).mean(axis=0)
    means, widths = mean_of_known(conclusions.intervals), conclusions.widths
    for system, name in enumerate(pool.names):
        yield RelativeInterval(
            metric=conclusions.statistics.label,
            size=conclusions.size,
            system=name,
            median=float(means[MEDIAN, system]),
            low=or_none(means[LOW, system]),
            high=or_none(means[HIGH, system]),
            width=or_none(widths[system]),
            significant=float(
                sum(share for share, pair in zip(shares, pairs, strict=True) if system in pair)
            ),
        )


def _contrasts(
    of_size: Sequence[_Conclusions], alpha: float, correction: str
) -> Iterator[MetricContrast]:
    significant = {
        conclusions.statistics.label: conclusions.significant("ar", correction, alpha)
        for conclusions in of_size
    }
    best, *others = sorted(significant, key=lambda label: -float(significant[label].mean()))
    of_best = significant[best]
    for other in others:
        of_other = significant[other]
        shares = of_best.mean(axis=1) - of_other.mean(axis=1)
        yield MetricContrast(
            size=of_size[0].size,
            samples=len(of_best),
            best=best,
            other=other,
            only_best=float((of_best & ~of_other).sum(axis=1).mean()),
            only_other=float((of_other & ~of_best).sum(axis=1).mean()),
            difference=Mean.of(shares.tolist()),
        )


def _opposite(
    of_size: Sequence[_Conclusions], pairs: Sequence[Pair], alpha: float, correction: str
) -> Iterator[OppositeWinners]:
    winners = {}
    for conclusions in of_size:
        statistics = conclusions.statistics
        if statistics.metric.higher_is_better is not None:
            better = np.sign(statistics.sign * differences_of(conclusions.scores, pairs))
            winners[statistics.label] = conclusions.significant("ar", correction, alpha) * better
    for a, b in combinations(winners, 2):
        opposed = float((winners[a] * winners[b] < 0).sum(axis=1).mean())
        if opposed:
            yield OppositeWinners(size=of_size[0].size, a=a, b=b, pairs=opposed)


def _require_decisive(pairs: int, replicates: int, alpha: float, correction: str) -> None:
    """Refuse what can find nothing: one system, or too few replicates for so many pairs."""
    if pairs == 0:
        raise SettingError("systems", 1, "at least 2 to compare")
    if correction not in P_VALUE_CORRECTIONS:
        raise UnknownNameError("correction", correction, P_VALUE_CORRECTIONS)
    smallest = float(adjust(np.full(pairs, smallest_p(replicates)), correction).min())
    if smallest > alpha:
        expected = (
            f"more of them: with {pairs} pairs the smallest p after the correction {correction!r} "
            f"is {smallest:.3g}, and nothing can be significant at {alpha:g}"
        )
        raise SettingError("replicates", replicates, expected)


def _require_enough_units(size: int, pairs: int, alpha: float, correction: str) -> None:
    """Refuse so few units that even the clearest difference has a p-value above alpha.

    Of all swaps of n units two are as extreme as none, so that p is 2 / 2**n at the least.
    """
    least = 1
    while float(adjust(np.full(pairs, 2.0 ** (1 - least)), correction).min()) > alpha:
        least += 1
    if size < least:
        expected = (
            f"at least {least} units: swaps of fewer find none of {pairs} pairs to differ at "
            f"{alpha:g}, corrected by {correction!r}"
        )
        raise SettingError("size", size, expected)


def _samples(
    sampling: Sampling, pool: int, size: int, samples: int, seed: int
) -> list[NDArray[np.int64]]:
    """Samples of a size; there is one only of the whole, unless units may be drawn twice."""
    if size == pool and sampling != "independent":
        return [np.arange(pool)]
    return draw_samples(sampling, pool, size, samples, seed)


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The pairs of systems on one sample, by one metric.

    Attributes:
        pool: of which it is a sample.
        metric: its place in the pool.
        pairs: the systems of each.
        units: which ones it has.
        index: its number, which its replicates depend on, so that no two make the same mistake.
        settings: of all samples.
    """

    pool: Pool
    metric: int
    pairs: Sequence[Pair]
    units: NDArray[np.int64]
    index: int
    settings: CompareSettings

    def by_interval(self) -> Record:
        """p-values of all pairs by intervals, and relative intervals."""
        statistics = self.pool.take(self.units)[self.metric]
        settings = self.settings
        ((_, replicates),) = resampled_scores(
            [statistics], settings.replicates, settings.seed, self.index
        )
        differences = differences_of(replicates, self.pairs)
        wins = np.atleast_1d(bootstrap_wins(differences, scale=statistics.scale))
        return {
            # At most alpha where the interval of the difference leaves out 0.
            "p": np.minimum(1.0, 2 * np.minimum(wins, 1 - wins)).tolist(),
            "intervals": as_record(relative_intervals(replicates, settings.level)),
        }

    def by_randomization(self) -> Record:
        """p-values of all pairs by approximate randomization, and scores."""
        statistics = self.pool.take(self.units)[self.metric]
        testing = Testing(
            tests=("ar",), replicates=self.settings.replicates, seed=self.settings.seed
        )
        return {
            "p": testing.p_values(statistics, self.pairs, self.index)["ar"].tolist(),
            "scores": statistics.scores.tolist(),
        }


#: The tests, by which tasks are split.
TESTS = {"interval": _Sample.by_interval, "ar": _Sample.by_randomization}
