"""Settings of resampling, of intervals and of comparisons: what results keep, checked once."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from truebleu import schema
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Swaps, Units
from truebleu.significance.corrections import CORRECTIONS, default_correction, smallest_factor
from truebleu.significance.intervals import smallest_replicates
from truebleu.significance.tests import (
    TESTS,
    default_replicates,
    find_test,
    replicates_for,
    smallest_p,
)

if TYPE_CHECKING:
    from truebleu.corpus.outline import Outline

__all__ = ["CompareSettings", "IntervalSettings", "ResamplingSettings"]


#: What corrections are for: the comparisons by each metric, or by all metrics together.
FAMILIES = ("pairs", "metrics")


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

    replicates: Annotated[int, schema.Setting(least=1)] = schema.DEFAULT_REPLICATES
    seed: schema.Seed = schema.DEFAULT_SEED
    level: Annotated[float, schema.Setting(above=0, below=1)] = 0.95
    unit: schema.Unit = "segment"
    block_length: int | None = None
    by_domain: bool = False

    def __post_init__(self) -> None:
        schema.check_fields(self)
        schema.require_replicates("replicates", self.replicates)
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

    interval: schema.IntervalName = "percentile"

    def __post_init__(self) -> None:
        ResamplingSettings.__post_init__(self)
        schema.require_name("interval", self.interval, self._intervals())

    def drawn(self, replicates: int | None = None) -> Bootstrap:
        """The bootstrap of so many replicates, or of as many as the settings say."""
        count = self.replicates if replicates is None else replicates
        return Bootstrap(replicates=count, seed=self.seed)

    def _intervals(self) -> tuple[schema.IntervalName, ...]:
        """The methods that fit the other settings."""
        return schema.INTERVALS


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings(IntervalSettings):
    """Settings of a comparison; the defaults are what we would report.

    Attributes:
        test: one of `tests.TESTS`.
        test_replicates: of the test, where so many comparisons need more than the bootstrap; None
            for as many.
        correction: for many comparisons by one metric; one of `corrections.CORRECTIONS`.
        alternative: "two-sided"; "greater" asks only whether the first system is better.
        margin: the largest difference that does not matter; adds a test of equivalence.
        adaptive: make as many replicates as the test needs for every decision to be clear: fewer
            swaps than replicates, or more of them or of the bootstrap's, up to a million.
        baseline: compare all others with this system, instead of all pairs.
        about: where systems have several runs, whether the verdict is about "further-runs" of them
            or "these-runs" only; None where they have not.
        swap_runs: what swaps exchange in a verdict on these runs; see `optimizer_runs`.
        primary: the metric whose verdict counts, where there are several; None for a single one.
        correct_over: "pairs" for the comparisons by each metric, of which the primary one's count;
            "metrics" for those by all metrics together, all of which count.
    """

    test: Annotated[str, schema.Setting(choices=tuple(TESTS))] = "ar"
    test_replicates: Annotated[int | None, schema.Setting(least=1)] = None
    correction: Annotated[str, schema.Setting(choices=tuple(CORRECTIONS))] = "holm"
    alternative: schema.Alternative = "two-sided"
    margin: schema.Margin = None
    adaptive: bool = False
    baseline: str | None = None
    about: schema.About | None = None
    swap_runs: schema.RunSwaps = "together"
    primary: str | None = None
    correct_over: Annotated[str, schema.Setting(choices=FAMILIES)] = "pairs"

    def __post_init__(self) -> None:
        IntervalSettings.__post_init__(self)
        self._require_compatible()

    @property
    def p_value_correction(self) -> str:
        """The correction of equivalence tests and of groups: the chosen one, or Holm's.

        Those that look at replicates or segment scores look for differences on the whole test set.
        """
        return self.correction if CORRECTIONS[self.correction].basis == "p-values" else "holm"

    def _intervals(self) -> tuple[schema.IntervalName, ...]:
        return schema.INTERVALS if self.about != "further-runs" else ("two-way",)

    def _require_compatible(self) -> None:
        """Refuse what the test or the correction would leave without meaning or effect."""
        test, correction = TESTS[self.test], CORRECTIONS[self.correction]
        if (test.source == "runs") != (self.about == "further-runs"):
            expected = f"about 'these-runs' with the test {self.test!r}"
            if test.source == "runs":
                expected = f"about 'further-runs' with the test {self.test!r}, and runs"
            raise SettingError("about", self.about, expected)
        if self.swap_runs != "together" and test.source != "swaps":
            expected = "a test that swaps outputs, about 'these-runs'"
            raise SettingError("swap_runs", self.swap_runs, expected)
        if self.adaptive and test.source == "runs":
            expected = f"False with the test {self.test!r}, which needs no replicates"
            raise SettingError("adaptive", True, expected)
        if self.correct_over == "metrics" and correction.basis != "p-values":
            expected = "one of p-values, such as holm, to correct over metrics"
            raise SettingError("correction", self.correction, expected)
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


def resolve_about(about: schema.About | None, runs: int | None) -> schema.About | None:
    """What a verdict is about, of systems with so many runs each; None for no runs.

    Further runs, unless these are asked for or there is one run each, which shows nothing of how
    runs vary.
    """
    if about is not None and runs is None:
        raise SettingError("about", about, "runs beside it: without runs it does nothing")
    if about == "further-runs" and runs == 1:
        expected = "two runs or more of each system: one does not show how runs vary"
        raise SettingError("about", about, expected)
    if about is None and runs is not None and runs > 1:
        return "further-runs"
    return about


def default_interval(
    about: schema.About | None, unit: schema.Unit = "segment", *, by_domain: bool = False
) -> schema.IntervalName:
    """The interval that goes with a verdict: what covers best (docs/evidence/defaults.md).

    By documents that is Hall's skewness-corrected t; within domains the bootstrap's, which knows
    strata.
    """
    if about == "further-runs":
        return "two-way"
    return "percentile" if unit == "segment" or by_domain else "hall"


def chosen_unit(unit: schema.Unit | None, outline: Outline) -> schema.Unit:
    """Return the unit; None means the document if several are known, else the segment.

    Segments of one document are no independent draws: taken as such, tests by segment find
    differences in a quarter of the pairs of equal systems (docs/evidence/defaults.md).
    """
    if unit is not None:
        return unit
    documents = outline.documents
    return "document" if documents is not None and len(set(documents)) > 1 else "segment"


def units_of(outline: Outline, settings: ResamplingSettings) -> Units:
    """Return the units to resample or swap; raises SettingError for fewer than two."""
    strata = None
    if settings.by_domain:
        if outline.domains is None:
            raise SettingError("by_domain", True, "a test set with domains; see --documents")
        strata = outline.domains
    if settings.unit == "document":
        if outline.documents is None:
            raise SettingError("unit", "document", "a test set with documents; see --documents")
        units = Units.documents(outline.documents, strata)
    elif settings.block_length is not None:
        units = Units.blocks(outline.segments, settings.block_length, strata)
    else:
        units = Units.segments(outline.segments, strata)
    if len(units) < 2:
        found = f"one {settings.unit}"
        raise SettingError("test set", found, "at least two: one says nothing about the spread")
    return units


def name_of_unit(
    outline: Outline, units: Units, settings: ResamplingSettings, unit: int | None
) -> str | None:
    """Name a unit: by its document, or by the name or number of its first segment."""
    if unit is None:
        return None
    first = int((units.of_segment == unit).argmax())
    if settings.unit == "document" and outline.documents is not None:
        return outline.documents[first]
    return str(first + 1) if outline.names is None else outline.names[first]


def known_clusters(outline: Outline, settings: ResamplingSettings) -> tuple[Units, Units] | None:
    """Return the segments, and the documents or blocks that cluster them; None without clusters."""
    by_segment = Units.segments(outline.segments)
    if settings.unit == "block" and settings.block_length is not None:
        return by_segment, Units.blocks(outline.segments, settings.block_length)
    if outline.documents is None or len(set(outline.documents)) < 2:
        return None
    return by_segment, Units.documents(outline.documents)


def for_comparisons(
    settings: CompareSettings,
    comparisons: int,
    units: int,
    *,
    replicates: int | None,
    correction: str | None,
) -> CompareSettings:
    """The settings with what was left open chosen for so many comparisons.

    Refuses replicates and corrections by which no difference, however clear, could be significant.
    """
    test = find_test(settings.test)
    if correction is None and test.null is not None:
        settings = replace(settings, correction=default_correction(comparisons))
    name, alpha = settings.correction, settings.alpha
    if replicates is None:
        needed = default_replicates(name, comparisons, alpha)
        more = needed if needed > settings.replicates else None
        return replace(settings, test_replicates=more)
    exact = test.source == "swaps" and Swaps(replicates=replicates).enumerates(units)
    if not exact and not settings.adaptive:
        hint = ", or use westfall-young, which needs no more for more comparisons"
        require_enough_replicates(
            replicates, name, comparisons, alpha, kind="comparisons", hint=hint
        )
    return settings


def require_enough_replicates(
    replicates: int, correction: str, family: int, alpha: float, *, kind: str, hint: str = ""
) -> None:
    """Refuse replicates by which nothing could be significant after a correction.

    Args:
        replicates: how many.
        correction: its name.
        family: how many comparisons.
        alpha: the significance level.
        kind: what the message calls the comparisons.
        hint: what else to try than leaving the number out.
    """
    factor = smallest_factor(correction, family, alone=False)
    least = replicates_for(alpha / factor)
    if replicates < least:
        title = CORRECTIONS[correction].short_title
        expected = (
            f"at least {least:,} for {family:,} {kind} corrected by {title}: with "
            f"{replicates:,} the smallest possible p is {smallest_p(replicates) * factor:.3g}. "
            f"Leave the number out{hint}"
        )
        raise SettingError("replicates", replicates, expected)
