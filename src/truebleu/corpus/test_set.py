"""A test set: what every system translated, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from truebleu import _core
from truebleu._core import Segments
from truebleu.errors import (
    AbsentSegmentError,
    EmptyTextError,
    SegmentTypeError,
    SettingError,
    TransposedReferencesError,
    UnpairedSegmentsError,
)

if TYPE_CHECKING:
    from truebleu.corpus.text_warnings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSet:
    """Texts that pair segment by segment.

    Attributes:
        systems: The outputs of each system by its name, in the order they were given.
        references: One text per translator; a segment is None where a translator has none.
        reference_names: What the references are called, in the same order.
        source: What was translated, where it was given.
        documents: The document of each segment, where that is known.
        domains: The domain of each segment, where that is known.
        warnings: What is suspicious about the texts.
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False

    systems: Mapping[str, TextLike]
    references: tuple[TextLike, ...]
    reference_names: tuple[str, ...]
    source: TextLike | None = None
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    warnings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.references[0])

    @property
    def references_per_segment(self) -> int | None:
        """How many references each segment has, or None when that varies."""
        varies = any(None in reference for reference in self.references)
        return None if varies else len(self.references)

    def to_dict(self) -> dict[str, object]:
        """The set's outline for JSON: sizes and names, no text."""
        return {
            "segments": len(self),
            "references": len(self.references),
            "reference_names": list(self.reference_names),
            "documents": _different(self.documents),
            "domains": _different(self.domains),
        }


def _different(labels: tuple[str, ...] | None) -> int | None:
    return None if labels is None else len(set(labels))


# Outputs and references as callers of the Python API hand them over.


#: One text: native segments, or any sequence of str (None where a reference is absent).
TextLike: TypeAlias = Segments | Sequence[str] | Sequence[str | None]


_EXPECTED = "a list of segments, such as ['A segment.']"


def as_test_set(
    systems: Mapping[str, TextLike] | TextLike, references: TextLike | Sequence[TextLike]
) -> TestSet:
    """A test set of texts that are in memory: outputs by system name, or those of one system.

    >>> list(as_test_set(["The cat sat."], ["A cat sat."]).systems)
    ['system']
    """
    named = systems if isinstance(systems, Mapping) else {"system": systems}
    outputs = {name: as_outputs(text) for name, text in named.items()}
    texts = as_references(references, _common_length(outputs))
    names = tuple(f"reference {number}" for number in range(1, len(texts) + 1))
    return TestSet(systems=outputs, references=tuple(texts), reference_names=names)


def _common_length(outputs: Mapping[str, TextLike]) -> int:
    if not outputs:
        raise EmptyTextError("systems")
    (first, text), *others = outputs.items()
    for name, other in others:
        if len(other) != len(text):
            raise UnpairedSegmentsError(name, len(other), first, len(text))
    return len(text)


def as_outputs(outputs: TextLike) -> TextLike:
    """One system's outputs, checked: at least one, all of them text.

    >>> as_outputs(["The cat sat.", ""])
    ['The cat sat.', '']
    """
    text = _as_text("outputs", outputs)
    absent = _core.first_absent([text])
    if absent is not None:
        expected = "text; write a segment without output as ''"
        raise AbsentSegmentError("outputs", absent + 1, "None", expected)
    return text


def as_references(references: TextLike | Sequence[TextLike], outputs_len: int) -> list[TextLike]:
    """The references as one text per translator, each as long as the outputs.

    One reference may be given as it is, several as a list of texts: the first item of each of them
    belongs to the first output. Where it could be read either way, it is read like that.

    >>> as_references(["The cat sat."], 1)
    [['The cat sat.']]
    >>> as_references([["The cat sat."], ["A cat was sitting."]], 1)
    [['The cat sat.'], ['A cat was sitting.']]
    """
    groups = _by_translator(references, outputs_len)
    texts = [_as_text(f"references[{i}]", group) for i, group in enumerate(groups)]
    for i, text in enumerate(texts):
        if len(text) != outputs_len:
            raise UnpairedSegmentsError(f"references[{i}]", len(text), "outputs", outputs_len)
    absent = _core.first_absent(texts)
    if absent is not None:
        raise AbsentSegmentError("references", absent + 1, "only None", "at least one reference")
    return texts


def _by_translator(references: object, outputs_len: int) -> list[object]:
    if isinstance(references, Segments):
        return [references]
    items = _as_sequence("references", references)
    if not items:
        raise EmptyTextError("references")
    first = next((item for item in items if item is not None), None)
    if first is None or isinstance(first, str) or not isinstance(first, Iterable | Segments):
        return [items]
    groups = [_as_sequence(f"references[{i}]", item) for i, item in enumerate(items)]
    sizes = [len(group) for group in groups]
    if len(groups) == outputs_len and outputs_len not in sizes:
        raise TransposedReferencesError(outputs_len, len(groups), sizes[0])
    return list(groups)


def _as_text(name: str, text: object) -> TextLike:
    items = _as_sequence(name, text)
    if not len(items):
        raise EmptyTextError(name)
    stranger = _core.first_stranger(items)
    if stranger is not None:
        index, found = stranger
        raise SegmentTypeError(name, index + 1, found)
    return items


def _as_sequence(name: str, items: object) -> Segments | Sequence[str | None]:
    if isinstance(items, Segments | list | tuple):
        return items
    # A str is a sequence of str too: without this, each of its letters would be a segment. And the
    # segments of a set are in no order, those of a mapping are its keys.
    if not isinstance(items, Iterable) or isinstance(items, str | bytes | Set | Mapping):
        raise SettingError(name, _shortened(items), _EXPECTED)
    try:
        return list(items)
    except TypeError:  # an array of no dimension, which only seems iterable
        raise SettingError(name, items, _EXPECTED) from None


def _shortened(value: object) -> object:
    if isinstance(value, str | bytes):
        return value[:40]
    return type(value) if isinstance(value, Set | Mapping) else value


# A fingerprint of references: two test sets with the same one can be compared.


def fingerprint(references: Sequence[TextLike]) -> str:
    """SHA-256 over the references in their order: their number, their lengths, every segment.

    A segment that a translator skipped is not the same as an empty one.

    >>> fingerprint([["A cat sat."]]) == fingerprint([["A cat sat."], [None]])
    False
    """
    from hashlib import sha256

    digest = sha256(b"%d references\n" % len(references))
    for reference in references:
        digest.update(b"%d segments\n" % len(reference))
        for segment in reference:
            if segment is None:
                digest.update(b"none\n")
                continue
            text = segment.encode("utf-8", "surrogatepass")
            # With its length before it, no text can pass for two.
            digest.update(b"%d bytes\n" % len(text))
            digest.update(text)
    return f"sha256:{digest.hexdigest()}"
