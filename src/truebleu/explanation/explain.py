"""Explanations of differences by segment, document, slice, n-gram, typography and faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

import numpy as np

from truebleu import schema
from truebleu._results import Result
from truebleu.counts.inputs import counts_of
from truebleu.errors import RefusedError, SettingError
from truebleu.explanation.contributions import (
    TYPOGRAPHY,
    fragility,
    ngram_effects,
    normalize_typography,
    split_difference,
)
from truebleu.explanation.degenerate import degenerate_outputs
from truebleu.explanation.slices import (
    even_spread_ps,
    members,
    reference_shares,
    simultaneous_intervals,
    units_in,
    variables,
)
from truebleu.metrics.base import Metric
from truebleu.resampling import Swaps, Units, on_exact_grid
from truebleu.significance.compare import compare
from truebleu.significance.corrections import westfall_young
from truebleu.significance.pairs import swap_tests
from truebleu.significance.settings import ResamplingSettings, units_of
from truebleu.significance.unit_counts import UnitCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.counts.inputs import Source
    from truebleu.explanation.contributions import Contributions, Fragility, NgramEffects
    from truebleu.explanation.slices import Origin
    from truebleu.metrics.registry import MetricsLike
    from truebleu.resampling import Values
    from truebleu.significance.compare import Comparison, PairResult
    from truebleu.significance.pairs import DifferenceBounds
    from truebleu.significance.replicates import Progress

__all__ = [
    "DegenerateGroup",
    "Explanation",
    "GroupContribution",
    "NgramContribution",
    "PairExplanation",
    "SliceContribution",
    "TypographyEffect",
    "VariableContributions",
]

RESULT_VERSION = 1
# Replicates for the intervals of slices, which integrate the gradient in every replicate.
SLICE_REPLICATES = 2000
# Smallest excess over its share of the text with which a slice stands out.
NEAR = 0.1
# Number of n-grams to list for each system, and number of candidates for the list.
LISTED_NGRAMS, STRONGEST = 10, 100
# A longer n-gram replaces its part if it is in at least this share of the part's segments.
IN_PLACE = 0.8
# Contributions that differ by less are ties.
TIED = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupContribution:
    """Contribution of a document or of a part of the score, in the metric's points.

    Attributes:
        name: name of the document or part.
        contribution: contribution to the difference.
    """

    name: str
    contribution: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceContribution:
    """One slice of the test set.

    Attributes:
        name: label of the slice.
        segments: number of segments.
        units: number of units with segments in the slice.
        share: share of the characters of the references.
        contribution: contribution to the difference; contributions of all slices of a variable add
            up to the difference.
        interval: interval of the contribution; the intervals of all slices are simultaneous.
        scores: scores of the two systems on the slice alone, which do not add up; None if the slice
            has no score.
        p_adjusted: adjusted p-value of the hypothesis that the slice contributes in proportion to
            its share of the text; None if it has too few units to test.
    """

    name: str
    segments: int
    units: int
    share: float
    contribution: float
    interval: tuple[float, float]
    scores: tuple[float, float] | None
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableContributions:
    """Contributions of the slices of one variable, such as the domain.

    Attributes:
        name: name of the variable, such as "domain".
        origin: source of the labels.
        slices: slices of the test set, whose contributions add up to the difference.
        p_adjusted: adjusted p-value of the hypothesis that all slices contribute in proportion to
            their shares of the text: the smallest among slices that stand out, 1 if none does; None
            if no slice is large enough to test.
    """

    name: str
    origin: Origin
    slices: tuple[SliceContribution, ...]
    p_adjusted: float | None = None

    def excess(self, part: SliceContribution) -> float:
        """Compute a slice's contribution beyond its share of the text.

        It is relative to the sum of all slices' absolute contributions.
        """
        total = sum(other.contribution for other in self.slices)
        size = sum(abs(other.contribution) for other in self.slices)
        return (part.contribution - part.share * total) / size if size else 0.0

    @property
    def unlike_text(self) -> tuple[SliceContribution, ...]:
        """Tested slices whose contribution is not near their share of the text."""
        return tuple(
            part
            for part in self.slices
            if part.p_adjusted is not None and abs(self.excess(part)) >= NEAR
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramContribution:
    """One n-gram.

    Attributes:
        ngram: tokens of the n-gram, separated by single spaces.
        contribution: contribution of the first system's matches minus the second's.
        segments: number of segments in which the systems match the n-gram differently often.
        examples: segments with the largest effect, all_counts from 1.
        p_adjusted: adjusted p-value of the hypothesis that the n-gram contributes nothing; None if
            it was not tested.
    """

    ngram: str
    contribution: float
    segments: int
    examples: tuple[int, ...]
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TypographyEffect:
    """Effect of quotes, dashes, case or spacing on a difference.

    Attributes:
        kind: kind of typography.
        difference: difference between the systems after unifying this kind in all texts.
        interval: interval of that difference.
        p: p-value of that difference.
        effect: difference of the original texts minus that difference.
    """

    kind: str
    difference: float
    interval: DifferenceBounds
    p: float
    effect: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DegenerateGroup:
    """Segments with degenerate outputs of one kind, and the difference without them.

    Attributes:
        kind: kind of fault in the outputs; "any" for all kinds together.
        system: system with these outputs; None for either of the two.
        segments: numbers of the segments, all_counts from 1.
        contribution: contribution of these segments to the difference.
        difference: difference without these segments, or None if it cannot be tested.
        interval: interval of that difference.
        p: p-value of that difference. It is exploratory, since the flags depend on the outputs.
    """

    kind: str
    system: str | None
    segments: tuple[int, ...]
    contribution: float
    difference: float | None
    interval: DifferenceBounds | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExplanation:
    """Explanation of the difference between two systems by one metric.

    Attributes:
        comparison: difference, interval and p-value.
        segments: contributions of segments, which add up to the difference.
        unattributed: part of the difference that cannot be attributed to segments, because the
            score is discontinuous; else 0.
        parts: contributions of the parts of the score, such as matches and brevity penalty.
        documents: contributions of documents, the largest first; empty if documents are unknown.
        variables: slices of the test set by variable, the smallest p-value first.
        ngrams: n-grams that contribute most, the first system's before the second's; empty if the
            metric does not match n-grams.
        typography: effects of quotes, dashes, case and spacing, if they occur.
        fragility: numbers of segments and documents that the difference depends on.
        degenerate: flagged outputs, "any" first; empty without flagged outputs.
    """

    comparison: PairResult
    segments: tuple[float, ...]
    unattributed: float
    parts: tuple[GroupContribution, ...]
    documents: tuple[GroupContribution, ...]
    variables: tuple[VariableContributions, ...]
    ngrams: tuple[NgramContribution, ...]
    typography: tuple[TypographyEffect, ...]
    fragility: tuple[Fragility, ...]
    degenerate: tuple[DegenerateGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Explanation(Result):
    """Explanations of the differences in a comparison.

    Attributes:
        comparison: scores, differences and p-values.
        pairs: explanations of each pair by each metric.
        segment_names: names of the segments, or None if they have only numbers.
    """

    REPORT: ClassVar[str] = "truebleu.reports.explain"

    comparison: Comparison
    pairs: tuple[PairExplanation, ...]
    segment_names: tuple[str, ...] | None = None

    def of(self, metric: str) -> tuple[PairExplanation, ...]:
        """Return the explanations by one metric."""
        return tuple(pair for pair in self.pairs if pair.comparison.metric == metric)

    @property
    def warnings(self) -> tuple[TextWarning, ...]:
        """Warnings about the texts."""
        return self.comparison.warnings

    @property
    def degenerate(self) -> list[dict[str, Any]]:
        """Degenerate outputs of each system by kind; segments are all_counts from 1."""
        groups = {
            (group.system, group.kind): list(group.segments)
            for pair in self.pairs
            for group in pair.degenerate
            if group.system is not None
        }
        return [
            {"system": system, "kind": kind, "segments": segments}
            for (system, kind), segments in groups.items()
        ]

    def facts(self) -> dict[str, Any]:
        """Return all values as built-in types, without sentences."""
        comparison = self.comparison.facts()
        return {
            "version": RESULT_VERSION,
            **{name: comparison[name] for name in ("test_set", "settings", "metrics", "systems")},
            "segment_names": schema.to_builtins(self.segment_names),
            "degenerate": self.degenerate,
            "explanations": schema.to_builtins(self.pairs),
            "warnings": comparison["warnings"],
        }


class ReportOptions(TypedDict, total=False):
    """Options of verbs that explain the differences of a comparison."""

    baseline: schema.Baseline
    level: schema.Level
    replicates: schema.Replicates
    seed: schema.Seed
    unit: schema.TextUnitChoice


class ExplainOptions(ReportOptions, total=False):
    """Options of `explain`."""

    people: schema.People


@schema.takes(ExplainOptions, ResamplingSettings.refuse_conflicts)
def explain(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    by: ColumnsLike | None = None,
    counts: Mapping[str, int] | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
    **options: Unpack[ExplainOptions],
) -> Explanation:
    """Where does the difference between two systems come from?

    >>> texts = {"a": ["the cat sat on the mat"] * 9, "b": ["the cat sat on a mat"] * 9}
    >>> explanation = explain(texts, ["the cat sat on the mat"] * 9)
    >>> pair = explanation.pairs[0]
    >>> abs(sum(pair.segments) - pair.comparison.difference) < 1e-9
    True

    Args:
        systems: a test set, the outputs of two or more systems by name, scores of items by model,
            or counts.
        references: one text, or one per translator; None with a test set, scores or counts.
        metrics: names or objects: "bleu", ["bleu", "chrf:word_order=2"], BLEU(). Default: BLEU, or
            the scores of items.
        by: more labels to slice by, one for each segment, by name; or "document".
        counts: frequencies of words in the training data, to find rare words.
        source: source text, unless `systems` is a test set.
        documents: document of each segment, unless `systems` is a test set.
        domains: domain of each segment, unless `systems` is a test set.
        progress: function that is called with the number of replicates since the last call.
    """
    all_counts = counts_of(systems, references, metrics, documents, domains, source, verb="explain")
    all_counts = all_counts.without_copies(options["baseline"])
    count = len(all_counts.outline.systems)
    if count < 2:
        given = "1 system" if count else "no systems"
        raise RefusedError(f"{given} given: it takes at least two to compare; score takes one")
    if options["baseline"] is None and count > 2:
        raise RefusedError(f"{count} systems given: choose one with --baseline (baseline=)")
    compared = Compared(all_counts, by, counts, progress=progress, **options)
    return compared.explain((pair.a, pair.b) for pair in compared.comparison.comparisons)


class Compared:
    """A comparison, with the data that explain its differences.

    Attributes:
        counts: counts of all systems.
        comparison: comparison of these counts.
        cuts: slices of the test set.
        flagged: degenerate outputs by system and flag; empty without texts.
    """

    def __init__(
        self,
        counts: Counts,
        by: ColumnsLike | None,
        word_counts: Mapping[str, int] | None,
        groups: ColumnsLike | None = None,
        **options: Any,
    ) -> None:
        """Compare systems with the options of `compare`, also in `groups`; slice the test set."""
        schema.require_type(
            "counts", word_counts, Mapping | None, "counts of words in training data"
        )
        self.counts = counts.without_copies(options["baseline"])
        self.cuts = tuple(variables(self.counts, by, word_counts))
        self.comparison = compare(self.counts, by=groups, **options)
        texts = self.counts.texts
        self.flagged = {} if texts is None else degenerate_outputs(texts)

    def explain(self, pairs: Iterable[tuple[str, str]]) -> Explanation:
        """Explain some pairs of the comparison, given as names of systems."""
        names = set(pairs)
        explanations: list[PairExplanation] = []
        for metric in self.counts.metrics:
            explainer = _Explainer(self, metric)
            of_metric = self.comparison.of(metric.label)
            chosen = [pair for pair in of_metric if (pair.a, pair.b) in names]
            explanations += [explainer.explain(pair, len(chosen)) for pair in chosen]
        return Explanation(
            comparison=self.comparison,
            pairs=tuple(explanations),
            segment_names=self.counts.outline.names,
        )


class _Explainer:
    """Explains pairs of systems by one metric."""

    def __init__(self, compared: Compared, metric: MetricCounts) -> None:
        self.outline, self.texts = compared.counts.outline, compared.counts.texts
        self.settings = compared.comparison.settings
        self.scorer = metric.scorer
        self.rows = metric.rows.floats()
        self.cuts = compared.cuts
        self.flagged = compared.flagged
        self.units = units_of(self.outline, self.settings)
        documents = self.outline.documents
        self.documents = None if documents is None else Units.documents(documents)
        self.shares = reference_shares(compared.counts)

    def explain(self, pair: PairResult, pairs: int) -> PairExplanation:
        """Explain one pair; p-values are adjusted for `pairs` pairs.

        They are also adjusted for two questions, about slices and about n-grams, if there are
        n-grams.
        """
        indices = [self.outline.systems.index(name) for name in (pair.a, pair.b)]
        rows = np.ascontiguousarray(self.rows[:, indices])
        contributions = split_difference(self.scorer, rows[:, 0], rows[:, 1])
        ngrams = None
        if self.texts is not None and isinstance(self.scorer, Metric):
            ngrams = ngram_effects(
                self.scorer, self.texts, (pair.a, pair.b), contributions, self.units
            )
        questions = pairs * (1 if ngrams is None else 2)
        return PairExplanation(
            comparison=pair,
            segments=tuple(contributions.by_segment.tolist()),
            unattributed=contributions.unattributed,
            parts=self._parts(contributions),
            documents=self._documents(contributions),
            variables=self._variables(rows, contributions, questions),
            ngrams=() if ngrams is None else _listed(ngrams, self._ngram_ps(ngrams, questions)),
            typography=self._typography(pair),
            fragility=self._fragility(pair, rows),
            degenerate=self._degenerate(pair, rows, contributions),
        )

    def _parts(self, contributions: Contributions) -> tuple[GroupContribution, ...]:
        names = self.scorer.column_parts(len(contributions.gradient))
        return _sum_by_name(names, contributions.by_column())

    def _documents(self, contributions: Contributions) -> tuple[GroupContribution, ...]:
        documents = _sum_by_name(self.outline.documents or (), contributions.by_segment)
        return tuple(sorted(documents, key=lambda document: -abs(document.contribution)))

    def _ngram_ps(self, ngrams: NgramEffects, questions: int) -> Values:
        """Compute p-values of n-grams, adjusted by the step-down maximum over swaps."""
        rows = on_exact_grid(ngrams.by_unit)
        if not rows.shape[1]:
            return np.zeros(0)
        swaps = Swaps(replicates=self.settings.replicates, seed=self.settings.seed)
        exact = swaps.enumerates(len(rows))
        replicates = 2 ** len(rows) if exact else swaps.replicates
        total = rows.sum(axis=0)
        # A swap changes the sign of a unit's contribution.
        null = total - 2 * swaps.sums(rows, 0, replicates, enumerated=exact)
        p = westfall_young(total, null, exact=exact, scale=float(np.abs(total).max()))
        return np.minimum(1.0, questions * p)

    def _variables(
        self,
        rows: Values,
        contributions: Contributions,
        questions: int,
    ) -> tuple[VariableContributions, ...]:
        if not self.cuts:
            return ()
        replicates = min(self.settings.replicates, SLICE_REPLICATES)
        draws = {"replicates": replicates, "seed": self.settings.seed}
        cuts, units, level = self.cuts, self.units, self.settings.level
        slice_ps = even_spread_ps(cuts, contributions.by_segment, self.shares, units, **draws)
        intervals = simultaneous_intervals(
            self.scorer, rows, cuts, contributions, units, **draws, level=level
        )
        explained = []
        for variable, (low, high), unadjusted in zip(cuts, intervals, slice_ps, strict=True):
            ps = np.minimum(1.0, questions * unadjusted)
            member = members(variable)
            sums = np.einsum("nb,nsc->bsc", member, rows)
            counts = units_in(variable, units)
            slices = tuple(
                SliceContribution(
                    name=label,
                    segments=int(member[:, index].sum()),
                    units=int(counts[index]),
                    share=float(self.shares @ member[:, index]),
                    contribution=float(contributions.by_segment @ member[:, index]),
                    interval=(float(low[index]), float(high[index])),
                    scores=self._scores(sums[index]),
                    p_adjusted=None if np.isnan(ps[index]) else float(ps[index]),
                )
                for index, label in enumerate(variable.labels)
                if counts[index]
            )
            cut = VariableContributions(name=variable.name, origin=variable.origin, slices=slices)
            if not np.isnan(ps).all():
                smallest = min((part.p_adjusted or 0.0 for part in cut.unlike_text), default=1.0)
                cut = replace(cut, p_adjusted=smallest)
            explained.append(cut)

        def clearest(variable: VariableContributions) -> tuple[float, float]:
            p = variable.p_adjusted
            return (2.0 if p is None else p), -max(map(abs, map(variable.excess, variable.slices)))

        return tuple(sorted(explained, key=clearest))

    def _scores(self, sums: Values) -> tuple[float, float] | None:
        try:
            first, second = self.scorer.score(sums).tolist()
        except SettingError:  # a mean of no scores
            return None
        return first, second

    def _typography(self, pair: PairResult) -> tuple[TypographyEffect, ...]:
        scorer = self.scorer
        if self.texts is None or not isinstance(scorer, Metric) or scorer.native() is None:
            return ()
        effects = []
        for kind in TYPOGRAPHY:
            texts = normalize_typography(self.texts, (pair.a, pair.b), kind)
            if texts is None:
                continue
            rows = scorer.count(texts).array()
            tested = self._test(pair, rows, np.ones(len(rows), dtype=np.bool_))
            if tested["p"] is not None:
                effect = pair.difference - tested["difference"]
                effects.append(TypographyEffect(kind=kind, effect=effect, **tested))
        return tuple(sorted(effects, key=lambda typography: -abs(typography.effect)))

    def _test(
        self, pair: PairResult, rows: NDArray[Any], mask: NDArray[np.bool_]
    ) -> dict[str, Any]:
        """Return the difference, interval and p of a pair by other rows or on some segments.

        All are None if nothing can be tested.
        """
        untested = dict.fromkeys(("difference", "interval", "p"))
        if len(np.unique(self.units.of_segment[mask])) < 2:
            return untested
        outline = self.outline.select((pair.a, pair.b))
        if not mask.all():
            outline = outline.subset(np.flatnonzero(mask).tolist())
        settings = replace(
            self.settings, baseline=None, correction="none", test_replicates=None, primary=None
        )
        units = units_of(outline, settings)
        try:
            counts = UnitCounts.of(pair.metric, self.scorer, rows[mask], units)
            (tests,) = swap_tests([counts], [(0, 1)], settings)
        except SettingError:  # a mean of no scores
            return untested
        (difference,), (interval,) = counts.differences([(0, 1)]).tolist(), tests.intervals()
        return {"difference": difference, "interval": interval, "p": float(tests.p[0])}

    def _fragility(self, pair: PairResult, rows: Values) -> tuple[Fragility, ...]:
        if pair.difference == 0:
            return ()
        segments = Units.segments(len(rows))
        groups = [segments] if self.documents is None else [segments, self.documents]

        def test(mask: NDArray[np.bool_]) -> float:
            p: float | None = self._test(pair, rows, mask)["p"]
            return 1.0 if p is None else p

        return tuple(
            fragility(
                self.scorer,
                rows,
                group,
                self.units,
                significant=pair.p <= self.settings.alpha,
                alpha=self.settings.alpha,
                test=test,
            )
            for group in groups
            if len(group) > 1
        )

    def _degenerate(
        self, pair: PairResult, rows: Values, contributions: Contributions
    ) -> tuple[DegenerateGroup, ...]:
        groups: dict[tuple[str, str | None], tuple[int, ...]] = {
            (kind, system): indices
            for system in (pair.a, pair.b)
            for kind, indices in self.flagged.get(system, {}).items()
            if indices
        }
        if not groups:
            return ()
        by_segment = contributions.by_segment
        groups = dict(sorted(groups.items(), key=lambda g: -abs(by_segment[list(g[1])].sum())))
        either = tuple(sorted(set().union(*groups.values())))
        results = []
        for (kind, system), indices in {("any", None): either, **groups}.items():
            chosen = list(indices)
            mask = np.ones(len(rows), dtype=np.bool_)
            mask[chosen] = False
            results.append(
                DegenerateGroup(
                    kind=kind,
                    system=system,
                    segments=tuple(index + 1 for index in indices),
                    contribution=float(by_segment[chosen].sum()),
                    **self._test(pair, rows, mask),
                )
            )
        return tuple(results)


def _sum_by_name(names: Sequence[str], values: Values) -> tuple[GroupContribution, ...]:
    """Add up the contributions of each name, in order of appearance."""
    sums: dict[str, float] = defaultdict(float)
    for name, value in zip(names, values.tolist() if names else (), strict=True):
        sums[name] += value
    return tuple(GroupContribution(name=name, contribution=value) for name, value in sums.items())


def _listed(effects: NgramEffects, ps: Values) -> tuple[NgramContribution, ...]:
    """List the n-grams that contribute most, the first system's before the second's."""
    ahead = _largest(effects.contributions, effects)
    behind = _largest(-effects.contributions, effects)
    p_of = dict(zip(effects.tested.tolist(), ps.tolist(), strict=True))
    return tuple(
        NgramContribution(
            ngram=effects.ngrams[number],
            contribution=float(effects.contributions[number]),
            segments=int(effects.segments[number]),
            examples=tuple(index + 1 for index in effects.examples(number)),
            p_adjusted=p_of.get(number),
        )
        for number in (*ahead, *reversed(behind))
    )


def _largest(values: Values, effects: NgramEffects) -> list[int]:
    """Return the indices of the largest values above 0, with longer n-grams in place of parts.

    Ties are broken by spelling.
    """
    few = min(STRONGEST, len(values))
    minimum = max(np.partition(values, -few)[-few] - TIED, TIED)
    chosen = np.flatnonzero(values >= minimum).tolist()
    strongest = sorted(chosen, key=lambda n: (-round(float(values[n]) / TIED), effects.ngrams[n]))[
        :few
    ]

    def is_in_place(longer: int, part: int) -> bool:
        return (
            longer != part
            and f" {effects.ngrams[part]} " in f" {effects.ngrams[longer]} "
            and effects.segments[longer] >= IN_PLACE * effects.segments[part]
        )

    complete = [
        part for part in strongest if not any(is_in_place(longer, part) for longer in strongest)
    ]
    return complete[:LISTED_NGRAMS]
