"""A family of comparisons: all pairs of several systems tested at once, by every correction."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError, UnknownNameError
from truebleu.inference.counted import Counted
from truebleu.inference.monte_carlo import smallest_p
from truebleu.inference.multiplicity import CORRECTIONS, adjust
from truebleu.inference.replication import bootstrap_scores, swap_differences
from truebleu.inference.settings import ALL_CORRECTIONS, CompareSettings
from truebleu.inference.testing import test_pairs as p_values_of
from truebleu.resampling import Bootstrap, Swaps, Units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from truebleu.inference.replication import Pair
    from truebleu.inference.settings import Test

CORRECTION_NAMES = {
    "none": "none",
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "westfall-young": "Westfall-Young",
    "tukey": "Tukey",
    "scheffe": "Scheffé",
}


def number_of_pairs(systems: int) -> int:
    """How many comparisons so many systems make."""
    return systems * (systems - 1) // 2


def settings_of(
    corrections: Sequence[str], test: Test, alpha: float, samples: int, seed: int
) -> dict[str, CompareSettings]:
    """How `compare` would be asked for each correction; it refuses what makes no sense."""
    if not corrections or isinstance(corrections, str):
        raise SettingError("corrections", corrections, f"some of {', '.join(ALL_CORRECTIONS)}")
    for correction in corrections:
        if correction not in ALL_CORRECTIONS:
            raise UnknownNameError("correction", correction, ALL_CORRECTIONS)
    return {
        correction: CompareSettings(
            test=test, samples=samples, seed=seed, level=1 - alpha, correction=correction
        )
        for correction in ALL_CORRECTIONS
        if correction in corrections
    }


def require_resolution(settings: Mapping[str, CompareSettings], systems: int) -> None:
    """Refuse so few replicates that a correction could never reject anything."""
    comparisons = number_of_pairs(systems)
    for correction, one in settings.items():
        if correction not in CORRECTIONS:
            continue
        p_values = np.ones(comparisons)
        p_values[0] = smallest_p(one.samples)
        if (clearest := float(adjust(p_values, correction).min())) > one.alpha:
            least = ceil(clearest / p_values[0] / one.alpha)
            expected = (
                f"at least {least}: corrected for {comparisons} comparisons by "
                f"{CORRECTION_NAMES[correction]}, the smallest possible p is {clearest:.3g}"
            )
            raise SettingError("samples", one.samples, expected)


def alarms_of(
    one: Counted, index: int, sizes: Sequence[int], settings: Mapping[str, CompareSettings]
) -> dict[tuple[int, str], bool]:
    """Whether anything is rejected among the first so many systems, for each correction.

    Repetition `index` has replicates of its own.
    """
    pairs = list(combinations(range(one.systems), 2))
    differences, exact = _differences(one, pairs, index, next(iter(settings.values())))
    found = {}
    for size in sizes:
        columns = [place for place, pair in enumerate(pairs) if max(pair) < size]
        some = [pairs[place] for place in columns]
        first = Counted(one.label, one.metric, np.ascontiguousarray(one.rows[:, :size]))
        for correction, setting in settings.items():
            tested = p_values_of(first, some, differences[:, columns], setting, exact=exact)
            found[size, correction] = bool((tested.p_adjusted <= setting.alpha).any())
    return found


def _differences(
    one: Counted, pairs: Sequence[Pair], index: int, settings: CompareSettings
) -> tuple[NDArray[np.float64], bool]:
    """The differences of all pairs in replicates of their own; whether these are all there are."""
    first = index * settings.samples
    if settings.test == "ar":
        swaps = Swaps(replicates=settings.samples, seed=settings.seed)
        exact = swaps.enumerates(len(one.rows))
        (swapped,) = swap_differences([one], pairs, swaps, first=0 if exact else first)
        return swapped, exact
    bootstrap = Bootstrap(replicates=settings.samples, seed=settings.seed)
    (scores,) = bootstrap_scores([one], Units.segments(len(one.rows)), bootstrap, first=first)
    left, right = np.array(pairs).T
    return scores[:, left] - scores[:, right], False
