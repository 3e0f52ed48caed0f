"""MQM: people mark errors; a segment's score is minus the sum of their weights."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus.human.columns import table_by_ending
from truebleu.corpus.human.mqm_weights import HARMLESS, Weights, mqm_weights
from truebleu.corpus.human.places import Addresses
from truebleu.corpus.human.sheet import Sheet, segment_scores
from truebleu.corpus.lines import BYTE_ORDER_MARK, decode
from truebleu.corpus.score_values import digest
from truebleu.errors import EmptyTextError, MalformedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.corpus.human.request import Request
    from truebleu.corpus.human.scores import HumanScores

# Names of the columns over the years, in lower case.
SYSTEM = ("system", "system_id")
DOCUMENT = ("doc", "document", "document_id")
DOCUMENT_NUMBER = ("doc_id", "docsegid", "doc_seg_id")
NUMBER = ("seg_id", "globalsegid", "global_seg_id", "segment", "segment_id")
RATER = ("rater", "rater_id", "annotator", "annotator_id")
CATEGORY = ("category",)
SEVERITY = ("severity",)
#: The order of the columns in files without header.
USUAL = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")


class Key(NamedTuple):
    """One rating: what a rater did with one output of a segment."""

    system: str
    document: str
    document_number: str
    number: str
    rater: str


def is_mqm_header(fields: Sequence[str]) -> bool:
    """Whether these are columns of MQM annotations."""
    names = {field.strip().strip('"').lower() for field in fields}
    return "severity" in names and "category" in names and bool(names & set(SYSTEM))


def read_mqm(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores from a table of marked errors, one per row; raters without an error have a row too."""
    weights = mqm_weights(request.weights)
    columns, rows = _rows(path, data)
    errors: dict[Key, list[float]] = {}
    lines: dict[Key, int | None] = {}
    unknown: Counter[str] = Counter()
    for line, (system, document, document_number, number, rater, category, severity) in rows:
        key = Key(system, document, document_number, number, rater)
        if key not in errors:
            errors[key] = []
            lines[key] = line
        weight = weights.of(severity, category)
        if weight is None and severity.strip().lower() not in HARMLESS:
            unknown[severity.strip()] += 1
        elif weight:
            errors[key].append(weight)
    if not errors:
        raise EmptyTextError(path)
    keys = list(errors)
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=list(lines.values()),
        systems=[key.system for key in keys],
        scores=[penalty(marked) for marked in errors.values()],
        raters=[key.rater for key in keys] if columns[4] is not None else None,
        made=("format:mqm", f"weights:{weights.name}"),
        notes=weightless(unknown, weights),
    )
    has = [column is not None for column in columns]
    addresses = Addresses(
        label=path,
        lines=sheet.lines,
        documents=[key.document for key in keys] if has[1] else None,
        document_numbers=[key.document_number for key in keys] if has[1] and has[2] else None,
        numbers=[key.number for key in keys] if has[3] else None,
        # Only the annotated part of a large test set is published, with its own numbers.
        subset=True,
        name=columns[3] or "segment",
    )
    return segment_scores(sheet, addresses, request)


def penalty(weights: Sequence[float]) -> float:
    """Minus the sum of weights.

    Rounded beyond all digits that weights have: outputs with the same errors must tie exactly,
    and 0.1 is no binary number.
    """
    return -round(fsum(weights), 9) + 0.0


def weightless(unknown: Mapping[str, int], weights: Weights) -> tuple[str, ...]:
    """What to say about severities that no weight is given for."""
    return tuple(
        f"{number} errors of severity {severity!r} weigh nothing under weights {weights.name!r}"
        for severity, number in sorted(unknown.items())
    )


_Row = tuple[str, str, str, str, str, str, str]


def _rows(path: str, data: bytes) -> tuple[list[str | None], Iterator[tuple[int | None, _Row]]]:
    """The columns by which rows are read, and the rows with their lines."""
    header, rows = _table(path, data)
    columns = [_column(header, names) for names in _WANTED]
    for name, names in (("system", SYSTEM), ("category", CATEGORY), ("severity", SEVERITY)):
        if _column(header, names) is None:
            found = f"the columns {', '.join(header)}"
            raise MalformedFileError(path, 1, found, f"MQM annotations with a column {name!r}")
    if columns[3] is None and (columns[1] is None or columns[2] is None):
        found = f"the columns {', '.join(header)}"
        expected = "one for the segment: seg_id, globalSegId, or doc with doc_id or docSegId"
        raise MalformedFileError(path, 1, found, expected)
    return columns, _picked(path, header, columns, rows)


_WANTED = (SYSTEM, DOCUMENT, DOCUMENT_NUMBER, NUMBER, RATER, CATEGORY, SEVERITY)


def _column(header: Sequence[str], names: Sequence[str]) -> str | None:
    lower = {name.strip().lower(): name for name in reversed(header)}
    return next((lower[name] for name in names if name in lower), None)


def _picked(
    path: str,
    header: Sequence[str],
    columns: Sequence[str | None],
    rows: Iterator[tuple[int | None, Sequence[object]]],
) -> Iterator[tuple[int | None, _Row]]:
    places = [None if column is None else header.index(column) for column in columns]
    needed = max(place for place in places if place is not None)
    a, b, c, d, e, f, g = places
    for line, fields in rows:
        if len(fields) <= needed:
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise MalformedFileError(path, line, found, f"at least {needed + 1}, as in the header")
        yield (
            line,
            (
                _text(fields, a),
                _text(fields, b),
                _text(fields, c),
                _text(fields, d),
                _text(fields, e),
                _text(fields, f),
                _text(fields, g),
            ),
        )


def _text(fields: Sequence[object], place: int | None) -> str:
    value = None if place is None else fields[place]
    return "" if value is None else str(value)


def _table(
    path: str, data: bytes
) -> tuple[Sequence[str], Iterator[tuple[int | None, Sequence[object]]]]:
    """Header and rows. TSV has no quotes unless its header has, and rows may lack last fields."""
    table = table_by_ending(path, data)
    if table is not None:
        values = [table.values(column) for column in table.columns]
        every = enumerate(zip(*values, strict=True))
        return table.columns, ((table.line(row), fields) for row, fields in every)
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise EmptyTextError(path)
    if text.startswith('"'):
        return _quoted(path, text)
    lines = text.removesuffix("\n").split("\n")
    header = lines[0].removesuffix("\r").split("\t")
    start = 1
    if not is_mqm_header(header) and len(header) >= len(USUAL):
        header, start = list(USUAL), 0
    split = (line.removesuffix("\r").split("\t") for line in lines[start:])
    return header, ((number, fields) for number, fields in enumerate(split, start + 1))


def _quoted(
    path: str, text: str
) -> tuple[Sequence[str], Iterator[tuple[int | None, Sequence[object]]]]:
    from truebleu.corpus.delimited import csv_rows

    rows = csv_rows(path, text, delimiter="\t")
    _, header = next(rows)
    return header, rows
