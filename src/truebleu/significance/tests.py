"""Tests of significance: the table of tests, and all pairs of systems tested by one of them.

A test says where its replicates come from and what p-value they give; see `p_values` for what each
assumes. All pairs by all metrics share the same replicates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import Bootstrap, Swaps, Units
from truebleu.significance._checks import Values
from truebleu.significance.corrections import CORRECTIONS, adjust
from truebleu.significance.optimizer_runs import two_way_p
from truebleu.significance.p_values import (
    ALTERNATIVES,
    Alternative,
    absolute_bootstrap_p,
    decision,
    monte_carlo_error,
    monte_carlo_interval,
    randomization_p,
    shifted_bootstrap_p,
    smallest_p,
)
from truebleu.significance.statistics import bootstrap_scores, swap_differences

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
        alternatives: those that can be tested.
        caution: what a reader of its p-values must know.
    """

    name: str
    title: str
    origin: str
    source: Source
    p_value: Callable[..., Values]
    null: Callable[[Values, Values], Values] | None = None
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
            return swap_differences(statistics, pairs, swaps, progress, first=start), exact
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
    test, correction = find_test(settings.test), CORRECTIONS[settings.correction]
    alternative, scale = settings.alternative, statistics.scale
    left, right = np.array(pairs).T
    # From here on more is better for the first system.
    observed = statistics.sign * (statistics.scores[left] - statistics.scores[right])
    differences = statistics.sign * differences
    p = test.p_values(observed, differences, alternative, exact=exact, scale=scale)
    replicates = len(differences)
    p_se = np.zeros_like(p) if exact else monte_carlo_error(p, replicates)
    # Of all swaps two are as extreme as none in a two-sided test: none, and that of every unit.
    extreme = 2 if alternative == "two-sided" else 1
    smallest = extreme / replicates if exact else smallest_p(replicates)
    if correction.basis == "segment scores":
        means = statistics.unit_means(f"correction {correction.name}")
        adjusted = correction.adjust(means)[left, right]
        return PairTests(p, p_se, adjusted, replicates, exact, decided=True, smallest_p=0.0)
    if correction.basis == "replicates":
        if test.null is None:
            raise SettingError("correction", correction.name, f"another one with {test.title}")
        null = test.null(observed, differences)
        adjusted = correction.adjust(observed, null, alternative, exact=exact, scale=scale)
        bounds = monte_carlo_interval(adjusted, replicates)
    else:
        adjusted = adjust(p, correction.name)
        # Corrections are monotone in every p-value.
        bounds = np.stack(
            [adjust(bound, correction.name) for bound in monte_carlo_interval(p, replicates)]
        )
        smallest = float(adjust(np.full(len(pairs), smallest), correction.name).min())
    clear = all(decision(low, high, settings.alpha) is not None for low, high in bounds.T)
    return PairTests(p, p_se, adjusted, replicates, exact, exact or clear, smallest)


# Tests of all pairs by all metrics, with as many replicates as were asked for or are needed.
#
# An adaptive comparison doubles the replicates of a metric until each of its decisions is clear
# of Monte-Carlo error. By swaps it starts with few; by the bootstrap with those that the
# intervals have.


# An adaptive comparison by swaps starts with this many, and every one gives up after so many.
ADAPTIVE_START = 1000
ADAPTIVE_LIMIT = 1_000_000
# Differences that may be kept while decisions are not clear: half a gigabyte.
ADAPTIVE_SIZE = 1 << 26

# Called with the first replicate and their number; by metric, scores shaped (replicate, system).
Draw = Callable[[int, int], Sequence[Values]]
# Called with the numbers of metrics, the first replicate and their number; by metric, differences
# shaped (replicate, pair), and whether these are those of all swaps there are.
_Make = Callable[[Sequence[int], int, int], tuple[Sequence[Values], bool]]


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
    start = settings.replicates
    test = find_test(settings.test)
    if test.source == "runs":
        return [_run_tests(metric, pairs, test, settings) for metric in statistics]
    if test.source == "swaps":
        units = len(statistics[0].rows)
        if settings.adaptive and not Swaps(replicates=start).enumerates(units):
            start = min(ADAPTIVE_START, start)
        return _test(
            statistics, pairs, settings, start, _swaps(statistics, pairs, settings, progress)
        )
    return _test(statistics, pairs, settings, len(scores[0]), _bootstrap(scores, pairs, draw))


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


def _swaps(
    statistics: Sequence[MetricStatistics],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    progress: Progress | None,
) -> _Make:
    def make(metrics: Sequence[int], first: int, count: int) -> tuple[Sequence[Values], bool]:
        chosen = [statistics[metric] for metric in metrics]
        all_so_far = Swaps(replicates=first + count, seed=settings.seed)
        if all_so_far.enumerates(len(statistics[0].rows)):
            return swap_differences(chosen, pairs, all_so_far, progress), True
        swaps = Swaps(replicates=count, seed=settings.seed)
        return swap_differences(chosen, pairs, swaps, progress, first=first), False

    return make


def _bootstrap(scores: Sequence[Values], pairs: Sequence[Pair], draw: Draw) -> _Make:
    left, right = np.array(pairs).T

    def make(metrics: Sequence[int], first: int, count: int) -> tuple[Sequence[Values], bool]:
        drawn = scores if first == 0 else draw(first, count)
        return [drawn[metric][:, left] - drawn[metric][:, right] for metric in metrics], False

    return make


def _test(
    statistics: Sequence[MetricStatistics],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    start: int,
    make: _Make,
) -> list[PairTests]:
    unclear = list(range(len(statistics)))
    made, exact = make(unclear, 0, start)
    differences = dict(enumerate(made))
    tests: dict[int, PairTests] = {}
    while True:
        for metric in unclear:
            tests[metric] = pair_tests(
                statistics[metric], pairs, differences[metric], settings, exact=exact
            )
        unclear = [metric for metric in unclear if not tests[metric].decided]
        differences = {metric: differences[metric] for metric in unclear}
        if not (settings.adaptive and unclear):
            break
        done = tests[unclear[0]].replicates
        most = min(ADAPTIVE_LIMIT, ADAPTIVE_SIZE // (len(pairs) * len(unclear)))
        further = min(done, most - done)
        if further <= 0:
            break
        made, exact = make(unclear, done, further)
        for metric, more in zip(unclear, made, strict=True):
            differences[metric] = more if exact else np.concatenate([differences[metric], more])
    return [tests[metric] for metric in range(len(statistics))]
