"""What readers of tools' files share: the file as text, and the scores that they give."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from truebleu.corpus._files import stem
from truebleu.corpus._tables import RepeatedKeyError, parse_json
from truebleu.errors import (
    MalformedFileError,
    MissingColumnError,
    SettingError,
    UnpairedSegmentsError,
)
from truebleu.human._tables import NotAScoreError, Scale, digest, parse_score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Without slots, so that a file is parsed once however many readers look at it.
@dataclass(frozen=True)
class ToolFile:
    """A file that some tool wrote.

    Attributes:
        path: what messages call it.
        data: its bytes.
        text: the same as text.
        column: which score to take, where there are several; else empty.
        filter: which of several ways to read an answer counts; else empty.
    """

    path: str
    data: bytes = field(repr=False)
    text: str = field(repr=False)
    column: str = ""
    filter: str = ""

    @cached_property
    def json(self) -> Any:
        """The file as one JSON value; None where it is none."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return parse_json(self.text, parse_constant=_constant)
        except RepeatedKeyError as error:
            self.refuse(None, str(error), "each key once")
        except ValueError:
            return None

    def refuse_damaged_json(self) -> None:
        """Refuse a file that begins as JSON and is neither one value nor a value on each line."""
        starts = self.text.lstrip()[:1] in ("{", "[")
        if not starts or self.json is not None or self.first_record is not None:
            return
        reason, line = "damaged or cut off", None
        try:
            parse_json(self.text, parse_constant=_constant)
        except json.JSONDecodeError as error:
            reason, line = error.msg, error.lineno
        except ValueError as error:
            reason = str(error)
            place = re.search(rf"[\s:,\[]{re.escape(reason)}", self.text)
            line = None if place is None else self.text.count("\n", 0, place.end()) + 1
        self.refuse(line, f"no valid JSON ({reason})", "a JSON value, or one on each line")

    @cached_property
    def first_record(self) -> dict[str, Any] | None:
        """The first of the file's JSON lines; None where it has none."""
        line = next((line for line in self.lines if line.strip()), "")
        if not line.lstrip().startswith("{"):
            return None
        try:
            record = parse_json(line, parse_constant=_constant)
        except ValueError:
            return None
        return record if isinstance(record, dict) else None

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return [line.removesuffix("\r") for line in self.text.removesuffix("\n").split("\n")]

    def records(self) -> list[tuple[int, dict[str, Any]]]:
        """Every JSON line with its number, blank ones left out."""
        records = []
        for number, line in enumerate(self.lines, 1):
            if not line.strip():
                continue
            try:
                record = parse_json(line, parse_constant=_constant)
            except RepeatedKeyError as error:
                self.refuse(number, str(error), "each key once")
            except ValueError:
                self.refuse(number, shortened(line), "a JSON object on each line")
            if not isinstance(record, dict):
                self.refuse(number, shortened(line), "a JSON object on each line")
            records.append((number, record))
        return records

    def score(self, value: object, line: int | None, what: str = "a score") -> float | None:
        """A score, refused with its line where it is none."""
        if isinstance(value, list | dict):
            self.refuse(line, f"{what} {shortened(json.dumps(value))}", "a number")
        try:
            return parse_score(value)
        except NotAScoreError as reason:
            self.refuse(line, f"{what} {shortened(str(value))}", str(reason))

    def refuse(self, line: int | None, found: str, expected: str) -> NoReturn:
        """Refuse the file."""
        raise MalformedFileError(self.path, line, found, expected) from None

    def chosen(self, names: Sequence[str], line: int | None, column: str) -> str:
        """The score to take: the one that was chosen, or the only one."""
        if column:
            if column not in names:
                raise MissingColumnError(self.path, "score", column, list(names))
            return column
        if len(names) != 1:
            found = f"the scores {', '.join(names)}" if names else "no score"
            self.refuse(line, found, "one of them to be chosen, as in column=NAME")
        return names[0]

    def refuse_column(self, tool: str) -> None:
        """Refuse a choice among scores where a tool writes one only."""
        for setting, chosen in (("column", self.column), ("filter", self.filter)):
            if chosen:
                raise SettingError(setting, chosen, f"none: {tool} writes one score")


def _constant(name: str) -> float:
    raise ValueError(name)


def shortened(text: str) -> str:
    """The beginning of a text, for messages."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


@dataclass(frozen=True, slots=True)
class ToolScores:
    """Segment scores of some systems, as a tool wrote them or as they are in memory.

    Attributes:
        label: what messages call them.
        digest: the start of the SHA-256 of all that was read.
        name: the metric's, where the tool says it; else empty.
        higher_is_better: its direction, where that is known.
        by_system: a score for each segment.
        items: what tells segments apart, where a tool names them: (name, checksum) of each.
        raters: always 1: nothing tells raters apart.
        texts: the outputs that were scored, where the tool keeps them.
    """

    label: str
    digest: str
    name: str
    higher_is_better: bool | None
    by_system: Mapping[str, Sequence[float | None]] = field(compare=False, repr=False)
    items: tuple[tuple[str, str], ...] | None = field(default=None, compare=False, repr=False)
    raters: int = 1
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def from_file(
        cls,
        file: ToolFile,
        name: str,
        higher_is_better: bool | None,
        by_system: Mapping[str, Sequence[float | None]],
        items: Iterable[tuple[str, str]] | None = None,
        texts: Mapping[str, Sequence[str]] | None = None,
    ) -> ToolScores:
        """The scores of a file."""
        if not by_system:
            file.refuse(None, "no scores", "the scores of at least one system")
        named = None if items is None else tuple(items)
        checksum = digest(file.data)
        return cls(file.path, checksum, name, higher_is_better, by_system, named, texts=texts or {})

    @classmethod
    def together(cls, label: str, parts: Sequence[ToolScores]) -> ToolScores:
        """The scores of several files, each of which has other systems on the same items."""
        by_system: dict[str, Sequence[float | None]] = {}
        first = parts[0]
        for part in parts:
            order = _order(part, first)
            for system, scores in part.by_system.items():
                if system in by_system:
                    raise MalformedFileError(part.label, None, f"{system!r} again", "each once")
                by_system[system] = scores if order is None else [scores[i] for i in order]
            if (part.name, part.higher_is_better) != (first.name, first.higher_is_better):
                found = f"scores by {part.name or 'an unnamed metric'}"
                expected = f"{first.name or 'an unnamed metric'}, as in {first.label}"
                raise MalformedFileError(part.label, None, found, expected)
        joined = digest("".join(part.digest for part in parts).encode())
        texts = {system: outputs for part in parts for system, outputs in part.texts.items()}
        return cls(
            label, joined, first.name, first.higher_is_better, by_system, first.items, texts=texts
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that have scores."""
        return tuple(self.by_system)

    @property
    def segments(self) -> int:
        """How many segments they are about."""
        return max(map(len, self.by_system.values()))

    def for_outputs(self, system: str, outputs: Sequence[str | None]) -> ToolScores:
        """The scores as these outputs of a system need them: by text, where the tool keeps it.

        Tools strip texts, and split lines where others do not, so that places alone can deceive.
        """
        scored = [text.strip() for text in self.texts.get(system, ())]
        wanted = [(text or "").strip() for text in outputs]
        if not scored or scored == wanted:
            return self
        known: dict[str, set[float | None]] = {}
        for text, score in zip(scored, self.by_system[system], strict=True):
            known.setdefault(text, set()).add(score)
        placed = []
        for segment, text in enumerate(wanted, 1):
            if len(known.get(text, ())) != 1:
                what = "several scores" if text in known else "no score"
                found = f"{what} of segment {segment} of {system}, {shortened(text)}"
                expected = "the scores of these outputs, in their order"
                raise MalformedFileError(self.label, None, found, expected)
            placed.append(next(iter(known[text])))
        return replace(self, by_system={**self.by_system, system: placed})

    def of(self, system: str, segments: int, scale: Scale) -> list[float | None]:
        """One system's score for each segment, None where it is missing."""
        if system not in self.by_system:
            raise MissingColumnError(self.label, "system", system, list(self.by_system))
        scores = list(self.by_system[system])
        if len(scores) != segments:
            left = f"{self.label}: the scores of {system!r}"
            raise UnpairedSegmentsError(left, len(scores), "the test set", segments)
        for segment, score in enumerate(scores, 1):
            if score is not None and not scale.holds(score):
                where = f"{self.label}: scores of {system!r}: segment {segment}"
                raise SettingError(where, score, f"a number in {scale}")
        return scores


def _order(part: ToolScores, first: ToolScores) -> list[int] | None:
    """Where a part has the items of the first; None where they are in the same order."""
    if part.items == first.items:
        return None
    here, there = part.items or (), first.items or ()
    if len(here) != len(there):
        raise UnpairedSegmentsError(part.label, len(here), first.label, len(there))
    known = {name: (place, checksum) for place, (name, checksum) in enumerate(here)}
    wanted = dict(there)
    for name in known:
        if name not in wanted:
            found = f"item {name} of {part.systems[0]}"
            expected = f"only items that {first.systems[0]} has too"
            raise MalformedFileError(part.label, None, found, expected)
    for name, checksum in there:
        if known[name][1] != checksum:
            found = f"another text of item {name} than in {first.label}"
            raise MalformedFileError(part.label, None, found, "the same items in all files")
    return [known[name][0] for name, _ in there]


def system_of(path: str) -> str:
    """The system that a path names: the file's name without folder and ending."""
    return stem(path.replace("\\", "/"))


class NumberedScores:
    """Scores that come with the system and the number of the segment, in any order."""

    def __init__(self, file: ToolFile, first: int) -> None:
        self._file, self._first = file, first
        self._scores: dict[str, dict[int, tuple[int, float | None]]] = {}

    def add(self, system: str, segment: int, line: int, score: float | None) -> None:
        """Keep the score that is on a line."""
        scores = self._scores.setdefault(system, {})
        if segment in scores:
            self._file.refuse(line, f"segment {segment} of {system} again", "each once")
        scores[segment] = line, score

    def count(self, system: str) -> int:
        """How many scores of a system there are so far."""
        return len(self._scores.get(system, ()))

    def by_system(self) -> dict[str, list[float | None]]:
        """The scores of each system in the order of the numbers, which must have no gaps."""
        return {system: self._in_order(system, scores) for system, scores in self._scores.items()}

    def _in_order(
        self, system: str, scores: Mapping[int, tuple[int, float | None]]
    ) -> list[float | None]:
        first, last = self._first, self._first + len(scores) - 1
        for number, (line, _) in scores.items():
            if not first <= number <= last:
                expected = (
                    f"numbers from {first} to {last}, as many as there are scores of {system}"
                )
                self._file.refuse(line, f"segment {number}", expected)
        return [scores[number][1] for number in range(first, last + 1)]


# Scores in memory.


def given_scores(scores: Mapping[str, Iterable[object]]) -> ToolScores:
    """Segment scores that are in memory: for each system an array or list, None or NaN if missing.

    >>> given_scores({"a": [0.5, None]}).of("a", 2, Scale())
    [0.5, None]
    """
    if not scores:
        raise SettingError("scores", {}, "the scores of at least one system")
    numbers = {system: _numbers(system, values) for system, values in scores.items()}
    # repr tells every float from every other.
    checksum = digest(repr(sorted(numbers.items())).encode())
    return ToolScores("scores", checksum, "", None, numbers)


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
