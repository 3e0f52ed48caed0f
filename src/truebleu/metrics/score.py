"""Every system by every metric: the scores of a test set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.corpus import as_test_set
from truebleu.metrics.registry import as_metrics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus import TestSet, TextLike
    from truebleu.metrics.base import Metric, Score, Signature

RESULT_VERSION = 1


@dataclass(frozen=True, slots=True)
class SystemScores:
    """One system's scores by metric label; segments' scores and intervals where asked for.

    A segment's score is None where there is none, and `notes` then says so by metric label.
    """

    name: str
    scores: Mapping[str, Score]
    segments: Mapping[str, tuple[float | None, ...]] | None = None
    intervals: Mapping[str, tuple[float, float]] | None = None

    @property
    def notes(self) -> dict[str, str]:
        """What a reader must know of a metric's scores, where there is anything."""
        return {
            label: f"segments without a score: {row.count(None)} of {len(row)}"
            for label, row in (self.segments or {}).items()
            if None in row
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all systems of a test set.

    A metric's label is its name, and the settings that tell it from namesakes where it has any.
    """

    test_set: Mapping[str, Any]
    signatures: Mapping[str, Signature]
    higher_is_better: Mapping[str, bool | None]
    digits: Mapping[str, int]
    systems: tuple[SystemScores, ...]
    warnings: tuple[Mapping[str, Any], ...] = ()
    # How the intervals were made, where there are any.
    settings: Mapping[str, Any] | None = None

    def __getitem__(self, system: str) -> Mapping[str, Score]:
        for row in self.systems:
            if row.name == system:
                return row.scores
        raise KeyError(system)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        settings = {} if self.settings is None else {"settings": dict(self.settings)}
        return {
            "version": RESULT_VERSION,
            "test_set": dict(self.test_set),
            **settings,
            "metrics": [
                {
                    "name": label,
                    "signature": str(signature),
                    "higher_is_better": self.higher_is_better[label],
                }
                for label, signature in self.signatures.items()
            ],
            "systems": [_system_dict(system) for system in self.systems],
            "warnings": [dict(warning) for warning in self.warnings],
        }


def _system_dict(system: SystemScores) -> dict[str, Any]:
    scores = {label: score.to_dict() for label, score in system.scores.items()}
    if system.segments is not None:
        for label, segments in system.segments.items():
            scores[label]["segments"] = list(segments)
    if system.intervals is not None:
        for label, interval in system.intervals.items():
            scores[label]["interval"] = list(interval)
    for label, note in system.notes.items():
        scores[label]["note"] = note
    return {"name": system.name, "scores": scores}


def score(
    systems: Mapping[str, TextLike] | TextLike,
    references: Sequence[TextLike] | TextLike,
    metrics: Sequence[str | Metric] = ("bleu",),
    *,
    segments: bool = False,
) -> Scores:
    """Score one or more systems by one or more metrics.

    >>> systems = {"a": ["the cat sat on the mat"], "b": ["a cat is on the mat"]}
    >>> scores = score(systems, ["the cat sat on a mat"], ["bleu", "chrf:word_order=2"])
    >>> print(scores["a"]["BLEU"])
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)

    Args:
        systems: outputs by system name, or the outputs of a single system.
        references: one list of segments per translator, or a single translator's list.
        metrics: metrics such as ``BLEU()``, or as text: ``"bleu:tokenize=zh"``.
        segments: also score each segment, under each metric's settings for single segments.
    """
    return score_test_set(as_test_set(systems, references), metrics, segments=segments)


def score_test_set(
    test_set: TestSet, metrics: Sequence[str | Metric] = ("bleu",), *, segments: bool = False
) -> Scores:
    """Score the systems of a test set, such as `read_test_set` makes from files."""
    metrics = as_metrics(metrics)
    labelled = dict(zip(metric_labels(metrics), metrics, strict=True))
    references = test_set.references_per_segment
    corpus: dict[str, list[Score]] = {}
    by_segment: dict[str, list[tuple[float | None, ...]]] = {}
    for label, metric in labelled.items():
        statistics = metric.count(test_set)
        corpus[label] = [metric.describe(sums, references) for sums in statistics.sums()]
        if segments:
            by_segment[label] = metric.segment_scores(statistics.array())
    return Scores(
        test_set=test_set.to_dict(),
        signatures={
            label: metric.signature.with_references(references)
            for label, metric in labelled.items()
        },
        higher_is_better={label: metric.higher_is_better for label, metric in labelled.items()},
        digits={label: metric.digits for label, metric in labelled.items()},
        systems=tuple(
            SystemScores(
                name,
                {label: corpus[label][index] for label in labelled},
                {label: by_segment[label][index] for label in labelled} if segments else None,
            )
            for index, name in enumerate(test_set.systems)
        ),
        warnings=tuple(warning.to_dict() for warning in test_set.warnings),
    )


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """A label for each metric: its name, and what tells it from others of that name.

    >>> from truebleu.metrics.registry import parse_metric
    >>> metric_labels([parse_metric("bleu"), parse_metric("bleu:tokenize=intl")])
    ['BLEU[tok:13a]', 'BLEU[tok:intl]']
    """
    names = Counter(metric.name for metric in metrics)
    return [
        metric.name if names[metric.name] == 1 else _distinct_label(metric, metrics)
        for metric in metrics
    ]


def _distinct_label(metric: Metric, metrics: Sequence[Metric]) -> str:
    namesakes = [other.signature.fields for other in metrics if other.name == metric.name]
    own = metric.signature.fields
    differing = [
        f"{key}:{value}"
        for key, value in own
        if any((key, value) not in fields for fields in namesakes)
    ]
    return f"{metric.name}[{' '.join(differing)}]" if differing else metric.name
