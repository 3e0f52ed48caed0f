"""One metric's tests of all pairs: p-values, their correction, and how clear they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from truebleu.inference.block_design import scheffe_p, tukey_p
from truebleu.inference.monte_carlo import (
    decision,
    monte_carlo_error,
    monte_carlo_interval,
    smallest_p,
)
from truebleu.inference.multiplicity import adjust, westfall_young
from truebleu.inference.p_values import Centring, randomization_p, shifted_bootstrap_p
from truebleu.inference.settings import BLOCK_DESIGNS, WESTFALL_YOUNG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from truebleu.inference.counted import Counted
    from truebleu.inference.replication import Pair
    from truebleu.inference.settings import CompareSettings


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """p-values of all pairs by one metric."""

    p: NDArray[np.float64]
    p_se: NDArray[np.float64]
    p_adjusted: NDArray[np.float64]
    samples: int
    exact: bool
    decided: bool
    smallest_p: float


def test_pairs(
    one: Counted,
    pairs: Sequence[Pair],
    differences: NDArray[np.float64],
    settings: CompareSettings,
    *,
    exact: bool,
) -> Tested:
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
    samples = len(differences)
    p_se = np.zeros_like(p) if exact else monte_carlo_error(p, samples)
    if settings.correction in BLOCK_DESIGNS:
        adjusted = _block_design_p(one, pairs, settings.correction)
        return Tested(p, p_se, adjusted, samples, exact, decided=True, smallest_p=0.0)
    if settings.correction == WESTFALL_YOUNG:
        adjusted = westfall_young(observed, null, alternative, exact=exact, scale=scale)
        bounds = monte_carlo_interval(adjusted, samples)
    else:
        adjusted = adjust(p, settings.correction)
        low, high = monte_carlo_interval(p, samples)
        bounds = np.stack([adjust(low, settings.correction), adjust(high, settings.correction)])
    clear = [decision(low, high, settings.alpha) is not None for low, high in bounds.T]
    smallest = _smallest_p(len(pairs), samples, settings, exact=exact)
    return Tested(p, p_se, adjusted, samples, exact, exact or all(clear), smallest)


def _smallest_p(pairs: int, samples: int, settings: CompareSettings, *, exact: bool) -> float:
    """The adjusted p of differences so clear that no replicate reaches any of them.

    Of all swaps two are as extreme as none in a two-sided test: none, and that of every unit.
    """
    extreme = 2 if settings.alternative == "two-sided" else 1
    p = extreme / samples if exact else smallest_p(samples)
    if settings.correction == WESTFALL_YOUNG:
        return p
    return float(adjust(np.full(pairs, p), settings.correction).min())


def _block_design_p(one: Counted, pairs: Sequence[Pair], correction: str) -> NDArray[np.float64]:
    """Tukey's or Scheffé's p-values, corrected for all pairs (Riezler & Maxwell 2005, §4.4)."""
    means = one.unit_means(f"correction {correction}")
    p_of_pairs = tukey_p(means) if correction == "tukey" else scheffe_p(means)
    left, right = np.array(pairs).T
    return np.asarray(p_of_pairs[left, right])
