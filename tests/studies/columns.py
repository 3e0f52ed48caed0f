"""Columns of results as numbers, for claims about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def numbers(result: Any, name: str, **values: object) -> list[float]:
    """A field's numbers in the rows that have these values; all of them must be numbers."""
    column = [
        _value(row, name)
        for row in result.rows
        if all(_value(row, key) == value for key, value in values.items())
    ]
    assert column, f"no row has {values}"
    assert all(isinstance(number, int | float) for number in column)
    return [float(number) for number in column]


def _value(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) else getattr(row, name)
