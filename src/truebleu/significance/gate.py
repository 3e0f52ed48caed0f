"""A gate: may a new system take the place of an old one?

Without a margin, the new system fails when it is shown to be worse: a one-sided approximate
randomization test (Riezler & Maxwell 2005, Fig. 1) of the hypothesis that it is as good. A system
of equal quality fails in at most 1 - level of all cases, a worse one the more surely the larger the
test set. A pass does not show that it is as good.

With a margin, the burden of proof is reversed: the new system passes when it is shown to be worse
by less than the margin, by a one-sided test of the hypothesis that it is worse by the margin or
more: Student's t of the difference with its skewness taken out (see `student`), which holds where
runaway outputs give TER a long tail. A system that is that bad passes in about 1 - level of all
cases or fewer, and a small test set fails good ones. With a margin of 0 it must be shown to be
better.

All tests are one-sided, so that the interval that goes with them has the level 2 level - 1: the
true difference is below its lower bound in 1 - level of all cases, above its upper in as many.

By several metrics, all must pass. Without a margin, the new system fails if it is worse by any
metric, so the p-values are corrected for all metrics together, by the largest difference in the
same swaps (Westfall & Young 1993): equal systems fail in at most 1 - level of all cases, however
many metrics there are. With a margin, a bad system would have to pass every one of the tests, each
at the full level, and no correction is needed (intersection-union test, Berger 1982).

Of a test set that comes in parts, units are forgotten: with a margin the t is not corrected for
skewness, which so many units do not need, and the replicates of a Poisson bootstrap must agree.

A test set that is used night after night finds an equal system worse in the end, or a bad one good
enough. With a ledger, the looks at one test set share the error; see `ledger`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np

from truebleu._results import Result
from truebleu._settings import DEFAULT_SEED, require_number
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics, metric_labels, metrics_for
from truebleu.metrics.statistics_files import SavedStatistics
from truebleu.resampling import TIE_TOLERANCE, Bootstrap, PoissonBootstrap, Swaps
from truebleu.significance.corrections import westfall_young
from truebleu.significance.intervals import interval_bounds
from truebleu.significance.ledger import (
    look_key,
    open_ledger,
    require_looks,
    system_fingerprint,
)
from truebleu.significance.people import CURVES, agreement_of_pairs, find_curve, require_curves
from truebleu.significance.settings import (
    ResamplingSettings,
    chosen_unit,
    known_clusters,
    units_of,
)
from truebleu.significance.statistics import (
    MetricStatistics,
    bootstrap_scores,
    design_effects,
    signs_of_pairs,
    swap_differences,
)
from truebleu.significance.student import effective_units, hall_interval, hall_p, student_p
from truebleu.significance.tests import (
    fewest_units,
    monte_carlo_error,
    non_inferiority_p,
    randomization_p,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from truebleu._settings import Unit
    from truebleu.corpus.streams import TestSetStream
    from truebleu.corpus.test_set import ReferencesLike, TestSetOutline, TextLike, TextWarning
    from truebleu.metrics.base import Metric, Signature
    from truebleu.resampling import Units, Values
    from truebleu.significance.comparison import (
        Bounds,
        PairNote,
    )
    from truebleu.significance.ledger import Look
    from truebleu.significance.people import AgreementCurve, PeopleAgreement
    from truebleu.significance.statistics import Progress

RESULT_VERSION = 1
# Replicates that one look may take: seconds of work.
MOST_REPLICATES = 2_000_000

#: What a system must do to pass.
Rule = Literal["not worse", "within margin", "better"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings(ResamplingSettings):
    """What the gate asks for, and how it is tested; `level` is that of the one-sided test.

    Attributes:
        margin: how much worse the new system may be, in points of the metric; 0 asks for a better
            one. None asks only that it is not shown to be worse.
        looks: how many looks at the test set share the error by a ledger; None for any number, or
            without a ledger.
    """

    margin: float | None = None
    looks: int | None = None

    def __post_init__(self) -> None:
        expected = "a number between 0.5 and 1, such as 0.95"
        if not 0.5 < require_number("level", self.level, expected) < 1:
            raise SettingError("level", self.level, expected)
        if self.margin is not None:
            expected = "a number from 0 up"
            if require_number("margin", self.margin, expected) < 0:
                raise SettingError("margin", self.margin, expected)
        require_looks(self.looks)
        ResamplingSettings.__post_init__(self)

    @property
    def rule(self) -> Rule:
        """What the new system must do."""
        if self.margin is None:
            return "not worse"
        return "within margin" if self.margin > 0 else "better"


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
        interval: of the difference, at the level 1 - 2 alpha of the gate's one-sided test.
        p: by the rule "not worse", how often an equal system would look as bad as this or worse;
            "better", how often one that is no better would look as good; "within margin", how often
            one that is worse by the margin would look as good.
        p_se: Monte-Carlo standard error of p.
        p_adjusted: p after the correction for all metrics, where there is one; this decides.
        replicates: of the test; all 2**units of them where that was no more, 0 where it needs none.
        exact: whether those were all.
        differing_units: the units in which the metric counts the two systems differently.
        largest_share: how much of the difference's variance is one unit's; None where it does not
            vary.
        effective_units: from how many units with normal influences on the difference its standard
            error would be known as well: few where a few units carry much of the variance.
        design_effect: the difference's variance by documents or blocks over that by segments; None
            where neither is known.
        people: how often people agree with such a difference, which decides nothing; None where no
            curve is known.
        note: what makes the test moot.
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
    p_adjusted: float
    replicates: int
    exact: bool
    differing_units: int
    largest_share: float | None = None
    effective_units: int | None = None
    design_effect: float | None = None
    people: PeopleAgreement | None = None
    note: PairNote | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            **asdict(self),
            **self.signature.to_dict(),
            "interval": list(self.interval),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(Result):
    """Whether the new system passes, and why.

    Attributes:
        new: the new system's name.
        old: the old system's name.
        checks: one for each metric.
        test_set: its sizes and names.
        settings: what was asked for.
        units: how many were drawn or swapped.
        look: which look at the test set this is, and its level; None without a ledger.
        warnings: what is suspicious about the texts.
    """

    REPORT: ClassVar[str] = "truebleu.reports.gate"

    new: str
    old: str
    checks: tuple[GateCheck, ...]
    test_set: TestSetOutline
    settings: GateSettings
    units: int
    look: Look | None = None
    warnings: tuple[TextWarning, ...] = ()

    @property
    def alpha(self) -> float:
        """The significance level of this decision: with a ledger, this look's part."""
        return self.settings.alpha if self.look is None else self.look.alpha

    @property
    def rule(self) -> Rule:
        """What the new system must do."""
        return self.settings.rule

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
            "test_set": self.test_set.to_dict(),
            "settings": {**self.settings.to_dict(), "units": self.units},
            "look": None if self.look is None else self.look.to_dict(),
            "checks": [check.to_dict() for check in self.checks],
            "warnings": [warning.to_dict() for warning in self.warnings],
        }


def gate(
    new: TestSet | TestSetStream | TextLike,
    old: TextLike | SavedStatistics | None = None,
    references: ReferencesLike | None = None,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    margin: float | None = None,
    level: float = 0.95,
    replicates: int = 10_000,
    seed: int = DEFAULT_SEED,
    unit: Unit | None = None,
    block_length: int | None = None,
    by_domain: bool = False,
    documents: Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    ledger: str | Path | None = None,
    looks: int | None = None,
    curves: Sequence[AgreementCurve] | None = CURVES,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> GateResult:
    """May the new system take the place of the old one?

    >>> reference = ["the cat sat on the mat"] * 9
    >>> gate(["the cat sat on a mat"] * 9, reference, reference).passed
    False

    Args:
        new: the new system's outputs; or a test set of the new and the old system in this order,
            or of the new one alone with saved statistics of the old. A stream of test sets of both
            where they are larger than memory.
        old: the old system's outputs, or what `read_statistics` read of them.
        references: one text, or one per translator; None with a test set.
        metrics: names or objects; the new system must pass by all of them.
        margin: how much worse the new system may be, in points of the metric: it must be shown to
            be worse by less. 0 asks for a better one, None that it is not shown to be worse.
        level: 1 minus the significance level of the one-sided test.
        replicates: of the test without a margin; a look by a ledger may take more.
        seed: any whole number from 0 up.
        unit: what is drawn or swapped as a whole: "segment", "document" or "block"; None for
            documents where they are known, else segments.
        block_length: segments in a block, with unit "block".
        by_domain: draw within each domain, so that every replicate has the same mixture.
        documents: the document of each segment, where `new` is no test set.
        domains: the domain of each segment, likewise.
        ledger: a file that records the looks at this test set, so that all of them together keep
            the level; see `truebleu.significance.ledger`.
        looks: how many looks are planned, with a ledger; None for any number.
        curves: what says how often people agree with a difference, which decides nothing; None to
            leave that out.
        progress: called with the number of replicates made since the last call; of a stream, with
            that of segments counted.
        executor: where parts of a stream are counted, such as `truebleu.execution.Processes(4)`.
    """
    settings = GateSettings(
        margin=margin,
        level=level,
        replicates=replicates,
        seed=seed,
        unit=unit or "segment",
        block_length=block_length,
        by_domain=by_domain,
        looks=looks,
    )
    if looks is not None and ledger is None:
        raise SettingError("looks", looks, "a ledger beside it, which counts them")
    if getattr(new, "is_streamed", False):
        from truebleu.significance.streaming import refuse_in_parts

        refuse_in_parts(
            old=old,
            references=references,
            unit=unit if unit == "block" else None,
            block_length=block_length,
            by_domain=by_domain or None,
            documents=documents,
            domains=domains,
            ledger=ledger,
        )
        stream = cast("TestSetStream", new)
        return _gate_stream(stream, metrics, settings, unit, curves, progress, executor)
    if executor is not None:
        raise SettingError("executor", executor, "a stream: only its parts are counted elsewhere")
    new = cast("TestSet | TextLike", new)
    saved = old if isinstance(old, SavedStatistics) else None
    if isinstance(new, TestSet):
        if old is not saved:
            raise SettingError("old", type(old), "none, or saved statistics, beside a test set")
        systems: TestSet | dict[str, TextLike] = new
    else:
        if old is None:
            raise SettingError("old", None, "the old system's outputs, or statistics of them")
        systems = {"new": new} if isinstance(old, SavedStatistics) else {"new": new, "old": old}
    test_set = as_test_set(systems, references, documents=documents, domains=domains)
    parsed, test_set = metrics_for(metrics, test_set)
    require_curves(parsed, curves)
    labels = metric_labels(parsed)
    _require_directions(labels, parsed)
    new_name, old_name = _names(list(test_set.systems), saved)
    if saved is not None:
        saved.require_same_references(test_set)
        test_set = _with_labels_of(saved, test_set)
    settings = replace(settings, unit=chosen_unit(unit, test_set))
    units = units_of(test_set, settings)
    rows = [_rows(metric, test_set, saved) for metric in parsed]
    statistics = [
        MetricStatistics.of(label, metric, counts, units)
        for label, metric, counts in zip(labels, parsed, rows, strict=True)
    ]
    references_per_segment = test_set.references_per_segment
    people = _people(statistics, units, settings, curves)
    effects: list[float | None] = [None] * len(statistics)
    if (kinds := known_clusters(test_set, settings)) is not None:
        effects = [
            _design_effect(label, metric, counts, kinds)
            for label, metric, counts in zip(labels, parsed, rows, strict=True)
        ]

    spread = _Units(len(units), _strata(units, settings))

    def decide(look: Look | None) -> GateResult:
        alpha = settings.alpha if look is None else look.alpha
        _require_enough(len(units), settings, alpha)
        return GateResult(
            new=new_name,
            old=old_name,
            checks=tuple(
                replace(check, people=agreement, design_effect=effect)
                for check, agreement, effect in zip(
                    _checks(statistics, spread, references_per_segment, settings, alpha, progress),
                    people,
                    effects,
                    strict=True,
                )
            ),
            test_set=test_set.outline,
            settings=settings,
            units=len(units),
            look=look,
            warnings=test_set.warnings,
        )

    if ledger is None:
        return decide(None)
    with open_ledger(ledger) as opened:
        fingerprints = [_fingerprint(rows, system) for system in (0, 1)]
        key = _key(statistics, units, settings, fingerprints)
        look = opened.look(test_set.fingerprint, key, settings.level, looks)
        result = decide(look)
        if not look.repeated:
            opened.record(look, _record(result, test_set.fingerprint, key, fingerprints))
        return result


def _gate_stream(
    stream: TestSetStream,
    metrics: Sequence[str | Metric],
    settings: GateSettings,
    unit: Unit | None,
    curves: Sequence[AgreementCurve] | None,
    progress: Progress | None,
    executor: Executor | None,
) -> GateResult:
    """As `gate` does, of a test set that comes in parts."""
    from truebleu.significance.streaming import BOOTSTRAP_REPLICATES, Plan, stream_statistics

    parsed = as_metrics(metrics)
    require_curves(parsed, curves)
    _require_directions(metric_labels(parsed), parsed)
    new_name, old_name = _names(stream.systems, None)
    swaps = None
    if settings.margin is None:
        replicates = _replicates(settings, settings.alpha)
        swaps = Swaps(replicates=replicates, seed=settings.seed)
    plan = Plan(
        swaps=swaps,
        bootstrap=PoissonBootstrap(replicates=BOOTSTRAP_REPLICATES, seed=settings.seed),
        pairs=((0, 1),),
        moments=True,
        unit=unit,
    )
    streamed = stream_statistics(stream, parsed, plan, progress, executor)
    settings = replace(settings, unit=streamed.unit)
    _require_enough(streamed.units, settings, settings.alpha)
    spread = _Units(streamed.units, None, streamed.drawn)
    references = streamed.references_per_segment
    checks = _checks(streamed.statistics, spread, references, settings, settings.alpha, None)
    nothing: list[MetricStatistics | None] = [None] * len(checks)
    by_segment = nothing if streamed.by_segment is None else [*streamed.by_segment]
    return GateResult(
        new=new_name,
        old=old_name,
        checks=tuple(
            replace(
                check,
                people=agreement_of_pairs(metric.metric, curves, [(0, 1)], metric.scores, drawn)[0],
                design_effect=None
                if segments is None
                else design_effects(segments, metric, signs_of_pairs([(0, 1)], 2))[0],
            )
            for check, metric, drawn, segments in zip(
                checks, streamed.statistics, streamed.drawn, by_segment, strict=True
            )
        ),
        test_set=streamed.outline,
        settings=settings,
        units=streamed.units,
        warnings=streamed.warnings,
    )


def _fingerprint(rows: Sequence[Values], system: int) -> str:
    """What a system's text is to these metrics: saved statistics have the same one."""
    counts = (np.ascontiguousarray(part[:, system], dtype="<f8") for part in rows)
    return system_fingerprint([part.tobytes() for part in counts])


def _key(
    statistics: Sequence[MetricStatistics],
    units: Units,
    settings: GateSettings,
    fingerprints: Sequence[str],
) -> str:
    return look_key(
        {
            "settings": settings.to_dict(),
            "units": system_fingerprint([units.of_segment.astype("<i8").tobytes()]),
            "strata": units.strata,
            "systems": list(fingerprints),
            "metrics": [str(metric.metric.signature) for metric in statistics],
        }
    )


def _record(
    result: GateResult, test_set: str, key: str, fingerprints: Sequence[str]
) -> dict[str, Any]:
    """What a ledger says of a look, besides its number and level."""
    return {
        "test_set": test_set,
        "level": result.settings.level,
        "key": key,
        "new": fingerprints[0],
        "old": fingerprints[1],
        "metrics": [str(check.signature) for check in result.checks],
        "rule": result.rule,
        "margin": result.settings.margin,
        "p": [check.p_adjusted for check in result.checks],
        "passed": result.passed,
    }


def _require_directions(labels: Sequence[str], metrics: Sequence[Metric]) -> None:
    for label, metric in zip(labels, metrics, strict=True):
        if metric.higher_is_better is None:
            expected = "a metric of which more or less is better, so that one can be worse"
            raise SettingError("metric", label, expected)


def _names(names: Sequence[str], saved: SavedStatistics | None) -> tuple[str, str]:
    if len(names) != (2 if saved is None else 1):
        expected = "one new and one old system" if saved is None else "one system besides the saved"
        raise SettingError("systems", ", ".join(names), expected)
    if saved is None:
        return names[0], names[1]
    # A new run of a system usually has the name of the old one.
    namesake = saved.system == names[0]
    return names[0], f"{saved.system} ({saved.label})" if namesake else saved.system


def _design_effect(
    label: str, metric: Metric, counts: Values, kinds: tuple[Units, Units]
) -> float | None:
    """The variance of the difference by documents or blocks over that by segments."""
    by_segment, by_cluster = (MetricStatistics.of(label, metric, counts, kind) for kind in kinds)
    return design_effects(by_segment, by_cluster, signs_of_pairs([(0, 1)], 2))[0]


def _with_labels_of(saved: SavedStatistics, test_set: TestSet) -> TestSet:
    """The test set, with saved documents and domains where it has none of its own."""
    return replace(
        test_set,
        documents=saved.documents if test_set.documents is None else test_set.documents,
        domains=saved.domains if test_set.domains is None else test_set.domains,
    )


def _require_enough(units: int, settings: GateSettings, alpha: float) -> None:
    """Refuse so few units that no difference could be significant: such a gate never closes."""
    least = fewest_units(alpha, "greater")
    if units < least:
        expected = (
            f"at least {least} at the level {round(1 - alpha, 12):g}; with {units} no "
            "difference can be significant"
        )
        raise SettingError("test set", f"{units} {settings.unit}s", expected)


def _rows(metric: Metric, test_set: TestSet, saved: SavedStatistics | None) -> Values:
    """Counts shaped (segment, system, column), the new system first."""
    if saved is None:
        return metric.count(test_set).array()
    old = saved.by(metric)
    new = metric.count(test_set).array()[:, 0]
    return np.stack([new, old], axis=1)


@dataclass(frozen=True, slots=True)
class _Units:
    """What says how much a difference varies.

    Attributes:
        count: how many units there are.
        strata: of which, where they are drawn within domains.
        drawn: by metric, scores on the replicates of a stream, whose units are forgotten.
    """

    count: int
    strata: tuple[tuple[int, int], ...] | None
    drawn: list[Values] | None = None


def _checks(
    statistics: Sequence[MetricStatistics],
    units: _Units,
    references: int | None,
    settings: GateSettings,
    alpha: float,
    progress: Progress | None,
) -> list[GateCheck]:
    """Each metric's check, at this significance level."""
    if settings.margin is None:
        replicates = _replicates(settings, alpha, units.count)
        judged = _without_margin(statistics, units.count, settings, replicates, progress)
    else:
        judged = _with_margin(statistics, units, settings.margin)
    checks = []
    for place, metric in enumerate(statistics):
        p, adjusted = judged.p[place], judged.p_adjusted[place]
        new, old = metric.scores.tolist()
        share, effective = None, units.count
        if units.drawn is None:
            left_out = _jackknife(metric)
            low, high = hall_interval(new - old, left_out, 1 - 2 * alpha, units.strata).tolist()
            share = _largest_share(metric)
            effective = int(effective_units(left_out, units.strata))
        else:
            drawn, level = units.drawn[place], 1 - 2 * alpha
            bounds = interval_bounds(metric, drawn, [(0, 1)], "delta", level, settings.seed)
            low, high = bounds[:, 0].tolist()
        differing = metric.differing_units([(0, 1)])[0]
        checks.append(
            GateCheck(
                metric=metric.label,
                signature=metric.metric.signature.with_references(references),
                higher_is_better=metric.sign == 1,
                # Only "not worse" is refuted by a small p; the other rules are shown by it.
                passed=(adjusted <= alpha) != (settings.rule == "not worse"),
                new_score=new,
                old_score=old,
                difference=new - old,
                interval=(low, high),
                p=p,
                p_se=judged.error(p),
                p_adjusted=adjusted,
                replicates=judged.replicates,
                exact=judged.exact,
                differing_units=differing,
                largest_share=share,
                effective_units=effective,
                note=_note(differing, settings, alpha),
            )
        )
    return checks


def _people(
    statistics: Sequence[MetricStatistics],
    units: Units,
    settings: GateSettings,
    curves: Sequence[AgreementCurve] | None,
) -> list[PeopleAgreement | None]:
    """How often people agree with each metric's difference."""
    if not any(find_curve(metric.metric, curves or ()) for metric in statistics):
        return [None] * len(statistics)
    bootstrap = Bootstrap(replicates=settings.replicates, seed=settings.seed)
    drawn = bootstrap_scores(statistics, units, bootstrap)
    return [
        agreement_of_pairs(metric.metric, curves, [(0, 1)], metric.scores, scores)[0]
        for metric, scores in zip(statistics, drawn, strict=True)
    ]


def _replicates(settings: GateSettings, alpha: float, units: int | None = None) -> int:
    """As many as were asked for, or as a later look needs for a p-value below its level."""
    needed = math.ceil(2 / alpha)
    few = units is not None and units < math.log2(needed)
    if needed <= max(settings.replicates, MOST_REPLICATES) or few:
        return max(settings.replicates, needed)
    expected = (
        "a fresh test set, a planned number of looks, or a margin, whose test needs no replicates: "
        f"this look's level of {alpha:.1e} would need {needed:,} of them"
    )
    raise SettingError("ledger", "so many looks at this test set", expected)


@dataclass(frozen=True, slots=True)
class _Judged:
    """The p-values of all metrics, and the replicates that they come from."""

    p: list[float]
    p_adjusted: list[float]
    replicates: int = 0
    exact: bool = False

    def error(self, p: float) -> float:
        """The Monte-Carlo standard error of a p-value."""
        if self.exact or self.replicates == 0:
            return 0.0
        return float(monte_carlo_error(p, self.replicates))


def _without_margin(
    statistics: Sequence[MetricStatistics],
    units: int,
    settings: GateSettings,
    replicates: int,
    progress: Progress | None,
) -> _Judged:
    """Is it worse by any metric: swaps that all metrics share."""
    swaps = Swaps(replicates=replicates, seed=settings.seed)
    exact = swaps.enumerates(units)
    swapped = swap_differences(statistics, [(0, 1)], swaps, progress)
    signs = np.array([metric.sign for metric in statistics])
    scales = np.array([metric.scale for metric in statistics])
    observed = signs * np.array([float(-np.diff(metric.scores)[0]) for metric in statistics])
    null = signs * np.concatenate(swapped, axis=1)
    p = randomization_p(observed, null, "less", exact=exact, scale=scales)
    adjusted = p
    if len(statistics) > 1:
        adjusted = westfall_young(observed, null, "less", exact=exact, scale=scales)
        # Standardised, a lone metric's order is that of its swaps; ties may round the other way.
        adjusted = np.maximum(adjusted, p)
    return _Judged(p.tolist(), adjusted.tolist(), len(null), exact)


def _with_margin(statistics: Sequence[MetricStatistics], units: _Units, margin: float) -> _Judged:
    """Is it worse by less than the margin, or better, by every metric."""
    p = []
    for place, metric in enumerate(statistics):
        difference = metric.sign * -np.diff(metric.scores)[0]
        if units.drawn is None:
            left_out = metric.sign * _jackknife(metric)
            of_metric = hall_p(
                difference, left_out, -margin, scale=metric.scale, strata=units.strata
            )
        else:
            # As `compare --margin` does in a stream: the larger p of delta method and bootstrap.
            error = metric.errors_of_pairs([(0, 1)])[0]
            degrees = units.count - 1
            by_error = student_p(difference + margin, error, degrees, "greater", scale=metric.scale)
            drawn = metric.sign * -np.diff(units.drawn[place], axis=1)
            by_replicates = non_inferiority_p(drawn, margin, scale=metric.scale)[0]
            of_metric = np.maximum(by_error, by_replicates)
        p.append(float(of_metric))
    return _Judged(p, p)


def _jackknife(statistics: MetricStatistics) -> Values:
    """The difference, new minus old, without one unit each."""
    left_out = statistics.jackknife_scores()
    return np.asarray(left_out[:, 0] - left_out[:, 1])


def _largest_share(statistics: MetricStatistics) -> float | None:
    left_out = _jackknife(statistics)
    squares = (left_out - left_out.mean()) ** 2
    if np.ptp(left_out) <= TIE_TOLERANCE * max(statistics.scale, 1.0):
        return None
    return float(squares.max() / squares.sum())


def _strata(units: Units, settings: GateSettings) -> tuple[tuple[int, int], ...] | None:
    return units.strata if settings.by_domain else None


def _note(differing: int, settings: GateSettings, alpha: float) -> PairNote | None:
    """What makes a test moot: too few units that differ."""
    if differing == 0:
        return "identical"
    few = differing < fewest_units(alpha, "greater")
    return "few units differ" if settings.margin is None and few else None
