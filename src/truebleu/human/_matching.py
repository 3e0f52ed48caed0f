"""From the rows of a file to one score per system and segment, document or domain.

The rows find their segments first, and then they are standardized, if asked for, and averaged.

Files name segments in three ways, and what they name may be more than the test set at hand:

documents
    By document and number in the document. Numbers count the document's segments of the test set;
    where they go beyond these, but are as many, they count in order.
numbers
    By number in the test set, from 1, or from 0 where a 0 occurs. Where both sides name documents,
    these must agree, which also finds out whether the first number is 0 or 1.
order
    The distinct numbers in increasing order, where there are as many as segments.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import fsum, sqrt
from typing import TYPE_CHECKING

from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human._tables import LARGEST, whole_number
from truebleu.human.scores import HumanScores, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from truebleu.human.scores import Level, Match, Request

#: The document of the line that WMT puts before a test set, to find it in training data.
CANARY = "canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a file, and how they say which segment they are about.

    Attributes:
        label: The file.
        lines: The line of each row; None where the file has no lines.
        numbers: The segment's number in the test set.
        documents: The segment's document.
        document_numbers: The segment's number in its document. Where it is None and documents are
            there, `numbers` may be either.
        first: The first number in the test set, where the format says so.
        subset: Whether files of this kind number a larger test set than people have at hand, so
            that segments are taken in order where their numbers do not fit.
        name: What messages call a number: the column.
    """

    label: str
    lines: Sequence[int | None]
    numbers: Sequence[object] | None = None
    documents: Sequence[str] | None = None
    document_numbers: Sequence[object] | None = None
    first: int | None = None
    subset: bool = False
    name: str = "segment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet(Rows):
    """Judgments as a file has them, one per row.

    Attributes:
        digest: The start of the SHA-256 of the file.
        systems: The system of each row.
        scores: The score of each row, higher is better; None where it is missing.
        raters: Who gave the score; None where nobody says.
        made: How the scores were made, as parts of the signature.
        standardized: Whether the file has z-scores already.
        notes: What a reader of the numbers should know.
    """

    digest: str
    systems: Sequence[str]
    scores: Sequence[float | None]
    raters: Sequence[str] | None = None
    made: tuple[str, ...] = ()
    standardized: bool = False
    notes: tuple[str, ...] = ()


class _MisfitError(Exception):
    """Rows that one way of matching cannot place; the row is None where it is not about one."""

    def __init__(self, row: int | None, found: str, expected: str) -> None:
        super().__init__(row, found, expected)
        self.row, self.found, self.expected = row, found, expected


def places_of(file: Rows, rows: Sequence[int], request: Request) -> tuple[list[int], Match]:
    """The segment, from 0, of each of some rows, and the way that found it.

    Raises:
        MalformedFileError: When a row is about a segment that does not exist.
    """
    matcher = _Matcher(file, rows, request)
    ways = matcher.ways() if request.match is None else [request.match]
    misfits: list[tuple[Match, _MisfitError]] = []
    for way in ways:
        try:
            return _WAYS[way](matcher), way
        except _MisfitError as error:
            misfits.append((way, error))
    raise _refusal(file, request, misfits)


@dataclass(frozen=True, slots=True)
class _Matcher:
    """Finds the segments of some rows of a file, by each way that there is."""

    file: Rows
    rows: Sequence[int]
    request: Request

    def ways(self) -> list[Match]:
        """The ways that fit what the file has, the surest first."""
        file = self.file
        by_document = file.documents is not None and self.request.documents is not None
        ways: list[Match] = []
        if by_document and file.document_numbers is not None:
            ways.append("documents")
        if file.numbers is not None:
            ways.append("numbers")
        if by_document and file.document_numbers is None:
            ways.append("documents")
        if file.subset or not ways:
            ways.append("order")
        return ways

    def by_number(self) -> list[int]:
        """By the number in the test set."""
        if self.file.numbers is None:
            raise _MisfitError(None, "no numbers of segments in the test set", "a column of them")
        numbers = self._whole_numbers(self.file.numbers)
        names = self.file.documents if self.request.match is None else None
        if names is not None:
            self._refuse_restarts(numbers, names)
        known = set(self.request.documents or ())
        documented = names is not None and any(names[row] in known for row in self.rows)
        misfit: _MisfitError | None = None
        for first in self._firsts(numbers, documented=documented):
            places = [number - first for number in numbers]
            try:
                self._refuse_outside(places, first)
                if documented and names is not None:
                    self._refuse_other_documents(places, names)
            except _MisfitError as error:
                misfit = misfit or error
            else:
                return places
        raise misfit or _MisfitError(None, "no numbers", "some")

    def _firsts(self, numbers: Sequence[int], *, documented: bool) -> list[int]:
        """What the first number can be, the likeliest before the others."""
        for given in (self.request.first_segment, self.file.first):
            if given is not None:
                return [given]
        if 0 in numbers:
            return [0]
        documents = self.request.documents
        starts_with_canary = documents is not None and documents[0].lower() == CANARY
        firsts = [0, 1] if starts_with_canary else [1, 0]
        return firsts if documented else firsts[:1]

    def _refuse_outside(self, places: Iterable[int], first: int) -> None:
        for row, place in zip(self.rows, places, strict=True):
            if not 0 <= place < self.request.segments:
                found = f"{self.file.name} {place + first}"
                last = first + self.request.segments - 1
                raise _MisfitError(row, found, f"a segment of the test set, {first} to {last}")

    def _refuse_restarts(self, numbers: Sequence[int], names: Sequence[str]) -> None:
        document_of: dict[int, str] = {}
        for row, number in zip(self.rows, numbers, strict=True):
            name, other = names[row], document_of.setdefault(number, names[row])
            if other != name:
                found = f"{self.file.name} {number} in document {name!r} and before in {other!r}"
                raise _MisfitError(row, found, "numbers that do not start again in each document")

    def _refuse_other_documents(self, places: Sequence[int], names: Sequence[str]) -> None:
        documents = self.request.documents or ()
        for row, place in zip(self.rows, places, strict=True):
            if names[row] != documents[place]:
                found = f"{self.file.name} {place + 1} in document {names[row]!r}"
                expected = f"document {documents[place]!r}, as in the test set"
                raise _MisfitError(row, found, expected)

    def by_document(self) -> list[int]:
        """By document and number in the document."""
        file, request = self.file, self.request
        values = file.document_numbers or file.numbers
        if file.documents is None or values is None or request.documents is None:
            raise _MisfitError(None, "no documents with numbers in them", "columns for both")
        segments: dict[str, list[int]] = {}
        for place, document in enumerate(request.documents):
            segments.setdefault(document, []).append(place)
        for row in self.rows:
            document = file.documents[row]
            if document not in segments:
                expected = f"a document of the test set, such as {min(segments)}"
                raise _MisfitError(row, f"document {document!r}", expected)
        numbers = self._whole_numbers(values)
        first = request.first_segment
        if first is None and file.document_numbers is None:
            first = file.first
        if first is None:
            first = 0 if 0 in numbers else 1
        by_document: dict[str, set[int]] = {}
        for row, number in zip(self.rows, numbers, strict=True):
            by_document.setdefault(file.documents[row], set()).add(number)
        place_of: dict[tuple[str, int], int] = {}
        for document, used in by_document.items():
            there = segments[document]
            # Part of a document may be at hand: as many segments as have numbers pair in order.
            in_order = max(used) - first >= len(there) and len(used) == len(there)
            pairs = zip(sorted(used), there, strict=True) if in_order else enumerate(there, first)
            place_of.update(((document, number), place) for number, place in pairs)
        places = []
        for row, number in zip(self.rows, numbers, strict=True):
            document = file.documents[row]
            if (document, number) not in place_of:
                last = first + len(segments[document]) - 1
                found = f"segment {number} of document {document!r}"
                raise _MisfitError(row, found, f"{first} to {last}, as in the test set")
            places.append(place_of[document, number])
        return places

    def in_order(self) -> list[int]:
        """The distinct numbers in increasing order."""
        keys = self._order_keys()
        distinct = set(keys)
        if len(distinct) != self.request.segments:
            found = f"{len(distinct)} different segments"
            expected = f"{self.request.segments} to pair with those of the test set in order"
            raise _MisfitError(None, found, expected)
        place_of = {key: place for place, key in enumerate(sorted(distinct))}
        return [place_of[key] for key in keys]

    def _order_keys(self) -> list[tuple[int, int]]:
        file = self.file
        if file.numbers is not None:
            return [(0, number) for number in self._whole_numbers(file.numbers)]
        if file.document_numbers is None or file.documents is None:
            raise _MisfitError(None, "no numbers of segments", "a column of them")
        rank: dict[str, int] = {}
        numbers = self._whole_numbers(file.document_numbers)
        return [
            (rank.setdefault(file.documents[row], len(rank)), number)
            for row, number in zip(self.rows, numbers, strict=True)
        ]

    def _whole_numbers(self, values: Sequence[object]) -> list[int]:
        known: dict[object, int] = {}
        numbers = []
        for row in self.rows:
            value = values[row]
            number = known.get(value) if isinstance(value, str) else None
            if number is None:
                number = whole_number(value)
                if number is None:
                    raise _MisfitError(row, f"{value!r} as {self.file.name}", "a whole number")
                if isinstance(value, str):
                    known[value] = number
            numbers.append(number)
        return numbers


_WAYS = {
    "numbers": _Matcher.by_number,
    "documents": _Matcher.by_document,
    "order": _Matcher.in_order,
}


def _refusal(
    file: Rows, request: Request, misfits: Sequence[tuple[Match, _MisfitError]]
) -> MalformedFileError:
    """Reports the misfit that says most: one with a line, by the numbers in the test set."""
    way, misfit = next(
        ((way, error) for way, error in misfits if way == "numbers" and error.row is not None),
        next(((way, error) for way, error in misfits if error.row is not None), misfits[0]),
    )
    others = [
        f"{other_way}: found {other.found}, expected {other.expected}"
        for other_way, other in misfits
        if other_way != way
    ]
    hints = [f"nor do they match by {other}" for other in others]
    if file.documents is not None and request.documents is None:
        hints.append("give the documents of the test set to match segments by document")
    expected = "; ".join((misfit.expected, *hints))
    line = None if misfit.row is None else file.lines[misfit.row]
    return MalformedFileError(file.label, line, misfit.found, expected)


# From judgments to scores.


def segment_scores(sheet: Sheet, request: Request) -> HumanScores:
    """The scores of a sheet whose rows are about segments."""
    rows = known_rows(sheet.label, sheet.lines, sheet.systems, request)
    places, way = places_of(sheet, rows, request)
    made = (*sheet.made, f"match:{way}")
    return item_scores(sheet, rows, places, request, "segment", request.segments, None, made)


def item_scores(
    sheet: Sheet,
    rows: Sequence[int],
    places: Sequence[int],
    request: Request,
    level: Level,
    size: int,
    items: tuple[str, ...] | None,
    made: Sequence[str],
) -> HumanScores:
    """The scores of some rows of a sheet, each at its place among `size` items."""
    refuse_second_scores(sheet, rows, places, lambda place: _item_name(level, items, place))
    _refuse_huge(sheet)
    given, notes = _standardized(sheet, request)
    cells: dict[str, list[list[float]]] = {}
    for row, place in zip(rows, places, strict=True):
        score = given[row]
        if score is not None:
            system = sheet.systems[row]
            if system not in cells:
                cells[system] = [[] for _ in range(size)]
            cells[system][place].append(score)
    judged = [system for system in request.systems if system in cells]
    _refuse_few(sheet.label, judged)
    averaging = "z" if sheet.standardized else request.raters
    parts = ("human", *made, f"raters:{averaging}", f"scores:{sheet.digest}")
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
        raters=_number_of_raters(sheet, rows),
        signature="|".join(parts),
        ignored=tuple(name for name in dict.fromkeys(sheet.systems) if name not in kept),
        notes=(*sheet.notes, *notes),
    )


def known_rows(
    label: str, lines: Sequence[int | None], systems: Sequence[str], request: Request
) -> list[int]:
    """The rows about systems of the test set.

    Raises:
        MalformedFileError: When there are none, or when there are others that are not ignored.
    """
    if not systems:
        raise EmptyTextError(label)
    known = set(request.systems)
    rows = [row for row, system in enumerate(systems) if system in known]
    unknown = [name for name in dict.fromkeys(systems) if name not in known]
    if not rows:
        found = f"judgments of {listed(unknown)}, none of which is a system of the test set"
        expected = f"{request.known}; name outputs as the file does, as in NAME=FILE"
        raise MalformedFileError(label, lines[0], found, expected)
    if unknown and request.others == "refuse":
        first = next(row for row, system in enumerate(systems) if system not in known)
        found = f"a judgment of {unknown[0]!r}, which is no system of the test set"
        if len(unknown) > 1:
            found += f" (nor {'is' if len(unknown) == 2 else 'are'} {listed(unknown[1:])})"
        expected = (
            f"only {request.known}; give the other outputs too, or leave out their judgments with "
            "others='ignore' (--ignore-unknown-systems)"
        )
        raise MalformedFileError(label, lines[first], found, expected)
    return rows


def _refuse_few(label: str, judged: Sequence[str]) -> None:
    if len(judged) < 2:
        found = "no score" if not judged else f"scores of {judged[0]!r} only"
        expected = "those of at least two systems of the test set"
        raise MalformedFileError(label, None, found, expected)


def _refuse_huge(sheet: Sheet) -> None:
    """Refuses what cannot be squared and added up."""
    for row, score in enumerate(sheet.scores):
        if score is not None and abs(score) > LARGEST:
            found = f"the score {score:g}"
            expected = f"a number between -{LARGEST:g} and {LARGEST:g}"
            raise MalformedFileError(sheet.label, sheet.lines[row], found, expected)


def refuse_second_scores(
    sheet: Sheet, rows: Sequence[int], places: Sequence[int], item: Callable[[int], str]
) -> None:
    """Raises MalformedFileError where one rater, or nobody known, scored an output twice.

    Args:
        sheet: The scores.
        rows: The rows that count.
        places: The place of each of them among the segments or other items.
        item: What messages call the item at a place; "" for whole systems.
    """
    systems, raters = sheet.systems, sheet.raters
    seen: dict[tuple[str, int, str | None], int] = {}
    for row, place in zip(rows, places, strict=True):
        rater = None if raters is None else raters[row]
        earlier = seen.setdefault((systems[row], place, rater), row)
        if earlier != row:
            name = item(place)
            found = f"a second score of {systems[row]!r}" + (f" for {name}" if name else "")
            if rater is not None:
                found += f" by rater {rater!r}"
            line = sheet.lines[earlier]
            expected = "one" if line is None else f"one, which is on line {line}"
            if rater is None:
                expected += "; scores of several raters need a column 'rater'"
            raise MalformedFileError(sheet.label, sheet.lines[row], found, expected)


def _item_name(level: Level, items: tuple[str, ...] | None, place: int) -> str:
    if level == "segment":
        return f"segment {place + 1}"
    return f"{level} {items[place]!r}" if items else ""


def _number_of_raters(sheet: Sheet, rows: Sequence[int]) -> int:
    if sheet.raters is None:
        return 1
    return len({sheet.raters[row] for row in rows if sheet.scores[row] is not None})


def _standardized(sheet: Sheet, request: Request) -> tuple[Sequence[float | None], tuple[str, ...]]:
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
    given: list[float | None] = []
    for rater, score in zip(sheet.raters, sheet.scores, strict=True):
        scale = scales.get(rater)
        given.append(None if score is None or scale is None else (score - scale[0]) / scale[1])
    if not removed:
        return given, ()
    verb = "gives" if len(removed) == 1 else "give"
    note = f"{listed(removed)} {verb} every output one score and cannot be standardized: left out"
    return given, (note,)


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
    sheet: Sheet,
    request: Request,
    level: Level | None = None,
    *,
    canary: bool | None = None,
    shared: bool = False,
) -> HumanScores:
    """One score per system, or one for each of its segments or documents in their order.

    Args:
        sheet: The scores.
        request: The test set.
        level: What the scores are about, where that is known.
        canary: Whether the first of a system's segments or documents is not in the test set; None
            where that is not known, so that a first score which is missing for every system tells.
        shared: Whether raters shared the segments, so that a system has one score of each;
            otherwise every rater has all.
    """
    _refuse_numbering(sheet.label, request)
    rows = known_rows(sheet.label, sheet.lines, sheet.systems, request)
    keys = _keys(sheet, shared=shared)
    turns = Counter(keys[row] for row in rows)
    items = None if request.documents is None else tuple(dict.fromkeys(request.documents))
    sizes: dict[Level, int] = {"system": 1, "segment": request.segments}
    if items is not None:
        sizes["document"] = len(items)
    if level is not None:
        sizes = {level: sizes[level]} if level in sizes else {}
    shift = 1 if canary else 0
    for name, size in sizes.items():
        lead = 0 if name == "system" else shift
        if set(turns.values()) <= {size + lead}:
            return _placed(sheet, rows, keys, request, name, size, items, lead)
    firsts = _first_rows(sheet, rows)
    if canary is None and all(sheet.scores[row] is None for row in firsts):
        for name, size in sizes.items():
            if name != "system" and set(turns.values()) <= {size + 1}:
                return _placed(sheet, rows, keys, request, name, size, items, 1)
    raise _wrong_number(sheet, turns, sizes, shift)


def named_scores(sheet: Sheet, names: Sequence[str], request: Request, level: Level) -> HumanScores:
    """Scores that name the document or domain they are about."""
    _refuse_numbering(sheet.label, request)
    rows = known_rows(sheet.label, sheet.lines, sheet.systems, request)
    if level == "document" and request.documents is not None:
        items = tuple(dict.fromkeys(request.documents))
        for row in rows:
            if names[row] not in items:
                found = f"document {names[row]!r}"
                expected = f"a document of the test set, such as {items[0]!r}"
                raise MalformedFileError(sheet.label, sheet.lines[row], found, expected)
    else:
        # Domains are in the order of the alphabet, documents in that of the file.
        used = dict.fromkeys(names[row] for row in rows)
        items = tuple(used) if level == "document" else tuple(sorted(used))
    place = {name: i for i, name in enumerate(items)}
    places = [place[names[row]] for row in rows]
    return item_scores(
        sheet, rows, places, request, level, len(items), items, (*sheet.made, f"level:{level}")
    )


def _refuse_numbering(label: str, request: Request) -> None:
    """Refuses choices about numbers of segments where there are none."""
    choices = {"first_segment": request.first_segment, "match": request.match}
    for setting, value in choices.items():
        if value not in (None, "order"):
            expected = f"none: scores of {label} have no numbers of segments"
            raise SettingError(setting, value, expected)


def _keys(sheet: Sheet, *, shared: bool) -> Sequence[tuple[str, str | None]]:
    """Whose scores are counted together: a system's, or those of a system by a rater."""
    if sheet.raters is None or shared:
        return [(system, None) for system in sheet.systems]
    return list(zip(sheet.systems, sheet.raters, strict=True))


def _first_rows(sheet: Sheet, rows: Sequence[int]) -> list[int]:
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(sheet.systems[row], row)
    return list(first.values())


def _placed(
    sheet: Sheet,
    rows: Sequence[int],
    keys: Sequence[tuple[str, str | None]],
    request: Request,
    level: Level,
    size: int,
    items: tuple[str, ...] | None,
    lead: int,
) -> HumanScores:
    seen: Counter[tuple[str, str | None]] = Counter()
    kept, places = [], []
    for row in rows:
        place = seen[keys[row]] - lead
        seen[keys[row]] += 1
        if place >= 0:
            kept.append(row)
            places.append(place)
    made = (*sheet.made, f"level:{level}" if level != "segment" else "match:rows")
    names = items if level == "document" else None
    return item_scores(sheet, kept, places, request, level, size, names, made)


def _wrong_number(
    sheet: Sheet,
    turns: Counter[tuple[str, str | None]],
    sizes: dict[Level, int],
    shift: int,
) -> MalformedFileError:
    wanted = {size + (shift if level != "system" else 0): level for level, size in sizes.items()}
    (system, rater), number = next(
        ((key, n) for key, n in turns.items() if n not in wanted), next(iter(turns.items()))
    )
    by = "" if rater is None else f" by rater {rater!r}"
    different = sorted(set(turns.values()))
    scores = "1 score" if number == 1 else f"{number} scores"
    found = f"{scores} of {system!r}{by} without a number of the segment"
    if number in wanted and len(different) > 1:
        found += f", and {next(n for n in different if n != number)} of another system"
    choices = " or ".join(f"{size} (one per {level})" for size, level in sorted(wanted.items()))
    expected = (
        f"{choices or 'the documents of the test set'}; or add a column 'segment', "
        "and 'rater' where several people judged"
    )
    line = next(sheet.lines[row] for row, name in enumerate(sheet.systems) if name == system)
    return MalformedFileError(sheet.label, line, found, expected)
