"""One metric's tests of all pairs: p-values, their correction, and how clear they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.resampling import Swaps
from truebleu.significance.corrections import adjust, scheffe_p, tukey_p, westfall_young
from truebleu.significance.p_values import (
    Centring,
    decision,
    monte_carlo_error,
    monte_carlo_interval,
    randomization_p,
    shifted_bootstrap_p,
    smallest_p,
)
from truebleu.significance.settings import BLOCK_DESIGNS, WESTFALL_YOUNG
from truebleu.significance.statistics import swap_differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.significance.settings import CompareSettings
    from truebleu.significance.statistics import MetricStatistics, Pair, Progress


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """p-values of all pairs by one metric."""

    p: NDArray[np.float64]
    p_se: NDArray[np.float64]
    p_adjusted: NDArray[np.float64]
    replicates: int
    exact: bool
    decided: bool
    smallest_p: float


def test_pairs(
    one: MetricStatistics,
    pairs: Sequence[Pair],
    differences: NDArray[np.float64],
    settings: CompareSettings,
    *,
    exact: bool,
) -> PairTests:
    """Test the observed difference of each pair against those of the replicates.

    Args:
        one: the counts of all systems by one metric.
        pairs: the systems of each comparison.
        differences: shaped (replicate, pair): after swaps for "ar", bootstrap differences for the
            other tests.
        settings: which test, alternative, level and correction.
        exact: the replicates are all possible swaps.
    """
    left, right = np.array(pairs).T
    # From here on more is better for the first system.
    observed = one.sign * (one.scores[left] - one.scores[right])
    differences = one.sign * differences
    scale = one.scale
    alternative = settings.alternative
    if settings.test == "ar":
        p = randomization_p(observed, differences, alternative, exact=exact, scale=scale)
        null = differences
    else:
        centring: Centring = "absolute" if settings.test == "bootstrap-absolute" else "signed"
        p = shifted_bootstrap_p(observed, differences, alternative, centring, scale=scale)
        null = differences - observed
    replicates = len(differences)
    p_se = np.zeros_like(p) if exact else monte_carlo_error(p, replicates)
    if settings.correction in BLOCK_DESIGNS:
        adjusted = _block_design_p(one, pairs, settings.correction)
        return PairTests(p, p_se, adjusted, replicates, exact, decided=True, smallest_p=0.0)
    if settings.correction == WESTFALL_YOUNG:
        adjusted = westfall_young(observed, null, alternative, exact=exact, scale=scale)
        bounds = monte_carlo_interval(adjusted, replicates)
    else:
        adjusted = adjust(p, settings.correction)
        low, high = monte_carlo_interval(p, replicates)
        bounds = np.stack([adjust(low, settings.correction), adjust(high, settings.correction)])
    clear = [decision(low, high, settings.alpha) is not None for low, high in bounds.T]
    smallest = _smallest_p(len(pairs), replicates, settings, exact=exact)
    return PairTests(p, p_se, adjusted, replicates, exact, exact or all(clear), smallest)


def _smallest_p(pairs: int, replicates: int, settings: CompareSettings, *, exact: bool) -> float:
    """The adjusted p of differences so clear that no replicate reaches any of them.

    Of all swaps two are as extreme as none in a two-sided test: none, and that of every unit.
    """
    extreme = 2 if settings.alternative == "two-sided" else 1
    p = extreme / replicates if exact else smallest_p(replicates)
    if settings.correction == WESTFALL_YOUNG:
        return p
    return float(adjust(np.full(pairs, p), settings.correction).min())


def _block_design_p(
    one: MetricStatistics, pairs: Sequence[Pair], correction: str
) -> NDArray[np.float64]:
    """Tukey's or Scheffé's p-values, corrected for all pairs (Riezler & Maxwell 2005, §4.4)."""
    means = one.unit_means(f"correction {correction}")
    p_of_pairs = tukey_p(means) if correction == "tukey" else scheffe_p(means)
    left, right = np.array(pairs).T
    return np.asarray(p_of_pairs[left, right])


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
Draw = Callable[[int, int], "Sequence[NDArray[np.float64]]"]
# Called with the numbers of metrics, the first replicate and their number; by metric, differences
# shaped (replicate, pair), and whether these are those of all swaps there are.
_Make = Callable[[Sequence[int], int, int], "tuple[Sequence[NDArray[np.float64]], bool]"]


def test_by_swaps(
    counted: Sequence[MetricStatistics],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    progress: Progress | None,
) -> list[PairTests]:
    """Test all pairs by all metrics with approximate randomization."""
    units = len(counted[0].rows)

    def make(
        metrics: Sequence[int], first: int, count: int
    ) -> tuple[Sequence[NDArray[np.float64]], bool]:
        chosen = [counted[metric] for metric in metrics]
        all_so_far = Swaps(replicates=first + count, seed=settings.seed)
        if all_so_far.enumerates(units):
            return swap_differences(chosen, pairs, all_so_far, progress), True
        swaps = Swaps(replicates=count, seed=settings.seed)
        return swap_differences(chosen, pairs, swaps, progress, first=first), False

    start = settings.replicates
    if settings.adaptive and not Swaps(replicates=start).enumerates(units):
        start = min(ADAPTIVE_START, start)
    return _test(counted, pairs, settings, start, make)


def test_by_bootstrap(
    counted: Sequence[MetricStatistics],
    scores: Sequence[NDArray[np.float64]],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    draw: Draw,
) -> list[PairTests]:
    """Test all pairs by all metrics with the shifted bootstrap.

    Args:
        counted: the counts, one for each metric.
        scores: for each metric the scores on the first replicates, shaped (replicate, system).
        pairs: the systems of each comparison.
        settings: which form of the test, and how many replicates.
        draw: makes scores on further replicates.
    """
    left, right = np.array(pairs).T

    def make(
        metrics: Sequence[int], first: int, count: int
    ) -> tuple[Sequence[NDArray[np.float64]], bool]:
        drawn = scores if first == 0 else draw(first, count)
        return [drawn[metric][:, left] - drawn[metric][:, right] for metric in metrics], False

    return _test(counted, pairs, settings, len(scores[0]), make)


def _test(
    counted: Sequence[MetricStatistics],
    pairs: Sequence[Pair],
    settings: CompareSettings,
    start: int,
    make: _Make,
) -> list[PairTests]:
    unclear = list(range(len(counted)))
    made, exact = make(unclear, 0, start)
    differences = dict(enumerate(made))
    tested: dict[int, PairTests] = {}
    while True:
        for metric in unclear:
            found = differences[metric]
            tested[metric] = test_pairs(counted[metric], pairs, found, settings, exact=exact)
        unclear = [metric for metric in unclear if not tested[metric].decided]
        differences = {metric: differences[metric] for metric in unclear}
        if not (settings.adaptive and unclear):
            break
        done = tested[unclear[0]].replicates
        most = min(ADAPTIVE_LIMIT, ADAPTIVE_SIZE // (len(pairs) * len(unclear)))
        further = min(done, most - done)
        if further <= 0:
            break
        made, exact = make(unclear, done, further)
        for metric, more in zip(unclear, made, strict=True):
            differences[metric] = more if exact else np.concatenate([differences[metric], more])
    return [tested[metric] for metric in range(len(counted))]
