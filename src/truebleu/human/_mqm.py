"""MQM: people mark errors, and a segment's score is minus the sum of the weights of its errors.

Errors stand in tables of annotations, one per row, or in lists, as mt-metrics-eval keeps them.
"""

from __future__ import annotations

import os.path
from collections import Counter
from collections.abc import Mapping
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode
from truebleu.corpus._tables import json_in
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human._matching import Sheet, counted_scores, segment_scores
from truebleu.human._tables import digest
from truebleu.human.spans import (
    CATEGORY,
    DOCUMENT,
    DOCUMENT_NUMBER,
    HARMLESS,
    NUMBER,
    RATER,
    SEVERITY,
    SYSTEM,
    annotation_table,
    find_column,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.human._tables import HumanTable
    from truebleu.human.scores import HumanScores, Request

# Weights.

#: Weights by the start of severity/category/subcategory; * is any severity. What starts with none
#: of them weighs nothing. Freitag et al. (2021), table 4, and the scripts of WMT24.
PRESETS: dict[str, dict[str, float]] = {
    "standard": {
        "major": 5.0,
        "minor": 1.0,
        "minor/fluency/punctuation": 0.1,
        "major/non-translation": 25.0,
    },
    "wmt24": {
        "critical": 5.0,
        "major": 5.0,
        "minor": 1.0,
        "minor/fluency/punctuation": 0.1,
        "*/non-translation": 25.0,
        "*/source issue": 0.0,
        "*/reinterpretation": 0.0,
    },
}
#: Nobody means a weight above this.
LARGEST = 1e6


class Weights:
    """Weights of errors: the longest start of an error's name that has one decides."""

    def __init__(self, name: str, weights: Mapping[str, float]) -> None:
        self.name = name
        self._exact: list[tuple[str, float]] = []
        self._any: list[tuple[str, float]] = []
        for key, weight in weights.items():
            plain = _plain(key)
            if plain.startswith("*/"):
                self._any.append((plain[2:], weight))
            else:
                self._exact.append((plain, weight))
        self._known: dict[tuple[str, str], float | None] = {}

    def of(self, severity: str, category: str) -> float | None:
        """The weight of an error; None where nothing says it, which counts as 0.

        >>> mqm_weights(None).of("Minor", "Fluency/Punctuation")
        0.1
        """
        pair = (severity, category)
        if pair not in self._known:
            self._known[pair] = self._find(_plain(severity), _plain(category))
        return self._known[pair]

    def _find(self, severity: str, category: str) -> float | None:
        error = f"{severity}/{category}"
        matches = [(len(key), 1, weight) for key, weight in self._exact if error.startswith(key)]
        matches += [
            (len(severity) + 1 + len(key), 0, weight)
            for key, weight in self._any
            if category.startswith(key)
        ]
        return max(matches)[2] if matches else None


def mqm_weights(written: str | Mapping[str, float] | None) -> Weights:
    """Weights by the name of a preset, as `Major=5,Minor=1`, in a mapping or in a file.

    A file has one error per line, its weight after a tab, `=` or `:`; or it is a JSON object.

    >>> mqm_weights("Major=5,Minor=1").of("minor", "Fluency/Punctuation")
    1.0
    """
    if written is None:
        return Weights("standard", PRESETS["standard"])
    if isinstance(written, Mapping):
        return _custom("weights", None, written.items())
    if not isinstance(written, str):
        raise SettingError("weights", written, "a name, a mapping or a file")
    if written in PRESETS:
        return Weights(written, PRESETS[written])
    if os.path.isfile(written):
        return _read(written)
    if "=" in written:
        parts = [part for part in written.split(",") if part.strip()]
        return _custom("weights", None, [_entry("weights", None, part) for part in parts])
    if not any(sign in written for sign in "./\\"):
        expected = f"{', '.join(map(repr, PRESETS))}, a file, or a list such as Major=5,Minor=1"
        raise SettingError("weights", written, expected)
    return _read(written)


def _read(path: str) -> Weights:
    text = decode(path, Files().contents(path)).removeprefix(BYTE_ORDER_MARK)
    if text.lstrip().startswith("{"):
        return _custom(path, None, json_in(path, None, text, "an object of weights").items())
    lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), 1)]
    entries = [
        _entry(path, number, line) for number, line in lines if line and not line.startswith("#")
    ]
    return _custom(path, None, entries)


def _entry(where: str, line: int | None, text: str) -> tuple[str, str]:
    for sign in ("\t", "=", ":"):
        key, separator, weight = text.rpartition(sign)
        if separator and key.strip():
            return key, weight
    raise MalformedFileError(where, line, repr(text), "an error and its weight, as in Major=5")


def _custom(where: str, line: int | None, entries: Iterable[tuple[str, object]]) -> Weights:
    weights: dict[str, float] = {}
    for key, value in entries:
        try:
            weight = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            weight = -1.0
        if not 0 <= weight <= LARGEST:
            found = f"{value!r} as the weight of {str(key).strip()!r}"
            raise MalformedFileError(where, line, found, f"a number from 0 to {LARGEST:g}")
        if _plain(key) in weights:
            raise MalformedFileError(where, line, f"two weights of {key!r}", "one")
        weights[_plain(key)] = weight
    if not weights:
        raise MalformedFileError(where, line, "no weights", "at least one, as in Major=5")
    text = ",".join(f"{key}={weight:g}" for key, weight in sorted(weights.items()))
    return Weights(text, weights)


def _plain(text: object) -> str:
    """In lower case, without blanks around slashes."""
    return "/".join(part.strip() for part in str(text).lower().split("/"))


# Tables of annotations.


class Key(NamedTuple):
    """One rating: what a rater did with one output of a segment."""

    system: str
    document: str
    document_number: str
    number: str
    rater: str


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
    has = [column is not None for column in columns]
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=list(lines.values()),
        systems=[key.system for key in keys],
        scores=[penalty(marked) for marked in errors.values()],
        raters=[key.rater for key in keys] if has[4] else None,
        made=("format:mqm", f"weights:{weights.name}"),
        notes=weightless(unknown, weights),
        documents=[key.document for key in keys] if has[1] else None,
        document_numbers=[key.document_number for key in keys] if has[1] and has[2] else None,
        numbers=[key.number for key in keys] if has[3] else None,
        # Only the annotated part of a large test set is published, with its own numbers.
        subset=True,
        name=columns[3] or "segment",
    )
    return segment_scores(sheet, request)


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
    header, rows = annotation_table(path, data)
    columns = [find_column(header, names) for names in _WANTED]
    for name, names in (("system", SYSTEM), ("category", CATEGORY), ("severity", SEVERITY)):
        if find_column(header, names) is None:
            found = f"the columns {', '.join(header)}"
            raise MalformedFileError(path, 1, found, f"MQM annotations with a column {name!r}")
    if columns[3] is None and (columns[1] is None or columns[2] is None):
        found = f"the columns {', '.join(header)}"
        expected = "one for the segment: seg_id, globalSegId, or doc with doc_id or docSegId"
        raise MalformedFileError(path, 1, found, expected)
    return columns, _picked(path, header, columns, rows)


_WANTED = (SYSTEM, DOCUMENT, DOCUMENT_NUMBER, NUMBER, RATER, CATEGORY, SEVERITY)


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


# Error spans as mt-metrics-eval keeps them: lines of .seg.rating files, or JSON lines.


class _Scorer:
    """Scores lists of errors, and remembers severities that weigh nothing."""

    def __init__(self, request: Request) -> None:
        self.weights: Weights = mqm_weights(request.weights)
        self.own = request.weights is None
        self.unknown: Counter[str] = Counter()
        self.used_own = False

    def score(self, path: str, line: int | None, errors: object) -> float:
        """Minus the sum of the errors' weights."""
        if not isinstance(errors, list) or not all(isinstance(error, dict) for error in errors):
            found = f"errors of type {type(errors).__name__}"
            raise MalformedFileError(path, line, found, 'a list of objects, {"severity": "major"}')
        return penalty([self._weight(path, line, error) for error in errors])

    def _weight(self, path: str, line: int | None, error: dict[str, object]) -> float:
        given = error.get("score")
        if self.own and given is not None:
            # The weight that whoever published the ratings gave; its sign varies.
            number = given if isinstance(given, int | float) else None
            if number is None or not abs(number) <= LARGEST:
                found = f"{given!r} as score of an error"
                raise MalformedFileError(path, line, found, f"a number up to {LARGEST:g}")
            self.used_own = True
            return abs(float(number))
        severity = str(error.get("severity") or "")
        weight = self.weights.of(severity, str(error.get("category") or ""))
        if weight is None and severity.strip().lower() not in HARMLESS:
            self.unknown[severity.strip()] += 1
        return weight or 0.0

    def made(self) -> tuple[str, ...]:
        """Parts of the signature."""
        name = "published" if self.used_own else self.weights.name
        return ("format:ratings", f"weights:{name}")

    def notes(self) -> tuple[str, ...]:
        """Notes on what weighed nothing."""
        return weightless(self.unknown, self.weights)


def read_rating_lines(
    path: str, data: bytes, request: Request, *, canary: bool | None = None
) -> HumanScores:
    """Scores from lines of SYSTEM, errors as JSON or None, and perhaps RATER."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    scorer = _Scorer(request)
    systems: list[str] = []
    scores: list[float | None] = []
    raters: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        fields = line.removesuffix("\r").split("\t")
        if len(fields) not in (2, 3):
            expected = "2 or 3: system, errors, rater"
            raise MalformedFileError(path, number, f"{len(fields)} fields", expected)
        systems.append(fields[0])
        scores.append(_line_score(path, number, fields[1].strip(), scorer))
        raters.append(fields[2].strip() if len(fields) == 3 else "")
    sheet = Sheet(
        label=path,
        digest=digest(data),
        lines=range(1, len(lines) + 1),
        systems=systems,
        scores=scores,
        raters=raters if any(raters) else None,
        made=scorer.made(),
        notes=scorer.notes(),
    )
    return counted_scores(sheet, request, "segment", canary=canary, shared=True)


def _line_score(path: str, line: int, written: str, scorer: _Scorer) -> float | None:
    if written.lower() in ("none", "null", ""):
        return None
    rating = json_in(path, line, written, 'None or {"errors": […]}')
    if not isinstance(rating, dict):
        found = f"JSON of type {type(rating).__name__}"
        raise MalformedFileError(path, line, found, 'None or {"errors": […]}')
    return scorer.score(path, line, rating.get("errors", []))


def read_rating_table(table: HumanTable, request: Request) -> HumanScores:
    """Scores from JSON lines with system_id, segment_id from 0, errors and perhaps rater_id."""
    every = table.table
    scorer = _Scorer(request)
    errors = every.values("errors")
    lines = table.lines()
    scores = [
        None if marked is None else scorer.score(table.path, line, marked)
        for line, marked in zip(lines, errors, strict=True)
    ]
    raters = every.values("rater_id") if "rater_id" in every.columns else None
    named = raters is not None and any(rater is not None for rater in raters)
    sheet = Sheet(
        label=table.path,
        digest=table.digest,
        lines=lines,
        systems=every.labels("system_id"),
        scores=scores,
        raters=every.labels("rater_id") if named else None,
        made=scorer.made(),
        notes=scorer.notes(),
        numbers=every.values("segment_id"),
        documents=every.labels("document_id") if "document_id" in every.columns else None,
        first=0,
        name="segment_id",
    )
    return segment_scores(sheet, request)
