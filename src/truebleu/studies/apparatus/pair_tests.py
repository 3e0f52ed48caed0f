"""Tests of equal systems: several at once, what they need, and how sure their error rates are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import MissingExtraError, SettingError, UnknownNameError
from truebleu.inference.arguments import TIE_TOLERANCE
from truebleu.inference.monte_carlo import monte_carlo_interval, replicates_for, smallest_p
from truebleu.inference.p_values import fewest_units
from truebleu.seeds import require_replicates
from truebleu.studies.apparatus.conclusions import TEST_NAMES, TESTS, Testing
from truebleu.studies.apparatus.shares import Share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.inference.counted import Counted

STUDENT = "student"
CONFIDENCE = 0.99
ALL_TESTS = (*TESTS, STUDENT)
NAMES = {**TEST_NAMES, STUDENT: "Student's paired t"}
# Where each test is described: Riezler & Maxwell 2005, Hall & Wilson 1991, Koehn 2004, Zhang &
# Vogel 2004, Student 1908; and who makes it so.
ORIGINS = {
    "ar": "R&M Fig. 1",
    "bootstrap": "Hall & Wilson",
    "bootstrap-absolute": "R&M Fig. 2, sacreBLEU",
    "wins": "Koehn §6",
    "interval": "Z&V §3.2",
    STUDENT: "Student",
}


class PairTests:
    """Several tests of one pair of systems."""

    def __init__(self, names: Sequence[str], samples: int, seed: int) -> None:
        if not names or isinstance(names, str):
            raise SettingError("tests", names, f"some of {', '.join(ALL_TESTS)}")
        for name in names:
            if name not in ALL_TESTS:
                raise UnknownNameError("test", name, ALL_TESTS)
        self.names = tuple(name for name in ALL_TESTS if name in names)
        resampling = tuple(name for name in self.names if name != STUDENT)
        self._testing = (
            Testing(tests=resampling, samples=samples, seed=seed) if resampling else None
        )

    def p_values(self, one: Counted, index: int) -> dict[str, float]:
        """The p-value of each test; repetition `index` has replicates of its own."""
        found = {}
        if self._testing is not None:
            by_test = self._testing.p_values(one, [(0, 1)], index)
            found = {test: float(p[0]) for test, p in by_test.items()}
        if STUDENT in self.names:
            found[STUDENT] = student_p(one)
        return found


def student_p(one: Counted) -> float:
    """Student's paired t-test of two systems' scores of segments, two-sided.

    Assumes that the differences of segments are independent and, unless there are many, normal.
    """
    scores = one.unit_means("test student")
    try:
        from scipy.stats import t
    except ImportError as error:
        raise MissingExtraError("Student's test", "stats") from error
    differences = scores[:, 0] - scores[:, 1]
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    rounding = TIE_TOLERANCE * float(np.abs(scores).max())
    if deviation <= rounding:
        # Nothing varies: either no difference at all, or the same one everywhere.
        return 1.0 if abs(mean) <= rounding else 0.0
    count = len(differences)
    return float(2 * t.sf(abs(mean) / (deviation / count**0.5), count - 1))


def share_of_rejections(rejections: int, repetitions: int) -> Share:
    """A share with its binomial interval at the level 99 %.

    Many tests, levels and metrics are judged side by side: at 95 % every twentieth of them would be
    blamed for what was chance.
    """
    value = rejections / repetitions
    low, high = monte_carlo_interval(value, repetitions, CONFIDENCE)
    return Share(value, float(low), float(high))


def require_enough_samples(samples: int, alpha: float) -> None:
    """Refuse so few replicates that no p-value could be as small as alpha."""
    require_replicates("samples", samples)
    least = replicates_for(alpha)
    if samples < least:
        smallest = f"with {samples} the smallest possible p is {smallest_p(samples):.3g}"
        raise SettingError(
            "samples", samples, f"at least {least} at the level {alpha:g}; {smallest}"
        )


def require_enough_units(units: int, unit: str, alpha: float) -> None:
    """Refuse so few units that no exchange of them could have a p-value as small as alpha."""
    least = fewest_units(alpha)
    if units < least:
        expected = f"at least {least}: swaps of fewer never give a p of {alpha:g} or less"
        raise SettingError("test set", f"{units} {unit}s", expected)
