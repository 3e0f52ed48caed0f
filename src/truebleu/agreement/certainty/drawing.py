"""What the intervals of a question draw: segments, documents, systems, or what there is instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from truebleu.errors import SettingError

if TYPE_CHECKING:
    from truebleu.agreement.certainty.bootstrap import Over
    from truebleu.agreement.judged import Judged
    from truebleu.agreement.questions import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What is drawn.

    Attributes:
        over: as the bootstraps take it, where items are called segments whatever they are.
        name: as results call it.
        documents: the document of each segment, where documents are drawn.
        notes: why it is not what was asked for, in sentences.
        refusal: why nothing can be drawn, so that there is no interval.
    """

    over: Over
    name: str
    documents: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    refusal: str | None = None


def drawing_for(question: Question, judged: Judged, resample: Over) -> Drawing:
    """What the intervals of a question draw.

    Args:
        question: what is asked.
        judged: what people judged.
        resample: what should be drawn.

    Raises:
        SettingError: when that cannot be drawn.
    """
    people = judged.people
    over, notes = resample, []
    if question.measure is None and resample.endswith("systems"):
        over = "documents" if resample.startswith("documents") else "segments"
        notes.append(f"Only {over} were drawn: of drawn systems it would be another coefficient.")
    if question.compared and resample.endswith("systems"):
        expected = "segments or documents: people compared pairs of systems"
        raise SettingError("resample", resample, expected)
    if people.item == "system":
        if resample != "systems":
            notes.append("Systems were drawn: people scored nothing less than whole systems.")
        return Drawing(over="systems", name="systems", notes=tuple(notes))
    if over == "systems":
        return Drawing(over=over, name=over, notes=tuple(notes))
    if judged.by_segment and over.startswith("documents"):
        return _of_documents(judged, over, tuple(notes))
    judged_items = int(people.judged_cells.any(axis=0).sum())
    return Drawing(
        over=cast("Over", over.replace("documents", "segments")),
        name=over.replace("documents", "segments").replace("segment", people.item),
        notes=tuple(notes),
        refusal=_refusal(judged_items, people.item),
    )


def _of_documents(judged: Judged, over: Over, notes: tuple[str, ...]) -> Drawing:
    documents = judged.documents
    if documents is None:
        raise SettingError("resample", over, "a test set with documents; see --documents")
    segments = np.flatnonzero(judged.people.judged_cells.any(axis=0))
    found = len({documents[segment] for segment in segments})
    return Drawing(
        over=over,
        name=over,
        documents=documents,
        notes=notes,
        refusal=_refusal(found, "document"),
    )


def _refusal(units: int, what: str) -> str | None:
    return None if units > 1 else f"no interval: people judged one {what} only"
