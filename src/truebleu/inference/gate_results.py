"""What a gate asks for and what it finds, as plain frozen values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from truebleu.errors import SettingError
from truebleu.inference.settings import CompareSettings
from truebleu.seeds import DEFAULT_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.inference.names import Unit
    from truebleu.inference.results import Bounds
    from truebleu.metrics.signature import Signature

RESULT_VERSION = 1

#: What a system must do to pass.
Rule = Literal["not worse", "within margin", "better"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What the gate asks for, and how it is tested.

    Attributes:
        margin: how much worse the new system may be, in points of the metric; 0 asks for a better
            one. None asks only that it is not shown to be worse.
        level: 1 minus the significance level of the one-sided test.
        samples: replicates, of the bootstrap and of the test.
        seed: any whole number from 0 up.
        unit: what is drawn or swapped as a whole.
        block_length: segments in a block, with unit "block".
        by_domain: draw within each domain, so that every replicate has the same mixture.
    """

    margin: float | None = None
    level: float = 0.95
    samples: int = 10_000
    seed: int = DEFAULT_SEED
    unit: Unit = "segment"
    block_length: int | None = None
    by_domain: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.level) and 0.5 < self.level < 1):
            raise SettingError("level", self.level, "a number between 0.5 and 1, such as 0.95")
        if self.margin is not None and not (isfinite(self.margin) and self.margin >= 0):
            raise SettingError("margin", self.margin, "a number from 0 up")
        self.as_comparison()  # refuses what is not possible

    @property
    def alpha(self) -> float:
        """The significance level, without the rounding of 1 - 0.9."""
        return round(1 - self.level, 12)

    @property
    def interval_level(self) -> float:
        """The level of the two-sided interval whose bounds the one-sided tests go with."""
        return 1 - 2 * self.alpha

    @property
    def rule(self) -> Rule:
        """What the new system must do."""
        if self.margin is None:
            return "not worse"
        return "within margin" if self.margin > 0 else "better"

    def as_comparison(self) -> CompareSettings:
        """The same resampling as settings of a comparison."""
        return CompareSettings(
            samples=self.samples,
            seed=self.seed,
            level=self.level,
            unit=self.unit,
            block_length=self.block_length,
            by_domain=self.by_domain,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, enough to repeat the decision."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """Whether the new system passes by one metric.

    Attributes:
        metric: the metric's label.
        signature: all that must match before its scores may be compared.
        higher_is_better: whether more is better.
        passed: whether it passes.
        new_score: of the new system.
        old_score: of the old system.
        difference: new score minus old score; below 0 is worse only if higher is better.
        interval: of the difference, at the level 2 level - 1.
        p: by the rule "not worse", how often an equal system would look as bad as this or worse;
            "better", as good as this or better; "within margin", how often replicates show it to be
            worse by the margin or more.
        p_se: Monte-Carlo standard error of p.
        samples: replicates of the test; all 2**units of them where that was no more.
        exact: whether those were all.
        note: what a reader must know, such as that the outputs are identical.
    """

    metric: str
    signature: Signature
    higher_is_better: bool
    passed: bool
    new_score: float
    old_score: float
    difference: float
    interval: Bounds
    p: float
    p_se: float
    samples: int
    exact: bool
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **asdict(self),
            "signature": str(self.signature),
            "interval": list(self.interval),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Whether the new system passes, and why."""

    new: str
    old: str
    rule: Rule
    checks: tuple[GateCheck, ...]
    test_set: Mapping[str, Any]
    settings: Mapping[str, Any]
    warnings: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether the new system passes by every metric."""
        return all(check.passed for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``gate --format json`` prints them."""
        return {
            "version": RESULT_VERSION,
            "passed": self.passed,
            "rule": self.rule,
            "new": self.new,
            "old": self.old,
            "test_set": dict(self.test_set),
            "settings": dict(self.settings),
            "checks": [check.to_dict() for check in self.checks],
            "warnings": [dict(warning) for warning in self.warnings],
        }
