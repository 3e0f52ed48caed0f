"""What is asked of a file of human judgments: the test set they are about, and choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from truebleu.errors import DuplicateSystemError, SettingError, UnpairedSegmentsError

Format: TypeAlias = Literal["scores", "mqm", "ratings", "esa", "da", "rankings"]
Raters: TypeAlias = Literal["mean", "z"]
Others: TypeAlias = Literal["refuse", "ignore"]
#: How segments of the file find those of the test set.
Match: TypeAlias = Literal["documents", "numbers", "order"]

FORMATS: tuple[Format, ...] = get_args(Format)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The test set and the choices; `read_human` documents each."""

    systems: tuple[str, ...]
    segments: int
    documents: tuple[str, ...] | None
    column: str | None
    raters: Raters
    weights: str | Mapping[str, float] | None
    others: Others
    match: Match | None
    first_segment: int | None
    language_pair: str | None

    def __post_init__(self) -> None:
        _one_of("raters", self.raters, get_args(Raters))
        _one_of("others", self.others, get_args(Others))
        if self.match is not None:
            _one_of("match", self.match, get_args(Match))
        if self.first_segment not in (None, 0, 1):
            raise SettingError("first_segment", self.first_segment, "0 or 1")
        if self.match == "documents" and self.documents is None:
            raise SettingError("match", self.match, "the documents of the test set with it")

    @property
    def known(self) -> str:
        """The systems of the test set, for messages."""
        return listed(self.systems)


def as_systems(systems: object) -> tuple[str, ...]:
    """The names of a test set's systems: at least two, all different."""
    if isinstance(systems, str) or not isinstance(systems, Iterable):
        raise SettingError("systems", systems, "the names of the test set's systems")
    names = tuple(str(name) for name in systems)
    for position, name in enumerate(names):
        if name in names[:position]:
            raise DuplicateSystemError(name)
    if len(names) < 2:
        expected = "at least two systems: human scores of one cannot say which is better"
        raise SettingError("systems", names, expected)
    return names


def as_segments(segments: object) -> int:
    """The number of segments of a test set."""
    if isinstance(segments, bool) or not isinstance(segments, int) or segments < 1:
        raise SettingError("segments", segments, "the number of segments, at least 1")
    return segments


def as_documents(documents: Sequence[str] | None, segments: int) -> tuple[str, ...] | None:
    """The document of each segment."""
    if documents is None:
        return None
    if len(documents) != segments:
        raise UnpairedSegmentsError("documents", len(documents), "the test set", segments)
    return tuple(map(str, documents))


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names in a row, for messages: the first few where there are many.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _one_of(setting: str, found: object, choices: Sequence[str]) -> None:
    if found not in choices:
        raise SettingError(setting, found, " or ".join(map(repr, choices)))
