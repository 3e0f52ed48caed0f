"""Settings of resampling, of intervals and of comparisons: what results keep, checked once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.errors import SettingError
from truebleu.resampling import Units
from truebleu.significance._checks import require_flag, require_level, require_name, require_number
from truebleu.significance._names import INTERVALS, UNITS, IntervalName, Unit
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.intervals import smallest_replicates
from truebleu.significance.p_values import ALTERNATIVES, Alternative, replicates_for, smallest_p
from truebleu.significance.tests import TESTS

if TYPE_CHECKING:
    from truebleu.corpus import TestSet

#: What swaps exchange where systems have several runs: all runs of a unit, or each by itself.
RunSwaps = Literal["together", "separately"]
RUN_SWAPS: tuple[RunSwaps, ...] = get_args(RunSwaps)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResamplingSettings:
    """How test sets are resampled, and how sure an answer must be.

    Attributes:
        replicates: how many, of the bootstrap and of a test.
        seed: any whole number from 0 up.
        level: of intervals, and 1 minus the significance level of tests.
        unit: what is drawn or swapped as a whole.
        block_length: segments in a block, with unit "block".
        by_domain: draw within each domain, so that every replicate has the same mixture.
    """

    replicates: int = 10_000
    seed: int = DEFAULT_SEED
    level: float = 0.95
    unit: Unit = "segment"
    block_length: int | None = None
    by_domain: bool = False

    def __post_init__(self) -> None:
        require_name("unit", self.unit, UNITS)
        require_seed(self.seed)
        require_replicates("replicates", self.replicates)
        require_flag("by_domain", self.by_domain)
        require_level(self.level)
        if not 0 < self.alpha < 1:  # a level that rounding takes to 0 or 1
            raise SettingError("level", self.level, "a number between 0 and 1, such as 0.95")
        least = max(smallest_replicates(self.level), replicates_for(self.alpha))
        if self.replicates < least:
            expected = (
                f"at least {least} at the level {self.level:g}; with {self.replicates} the "
                f"smallest possible p is {smallest_p(self.replicates):.3g}"
            )
            raise SettingError("replicates", self.replicates, expected)
        if (self.unit == "block") != (self.block_length is not None):
            expected = "a length with unit 'block', and none with another unit"
            raise SettingError("block_length", self.block_length, expected)

    @property
    def alpha(self) -> float:
        """The significance level; 1 - 0.9 is 0.09999999999999998 in floats, and means 0.1."""
        return round(1 - self.level, 12)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to repeat what was done."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalSettings(ResamplingSettings):
    """How intervals of scores are made.

    Attributes:
        interval: the method; one of `intervals.INTERVAL_METHODS`.
    """

    interval: IntervalName = "percentile"

    def __post_init__(self) -> None:
        ResamplingSettings.__post_init__(self)
        require_name("interval", self.interval, INTERVALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings(IntervalSettings):
    """Settings of a comparison; the defaults are what we would report.

    Attributes:
        test: one of `tests.TESTS`.
        correction: for many comparisons by one metric; one of `corrections.CORRECTIONS`.
        alternative: "two-sided"; "greater" asks only whether the first system is better.
        margin: the largest difference that does not matter; adds a test of equivalence.
        adaptive: make as many replicates as the test needs for every decision to be clear: fewer
            swaps than replicates, or more of them or of the bootstrap's, up to a million.
        baseline: compare all others with this system, instead of all pairs.
        swap_runs: what swaps exchange where systems have several runs; see `optimizer_runs`.
    """

    test: str = "ar"
    correction: str = "holm"
    alternative: Alternative = "two-sided"
    margin: float | None = None
    adaptive: bool = False
    baseline: str | None = None
    swap_runs: RunSwaps = "together"

    def __post_init__(self) -> None:
        IntervalSettings.__post_init__(self)
        require_name("test", self.test, TESTS)
        require_name("correction", self.correction, CORRECTIONS)
        require_name("alternative", self.alternative, ALTERNATIVES)
        require_name("swap_runs", self.swap_runs, RUN_SWAPS)
        require_flag("adaptive", self.adaptive)
        if self.margin is not None and not require_number("margin", self.margin) > 0:
            raise SettingError("margin", self.margin, "a number above 0")
        self._require_compatible()

    def _require_compatible(self) -> None:
        """Refuse what the test or the correction would leave without meaning or effect."""
        test, correction = TESTS[self.test], CORRECTIONS[self.correction]
        if self.swap_runs != "together" and test.source != "swaps":
            raise SettingError("swap_runs", self.swap_runs, "a test that swaps outputs")
        if self.alternative not in test.alternatives:
            raise SettingError("alternative", self.alternative, "'two-sided' with this test")
        if correction.basis == "replicates" and test.null is None:
            expected = "another one with this test, whose replicates do not vary around 0"
            raise SettingError("correction", self.correction, expected)
        if correction.basis == "segment scores":
            name = self.correction
            if self.alternative != "two-sided":
                raise SettingError("alternative", self.alternative, f"'two-sided' with {name}")
            if self.adaptive:
                expected = f"False with {name}, which needs no replicates"
                raise SettingError("adaptive", True, expected)


def units_of(test_set: TestSet, settings: ResamplingSettings) -> Units:
    """What is drawn or swapped as a whole; at least two of them, or nothing can be resampled."""
    strata = None
    if settings.by_domain:
        if test_set.domains is None:
            raise SettingError("by_domain", True, "a test set with domains; see --documents")
        strata = test_set.domains
    if settings.unit == "document":
        if test_set.documents is None:
            raise SettingError("unit", "document", "a test set with documents; see --documents")
        units = Units.documents(test_set.documents, strata)
    elif settings.block_length is not None:
        units = Units.blocks(len(test_set), settings.block_length, strata)
    else:
        units = Units.segments(len(test_set), strata)
    if len(units) < 2:
        found = f"one {settings.unit}"
        raise SettingError("test set", found, "at least two: one says nothing about the spread")
    return units
