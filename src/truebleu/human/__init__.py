"""Human judgments of translations: scores and comparisons, from the files that people have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from truebleu.corpus._files import Files
from truebleu.errors import UnknownNameError
from truebleu.human.metrics_eval import MetricsEvalSet, read_metrics_eval
from truebleu.human.reading import parse_human
from truebleu.human.scores import (
    FORMATS,
    HumanScores,
    Judgment,
    PairwiseJudgments,
    Request,
    as_documents,
    as_segments,
    as_systems,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truebleu.human.scores import Format, Match, Others, Raters

__all__ = [
    "FORMATS",
    "HumanScores",
    "Judgment",
    "MetricsEvalSet",
    "PairwiseJudgments",
    "read_human",
    "read_metrics_eval",
]


def read_human(
    path: str | os.PathLike[str],
    *,
    systems: Iterable[str],
    segments: int,
    documents: Sequence[str] | None = None,
    format: Format | None = None,  # noqa: A002  # the word that everybody knows
    column: str | None = None,
    raters: Raters = "mean",
    weights: str | Mapping[str, float] | None = None,
    others: Others = "refuse",
    match: Match | None = None,
    first_segment: int | None = None,
    language_pair: str | None = None,
) -> HumanScores | PairwiseJudgments:
    """Reads what people said about the systems of a test set; see docs/reference/human-scores.md.

    Args:
        path: The file, compressed or not.
        systems: The names of the test set's systems, at least two.
        segments: How many segments the test set has.
        documents: The document of each segment, where that is known. Files that name documents
            are then matched by them.
        format: "scores", "mqm", "ratings", "esa", "da" or "rankings"; by default it is guessed.
        column: The column of scores, where there are several.
        raters: How several raters' scores of a segment become one: their "mean", or the mean of
            their "z"-scores, (x - mean) / standard deviation over all that a rater judged.
        weights: What errors weigh in MQM: "standard", "wmt24", a list such as "Major=5,Minor=1", a
            mapping, or a file.
        others: Whether to "refuse" or "ignore" judgments of systems that are not in the test set.
        match: How segments find those of the test set, by "documents", by "numbers" or in "order";
            by default the first that fits what the file has.
        first_segment: The number of the first segment, 0 or 1; by default it is found out.
        language_pair: Which language pair to take from a file with several, as the file writes it.

    Returns:
        Scores, or judgments of which of two outputs is better.

    Raises:
        CorpusError: When the file is not of its format, or does not fit the test set.
        SettingError: When a choice is not possible.
    """
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", str(format), FORMATS)
    size = as_segments(segments)
    request = Request(
        systems=as_systems(systems),
        segments=size,
        documents=as_documents(documents, size),
        column=column,
        raters=raters,
        weights=weights,
        others=others,
        match=match,
        first_segment=first_segment,
        language_pair=language_pair,
    )
    name = os.fspath(path)
    return parse_human(name, Files().contents(name), request, format)
