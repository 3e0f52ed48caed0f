"""Counts of a test set: an outline, and for each metric its scorer and rows.

Texts, scores of other tools, saved counts and choices from n-best lists all become `Counts`, and
everything that compares, explains or plans takes them. Texts may stay with their counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from truebleu.corpus.fingerprints import Fingerprints
from truebleu.counts.rows import ArrayRows, Rows
from truebleu.errors import (
    AbsentTextError,
    DuplicateSystemError,
    OtherCountsError,
    SettingError,
    UnknownNameError,
)
from truebleu.metrics.base import GivenMean
from truebleu.metrics.registry import metric_labels, require_distinct
from truebleu.schema import ComparedByValue, require_whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.corpus.outline import Outline
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CountedRows, CountSystems, Scorer, Signature
    from truebleu.scores.item_texts import ItemTexts

__all__ = ["Counts", "MetricCounts"]


@dataclass(frozen=True, slots=True)
class MetricCounts:
    """Counts by one metric.

    Attributes:
        label: name of the metric, with settings that distinguish it from metrics of this name.
        scorer: function that turns summed rows into scores.
        rows: counts shaped (segment, system, column).
    """

    label: str
    scorer: Scorer
    rows: Rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts(ComparedByValue):
    """Counts of a test set by one or more metrics.

    Attributes:
        outline: names, sizes and labels of the test set.
        metrics: counts by each metric.
        texts: the texts that were counted, or None if they are not in memory.
        item_texts: questions, targets and outputs of items, or None.

    >>> import truebleu
    >>> counts = truebleu.count({"a": ["A cat sat."], "b": ["A cat."]}, ["A cat sat."], "chrf")
    >>> counts.outline.systems, counts.labels
    (('a', 'b'), ['chrF2'])
    """

    outline: Outline
    metrics: tuple[MetricCounts, ...]
    texts: TestSet | None = None
    item_texts: ItemTexts | None = None

    @classmethod
    def of(
        cls,
        outline: Outline,
        counted: Iterable[tuple[Scorer, Rows | CountSystems]],
        texts: TestSet | None = None,
    ) -> Counts:
        """Label the metrics of counts, and add the warnings about given scores to the outline.

        Raises SettingError if a metric occurs twice.

        Args:
            outline: outline of the test set.
            counted: scorer of each metric, with its rows or a function that counts systems.
            texts: texts that were counted, or None.
        """
        pairs = [
            (scorer, rows if isinstance(rows, Rows) else Rows(rows, outline.systems))
            for scorer, rows in counted
        ]
        given = [w for scorer, _ in pairs if isinstance(scorer, GivenMean) for w in scorer.warnings]
        if given:
            outline = replace(outline, warnings=(*outline.warnings, *given))
        labels = metric_labels([scorer for scorer, _ in pairs])
        require_distinct(labels)
        metrics = [MetricCounts(label, *pair) for label, pair in zip(labels, pairs, strict=True)]
        return cls(outline=outline, metrics=tuple(metrics), texts=texts)

    def __len__(self) -> int:
        """Return the number of segments or items."""
        return self.outline.segments

    @property
    def labels(self) -> list[str]:
        """Labels of the metrics."""
        return [metric.label for metric in self.metrics]

    def signature(self, metric: MetricCounts) -> Signature:
        """Return a metric's signature with the number of references."""
        return metric.scorer.signature.with_references(self.outline.references_each)

    @property
    def fingerprints(self) -> Fingerprints:
        """Fingerprints of the texts or items; raises AbsentTextError if they were not computed."""
        if self.outline.fingerprints is None and self.texts is not None:
            return self.texts.fingerprints
        return self.outline.require_fingerprints()

    @property
    def lengths(self) -> tuple[int, ...]:
        """Characters of the first reference of each segment; 1 for each item."""
        if self.texts is not None:
            return self.texts.reference_lengths
        if self.outline.fingerprints is None and not self.outline.reference_names:
            return (1,) * len(self)
        return self.outline.require_fingerprints().lengths

    def require_texts(self) -> TestSet:
        """Return the texts; raises AbsentTextError if they are not in memory."""
        if self.texts is None:
            raise AbsentTextError(f"the {self.outline.rows}")
        return self.texts

    def select(self, names: Sequence[str]) -> Counts:
        """Return the counts of the systems `names`, in this order.

        Raises UnknownNameError for other names and DuplicateSystemError for a name given twice.
        """
        order = {name: index for index, name in enumerate(self.outline.systems)}
        for name in names:
            if name not in order:
                raise UnknownNameError("system", name, self.outline.systems)
            if names.count(name) > 1:
                raise DuplicateSystemError(name)
        if tuple(names) == self.outline.systems:
            return self
        texts = self.texts
        if texts is not None:
            texts = replace(texts, systems={name: texts.systems[name] for name in names})
        indices = [order[name] for name in names]
        return replace(
            self,
            outline=self.outline.select(names),
            metrics=tuple(
                replace(metric, rows=metric.rows.select(indices)) for metric in self.metrics
            ),
            texts=texts,
        )

    def without_copies(self, baseline: str | None = None) -> Counts:
        """Leave out systems that are a reference, if at least two systems remain.

        Args:
            baseline: name of a system that stays.
        """
        copies = set(self.outline.copies) - {baseline}
        others = [name for name in self.outline.systems if name not in copies]
        return self.select(others) if len(others) > 1 else self

    def join(self, other: Counts, label: str = "counts") -> Counts:
        """Add the systems of other counts, without texts.

        Raises OtherCountsError if segments or references differ or `other` lacks a metric, and
        DuplicateSystemError if a name occurs twice.

        Args:
            other: counts by these metrics, and possibly others, against the same references.
            label: name of `other` in messages.
        """
        self.require_same_references(other, label)
        mine, theirs = self.outline, other.outline
        for noun, known, found in (
            ("documents", mine.documents, theirs.documents),
            ("domains", mine.domains, theirs.domains),
        ):
            if known is not None and found is not None and known != found:
                raise OtherCountsError(
                    label, noun, f"other {noun}", f"the {noun} of the other counts"
                )
        if twice := next((name for name in theirs.systems if name in mine.systems), None):
            raise DuplicateSystemError(twice)
        signatures = {str(other.signature(metric)): metric for metric in other.metrics}
        metrics = []
        for metric in self.metrics:
            signature = str(self.signature(metric))
            if signature not in signatures:
                raise OtherCountsError(label, "signature", " and ".join(signatures), signature)
            rows = Rows(partial(_stack_systems, metric.rows, signatures[signature].rows))
            metrics.append(replace(metric, rows=rows))
        prints = Fingerprints(
            references=self.fingerprints.references,
            outputs={**self.fingerprints.outputs, **other.fingerprints.outputs},
            lengths=self.lengths,
        )
        repeats = None
        if mine.repeats is not None and theirs.repeats is not None:
            # Outputs of one system may differ on segments that others translate alike.
            first: dict[tuple[int, int], int] = {}
            pairs = enumerate(zip(mine.repeats, theirs.repeats, strict=True))
            repeats = tuple(first.setdefault(pair, index) for index, pair in pairs)
        outline = replace(
            mine,
            systems=(*mine.systems, *theirs.systems),
            repeats=repeats,
            documents=mine.documents or theirs.documents,
            domains=mine.domains or theirs.domains,
            fingerprints=prints,
        )
        return Counts(outline=outline, metrics=tuple(metrics))

    def require_same_references(self, other: Counts, label: str) -> None:
        """Check that other counts have the same references; raises OtherCountsError."""
        mine, theirs = self.outline, other.outline
        for noun, expected, found in (
            ("segments", mine.segments, theirs.segments),
            ("references", len(mine.reference_names), len(theirs.reference_names)),
            (
                "text of the references",
                self.fingerprints.references,
                other.fingerprints.references,
            ),
        ):
            if found != expected:
                raise OtherCountsError(label, noun, str(found), str(expected))

    def subset(self, segments: Sequence[int]) -> Counts:
        """Return the counts of `segments`, without texts.

        Raises SettingError unless `segments` are one or more indices from 0.
        """
        if not len(segments):
            raise SettingError("segments", "none", f"indices from 0 to {len(self) - 1}")
        for index in (min(segments), max(segments)):
            require_whole_number("segments", int(index), 0, len(self) - 1)
        return replace(
            self,
            outline=self.outline.subset(segments),
            metrics=tuple(
                replace(metric, rows=metric.rows.subset(segments)) for metric in self.metrics
            ),
            texts=None,
            item_texts=None if self.item_texts is None else self.item_texts.subset(segments),
        )

    def only(self, *labels: str) -> Counts:
        """Return the counts by the metrics `labels`, in this order; raises UnknownNameError."""
        by_label = {metric.label.lower(): metric for metric in self.metrics}
        for label in labels:
            if label.lower() not in by_label:
                raise UnknownNameError("metric", label, self.labels)
        if not labels:
            raise SettingError("metrics", "none", f"at least one of {', '.join(self.labels)}")
        return replace(self, metrics=tuple(by_label[label.lower()] for label in labels))


def _stack_systems(first: Rows, second: Rows) -> CountedRows:
    import numpy as np

    return ArrayRows(np.concatenate([first.floats(), second.floats()], axis=1))
