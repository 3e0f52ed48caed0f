"""MQM: raters mark errors, and a segment's score is minus the sum of its errors' weights.

Errors are in tables of annotations, one per row, or in lists, as in mt-metrics-eval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Any

import truebleu.corpus.tables as tables
import truebleu.human.matching as matching
from truebleu.corpus._files import BYTE_ORDER_MARK, decode, extension
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError

if TYPE_CHECKING:
    from truebleu.human.judgments import HumanReadOptions, HumanScores

# Weights.

#: Weights by prefix of severity/category/subcategory; * is any severity. Errors without a matching
#: prefix have weight 0. Freitag et al. (2021), table 4, and the scripts of WMT24.
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
#: Largest valid weight; larger weights are mistakes.
LARGEST = 1e6


class Weights:
    """Weights of errors by the longest matching prefix of severity/category."""

    def __init__(self, name: str, weights: Mapping[str, float]) -> None:
        self.name = name
        self._weights = {_normalize(key): weight for key, weight in weights.items()}
        self._known: dict[tuple[str, str], float | None] = {}
        self._unknown: Counter[str] = Counter()

    def of(self, severity: str, category: str) -> float | None:
        """Return the weight of an error, or None (which counts as 0) if no prefix matches it.

        >>> mqm_weights(None).of("Minor", "Fluency/Punctuation")
        0.1
        """
        pair = (severity, category)
        if pair not in self._known:
            error = f"{_normalize(severity)}/{_normalize(category)}"
            matches = []
            for key, weight in self._weights.items():
                is_general = key.startswith("*/")
                prefix = _normalize(severity) + key[1:] if is_general else key
                if error.startswith(prefix):
                    matches.append((len(prefix), not is_general, weight))
            self._known[pair] = max(matches)[2] if matches else None
        return self._known[pair]

    def weigh(self, severity: str, category: str) -> float:
        """Return the weight of an error, and count its severity if it has none."""
        weight = self.of(severity, category)
        if weight is None and severity.strip().lower() not in HARMLESS:
            self._unknown[severity.strip()] += 1
        return weight or 0.0

    def notes(self) -> tuple[str, ...]:
        """Return sentences about severities without a weight."""
        return tuple(
            f"{number} errors of severity {severity!r} have no weight in {self.name!r} and count 0"
            for severity, number in sorted(self._unknown.items())
        )


def mqm_weights(argument: str | Mapping[str, float] | None) -> Weights:
    """Return weights from the name of a preset, a list `Major=5,Minor=1` or a mapping.

    None is the preset standard.

    >>> mqm_weights("Major=5,Minor=1").of("minor", "Fluency/Punctuation")
    1.0
    """
    argument = "standard" if argument is None else argument
    if isinstance(argument, str) and argument in PRESETS:
        return Weights(argument, PRESETS[argument])
    if isinstance(argument, str) and "=" in argument:
        parts = (part.rpartition("=") for part in argument.split(",") if part.strip())
        entries: list[tuple[str, Any]] = [(key, weight) for key, _, weight in parts]
    elif isinstance(argument, Mapping):
        entries = list(argument.items())
    else:
        names = ", ".join(map(repr, PRESETS))
        raise SettingError("weights", argument, f"{names}, or weights such as Major=5,Minor=1")
    weights: dict[str, float] = {}
    for key, value in entries:
        name = _normalize(key)
        try:
            weight = float(value)
        except (TypeError, ValueError, OverflowError):
            weight = -1.0
        if not (name and 0 <= weight <= LARGEST):
            found = f"{value!r} as the weight of {str(key).strip()!r}"
            expected = f"a number from 0 to {LARGEST:g} for each severity or severity/category"
            raise SettingError("weights", found, expected)
        weights[name] = weight
    if len(weights) < max(len(entries), 1):
        raise SettingError("weights", argument, "one weight or more, each error once")
    text = ",".join(f"{key}={weight:g}" for key, weight in sorted(weights.items()))
    return Weights(text, weights)


def _normalize(text: object) -> str:
    """Convert to lower case and remove spaces around slashes."""
    return "/".join(part.strip() for part in str(text).lower().split("/"))


# Tables of annotations, one error per row.

#: Columns of files without a header.
DEFAULT_HEADER = (
    *("system", "doc", "doc_id", "seg_id", "rater"),
    *("source", "target", "category", "severity"),
)
#: Severities with weight 0 unless a weight is given.
HARMLESS = frozenset({"", "neutral", "no-error", "no error", "none", "n/a"})


def is_mqm_header(fields: Iterable[str]) -> bool:
    """Return whether these are the columns of MQM annotations."""
    names = {field.strip().strip('"').lower() for field in fields}
    return {"severity", "category"} <= names and not names.isdisjoint(tables.SYSTEM)


def read_annotations(path: str, data: bytes) -> tables.Table:
    """Read a table of errors.

    TSV has no quoting unless its header is quoted, and rows may be shorter than the header.
    """
    table = tables.parse_table(path, data) if extension(path) != ".tsv" else None
    if table is None:
        table = _tab_separated(path, decode(path, data).removeprefix(BYTE_ORDER_MARK))
    for column in ("system", "category", "severity"):
        if table.find(tables.SYSTEM if column == "system" else [column]) is None:
            table.refuse_columns(f"MQM annotations with a column {column!r}")
    return table


def _tab_separated(path: str, text: str) -> tables.Table:
    if not text.strip():
        raise EmptyTextError(path)
    rows: Iterable[tuple[int, Sequence[str]]] = tables.csv_rows(path, text, delimiter="\t")
    if not text.startswith('"'):
        lines = text.removesuffix("\n").split("\n")
        rows = enumerate((line.removesuffix("\r").split("\t") for line in lines), 1)
    numbered = list(rows)
    header, start = numbered[0][1], 1
    if not is_mqm_header(header) and len(header) >= len(DEFAULT_HEADER):
        header, start = DEFAULT_HEADER, 0
    names = [name.strip().lower() for name in header]
    needed = max((index for index, name in enumerate(names) if name in _NEEDED), default=0)
    width, filled = len(header), []
    for number, row in numbered[start:]:
        if len(row) <= needed:
            found = "1 field" if len(row) == 1 else f"{len(row)} fields"
            expected = f"at least {needed + 1} fields, as in the header"
            raise MalformedFileError(path, number, found, expected)
        filled.append((number, [*row, *[None] * (width - len(row))][:width]))
    return tables.delimited(path, header, filled)


_NEEDED = {"category", "severity"}.union(
    tables.SYSTEM, tables.DOCUMENT, tables.IN_DOCUMENT, tables.SEGMENT, tables.RATER
)


def read_mqm(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores from a table of MQM annotations; outputs without a row are unrated."""
    weights = mqm_weights(request.weights)
    table = matching.of_one_pair(read_annotations(path, data), request)
    every = matching.sheet_of(table)
    if every.numbers is None and every.document_numbers is None:
        expected = "a segment column: seg_id, globalSegId, or doc with doc_id or docSegId"
        table.refuse_columns(expected)
    parts = (every.documents, every.document_numbers, every.numbers, every.raters)
    blank = [""] * table.rows
    keys = zip(every.systems, *(part or blank for part in parts), strict=True)
    errors: dict[tuple[object, ...], list[float]] = {}
    first_rows: dict[tuple[object, ...], int] = {}
    severities, categories = (
        table.values(table.find([name]) or "") for name in ("severity", "category")
    )
    for row, key in enumerate(keys):
        marked = errors.setdefault(key, [])
        first_rows.setdefault(key, row)
        marked.append(weights.weigh(str(severities[row] or ""), str(categories[row] or "")))
    # One row per rating of an output by a rater.
    rated = table.only(list(first_rows.values()))
    scores = [penalty(marked) for marked in errors.values()]
    sheet = matching.sheet_of(
        rated, scores, "format:mqm", f"weights:{weights.name}", notes=weights.notes()
    )
    # Published files cover the annotated part of a large test set, with numbers of their own.
    return matching.segment_scores(replace(sheet, may_be_subset=True), request)


def penalty(weights: Sequence[float]) -> float:
    """Compute the negative sum of weights, rounded to 9 decimals.

    The rounding makes outputs with the same errors tie exactly, although 0.1 is not a binary
    number.
    """
    return -round(fsum(weights), 9) + 0.0


# Error spans of mt-metrics-eval: lines of .seg.rating files, or JSON lines.


def read_rating_lines(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores from lines of SYSTEM, errors as JSON or None, and optionally RATER."""
    rows = list(rating_lines(path, data))
    named = ((number, (system, rater)) for number, system, _, rater in rows)
    table = matching.of_one_pair(tables.delimited(path, ("system", "rater"), named), request)
    sheet = _score_errors(table, [errors for _, _, errors, _ in rows], request)
    return matching.scores_in_order(sheet, request, "segment", shared=True)


def rating_lines(path: str, data: bytes) -> Iterator[tuple[int, str, list[Any] | None, str]]:
    """Yield the line, the system, the errors or None, and the rater or "" of each rating."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    for number, line in enumerate(text.split("\n"), 1):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) not in (2, 3) or not fields[0]:
            expected = "2 or 3 fields: system, errors, rater"
            raise MalformedFileError(path, number, f"{len(fields)} fields", expected)
        errors, expected = None, 'None or {"errors": […]}'
        if fields[1].lower() not in ("none", "null", ""):
            rating = tables.json_in(path, number, fields[1], expected)
            errors = rating.get("errors") if isinstance(rating, dict) else None
            if not isinstance(errors, list):
                raise MalformedFileError(path, number, repr(fields[1][:60]), expected)
        yield number, fields[0], errors, "".join(fields[2:])


def read_rating_table(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Read scores from JSON lines with system_id, segment_id from 0, errors, optional rater_id."""
    table = matching.of_one_pair(tables.read_score_table(path, data), request)
    sheet = _score_errors(table, table.values("errors"), request)
    return matching.segment_scores(replace(sheet, first=0), request)


def _score_errors(
    table: tables.Table, errors: Sequence[object], request: HumanReadOptions
) -> matching.Sheet:
    """Return a sheet of the rows of a table, each scored by its list of errors."""
    weights, are_published = mqm_weights(request.weights), False
    scores: list[float | None] = []
    for line, marked in zip(table.all_lines(), errors, strict=True):
        if marked is None:
            scores.append(None)
            continue
        if not isinstance(marked, list) or not all(isinstance(error, dict) for error in marked):
            found = f"errors of type {type(marked).__name__}"
            expected = 'a list of objects, {"severity": "major"}'
            raise MalformedFileError(table.path, line, found, expected)
        parts = []
        for error in marked:
            # Published ratings may have weights; their sign varies.
            published = error.get("score") if request.weights is None else None
            if published is None:
                severity, category = (str(error.get(key) or "") for key in ("severity", "category"))
                parts.append(weights.weigh(severity, category))
            elif isinstance(published, int | float) and abs(published) <= LARGEST:
                parts.append(abs(float(published)))
                are_published = True
            else:
                found = f"{published!r} as the score of an error"
                raise MalformedFileError(table.path, line, found, f"a number up to {LARGEST:g}")
        scores.append(penalty(parts))
    raters = table.found_values(tables.RATER)
    if raters is not None and not any(raters):
        # An empty column does not name raters.
        table = replace(
            table, columns=tuple(c for c in table.columns if c.lower() not in tables.RATER)
        )
    name = f"weights:{'published' if are_published else weights.name}"
    return matching.sheet_of(table, scores, "format:ratings", name, notes=weights.notes())
