"""Columns of exhibits as numbers, for claims about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.exhibits import Exhibit


def numbers(exhibit: Exhibit, name: str, **values: object) -> list[float]:
    """A column's numbers in the rows that have these values; all of them must be numbers."""
    found = []
    for row in exhibit.rows:
        if all(row[key] == value for key, value in values.items()):
            number = row[name]
            assert isinstance(number, int | float)
            found.append(float(number))
    assert found, f"no row has {values}"
    return found
