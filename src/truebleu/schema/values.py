"""Dataclasses as values: in JSON, and compared with arrays in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def to_builtins(value: Any) -> Any:
    """Convert a value for JSON: dataclasses to dicts, tuples and arrays to lists, recursively.

    Signatures become text; `digits`, the number of decimals to display, is left out.
    """
    if isinstance(value, str | int | float | None):
        return value
    if hasattr(value, "with_references"):
        return str(value)
    if is_dataclass(value):
        values: dict[str, Any] = {}
        for field in fields(value):
            item = getattr(value, field.name)
            if field.name == "signature" and hasattr(item, "to_dict"):
                values |= item.to_dict()
            elif field.name != "digits":
                values[field.name] = (
                    item.to_dict() if hasattr(item, "to_dict") else to_builtins(item)
                )
        return values
    if isinstance(value, Mapping):
        return {key: to_builtins(item) for key, item in value.items()}
    return [item.to_dict() if hasattr(item, "to_dict") else to_builtins(item) for item in value]


class ComparedByValue:
    """Equality of dataclasses with arrays, whose ``==`` compares element by element."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(_are_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        # Equal objects have arrays of equal shapes.
        values = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]
        return hash((type(self), *(getattr(value, "shape", None) for value in values)))


def _are_equal(value: Any, other: Any) -> bool:
    if hasattr(value, "shape") and hasattr(other, "shape"):
        import numpy as np

        return np.array_equal(value, other, equal_nan=value.dtype.kind == "f")
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(
            _are_equal(item, other[name]) for name, item in value.items()
        )
    return bool(value == other)
