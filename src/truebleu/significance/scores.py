"""Scores of every system by every metric, with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from truebleu import schema
from truebleu._results import Result
from truebleu.counts.inputs import counts_of
from truebleu.metrics.base import MeanScorer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from truebleu.corpus.outline import ColumnsLike, Sizes
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.counts.counts import Counts, MetricCounts
    from truebleu.counts.inputs import Source
    from truebleu.metrics.base import Score, Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.significance.replicates import Progress
    from truebleu.significance.settings import IntervalSettings

__all__ = [
    "GroupScores",
    "Scores",
    "SystemScores",
]

#: Both ends are None if the scores do not vary.
Interval = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """One system's scores by metric label; segments' scores and intervals if requested.

    Attributes:
        name: name of the system.
        scores: scores by metric label.
        segments: scores of each segment by metric label, None for a segment without a score.
        intervals: intervals of the scores by metric label.
    """

    name: str
    scores: Mapping[str, Score]
    segments: Mapping[str, tuple[float | None, ...]] | None = None
    intervals: Mapping[str, Interval] | None = None

    @property
    def notes(self) -> dict[str, str]:
        """Cautions by metric label; metrics without one are left out."""
        return {
            label: f"segments without a score: {row.count(None)} of {len(row)}"
            for label, row in (self.segments or {}).items()
            if None in row
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        scores = {label: score.to_dict() for label, score in self.scores.items()}
        for label, segments in (self.segments or {}).items():
            scores[label]["segments"] = list(segments)
        for label, interval in (self.intervals or {}).items():
            scores[label]["interval"] = list(interval)
        for label, note in self.notes.items():
            scores[label]["note"] = note
        return {"name": self.name, "scores": scores}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScores:
    """Scores of a group of segments.

    Attributes:
        column: name of the labels that group the segments.
        label: label of the group.
        segments: number of segments.
        unit: unit that was resampled as a whole; None without intervals.
        units: number of units; None without intervals.
        systems: scores of each system; the intervals of all groups of the column are simultaneous.
    """

    column: str
    label: str
    segments: int
    unit: schema.Unit | None
    units: int | None
    systems: tuple[SystemScores, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scores(Result, Mapping[str, Mapping[str, "Score"]]):
    """Scores of all systems of a test set: a mapping from system to metric label to score.

    A metric's label is its name, with the settings that distinguish it from other metrics of this
    name, if any.

    Attributes:
        test_set: sizes and names of the test set.
        signatures: signature of each metric, by label.
        higher_is_better: direction of each metric, by label.
        digits: decimals to display, by metric label.
        systems: scores of each system, in the order of the test set.
        warnings: warnings about the texts.
        settings: settings of the intervals, or None without intervals.
        units: number of resampled units, or None without intervals.
        interval_methods: method of the intervals, by metric label.
        design_effects: variance of each system's score by documents or blocks over its variance by
            segments, by metric label; empty without intervals, documents and blocks.
        groups: scores of groups of segments, if requested.
        segment_names: names of the segments; None if they are known by number.
        percent: labels of the metrics whose scores of items are all 0 or 1; people read them in
            percent.
    """

    REPORT: ClassVar[str] = "truebleu.reports.scores"

    test_set: Sizes
    signatures: Mapping[str, Signature]
    higher_is_better: Mapping[str, bool | None]
    digits: Mapping[str, int]
    systems: tuple[SystemScores, ...]
    warnings: tuple[TextWarning, ...] = ()
    settings: IntervalSettings | None = None
    units: int | None = None
    interval_methods: Mapping[str, schema.IntervalName] = field(default_factory=dict)
    design_effects: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    groups: tuple[GroupScores, ...] = ()
    segment_names: tuple[str, ...] | None = None
    percent: tuple[str, ...] = ()

    def __repr__(self) -> str:
        first = self.systems[0]
        shown = [
            f"{score.score:.{self.digits[label]}f} {label}" for label, score in first.scores.items()
        ]
        others = f" and {len(self.systems) - 1} more" if len(self.systems) > 1 else ""
        return f"<Scores: {first.name} {', '.join(shown)}{others}>"

    def __getitem__(self, system: str) -> Mapping[str, Score]:
        for row in self.systems:
            if row.name == system:
                return row.scores
        raise KeyError(system)

    def __iter__(self) -> Iterator[str]:
        return (system.name for system in self.systems)

    def __len__(self) -> int:
        return len(self.systems)

    def facts(self) -> dict[str, Any]:
        """Return plain values, without sentences."""
        metrics = [
            {
                "name": label,
                **signature.to_dict(),
                "higher_is_better": self.higher_is_better[label],
                "percent": label in self.percent,
            }
            for label, signature in self.signatures.items()
        ]
        values = Result.facts(self) | {"metrics": metrics}
        for name in ("signatures", "higher_is_better", "units", "percent"):
            del values[name]
        if self.settings is not None:
            values["settings"]["units"] = self.units
        return values


class ScoreOptions(schema.IntervalOptions, total=False):
    """Options of `score`.

    Attributes:
        confidence: add a confidence interval to each score.
        per_segment: also score each segment, as the metric scores single segments.
    """

    confidence: bool
    per_segment: Annotated[bool, schema.Setting(group="Output")]


def _refuse_conflicts(options: Mapping[str, Any]) -> None:
    if options["confidence"]:
        from truebleu.significance.settings import ResamplingSettings

        ResamplingSettings.refuse_conflicts(options)


@schema.takes(ScoreOptions, _refuse_conflicts)
def score(
    systems: SystemsLike | Source,
    references: ReferencesLike | None = None,
    metrics: MetricsLike | None = None,
    *,
    by: ColumnsLike | None = None,
    source: TextLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
    **options: Unpack[ScoreOptions],
) -> Scores:
    """Score one or more systems by one or more metrics.

    >>> systems = {"a": ["the cat sat on the mat"], "b": ["a cat is on the mat"]}
    >>> scores = score(systems, ["the cat sat on a mat"], ["bleu", "chrf:word_order=2"])
    >>> print(scores["a"]["BLEU"])
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    >>> f"{scores['b']['BLEU']:.1f}"
    '12.1'

    Args:
        systems: a test set, outputs by system name, the outputs of a single system, scores of
            items by model, or counts.
        references: one list of segments per translator, or a single translator's list; None
            with a test set, scores or counts.
        metrics: names or objects: "bleu", ["bleu:tokenize=zh", "chrf"], BLEU(). Default: BLEU, or
            the scores of items.
        by: also score groups of segments: labels by name, one for each segment, or "domain" or
            "document". Intervals of all groups of a column are simultaneous.
        source: source text, for metrics such as COMET.
        documents: document of each segment, if `systems` is not a test set.
        domains: domain of each segment, if `systems` is not a test set.
        progress: function called with the number of replicates that were just scored.
    """
    lower = options["lower_is_better"]
    counts = counts_of(
        systems, references, metrics, documents, domains, source, lower_is_better=lower
    )
    columns = counts.outline.columns(by)
    scores = _score(counts, segments=options["per_segment"])
    if options["confidence"]:
        scores = _with_intervals(scores, counts, options, progress)
    return replace(scores, groups=_score_groups(scores, counts, columns, options))


def _score(counts: Counts, *, segments: bool) -> Scores:
    """Score all systems, and their segments if `segments`."""
    outline, metrics = counts.outline, {metric.label: metric.scorer for metric in counts.metrics}
    by_segment = {
        metric.label: metric.scorer.segment_scores(metric.rows.stored())
        for metric in counts.metrics
        if segments
    }
    corpus = {
        metric.label: [
            metric.scorer.describe(row, outline.references_each) for row in metric.rows.sums()
        ]
        for metric in counts.metrics
    }
    systems = tuple(
        SystemScores(
            name=name,
            scores={label: scores[index] for label, scores in corpus.items()},
            segments={label: rows[index] for label, rows in by_segment.items()} or None,
        )
        for index, name in enumerate(outline.systems)
    )
    return Scores(
        test_set=outline.sizes,
        signatures={metric.label: counts.signature(metric) for metric in counts.metrics},
        higher_is_better={label: metric.higher_is_better for label, metric in metrics.items()},
        digits={label: metric.digits for label, metric in metrics.items()},
        systems=systems,
        warnings=outline.warnings,
        segment_names=outline.names if segments else None,
        percent=tuple(metric.label for metric in counts.metrics if _is_rate(metric)),
    )


def _is_rate(metric: MetricCounts) -> bool:
    """Return whether all scores of items by a metric are 0 or 1."""
    if not isinstance(metric.scorer, MeanScorer):
        return False
    # Other scores are shown without loading NumPy.
    from truebleu.significance.unit_counts import are_rates

    return are_rates(metric.scorer, metric.rows.stored())


def _with_intervals(
    scores: Scores, counts: Counts, options: Mapping[str, Any], progress: Progress | None
) -> Scores:
    """Add the intervals of scores, their settings and methods."""
    # Resampling needs NumPy, which takes longer to load than plain scores take in all.
    from truebleu.significance.intervals import choose_interval, interval_bounds, score_bounds
    from truebleu.significance.replicates import bootstrap_scores
    from truebleu.significance.settings import (
        IntervalSettings,
        chosen_unit,
        default_interval,
        known_clusters,
        units_of,
    )
    from truebleu.significance.unit_counts import count_units, design_effects

    outline, requested = counts.outline, options["interval"]
    unit = chosen_unit(options["unit"], outline)
    default = default_interval(None, unit, by_domain=options["by_domain"])
    settings = IntervalSettings.from_options(options, unit=unit, interval=requested or default)
    units = units_of(outline, settings)
    clusters = known_clusters(outline, settings)
    unit_counts = count_units(counts, units)
    replicates = bootstrap_scores(unit_counts, units, settings.bootstrap(), progress)
    methods: dict[str, schema.IntervalName] = {}
    bounds: dict[str, Sequence[Interval]] = {}
    effects: dict[str, tuple[float | None, ...]] = {}
    for metric, by_unit, scores_of in zip(counts.metrics, unit_counts, replicates, strict=True):
        label = metric.label
        methods[label] = method = choose_interval(by_unit, requested, settings.interval)
        ends = interval_bounds(by_unit, scores_of, None, method, settings.level)
        bounds[label] = [score_bounds(*of_system) for of_system in ends.T]
        if clusters is not None:
            effects[label] = tuple(design_effects(by_unit, metric.rows.stored(), clusters))
    return replace(
        scores,
        systems=tuple(
            replace(system, intervals={label: ends[index] for label, ends in bounds.items()})
            for index, system in enumerate(scores.systems)
        ),
        settings=settings,
        units=len(units),
        interval_methods=methods,
        design_effects=effects,
    )


def _score_groups(
    scores: Scores,
    counts: Counts,
    columns: Mapping[str, tuple[str, ...]],
    options: Mapping[str, Any],
) -> tuple[GroupScores, ...]:
    """Score the groups of segments that the columns make."""
    if not columns:
        return ()
    from truebleu.significance.groups import segment_groups

    settings = scores.settings
    groups = segment_groups(counts.outline, columns, options["unit"], settings)
    results = []
    for group in groups:
        values, resampling = group.values(), {}
        if settings is None:
            values |= {"unit": None, "units": None}
        elif group.units > 1:
            resampling = group.resampling(groups, settings, options["interval"])
        part = counts.subset(group.segments)
        systems = score(part, confidence=bool(resampling), **resampling).systems
        results.append(GroupScores(**values, systems=systems))
    return tuple(results)
