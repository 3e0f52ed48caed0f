"""Results as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def json_text(result: Mapping[str, Any]) -> str:
    """A result's plain values as JSON; a NaN would be a bug and is refused."""
    from json import dumps

    return dumps(result, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
