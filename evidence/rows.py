"""Numbers of results, in the words of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.exhibits import Row, Value
    from truebleu.studies._rates import Rate


def number(row: Row, name: str) -> float:
    """A cell that must be a number."""
    value = row[name]
    assert isinstance(value, int | float), f"{name} is {value!r}"
    return float(value)


def only(rows: Sequence[Row], **values: Value) -> Row:
    """The one row that has these values."""
    (row,) = [row for row in rows if all(row[name] == value for name, value in values.items())]
    return row


def between(low: float, high: float, digits: int = 0) -> str:
    """Two shares as percents; one where they are the same when rounded."""
    first, last = (f"{100 * share:.{digits}f}" for share in (low, high))
    return f"{first} %" if first == last else f"{first} to {last} %"


def percent(share: float | Rate) -> str:
    """A share in percent."""
    return f"{100 * (share if isinstance(share, int | float) else share.value):.1f} %"
