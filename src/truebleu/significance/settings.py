"""How systems are compared: the test, its size, its seed, its level and its correction."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal, get_args

from truebleu._seeds import DEFAULT_SEED, require_replicates, require_seed
from truebleu.errors import SettingError, UnknownNameError
from truebleu.significance._names import INTERVALS, UNITS, IntervalMethod, Unit
from truebleu.significance.corrections import CORRECTIONS
from truebleu.significance.intervals import smallest_replicates
from truebleu.significance.p_values import ALTERNATIVES, Alternative, replicates_for, smallest_p

Test = Literal["ar", "bootstrap", "bootstrap-absolute"]

TESTS: tuple[Test, ...] = get_args(Test)
WESTFALL_YOUNG = "westfall-young"
# These test and correct at once, by an analysis of variance of segment scores.
BLOCK_DESIGNS = ("tukey", "scheffe")
ALL_CORRECTIONS = (*CORRECTIONS, WESTFALL_YOUNG, *BLOCK_DESIGNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """Settings of a comparison; the defaults are what we would report.

    Attributes:
        test: "ar" approximate randomization; "bootstrap" the shifted bootstrap, signed then
            centred; "bootstrap-absolute" as Riezler & Maxwell's Fig. 2 and sacreBLEU have it,
            which rejects too often and is there to compare with.
        replicates: replicates, of the bootstrap and of the test.
        seed: any whole number from 0 up.
        level: of the intervals, and 1 minus the significance level of the tests.
        correction: for many comparisons by one metric; one of ALL_CORRECTIONS. Tukey's and
            Scheffé's are for metrics that are means over segments.
        unit: what is drawn or swapped as a whole.
        block_length: segments in a block, with unit "block".
        by_domain: draw within each domain, so that every replicate has the same mixture.
        alternative: "two-sided"; "greater" asks only whether the first system is better.
        interval: how intervals are made of the replicates.
        margin: the largest difference that does not matter; adds a test of equivalence.
        adaptive: make as many replicates as the test needs for every decision to be clear: fewer
            swaps than replicates, or more of them or of the bootstrap's, up to a million.
        baseline: compare all others with this system, instead of all pairs.
    """

    test: Test = "ar"
    replicates: int = 10_000
    seed: int = DEFAULT_SEED
    level: float = 0.95
    correction: str = "holm"
    unit: Unit = "segment"
    block_length: int | None = None
    by_domain: bool = False
    alternative: Alternative = "two-sided"
    interval: IntervalMethod = "percentile"
    margin: float | None = None
    adaptive: bool = False
    baseline: str | None = None

    def __post_init__(self) -> None:
        _require_name("test", self.test, TESTS)
        _require_name("unit", self.unit, UNITS)
        _require_name("correction", self.correction, ALL_CORRECTIONS)
        _require_name("alternative", self.alternative, ALTERNATIVES)
        _require_name("interval", self.interval, INTERVALS)
        require_seed(self.seed)
        require_replicates("replicates", self.replicates)
        if not (isfinite(self.level) and 0 < self.alpha < 1):
            raise SettingError("level", self.level, "a number between 0 and 1, such as 0.95")
        self._require_enough_replicates()
        if (self.unit == "block") != (self.block_length is not None):
            expected = "a length with unit 'block', and none with another unit"
            raise SettingError("block_length", self.block_length, expected)
        if self.margin is not None and not (isfinite(self.margin) and self.margin > 0):
            raise SettingError("margin", self.margin, "a number above 0")
        if self.test == "bootstrap-absolute":
            self._require_absolute()
        if self.correction in BLOCK_DESIGNS:
            self._require_block_design()

    @property
    def alpha(self) -> float:
        """The significance level; 1 - 0.9 is 0.09999999999999998 in floats, and means 0.1."""
        return round(1 - self.level, 12)

    def _require_enough_replicates(self) -> None:
        least = max(smallest_replicates(self.level), replicates_for(self.alpha))
        if self.replicates < least:
            p = smallest_p(self.replicates)
            expected = (
                f"at least {least} at the level {self.level:g}; with {self.replicates} the "
                f"smallest possible p is {p:.3g}"
            )
            raise SettingError("replicates", self.replicates, expected)

    def _require_absolute(self) -> None:
        """Refuse what has no meaning for absolute differences."""
        if self.alternative != "two-sided":
            raise SettingError("alternative", self.alternative, "'two-sided' with this test")
        if self.correction == WESTFALL_YOUNG:
            expected = "another one with this test, whose replicates do not vary around 0"
            raise SettingError("correction", self.correction, expected)

    def _require_block_design(self) -> None:
        """Refuse what these corrections would leave without effect."""
        name = self.correction
        if self.alternative != "two-sided":
            raise SettingError("alternative", self.alternative, f"'two-sided' with {name}")
        if self.adaptive:
            raise SettingError("adaptive", True, f"False with {name}, which needs no replicates")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to repeat the comparison."""
        return asdict(self)


def _require_name(setting: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise UnknownNameError(setting, name, known)
