"""How tables of scores are laid out: a row per system and segment, or a column per system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol, cast

from truebleu.corpus._files import (
    BYTE_ORDER_MARK,
    LABEL_COLUMNS,
    Files,
    decode,
    extension,
    parse_table,
)
from truebleu.corpus._tables import Delimited
from truebleu.errors import (
    EmptyTextError,
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnpairedSegmentsError,
)
from truebleu.human._score_values import NotAScoreError, digest, parse_score, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus._tables import Table

# What columns are called, in lower case; the first that exists counts.
SYSTEM_COLUMNS = ("system", "sys", "system_id", "system_name", "sysid")
SEGMENT_COLUMNS = ("segment", "seg", "segment_id", "seg_id", "segid", "sid")
RATER_COLUMNS = ("rater", "rater_id", "annotator", "annotator_id", "judge")


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


def parse_score_table(path: str, data: bytes) -> Table:
    """A table by its file's ending; any other ending is taken as TSV, with or without header."""
    if extension(path) != ".tsv":
        table = parse_table(path, data)
        if table is not None:
            return table
    return _read_rows(path, decode(path, data))


def layout_of(table: Table, column: str, rater: str) -> ScoreLayout:
    """The layout that the columns' names tell; `column` and `rater` are "" where not chosen."""
    system = _first(table, SYSTEM_COLUMNS)
    segment = _first(table, SEGMENT_COLUMNS)
    if rater and rater not in table.columns:
        raise MissingColumnError(table.path, table.column_word, rater, table.columns)
    rater_column = rater or _first(table, RATER_COLUMNS)
    if rater_column is not None and segment is None:
        found = f"a {table.column_word} {rater_column!r} but none for the segment"
        raise MalformedFileError(table.path, None, found, f"one called {SEGMENT_COLUMNS[0]!r}")
    if system is None and column:
        expected = f"none: every {table.column_word} of {table.path} is a system"
        raise SettingError("column", column, expected)
    others = {system, segment, rater_column, *LABEL_COLUMNS}
    candidates = [name for name in table.columns if name not in others]
    if not candidates:
        found = f"the {table.column_word}s {', '.join(table.columns)}"
        raise MalformedFileError(table.path, None, found, "scores beside them")
    scores = tuple(candidates) if system is None else _score_columns(table, column, candidates)
    return ScoreLayout(system, segment, rater_column, scores)


def _score_columns(table: Table, column: str, candidates: Sequence[str]) -> tuple[str, ...]:
    if column in table.columns:
        return (column,)
    if column:
        # Zhang & Vogel (2004), section 2.4, add the scores for fluency and for adequacy.
        parts = tuple(column.split("+"))
        for part in parts:
            if part not in table.columns:
                raise MissingColumnError(table.path, table.column_word, part, table.columns)
        return parts
    named = [name for name in candidates if name.lower() == "score"]
    chosen = named or candidates
    if len(chosen) == 1:
        return (chosen[0],)
    found = f"the {table.column_word}s {', '.join(candidates)}"
    expected = f"one of them to be chosen, as in column={candidates[0]}"
    raise MalformedFileError(table.path, None, found, expected)


def _first(table: Table, names: Sequence[str]) -> str | None:
    lower = {column.lower(): column for column in table.columns}
    return next((lower[name] for name in names if name in lower), None)


def _read_rows(path: str, text: str) -> Delimited:
    """TSV whose header may be missing or have comments above it, as in our own tables.

    Without a header, rows are of system and score, or of system, segment and score. WMT's files of
    scores are of the first kind; their fields end at any white space.
    """
    lines = [line.removesuffix("\r") for line in text.removeprefix(BYTE_ORDER_MARK).split("\n")]
    if not lines[-1]:
        lines.pop()
    start = next((i for i, line in enumerate(lines) if not _is_comment(line)), len(lines))
    if start == len(lines):
        raise EmptyTextError(path)
    separator = "\t" if "\t" in lines[start] else None
    header, model = _implied_header(lines[start].split(separator)), f"on line {start + 1}"
    if header is None:
        separator, model = "\t", "in the header"
        header = lines[start].split(separator)
        start += 1
    cells: list[str] = []
    for number, line in enumerate(lines[start:], start + 1):
        fields = line.split(separator)
        if len(fields) != len(header):
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise MalformedFileError(path, number, found, f"{len(header)}, as {model}")
        cells += fields
    return Delimited(path, header, cells, range(start + 1, len(lines) + 1))


def _is_comment(line: str) -> bool:
    return line.startswith("# ") and "\t" not in line


def _implied_header(fields: list[str]) -> list[str] | None:
    """What the columns are, where the first row is a row of scores already.

    Names of columns that are all numbers are a header: they are systems with numbers for names.
    """
    if len(fields) not in (2, 3) or _is_number(fields[0]):
        return None
    if not all(_is_number(value) or value.strip().lower() == "none" for value in fields[1:]):
        return None
    return ["system", "score"] if len(fields) == 2 else ["system", "segment", "score"]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# Scores from elsewhere: a number per system and segment, from a neural metric or from people.


class Scale(NamedTuple):
    """The least and the greatest score that can be; None where there is no such limit."""

    low: float | None = None
    high: float | None = None

    def holds(self, score: float) -> bool:
        """Whether a score is on the scale."""
        too_low = self.low is not None and score < self.low
        return not too_low and not (self.high is not None and score > self.high)

    def __str__(self) -> str:
        if self == (None, None):
            return "any"
        low, high = ("" if limit is None else f"{limit:g}" for limit in self)
        return f"{low}..{high}"


class SegmentScores(Protocol):
    """The scores of some systems, segment by segment."""

    @property
    def label(self) -> str:
        """What messages call them: the file."""

    @property
    def digest(self) -> str:
        """The start of the SHA-256 of all that was read."""

    @property
    def raters(self) -> int:
        """How many raters there are; 1 where nothing tells them apart."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that have scores, in the order of the file."""

    @property
    def segments(self) -> int:
        """How many segments they are about, as far as they tell."""

    def of(self, system: str, segments: int, scale: Scale) -> list[float | None]:
        """One system's score for each of so many segments, None where it is missing.

        Raises:
            CorpusError: When the system is not there, or a score is not a number of the scale, or
                belongs to a segment that does not exist, or was given twice.
        """


def read_scores(
    path: str, *, column: str = "", rater: str = "", first_segment: int = 1
) -> SegmentScores:
    """Segment scores in a table, long or wide; see docs/reference/metrics/scores.md."""
    data = Files().contents(path)
    table = parse_score_table(path, data)
    layout = layout_of(table, column, rater)
    raters = len(set(table.labels(layout.rater))) if layout.rater is not None else 1
    rows = _rows_by_system(table, layout)
    return _TableScores(path, digest(data), raters, first_segment, table, layout, rows)


def given_scores(scores: Mapping[str, Iterable[object]]) -> SegmentScores:
    """Segment scores that are in memory: for each system an array or list, None or NaN if missing.

    >>> given_scores({"a": [0.5, None]}).of("a", 2, Scale())
    [0.5, None]
    """
    if not scores:
        raise SettingError("scores", {}, "the scores of at least one system")
    numbers = {system: _numbers(system, values) for system, values in scores.items()}
    # repr tells every float from every other.
    return _GivenScores(digest(repr(sorted(numbers.items())).encode()), numbers)


@dataclass(frozen=True, slots=True)
class _TableScores:
    label: str
    digest: str
    raters: int
    first_segment: int
    table: Table = field(compare=False, repr=False)
    layout: ScoreLayout = field(compare=False, repr=False)
    rows: Mapping[str, Sequence[int]] = field(compare=False, repr=False)

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.rows)

    @property
    def segments(self) -> int:
        if self.layout.segment is None:
            return max(map(len, self.rows.values()))
        numbers = map(whole_number, self.table.values(self.layout.segment))
        # What is no number is refused with its line when the scores are asked for.
        return max((n for n in numbers if n is not None), default=0) - self.first_segment + 1

    def of(self, system: str, segments: int, scale: Scale) -> list[float | None]:
        if system not in self.rows:
            raise MissingColumnError(self.label, "system", system, list(self.rows))
        rows = self.rows[system]
        if self.layout.segment is None and len(rows) != segments:
            left = f"{self.label}: the scores of {system!r}"
            raise UnpairedSegmentsError(left, len(rows), "the test set", segments)
        places = self._places(rows, segments)
        self._refuse_twice(system, rows, places)
        ratings: list[list[float]] = [[] for _ in range(segments)]
        for place, rating in zip(places, self._ratings(system, rows, scale), strict=True):
            if rating is not None:
                ratings[place].append(rating)
        # Zhang & Vogel (2004), section 2.4: a segment's score is the mean of its raters' scores.
        return [sum(given) / len(given) if given else None for given in ratings]

    def _places(self, rows: Sequence[int], segments: int) -> list[int]:
        """The segment of each row, from 0."""
        column = self.layout.segment
        if column is None:
            return list(range(segments))
        values = self.table.values(column)
        first, last = self.first_segment, self.first_segment + segments - 1
        places = []
        for row in rows:
            number = whole_number(values[row])
            if number is None or not first <= number <= last:
                expected = f"a segment from {first} to {last}"
                self._refuse(row, column, values[row], expected)
            places.append(number - first)
        return places

    def _refuse_twice(self, system: str, rows: Sequence[int], places: Sequence[int]) -> None:
        column = self.layout.rater
        raters = None if column is None else self.table.values(column)
        seen: dict[tuple[int, object], int] = {}
        for row, place in zip(rows, places, strict=True):
            rater = None if raters is None else raters[row]
            earlier = seen.setdefault((place, rater), row)
            if earlier != row:
                segment = place + self.first_segment
                by = "" if raters is None else f" by rater {rater!r}"
                found = f"a second score of {system!r} for segment {segment}{by}"
                expected = f"one, which is {_where(self.table, earlier)}"
                if raters is None:
                    expected += "; several raters need a column rater"
                _refuse(self.table, row, found, expected)

    def _ratings(self, system: str, rows: Sequence[int], scale: Scale) -> Iterable[float | None]:
        """The score in each row: that of its column, or the sum over its columns."""
        names = self.layout.scores if self.layout.system is not None else (system,)
        columns = [(name, self.table.values(name)) for name in names]
        for row in rows:
            parts = [self._score(row, name, values[row], scale) for name, values in columns]
            known = [part for part in parts if part is not None]
            yield sum(known) if len(known) == len(parts) else None

    def _score(self, row: int, column: str, value: object, scale: Scale) -> float | None:
        try:
            score = parse_score(value)
        except ValueError as reason:
            self._refuse(row, column, value, str(reason))
        if score is not None and not scale.holds(score):
            self._refuse(row, column, value, f"a number in {scale}")
        return score

    def _refuse(self, row: int, column: str, value: object, expected: str) -> NoReturn:
        found = f"{value!r} in {self.table.column_word} {column!r}"
        _refuse(self.table, row, found, expected)


@dataclass(frozen=True, slots=True)
class _GivenScores:
    digest: str
    numbers: Mapping[str, Sequence[float | None]] = field(compare=False, repr=False)
    label: str = "scores"
    raters: int = 1

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.numbers)

    @property
    def segments(self) -> int:
        return max(map(len, self.numbers.values()))

    def of(self, system: str, segments: int, scale: Scale) -> list[float | None]:
        if system not in self.numbers:
            raise MissingColumnError(self.label, "system", system, list(self.numbers))
        numbers = list(self.numbers[system])
        if len(numbers) != segments:
            left = f"the scores of {system!r}"
            raise UnpairedSegmentsError(left, len(numbers), "the test set", segments)
        for segment, number in enumerate(numbers, 1):
            if number is not None and not scale.holds(number):
                where = f"scores of {system!r}: segment {segment}"
                raise SettingError(where, number, f"a number in {scale}")
        return numbers


def _rows_by_system(table: Table, layout: ScoreLayout) -> dict[str, Sequence[int]]:
    if layout.system is None:
        every = range(len(table.values(table.columns[0])))
        return dict.fromkeys(layout.scores, every)
    rows: dict[str, list[int]] = {}
    for row, system in enumerate(table.labels(layout.system)):
        rows.setdefault(system, []).append(row)
    return cast("dict[str, Sequence[int]]", rows)


def _numbers(system: str, values: Iterable[object]) -> list[float | None]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise SettingError(f"scores of {system!r}", values, "a list or array of numbers")
    numbers: list[float | None] = []
    for segment, value in enumerate(values, 1):
        try:
            # Arrays say that a score is missing with the number that equals no number.
            missing = value is None or value != value
            numbers.append(None if missing else parse_score(value))
        except (ValueError, TypeError) as reason:
            expected = f"{reason}" if isinstance(reason, NotAScoreError) else "a number"
            where = f"scores of {system!r}: segment {segment}"
            raise SettingError(where, value, expected) from None
    return numbers


def _where(table: Table, row: int) -> str:
    line = table.line(row)
    return f"in row {row + 1}" if line is None else f"on line {line}"


def _refuse(table: Table, row: int, found: str, expected: str) -> NoReturn:
    line = table.line(row)
    where = "" if line is not None else f" in row {row + 1}"
    raise MalformedFileError(table.path, line, f"{found}{where}", expected)
