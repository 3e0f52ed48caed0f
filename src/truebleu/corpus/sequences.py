"""Texts and labels in memory: lists, native segments and columns of data frames."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Integral
from typing import Any, Protocol, TypeAlias, cast

from truebleu._core import Segments
from truebleu.errors import (
    DuplicateSystemError,
    EmptyTextError,
    SegmentTypeError,
    SettingError,
    UnpairedSegmentsError,
)

__all__ = ["Frame", "Segments", "TextLike"]

copyreg.pickle(Segments, lambda segments: (Segments, (list(segments),)))

#: One text: native segments, or any sequence of str (None for an absent reference).
TextLike: TypeAlias = Segments | Sequence[str] | Sequence[str | None]


#: Description of a text in messages.
A_TEXT = "a list of segments, such as ['A segment.']"


class Frame(Protocol):
    """A data frame, of pandas, polars or anything else with named columns."""

    @property
    def columns(self) -> Iterable[Any]:
        """Names of the columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """Return one column."""


def as_sequence(
    name: str, items: object, expected: str = A_TEXT
) -> Segments | Sequence[str | None]:
    if isinstance(items, Segments | list | tuple):
        return items
    # Iteration over a str would yield letters, over a set no order, over a mapping or a data frame
    # its keys.
    if (
        not isinstance(items, Iterable)
        or isinstance(items, str | bytes | Set | Mapping)
        or is_frame(items)
    ):
        raise SettingError(name, shortened_value(items), expected)
    try:
        return column_values(items)
    except TypeError:  # an array with no dimension only seems iterable
        raise SettingError(name, items, expected) from None


def shortened_value(value: object) -> object:
    if isinstance(value, str | bytes):
        return value[:40]
    return type(value) if isinstance(value, Set | Mapping) or is_frame(value) else value


# Data frames are recognised by their attributes, so that none of their packages is imported.


def is_frame(value: object) -> bool:
    """Return whether this is a table of pandas or polars (`columns`), or Arrow (`column_names`)."""
    kind = type(value)
    return hasattr(kind, "columns") or hasattr(kind, "column_names")


def frame_columns(argument: str, frame: object) -> dict[str, Any]:
    """Return the columns of a data frame by their names."""
    table: Any = frame
    keys = list(table.column_names if hasattr(type(frame), "column_names") else table.columns)
    columns: dict[str, Any] = {}
    for key in keys:
        if str(key) in columns:
            if argument == "systems":
                raise DuplicateSystemError(str(key))
            raise SettingError(argument, str(key), "a different name for each column")
        try:
            columns[str(key)] = table[key]
        except TypeError:  # a lazy frame, which has no values yet
            raise SettingError(argument, type(frame), "a data frame with its values") from None
    if not columns:
        raise EmptyTextError(argument)
    return columns


def column_values(column: Iterable[Any]) -> list[Any]:
    """Return the values of a column, or the items of an iterable; missing values are None."""
    of_column: Any = column
    if hasattr(column, "to_pylist"):  # Arrow, whose items are not str but scalars
        return cast("list[Any]", of_column.to_pylist())
    values = list(column)
    if hasattr(column, "isna"):  # pandas, where a missing str is a float
        return [
            None if missing else value
            for value, missing in zip(values, of_column.isna(), strict=True)
        ]
    return values


def labels_of(name: str, labels: object, text: str, length: int) -> tuple[str, ...] | None:
    """Check that there is one label for each segment of a text; None stays None."""
    if labels is None:
        return None
    items = as_sequence(name, labels, "a list of names, one for each segment")
    for i, label in enumerate(items, 1):
        # Labels may be numbers, as in columns of data frames.
        if isinstance(label, bool) or not isinstance(label, str | Integral):
            raise SegmentTypeError(name, i, type(label).__name__)
        if isinstance(label, str) and not label.strip():
            raise SettingError(name, label, f"a label for segment {i}")
    if len(items) != length:
        raise UnpairedSegmentsError(name, len(items), text, length)
    return tuple(map(str, items))


def as_text(name: str, text: object) -> TextLike:
    """Check one text: a sequence of at least one segment, all of them str or None.

    Args:
        name: name of the text in messages.
        text: segments of the text.
    """
    items = as_sequence(name, text)
    if not len(items):
        raise EmptyTextError(name)
    if isinstance(items, Segments):
        return items
    for number, segment in enumerate(items, 1):
        if segment is not None and not isinstance(segment, str):
            raise SegmentTypeError(name, number, type(segment).__name__)
    # A copy, because the caller may change the list later.
    return tuple(items)


def absent_segments(text: TextLike) -> list[int]:
    """Return the indices of the segments that are None."""
    if isinstance(text, Segments):
        return text.absent()
    return [index for index, segment in enumerate(text) if segment is None]
