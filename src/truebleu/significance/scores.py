"""Every system by every metric: the scores of a test set, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from truebleu._results import Result
from truebleu.metrics.registry import metric_labels
from truebleu.schema import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    BlockLength,
    ByDomain,
    IntervalName,
    Level,
    Replicates,
    Seed,
    Setting,
    UnitChoice,
    picked,
    verb,
)
from truebleu.scores.inputs import inputs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.corpus.test_set import (
        ColumnsLike,
        ReferencesLike,
        SystemsLike,
        TestSet,
        TestSetOutline,
        TextWarning,
    )
    from truebleu.metrics.base import Counts, Metric, Score, Signature
    from truebleu.metrics.registry import MetricsLike
    from truebleu.schema import Unit
    from truebleu.significance.settings import IntervalSettings
    from truebleu.significance.statistics import Progress

__all__ = ["GroupScores", "Scores", "SystemScores"]

RESULT_VERSION = 1

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """One system's scores by metric label; segments' scores and intervals where asked for.

    A segment's score is None where there is none, and `notes` then says so by metric label.

    Attributes:
        name: of the system.
        scores: by metric label.
        segments: the scores of each segment likewise.
        intervals: of the scores likewise.
    """

    name: str
    scores: Mapping[str, Score]
    segments: Mapping[str, tuple[float | None, ...]] | None = None
    intervals: Mapping[str, Interval] | None = None

    @property
    def notes(self) -> dict[str, str]:
        """What a reader must know of a metric's scores, where there is anything."""
        return {
            label: f"segments without a score: {row.count(None)} of {len(row)}"
            for label, row in (self.segments or {}).items()
            if None in row
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
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
    """The scores of a group of segments.

    Attributes:
        column: what the segments are grouped by.
        label: of the group.
        segments: how many there are.
        unit: what was drawn as a whole; None without intervals.
        units: how many were drawn; None without intervals.
        systems: their scores; the intervals of all groups of the column hold together.
    """

    column: str
    label: str
    segments: int
    unit: Unit | None
    units: int | None
    systems: tuple[SystemScores, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scores(Result, Mapping[str, Mapping[str, "Score"]]):
    """The scores of all systems of a test set: a mapping from system to metric label to score.

    A metric's label is its name, and the settings that tell it from namesakes where it has any.

    Attributes:
        test_set: its sizes and names.
        signatures: of each metric, by its label.
        higher_is_better: by the metric's label.
        digits: decimals that people should see, by the metric's label.
        systems: their scores, in the order of the test set.
        warnings: what is suspicious about the texts.
        settings: how the intervals were made, where there are any.
        units: how many the bootstrap drew, where there are intervals.
        interval_methods: how intervals were made, by the metric's label.
        design_effects: by the metric's label, the variance of each system's score by documents or
            blocks over that by segments; empty where there are no intervals or neither is known.
        groups: the scores of groups of segments, where these were asked for.
        segment_names: what people know the segments by; None where that is their number.
    """

    REPORT: ClassVar[str] = "truebleu.reports.scores"

    test_set: TestSetOutline
    signatures: Mapping[str, Signature]
    higher_is_better: Mapping[str, bool | None]
    digits: Mapping[str, int]
    systems: tuple[SystemScores, ...]
    warnings: tuple[TextWarning, ...] = ()
    settings: IntervalSettings | None = None
    units: int | None = None
    interval_methods: Mapping[str, IntervalName] = field(default_factory=dict)
    design_effects: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    groups: tuple[GroupScores, ...] = ()
    segment_names: tuple[str, ...] | None = None

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
        """Plain values, without sentences."""
        metrics = [
            {"name": label, **signature.to_dict(), "higher_is_better": self.higher_is_better[label]}
            for label, signature in self.signatures.items()
        ]
        values = Result.facts(self) | {"metrics": metrics}
        del values["signatures"], values["higher_is_better"], values["units"]
        if self.settings is not None:
            values["settings"]["units"] = self.units
        return values


@verb
def score(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    metrics: MetricsLike = "bleu",
    *,
    confidence: Annotated[bool, Setting()] = False,
    per_segment: Annotated[bool, Setting(group="Output")] = False,
    level: Level = 0.95,
    replicates: Replicates = None,
    seed: Seed = DEFAULT_SEED,
    unit: UnitChoice = None,
    block_length: BlockLength = None,
    by_domain: ByDomain = False,
    interval: Annotated[IntervalName | None, Setting(rare=True)] = None,
    by: ColumnsLike | None = None,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score one or more systems by one or more metrics.

    >>> systems = {"a": ["the cat sat on the mat"], "b": ["a cat is on the mat"]}
    >>> scores = score(systems, ["the cat sat on a mat"], ["bleu", "chrf:word_order=2"])
    >>> print(scores["a"]["BLEU"])
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    >>> f"{scores['b']['BLEU']:.1f}"
    '12.1'

    Args:
        systems: a test set, or outputs by system name, or the outputs of a single system.
        references: one list of segments per translator, or a single translator's list; none
            beside a test set.
        metrics: names or objects: "bleu", ["bleu:tokenize=zh", "chrf"], BLEU().
        confidence: a confidence interval beside each score.
        per_segment: the scores of each segment, under each metric's settings for single segments.
        interval: how intervals are made; Hall's by documents or blocks, else percentiles; for
            pass/fail scores Wilson's, by documents Korn and Graubard's.
        by: also score groups of segments: labels by name, one for each segment, or "domain" or
            "document". Intervals of all groups of a column hold together.
        documents: the document of each segment, where `systems` is no test set.
        domains: the domain of each segment, likewise.
        progress: called with the number of replicates that were just scored.
    """
    asked = locals()
    parsed, test_set = inputs_of(systems, references, metrics, documents, domains)
    columns = test_set.columns(by)
    labelled = dict(zip(metric_labels(parsed), parsed, strict=True))
    if not confidence:
        counts = {label: metric.count(test_set) for label, metric in labelled.items()}
        scores = _scores(test_set, labelled, counts, segments=per_segment)
        return _with_groups(scores, test_set, labelled, counts, columns)

    # Resampling needs NumPy, which takes longer to load than plain scores take in all.
    from truebleu.significance.intervals import interval_bounds, interval_method
    from truebleu.significance.settings import (
        IntervalSettings,
        chosen_unit,
        default_interval,
        known_clusters,
        units_of,
    )
    from truebleu.significance.statistics import MetricStatistics, bootstrap_scores, design_effects

    chosen = chosen_unit(unit, test_set)
    settings = picked(
        IntervalSettings,
        asked,
        replicates=replicates or DEFAULT_REPLICATES,
        unit=chosen,
        interval=interval or default_interval(None, chosen, by_domain=by_domain),
    )
    units = units_of(test_set, settings)
    counts = {label: metric.count(test_set) for label, metric in labelled.items()}
    statistics = {
        label: MetricStatistics.of(label, metric, counts[label].array(), units)
        for label, metric in labelled.items()
    }
    methods = {
        label: interval_method(metric, interval, settings.interval)
        for label, metric in statistics.items()
    }
    drawn = bootstrap_scores([*statistics.values()], units, settings.drawn(), progress)
    kinds = known_clusters(test_set, settings)
    scores = _scores(
        test_set,
        labelled,
        counts,
        segments=per_segment,
        intervals={
            label: interval_bounds(metric, replicated, None, methods[label], level).T.tolist()
            for (label, metric), replicated in zip(statistics.items(), drawn, strict=True)
        },
        settings=settings,
        units=len(units),
        interval_methods=methods,
        design_effects={
            label: tuple(design_effects(metric, counts[label].array(), kinds))
            for label, metric in statistics.items()
            if kinds is not None
        },
    )
    return _with_groups(scores, test_set, labelled, counts, columns, unit, interval)


def _with_groups(
    scores: Scores,
    test_set: TestSet,
    metrics: Mapping[str, Metric],
    counts: Mapping[str, Counts],
    columns: Mapping[str, tuple[str, ...]],
    unit: Unit | None = None,
    interval: IntervalName | None = None,
) -> Scores:
    """The scores, with those of the groups that the columns make."""
    if not columns:
        return scores
    from truebleu.metrics.base import CountedMetric
    from truebleu.significance.settings import segment_groups

    settings = scores.settings
    counted = [CountedMetric(metric, counts[label]) for label, metric in metrics.items()]
    groups = segment_groups(test_set, columns, unit, settings)
    results = []
    for group in groups:
        part, part_metrics = group.part(test_set, counted)
        options: dict[str, Any] = {}
        if settings is not None and group.units > 1:
            options = {"confidence": True, **group.resampling(groups, settings, interval)}
        values = group.values()
        if settings is None:
            values |= {"unit": None, "units": None}
        systems = score(part, metrics=part_metrics, **options).systems
        results.append(GroupScores(**values, systems=systems))
    return replace(scores, groups=tuple(results))


def _scores(
    test_set: TestSet,
    metrics: Mapping[str, Metric],
    counts: Mapping[str, Counts],
    *,
    segments: bool,
    intervals: Mapping[str, Sequence[Interval]] | None = None,
    **resampling: Any,
) -> Scores:
    """The scores of what was counted; the settings of resampling go along with intervals."""
    references = test_set.references_per_segment
    by_segment = {
        label: metric.segment_scores(counts[label].array())
        for label, metric in metrics.items()
        if segments
    }
    corpus = {
        label: [metric.describe(row, references) for row in counts[label].sums()]
        for label, metric in metrics.items()
    }
    systems = tuple(
        SystemScores(
            name=name,
            scores={label: scores[index] for label, scores in corpus.items()},
            segments={label: rows[index] for label, rows in by_segment.items()} or None,
            intervals=None
            if intervals is None
            else {label: (*bounds[index],) for label, bounds in intervals.items()},
        )
        for index, name in enumerate(test_set.systems)
    )
    return Scores(
        test_set=test_set.outline,
        signatures={
            label: metric.signature.with_references(references) for label, metric in metrics.items()
        },
        higher_is_better={label: metric.higher_is_better for label, metric in metrics.items()},
        digits={label: metric.digits for label, metric in metrics.items()},
        systems=systems,
        warnings=tuple(test_set.warnings),
        segment_names=test_set.segment_names if segments else None,
        **resampling,
    )
