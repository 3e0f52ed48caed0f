"""What is asked of a plan: the power, the level, the units and the number of comparisons."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal, get_args

from truebleu.errors import SettingError, UnknownNameError
from truebleu.inference.arguments import require_level
from truebleu.inference.intervals import smallest_replicates
from truebleu.inference.p_values import ALTERNATIVES, Alternative
from truebleu.planning.power import TestPlan
from truebleu.seeds import DEFAULT_SEED, require_replicates, require_seed

# Scores, their differences and their spread lie far within: what lies outside is a slip.
SMALLEST_NUMBER, LARGEST_NUMBER = 1e-100, 1e100

PlanUnit = Literal["segment", "document"]
PLAN_UNITS: tuple[PlanUnit, ...] = get_args(PlanUnit)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """Settings of a plan.

    Attributes:
        power: how often a difference that is there should be found.
        level: 1 minus the significance level of the test, and the level of intervals.
        alternative: "two-sided"; "greater" asks only whether the system is better than the
            baseline, "less" whether it is worse.
        unit: what the test will swap as a whole.
        comparisons: tests among which any false alarm counts: Bonferroni's correction divides the
            significance level by it. None for as many as there are pairs.
        baseline: the system that the others are compared with; None for the first of two.
        samples: bootstrap replicates for the interval of the standard deviation.
        seed: of these replicates.
    """

    power: float = 0.8
    level: float = 0.95
    alternative: Alternative = "two-sided"
    unit: PlanUnit = "segment"
    comparisons: int | None = None
    baseline: str | None = None
    samples: int = 10_000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        require_level(self.level)
        if self.alternative not in ALTERNATIVES:
            raise UnknownNameError("alternative", self.alternative, ALTERNATIVES)
        if self.unit not in PLAN_UNITS:
            raise UnknownNameError("unit", self.unit, PLAN_UNITS)
        require_seed(self.seed)
        require_replicates("samples", self.samples)
        if self.samples < smallest_replicates(self.level):
            least = smallest_replicates(self.level)
            raise SettingError("samples", self.samples, f"at least {least} at this level")
        self._require_comparisons()
        if not (isfinite(self.power) and 0 < self.power < 1):
            raise SettingError("power", self.power, "a number between 0 and 1, such as 0.8")
        if self.power <= self.alpha:
            expected = f"more than {self.alpha:g}, how often even equal systems seem to differ"
            raise SettingError("power", self.power, expected)

    @property
    def alpha(self) -> float:
        """The significance level of all tests together."""
        return round(1 - self.level, 12)

    def test(self, pairs: int) -> TestPlan:
        """The test of one of so many pairs."""
        return TestPlan(self.alpha / (self.comparisons or pairs), self.alternative)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to repeat the plan."""
        return asdict(self)

    def _require_comparisons(self) -> None:
        found = self.comparisons
        whole = isinstance(found, int) and not isinstance(found, bool)
        if found is not None and not (whole and 1 <= found <= 10**9):
            raise SettingError("comparisons", found, "a whole number from 1 to 1000000000")


def require_difference(difference: float) -> float:
    """The difference as a float, refused unless it is above 0."""
    if not SMALLEST_NUMBER <= difference <= LARGEST_NUMBER:
        expected = "a number above 0: the smallest difference that matters to you"
        raise SettingError("difference", difference, expected)
    return float(difference)
