"""What every study has: settings that repeat it, and a result of typed rows."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu._results import Result
from truebleu.corpus.test_set import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import Metric

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedMetric:
    """A metric of a study.

    Attributes:
        label: its name in rows.
        signature: all that must match before two scores may be compared.
        higher_is_better: None for a metric without direction.
        digits: decimals that its scores deserve.
    """

    label: str
    signature: str
    higher_is_better: bool | None
    digits: int

    @classmethod
    def of(cls, metric: Metric, label: str, references: int | None) -> StudiedMetric:
        """The metric on a test set with so many references."""
        return cls(
            label=label,
            signature=str(metric.signature.with_references(references)),
            higher_is_better=metric.higher_is_better,
            digits=metric.digits,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSummary:
    """The texts of a study, known by sizes, names and fingerprints.

    Attributes:
        segments: of the test set.
        systems: their names; empty where systems are simulated.
        references: how many there are.
        reference_names: of the files or columns.
        documents: how many there are, if that is known.
        domains: how many there are, if that is known.
        unit: what is sampled and resampled.
        metrics: by which the systems are scored.
        references_fingerprint: tells other references from these; None where they are simulated.
        outputs_fingerprint: tells other outputs from these; likewise.
        documents_fingerprint: tells other documents from these; None where they are unknown.
        domains_fingerprint: tells other domains from these; likewise.
        counts_fingerprint: tells other counts from these, whatever they were made of: texts,
            parses, score files; None where nothing is counted before the study begins.
    """

    segments: int
    systems: tuple[str, ...]
    references: int
    reference_names: tuple[str, ...]
    documents: int | None
    domains: int | None
    unit: str
    metrics: tuple[StudiedMetric, ...]
    references_fingerprint: str | None
    outputs_fingerprint: str | None
    documents_fingerprint: str | None = None
    domains_fingerprint: str | None = None
    counts_fingerprint: str | None = None

    @classmethod
    def of(
        cls, test_set: TestSet, metrics: Sequence[Metric], labels: Sequence[str], unit: str
    ) -> PoolSummary:
        """The summary of a test set."""
        references = test_set.references_per_segment
        return cls(
            segments=len(test_set),
            systems=tuple(test_set.systems),
            references=len(test_set.references),
            reference_names=tuple(test_set.reference_names),
            documents=None if test_set.documents is None else len(set(test_set.documents)),
            domains=None if test_set.domains is None else len(set(test_set.domains)),
            unit=unit,
            metrics=tuple(
                StudiedMetric.of(metric, label, references)
                for metric, label in zip(metrics, labels, strict=True)
            ),
            references_fingerprint=fingerprint(test_set.references),
            outputs_fingerprint=fingerprint(list(test_set.systems.values())),
            documents_fingerprint=_of_labels(test_set.documents),
            domains_fingerprint=_of_labels(test_set.domains),
        )

    def metric(self, label: str) -> StudiedMetric:
        """The metric of this name."""
        return next(metric for metric in self.metrics if metric.label == label)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """All that is needed to repeat a study; the journal's first line.

    Attributes:
        pool: what was studied.
        seed: of all that is drawn.
    """

    STUDY: ClassVar[str]
    #: Goes up when a study's tasks find something else for the same settings and counts.
    METHOD: ClassVar[int] = 1

    pool: PoolSummary
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the study's name."""
        return {"study": self.STUDY, "method": self.METHOD, **_fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult(Result):
    """The base of what studies return: their settings and typed rows."""

    settings: StudySettings

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as ``--format json`` prints them."""
        return {"version": VERSION, "study": self.settings.STUDY, **_fields(self)}


def _of_labels(labels: Sequence[str] | None) -> str | None:
    return None if labels is None else fingerprint([labels])


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries and tuples as lists, as JSON has them."""
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
