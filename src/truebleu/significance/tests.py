"""Tests of significance: the table of tests, and all pairs of systems tested by one of them.

A test says where its replicates come from and what p-value they give; see `p_values` for what each
assumes. All pairs by all metrics share the same replicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu._settings import ALTERNATIVES, DEFAULT_REPLICATES, Alternative
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE, Bootstrap, Swaps, Units, Values
from truebleu.significance.corrections import CORRECTIONS, adjust, smallest_factor
from truebleu.significance.optimizer_runs import two_way_p
from truebleu.significance.p_values import (
    absolute_bootstrap_p,
    decision,
    extreme_counts,
    monte_carlo_error,
    monte_carlo_interval,
    randomization_p,
    replicates_for,
    shifted_bootstrap_p,
    smallest_p,
)
from truebleu.significance.statistics import (
    bootstrap_scores,
    studentized,
    studentized_swaps,
    swap_blocks,
)

if TYPE_CHECKING:
    from truebleu.significance.settings import CompareSettings
    from truebleu.significance.statistics import MetricStatistics, Pair, Progress


#: What a test's p-values come from: outputs swapped at random, test sets drawn with replacement, or
#: without replicates the variance over segments and optimizer runs.
Source = Literal["swaps", "bootstrap", "runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """A test of the hypothesis that two systems are equally good.

    Attributes:
        name: what settings and options call it.
        title: what people call it.
        origin: where it is described, or who does it so.
        source: what its replicates are, or that it needs none.
        p_value: a function of the observed differences, the replicates', the alternative and the
            keyword `scale`, as `randomization_p`; of swaps it also takes `exact`. Of runs, a
            function of the statistics, the pairs and the alternative, as `two_way_p`.
        null: a function of the observed and the replicates' differences that gives those of equal
            systems, for corrections that look at replicates; None where there is none.
        studentized: whether differences are divided by their standard errors, on the test set and
            in every replicate.
        alternatives: those that can be tested.
        caution: what a reader of its p-values must know.
    """

    name: str
    title: str
    origin: str
    source: Source
    p_value: Callable[..., Values]
    null: Callable[[Values, Values], Values] | None = None
    studentized: bool = False
    alternatives: tuple[Alternative, ...] = ALTERNATIVES
    caution: str | None = None

    def p_values(
        self,
        observed: Values,
        differences: Values,
        alternative: Alternative = "two-sided",
        *,
        exact: bool = False,
        scale: float = 0.0,
    ) -> Values:
        """The p-value of each comparison; more must be better for the first system.

        Args:
            observed: the difference of each comparison.
            differences: those of the replicates, shaped (replicate, comparison).
            alternative: what is tested against.
            exact: the replicates are all swaps there are.
            scale: the size of the scores, to which rounding is relative.
        """
        enumerated = {"exact": True} if exact else {}
        return self.p_value(observed, differences, alternative, scale=scale, **enumerated)

    def observed(self, statistics: MetricStatistics, pairs: Sequence[Pair]) -> Values:
        """What is tested of each pair: the difference on the test set itself, or its t."""
        if self.studentized:
            nothing = np.zeros((1, len(statistics.rows)), dtype=np.bool_)
            return np.asarray(studentized(statistics, pairs, nothing)[0])
        left, right = np.array(pairs).T
        scores = statistics.scores
        return np.asarray(scores[left] - scores[right])

    def scale(self, statistics: MetricStatistics) -> float:
        """The size of what rounding is relative to."""
        return 1.0 if self.studentized else statistics.scale

    def swap_blocks(
        self,
        statistics: Sequence[MetricStatistics],
        pairs: Sequence[Pair],
        swaps: Swaps,
        progress: Progress | None = None,
        *,
        first: int = 0,
    ) -> Iterator[list[Values]]:
        """The same after random swaps, block after block; see `statistics.swap_blocks`."""
        make = studentized_swaps if self.studentized else swap_blocks
        return make(statistics, pairs, swaps, progress, first=first)

    def differences(
        self,
        statistics: Sequence[MetricStatistics],
        pairs: Sequence[Pair],
        *,
        replicates: int,
        seed: int,
        first: int = 0,
        progress: Progress | None = None,
    ) -> tuple[list[Values], bool]:
        """By metric the replicates' differences, and whether these are of all swaps there are.

        Differences are shaped (replicate, pair). Rows of the statistics are what is swapped or
        drawn; all swaps are made where these are no more than was asked for.
        """
        units = len(statistics[0].rows)
        if self.source == "swaps":
            swaps = Swaps(replicates=replicates, seed=seed)
            exact = swaps.enumerates(units)
            start = 0 if exact else first
            blocks = list(self.swap_blocks(statistics, pairs, swaps, progress, first=start))
            return [np.concatenate(of_metric) for of_metric in zip(*blocks, strict=True)], exact
        left, right = np.array(pairs).T
        bootstrap = Bootstrap(replicates=replicates, seed=seed)
        drawn = bootstrap_scores(
            statistics, Units.segments(units), bootstrap, progress, first=first
        )
        return [scores[:, left] - scores[:, right] for scores in drawn], False


def _around_zero(_observed: Values, differences: Values) -> Values:
    return differences


def _shifted(observed: Values, differences: Values) -> Values:
    return differences - observed


#: All tests by name; a new one is an entry here.
TESTS: Mapping[str, SignificanceTest] = {
    test.name: test
    for test in (
        SignificanceTest(
            name="ar",
            title="approximate randomization",
            origin="Riezler & Maxwell 2005, Fig. 1",
            source="swaps",
            p_value=randomization_p,
            null=_around_zero,
        ),
        SignificanceTest(
            name="studentized",
            title="studentized randomization",
            origin="Janssen 1997; Chung & Romano 2013",
            source="swaps",
            p_value=randomization_p,
            null=_around_zero,
            studentized=True,
        ),
        SignificanceTest(
            name="bootstrap",
            title="shifted bootstrap",
            origin="Hall & Wilson 1991",
            source="bootstrap",
            p_value=shifted_bootstrap_p,
            null=_shifted,
        ),
        SignificanceTest(
            name="bootstrap-absolute",
            title="bootstrap of absolute differences",
            origin="Riezler & Maxwell 2005, Fig. 2; sacreBLEU",
            source="bootstrap",
            p_value=absolute_bootstrap_p,
            alternatives=("two-sided",),
            caution="it centres absolute differences, and so rejects too often",
        ),
        SignificanceTest(
            name="two-way",
            title="two-way t test",
            origin="Satterthwaite 1946; Welch 1947",
            source="runs",
            p_value=two_way_p,
        ),
    )
}


def find_test(name: str) -> SignificanceTest:
    """The test of this name.

    >>> find_test("ar").title
    'approximate randomization'
    """
    if name not in TESTS:
        raise UnknownNameError("test", name, tuple(TESTS))
    return TESTS[name]


def fewest_replicates(correction: str, comparisons: int, alpha: float) -> int:
    """The fewest replicates of which one clear difference can be significant, corrected.

    >>> fewest_replicates("holm", 780, 0.05), fewest_replicates("none", 780, 0.05)
    (15599, 19)
    """
    return replicates_for(alpha / smallest_factor(correction, comparisons))


def default_replicates(correction: str, comparisons: int, alpha: float) -> int:
    """How many replicates a test makes for so many comparisons unless you say otherwise.

    At least 10,000, and four times what one clear difference needs to be significant.

    >>> default_replicates("holm", 1, 0.05), default_replicates("holm", 780, 0.05)
    (10000, 62400)
    """
    return max(DEFAULT_REPLICATES, ceil(4 * smallest_factor(correction, comparisons) / alpha))


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """p-values of all pairs by one metric.

    Attributes:
        p: the p-value of each pair.
        p_se: its Monte-Carlo standard error.
        p_adjusted: p after the correction.
        replicates: how many there were; 0 where the test needs none.
        exact: whether they were all swaps there are.
        decided: whether every decision is clear of Monte-Carlo error.
        smallest_p: the smallest adjusted p that there could have been.
    """

    p: Values
    p_se: Values
    p_adjusted: Values
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float


def pair_tests(
    statistics: MetricStatistics,
    pairs: Sequence[Pair],
    differences: Values,
    settings: CompareSettings,
    *,
    exact: bool,
) -> PairTests:
    """Test the observed difference of each pair against those of the replicates.

    Args:
        statistics: of all systems by one metric.
        pairs: the systems of each comparison.
        differences: shaped (replicate, pair), of the replicates that the test has.
        settings: which test, alternative, level and correction.
        exact: the replicates are all possible swaps.
    """
    test = find_test(settings.test)
    # From here on more is better for the first system.
    observed = statistics.sign * test.observed(statistics, pairs)
    replicated = statistics.sign * differences
    p = test.p_values(
        observed, replicated, settings.alternative, exact=exact, scale=test.scale(statistics)
    )
    null = (replicated if test.null is None else test.null(observed, replicated),)
    return _judged(
        statistics,
        pairs,
        settings,
        _Evidence(p=p, replicates=len(differences), exact=exact, blocks=lambda: null),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """What replicates say about all pairs by one metric.

    Attributes:
        p: the p-value of each pair.
        replicates: how many there were.
        exact: whether they were all swaps there are.
        blocks: makes the null's differences again, block after block.
    """

    p: Values
    replicates: int
    exact: bool
    blocks: Callable[[], Iterable[Values]]


def _judged(
    statistics: MetricStatistics,
    pairs: Sequence[Pair],
    settings: CompareSettings,
    evidence: _Evidence,
) -> PairTests:
    """The p-values with their error, corrected, and whether every decision is clear."""
    test, correction = find_test(settings.test), CORRECTIONS[settings.correction]
    p, replicates, exact = evidence.p, evidence.replicates, evidence.exact
    p_se = np.zeros_like(p) if exact else monte_carlo_error(p, replicates)
    # Of all swaps two are as extreme as none in a two-sided test: none, and that of every unit.
    extreme = 2 if settings.alternative == "two-sided" else 1
    smallest = extreme / replicates if exact else smallest_p(replicates)
    if correction.basis == "segment scores":
        means = statistics.unit_means(f"correction {correction.name}")
        left, right = np.array(pairs).T
        adjusted = correction.adjust(means)[left, right]
        return PairTests(p, p_se, adjusted, replicates, exact, decided=True, smallest_p=0.0)
    if correction.basis == "replicates":
        if test.null is None:
            raise SettingError("correction", correction.name, f"another one with {test.title}")
        observed = statistics.sign * test.observed(statistics, pairs)
        adjusted = correction.adjust(
            observed,
            evidence.blocks,
            settings.alternative,
            exact=exact,
            scale=test.scale(statistics),
        )
        bounds = monte_carlo_interval(_share(adjusted, replicates), replicates)
    else:
        adjusted = adjust(p, correction.name)
        # Corrections are monotone in every p-value.
        bounds = np.stack(
            [
                adjust(bound, correction.name)
                for bound in monte_carlo_interval(_share(p, replicates), replicates)
            ]
        )
        smallest = float(adjust(np.full(len(pairs), smallest), correction.name).min())
    clear = all(decision(low, high, settings.alpha) is not None for low, high in bounds.T)
    return PairTests(p, p_se, adjusted, replicates, exact, exact or clear, smallest)


def _share(p: Values, replicates: int) -> Values:
    """The share of the replicates that were extreme: p without the observed test set."""
    return np.clip((p * (replicates + 1) - 1) / replicates, 0.0, 1.0)


# Tests of all pairs by all metrics, with as many replicates as were asked for or are needed.
#
# An adaptive comparison doubles the replicates of a metric until each of its decisions is clear
# of Monte-Carlo error. By swaps it starts with few; by the bootstrap with those that the
# intervals have. Replicates of pairs are counted block by block and never kept: 300 systems have
# 44,850 pairs.


# An adaptive comparison by swaps starts with this many, and every one gives up after so many.
ADAPTIVE_START = 1000
ADAPTIVE_LIMIT = 1_000_000
# Differences of bootstrap replicates that are looked at together: 32 MB.
PAIR_BLOCK = 1 << 22

# Called with the first replicate and their number; by metric, scores shaped (replicate, system).
Draw = Callable[[int, int], Sequence[Values]]


def all_pair_tests(
    statistics: Sequence[MetricStatistics],
    scores: Sequence[Values],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    draw: Draw,
    progress: Progress | None = None,
) -> list[PairTests]:
    """Test all pairs by all metrics.

    Args:
        statistics: what is tested, one for each metric; swaps exchange its rows.
        scores: for each metric the scores on the bootstrap's first replicates, shaped
            (replicate, system).
        pairs: the systems of each comparison.
        settings: which test, how many replicates, and whether more of them where needed.
        draw: makes scores on the bootstrap's further replicates.
        progress: hears of swaps as they are made.
    """
    test = find_test(settings.test)
    if test.source == "runs":
        return [_run_tests(metric, pairs, test, settings) for metric in statistics]
    count = settings.test_replicates or settings.replicates
    replicates: _Swapped | _Drawn
    if test.source == "swaps":
        replicates = _Swapped(statistics, pairs, settings, progress)
        if settings.adaptive and not Swaps(replicates=count).enumerates(len(statistics[0].rows)):
            least = fewest_replicates(settings.correction, len(pairs), settings.alpha)
            count = max(min(ADAPTIVE_START, count), least)
    else:
        replicates = _Drawn(statistics, pairs, settings, scores, draw)
    unclear = list(range(len(statistics)))
    tests: dict[int, PairTests] = {}
    while True:
        replicates.make(unclear, count)
        for metric in unclear:
            evidence = replicates.evidence(metric)
            tests[metric] = _judged(statistics[metric], pairs, settings, evidence)
        unclear = [metric for metric in unclear if not tests[metric].decided]
        if not (settings.adaptive and unclear):
            break
        done = tests[unclear[0]].replicates
        count = min(2 * done, ADAPTIVE_LIMIT)
        if count <= done:
            break
    return [tests[metric] for metric in range(len(statistics))]


def _run_tests(
    statistics: MetricStatistics,
    pairs: Sequence[Pair],
    test: SignificanceTest,
    settings: CompareSettings,
) -> PairTests:
    """Tests by a variance that needs no replicates: nothing about them is left to chance."""
    p = test.p_value(statistics, pairs, settings.alternative)
    adjusted = adjust(p, settings.correction)
    return PairTests(p, np.zeros_like(p), adjusted, 0, exact=False, decided=True, smallest_p=0.0)


class _Swapped:
    """Random swaps, of which only the extreme ones are counted."""

    def __init__(
        self,
        statistics: Sequence[MetricStatistics],
        pairs: Sequence[Pair],
        settings: CompareSettings,
        progress: Progress | None,
    ) -> None:
        self._statistics, self._pairs, self._settings = statistics, pairs, settings
        self._test, self._progress = find_test(settings.test), progress
        self._observed = [metric.sign * self._test.observed(metric, pairs) for metric in statistics]
        self._margins = [
            TIE_TOLERANCE * np.maximum(np.abs(observed), self._test.scale(metric))
            for observed, metric in zip(self._observed, statistics, strict=True)
        ]
        self._extreme = [np.zeros(len(pairs), dtype=np.int64) for _ in statistics]
        self._done = [0] * len(statistics)
        self._exact = False

    def make(self, metrics: Sequence[int], count: int) -> None:
        """Make as many replicates of these metrics as are missing; all metrics have as many."""
        chosen = [self._statistics[metric] for metric in metrics]
        swaps = Swaps(replicates=count, seed=self._settings.seed)
        first = self._done[metrics[0]]
        self._exact = swaps.enumerates(len(chosen[0].rows))
        if self._exact:
            first = 0
            for metric in metrics:
                self._extreme[metric][:] = 0
        else:
            swaps = replace(swaps, replicates=count - first)
        made = 0
        for blocks in self._test.swap_blocks(
            chosen, self._pairs, swaps, self._progress, first=first
        ):
            made += len(blocks[0])
            for metric, block in zip(metrics, blocks, strict=True):
                self._extreme[metric] += extreme_counts(
                    self._observed[metric],
                    self._statistics[metric].sign * block,
                    self._settings.alternative,
                    self._margins[metric],
                )
        for metric in metrics:
            self._done[metric] = first + made

    def evidence(self, metric: int) -> _Evidence:
        """What the swaps so far say by one metric."""
        extreme, count = self._extreme[metric], self._done[metric]
        p = extreme / count if self._exact else (extreme + 1) / (count + 1)
        return _Evidence(p, count, self._exact, partial(self._again, metric))

    def _again(self, metric: int) -> Iterator[Values]:
        statistics = self._statistics[metric]
        swaps = Swaps(replicates=self._done[metric], seed=self._settings.seed)
        for (block,) in self._test.swap_blocks([statistics], self._pairs, swaps):
            yield statistics.sign * block


class _Drawn:
    """Bootstrap replicates: systems' scores are kept, the differences of pairs are not."""

    def __init__(
        self,
        statistics: Sequence[MetricStatistics],
        pairs: Sequence[Pair],
        settings: CompareSettings,
        scores: Sequence[Values],
        draw: Draw,
    ) -> None:
        self._statistics, self._settings, self._draw = statistics, settings, draw
        self._test, self._scores = find_test(settings.test), list(scores)
        self._left, self._right = np.array(pairs).T
        self._observed = [metric.sign * self._test.observed(metric, pairs) for metric in statistics]

    def make(self, metrics: Sequence[int], count: int) -> None:
        """Draw as many replicates as are missing."""
        done = len(self._scores[metrics[0]])
        if count > done:
            further = self._draw(done, count - done)
            for metric in metrics:
                self._scores[metric] = np.concatenate([self._scores[metric], further[metric]])

    def evidence(self, metric: int) -> _Evidence:
        """What the draws so far say by one metric."""
        statistics, scores = self._statistics[metric], self._scores[metric]
        size = max(1, PAIR_BLOCK // len(scores))
        p = np.empty(len(self._left))
        for start in range(0, len(p), size):
            part = slice(start, start + size)
            p[part] = self._test.p_values(
                self._observed[metric][part],
                self._differences(scores, metric, part),
                self._settings.alternative,
                scale=statistics.scale,
            )
        return _Evidence(p, len(scores), exact=False, blocks=partial(self._null, metric))

    def _differences(self, scores: Values, metric: int, part: slice) -> Values:
        differences = scores[:, self._left[part]] - scores[:, self._right[part]]
        return np.asarray(self._statistics[metric].sign * differences)

    def _null(self, metric: int) -> Iterator[Values]:
        scores, observed = self._scores[metric], self._observed[metric]
        size = max(1, PAIR_BLOCK // len(observed))
        for start in range(0, len(scores), size):
            drawn = self._differences(scores[start : start + size], metric, slice(None))
            if self._test.null is not None:
                yield self._test.null(observed, drawn)
