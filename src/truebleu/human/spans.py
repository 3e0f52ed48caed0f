"""Errors marked in outputs: by people in MQM tables, by xCOMET in the JSON of comet-score.

An output is found by its text, since files number segments in many ways. What is marked in a text
that two segments have in common is marked in both.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu.corpus._files import Files, stem
from truebleu.corpus.tables import TARGET, json_in
from truebleu.corpus.test_set import as_text
from truebleu.errors import MalformedFileError
from truebleu.human.judgments import listed
from truebleu.human.matching import MARKS, systems_of
from truebleu.human.mqm import HARMLESS, read_annotations
from truebleu.schema import verb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.corpus.test_set import TextLike

__all__ = ["ErrorSpan", "MarkedErrors", "read_spans"]

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


@verb
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
    table = read_annotations(path, data)
    columns = [table.found_values(names) for names in (TARGET, ["category"], ["severity"])]
    if None in columns:
        table.refuse_columns(KIND)
    opening, closing = MARKS
    rows = zip(systems_of(table), *(column or () for column in columns), strict=True)
    for system, *fields in rows:
        target, category, severity = (str(field or "") for field in fields)
        start, end = target.find(opening), target.rfind(closing)
        if severity.strip().lower() in HARMLESS or not 0 <= start < end:
            continue
        text = target.replace(opening, "").replace(closing, "")
        span = ErrorSpan(
            start=start,
            # Marks inside the marked part are none of its characters.
            end=start + len(target[start:end].replace(opening, "").replace(closing, "")),
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
