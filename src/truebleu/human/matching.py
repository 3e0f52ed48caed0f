"""Matching rows of a file to segments, and averaging them to scores of segments or other units.

Rows are first matched to segments, then is_standardized, if requested, and averaged.

Files identify segments by one of three methods, and may number a larger test set:

documents
    By document and number in the document. Numbers count the document's segments in the test set;
    if they exceed these, but are equally many, they are matched in order.
numbers
    By number in the test set.
order
    By rank of the number, if there are as many distinct numbers as segments.

Numbers start at 0 or 1. The start is decided, in this order, by: a 0 among the numbers, the size of
the test set or document, the documents, the outputs that the file quotes, a 1 among the numbers.
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
from truebleu.human.judgments import HumanReadOptions, HumanScores, Level, Match, join_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


#: Document of the line that WMT puts before a test set, to detect it in training data.
CANARY = "canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Judgments of a file, one per row, with the columns that identify their segments.

    Attributes:
        label: name of the file.
        lines: line of each row; None if the file has no lines.
        systems: system of each row.
        scores: score of each row, higher is better; None for missing scores.
        raters: rater of each row, or None if the file does not name raters.
        numbers: number of each row's segment in the test set, or None.
        documents: document of each row's segment, or None.
        document_numbers: number of each row's segment in its document. If it is None and documents
            are known, `numbers` may be either.
        texts: judged output of each row, or None if the file does not quote outputs.
        first: first number in the test set, or None if the format does not define it.
        may_be_subset: True if files of this format may number a larger test set, so that segments
            are matched in order if their numbers do not fit.
        name: name of a segment's number in messages: the column.
        signature: parts of the signature about the scores.
        is_standardized: True if the file has z-scores.
        notes: sentences with cautions about the numbers.
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
    may_be_subset: bool = False
    name: str = "segment"
    signature: tuple[str, ...] = ()
    is_standardized: bool = False
    notes: tuple[str, ...] = ()

    def refuse(self, row: int | None, found: str, expected: str) -> NoReturn:
        """Raise MalformedFileError about a row, or about the whole file if `row` is None."""
        line = None if row is None else self.lines[row]
        raise MalformedFileError(self.label, line, found, expected)


def sheet_of(
    table: tables.Table, scores: Sequence[float | None] = (), *signature: str, **others: Any
) -> Sheet:
    """Return the judgments in the rows of a table, by the names of its columns.

    Args:
        table: table of judgments.
        scores: score of each row.
        signature: parts of the signature about the scores.
        others: fields of the sheet that are not columns of the table.
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


def sheet_of_rows(label: str, rows: Sequence[Mapping[str, Any]], *signature: str) -> Sheet:
    """Return judgments in rows that have the same fields of a sheet."""
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in (*rows, {})[0]}
    return Sheet(label=label, signature=signature, **columns)


def systems_of(table: tables.Table) -> tuple[str, ...]:
    """Return the system of each row."""
    column = table.find(tables.SYSTEM)
    table.require(tables.SYSTEM[0] if column is None else column)
    return table.labels(column or tables.SYSTEM[0])


_Key = TypeVar("_Key")
#: Segment of each row, from 0, and sentences about the matching.
_Matches: TypeAlias = tuple[list[int], tuple[str, ...]]


class _NoMatchError(Exception):
    """A method does not match all rows; the arguments are row or None, value, expected value."""


def match_rows(
    sheet: Sheet, rows: Sequence[int], request: HumanReadOptions
) -> tuple[list[int], Match, tuple[str, ...]]:
    """Match rows to segments; return their indices from 0, the matching method, and notes.

    Raises:
        MalformedFileError: No method matches all rows to segments.
    """
    matcher = _Matcher(sheet, rows, request)
    failures: dict[Match, tuple[int | None, str, str]] = {}
    for method in matcher.methods() if request.match is None else [request.match]:
        try:
            indices, notes = _METHODS[method](matcher)
            if request.match is None:
                matcher.refuse_other_outputs(indices)
            return indices, method, notes
        except _NoMatchError as error:
            failures[method] = error.args
    # The most informative failure has a line and is by numbers.
    reported = min(failures, key=lambda method: (failures[method][0] is None, method != "numbers"))
    hints = [
        f"matching by {method} fails too: {found}; expected {expected}"
        for method, (_, found, expected) in failures.items()
        if method != reported
    ]
    if sheet.documents is not None and request.documents is None:
        hints.append("to match segments by document, give the documents of the test set")
    row, found, expected = failures[reported]
    return sheet.refuse(row, found, "; ".join((expected, *hints)))


@dataclass(frozen=True, slots=True)
class _Matcher:
    """A matcher of some rows of a file to segments, by any of the methods."""

    sheet: Sheet
    rows: Sequence[int]
    request: HumanReadOptions

    def methods(self) -> list[Match]:
        """Return the methods that the file's columns allow, the most reliable first."""
        sheet = self.sheet
        by_document = sheet.documents is not None and self.request.documents is not None
        methods: list[Match] = []
        if by_document and sheet.document_numbers is not None:
            methods.append("documents")
        if sheet.numbers is not None:
            methods.append("numbers")
        if by_document and sheet.document_numbers is None:
            methods.append("documents")
        if sheet.may_be_subset or not methods:
            methods.append("order")
        return methods

    def by_number(self) -> _Matches:
        """Match rows by number in the test set; return their segments and notes."""
        sheet, segments = self.sheet, self.request.segments
        if sheet.numbers is None:
            expected = "a column of segment numbers in the test set"
            raise _NoMatchError(None, "no segment numbers", expected)
        numbers, known = self._whole_numbers(sheet.numbers), self.request.documents or ()
        names = sheet.documents if self.request.match is None else None
        documents = [None if names is None else names[row] for row in self.rows]
        document_of: dict[int, str | None] = {}
        for row, number, name in zip(self.rows, numbers, documents, strict=True):
            other = document_of.setdefault(number, name)
            if other != name:
                found = f"{sheet.name} {number} in document {name!r} and before in {other!r}"
                raise _NoMatchError(row, found, "numbers that do not restart in each document")
        has_documents = not set(known).isdisjoint(documents)

        def indices_from(first: int) -> list[int]:
            indices = [number - first for number in numbers]
            for row, index, name in zip(self.rows, indices, documents, strict=True):
                if not 0 <= index < segments:
                    expected = f"a segment of the test set, {first} to {first + segments - 1}"
                    raise _NoMatchError(row, f"{sheet.name} {index + first}", expected)
                if has_documents and name != known[index]:
                    found = f"{sheet.name} {index + 1} in document {name!r}"
                    expected = f"document {known[index]!r}, as in the test set"
                    raise _NoMatchError(row, found, expected)
            return indices

        return self._detect_start(numbers, sheet.first, indices_from)

    def _detect_start(
        self, numbers: Sequence[int], known: int | None, indices_from: Callable[[int], list[int]]
    ) -> _Matches:
        """Return the segments of numbers; the first number is detected, not assumed.

        Args:
            numbers: number of each row.
            known: first number, or None if the format does not define it.
            indices_from: function that returns the segments of all rows for a first number.
        """
        requested = self.request.first_segment
        if requested is not None or known is not None:
            return indices_from((known or 0) if requested is None else requested), ()
        has_canary = (self.request.documents or ("",))[0].lower() == CANARY
        failure: _NoMatchError | None = None
        fitting: dict[int, list[int]] = {}
        # The more probable first number is tried first.
        for start in (0,) if 0 in numbers else (0, 1) if has_canary else (1, 0):
            try:
                fitting[start] = indices_from(start)
            except _NoMatchError as error:
                failure = failure or error
        if not fitting:
            raise failure or _NoMatchError(None, "no numbers", "numbers of segments")
        first = next(iter(fitting))
        if fitting.get(0, fitting[first]) == fitting.get(1, fitting[first]):
            matches = {first: 1}
        else:
            # Rows whose quoted text equals the output of their segment.
            matches = {
                start: sum(text == self._output(name, at[i]) for i, name, text in self._quotes())
                for start, at in fitting.items()
            }
        if len(set(matches.values())) > 1:
            first = max(matches, key=lambda start: matches[start])
        elif len(matches) > 1 and first == 1 and 1 not in numbers:
            found = f"{self.sheet.name} {min(numbers)} as the first, and neither 0 nor 1"
            expected = "a 0 or 1; set first_segment=0 or 1 (--first-segment)"
            raise _NoMatchError(self.rows[0], found, expected)
        if first == 1 and fitting.get(0, fitting[1]) == fitting[1]:
            return fitting[first], ()
        return fitting[first], (f"the segments of {self.sheet.label} are counted from {first}",)

    def _quotes(self) -> Iterator[tuple[int, str, str]]:
        """Yield the index, the system and the quoted text of the rows that quote an output."""
        texts = self.sheet.texts
        if self.request.outputs is not None and texts is not None:
            for i, row in enumerate(self.rows):
                if text := str(texts[row] or "").replace("<v>", "").replace("</v>", "").strip():
                    yield i, self.sheet.systems[row], text

    def _output(self, system: str, index: int) -> str:
        return ((self.request.outputs or {})[system][index] or "").strip()

    def refuse_other_outputs(self, indices: Sequence[int]) -> None:
        """Raise _NoMatchError if most of the known quoted outputs belong to other segments."""
        outputs = {
            system: {(output or "").strip() for output in text}
            for system, text in (self.request.outputs or {}).items()
        }
        known = [quote for quote in self._quotes() if quote[2] in outputs[quote[1]]]
        others = [i for i, system, text in known if text != self._output(system, indices[i])]
        if 2 * len(others) > len(known):
            found = f"the output of another segment, as in {len(others)} of {len(known)} rows"
            expected = "segment numbers of this test set; to trust the numbers, use --match numbers"
            raise _NoMatchError(self.rows[others[0]], found, expected)

    def by_document(self) -> _Matches:
        """Match rows by document and number in it; return their segments and notes."""
        sheet, request = self.sheet, self.request
        values = sheet.document_numbers or sheet.numbers
        names = sheet.documents
        if names is None or values is None or request.documents is None:
            expected = "columns of documents and of segment numbers in the document"
            raise _NoMatchError(None, "no segment numbers in documents", expected)
        segments: dict[str, list[int]] = {}
        for index, document in enumerate(request.documents):
            segments.setdefault(document, []).append(index)
        for row in self.rows:
            if names[row] not in segments:
                expected = f"a document of the test set, such as {min(segments)}"
                raise _NoMatchError(row, f"document {names[row]!r}", expected)
        numbers = self._whole_numbers(values)
        by_document: dict[str, set[int]] = {}
        for row, number in zip(self.rows, numbers, strict=True):
            by_document.setdefault(names[row], set()).add(number)

        def indices_from(first: int) -> list[int]:
            index_of: dict[tuple[str, int], int] = {}
            for document, used in by_document.items():
                known = segments[document]
                # The test set may have part of a document; equally many segments pair in order.
                in_order = max(used) - first >= len(known) and len(used) == len(known)
                pairs = (
                    zip(sorted(used), known, strict=True) if in_order else enumerate(known, first)
                )
                index_of.update(((document, number), index) for number, index in pairs)
            keys = [(names[row], number) for row, number in zip(self.rows, numbers, strict=True)]
            for row, (document, number) in zip(self.rows, keys, strict=True):
                if (document, number) not in index_of:
                    last = first + len(segments[document]) - 1
                    found = f"segment {number} of document {document!r}"
                    raise _NoMatchError(row, found, f"{first} to {last}, as in the test set")
            return [index_of[key] for key in keys]

        start = sheet.first if sheet.document_numbers is None else None
        return self._detect_start(numbers, start, indices_from)

    def in_order(self) -> _Matches:
        """Match distinct numbers in increasing order; return their segments and notes."""
        sheet, rank = self.sheet, dict[str, int]()
        values = sheet.document_numbers if sheet.numbers is None else sheet.numbers
        if values is None:
            raise _NoMatchError(None, "no segment numbers", "a column of segment numbers")
        # Numbers in documents are sorted within each document.
        documents = [""] * len(values) if sheet.numbers is not None else sheet.documents or ()
        keys = [
            (rank.setdefault(documents[row], len(rank)), number)
            for row, number in zip(self.rows, self._whole_numbers(values), strict=True)
        ]
        distinct = set(keys)
        if len(distinct) != self.request.segments:
            found = f"{len(distinct)} different segments"
            expected = f"{self.request.segments} segments, to match the test set in order"
            raise _NoMatchError(None, found, expected)
        index_of = {key: index for index, key in enumerate(sorted(distinct))}
        return [index_of[key] for key in keys], ()

    def _whole_numbers(self, values: Sequence[object]) -> list[int]:
        numbers = []
        for row in self.rows:
            number = tables.whole_number(values[row])
            if number is None:
                found = f"{values[row]!r} as {self.sheet.name}"
                raise _NoMatchError(row, found, "a whole number")
            numbers.append(number)
        return numbers


_METHODS: dict[str, Callable[[_Matcher], _Matches]] = {
    "numbers": _Matcher.by_number,
    "documents": _Matcher.by_document,
    "order": _Matcher.in_order,
}


# Scores of units.


def segment_scores(sheet: Sheet, request: HumanReadOptions) -> HumanScores:
    """Compute the scores of segments from a sheet."""
    rows = rows_of_systems(sheet, request)
    indices, method, notes = match_rows(sheet, rows, request)
    sheet = replace(sheet, notes=(*sheet.notes, *notes))
    return item_scores(sheet, rows, indices, request, f"match:{method}")


def item_scores(
    sheet: Sheet,
    rows: Sequence[int],
    indices: Sequence[int],
    request: HumanReadOptions,
    match: str,
    level: Level = "segment",
    items: tuple[str, ...] | None = None,
) -> HumanScores:
    """Compute scores of segments or other units from rows; `indices` has the unit of each row."""
    size = request.segments if level == "segment" else 1 if items is None else len(items)

    def words(key: tuple[str, int]) -> str:
        name = key[1] + 1 if level == "segment" else repr(items[key[1]]) if items else ""
        return f"score of {key[0]!r}" + (f" for {level} {name}" if name else "")

    refuse_second(
        sheet, rows, zip([sheet.systems[row] for row in rows], indices, strict=True), words
    )
    scores, notes = _standardize(sheet, request)
    cells: dict[str, list[list[float]]] = {}
    for row, index in zip(rows, indices, strict=True):
        score = scores[row]
        if score is not None:
            if sheet.systems[row] not in cells:
                cells[sheet.systems[row]] = [[] for _ in range(size)]
            cells[sheet.systems[row]][index].append(score)
    judged = [system for system in request.systems if system in cells]
    if len(judged) < 2:
        found = "no score" if not judged else f"scores of {judged[0]!r} only"
        sheet.refuse(None, found, "scores of at least two systems of the test set")
    averaging = "z" if sheet.is_standardized else request.raters
    names = sheet.raters or [""] * len(sheet.scores)
    known = set(request.systems)
    return HumanScores(
        label=sheet.label,
        level=level,
        # The exactly rounded sum does not depend on the order of rows.
        scores={
            system: tuple(fsum(c) / len(c) + 0.0 if c else None for c in cells[system])
            for system in judged
        },
        items=items,
        raters=len({names[row] for row in rows if sheet.scores[row] is not None}),
        signature="|".join(("human", *sheet.signature, match, f"raters:{averaging}")),
        ignored=tuple(name for name in dict.fromkeys(sheet.systems) if name not in known),
        notes=(*sheet.notes, *notes),
    )


def rows_of_systems(sheet: Sheet, request: HumanReadOptions) -> list[int]:
    """Return the rows about systems of the test set.

    Raises:
        MalformedFileError: There are no such rows, or others are neither known nor ignored.
    """
    systems = sheet.systems
    if not systems:
        raise EmptyTextError(sheet.label)
    known = set(request.systems)
    rows = [row for row, system in enumerate(systems) if system in known]
    unknown = [name for name in dict.fromkeys(systems) if name not in known]
    if not rows:
        found = f"judgments of {join_names(unknown)}, not of systems of the test set"
        expected = f"{request.system_names}; to name outputs like the file, write NAME=FILE"
        sheet.refuse(0, found, expected)
    if unknown and request.others == "refuse":
        first = next(row for row, system in enumerate(systems) if system not in known)
        found = f"a judgment of {unknown[0]!r}, which is not a system of the test set"
        if len(unknown) > 1:
            found += f" (nor {'is' if len(unknown) == 2 else 'are'} {join_names(unknown[1:])})"
        expected = (
            f"only {request.system_names}; add the other outputs, or ignore their judgments with "
            "others='ignore' (--others ignore)"
        )
        sheet.refuse(first, found, expected)
    return rows


def refuse_second(
    sheet: Sheet, rows: Iterable[int], keys: Iterable[_Key], words: Callable[[_Key], str]
) -> None:
    """Raise MalformedFileError if a rater judged a unit twice; unnamed raters count as one.

    Args:
        sheet: judgments.
        rows: rows to check.
        keys: key of the judged unit of each row.
        words: function that returns the name of a key for messages.
    """
    seen: dict[tuple[_Key, str | None], int] = {}
    for row, key in zip(rows, keys, strict=True):
        rater = None if sheet.raters is None else sheet.raters[row]
        earlier = seen.setdefault((key, rater), row)
        if earlier != row:
            line = sheet.lines[earlier]
            expected = "one judgment" + ("" if line is None else f"; the first is on line {line}")
            if rater is None:
                expected += "; for several raters add a column 'rater'"
            by = "" if rater is None else f" by rater {rater!r}"
            sheet.refuse(row, f"a second {words(key)}{by}", expected)


def _standardize(
    sheet: Sheet, request: HumanReadOptions
) -> tuple[Sequence[float | None], tuple[str, ...]]:
    """Return raw scores, or z-scores within each rater's judgments, and notes."""
    if request.raters == "mean" or sheet.is_standardized:
        return sheet.scores, ()
    if sheet.raters is None:
        expected = f"'mean', because {sheet.label} does not name raters"
        raise SettingError("raters", "z", expected)
    # A rater's scale includes judgments of systems that are not in the test set.
    by_rater: dict[str, list[float]] = {}
    for rater, score in zip(sheet.raters, sheet.scores, strict=True):
        if score is not None:
            by_rater.setdefault(rater, []).append(score)
    scales = {rater: _scale(scores) for rater, scores in by_rater.items()}
    removed = sorted(rater for rater, scale in scales.items() if scale is None)
    scores = [
        None if score is None or (scale := scales[rater]) is None else (score - scale[0]) / scale[1]
        for rater, score in zip(sheet.raters, sheet.scores, strict=True)
    ]
    if not removed:
        return scores, ()
    verb = "gives" if len(removed) == 1 else "give"
    note = f"{join_names(removed)} {verb} all outputs the same score, so their scores are left out"
    return scores, (note,)


def _scale(scores: Sequence[float]) -> tuple[float, float] | None:
    """Compute mean and standard deviation (n - 1, as in WMT's scripts); None if all are equal."""
    if min(scores) == max(scores):
        return None
    mean = fsum(scores) / len(scores)
    deviation = sqrt(fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1))
    # The squares of the differences may underflow or overflow.
    return (mean, deviation) if 0 < deviation < float("inf") else None


# Scores without segment numbers: the number of a system's scores decides their unit.


def scores_in_order(
    sheet: Sheet, request: HumanReadOptions, level: Level | None = None, *, shared: bool = False
) -> HumanScores:
    """Read one score per system, or one per segment or document in order.

    Args:
        sheet: scores.
        request: options.
        level: unit of the scores, or None to infer it from their number.
        shared: True if raters shared the segments, so that a system has one score per segment; else
            every rater scored all segments.
    """
    _refuse_numbering(sheet.label, request)
    rows = rows_of_systems(sheet, request)
    raters = None if shared else sheet.raters
    keys = [
        (system, None if raters is None else raters[row])
        for row, system in enumerate(sheet.systems)
    ]
    counts = Counter(keys[row] for row in rows)
    items = None if request.documents is None else tuple(dict.fromkeys(request.documents))
    sizes: dict[Level, int] = {"system": 1, "segment": request.segments}
    if items is not None:
        sizes["document"] = len(items)
    if level is not None:
        sizes = {level: sizes[level]} if level in sizes else {}
    firsts = {sheet.systems[row]: row for row in reversed(rows)}
    # A first score that is missing for all systems may be the canary line's.
    may_have_canary = all(sheet.scores[row] is None for row in firsts.values())
    for canaries in (0, 1) if may_have_canary else (0,):
        for name, size in sizes.items():
            offset = 0 if name == "system" else canaries
            if set(counts.values()) == {size + offset}:
                # The scores of each system, or of a system by a rater, are in order.
                counter: dict[object, Iterator[int]] = defaultdict(partial(count, -offset))
                index_of = {row: next(counter[keys[row]]) for row in rows}
                rows = [row for row in rows if index_of[row] >= 0]
                indices = [index_of[row] for row in rows]
                match = f"level:{name}" if name != "segment" else "match:rows"
                names = items if name == "document" else None
                return item_scores(sheet, rows, indices, request, match, name, names)
    fitting = {size: name for name, size in sizes.items()}
    others = ((key, n) for key, n in counts.items() if n not in fitting)
    (system, rater), number = next(others, next(iter(counts.items())))
    found = f"{number} score{'' if number == 1 else 's'} of {system!r}"
    found += f"{'' if rater is None else f' by rater {rater!r}'} without a segment number"
    if number in fitting and len(set(counts.values())) > 1:
        found += f", and {min(set(counts.values()) - {number})} of another system"
    choices = " or ".join(f"{size} (one per {name})" for size, name in sorted(fitting.items()))
    expected = (
        f"{choices or 'the documents of the test set'}; or add a column 'segment', "
        "and 'rater' if there are several raters"
    )
    return sheet.refuse(sheet.systems.index(system), found, expected)


def named_scores(
    sheet: Sheet, names: Sequence[str], request: HumanReadOptions, level: Level
) -> HumanScores:
    """Compute scores of documents or domains from rows that name them."""
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
        # Domains are sorted by name, documents are in the order of the file.
        used = dict.fromkeys(names[row] for row in rows)
        items = tuple(used) if level == "document" else tuple(sorted(used))
    index_of = {name: i for i, name in enumerate(items)}
    indices = [index_of[names[row]] for row in rows]
    return item_scores(sheet, rows, indices, request, f"level:{level}", level, items)


def _refuse_numbering(label: str, request: HumanReadOptions) -> None:
    """Raise SettingError for options about segment numbers that the file does not have."""
    for setting in ("first_segment", "match"):
        value = getattr(request, setting)
        if value not in (None, "order"):
            expected = f"no {setting}, because the scores of {label} have no segment numbers"
            raise SettingError(setting, value, expected)


# Files with judgments of several language pairs.


def of_one_pair(
    table: tables.Table,
    request: HumanReadOptions,
    pairs: Sequence[str] | None = None,
    sources: Sequence[str] = tables.SOURCE_LANGUAGE,
    targets: Sequence[str] = tables.TARGET_LANGUAGE,
) -> tables.Table:
    """Return the rows of the chosen language pair, if the table has columns for languages.

    Raises:
        CorpusError: There are several language pairs and no choice, or the chosen one is missing.
        SettingError: A language pair was chosen, but the table has no columns for languages.
    """
    pairs = pairs or table.found_labels(tables.LANGUAGE_PAIR)
    source, target = table.found_labels(sources), table.found_labels(targets)
    if pairs is None and source is not None and target is not None:
        pairs = [f"{a.strip()}-{b.strip()}" for a, b in zip(source, target, strict=True)]
    chosen = request.language_pair
    if pairs is None and chosen is not None:
        expected = f"no language pair, because {table.path} has no column for it"
        raise SettingError("language_pair", chosen, expected)
    if pairs is None:
        return table
    names = sorted(set(pairs))
    if chosen is None and len(names) > 1:
        found = f"judgments of {len(names)} language pairs, {', '.join(names)}"
        expected = f"one pair; choose it with language_pair={names[0]!r} (--language-pair)"
        raise MalformedFileError(table.path, None, found, expected)
    rows = [
        row for row, pair in enumerate(pairs) if chosen is None or pair.lower() == chosen.lower()
    ]
    if not rows:
        raise MissingColumnError(table.path, "language pair", chosen or "", names)
    return table if len(rows) == table.rows else table.only(rows)
