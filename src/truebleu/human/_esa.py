"""ESA scores as WMT24 (a line per judgment) and WMT25 (an object per segment) publish them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, decode
from truebleu.errors import MalformedFileError
from truebleu.human._matching import Addresses, Sheet, segment_scores
from truebleu.human._tables import NotAScoreError, digest, parse_score, rows_of_pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truebleu.human._tables import HumanTable
    from truebleu.human.scores import HumanScores, Request

#: What stands between the parts of an identifier: language pair, domain, document, number.
SEPARATOR = "_#_"
_HUMAN = re.compile(r"human(\d*)")


def read_wmt24(table: HumanTable, request: Request) -> HumanScores:
    """Scores in lines with system, line_id, doc_id, esa_score and annotator."""
    every = table.table
    chosen = list(range(table.rows))
    systems = every.labels("system")
    raters = every.labels("annotator") if "annotator" in every.columns else None
    documents = every.labels("doc_id") if "doc_id" in every.columns else None
    numbers = every.values("line_id")
    if raters is not None:
        # A later line of one annotator for one output replaces the earlier one.
        latest = {
            (systems[row], documents and documents[row], str(numbers[row]), raters[row]): row
            for row in chosen
        }
        chosen = sorted(latest.values())
    scores = table.scores("esa_score")
    lines = [every.line(row) for row in chosen]
    sheet = Sheet(
        label=table.path,
        digest=table.digest,
        lines=lines,
        systems=[systems[row] for row in chosen],
        scores=[scores[row] for row in chosen],
        raters=None if raters is None else [raters[row] for row in chosen],
        made=("format:esa",),
    )
    addresses = Addresses(
        label=table.path,
        lines=lines,
        numbers=[numbers[row] for row in chosen],
        documents=None if documents is None else [documents[row] for row in chosen],
        name="line_id",
    )
    return segment_scores(sheet, addresses, request)


class _Segment(NamedTuple):
    """A judged segment of WMT25."""

    line: int | None
    languages: str
    documents: tuple[str, ...]
    number: str
    scores: Mapping[str, Mapping[str, object]]


def read_wmt25(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores in objects with doc_id and, under scores, each system's human1, annotator1 and so on.

    Segments are those of the test set in their order where they are as many, otherwise they are
    matched by document and number.
    """
    every = [_segment(path, line, record) for line, record in json_records(path, data)]
    rows = rows_of_pair(path, [segment.languages for segment in every], request)
    segments = [every[row] for row in rows]
    complete = len(segments) == request.segments
    known = set(request.documents or ())
    lines: list[int | None] = []
    systems, raters, documents, numbers = [], [], [], []
    scores: list[float | None] = []
    places: list[int] = []
    for place, segment in enumerate(segments, 1):
        names = segment.documents
        document = next((name for name in names if name in known), names[0])
        for system, judged in segment.scores.items():
            for rater, score in _judgments(path, segment, system, judged):
                lines.append(segment.line)
                systems.append(system)
                raters.append(rater)
                scores.append(score)
                documents.append(document)
                numbers.append(segment.number)
                places.append(place)
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=lines,
        systems=systems,
        scores=scores,
        raters=raters,
        made=("format:esa",),
    )
    addresses = Addresses(
        label=path,
        lines=lines,
        numbers=places if complete else None,
        documents=documents,
        document_numbers=None if complete else numbers,
        first=1,
        name="segment",
    )
    return segment_scores(sheet, addresses, request)


def json_records(path: str, data: bytes) -> Iterator[tuple[int | None, Mapping[str, object]]]:
    """The objects of a JSON array, or of a file with one on each line, with their lines."""
    import json

    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.lstrip().startswith("["):
        from truebleu.corpus._tables import read_records

        yield from enumerate(read_records(path, data), 1)
        return
    try:
        records = json.loads(text)
    except (ValueError, RecursionError) as error:
        found = f"no valid JSON ({error})"
        raise MalformedFileError(path, None, found, "a JSON array of objects") from None
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            found = f"JSON of type {type(record).__name__} as item {number}"
            raise MalformedFileError(path, None, found, "an object")
        yield None, record


def _segment(path: str, line: int | None, record: Mapping[str, object]) -> _Segment:
    identifier, scores = record.get("doc_id"), record.get("scores")
    parts = str(identifier).split(SEPARATOR)
    if not isinstance(identifier, str) or len(parts) < 3:
        expected = SEPARATOR.join(("LANGUAGES", "DOMAIN", "DOCUMENT", "NUMBER"))
        raise MalformedFileError(path, line, f"{identifier!r} as doc_id", expected)
    if scores is None:
        scores = {}
    if not isinstance(scores, dict) or not all(
        value is None or isinstance(value, dict) for value in scores.values()
    ):
        found = f"scores of {identifier!r} that are not objects"
        raise MalformedFileError(path, line, found, 'an object such as {"A": {"human1": 80}}')
    *names, number = parts
    # Test sets call a document by its own name, with its domain or with both.
    documents = tuple(SEPARATOR.join(names[start:]) for start in range(len(names) - 1, -1, -1))
    judged = {system: value or {} for system, value in scores.items()}
    return _Segment(line, parts[0], documents, number, judged)


def _judgments(
    path: str, segment: _Segment, system: str, judged: Mapping[str, object]
) -> Iterator[tuple[str, float | None]]:
    for key, value in judged.items():
        match = _HUMAN.fullmatch(key)
        if match is None:
            continue
        try:
            score = parse_score(value)
        except NotAScoreError as reason:
            found = f"{value!r} as {key} of {system!r} in {segment.documents[-1]!r}"
            raise MalformedFileError(path, segment.line, found, str(reason)) from None
        rater = judged.get(f"annotator{match[1]}")
        yield (key if rater is None else str(rater)), score
