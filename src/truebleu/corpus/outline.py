"""Outline of a test set: everything known about it except its texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from truebleu.corpus.sequences import as_sequence
from truebleu.corpus.text_warnings import TextWarning
from truebleu.errors import AbsentTextError, ArgumentTypeError, SettingError, UnpairedSegmentsError

if TYPE_CHECKING:
    from truebleu.corpus.fingerprints import Fingerprints

__all__ = ["Outline", "Sizes"]

#: Kind of item that a row of counts stands for.
RowKind = Literal["segments", "items"]
#: Labels of segments by name, or names of known labels.
ColumnsLike: TypeAlias = Mapping[str, Sequence[object]] | Sequence[str]
#: A label of every segment or item.
Labels: TypeAlias = tuple[str, ...]
Label = TypeVar("Label")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes and names of a test set, as results keep them.

    Attributes:
        segments: number of segments or items.
        references: number of references.
        reference_names: names of the references.
        documents: number of documents, or None if they are unknown.
        domains: number of domains, or None if they are unknown.
        rows: kind of rows, "segments" of systems or "items" of models.
    """

    segments: int
    references: int
    reference_names: tuple[str, ...]
    documents: int | None
    domains: int | None
    rows: RowKind = "segments"

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {**asdict(self), "reference_names": list(self.reference_names)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A test set without its texts: names, sizes and labels.

    Attributes:
        systems: names of the systems or models.
        segments: number of segments or items.
        rows: kind of rows, "segments" or "items".
        reference_names: names of the references; empty if scores were given.
        references_each: number of references of each segment; None if it varies.
        documents: document of each segment, or None.
        domains: domain of each segment, or None.
        names: name of each segment or item; None if people know it by its number.
        fields: function that returns further labels by their name, or None.
        field_names: names that such labels may have.
        runs: names of the runs of each system, if systems here are runs.
        fingerprints: fingerprints of the texts or items; None if they were not computed.
        warnings: warnings about the texts.
        repeats: index of the first equal segment or item of each, if many are repeated; None if
            few are.
        copies: names of the systems whose outputs are a reference.
    """

    systems: tuple[str, ...]
    segments: int
    rows: RowKind = "segments"
    reference_names: tuple[str, ...] = ()
    references_each: int | None = 0
    documents: Labels | None = None
    domains: Labels | None = None
    names: Labels | None = None
    # A function equals no copy of it, not even one that was pickled.
    fields: Callable[[str], Labels | None] | None = field(default=None, compare=False, repr=False)
    field_names: Labels = field(default=(), compare=False, repr=False)
    runs: Mapping[str, tuple[str, ...]] | None = None
    fingerprints: Fingerprints | None = None
    warnings: tuple[TextWarning, ...] = ()
    repeats: tuple[int, ...] | None = None
    copies: tuple[str, ...] = ()

    @property
    def sizes(self) -> Sizes:
        """The sizes and names that results keep."""
        return Sizes(
            segments=self.segments,
            references=len(self.reference_names),
            reference_names=self.reference_names,
            documents=_count_different(self.documents),
            domains=_count_different(self.domains),
            rows=self.rows,
        )

    def require_fingerprints(self) -> Fingerprints:
        """Return the fingerprints; raises AbsentTextError if they were not computed."""
        if self.fingerprints is None:
            origin = "counted without fingerprints=True, or taken from a larger test set"
            raise AbsentTextError(f"the {self.rows}, {origin}")
        return self.fingerprints

    def select(self, systems: Sequence[str]) -> Outline:
        """Return the outline of some systems, in this order."""
        return replace(self, systems=tuple(systems))

    def subset(self, segments: Sequence[int]) -> Outline:
        """Return the outline of some segments; their names stay, warnings and fingerprints go."""

        def pick(labels: tuple[Label, ...] | None) -> tuple[Label, ...] | None:
            return None if labels is None else tuple(labels[index] for index in segments)

        return replace(
            self,
            segments=len(segments),
            documents=pick(self.documents),
            domains=pick(self.domains),
            names=pick(self.names),
            repeats=pick(self.repeats),
            fields=None if self.fields is None else partial(_subset_labels, self.fields, segments),
            fingerprints=None,
            warnings=(),
        )

    def labels(self, name: str) -> Labels | None:
        """Return the label that every segment or item has under a name, or None."""
        known = {"domain": self.domains, "document": self.documents}.get(name)
        if known is None and self.fields is not None:
            return self.fields(name)
        return known

    def columns(self, by: ColumnsLike | None) -> dict[str, Labels]:
        """Return labels of all segments by the names of their columns.

        Args:
            by: labels by name, one for each segment; or names of known labels: "domain",
                "document", or a field of items.

        >>> Outline(systems=("a",), segments=2, domains=("x", "y")).columns(["domain"])
        {'domain': ('x', 'y')}
        """
        if isinstance(by, str):
            by = [by]
        if by is None or not isinstance(by, Mapping):
            if not isinstance(by, list | tuple | None):
                raise ArgumentTypeError("by", by, "names, or a mapping from names to labels")
            by = {name: self._known_labels(name) for name in by or ()}
        expected = "a list of labels, one for each segment"
        columns = {
            str(name): tuple(map(str, as_sequence(str(name), labels, expected)))
            for name, labels in by.items()
        }
        for name, labels in columns.items():
            if len(labels) != self.segments:
                raise UnpairedSegmentsError(name, len(labels), "segments", self.segments)
        return columns

    def _known_labels(self, name: Any) -> Labels:
        labels = self.labels(name) if isinstance(name, str) else None
        if labels is None:
            known = [f"{key!r}" for key in ("domain", "document") if self.labels(key)]
            expected = " or ".join(known) or "labels: the test set knows no documents"
            raise SettingError("by", name, f"{expected}, or a mapping from names to labels")
        return labels


#: Stretches of segments per document above which documents jump back and forth.
MOST_STRETCHES = 1.5


def document_warnings(label: str, documents: Labels | None) -> tuple[TextWarning, ...]:
    """Return a warning if the documents of consecutive segments jump back and forth.

    >>> [w.code for w in document_warnings("docs.txt", ("a", "b", "a", "b"))]
    ['document-order']
    """
    count = len(set(documents or ()))
    pairs = zip(documents or (), (documents or ())[1:], strict=False)
    jumps = [index for index, (before, after) in enumerate(pairs, 2) if before != after]
    if not count or len(jumps) + 1 <= MOST_STRETCHES * count:
        return ()
    message = (
        f"{label}: {count:,} documents in {len(jumps) + 1:,} stretches of segments; are the labels "
        "in the order of the segments?"
    )
    return (TextWarning("document-order", label, len(jumps) + 1, jumps[0], message),)


def _subset_labels(
    fields: Callable[[str], Labels | None], segments: Sequence[int], name: str
) -> Labels | None:
    labels = fields(name)
    return None if labels is None else tuple(labels[index] for index in segments)


def _count_different(labels: Labels | None) -> int | None:
    return None if labels is None else len(set(labels))
