"""Columns of results as numbers, for claims about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truebleu.studies.sampling import SampleVariation, SamplingResult


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


def sampling_row(
    result: SamplingResult,
    system: str | None,
    size: int,
    metric: str = "BLEU",
    other: str | None = None,
    of: str | None = None,
) -> SampleVariation:
    """The row of a system, a pair or, without a system, of a mean."""
    rows = result.rows if system else result.means
    (row,) = [
        row
        for row in rows
        if (row.system, row.other, row.size, row.metric) == (system, other, size, metric)
        and of in (None, row.of)
    ]
    return row
