"""What the annotation tool Appraise exports: direct assessment with SQM and ESA, without header.

Fields: user, system, item, type, source and target language, score from 0 to 100; document and
whether the score is that of a whole document; for ESA the error spans; start and end in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, decode
from truebleu.errors import MalformedFileError
from truebleu.human._matching import Addresses, Sheet, segment_scores
from truebleu.human._tables import NotAScoreError, digest, parse_score, rows_of_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human.scores import HumanScores, Request

#: The format of a file by the number of fields in its rows.
FORMATS_BY_FIELDS = {9: "da", 11: "da", 12: "esa"}
#: The type of rows about outputs; others are there to find careless annotators.
OUTPUT = "TGT"
#: Ends of document names in rows that are there to find careless annotators.
CONTROLS = ("#bad", "#dup", "#incomplete")


class Row(NamedTuple):
    """A judgment of one output of a segment."""

    line: int
    user: str
    system: str
    item: str
    languages: str
    score: float | None
    document: str
    end: float


def read_appraise(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores of segments: no quality control, no scores of documents, each user's latest."""
    from truebleu.corpus._tables import csv_rows

    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    fields_of = dict(csv_rows(path, text))
    rows = [row for line, fields in fields_of.items() if (row := _row(path, line, fields))]
    if not rows:
        found = "no judgment of a segment besides quality control"
        raise MalformedFileError(path, None, found, f"rows of type {OUTPUT}")
    # An annotator who judged something again has thought again.
    latest: dict[tuple[str, ...], Row] = {}
    for row in rows:
        key = (row.user, row.system, row.document, row.item, row.languages)
        if key not in latest or row.end >= latest[key].end:
            latest[key] = row
    pairs = [row.languages for row in latest.values()]
    everything = list(latest.values())
    chosen = [everything[i] for i in rows_of_pair(path, pairs, request)]
    kind = FORMATS_BY_FIELDS[len(next(iter(fields_of.values())))]
    lines = [row.line for row in chosen]
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=lines,
        systems=[row.system for row in chosen],
        scores=[row.score for row in chosen],
        raters=[row.user for row in chosen],
        made=(f"format:{kind}",),
    )
    has_documents = any(row.document for row in chosen)
    addresses = Addresses(
        label=path,
        lines=lines,
        numbers=[row.item for row in chosen],
        documents=[row.document for row in chosen] if has_documents else None,
        name="item",
    )
    return segment_scores(sheet, addresses, request)


def _row(path: str, line: int, fields: Sequence[str]) -> Row | None:
    """A row, None where it is not about one output of a segment."""
    if fields == [""]:
        return None
    if len(fields) not in FORMATS_BY_FIELDS:
        expected = "9, 11 or 12, as in what Appraise exports"
        raise MalformedFileError(path, line, f"{len(fields)} fields", expected)
    user, system, item, kind, source, target, written = fields[:7]
    document, whole = (fields[7], fields[8]) if len(fields) > 9 else ("", "False")
    if kind.strip().upper() != OUTPUT or whole.strip().lower() == "true":
        return None
    if document.lower().endswith(CONTROLS) or "tutorial" in document.lower():
        return None
    end = _number(fields[-1])
    if end is None:
        expected = "the time of its end, in seconds"
        raise MalformedFileError(path, line, f"{fields[-1]!r} at the end of the row", expected)
    pair = f"{source.strip()}-{target.strip()}"
    score = _score(path, line, written)
    return Row(line, user.strip(), system, item.strip(), pair, score, document.strip(), end)


def _score(path: str, line: int, written: str) -> float | None:
    try:
        score = parse_score(written)
    except NotAScoreError as reason:
        raise MalformedFileError(path, line, f"{written!r} as score", str(reason)) from None
    if score is not None and not 0 <= score <= 100:
        raise MalformedFileError(path, line, f"{written!r} as score", "a number from 0 to 100")
    return score


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
