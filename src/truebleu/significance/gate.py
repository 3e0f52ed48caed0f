"""A gate: may a new system replace an old one?

Without a margin, the new system fails if it is shown to be worse: a one-sided approximate
randomization test (Riezler & Maxwell 2005, Fig. 1) rejects the hypothesis that it is as good, or
McNemar's exact test of pass/fail scores whose items are the units. A
system of equal quality fails in at most 1 - level of all cases; a worse system fails more often the
larger the test set is. A pass does not show that the new system is as good.

With a margin, the burden of proof is reversed: the new system passes if it is shown to be less
than the margin worse. A one-sided test must reject the hypothesis that it is worse by the margin or
more: Student's t of the difference, corrected for skewness (see `hall_p`), which keeps its level
if runaway outputs give TER a long tail, or Clopper and Pearson's bounds of pass/fail scores. A
system that is worse by the margin passes in about 1 - level of all cases or fewer, and with a small
test set good systems fail. With a margin of 0, the new system must be shown to be better.

All tests are one-sided, so the interval that agrees with them has the level 2 level - 1: the true
difference is below the lower bound in 1 - level of all cases, and above the upper bound in as many.

With several metrics, the new system must pass on each of them. Without a margin, it fails if it is
worse by any metric, so the p-values are corrected for all metrics together, by the largest
difference in the same swaps (Westfall & Young 1993): equal systems fail in at most 1 - level of all
cases, for any number of metrics. With a margin, a bad system would have to pass all of the tests,
each at the full level, and no correction is needed (intersection-union test, Berger 1982).

If a test set is used again and again, an equal system will be found worse at some point, or a bad
system good enough. With a ledger, the looks at one test set share the error rate; see `ledger`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from hashlib import sha256
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from truebleu import _core, schema
from truebleu._results import Result
from truebleu.corpus.text_warnings import refuse_serious
from truebleu.counts.inputs import counts_of
from truebleu.errors import RefusedError, SettingError, UnknownNameError, first_names
from truebleu.resampling import TIE_TOLERANCE, Bootstrap, Swaps
from truebleu.significance.corrections import adjusted_alphas, westfall_young
from truebleu.significance.groups import FEWEST_UNITS, segment_groups
from truebleu.significance.human_curves import agreement_of_pairs
from truebleu.significance.intervals import hall_interval, hall_p
from truebleu.significance.ledger import Look, open_ledger, require_ledger
from truebleu.significance.pairs import adjust_together, swap_tests
from truebleu.significance.replicates import bootstrap_scores, scale_swaps, swap_blocks
from truebleu.significance.settings import (
    CompareSettings,
    ResamplingSettings,
    chosen_unit,
    known_clusters,
    units_of,
)
from truebleu.significance.tests import fewest_units
from truebleu.significance.unit_counts import are_rates, count_units, design_effects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike, Sizes
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Units, Values
    from truebleu.significance.human_curves import PeopleAgreement
    from truebleu.significance.pairs import DifferenceBounds, PairTests
    from truebleu.significance.replicates import Progress
    from truebleu.significance.results import PairNote
    from truebleu.significance.unit_counts import UnitCounts

__all__ = ["GateCheck", "GateResult", "GateSettings", "GateSlice"]

Strata: TypeAlias = tuple[tuple[int, int], ...]
# Indices of the new system and the old one.
PAIR = ((0, 1),)
# Largest number of replicates of one look: seconds of work.
MOST_REPLICATES = 2_000_000

#: Rules for passing.
Rule = Literal["not worse", "within margin", "better"]


class GateOptions(schema.ResamplingOptions, total=False):
    """Options of `gate`.

    Attributes:
        baseline: name of the old system.
        margin: non-inferiority margin: pass only if the new system is shown to be less than D
            worse. With 0 it must be shown to be better; without a margin it fails only if it is
            significantly worse.
        ledger: file that records this look at the test set, so that all looks together keep the
            level.
        looks: number of looks that share the level, with a ledger. Default: any number, each
            stricter than the last.
        accept_inputs: decide although the texts have serious warnings, such as lines that do not
            belong together.
    """

    baseline: Annotated[str | None, schema.Setting(option=False)]
    margin: Annotated[float | None, schema.Setting(minimum=0, metavar="D")]
    ledger: str | PathLike[str] | None
    looks: Annotated[int | None, schema.Setting(minimum=1, maximum=10**6, metavar="N", rare=True)]
    people: schema.People
    accept_inputs: Annotated[bool, schema.Setting(group="Texts", rare=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings(ResamplingSettings):
    """Settings of a gate; `gate` describes its options. The one-sided test has the level `level`.

    Attributes:
        margin: largest difference, in points of the metric, by which the new system may be worse; 0
            if it must be better, None if it must not be shown to be worse.
        looks: number of looks at the test set that share the error rate by a ledger; None for any
            number, or without a ledger.
    """

    OPTIONS = GateOptions

    margin: float | None = None
    looks: int | None = None

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        """Raise SettingError for a level of 0.5, and for looks without a ledger."""
        if options["level"] == 0.5:
            raise SettingError("level", options["level"], "a number above 0.5, such as 0.95")
        ResamplingSettings.refuse_conflicts(options)
        ledger = options.get("ledger", "recorded")
        if ledger is None and options["looks"] is not None:
            expected = "None without a ledger; name one with --ledger FILE (ledger=)"
            raise SettingError("looks", options["looks"], expected)
        if "ledger" in options and ledger is not None:
            require_ledger(ledger)

    @property
    def rule(self) -> Rule:
        """Rule that the new system must meet."""
        if self.margin is None:
            return "not worse"
        return "within margin" if self.margin > 0 else "better"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """Result of the new system by one metric.

    Attributes:
        metric: label of the metric.
        signature: all that must match before scores of the metric may be compared.
        higher_is_better: False if lower is better.
        passed: True if the new system passes by this metric.
        new_score: score of the new system.
        old_score: score of the old system.
        difference: new score minus old score; below 0 is worse only if higher is better.
        interval: interval of the difference, at the level 1 - 2 alpha of the gate's one-sided test.
            Each end is where the test begins to reject, after the correction for several metrics,
            so that the end nearer to 0, or to the margin, decides the rule. None for an open end;
            both ends are open if too few units differ.
        p: p-value. Rule "not worse": how often an equal system would look this bad or worse. Rule
            "better": how often a system that is no better would look this good. Rule "within
            margin": how often a system that is worse by the margin would look this good.
        p_se: Monte-Carlo standard error of p.
        p_adjusted: p after the correction for all metrics, if there is one; this decides.
        replicates: number of replicates of the test; all 2**units if those are no more, 0 if the
            test needs none.
        exact: True if the replicates were all possible swaps, and for McNemar's exact test.
        differing_units: number of units in which the metric counts the two systems differently.
        fixed: number of items that only the new system gets right, of pass/fail scores; else None.
        broken: number of items that only the old system gets right, of pass/fail scores; else None.
        largest_share: largest share of one unit in the variance of the difference; None if the
            difference does not vary.
        design_effect: variance of the difference by documents or blocks over its variance by
            segments; None if neither documents nor blocks are known.
        people: human agreement with such a difference, for information only; None if the interval
            contains 0, or no curve is known.
        note: reason why the test cannot reject, or None.
        pass_fail: True if all scores are 0 or 1, with Clopper and Pearson's bounds.
        scaled: True if swaps were scaled to the variance of samples.
    """

    metric: str
    signature: Signature
    higher_is_better: bool
    passed: bool
    new_score: float
    old_score: float
    difference: float
    interval: DifferenceBounds
    p: float
    p_se: float
    p_adjusted: float
    replicates: int
    exact: bool
    differing_units: int
    fixed: int | None = None
    broken: int | None = None
    largest_share: float | None = None
    design_effect: float | None = None
    people: PeopleAgreement | None = None
    note: PairNote | None = None
    pass_fail: bool = False
    scaled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSlice:
    """The new system on one slice by one metric.

    Attributes:
        metric: label of the metric.
        column: name of the labels that slice the test set.
        label: label of the slice.
        segments: number of segments or items.
        units: number of units.
        new_score: score of the new system.
        old_score: score of the old system.
        difference: new score minus old score.
        interval: interval of the difference, adjusted for all tested slices and metrics: its end
            nearer to 0 decides. None if not tested.
        p: p-value of the hypothesis that the new system is not worse; None if not tested.
        p_adjusted: p after Holm's correction over all tested slices and metrics.
        passed: False if the new system is significantly worse; None if the slice is not tested.
    """

    metric: str
    column: str
    label: str
    segments: int
    units: int
    new_score: float
    old_score: float
    difference: float
    interval: DifferenceBounds | None = None
    p: float | None = None
    p_adjusted: float | None = None
    passed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateResult(Result):
    """Result of a gate: whether the new system passes, and why.

    Attributes:
        new: name of the new system.
        old: name of the old system.
        checks: check of each metric.
        test_set: sizes and names of the test set.
        settings: settings of the gate.
        units: number of units that were resampled or swapped.
        slices: checks of slices, if requested.
        look: number and level of this look at the test set; None without a ledger.
        warnings: warnings about the texts.
    """

    REPORT: ClassVar[str] = "truebleu.reports.gate"

    new: str
    old: str
    checks: tuple[GateCheck, ...]
    test_set: Sizes
    settings: GateSettings
    units: int
    slices: tuple[GateSlice, ...] = ()
    look: Look | None = None
    warnings: tuple[TextWarning, ...] = ()

    @property
    def alpha(self) -> float:
        """Significance level of this decision: with a ledger, this look's part."""
        return self.settings.alpha if self.look is None else self.look.alpha

    @property
    def rule(self) -> Rule:
        """Rule that the new system must meet."""
        return self.settings.rule

    @property
    def passed(self) -> bool:
        """True if the new system passes by every metric, and is worse on no slice."""
        on_slices = all(of_slice.passed is not False for of_slice in self.slices)
        return on_slices and all(check.passed for check in self.checks)

    def facts(self) -> dict[str, Any]:
        """Return plain values, without sentences."""
        settings = {**schema.to_builtins(self.settings), "units": self.units}
        decision = {"passed": self.passed, "rule": self.rule}
        values = Result.facts(self) | decision | {"settings": settings}
        del values["units"]
        return values


@schema.takes(GateSettings)
def gate(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    by: ColumnsLike | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
    **options: Unpack[GateOptions],
) -> GateResult:
    """May a new system take the place of the baseline?

    >>> reference = ["the cat sat on the mat"] * 9
    >>> outputs = {"new": ["the cat sat on a mat"] * 9, "old": reference}
    >>> gate(outputs, reference, baseline="old").passed
    False

    Args:
        systems: a test set of two systems, the outputs or item scores of both by name, or counts.
        references: one text, or one per translator; None with a test set, scores or counts.
        metrics: names or objects; the new system must pass on each of them. Default: BLEU, or
            the scores of items.
        by: also check slices: labels by name, one for each segment, or "domain", "document" or a
            field of the items. The new system must not be significantly worse on any of them.
        source: source text, for metrics such as COMET.
        documents: document of each segment, if `systems` is not a test set.
        domains: domain of each segment, if `systems` is not a test set.
        progress: function called with the number of replicates made since the last call.
    """
    lower = options["lower_is_better"]
    counts = counts_of(
        systems,
        references,
        metrics,
        documents,
        domains,
        source,
        verb="gate",
        lower_is_better=lower,
    )
    counts = counts.select(_new_and_old(counts.outline.systems, options["baseline"]))
    _require_direction(counts)
    if not options["accept_inputs"]:
        refuse_serious(counts.outline.warnings)
    settings = GateSettings.from_options(options, unit=chosen_unit(options["unit"], counts.outline))
    units = units_of(counts.outline, settings)
    columns = counts.outline.columns(by)
    decision = _Decision(counts, columns, options, settings, units, progress)
    if options["ledger"] is None:
        return decision.decide(None)
    with open_ledger(options["ledger"]) as ledger:
        test_set, key = counts.fingerprints.references, decision.key()
        look = ledger.look(test_set, key, settings.level, settings.looks)
        result = decision.decide(look)
        if not look.repeated:
            ledger.record(look, test_set, key, settings.level, decision.summary(result))
        return result


def _new_and_old(names: Sequence[str], baseline: str | None) -> tuple[str, str]:
    """Return the names of the new and the old system; raises an error unless there are two."""
    if baseline is None:
        raise RefusedError(f"name the old system with baseline=: one of {first_names(names)}")
    if baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    others = [name for name in names if name != baseline]
    if len(others) != 1:
        found = ", ".join(others) or "none"
        raise SettingError("systems", found, f"one new system besides {baseline}")
    return others[0], baseline


def _require_direction(counts: Counts) -> None:
    """Check that each metric has a known direction; raises SettingError or RefusedError.

    Scores of other tools whose name tells nothing must be pass/fail, where 1 is better.
    """
    for metric in counts.metrics:
        if metric.scorer.higher_is_better is None:
            raise SettingError("metric", metric.label, "a metric with a direction, such as bleu")
        if metric.scorer.signature.assumes_direction and not are_rates(
            metric.scorer, metric.rows.stored()
        ):
            raise RefusedError(
                f"{metric.label}: its name does not tell whether higher is better; give the "
                "direction with --higher-is-better or --lower-is-better (higher_is_better= of "
                "the scores)"
            )


def _fingerprint(parts: Iterable[NDArray[Any]]) -> str:
    """Return the SHA-256 of numbers; counts of texts and saved counts give the same."""
    digest = sha256()
    for part in parts:
        data = np.ascontiguousarray(part, dtype="<f8").tobytes()
        digest.update(b"%d bytes\n" % len(data))
        digest.update(data)
    return f"sha256:{digest.hexdigest()}"


@dataclass(frozen=True, slots=True, eq=False)
class _Decision:
    """Counts and settings of a decision, at the level of any look.

    Attributes:
        counts: counts of the new system and the old one.
        columns: labels of the slices by name.
        options: requested options of `gate`.
        settings: settings of the gate.
        units: units that are resampled or swapped.
        progress: function called with the number of replicates made since the last call.
    """

    counts: Counts
    columns: Mapping[str, Sequence[str]]
    options: Mapping[str, Any]
    settings: GateSettings
    units: Units
    progress: Progress | None

    def _fingerprints(self) -> list[str]:
        """Return fingerprints of the new outputs and the old ones."""
        rows = [metric.rows.stored() for metric in self.counts.metrics]
        return [_fingerprint(of_metric[:, system] for of_metric in rows) for system in (0, 1)]

    def key(self) -> str:
        """Return a digest of all that the decision depends on."""
        values = {
            "settings": self.settings.to_dict(),
            "units": _fingerprint([self.units.of_segment]),
            "strata": self.units.strata,
            "systems": self._fingerprints(),
            "metrics": [str(metric.scorer.signature) for metric in self.counts.metrics],
        }
        if self.columns:
            values["by"] = {name: list(labels) for name, labels in self.columns.items()}
        return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]

    def summary(self, result: GateResult) -> dict[str, Any]:
        """Return the facts that a ledger keeps of a look for its readers."""
        new, old = self._fingerprints()
        return {
            "new": new,
            "old": old,
            "metrics": [str(check.signature) for check in result.checks],
            "rule": result.rule,
            "margin": result.settings.margin,
            "p": [check.p_adjusted for check in result.checks],
            "passed": result.passed,
        }

    def decide(self, look: Look | None) -> GateResult:
        """Decide at the level of the settings, or of a look."""
        outline, settings = self.counts.outline, self.settings
        alpha = settings.alpha if look is None else look.alpha
        _require_enough(len(self.units), settings, alpha)
        statistics = count_units(self.counts, self.units)
        strata = self.units.strata if settings.by_domain else None
        checks = check_metrics(statistics, settings, alpha, strata, self.progress)
        new, old = outline.systems
        return GateResult(
            new=new,
            old=old,
            checks=tuple(map(self._describe, checks, statistics, self.counts.metrics)),
            test_set=outline.sizes,
            settings=settings,
            units=len(self.units),
            slices=check_slices(self.counts, self.columns, self.options["unit"], settings, alpha),
            look=look,
            warnings=outline.warnings,
        )

    def _describe(
        self, check: GateCheck, statistics: UnitCounts, metric: MetricCounts
    ) -> GateCheck:
        """Add the signature, human agreement and design effect to a check."""
        settings, outline = self.settings, self.counts.outline
        bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
        low, high = check.interval
        (people,) = agreement_of_pairs(
            statistics.metric,
            self.options["people"],
            PAIR,
            statistics.scores,
            outline.references_each,
            decided=[(low is not None and low > 0) or (high is not None and high < 0)],
            replicates=lambda: bootstrap_scores([statistics], self.units, bootstrap)[0],
        )
        clusters = known_clusters(outline, settings)
        (effect,) = design_effects(statistics, metric.rows.stored(), clusters, PAIR)
        signature = check.signature.with_references(outline.references_each)
        return replace(check, signature=signature, people=people, design_effect=effect)


def check_metrics(
    statistics: Sequence[UnitCounts],
    settings: GateSettings,
    alpha: float,
    strata: Strata | None = None,
    progress: Progress | None = None,
) -> list[GateCheck]:
    """Check the new system, which is the first of two, by each metric.

    Args:
        statistics: counts of both systems by unit, for each metric.
        settings: settings of the gate.
        alpha: significance level.
        strata: domains within which units vary, or None.
        progress: function called with the number of replicates made since the last call.
    """
    if settings.margin is None:
        tests = _without_margin(statistics, settings, alpha, progress)
    else:
        tests = [_with_margin(metric, strata, settings.margin, alpha) for metric in statistics]
    checks = []
    for metric, test in zip(statistics, tests, strict=True):
        new, old = metric.scores.tolist()
        (differing,) = metric.differing_units(PAIR)
        items = metric.discordant_items(PAIR)
        fixed, broken = (None, None) if items is None else (int(items[0][0]), int(items[1][0]))
        few = settings.margin is None and differing < fewest_units(alpha, "greater")
        checks.append(
            GateCheck(
                metric=metric.label,
                signature=metric.metric.signature,
                higher_is_better=metric.sign == 1,
                # Only "not worse" is refuted by a small p; the other rules are shown by it.
                passed=(test["p_adjusted"] <= alpha) != (settings.rule == "not worse"),
                new_score=new,
                old_score=old,
                difference=new - old,
                differing_units=differing,
                fixed=fixed,
                broken=broken,
                largest_share=_largest_share(metric),
                note="identical" if differing == 0 else "few units differ" if few else None,
                pass_fail=metric.items is not None,
                **test,
            )
        )
    return checks


def _require_enough(units: int, settings: GateSettings, alpha: float) -> None:
    """Raise SettingError for too few units for any difference to be significant."""
    minimum = fewest_units(alpha, "greater")
    if units < minimum:
        expected = (
            f"at least {minimum} at the level {round(1 - alpha, 12):g}; with {units} no "
            "difference can be significant"
        )
        raise SettingError("test set", f"{units} {settings.unit}s", expected)


def _replicates(settings: GateSettings, alpha: float, units: int) -> int:
    """Return the replicates of the settings, or those that a p-value below `alpha` needs."""
    needed = math.ceil(2 / alpha)
    is_exact = units < math.log2(needed)
    if needed <= max(settings.replicates, MOST_REPLICATES) or is_exact:
        return max(settings.replicates, needed)
    expected = (
        "a fresh test set, a planned number of looks, or a margin, whose test needs no replicates: "
        f"this look's level of {alpha:.1e} would need {needed:,} of them"
    )
    raise SettingError("ledger", "too many looks at this test set", expected)


def _without_margin(
    statistics: Sequence[UnitCounts],
    settings: GateSettings,
    alpha: float,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """Test whether the new system is worse by any metric; return fields of each metric's check."""
    tests = _test_worse(statistics, settings, alpha, progress)
    if len(tests) > 1:
        tests = _adjust_for_metrics(statistics, tests, settings, alpha)
    return [
        {
            "interval": _agreeing_interval(metric, tested),
            "p": float(tested.p[0]),
            "p_se": float(tested.p_se[0]),
            "p_adjusted": float(tested.p_adjusted[0]),
            "replicates": tested.replicates,
            "exact": tested.exact,
            "scaled": tested.is_scaled,
        }
        for metric, tested in zip(statistics, tests, strict=True)
    ]


def _test_worse(
    statistics: Sequence[UnitCounts],
    settings: GateSettings,
    alpha: float,
    progress: Progress | None = None,
) -> list[PairTests]:
    """Test whether the new system is worse by each metric, with swaps that all metrics share."""
    replicates = settings.replicates
    if len(statistics) > 1 or not statistics[0].has_exact_test:
        replicates = _replicates(settings, alpha, statistics[0].units)
    test = CompareSettings(
        test="scaled",
        alternative="less",
        correction="none",
        level=1 - alpha,
        replicates=replicates,
        seed=settings.seed,
    )
    return swap_tests(statistics, PAIR, test, progress)


def _adjust_for_metrics(
    statistics: Sequence[UnitCounts],
    tests: Sequence[PairTests],
    settings: GateSettings,
    alpha: float,
) -> list[PairTests]:
    """Adjust the p-values of all metrics by the step-down maximum over the swaps they share."""
    units = statistics[0].units
    swaps = Swaps(replicates=_replicates(settings, alpha, units), seed=settings.seed)
    null: list[list[Values]] = [[] for _ in statistics]
    for index, differences, shares in swap_blocks(statistics, PAIR, swaps):
        null[index].append(scale_swaps(differences, shares, tests[index].swap_scales)[0])
    signs = np.array([metric.sign for metric in statistics])
    p = np.concatenate([tested.p for tested in tests])
    adjusted = westfall_young(
        signs * np.concatenate([metric.differences(PAIR) for metric in statistics]),
        signs * np.concatenate([np.concatenate(blocks) for blocks in null], axis=1),
        "less",
        exact=swaps.enumerates(units),
        scale=np.array([metric.scale for metric in statistics]),
    )
    # Standardized differences may round ties the other way; a corrected p is never smaller.
    adjusted = np.maximum(adjusted, p)
    alphas = adjusted_alphas(p, adjusted, "westfall-young", alpha)
    return [
        replace(tested, p_adjusted=adjusted[[index]], alphas=alphas[[index]])
        for index, tested in enumerate(tests)
    ]


def _agreeing_interval(statistics: UnitCounts, tested: PairTests) -> DifferenceBounds:
    """Return the interval that inverts the test; pass/fail scores get exact bounds."""
    ((low, high),), alpha = tested.intervals(), float(tested.alphas[0])
    rates = statistics.paired_rates(PAIR, 1 - 2 * alpha)
    if rates is None:
        return low, high
    exact_low, exact_high = _exact_bounds(rates, alpha)
    # Keep the end that the test decides in agreement with the test.
    is_rejected = bool(tested.p[0] <= alpha)
    if statistics.sign > 0:
        if not is_rejected:
            exact_high = max(exact_high, 0.0)
        return exact_low, high if is_rejected and exact_high >= 0 else exact_high
    if not is_rejected:
        exact_low = min(exact_low, 0.0)
    return low if is_rejected and exact_low <= 0 else exact_low, exact_high


def _exact_bounds(rates: Values, alpha: float) -> tuple[float, float]:
    """Return the exact bounds of the difference of one pair's rates."""
    first, second, count = rates[:, 0].tolist()
    return _core.exact_bounds(first, second, count, alpha)


def _with_margin(
    statistics: UnitCounts, strata: Strata | None, margin: float, alpha: float
) -> dict[str, Any]:
    """Test whether the new system is less than the margin worse; return fields of its check."""
    rates = statistics.paired_rates(PAIR, 1 - 2 * alpha)
    if rates is not None:
        first, second, count = rates[:, 0].tolist()
        better, worse = (first, second) if statistics.sign > 0 else (second, first)
        p = _core.exact_p(better, worse, count, margin)
        low, high = _exact_bounds(rates, alpha)
    else:
        difference, left_out = -np.diff(statistics.scores)[0], _jackknife(statistics)
        gains = statistics.sign * difference, statistics.sign * left_out
        p = float(hall_p(*gains, -margin, scale=statistics.scale, strata=strata))
        low, high = hall_interval(difference, left_out, 1 - 2 * alpha, strata).tolist()
    interval = (low if isfinite(low) else None, high if isfinite(high) else None)
    fields = {"interval": interval, "p": p, "p_adjusted": p}
    return {**fields, "p_se": 0.0, "replicates": 0, "exact": False}


def _jackknife(statistics: UnitCounts) -> Values:
    """Return the difference, new minus old, without one unit each."""
    left_out = statistics.jackknife_scores()
    return np.asarray(left_out[:, 0] - left_out[:, 1])


def _largest_share(statistics: UnitCounts) -> float | None:
    left_out = _jackknife(statistics)
    squares = (left_out - left_out.mean()) ** 2
    if np.ptp(left_out) <= TIE_TOLERANCE * max(statistics.scale, 1.0):
        return None
    return float(squares.max() / squares.sum())


# Slices: the one-sided test without a margin on each part of the test set, with p-values adjusted
# over all slices by Holm's method, so that equal systems fail by slices in at most 1 - level of all
# cases, in addition to the overall test. A test that could hardly find a loss shows nothing: slices
# whose power to find a loss of the margin is below one half, by a normal approximation, are not
# tested.


def check_slices(
    counts: Counts,
    columns: Mapping[str, Sequence[str]],
    unit: schema.Unit | None,
    settings: GateSettings,
    alpha: float,
) -> tuple[GateSlice, ...]:
    """Check the new system, which is the first of two, on each slice.

    Args:
        counts: counts of both systems.
        columns: labels of all segments by name.
        unit: requested unit; None for the default.
        settings: settings of the gate.
        alpha: significance level.
    """
    groups = segment_groups(counts.outline, columns, unit, settings)
    needed = math.ceil(2 * len(groups) * len(counts.metrics) / alpha)
    replicates = max(settings.replicates, needed)
    slices: list[GateSlice] = []
    tests: dict[int, tuple[UnitCounts, PairTests]] = {}
    for group in groups:
        part = counts.subset(group.segments)
        of_group = replace(settings, unit=group.unit, margin=None, replicates=replicates)
        by_unit: Sequence[UnitCounts | None] = [None] * len(part.metrics)
        if group.units >= FEWEST_UNITS:
            by_unit = count_units(part, units_of(part.outline, of_group))
        for metric, statistics in zip(part.metrics, by_unit, strict=True):
            if statistics is None:
                new, old = metric.scorer.score(metric.rows.floats().sum(0)).tolist()
            else:
                new, old = statistics.scores.tolist()
                if _has_power(statistics, settings.margin, alpha):
                    (tested,) = _test_worse([statistics], of_group, alpha)
                    tests[len(slices)] = statistics, tested
            slices.append(
                GateSlice(
                    metric=metric.label,
                    column=group.column,
                    label=group.label,
                    segments=len(group.segments),
                    units=group.units,
                    new_score=new,
                    old_score=old,
                    difference=new - old,
                )
            )
    together = adjust_together([tested for _, tested in tests.values()], "holm", alpha)
    for (index, (statistics, _)), tested in zip(tests.items(), together, strict=True):
        slices[index] = replace(
            slices[index],
            interval=_agreeing_interval(statistics, tested),
            p=float(tested.p[0]),
            p_adjusted=float(tested.p_adjusted[0]),
            passed=bool(tested.p_adjusted[0] > alpha),
        )
    return tuple(slices)


def _has_power(statistics: UnitCounts, margin: float | None, alpha: float) -> bool:
    """Return whether a loss of the margin, if any, is significant with a power of one half."""
    (error,) = statistics.errors_of_pairs(PAIR).tolist()
    return not margin or bool(margin >= -_core.normal_quantile(alpha) * error)
