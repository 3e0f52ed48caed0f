"""Every system by every metric: the scores of a test set, and how sure they are.

Here verbs begin, too: what a caller gives becomes metrics and a test set. From memory by
`inputs_of`; from files of any kind (texts, saved statistics, scores of other tools) by `read_any`,
for commands, the fixture for pytest and the action for pipelines.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from truebleu import schema
from truebleu._core import Segments
from truebleu._results import Result
from truebleu.corpus._files import locate, may_hold_statistics, stem
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.sequences import column_values, frame_columns, is_frame, labels_of
from truebleu.corpus.tables import SYSTEM
from truebleu.corpus.test_set import TestSet, as_test_set
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.registry import MetricsLike, as_metrics, metric_labels, metrics_for

if TYPE_CHECKING:
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import ColumnsLike, ReferencesLike, SystemsLike, TestSetOutline
    from truebleu.corpus.text_warnings import TextWarning
    from truebleu.metrics.base import Counts, Metric, Score, Signature
    from truebleu.metrics.statistics import SavedStatistics
    from truebleu.significance.settings import IntervalSettings
    from truebleu.significance.statistics import Progress

__all__ = [
    "GroupScores",
    "Scores",
    "SystemScores",
]

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
    unit: schema.Unit | None
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
    interval_methods: Mapping[str, schema.IntervalName] = field(default_factory=dict)
    design_effects: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    groups: tuple[GroupScores, ...] = ()
    segment_names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        first = self.systems[0]
        shown = [
            f"{score.score:.{self.digits[label]}f} {label}" for label, score in first.scores.items()
        ]
        more = f" and {len(self.systems) - 1} more" if len(self.systems) > 1 else ""
        return f"<Scores: {first.name} {', '.join(shown)}{more}>"

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


@schema.verb
def score(
    systems: SystemsLike,
    references: ReferencesLike | None = None,
    metrics: MetricsLike = "bleu",
    *,
    confidence: Annotated[bool, schema.Setting()] = False,
    per_segment: Annotated[bool, schema.Setting(group="Output")] = False,
    level: schema.Level = 0.95,
    replicates: schema.Replicates = None,
    seed: schema.Seed = schema.DEFAULT_SEED,
    unit: schema.UnitChoice = None,
    block_length: schema.BlockLength = None,
    by_domain: schema.ByDomain = False,
    interval: Annotated[schema.IntervalName | None, schema.Setting(rare=True)] = None,
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
        interval: how intervals are made; Hall's by documents or blocks, the jackknife's by fewer
            than 30 of them, else percentiles; for pass/fail scores Wilson's, by documents Korn and
            Graubard's.
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
    from truebleu.significance.statistics import UnitCounts, bootstrap_scores, design_effects

    chosen = chosen_unit(unit, test_set)
    settings = schema.picked(
        IntervalSettings,
        asked,
        replicates=replicates or schema.DEFAULT_REPLICATES,
        unit=chosen,
        interval=interval or default_interval(None, chosen, by_domain=by_domain),
    )
    units = units_of(test_set, settings)
    counts = {label: metric.count(test_set) for label, metric in labelled.items()}
    statistics = {
        label: UnitCounts.of(label, metric, counts[label].array(), units)
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
    unit: schema.Unit | None = None,
    interval: schema.IntervalName | None = None,
) -> Scores:
    """The scores, with those of the groups that the columns make."""
    if not columns:
        return scores
    from truebleu.metrics.base import CountedMetric
    from truebleu.significance.groups import segment_groups

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


# What a caller gives.


#: The metric of verbs unless another is chosen; scores without texts are their own metric.
DEFAULT_METRIC = "bleu"


def inputs_of(
    systems: SystemsLike,
    references: ReferencesLike | None,
    metrics: MetricsLike,
    documents: str | Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    source: TextLike | None = None,
    *,
    compared_by: str = "",
    by_runs: bool = False,
) -> tuple[list[Metric], TestSet]:
    """The metrics as they count the test set, and the test set with its warnings.

    >>> metrics, test_set = inputs_of({"a": [0, 1, 1], "b": [1, 1, 1]}, None, "scores")
    >>> metrics[0].name, len(test_set)
    ('score', 3)

    Args:
        systems: what `as_test_set` takes; or, without references, scores by system: numbers, rows
            with the names of items, or a data frame with columns such as system, item and score.
        references: one text, or one per translator; None with a test set or with scores.
        metrics: names or objects.
        documents: the document of each segment or item; of scores also the name of a field.
        domains: the domain of each segment or item.
        source: what was translated.
        compared_by: the verb that needs several systems, if it does.
        by_runs: whether runs of scored systems, such as epochs, are systems of their own.
    """
    if compared_by and (_is_text(systems) or (references is not None and _are_texts(systems))):
        # As other tools take them: compare(outputs_a, outputs_b, references).
        call = f'{compared_by}({{"a": outputs_a, "b": outputs_b}}, references)'
        raise RefusedError(f"systems are given by name: {call}")
    if references is not None or isinstance(systems, TestSet):
        test_set = as_test_set(
            systems, references, source=source, documents=documents, domains=domains
        )
        is_scored = hasattr(test_set, "evaluations")
        return _for_runs(by_runs, _by_scores(metrics) if is_scored else metrics, test_set)
    scores = _scores_in(systems, metrics)
    if scores is None:
        return metrics_for(metrics, as_test_set(systems))
    # Tools and archives take longer to import than plain scores take in all.
    from truebleu.scores.scored import ScoredTestSet

    if source is not None:
        raise SettingError("source", type(source), "none beside scores, which have no texts")
    parsed = as_metrics(_by_scores(metrics))
    field = documents if isinstance(documents, str) else None
    scored = ScoredTestSet.of(scores, documents=field, answers=_answers(parsed))
    against = "the scores", len(scored)
    if field is None:
        scored = replace(scored, documents=labels_of("documents", documents, *against))
    scored = replace(scored, domains=labels_of("domains", domains, *against))
    return _for_runs(by_runs, parsed, scored.common(parsed))


def _by_scores(metrics: MetricsLike) -> MetricsLike:
    """The metrics of systems without texts, unless others are chosen."""
    return "scores" if metrics == DEFAULT_METRIC else metrics


def _for_runs(
    by_runs: bool, metrics: MetricsLike, test_set: TestSet
) -> tuple[list[Metric], TestSet]:
    """The metrics and the test set, with runs as systems where answers are runs of them."""
    parsed = as_metrics(metrics)
    split = getattr(test_set, "by_runs", None)
    are_free = all(getattr(metric, "has_scores", None) is False for metric in parsed)
    if by_runs and split is not None and are_free and _answers(parsed) is None:
        test_set = split()
    return metrics_for(parsed, test_set)


def _scores_in(systems: Any, metrics: MetricsLike) -> Any:
    """The scores that stand in the place of texts; None where there are none."""
    if is_frame(systems):
        columns = frame_columns("systems", systems)
        if any(name.strip().lower() in SYSTEM for name in columns):
            return systems
        systems = {name: column_values(values) for name, values in columns.items()}
    if not isinstance(systems, Mapping) or not systems:
        return None
    asked = any(hasattr(metric, "answers") for metric in as_metrics(metrics))
    return systems if asked or all(map(_is_scored, systems.values())) else None


def _is_scored(answers: Any) -> bool:
    """Whether a system is known by numbers, or by rows with the names of items."""
    if is_frame(answers):
        return True
    # Looking into an iterator would take its first answer away.
    if isinstance(answers, str | bytes | Segments | Iterator) or not isinstance(answers, Iterable):
        return False
    first = next((answer for answer in answers if answer is not None), "")
    return isinstance(first, int | float | Mapping) or hasattr(first, "dtype")


def _is_text(value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str)
    return is_list or isinstance(value, Segments)


def _are_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and _is_text(value[0])


def _answers(metrics: Sequence[Metric]) -> str | None:
    """What several answers to an item are, as the first metric that says it has it."""
    ways = (getattr(metric, "answers", None) for metric in metrics)
    return next((way for way in ways if way is not None), None)


# Files.

NEED_REFERENCES = (
    "no reference given: name one with -r FILE, or a test set with --test-set NAME; files of "
    "scores are compared by -m scores"
)


def are_scores(systems: Sequence[str]) -> bool:
    """Whether files hold scores, those of a tool or in tables of items, and no texts."""
    from truebleu.scores.formats import holds_scores, score_files

    places = [locate(written) for written in score_files(systems)]
    if not places or not all(os.path.isfile(place.path) for place in places):
        return False
    if any(may_hold_statistics(place.path) for place in places):
        return False
    # Of a table, FILE#COLUMN is a text.
    return all(holds_scores(place.path, table=place.column is None) for place in places)


def read_any(
    systems: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[Metric] = (),
    *,
    source: str | None = None,
    documents: str | None = None,
    strict: bool = False,
    read: Callable[..., TestSet] = read_test_set,
) -> TestSet:
    """The test set of some files.

    Args:
        systems: outputs; statistics, which need no references and beside which texts are counted;
            or, without references, scores and evaluations that keep their texts.
        references: what outputs are compared with, one translator each.
        metrics: what the systems will be scored by.
        source: what was translated.
        documents: a file with the document of each segment; of scores, also a field of the items.
        strict: whether anything suspicious about the texts is an error.
        read: what reads texts that have no statistics beside them.
    """
    texts, saved = _statistics_among(systems)
    what = "statistics" if saved else "scores"
    labels = {"source": source, "documents": documents if saved else None}
    for name, file in labels.items() if saved or not references else ():
        if file is not None:
            raise RefusedError(f"{name} {file} needs texts: {what} have none")
    if texts and saved and not references:
        raise RefusedError(NEED_REFERENCES)
    if saved and not references:
        from truebleu.metrics.statistics import SavedTestSet

        return SavedTestSet.of(saved)
    if not references:
        if strict:
            raise RefusedError("strict needs texts: scores have none")
        return _without_references(systems, metrics, documents)
    if saved:  # whose references must be those of the texts
        read = read_test_set
    test_set = read(texts, references, source=source, documents=documents, strict=strict)
    if metrics and texts:
        _, test_set = metrics_for(metrics, test_set)
    return _with_statistics(test_set, saved, metrics) if saved else test_set


def with_baseline(systems: Sequence[str], written: str) -> tuple[list[str], str]:
    """Systems and another one, and its name, which no other system has."""
    location, *others = map(locate, (written, *systems))
    name = location.name or stem(location.path)
    if location.name is not None:
        return [*systems, written], name
    # A new run of a system usually has the name of the old one.
    if name in {other.name or stem(other.path) for other in others}:
        name = f"{name} (baseline)"
    return [*systems, f"{name}={written}"], name


def _statistics_among(systems: Sequence[str]) -> tuple[list[str], list[SavedStatistics]]:
    """The files that are texts, and the systems of those that are statistics."""
    texts: list[str] = []
    saved: list[SavedStatistics] = []
    for written in systems:
        location = locate(written)
        if location.column is not None or not may_hold_statistics(location.path):
            texts.append(written)
            continue
        from truebleu.metrics.statistics import read_statistics

        statistics = read_statistics(location.path)
        if location.name is None:
            saved += statistics
        elif len(statistics) == 1:
            saved.append(replace(statistics[0], system=location.name))
        else:
            expected = f"no name for a file of {len(statistics)} systems"
            raise SettingError("system", written, expected)
    return texts, saved


def _with_statistics(
    test_set: TestSet, saved: Sequence[SavedStatistics], metrics: Sequence[Metric]
) -> TestSet:
    """Texts and statistics together, refused unless the references are the same."""
    from truebleu.metrics.statistics import SavedStatistics, SavedTestSet

    for statistics in saved:
        statistics.require_same_references(test_set)
    counted = SavedStatistics.of(test_set, metrics) if test_set.systems else ()
    together = SavedTestSet.of((*counted, *saved))
    names = test_set.reference_names
    return replace(together, warnings=test_set.warnings, reference_names=names)


def _without_references(
    systems: Sequence[str], metrics: Sequence[Metric], documents: str | None
) -> TestSet:
    """What was scored elsewhere: a file of scores for each system, or for all of them."""
    from truebleu.scores.scored import (
        OutsideScores,
        ScoredTestSet,
        read_evaluated_texts,
        textless_test_set,
    )

    if not systems:
        return textless_test_set(metrics, documents)
    if any(isinstance(metric, OutsideScores) for metric in metrics):
        scored = ScoredTestSet.read(systems, documents=documents, answers=_answers(metrics))
        return scored.common(metrics)
    test_set = read_evaluated_texts(systems, metrics, documents)
    if test_set is None:
        raise RefusedError(NEED_REFERENCES)
    return test_set
