"""Which segment of the test set each row of a file is about.

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

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.errors import MalformedFileError
from truebleu.human._tables import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.human.scores import Match, Request

#: The document of the line that WMT puts before a test set, to find it in training data.
CANARY = "canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """How the rows of a file say which segment they are about.

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


class _MisfitError(Exception):
    """Rows that one way of matching cannot place; the row is None where it is not about one."""

    def __init__(self, row: int | None, found: str, expected: str) -> None:
        super().__init__(row, found, expected)
        self.row, self.found, self.expected = row, found, expected


def places_of(
    addresses: Addresses, rows: Sequence[int], request: Request
) -> tuple[list[int], Match]:
    """The segment, from 0, of each of some rows, and the way that found it.

    Raises:
        MalformedFileError: When a row is about a segment that does not exist.
    """
    ways = _ways(addresses, request) if request.match is None else [request.match]
    misfits: list[tuple[Match, _MisfitError]] = []
    for way in ways:
        try:
            return _MATCHERS[way](addresses, rows, request), way
        except _MisfitError as error:
            misfits.append((way, error))
    raise _refusal(addresses, request, misfits)


def _ways(addresses: Addresses, request: Request) -> list[Match]:
    by_document = addresses.documents is not None and request.documents is not None
    ways: list[Match] = []
    if by_document and addresses.document_numbers is not None:
        ways.append("documents")
    if addresses.numbers is not None:
        ways.append("numbers")
    if by_document and addresses.document_numbers is None:
        ways.append("documents")
    if addresses.subset or not ways:
        ways.append("order")
    return ways


def _by_number(addresses: Addresses, rows: Sequence[int], request: Request) -> list[int]:
    if addresses.numbers is None:
        raise _MisfitError(None, "no numbers of segments in the test set", "a column of them")
    numbers = _whole_numbers(addresses, addresses.numbers, rows)
    names = addresses.documents if request.match is None else None
    if names is not None:
        _refuse_restarts(addresses, rows, numbers, names)
    known = set(request.documents or ())
    told = names is not None and any(names[row] in known for row in rows)
    misfit: _MisfitError | None = None
    for first in _firsts(addresses, numbers, request, told=told):
        places = [number - first for number in numbers]
        try:
            _refuse_outside(addresses, rows, places, first, request)
            if told and names is not None:
                _refuse_other_documents(addresses, rows, places, names, request)
        except _MisfitError as error:
            misfit = misfit or error
        else:
            return places
    raise misfit or _MisfitError(None, "no numbers", "some")


def _firsts(
    addresses: Addresses, numbers: Sequence[int], request: Request, *, told: bool
) -> list[int]:
    """What the first number can be, the likeliest before the others."""
    for given in (request.first_segment, addresses.first):
        if given is not None:
            return [given]
    if 0 in numbers:
        return [0]
    starts_with_canary = request.documents is not None and _is_canary(request.documents[0])
    firsts = [0, 1] if starts_with_canary else [1, 0]
    return firsts if told else firsts[:1]


def _is_canary(document: str) -> bool:
    return document.lower() == CANARY


def _refuse_outside(
    addresses: Addresses, rows: Sequence[int], places: Iterable[int], first: int, request: Request
) -> None:
    for row, place in zip(rows, places, strict=True):
        if not 0 <= place < request.segments:
            found = f"{addresses.name} {place + first}"
            last = first + request.segments - 1
            raise _MisfitError(row, found, f"a segment of the test set, {first} to {last}")


def _refuse_restarts(
    addresses: Addresses, rows: Sequence[int], numbers: Sequence[int], names: Sequence[str]
) -> None:
    document_of: dict[int, str] = {}
    for row, number in zip(rows, numbers, strict=True):
        other = document_of.setdefault(number, names[row])
        if other != names[row]:
            found = f"{addresses.name} {number} in document {names[row]!r} and before in {other!r}"
            raise _MisfitError(row, found, "numbers that do not start again in each document")


def _refuse_other_documents(
    addresses: Addresses,
    rows: Sequence[int],
    places: Sequence[int],
    names: Sequence[str],
    request: Request,
) -> None:
    documents = request.documents or ()
    for row, place in zip(rows, places, strict=True):
        if names[row] != documents[place]:
            found = f"{addresses.name} {place + 1} in document {names[row]!r}"
            expected = f"document {documents[place]!r}, as in the test set"
            raise _MisfitError(row, found, expected)


def _by_document(addresses: Addresses, rows: Sequence[int], request: Request) -> list[int]:
    values = addresses.document_numbers or addresses.numbers
    if addresses.documents is None or values is None or request.documents is None:
        raise _MisfitError(None, "no documents with numbers in them", "columns for both")
    segments: dict[str, list[int]] = {}
    for place, document in enumerate(request.documents):
        segments.setdefault(document, []).append(place)
    for row in rows:
        document = addresses.documents[row]
        if document not in segments:
            found = f"document {document!r}"
            raise _MisfitError(row, found, "a document of the test set, such as " + min(segments))
    numbers = _whole_numbers(addresses, values, rows)
    first = request.first_segment
    if first is None and addresses.document_numbers is None:
        first = addresses.first
    if first is None:
        first = 0 if 0 in numbers else 1
    by_document: dict[str, set[int]] = {}
    for row, number in zip(rows, numbers, strict=True):
        by_document.setdefault(addresses.documents[row], set()).add(number)
    places: dict[tuple[str, int], int] = {}
    for document, used in by_document.items():
        there = segments[document]
        # Part of a document may be at hand: as many segments as have numbers pair in order.
        in_order = max(used) - first >= len(there) and len(used) == len(there)
        pairs = zip(sorted(used), there, strict=True) if in_order else enumerate(there, first)
        places.update(((document, number), place) for number, place in pairs)
    found_places = []
    for row, number in zip(rows, numbers, strict=True):
        document = addresses.documents[row]
        if (document, number) not in places:
            last = first + len(segments[document]) - 1
            found = f"segment {number} of document {document!r}"
            raise _MisfitError(row, found, f"{first} to {last}, as in the test set")
        found_places.append(places[document, number])
    return found_places


def _in_order(addresses: Addresses, rows: Sequence[int], request: Request) -> list[int]:
    keys = _order_keys(addresses, rows)
    distinct = list(dict.fromkeys(keys))
    if len(distinct) != request.segments:
        found = f"{len(distinct)} different segments"
        expected = f"{request.segments} to pair with those of the test set in order"
        raise _MisfitError(None, found, expected)
    place_of = {key: place for place, key in enumerate(sorted(distinct))}
    return [place_of[key] for key in keys]


def _order_keys(addresses: Addresses, rows: Sequence[int]) -> list[tuple[int, int]]:
    if addresses.numbers is not None:
        return [(0, n) for n in _whole_numbers(addresses, addresses.numbers, rows)]
    values, names = addresses.document_numbers, addresses.documents
    if values is None or names is None:
        raise _MisfitError(None, "no numbers of segments", "a column of them")
    rank: dict[str, int] = {}
    numbers = _whole_numbers(addresses, values, rows)
    return [
        (rank.setdefault(names[row], len(rank)), number)
        for row, number in zip(rows, numbers, strict=True)
    ]


_MATCHERS = {"numbers": _by_number, "documents": _by_document, "order": _in_order}


def _whole_numbers(
    addresses: Addresses, values: Sequence[object], rows: Sequence[int]
) -> list[int]:
    known: dict[object, int] = {}
    numbers = []
    for row in rows:
        value = values[row]
        number = known.get(value) if isinstance(value, str) else None
        if number is None:
            number = whole_number(value)
            if number is None:
                raise _MisfitError(row, f"{value!r} as {addresses.name}", "a whole number")
            if isinstance(value, str):
                known[value] = number
        numbers.append(number)
    return numbers


def _refusal(
    addresses: Addresses, request: Request, misfits: Sequence[tuple[Match, _MisfitError]]
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
    if addresses.documents is not None and request.documents is None:
        hints.append("give the documents of the test set to match segments by document")
    expected = "; ".join((misfit.expected, *hints))
    line = None if misfit.row is None else addresses.lines[misfit.row]
    return MalformedFileError(addresses.label, line, misfit.found, expected)
