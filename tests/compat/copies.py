"""Plain sacreBLEU beside the copy of it in which truebleu counts."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN, OURS = "sacrebleu", "truebleu.compat.sacrebleu"
# Under CI a missing folder is a failure, where the test reads it.
HAS_DATA = (SHARED / "data").is_dir() or bool(os.environ.get("CI"))
needs_data = pytest.mark.skipif(not HAS_DATA, reason="no test sets here")


def in_both(call: Callable[[Any, Any], Any]) -> list[str]:
    """What a call returns or raises with the metrics and paired tests of either copy."""
    outcomes = []
    for copy in (PLAIN, OURS):
        modules = (import_module(f"{copy}.{name}") for name in ("metrics", "significance"))
        try:
            outcomes.append(repr(call(*modules)))
        except Exception as error:
            outcomes.append(repr(error))
    return outcomes


def parts(score: Any) -> dict[str, Any]:
    """All that a score or a result holds."""
    return dict(sorted(vars(score).items()))


def data(path: str, lines: int = 100) -> list[str]:
    """The first lines of a file of the shared test sets."""
    return (SHARED / "data" / path).read_text(encoding="utf-8").split("\n")[:lines]
