"""Score files of mt-metrics-eval: SYSTEM SCORE on each line, DOMAIN SYSTEM SCORE for domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from truebleu.corpus._files import BYTE_ORDER_MARK, COMPRESSED, decode
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError, SettingError
from truebleu.human._columns import (
    DOCUMENT_NUMBERS,
    DOCUMENTS,
    DOMAINS,
    OTHERS,
    RATERS,
    SEGMENTS,
    SYSTEMS,
)
from truebleu.human._matching import Addresses, Sheet, counted_scores, named_scores, segment_scores
from truebleu.human._score_values import NotAScoreError, digest, parse_score
from truebleu.human.scores import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human._columns import HumanTable
    from truebleu.human.scores import HumanScores, Level, Request

#: What the end of a file's name says about its scores.
LEVELS: dict[str, Level] = {
    "sys": "system",
    "domain": "domain",
    "doc": "document",
    "seg": "segment",
}


def level_of(path: str) -> Level | None:
    """What the scores of a file are about, by its name; None where it does not say.

    >>> level_of("en-de.mqm.seg.score")
    'segment'
    """
    whole = next((path[: -len(end)] for end in COMPRESSED if path.endswith(end)), path)
    parts = whole.rsplit(".", 2)
    return LEVELS.get(parts[1]) if len(parts) == 3 and parts[2] == "score" else None


def read_score_lines(
    path: str, data: bytes, request: Request, level: Level, *, canary: bool | None = None
) -> HumanScores:
    """Scores whose level is known; fields end at any white space."""
    domains, sheet = parse_score_lines(path, data, level)
    if level != "domain":
        return counted_scores(sheet, request, level, canary=canary)
    return named_scores(sheet, domains, request, "domain")


def parse_score_lines(path: str, data: bytes, level: Level) -> tuple[list[str], Sheet]:
    """The domains (empty at other levels) and the scores of a file."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    width = 3 if level == "domain" else 2
    form = "DOMAIN SYSTEM SCORE" if level == "domain" else "SYSTEM SCORE"
    domains: list[str] = []
    systems: list[str] = []
    scores: list[float | None] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != width:
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise MalformedFileError(path, number, found, f"{width}: {form}")
        try:
            scores.append(parse_score(fields[-1]))
        except NotAScoreError as reason:
            raise MalformedFileError(path, number, repr(fields[-1]), str(reason)) from None
        systems.append(fields[-2])
        if width == 3:
            domains.append(fields[0])
    # The canary's own domain is none of the test set.
    kept = [i for i in range(len(systems)) if width == 2 or domains[i].lower() != "canary"]
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=[i + 1 for i in kept],
        systems=[systems[i] for i in kept],
        scores=[scores[i] for i in kept],
        made=("format:scores",),
    )
    return [domains[i] for i in kept if width == 3], sheet


# Tables of scores: a row per system and segment or per system, or a column per system.


#: What a column of human scores is called where there are other columns of numbers.
SCORES = ("score", "human", "human_score", "rating", "judgment", "judgement")


def read_score_table(table: HumanTable, request: Request) -> HumanScores:
    """Scores in a table: long with a column for the system, or wide."""
    systems = table.labels(SYSTEMS)
    return _wide(table, request) if systems is None else _long(table, systems, request)


def _long(table: HumanTable, systems: Sequence[str], request: Request) -> HumanScores:
    chosen = _score_columns(table, request.column)
    parts = [table.scores(column) for column in chosen]
    scores: Sequence[float | None] = parts[0]
    if len(parts) > 1:
        # Zhang & Vogel (2004), section 2.4, add the scores for fluency and for adequacy.
        scores = [
            None if None in row else sum(part for part in row if part is not None)
            for row in zip(*parts, strict=True)
        ]
    sheet = Sheet(
        label=table.path,
        digest=table.digest,
        lines=table.lines(),
        systems=systems,
        scores=scores,
        raters=table.labels(RATERS),
        made=("format:scores", f"column:{'+'.join(chosen)}"),
    )
    return _placed(table, sheet, 1, request)


def _wide(table: HumanTable, request: Request) -> HumanScores:
    labels = (SEGMENTS, RATERS, DOCUMENTS, DOMAINS)
    used = {table.column(names) for names in labels}
    names = [
        name
        for name in table.table.columns
        if name in request.systems or (name not in used and name.lower() not in OTHERS)
    ]
    if not set(names) & set(request.systems):
        _refuse_unsure(table)
    if request.column is not None:
        word = table.table.column_word
        expected = f"none: each {word} of {table.path} is a system"
        raise SettingError("column", request.column, expected)
    by_system = [table.scores(name) for name in names]
    raters = table.labels(RATERS)
    # Row by row, so that the first line concerned is reported.
    sheet = Sheet(
        label=table.path,
        digest=table.digest,
        lines=[line for line in table.lines() for _ in names],
        systems=names * table.rows,
        scores=[score for row in zip(*by_system, strict=True) for score in row],
        raters=None if raters is None else [rater for rater in raters for _ in names],
        made=("format:scores",),
    )
    return _placed(table, sheet, len(names), request)


def _placed(table: HumanTable, sheet: Sheet, repeat: int, request: Request) -> HumanScores:
    """Scores of a sheet with so many rows for each row of the table."""
    numbers = _repeated(table.values(SEGMENTS), repeat)
    documents = _repeated(table.labels(DOCUMENTS), repeat)
    in_document = None
    if table.column(DOCUMENTS) != table.column(DOCUMENT_NUMBERS):
        in_document = _repeated(table.values(DOCUMENT_NUMBERS), repeat)
    if numbers is not None or (documents is not None and in_document is not None):
        column = table.column(SEGMENTS)
        addresses = Addresses(
            label=sheet.label,
            lines=sheet.lines,
            numbers=numbers,
            documents=documents,
            document_numbers=in_document,
            name=column or "segment",
        )
        return segment_scores(sheet, addresses, request)
    if documents is not None:
        if len(set(zip(sheet.systems, documents, sheet.raters or documents, strict=True))) < len(
            documents
        ):
            # Several rows of a document: they are its segments.
            return counted_scores(sheet, request)
        return named_scores(sheet, documents, request, "document")
    domains = _repeated(table.labels(DOMAINS), repeat)
    if domains is not None and table.rows * repeat != len(set(sheet.systems)) * request.segments:
        return named_scores(sheet, domains, request, "domain")
    return counted_scores(sheet, request)


def _repeated(values: Sequence[object] | None, repeat: int) -> list[str] | None:
    if values is None:
        return None
    return [str(value) for value in values for _ in range(repeat)]


def _score_columns(table: HumanTable, column: str | None) -> tuple[str, ...]:
    known = table.table.columns
    word = table.table.column_word
    if column is not None:
        parts = (column,) if column in known else tuple(column.split("+"))
        for part in parts:
            if part not in known:
                raise MissingColumnError(table.path, word, part, known)
        return parts
    groups = (SYSTEMS, SEGMENTS, DOCUMENTS, DOMAINS, RATERS)
    used = {table.column(names) for names in groups}
    candidates = [name for name in known if name not in used and name.lower() not in OTHERS]
    if not candidates:
        _refuse_unsure(table)
    named = [name for wanted in SCORES for name in candidates if name.lower() == wanted]
    if named or len(candidates) == 1:
        return ((named or candidates)[0],)
    found = f"the {word}s {', '.join(candidates)}"
    expected = (
        f"one of them to be chosen as the score, as in column={candidates[0]!r} (--human-column)"
    )
    raise MalformedFileError(table.path, None, found, expected)


def _refuse_unsure(table: HumanTable) -> NoReturn:
    found = f"the {table.table.column_word}s {', '.join(table.table.columns)}"
    expected = (
        "human judgments: system, segment and score; system and score; a column named after each "
        "system; MQM with category and severity; or system1, system2 and judgment. Say what it is "
        f"with format, one of {', '.join(FORMATS)}"
    )
    raise MalformedFileError(table.path, None, found, expected)
