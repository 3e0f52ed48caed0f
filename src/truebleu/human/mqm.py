"""MQM: people mark errors, and a segment's score is minus the sum of the weights of its errors.

Errors stand in tables of annotations, one per row, or in lists, as mt-metrics-eval keeps them.
"""

from __future__ import annotations

import os.path
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, Any

import truebleu.corpus.tables as tables
import truebleu.human.matching as matching
from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, extension, stem
from truebleu.corpus.sequences import as_text
from truebleu.errors import EmptyTextError, MalformedFileError, SettingError
from truebleu.human.judgments import HumanReadOptions, HumanScores, listed
from truebleu.schema import require_path, require_type

if TYPE_CHECKING:
    from truebleu.corpus.sequences import TextLike

__all__ = ["ErrorSpan", "MarkedErrors", "read_spans"]

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
        self._weights = {_plain(key): weight for key, weight in weights.items()}
        self._known: dict[tuple[str, str], float | None] = {}
        self._unknown: Counter[str] = Counter()

    def of(self, severity: str, category: str) -> float | None:
        """The weight of an error; None where nothing says it, which counts as 0.

        >>> mqm_weights(None).of("Minor", "Fluency/Punctuation")
        0.1
        """
        pair = (severity, category)
        if pair not in self._known:
            error = f"{_plain(severity)}/{_plain(category)}"
            matches = []
            for key, weight in self._weights.items():
                of_any = key.startswith("*/")
                start = _plain(severity) + key[1:] if of_any else key
                if error.startswith(start):
                    matches.append((len(start), not of_any, weight))
            self._known[pair] = max(matches)[2] if matches else None
        return self._known[pair]

    def weigh(self, severity: str, category: str) -> float:
        """The weight of one more error; severities that weigh nothing are remembered."""
        weight = self.of(severity, category)
        if weight is None and severity.strip().lower() not in HARMLESS:
            self._unknown[severity.strip()] += 1
        return weight or 0.0

    def notes(self) -> tuple[str, ...]:
        """What to say about severities that no weight is given for."""
        return tuple(
            f"{number} errors of severity {severity!r} weigh nothing under weights {self.name!r}"
            for severity, number in sorted(self._unknown.items())
        )


def mqm_weights(written: str | Mapping[str, float] | None) -> Weights:
    """Weights by the name of a preset, as `Major=5,Minor=1`, in a mapping or in a file.

    A file has one error per line, its weight after a tab, `=` or `:`; or it is a JSON object.

    >>> mqm_weights("Major=5,Minor=1").of("minor", "Fluency/Punctuation")
    1.0
    """
    written = "standard" if written is None else written
    if isinstance(written, Mapping):
        return _custom("weights", written.items())
    if not isinstance(written, str):
        raise SettingError("weights", written, "a name, a mapping or a file")
    if written in PRESETS:
        return Weights(written, PRESETS[written])
    is_file = os.path.isfile(written)
    if "=" in written and not is_file:
        parts = [part for part in written.split(",") if part.strip()]
        return _custom("weights", [_entry("weights", None, part) for part in parts])
    if not is_file and not any(sign in written for sign in "./\\"):
        expected = f"{', '.join(map(repr, PRESETS))}, a file, or a list such as Major=5,Minor=1"
        raise SettingError("weights", written, expected)
    return _read(written)


def _read(path: str) -> Weights:
    text = decode(path, Files().contents(path)).removeprefix(BYTE_ORDER_MARK)
    if text.lstrip().startswith("{"):
        return _custom(path, tables.json_in(path, None, text, "an object of weights").items())
    lines = [(n, line.strip()) for n, line in enumerate(text.split("\n"), 1)]
    entries = [
        _entry(path, number, line) for number, line in lines if line and not line.startswith("#")
    ]
    return _custom(path, entries)


def _entry(where: str, line: int | None, text: str) -> tuple[str, str]:
    for sign in ("\t", "=", ":"):
        key, separator, weight = text.rpartition(sign)
        if separator and key.strip():
            return key, weight
    raise MalformedFileError(where, line, repr(text), "an error and its weight, as in Major=5")


def _custom(where: str, entries: Iterable[tuple[str, object]]) -> Weights:
    weights: dict[str, float] = {}
    for key, value in entries:
        try:
            weight = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            weight = -1.0
        if not 0 <= weight <= LARGEST:
            found = f"{value!r} as the weight of {str(key).strip()!r}"
            raise MalformedFileError(where, None, found, f"a number from 0 to {LARGEST:g}")
        if _plain(key) in weights:
            raise MalformedFileError(where, None, f"two weights of {key!r}", "one")
        weights[_plain(key)] = weight
    if not weights:
        raise MalformedFileError(where, None, "no weights", "at least one, as in Major=5")
    text = ",".join(f"{key}={weight:g}" for key, weight in sorted(weights.items()))
    return Weights(text, weights)


def _plain(text: object) -> str:
    """In lower case, without blanks around slashes."""
    return "/".join(part.strip() for part in str(text).lower().split("/"))


# Tables of annotations, an error in each row.

#: The order of the columns in files without header.
USUAL = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
#: Severities that weigh nothing wherever no weight says otherwise.
HARMLESS = frozenset({"", "neutral", "no-error", "no error", "none", "n/a"})


def is_mqm_header(fields: Iterable[str]) -> bool:
    """Whether these are columns of MQM annotations."""
    names = {field.strip().strip('"').lower() for field in fields}
    return {"severity", "category"} <= names and not names.isdisjoint(tables.SYSTEM)


def read_annotations(path: str, data: bytes) -> tables.Table:
    """A table of errors. TSV has no quotes unless its header has, and rows may lack last fields."""
    by_ending = (".csv", ".json", ".jsonl", ".ndjson", ".parquet")
    table = tables.parse_table(path, data) if extension(path) in by_ending else None
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
    if not is_mqm_header(header) and len(header) >= len(USUAL):
        header, start = USUAL, 0
    names = [name.strip().lower() for name in header]
    needed = max((place for place, name in enumerate(names) if name in _NEEDED), default=0)
    width, filled = len(header), []
    for number, row in numbered[start:]:
        if len(row) <= needed:
            found = "1 field" if len(row) == 1 else f"{len(row)} fields"
            raise MalformedFileError(
                path, number, found, f"at least {needed + 1}, as in the header"
            )
        filled.append((number, [*row, *[None] * (width - len(row))][:width]))
    return tables.delimited(path, header, filled)


_NEEDED = {
    *tables.SYSTEM,
    *tables.DOCUMENT,
    *tables.IN_DOCUMENT,
    *tables.SEGMENT,
    *tables.RATER,
    "category",
    "severity",
}


def read_mqm(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Scores from a table of marked errors, one per row; raters without an error have a row too."""
    weights = mqm_weights(request.weights)
    table = matching.of_one_pair(read_annotations(path, data), request)
    every = matching.sheet_of(table)
    if every.numbers is None and every.document_numbers is None:
        expected = "one for the segment: seg_id, globalSegId, or doc with doc_id or docSegId"
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
    # One row for each rating: what a rater did with one output of a segment.
    rated = table.only(list(first_rows.values()))
    scores = [penalty(marked) for marked in errors.values()]
    sheet = matching.sheet_of(
        rated, scores, "format:mqm", f"weights:{weights.name}", notes=weights.notes()
    )
    # Only the annotated part of a large test set is published, with its own numbers.
    return matching.segment_scores(replace(sheet, subset=True), request)


def penalty(weights: Sequence[float]) -> float:
    """Minus the sum of weights.

    Rounded beyond all digits that weights have: outputs with the same errors must tie exactly,
    and 0.1 is no binary number.
    """
    return -round(fsum(weights), 9) + 0.0


# Error spans as mt-metrics-eval keeps them: lines of .seg.rating files, or JSON lines.


def read_rating_lines(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Scores from lines of SYSTEM, errors as JSON or None, and perhaps RATER."""
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK).removesuffix("\n")
    if not text:
        raise EmptyTextError(path)
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) not in (2, 3):
            expected = "2 or 3: system, errors, rater"
            raise MalformedFileError(path, number, f"{len(fields)} fields", expected)
        rows.append((number, [*fields, ""][:3]))
    table = matching.of_one_pair(
        tables.delimited(path, ("system", "errors", "rater"), rows), request
    )
    errors = [_errors(path, number, fields[1]) for number, fields in rows]
    return matching.counted_scores(_rated(table, errors, request), request, "segment", shared=True)


def _errors(path: str, line: int, written: str) -> object:
    if written.lower() in ("none", "null", ""):
        return None
    rating = tables.json_in(path, line, written, 'None or {"errors": […]}')
    if not isinstance(rating, dict):
        found = f"JSON of type {type(rating).__name__}"
        raise MalformedFileError(path, line, found, 'None or {"errors": […]}')
    return rating.get("errors", [])


def read_rating_table(path: str, data: bytes, request: HumanReadOptions) -> HumanScores:
    """Scores from JSON lines with system_id, segment_id from 0, errors and perhaps rater_id."""
    table = matching.of_one_pair(tables.read_score_table(path, data), request)
    sheet = _rated(table, table.values("errors"), request)
    return matching.segment_scores(replace(sheet, first=0), request)


def _rated(
    table: tables.Table, errors: Sequence[object], request: HumanReadOptions
) -> matching.Sheet:
    """The rows of a table with the scores that lists of errors make."""
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
            # The weight that whoever published the ratings gave; its sign varies.
            published = error.get("score") if request.weights is None else None
            if published is None:
                severity, category = (str(error.get(key) or "") for key in ("severity", "category"))
                parts.append(weights.weigh(severity, category))
            elif isinstance(published, int | float) and abs(published) <= LARGEST:
                parts.append(abs(float(published)))
                are_published = True
            else:
                found = f"{published!r} as score of an error"
                raise MalformedFileError(table.path, line, found, f"a number up to {LARGEST:g}")
        scores.append(penalty(parts))
    raters = table.found_values(tables.RATER)
    if raters is not None and not any(raters):
        # A column that is always empty says nothing.
        table = replace(
            table, columns=tuple(c for c in table.columns if c.lower() not in tables.RATER)
        )
    used = f"weights:{'published' if are_published else weights.name}"
    return matching.sheet_of(table, scores, "format:ratings", used, notes=weights.notes())


# Errors marked in outputs: by people in MQM tables, by xCOMET in the JSON of comet-score. An output
# is found by its text, since files number segments in many ways. What is marked in a text that two
# segments have in common is marked in both.

KIND = "MQM annotations with <v>…</v> in a column 'target', or the JSON of comet-score"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSpan:
    """An error that someone, or some model, marked in an output.

    Attributes:
        start: its first character, counted from 0.
        end: the character after its last one.
        severity: such as "major".
        category: such as "accuracy/omission"; empty where there is none.
    """

    start: int
    end: int
    severity: str
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedErrors:
    """The errors of a file, by system of the test set.

    Attributes:
        spans: for each system that has any, the errors of each segment.
        unmatched: how many marked outputs of these systems are not among the texts.
    """

    spans: Mapping[str, Sequence[Sequence[ErrorSpan]]]
    unmatched: int


def read_spans(path: str, systems: Mapping[str, TextLike]) -> MarkedErrors:
    """Read the errors that were marked in outputs of a test set.

    Args:
        path: a table of MQM annotations, or what ``comet-score --to_json`` wrote.
        systems: the outputs of each system.
    """
    require_type("systems", systems, Mapping, "the outputs of each system")
    data = Files().contents(require_path("path", path))
    is_json = data.lstrip()[:1] == b"{"
    marked = _from_comet(path, data) if is_json else _from_mqm(path, data)
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for system, text in systems.items():
        outputs = as_text(system, text)
        for place, output in enumerate(outputs):
            places[system, (output or "").strip()].append(place)
    spans: dict[str, list[list[ErrorSpan]]] = {}
    unmatched, seen = 0, set()
    for system, text, span in marked:
        seen.add(system)
        if system not in systems:
            continue
        segments = places.get((system, text.strip()))
        if segments is None:
            unmatched += 1
            continue
        of_system = spans.setdefault(system, [[] for _ in systems[system]])
        for place in segments:
            # Both texts are stripped; the output may have had blanks before it.
            output = systems[system][place] or ""
            shift = len(output) - len(output.lstrip()) - (len(text) - len(text.lstrip()))
            moved = replace(span, start=span.start + shift, end=span.end + shift)
            if moved not in of_system[place]:
                of_system[place].append(moved)
    if not spans:
        found = f"no error in an output of {listed(list(systems))}, but of {listed(sorted(seen))}"
        raise MalformedFileError(path, None, found, "errors in outputs of the test set")
    return MarkedErrors(spans=spans, unmatched=unmatched)


def _from_mqm(path: str, data: bytes) -> Iterator[tuple[str, str, ErrorSpan]]:
    table = read_annotations(path, data)
    columns = [table.found_values(names) for names in (tables.TARGET, ["category"], ["severity"])]
    if None in columns:
        table.refuse_columns(KIND)
    rows = zip(matching.systems_of(table), *(column or () for column in columns), strict=True)
    for system, *fields in rows:
        target, category, severity = (str(field or "").strip() for field in fields)
        start, end = target.find(matching.MARKS[0]), target.rfind(matching.MARKS[1])
        if severity.lower() not in HARMLESS and 0 <= start < end:
            # Marks inside the marked part are none of its characters.
            end = start + len(matching.strip_error_marks(target[start:end]))
            span = ErrorSpan(start=start, end=end, severity=severity, category=category)
            yield system, matching.strip_error_marks(target), span


def _from_comet(path: str, data: bytes) -> Iterator[tuple[str, str, ErrorSpan]]:
    for file, segments in tables.json_in(path, None, data, KIND).items():
        if not isinstance(segments, list):
            raise MalformedFileError(path, None, f"{file!r} without a list of segments", KIND)
        # As every other name: that of the file, without folder and ending.
        system = stem(file.replace("\\", "/"))
        for number, segment in enumerate(segments, 1):
            try:
                for span in _comet_errors(segment):
                    yield system, segment["mt"], span
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                found = f"segment {number} of {file}: an error that can't be read ({error})"
                raise MalformedFileError(path, None, found, KIND) from None


def _comet_errors(segment: Any) -> Iterator[ErrorSpan]:
    if not isinstance(segment["mt"], str):
        raise TypeError("its text is none")
    length = len(segment["mt"])
    for marked in segment.get("errors") or []:
        start, end = int(marked["start"]), int(marked["end"])
        if not 0 <= start <= end <= length:
            raise ValueError(f"characters {start} to {end} of {length}")
        yield ErrorSpan(start=start, end=end, severity=str(marked["severity"]))
