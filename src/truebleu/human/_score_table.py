"""Tables of scores, of people or of other tools: how they are laid out, and how they are read.

A table has a row per system and segment, or a column per system. `read_score_table` fits what
people said to a test set; `read_scores` takes any tool's scores, for `metrics.given`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from truebleu.corpus._files import BYTE_ORDER_MARK, COMPRESSED, Files, decode
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnpairedSegmentsError,
    first_names,
)
from truebleu.human._matching import (
    Sheet,
    counted_scores,
    named_scores,
    refuse_second_scores,
    segment_scores,
)
from truebleu.human._tables import (
    ANY_NUMBER,
    DOCUMENT_NUMBERS,
    DOCUMENTS,
    DOMAINS,
    OTHERS,
    RATERS,
    SEGMENTS,
    SYSTEMS,
    HumanTable,
    NotAScoreError,
    Scale,
    digest,
    human_table,
    parse_score,
    parse_score_table,
    whole_number,
)
from truebleu.human.scores import FORMATS

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from truebleu.human.scores import HumanScores, Level, Request
    from truebleu.human.tools._scores import ToolScores

#: What a column of scores is called where there are other columns of numbers.
SCORES = ("score", "human", "human_score", "rating", "judgment", "judgement")


class ScoreLayout(NamedTuple):
    """Which column is what.

    Attributes:
        system: The system's name; None where each system has a column of its own.
        segment: The segment's number; None where rows are in the order of the test set.
        rater: Who gave the score; None where nobody says.
        scores: The columns of scores: they are added up, or else belong to one system each.
    """

    system: str | None
    segment: str | None
    rater: str | None
    scores: tuple[str, ...]

    def row_scores(
        self, table: HumanTable, rows: Sequence[int], columns: Sequence[str], scale: Scale
    ) -> list[float | None]:
        """The score in each of some rows: that of its column, or the sum over its columns."""
        values = [(column, table.table.values(column)) for column in columns]
        scores: list[float | None] = []
        for row in rows:
            parts = [table.score(row, column, value[row], scale) for column, value in values]
            known = [part for part in parts if part is not None]
            scores.append(sum(known) if len(known) == len(parts) else None)
        return scores


def layout_of(
    table: HumanTable,
    column: str | None = None,
    rater: str | None = None,
    systems: Container[str] | None = None,
) -> ScoreLayout:
    """The layout that the columns' names tell.

    Args:
        table: The table.
        column: The column of scores, where it was chosen, or several with + between them.
        rater: The column of raters, where it was chosen.
        systems: The systems that there are; None where that is not known, so that any column may
            be one.
    """
    if rater is not None:
        table.require(rater)
    system, segment = table.column(SYSTEMS), table.column(SEGMENTS)
    raters = rater or table.column(RATERS)
    labels = {system, segment, raters, table.column(DOCUMENTS), table.column(DOMAINS)}
    candidates = [name for name in table.table.columns if name not in labels]
    telling = [name for name in candidates if name.lower() not in OTHERS]
    if system is not None:
        return ScoreLayout(system, segment, raters, _score_columns(table, column, telling))
    names = candidates
    if systems is not None:
        known = set(telling)
        names = [name for name in table.table.columns if name in systems or name in known]
        if not any(name in systems for name in names):
            _refuse_unsure(table)
    if not names:
        _refuse_unsure(table)
    if column is not None:
        expected = f"none: each {table.table.column_word} of {table.path} is a system"
        raise SettingError("column", column, expected)
    return ScoreLayout(None, segment, raters, tuple(names))


def _score_columns(
    table: HumanTable, column: str | None, candidates: Sequence[str]
) -> tuple[str, ...]:
    if column is not None:
        # Zhang & Vogel (2004), section 2.4, add the scores for fluency and for adequacy.
        parts = (column,) if column in table.table.columns else tuple(column.split("+"))
        for part in parts:
            table.require(part)
        return parts
    if not candidates:
        _refuse_unsure(table)
    named = [name for wanted in SCORES for name in candidates if name.lower() == wanted]
    if named or len(candidates) == 1:
        return ((named or candidates)[0],)
    found = f"the {table.table.column_word}s {first_names(candidates)}"
    expected = f"one of them to be chosen as the score, as in column={candidates[0]}"
    raise MalformedFileError(table.path, None, found, expected)


def _refuse_unsure(table: HumanTable) -> NoReturn:
    found = f"the {table.table.column_word}s {first_names(table.table.columns)}"
    expected = (
        "scores: system, segment and score; system and score; or a column named after each system. "
        "Human judgments may also be MQM with category and severity, or system1, system2 and "
        f"judgment; say what they are with format, one of {', '.join(FORMATS)}"
    )
    raise MalformedFileError(table.path, None, found, expected)


# Human scores of a test set.


def read_score_table(table: HumanTable, request: Request) -> HumanScores:
    """Scores in a table: long with a column for the system, or wide."""
    layout = layout_of(table, request.column, systems=request.systems)
    rows = range(table.rows)
    raters = None if layout.rater is None else table.table.labels(layout.rater)
    if layout.system is not None:
        sheet = Sheet(
            label=table.path,
            digest=table.digest,
            lines=table.lines(),
            systems=table.table.labels(layout.system),
            scores=layout.row_scores(table, rows, layout.scores, ANY_NUMBER),
            raters=raters,
            made=("format:scores", f"column:{'+'.join(layout.scores)}"),
        )
        return _placed(table, sheet, 1, request)
    names = layout.scores
    by_system = [table.scores(name) for name in names]
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
    """Scores of a sheet that has `repeat` rows for each row of the table."""
    numbers = _repeated(table.values(SEGMENTS), repeat)
    documents = _repeated(table.labels(DOCUMENTS), repeat)
    in_document = None
    if table.column(DOCUMENTS) != table.column(DOCUMENT_NUMBERS):
        in_document = _repeated(table.values(DOCUMENT_NUMBERS), repeat)
    if numbers is not None or (documents is not None and in_document is not None):
        placed = replace(
            sheet,
            numbers=numbers,
            documents=documents,
            document_numbers=in_document,
            name=table.column(SEGMENTS) or "segment",
        )
        return segment_scores(placed, request)
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


# Score files of mt-metrics-eval: SYSTEM SCORE on each line, DOMAIN SYSTEM SCORE for domains.


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
    path: str,
    data: bytes,
    request: Request,
    level: Level | None = None,
    *,
    canary: bool | None = None,
) -> HumanScores:
    """Scores at a level, by default as the file's name says; fields end at white space."""
    level = level or level_of(path) or "segment"
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


# Scores of any tool, asked for system by system: those of others may be anything.


def read_scores(
    path: str, *, column: str = "", filter_: str = "", rater: str = "", first_segment: int = 1
) -> ToolScores | TableScores:
    """Segment scores of another tool, or in a table, long or wide.

    See docs/reference/metrics/scores.md.
    """
    from truebleu.human.tools import read_tool_scores

    by_tool = read_tool_scores(path, column, filter_)
    if by_tool is not None:
        if rater or first_segment != 1:
            expected = "none: the file of a tool says it by itself"
            if rater:
                raise SettingError("rater", rater, expected)
            raise SettingError("first_segment", first_segment, expected)
        return by_tool
    if filter_:
        raise SettingError("filter", filter_, "none: only lm-evaluation-harness has filters")
    data = Files().contents(path)
    table = human_table(parse_score_table(path, data), data)
    layout = layout_of(table, column or None, rater or None)
    if layout.rater is not None and layout.segment is None:
        found = f"a {table.table.column_word} {layout.rater!r} but none for the segment"
        raise MalformedFileError(path, None, found, f"one called {SEGMENTS[0]!r}")
    raters = None if layout.rater is None else table.table.labels(layout.rater)
    rows: dict[str, Sequence[int]] = dict.fromkeys(layout.scores, range(table.rows))
    if layout.system is not None:
        by_system: dict[str, list[int]] = {}
        for row, system in enumerate(table.table.labels(layout.system)):
            by_system.setdefault(system, []).append(row)
        rows = {**by_system}
    return TableScores(path, table.digest, first_segment, table, layout, rows, raters)


@dataclass(frozen=True, slots=True)
class TableScores:
    """Segment scores of some systems in a table.

    Attributes:
        label: what messages call them: the file.
        digest: the start of the SHA-256 of the file.
        first_segment: the number of the first segment.
        table: where they are.
        layout: which column is what.
        rows: those of each system.
        rater_of: who gave the score of each row, where that is known.
        name: the metric's; a table does not say it.
        higher_is_better: its direction; a table does not say it.
    """

    label: str
    digest: str
    first_segment: int
    table: HumanTable = field(compare=False, repr=False)
    layout: ScoreLayout = field(compare=False, repr=False)
    rows: Mapping[str, Sequence[int]] = field(compare=False, repr=False)
    rater_of: Sequence[str] | None = field(compare=False, repr=False)
    name: str = ""
    higher_is_better: bool | None = None

    @property
    def raters(self) -> int:
        """How many raters there are; 1 where nothing tells them apart."""
        return 1 if self.rater_of is None else len(set(self.rater_of))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that have scores, in the order of the file."""
        return tuple(self.rows)

    @property
    def segments(self) -> int:
        """How many segments they are about, as far as they tell."""
        if self.layout.segment is None:
            return max(map(len, self.rows.values()))
        numbers = map(whole_number, self.table.table.values(self.layout.segment))
        # What is no number is refused with its line when the scores are asked for.
        return max((n for n in numbers if n is not None), default=0) - self.first_segment + 1

    def of(self, system: str, segments: int, scale: Scale) -> list[float | None]:
        """One system's score for each segment, None where it is missing.

        Raises:
            CorpusError: When the system is not there, or a score is not a number of the scale, or
                belongs to a segment that does not exist, or was given twice.
        """
        if system not in self.rows:
            raise MissingColumnError(self.label, "system", system, self.systems)
        rows = self.rows[system]
        if self.layout.segment is None and len(rows) != segments:
            left = f"{self.label}: the scores of {system!r}"
            raise UnpairedSegmentsError(left, len(rows), "the test set", segments)
        columns = self.layout.scores if self.layout.system is not None else (system,)
        raters = self.rater_of
        sheet = Sheet(
            label=self.label,
            digest=self.digest,
            lines=[self.table.table.line(row) for row in rows],
            systems=[system] * len(rows),
            scores=self.layout.row_scores(self.table, rows, columns, scale),
            raters=None if raters is None else [raters[row] for row in rows],
        )
        places = self._places(rows, segments)
        first = self.first_segment
        refuse_second_scores(
            sheet, range(len(rows)), places, lambda place: f"segment {place + first}"
        )
        ratings: list[list[float]] = [[] for _ in range(segments)]
        for place, score in zip(places, sheet.scores, strict=True):
            if score is not None:
                ratings[place].append(score)
        # Zhang & Vogel (2004), section 2.4: a segment's score is the mean of its raters' scores.
        return [sum(given) / len(given) if given else None for given in ratings]

    def _places(self, rows: Sequence[int], segments: int) -> list[int]:
        """The segment of each row, from 0."""
        column = self.layout.segment
        if column is None:
            return list(range(segments))
        values = self.table.table.values(column)
        first, last = self.first_segment, self.first_segment + segments - 1
        places = []
        for row in rows:
            number = whole_number(values[row])
            if number is None or not first <= number <= last:
                expected = f"a segment from {first} to {last}"
                self.table.refuse_value(row, column, values[row], expected)
            places.append(number - first)
        return places
