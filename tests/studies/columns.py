"""Columns of results as numbers, for claims about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.studies import StudyResult


def numbers(result: StudyResult, name: str, **values: object) -> list[float]:
    """A column's numbers in the rows that have these values; all of them must be numbers."""
    column = [
        row[name] for row in result.rows if all(row[key] == value for key, value in values.items())
    ]
    assert column, f"no row has {values}"
    assert all(isinstance(number, int | float) for number in column)
    return [float(number) for number in column]
