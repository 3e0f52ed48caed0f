"""Settings of resampling, intervals and comparisons, checked once and kept with results."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from truebleu import _core, schema
from truebleu.errors import SettingError
from truebleu.resampling import Bootstrap, Swaps, Units
from truebleu.significance.corrections import CORRECTIONS, default_correction, smallest_factor
from truebleu.significance.intervals import min_replicates
from truebleu.significance.tests import (
    TESTS,
    default_replicates,
    find_test,
    replicates_for,
    smallest_p,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.outline import Outline
    from truebleu.counts.counts import Counts

__all__ = ["CompareSettings", "IntervalSettings", "ResamplingSettings"]


#: Families of comparisons to correct over: by each metric, or by all metrics together.
FAMILIES = ("pairs", "metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResamplingSettings(schema.Settings):
    """Settings of resampling, and the confidence level.

    Attributes:
        unit: unit that is resampled or swapped.
        by_domain: True if replicates are drawn within each domain, keeping the mixture of domains.
    """

    OPTIONS = schema.ResamplingOptions

    replicates: int = schema.DEFAULT_REPLICATES
    seed: int = schema.DEFAULT_SEED
    level: float = schema.DEFAULT_LEVEL
    unit: schema.Unit = "segment"
    block_length: int | None = None
    by_domain: bool = False

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for too few replicates, and for blocks without a length."""
        level, replicates = options["level"], options["replicates"]
        alpha = round(1 - level, 12)
        if not 0 < alpha < 1:  # a level that rounding takes to 1
            raise SettingError("level", level, "a number below 1, such as 0.95")
        if replicates is not None:
            schema.require_replicates("replicates", replicates)
            minimum = min_replicates(level)
            if replicates < minimum:
                expected = (
                    f"at least {minimum} at the level {level:g}; with {replicates} the "
                    f"smallest possible p is {smallest_p(replicates):.3g}"
                )
                raise SettingError("replicates", replicates, expected)
        length = options.get("block_length")
        if (options["unit"] == "block") != (length is not None):
            expected = "a length" if length is None else "no length, or unit 'block'"
            raise SettingError("block_length", length, expected)

    @property
    def alpha(self) -> float:
        """Significance level, rounded because 1 - 0.9 is 0.09999999999999998 in floats."""
        return round(1 - self.level, 12)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, enough to repeat the computation."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalSettings(ResamplingSettings):
    """Settings of resampling and of intervals of scores."""

    OPTIONS = schema.IntervalOptions

    interval: schema.IntervalName = "percentile"

    def __post_init__(self) -> None:
        ResamplingSettings.__post_init__(self)
        schema.require_name("interval", self.interval, self._intervals())

    def bootstrap(self, replicates: int | None = None) -> Bootstrap:
        """Return a bootstrap with `replicates` replicates, or as many as in the settings."""
        count = self.replicates if replicates is None else replicates
        return Bootstrap(replicates=count, seed=self.seed)

    def _intervals(self) -> tuple[schema.IntervalName, ...]:
        """Return the methods that fit the other settings."""
        return schema.INTERVALS


class CompareOptions(schema.IntervalOptions, total=False):
    """Options of `compare`.

    Attributes:
        baseline: system to compare all others with, instead of comparing all pairs.
        test: significance test. Default: approximate randomization.
        margin: largest difference that does not matter; adds a test of equivalence.
        correction: correction for multiple comparisons by one metric. Default: holm;
            westfall-young from 1,001 comparisons.
        correct_over: family to correct over: "pairs" for the comparisons by each metric
            separately, "metrics" for the comparisons by all metrics together, so that the verdicts
            by all of them count.
        adaptive: add replicates until the Monte-Carlo error no longer affects a decision, up to a
            million.
        about: scope of a verdict on systems with runs: these runs only, or further runs of the
            same systems. Default: further runs if every system has two or more.
        swap_runs: swaps in a verdict on these runs: all runs of a unit together, or each run
            separately, as MultEval does.
    """

    baseline: schema.Baseline
    test: Annotated[str | None, schema.Setting(choices=tuple(TESTS))]
    margin: Annotated[float | None, schema.Setting(above=0, metavar="D")]
    alternative: schema.Tested
    correction: Annotated[str | None, schema.Setting(choices=tuple(CORRECTIONS), rare=True)]
    correct_over: Annotated[str, schema.Setting(choices=FAMILIES, rare=True)]
    adaptive: Annotated[bool, schema.Setting(rare=True)]
    about: Annotated[schema.About | None, schema.Setting(rare=True)]
    swap_runs: Annotated[schema.RunSwaps, schema.Setting(rare=True)]
    people: schema.People


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings(IntervalSettings):
    """Settings of a comparison; the defaults are what we would report.

    Attributes:
        test_replicates: number of replicates of the test, if many comparisons need more than the
            bootstrap has; None if the test has as many as the bootstrap.
        about: scope of a verdict on systems with several runs; None without runs.
        primary: metric that decides the verdict, the first; None with a single metric.
    """

    OPTIONS = CompareOptions

    test: str = "ar"
    test_replicates: Annotated[int | None, schema.Setting(minimum=1)] = None
    correction: str = "holm"
    alternative: schema.Alternative = "two-sided"
    margin: float | None = None
    adaptive: bool = False
    baseline: str | None = None
    about: schema.About | None = None
    swap_runs: schema.RunSwaps = "together"
    primary: str | None = None
    correct_over: str = "pairs"

    def __post_init__(self) -> None:
        IntervalSettings.__post_init__(self)
        if self.about is None and TESTS[self.test].source == "runs":
            _refuse_about(self.about, self.test)

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for what the test or the correction contradicts or ignores."""
        ResamplingSettings.refuse_conflicts(options)
        if options["test"] is not None:
            _refuse_with_test(options["test"], options)
        if options["correction"] is not None:
            _refuse_with_correction(options["correction"], options)

    @property
    def p_value_correction(self) -> str:
        """Correction of equivalence tests and of groups: the chosen correction, or Holm's.

        Corrections that need replicates or segment scores can only test differences on the whole
        test set.
        """
        return self.correction if CORRECTIONS[self.correction].basis == "p-values" else "holm"

    def _intervals(self) -> tuple[schema.IntervalName, ...]:
        return schema.INTERVALS if self.about != "further-runs" else ("two-way",)


def _refuse_with_test(name: str, options: Mapping[str, Any]) -> None:
    test, about = TESTS[name], options["about"]
    if about is not None and (test.source == "runs") != (about == "further-runs"):
        _refuse_about(about, name)
    if options["swap_runs"] != "together" and test.source != "swaps":
        expected = "a test that swaps outputs, about 'these-runs'"
        raise SettingError("swap_runs", options["swap_runs"], expected)
    if options["adaptive"] and test.source == "runs":
        expected = f"False with the test {name!r}, which needs no replicates"
        raise SettingError("adaptive", True, expected)
    if options["alternative"] not in test.alternatives:
        raise SettingError("alternative", options["alternative"], "'two-sided' with this test")
    correction = CORRECTIONS.get(options["correction"])
    if correction is not None and correction.basis == "replicates" and test.null is None:
        expected = f"holm with the test {name!r}, whose replicates do not vary around 0"
        raise SettingError("correction", options["correction"], expected)


def _refuse_about(about: schema.About | None, test: str) -> None:
    expected = f"about 'these-runs' with the test {test!r}"
    if TESTS[test].source == "runs":
        expected = f"about 'further-runs' with the test {test!r}, and runs"
    raise SettingError("about", about, expected)


def _refuse_with_correction(name: str, options: Mapping[str, Any]) -> None:
    basis = CORRECTIONS[name].basis
    if options["correct_over"] == "metrics" and basis != "p-values":
        expected = "a correction of p-values, such as holm, to correct over metrics"
        raise SettingError("correction", name, expected)
    if basis == "segment scores":
        if options["alternative"] != "two-sided":
            raise SettingError("alternative", options["alternative"], f"'two-sided' with {name}")
        if options["adaptive"]:
            expected = f"False with {name}, which needs no replicates"
            raise SettingError("adaptive", True, expected)


def resolve_settings(
    options: Mapping[str, Any],
    counts: Counts,
    runs: Mapping[str, Sequence[str]] | None,
    pairs: int,
) -> tuple[CompareSettings, Units]:
    """Fill in the defaults of a comparison; return the settings and the units.

    Args:
        options: options of `compare`.
        counts: counts of the systems, or of their runs.
        runs: outputs of each system, or None if no runs are compared.
        pairs: number of pairs.

    Raises:
        SettingError: for options that the counts, the runs or the number of pairs contradict.
    """
    about = _resolve_about(options, runs)
    unit = chosen_unit(options["unit"], counts.outline)
    default = default_interval(about, unit, by_domain=options["by_domain"])
    settings = CompareSettings.from_options(
        options,
        test=options["test"] or ("two-way" if about == "further-runs" else "scaled"),
        unit=unit,
        interval=options["interval"] or default,
        about=about,
        primary=counts.labels[0] if len(counts.metrics) > 1 else None,
    )
    units = units_of(counts.outline, settings)
    comparisons = pairs * (len(counts.metrics) if settings.correct_over == "metrics" else 1)
    return _resolve_replicates(settings, options, comparisons, len(units)), units


def _resolve_about(
    options: Mapping[str, Any], runs: Mapping[str, Sequence[str]] | None
) -> schema.About | None:
    """Return the scope of a verdict, or None without runs.

    The default is further runs, unless a system has a single run, which does not show how runs
    vary.
    """
    about: schema.About | None = options["about"]
    if runs is None:
        for name, default in (("about", None), ("swap_runs", "together")):
            if options[name] != default:
                raise SettingError(name, options[name], f"{default!r} without runs; add runs")
        return None
    counts = {len(outputs) for outputs in runs.values()}
    several = min(counts) > 1
    if options["swap_runs"] == "separately" and len(counts) > 1:
        expected = "'together' unless all systems have equally many runs"
        raise SettingError("swap_runs", "separately", expected)
    if about == "further-runs" and not several:
        expected = "'these-runs', or two runs or more of each system, which show how runs vary"
        raise SettingError("about", about, expected)
    if about is None and max(counts) > 1:
        return "further-runs" if several else "these-runs"
    return about


def default_interval(
    about: schema.About | None, unit: schema.Unit = "segment", *, by_domain: bool = False
) -> schema.IntervalName:
    """Return the interval with the best coverage for a verdict (docs/evidence/defaults.md).

    Documents and blocks get Hall's skewness-corrected t. With `by_domain` the percentile bootstrap
    is used, which supports strata.
    """
    name = _core.default_interval(
        about_further_runs=about == "further-runs",
        by_segment=unit == "segment",
        by_domain=by_domain,
    )
    return cast("schema.IntervalName", name)


def chosen_unit(unit: schema.Unit | None, outline: Outline) -> schema.Unit:
    """Return the unit; None means the document if several are known, else the segment.

    Segments of one document are not independent draws: tests that assume so find differences in a
    quarter of the pairs of equal systems (docs/evidence/defaults.md).
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
    if outline.rows == "items" and outline.names is not None and settings.unit != "block":
        units = units.sort(outline.names)
    units = _merge_repeats(outline, units)
    if len(units) < 2:
        found = f"one {settings.unit}" + (", repeated" if outline.repeats else "")
        expected = f"at least two {settings.unit}s: one does not show how scores vary"
        raise SettingError("test set", found, expected)
    return units


def _merge_repeats(outline: Outline, units: Units) -> Units:
    """Make units that repeat each other a single one, if the outline has repeated segments."""
    return units if outline.repeats is None else units.merge_equal(outline.repeats)


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
    if settings.unit == "block" and settings.block_length is not None:
        clusters = Units.blocks(outline.segments, settings.block_length)
    elif outline.documents is None or len(set(outline.documents)) < 2:
        return None
    else:
        clusters = Units.documents(outline.documents)
    by_segment = _merge_repeats(outline, Units.segments(outline.segments))
    return by_segment, _merge_repeats(outline, clusters)


def _resolve_replicates(
    settings: CompareSettings, options: Mapping[str, Any], comparisons: int, units: int
) -> CompareSettings:
    """Fill in the correction and the replicates, which depend on the number of comparisons.

    Raises SettingError for replicates and corrections with which no difference could be
    significant.
    """
    test, replicates = find_test(settings.test), options["replicates"]
    if options["correction"] is None and test.null is not None:
        settings = replace(settings, correction=default_correction(comparisons))
    name, alpha = settings.correction, settings.alpha
    if replicates is None:
        needed = default_replicates(name, comparisons, alpha)
        enough = needed <= settings.replicates
        return replace(settings, test_replicates=None if enough else needed)
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
    """Raise SettingError for too few replicates for any corrected p to be significant.

    Args:
        replicates: number of replicates.
        correction: name of the correction.
        family: number of comparisons.
        alpha: significance level.
        kind: noun for the comparisons in the message.
        hint: alternative to leaving the number out.
    """
    factor = smallest_factor(correction, family, only_one=False)
    minimum = replicates_for(alpha / factor)
    if replicates < minimum:
        title = CORRECTIONS[correction].short_title
        expected = (
            f"at least {minimum:,} for {family:,} {kind} corrected by {title}: with "
            f"{replicates:,} the smallest possible p is {smallest_p(replicates) * factor:.3g}. "
            f"Leave the number out{hint}"
        )
        raise SettingError("replicates", replicates, expected)
