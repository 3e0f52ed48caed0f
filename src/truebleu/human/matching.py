"""From the rows of a file to one score per system and segment, document or domain.

The rows find their segments first, and then they are standardized, if asked for, and averaged.

Files name segments in three ways, and what they name may be more than the test set at hand:

documents
    By document and number in the document. Numbers count the document's segments of the test set;
    where they go beyond these, but are as many, they count in order.
numbers
    By number in the test set.
order
    The distinct numbers in increasing order, where there are as many as segments.

Numbers count from 0 or from 1. What decides is, in this order: a 0 among them, the size of the test
set or document, the documents, the outputs that the file quotes, a 1 among them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

import truebleu.corpus.tables as tables
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError, SettingError
from truebleu.human.judgments import HumanReadOptions, HumanScores, Level, Match, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


#: The document of the line that WMT puts before a test set, to find it in training data.
CANARY = "canary"
#: Marks around errors in quoted outputs.
MARKS = ("<v>", "</v>")


def strip_error_marks(text: str) -> str:
    """A quoted output without the marks around errors."""
    return text.replace(MARKS[0], "").replace(MARKS[1], "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Judgments as a file has them, one per row, and how they say which segment they are about.

    Attributes:
        label: The file.
        lines: The line of each row; None where the file has no lines.
        systems: The system of each row.
        scores: The score of each row, higher is better; None where it is missing.
        raters: Who gave the score; None where nobody says.
        numbers: The segment's number in the test set.
        documents: The segment's document.
        document_numbers: The segment's number in its document. Where it is None and documents are
            there, `numbers` may be either.
        texts: The output that was judged, where the file quotes it.
        first: The first number in the test set, where the format says so.
        subset: Whether files of this kind number a larger test set than people have at hand, so
            that segments are taken in order where their numbers do not fit.
        name: What messages call a number: the column.
        signature: How the scores were made.
        standardized: Whether the file has z-scores already.
        notes: What a reader of the numbers should know.
    """

    label: str
    lines: Sequence[int | None] = ()
    systems: Sequence[str] = ()
    scores: Sequence[float | None] = ()
    raters: Sequence[str] | None = None
    numbers: Sequence[object] | None = None
    documents: Sequence[str] | None = None
    document_numbers: Sequence[object] | None = None
    texts: Sequence[object] | None = None
    first: int | None = None
    subset: bool = False
    name: str = "segment"
    signature: tuple[str, ...] = ()
    standardized: bool = False
    notes: tuple[str, ...] = ()

    def refuse(self, row: int | None, found: str, expected: str) -> NoReturn:
        """Raises MalformedFileError about a row, or about the whole file."""
        line = None if row is None else self.lines[row]
        raise MalformedFileError(self.label, line, found, expected)


def sheet_of(
    table: tables.Table, scores: Sequence[float | None] = (), *signature: str, **others: Any
) -> Sheet:
    """The judgments in the rows of a table, by the names of its columns.

    Args:
        table: The table.
        scores: The score of each row.
        signature: How the scores were made.
        others: Fields of the sheet that its columns do not tell.
    """
    documents = table.find(tables.DOCUMENT)
    in_document = [name for name in tables.IN_DOCUMENT if name != (documents or "").lower()]
    fields: dict[str, Any] = {
        "label": table.path,
        "lines": table.all_lines(),
        "scores": scores,
        "signature": signature,
        "raters": table.found_labels(tables.RATER),
        "numbers": table.found_values(tables.SEGMENT),
        "documents": table.found_labels(tables.DOCUMENT),
        "document_numbers": documents and table.found_values(in_document),
        "texts": table.found_values(tables.TARGET),
        "name": table.find(tables.SEGMENT) or "segment",
        **({} if "systems" in others else {"systems": systems_of(table)}),
    }
    return Sheet(**fields | others)


def systems_of(table: tables.Table) -> tuple[str, ...]:
    """The system of each row."""
    column = table.find(tables.SYSTEM)
    table.require(tables.SYSTEM[0] if column is None else column)
    return table.labels(column or tables.SYSTEM[0])


_Key = TypeVar("_Key")
#: The segment, from 0, of each row, and what a reader should know of how it was found.
_Placed: TypeAlias = tuple[list[int], tuple[str, ...]]
#: A way of matching, and why it does not place all rows.
_Misfit: TypeAlias = tuple[Match, int | None, str, str]


class _NoMatchError(Exception):
    """Rows that one way of matching cannot place: the row, or None, what is there, what to do."""


def match_rows(
    sheet: Sheet, rows: Sequence[int], request: HumanReadOptions
) -> tuple[list[int], Match, tuple[str, ...]]:
    """The segment, from 0, of each of some rows, the way that found it, and notes about that.

    Raises:
        MalformedFileError: When a row is about a segment that does not exist.
    """
    matcher = _Matcher(sheet, rows, request)
    ways = matcher.ways() if request.match is None else [request.match]
    misfits: list[_Misfit] = []
    for way in ways:
        try:
            places, notes = _WAYS[way](matcher)
            if request.match is None:
                matcher.refuse_other_outputs(places)
            return places, way, notes
        except _NoMatchError as error:
            misfits.append((way, *error.args))
    return _refuse_misfits(sheet, request, misfits)


@dataclass(frozen=True, slots=True)
class _Matcher:
    """Finds the segments of some rows of a file, by each way that there is."""

    sheet: Sheet
    rows: Sequence[int]
    request: HumanReadOptions

    def ways(self) -> list[Match]:
        """The ways that fit what the file has, the surest first."""
        sheet = self.sheet
        by_document = sheet.documents is not None and self.request.documents is not None
        ways: list[Match] = []
        if by_document and sheet.document_numbers is not None:
            ways.append("documents")
        if sheet.numbers is not None:
            ways.append("numbers")
        if by_document and sheet.document_numbers is None:
            ways.append("documents")
        if sheet.subset or not ways:
            ways.append("order")
        return ways

    def by_number(self) -> _Placed:
        """By the number in the test set."""
        if self.sheet.numbers is None:
            raise _NoMatchError(None, "no numbers of segments in the test set", "a column of them")
        numbers = self._whole_numbers(self.sheet.numbers)
        names = self.sheet.documents if self.request.match is None else None
        if names is not None:
            self._refuse_restarts(numbers, names)
        documents = set(self.request.documents or ())
        if names is not None and documents.isdisjoint(names[row] for row in self.rows):
            names = None

        def places_from(first: int) -> list[int]:
            places = [number - first for number in numbers]
            self._refuse_outside(places, first)
            if names is not None:
                self._refuse_other_documents(places, names)
            return places

        return self._counted(numbers, self.sheet.first, places_from)

    def _counted(
        self, numbers: Sequence[int], known: int | None, places_from: Callable[[int], list[int]]
    ) -> _Placed:
        """The places of numbers: where counting begins is never just assumed.

        Args:
            numbers: The number of each row.
            known: The first number, where the format says so.
            places_from: The places of all rows by a first number.
        """
        asked = self.request.first_segment
        if asked is not None or known is not None:
            return places_from((known or 0) if asked is None else asked), ()
        misfit: _NoMatchError | None = None
        fitting: dict[int, list[int]] = {}
        # The likeliest before the other.
        for first in (0,) if 0 in numbers else (0, 1) if self._starts_with_canary else (1, 0):
            try:
                fitting[first] = places_from(first)
            except _NoMatchError as error:
                misfit = misfit or error
        if not fitting:
            raise misfit or _NoMatchError(None, "no numbers", "some")
        first = self._decided(fitting, numbers)
        if first == 1 and fitting.get(0, fitting[1]) == fitting[1]:
            return fitting[first], ()
        return fitting[first], (f"the segments of {self.sheet.label} are counted from {first}",)

    @property
    def _starts_with_canary(self) -> bool:
        documents = self.request.documents
        return documents is not None and documents[0].lower() == CANARY

    def _decided(self, fitting: dict[int, list[int]], numbers: Sequence[int]) -> int:
        """Where counting begins, of what fits."""
        likeliest = next(iter(fitting))
        if len(fitting) == 1 or fitting[0] == fitting[1]:
            return likeliest
        quoted = {first: self._quoted(places) for first, places in fitting.items()}
        if quoted[0] != quoted[1]:
            return max(quoted, key=lambda first: quoted[first])
        if likeliest in numbers or likeliest == 0:
            return likeliest
        found = f"{self.sheet.name} {min(numbers)} as the first, and neither 0 nor 1"
        expected = "where counting begins: first_segment=0 or 1 (--first-segment)"
        raise _NoMatchError(self.rows[0], found, expected)

    def _quotes(self) -> Iterator[tuple[int, str, str]]:
        """The rows that quote an output, counted among all rows, their systems and the quotes."""
        texts = self.sheet.texts
        if self.request.outputs is not None and texts is not None:
            for at, row in enumerate(self.rows):
                if text := strip_error_marks(str(texts[row] or "")).strip():
                    yield at, self.sheet.systems[row], text

    def _output(self, system: str, place: int) -> str:
        return ((self.request.outputs or {})[system][place] or "").strip()

    def _quoted(self, places: Sequence[int]) -> int:
        """How many rows quote the very output at their place."""
        return sum(text == self._output(system, places[at]) for at, system, text in self._quotes())

    def refuse_other_outputs(self, places: Sequence[int]) -> None:
        """Refuse places where most outputs that the file quotes are those of other segments."""
        outputs = {
            system: {(output or "").strip() for output in text}
            for system, text in (self.request.outputs or {}).items()
        }
        known = [quote for quote in self._quotes() if quote[2] in outputs[quote[1]]]
        others = [at for at, system, text in known if text != self._output(system, places[at])]
        if 2 * len(others) > len(known):
            found = f"the output of another segment, as {len(others)} of {len(known)} quoted ones"
            expected = "numbers of segments of this test set, or --match numbers to trust these"
            raise _NoMatchError(self.rows[others[0]], found, expected)

    def _refuse_outside(self, places: Iterable[int], first: int) -> None:
        for row, place in zip(self.rows, places, strict=True):
            if not 0 <= place < self.request.segments:
                found = f"{self.sheet.name} {place + first}"
                last = first + self.request.segments - 1
                raise _NoMatchError(row, found, f"a segment of the test set, {first} to {last}")

    def _refuse_restarts(self, numbers: Sequence[int], names: Sequence[str]) -> None:
        document_of: dict[int, str] = {}
        for row, number in zip(self.rows, numbers, strict=True):
            name, other = names[row], document_of.setdefault(number, names[row])
            if other != name:
                found = f"{self.sheet.name} {number} in document {name!r} and before in {other!r}"
                raise _NoMatchError(row, found, "numbers that do not start again in each document")

    def _refuse_other_documents(self, places: Sequence[int], names: Sequence[str]) -> None:
        documents = self.request.documents or ()
        for row, place in zip(self.rows, places, strict=True):
            if names[row] != documents[place]:
                found = f"{self.sheet.name} {place + 1} in document {names[row]!r}"
                expected = f"document {documents[place]!r}, as in the test set"
                raise _NoMatchError(row, found, expected)

    def by_document(self) -> _Placed:
        """By document and number in the document."""
        sheet, request = self.sheet, self.request
        values = sheet.document_numbers or sheet.numbers
        names = sheet.documents
        if names is None or values is None or request.documents is None:
            raise _NoMatchError(None, "no documents with numbers in them", "columns for both")
        segments: dict[str, list[int]] = {}
        for place, document in enumerate(request.documents):
            segments.setdefault(document, []).append(place)
        for row in self.rows:
            if names[row] not in segments:
                expected = f"a document of the test set, such as {min(segments)}"
                raise _NoMatchError(row, f"document {names[row]!r}", expected)
        numbers = self._whole_numbers(values)
        by_document: dict[str, set[int]] = {}
        for row, number in zip(self.rows, numbers, strict=True):
            by_document.setdefault(names[row], set()).add(number)

        def places_from(first: int) -> list[int]:
            place_of: dict[tuple[str, int], int] = {}
            for document, used in by_document.items():
                there = segments[document]
                # Part of a document may be at hand: as many segments as have numbers pair in order.
                in_order = max(used) - first >= len(there) and len(used) == len(there)
                pairs = (
                    zip(sorted(used), there, strict=True) if in_order else enumerate(there, first)
                )
                place_of.update(((document, number), place) for number, place in pairs)
            keys = [(names[row], number) for row, number in zip(self.rows, numbers, strict=True)]
            for row, (document, number) in zip(self.rows, keys, strict=True):
                if (document, number) not in place_of:
                    last = first + len(segments[document]) - 1
                    found = f"segment {number} of document {document!r}"
                    raise _NoMatchError(row, found, f"{first} to {last}, as in the test set")
            return [place_of[key] for key in keys]

        known = sheet.first if sheet.document_numbers is None else None
        return self._counted(numbers, known, places_from)

    def in_order(self) -> _Placed:
        """The distinct numbers in increasing order."""
        sheet, rank = self.sheet, dict[str, int]()
        values = sheet.document_numbers if sheet.numbers is None else sheet.numbers
        if values is None:
            raise _NoMatchError(None, "no numbers of segments", "a column of them")
        # Numbers in the test set count by themselves, those in documents one document at a time.
        documents = [""] * len(values) if sheet.numbers is not None else sheet.documents or ()
        keys = [
            (rank.setdefault(documents[row], len(rank)), number)
            for row, number in zip(self.rows, self._whole_numbers(values), strict=True)
        ]
        distinct = set(keys)
        if len(distinct) != self.request.segments:
            found = f"{len(distinct)} different segments"
            expected = f"{self.request.segments} to pair with those of the test set in order"
            raise _NoMatchError(None, found, expected)
        place_of = {key: place for place, key in enumerate(sorted(distinct))}
        return [place_of[key] for key in keys], ()

    def _whole_numbers(self, values: Sequence[object]) -> list[int]:
        numbers = []
        for row in self.rows:
            number = tables.whole_number(values[row])
            if number is None:
                found = f"{values[row]!r} as {self.sheet.name}"
                raise _NoMatchError(row, found, "a whole number")
            numbers.append(number)
        return numbers


_WAYS: dict[str, Callable[[_Matcher], _Placed]] = {
    "numbers": _Matcher.by_number,
    "documents": _Matcher.by_document,
    "order": _Matcher.in_order,
}


def _refuse_misfits(
    sheet: Sheet, request: HumanReadOptions, misfits: Sequence[_Misfit]
) -> NoReturn:
    """Reports the misfit that says most: one with a line, by the numbers in the test set."""
    reported = min(misfits, key=lambda misfit: (misfit[1] is None, misfit[0] != "numbers"))
    hints = [
        f"nor do they match by {way}: {found}; expected {expected}"
        for way, _, found, expected in misfits
        if way != reported[0]
    ]
    if sheet.documents is not None and request.documents is None:
        hints.append("give the documents of the test set to match segments by document")
    _, row, found, expected = reported
    sheet.refuse(row, found, "; ".join((expected, *hints)))


# From judgments to scores.


def segment_scores(sheet: Sheet, request: HumanReadOptions) -> HumanScores:
    """The scores of a sheet whose rows are about segments."""
    rows = rows_of_systems(sheet, request)
    places, way, notes = match_rows(sheet, rows, request)
    sheet = replace(sheet, notes=(*sheet.notes, *notes))
    return item_scores(sheet, rows, places, request, f"match:{way}")


def item_scores(
    sheet: Sheet,
    rows: Sequence[int],
    places: Sequence[int],
    request: HumanReadOptions,
    match: str,
    level: Level = "segment",
    items: tuple[str, ...] | None = None,
) -> HumanScores:
    """The scores of some rows of a sheet, each at its place among the segments or other items."""
    size = request.segments if level == "segment" else 1 if items is None else len(items)

    def words(key: tuple[str, int]) -> str:
        name = key[1] + 1 if level == "segment" else repr(items[key[1]]) if items else ""
        return f"score of {key[0]!r}" + (f" for {level} {name}" if name else "")

    refuse_second(
        sheet, rows, zip([sheet.systems[row] for row in rows], places, strict=True), words
    )
    scores, notes = _standardized(sheet, request)
    cells: dict[str, list[list[float]]] = {}
    for row, place in zip(rows, places, strict=True):
        score = scores[row]
        if score is not None:
            if sheet.systems[row] not in cells:
                cells[sheet.systems[row]] = [[] for _ in range(size)]
            cells[sheet.systems[row]][place].append(score)
    judged = [system for system in request.systems if system in cells]
    if len(judged) < 2:
        found = "no score" if not judged else f"scores of {judged[0]!r} only"
        sheet.refuse(None, found, "those of at least two systems of the test set")
    averaging = "z" if sheet.standardized else request.raters
    names = sheet.raters or [""] * len(sheet.scores)
    kept = set(request.systems)
    return HumanScores(
        label=sheet.label,
        level=level,
        # Rows of other files come in another order: the exactly rounded sum does not depend on it.
        scores={
            system: tuple(fsum(c) / len(c) + 0.0 if c else None for c in cells[system])
            for system in judged
        },
        items=items,
        raters=len({names[row] for row in rows if sheet.scores[row] is not None}),
        signature="|".join(("human", *sheet.signature, match, f"raters:{averaging}")),
        ignored=tuple(name for name in dict.fromkeys(sheet.systems) if name not in kept),
        notes=(*sheet.notes, *notes),
    )


def rows_of_systems(sheet: Sheet, request: HumanReadOptions) -> list[int]:
    """The rows about systems of the test set.

    Raises:
        MalformedFileError: When there are none, or when there are others that are not ignored.
    """
    systems = sheet.systems
    if not systems:
        raise EmptyTextError(sheet.label)
    wanted = set(request.systems)
    rows = [row for row, system in enumerate(systems) if system in wanted]
    unknown = [name for name in dict.fromkeys(systems) if name not in wanted]
    if not rows:
        found = f"judgments of {listed(unknown)}, none of which is a system of the test set"
        expected = f"{request.known}; name outputs as the file does, as in NAME=FILE"
        sheet.refuse(0, found, expected)
    if unknown and request.others == "refuse":
        first = next(row for row, system in enumerate(systems) if system not in wanted)
        found = f"a judgment of {unknown[0]!r}, which is no system of the test set"
        if len(unknown) > 1:
            found += f" (nor {'is' if len(unknown) == 2 else 'are'} {listed(unknown[1:])})"
        expected = (
            f"only {request.known}; give the other outputs too, or leave out their judgments with "
            "others='ignore' (--others ignore)"
        )
        sheet.refuse(first, found, expected)
    return rows


def refuse_second(
    sheet: Sheet, rows: Iterable[int], keys: Iterable[_Key], words: Callable[[_Key], str]
) -> None:
    """Raises MalformedFileError where one rater, or nobody known, judged the same thing twice.

    Args:
        sheet: The judgments.
        rows: Some of its rows.
        keys: What each of them is about.
        words: What messages call it.
    """
    seen: dict[tuple[_Key, str | None], int] = {}
    for row, key in zip(rows, keys, strict=True):
        rater = None if sheet.raters is None else sheet.raters[row]
        earlier = seen.setdefault((key, rater), row)
        if earlier != row:
            line = sheet.lines[earlier]
            expected = "one" if line is None else f"one, which is on line {line}"
            if rater is None:
                expected += "; what several raters said needs a column 'rater'"
            by = "" if rater is None else f" by rater {rater!r}"
            sheet.refuse(row, f"a second {words(key)}{by}", expected)


def _standardized(
    sheet: Sheet, request: HumanReadOptions
) -> tuple[Sequence[float | None], tuple[str, ...]]:
    """The scores as they count: raw, or z-scores within each rater's own judgments."""
    if request.raters == "mean" or sheet.standardized:
        return sheet.scores, ()
    if sheet.raters is None:
        expected = f"'mean', as {sheet.label} does not say who gave which score"
        raise SettingError("raters", "z", expected)
    # A rater's scale is that of all their judgments, also of systems that were not given.
    by_rater: dict[str, list[float]] = {}
    for rater, score in zip(sheet.raters, sheet.scores, strict=True):
        if score is not None:
            by_rater.setdefault(rater, []).append(score)
    scales = {rater: _scale(scores) for rater, scores in by_rater.items()}
    removed = sorted(rater for rater, scale in scales.items() if scale is None)
    scores: list[float | None] = []
    for rater, score in zip(sheet.raters, sheet.scores, strict=True):
        scale = scales.get(rater)
        scores.append(None if score is None or scale is None else (score - scale[0]) / scale[1])
    if not removed:
        return scores, ()
    verb = "gives" if len(removed) == 1 else "give"
    note = f"{listed(removed)} {verb} every output one score and cannot be standardized: left out"
    return scores, (note,)


def _scale(scores: Sequence[float]) -> tuple[float, float] | None:
    """Mean and standard deviation (n - 1, as in WMT's scripts); None where all are the same."""
    if min(scores) == max(scores):
        return None
    mean = fsum(scores) / len(scores)
    deviation = sqrt(fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
    # Numbers that differ by less than their squares can show, or by more.
    return (mean, deviation) if 0 < deviation < float("inf") else None


# Scores without numbers of segments: how many a system has tells what they are about.


def counted_scores(
    sheet: Sheet, request: HumanReadOptions, level: Level | None = None, *, shared: bool = False
) -> HumanScores:
    """One score per system, or one for each of its segments or documents in their order.

    Args:
        sheet: The scores.
        request: The test set. Where it does not know whether there is a canary line, a first score
            that is missing for every system tells.
        level: What the scores are about, where that is known.
        shared: Whether raters shared the segments, so that a system has one score of each;
            otherwise every rater has all.
    """
    _refuse_numbering(sheet.label, request)
    rows = rows_of_systems(sheet, request)
    raters = None if shared else sheet.raters
    keys = [
        (system, None if raters is None else raters[row])
        for row, system in enumerate(sheet.systems)
    ]
    turns = Counter(keys[row] for row in rows)
    items = None if request.documents is None else tuple(dict.fromkeys(request.documents))
    sizes: dict[Level, int] = {"system": 1, "segment": request.segments}
    if items is not None:
        sizes["document"] = len(items)
    if level is not None:
        sizes = {level: sizes[level]} if level in sizes else {}
    shift = 1 if request.canary else 0
    firsts = {system: row for row, system in reversed([(r, sheet.systems[r]) for r in rows])}
    is_led = request.canary is None and all(sheet.scores[row] is None for row in firsts.values())
    for lead in (shift, 1) if is_led else (shift,):
        for name, size in sizes.items():
            leading = 0 if name == "system" else lead
            if set(turns.values()) <= {size + leading}:
                # The scores of each system, or of a system by a rater, are in their order.
                turn: dict[object, Iterator[int]] = defaultdict(partial(count, -leading))
                placed = [(row, next(turn[keys[row]])) for row in rows]
                kept, places = zip(*((row, at) for row, at in placed if at >= 0), strict=True)
                match = f"level:{name}" if name != "segment" else "match:rows"
                names = items if name == "document" else None
                return item_scores(sheet, kept, places, request, match, name, names)
    return _refuse_number(sheet, turns, sizes, shift)


def named_scores(
    sheet: Sheet, names: Sequence[str], request: HumanReadOptions, level: Level
) -> HumanScores:
    """Scores that name the document or domain they are about."""
    _refuse_numbering(sheet.label, request)
    rows = rows_of_systems(sheet, request)
    if level == "document" and request.documents is not None:
        items = tuple(dict.fromkeys(request.documents))
        for row in rows:
            if names[row] not in items:
                found = f"document {names[row]!r}"
                expected = f"a document of the test set, such as {items[0]!r}"
                sheet.refuse(row, found, expected)
    else:
        # Domains are in the order of the alphabet, documents in that of the file.
        used = dict.fromkeys(names[row] for row in rows)
        items = tuple(used) if level == "document" else tuple(sorted(used))
    place = {name: i for i, name in enumerate(items)}
    places = [place[names[row]] for row in rows]
    return item_scores(sheet, rows, places, request, f"level:{level}", level, items)


def _refuse_numbering(label: str, request: HumanReadOptions) -> None:
    """Refuses choices about numbers of segments where there are none."""
    for setting in ("first_segment", "match"):
        value = getattr(request, setting)
        if value not in (None, "order"):
            expected = f"none: scores of {label} have no numbers of segments"
            raise SettingError(setting, value, expected)


def _refuse_number(
    sheet: Sheet, turns: Counter[tuple[str, str | None]], sizes: dict[Level, int], shift: int
) -> NoReturn:
    wanted = {size + (shift if level != "system" else 0): level for level, size in sizes.items()}
    (system, rater), number = next(
        ((key, n) for key, n in turns.items() if n not in wanted), next(iter(turns.items()))
    )
    by = "" if rater is None else f" by rater {rater!r}"
    scores = "1 score" if number == 1 else f"{number} scores"
    found = f"{scores} of {system!r}{by} without a number of the segment"
    others = set(turns.values()) - {number}
    if number in wanted and others:
        found += f", and {min(others)} of another system"
    choices = " or ".join(f"{size} (one per {level})" for size, level in sorted(wanted.items()))
    expected = (
        f"{choices or 'the documents of the test set'}; or add a column 'segment', "
        "and 'rater' where several people judged"
    )
    sheet.refuse(sheet.systems.index(system), found, expected)


# Files that hold judgments of several language pairs: only one belongs to a test set.


def of_one_pair(
    table: tables.Table,
    request: HumanReadOptions,
    pairs: Sequence[str] | None = None,
    sources: Sequence[str] = tables.SOURCE_LANGUAGE,
    targets: Sequence[str] = tables.TARGET_LANGUAGE,
) -> tables.Table:
    """The rows of the language pair that was chosen, where a table has columns for languages.

    Raises:
        CorpusError: When there are several and none was chosen, or the chosen one is not there.
        SettingError: When one was chosen, and nothing tells the language pairs apart.
    """
    pairs = pairs or table.found_labels(tables.LANGUAGE_PAIR)
    source, target = table.found_labels(sources), table.found_labels(targets)
    if pairs is None and source is not None and target is not None:
        pairs = [f"{a.strip()}-{b.strip()}" for a, b in zip(source, target, strict=True)]
    wanted = request.language_pair
    if pairs is None and wanted is not None:
        expected = f"none: {table.path} does not say of which language pair a judgment is"
        raise SettingError("language_pair", wanted, expected)
    if pairs is None:
        return table
    names = sorted(set(pairs))
    if wanted is None and len(names) > 1:
        found = f"judgments of {len(names)} language pairs, {', '.join(names)}"
        expected = f"one to be chosen, as in language_pair={names[0]!r} (--language-pair)"
        raise MalformedFileError(table.path, None, found, expected)
    rows = [
        row for row, pair in enumerate(pairs) if wanted is None or pair.lower() == wanted.lower()
    ]
    if not rows:
        raise MissingColumnError(table.path, "language pair", wanted or "", names)
    return table if len(rows) == table.rows else table.only(rows)
