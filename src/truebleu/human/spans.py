"""Errors marked in outputs: by people in MQM tables, by xCOMET in the JSON of comet-score.

An output is found by its text, since files number segments in many ways. What is marked in a text
that two segments have in common is marked in both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import BYTE_ORDER_MARK, Files, decode, stem
from truebleu.corpus._tables import csv_rows, json_in
from truebleu.corpus.test_set import as_text
from truebleu.errors import EmptyTextError, MalformedFileError
from truebleu.human._tables import is_mqm_header, table_by_ending
from truebleu.human.scores import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.corpus.test_set import TextLike

# Names of the columns over the years, in lower case.
SYSTEM = ("system", "system_id")
DOCUMENT = ("doc", "document", "document_id")
DOCUMENT_NUMBER = ("doc_id", "docsegid", "doc_seg_id")
NUMBER = ("seg_id", "globalsegid", "global_seg_id", "segment", "segment_id")
RATER = ("rater", "rater_id", "annotator", "annotator_id")
CATEGORY = ("category",)
SEVERITY = ("severity",)
#: The order of the columns in files without header.
USUAL = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
#: Severities that weigh nothing wherever no weight says otherwise.
HARMLESS = frozenset({"", "neutral", "no-error", "no error", "none", "n/a"})

KIND = "MQM annotations with <v>…</v> in a column 'target', or the JSON of comet-score"
TARGET = ("target", "translation", "hyp")
START, END = "<v>", "</v>"


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
    data = Files().contents(path)
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
            moved = ErrorSpan(
                start=span.start + shift,
                end=span.end + shift,
                severity=span.severity,
                category=span.category,
            )
            if moved not in of_system[place]:
                of_system[place].append(moved)
    if not spans:
        found = f"no error in an output of {listed(list(systems))}, but of {listed(sorted(seen))}"
        raise MalformedFileError(path, None, found, "errors in the outputs at hand")
    return MarkedErrors(spans=spans, unmatched=unmatched)


def _from_mqm(path: str, data: bytes) -> Iterator[tuple[str, str, ErrorSpan]]:
    header, rows = annotation_table(path, data)
    columns = [find_column(header, names) for names in (SYSTEM, TARGET, CATEGORY, SEVERITY)]
    if None in columns:
        raise MalformedFileError(path, 1, f"the columns {', '.join(header)}", KIND)
    places = [header.index(str(column)) for column in columns]
    for line, fields in rows:
        if len(fields) <= max(places):
            raise MalformedFileError(path, line, f"{len(fields)} fields", "as many as the header")
        system, target, category, severity = (str(fields[place] or "") for place in places)
        start, end = target.find(START), target.rfind(END)
        if severity.strip().lower() in HARMLESS or not 0 <= start < end:
            continue
        text = target.replace(START, "").replace(END, "")
        span = ErrorSpan(
            start=start,
            # Marks inside the marked part are none of its characters.
            end=start + len(target[start:end].replace(START, "").replace(END, "")),
            severity=severity.strip(),
            category=category.strip(),
        )
        yield system, text, span


def _from_comet(path: str, data: bytes) -> Iterator[tuple[str, str, ErrorSpan]]:
    for file, segments in json_in(path, None, data, KIND).items():
        if not isinstance(segments, list):
            raise MalformedFileError(path, None, f"{file!r} without a list of segments", KIND)
        # As every other name: that of the file, without folder and ending.
        system = stem(file.replace("\\", "/"))
        for number, segment in enumerate(segments, 1):
            for span in _errors(path, f"segment {number} of {file}", segment):
                yield system, segment["mt"], span


def _errors(path: str, where: str, segment: Any) -> Iterator[ErrorSpan]:
    try:
        length = len(segment["mt"])
        for marked in segment.get("errors") or []:
            start, end = int(marked["start"]), int(marked["end"])
            if not 0 <= start <= end <= length:
                raise ValueError(f"characters {start} to {end} of {length}")
            yield ErrorSpan(start=start, end=end, severity=str(marked["severity"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise MalformedFileError(
            path, None, f"{where}: an error that can't be read ({error})", KIND
        ) from None


# Tables of annotations, an error in each row.


def annotation_table(
    path: str, data: bytes
) -> tuple[Sequence[str], Iterator[tuple[int | None, Sequence[object]]]]:
    """Header and rows. TSV has no quotes unless its header has, and rows may lack last fields."""
    table = table_by_ending(path, data)
    if table is not None:
        values = [table.values(column) for column in table.columns]
        every = enumerate(zip(*values, strict=True))
        return table.columns, ((table.line(row), fields) for row, fields in every)
    text = decode(path, data).removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise EmptyTextError(path)
    if text.startswith('"'):
        return _quoted(path, text)
    lines = text.removesuffix("\n").split("\n")
    header = lines[0].removesuffix("\r").split("\t")
    start = 1
    if not is_mqm_header(header) and len(header) >= len(USUAL):
        header, start = list(USUAL), 0
    split = (line.removesuffix("\r").split("\t") for line in lines[start:])
    _refuse_twins(path, header)
    return header, ((number, fields) for number, fields in enumerate(split, start + 1))


def _quoted(
    path: str, text: str
) -> tuple[Sequence[str], Iterator[tuple[int | None, Sequence[object]]]]:
    rows = csv_rows(path, text, delimiter="\t")
    _, header = next(rows)
    _refuse_twins(path, header)
    return header, rows


def _refuse_twins(path: str, header: Sequence[str]) -> None:
    """Raises MalformedFileError where a column is there twice: which one is meant?"""
    name, count = Counter(name.strip().lower() for name in header).most_common(1)[0]
    if count > 1:
        found = f"{count} columns called {name!r}"
        raise MalformedFileError(path, 1, found, "a different name for each")


def find_column(header: Sequence[str], names: Sequence[str]) -> str | None:
    """The first of these columns that there is, whatever its case."""
    lower = {name.strip().lower(): name for name in reversed(header)}
    return next((lower[name] for name in names if name in lower), None)
