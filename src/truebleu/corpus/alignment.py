"""Pairing texts segment by segment: by document and segment id where known, else in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu import _core
from truebleu._core import Segments
from truebleu.corpus.texts import Layout
from truebleu.errors import AbsentSegmentError, MisalignedSegmentsError, UnpairedSegmentsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.texts import Key, NamedText


def align(texts: Sequence[NamedText]) -> list[NamedText]:
    """The texts in one common order: that of the first which names its segments."""
    guide = next((text for text in texts if text.layout.keys is not None), texts[0])
    aligned = [_in_order_of(guide, text) for text in texts]
    for text in aligned:
        if len(text.segments) != len(guide.segments):
            left, right = (text, guide) if text is not aligned[0] else (guide, text)
            raise UnpairedSegmentsError(
                left.label, len(left.segments), right.label, len(right.segments)
            )
    return aligned


def refuse_absent(references: Sequence[NamedText]) -> None:
    """Raises AbsentSegmentError where a segment has no reference at all."""
    absent = _core.first_absent([text.segments for text in references])
    if absent is not None:
        labels = ", ".join(text.label for text in references)
        raise AbsentSegmentError(labels, absent + 1, "no reference", "at least one")


def _in_order_of(guide: NamedText, text: NamedText) -> NamedText:
    wanted, found = guide.layout.keys, text.layout.keys
    if wanted is None or found is None or wanted == found:
        return text
    places = {key: index for index, key in enumerate(found)}
    _refuse_missing(text, [key for key in wanted if key not in places], guide)
    here = set(wanted)
    _refuse_missing(guide, [key for key in found if key not in here], text)
    return _reordered(text, [places[key] for key in wanted])


def _refuse_missing(text: NamedText, missing: list[Key], other: NamedText) -> None:
    if missing:
        raise MisalignedSegmentsError(text.label, missing, other.label)


def _reordered(text: NamedText, order: list[int]) -> NamedText:
    layout = text.layout
    return text._replace(
        segments=Segments([text.segments[i] for i in order]),
        layout=Layout(
            documents=layout.documents and tuple(layout.documents[i] for i in order),
            domains=layout.domains and tuple(layout.domains[i] for i in order),
            keys=layout.keys and tuple(layout.keys[i] for i in order),
        ),
    )
