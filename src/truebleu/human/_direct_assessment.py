"""Direct assessment and ESA: scores from 0 to 100, as WMT publishes and Appraise exports them.

Direct assessment from 2016 to 2022 has RAW.SCR and Z.SCR between blanks. ESA of WMT24 is a line per
judgment, and of WMT25 an object per segment. Appraise exports direct assessment with SQM, and ESA,
without a header. Its fields: user, system, item, type, source and target language, score;
document and whether the score is that of a whole document; for ESA the error spans; start and end
in seconds.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, decode
from truebleu.errors import MalformedFileError, MissingColumnError
from truebleu.human._matching import Sheet, counted_scores, segment_scores
from truebleu.human._tables import (
    APPRAISE,
    NotAScoreError,
    digest,
    human_table,
    json_records,
    parse_score,
    refuse_language_pair,
    rows_of_pair,
    white_space_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.human._tables import HumanTable
    from truebleu.human.scores import HumanScores, Request


RAW, STANDARDIZED = "raw.scr", "z.scr"
_SUFFIX = re.compile(r"\.\d+$")


def read_direct_assessment(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores of segments (SYS SID RAW.SCR Z.SCR N) or of systems (RAW.SCR Z.SCR N SYS N.ALL).

    They are means over annotators already: of raw scores, or of z-scores where `raters` is "z".
    """
    table = human_table(white_space_table(path, decode(path, data)), data)
    z = request.raters == "z"
    column = request.column or _named(table, STANDARDIZED if z else RAW)
    scores = table.scores(column)
    sources, targets = table.labels(["src"]), table.labels(["trg"])
    rows: Sequence[int] = range(table.rows)
    if sources is not None and targets is not None:
        pairs = [f"{source}-{target}" for source, target in zip(sources, targets, strict=True)]
        rows = rows_of_pair(path, pairs, request)
    else:
        refuse_language_pair(path, request)
    systems = _known_names(table.table.labels(_named(table, "sys")), request)
    identifiers = table.values(["sid"])
    documents, numbers = None, None
    if identifiers is not None:
        documents, numbers = _split([str(identifiers[row]) for row in rows])
    sheet = Sheet(
        label=path,
        digest=table.digest,
        lines=[table.table.line(row) for row in rows],
        systems=[systems[row] for row in rows],
        scores=[scores[row] for row in rows],
        made=("format:da", f"column:{column}"),
        standardized=z,
        numbers=numbers,
        documents=documents,
        name="SID",
    )
    if numbers is None:
        return counted_scores(sheet, request, "system")
    return segment_scores(sheet, request)


def _named(table: HumanTable, name: str) -> str:
    column = table.column([name])
    if column is None:
        raise MissingColumnError(table.path, "column", name.upper(), table.table.columns)
    return column


def _known_names(systems: Sequence[str], request: Request) -> list[str]:
    """Names without the number of the submission (UEdin.4), where only so they are known."""
    known = set(request.systems)
    names: dict[str, str] = {}
    for system in dict.fromkeys(systems):
        short = _SUFFIX.sub("", system)
        names[system] = short if system not in known and short in known else system
    # Two submissions of one name stay apart.
    taken = Counter(names.values())
    return [name if taken[name := names[s]] == 1 else s for s in systems]


def _split(identifiers: Sequence[str]) -> tuple[list[str] | None, list[str]]:
    """The documents, where segments are called DOCUMENT_NUMBER, and the numbers."""
    if all(identifier.isdigit() for identifier in identifiers):
        return None, list(identifiers)
    parts = [identifier.rpartition("_") for identifier in identifiers]
    return [document for document, _, _ in parts], [number for _, _, number in parts]


# Exports of Appraise.


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
    kind = APPRAISE[len(next(iter(fields_of.values())))]
    documents = [row.document for row in chosen]
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=[row.line for row in chosen],
        systems=[row.system for row in chosen],
        scores=[row.score for row in chosen],
        raters=[row.user for row in chosen],
        made=(f"format:{kind}",),
        numbers=[row.item for row in chosen],
        documents=documents if any(documents) else None,
        name="item",
    )
    return segment_scores(sheet, request)


def _row(path: str, line: int, fields: Sequence[str]) -> Row | None:
    """A row, None where it is not about one output of a segment."""
    if fields == [""]:
        return None
    if len(fields) not in APPRAISE:
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


# ESA: error span annotation with a score, of WMT 2024 and 2025.


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
    sheet = Sheet(
        label=table.path,
        digest=table.digest,
        lines=[every.line(row) for row in chosen],
        systems=[systems[row] for row in chosen],
        scores=[scores[row] for row in chosen],
        raters=None if raters is None else [raters[row] for row in chosen],
        made=("format:esa",),
        numbers=[numbers[row] for row in chosen],
        documents=None if documents is None else [documents[row] for row in chosen],
        name="line_id",
    )
    return segment_scores(sheet, request)


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
        numbers=places if complete else None,
        documents=documents,
        document_numbers=None if complete else numbers,
        first=1,
    )
    return segment_scores(sheet, request)


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
