"""Values that other tools computed, and the texts they are about.

Cases that carry their texts are in ``golden/``, beside this file, so every clone tests them. Cases
about real test sets are in ../shared/golden, beside the project, with their data in ../shared/data.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"
GOLDEN = Path(__file__).parent / "golden"


def all_cases(name: str) -> list[dict[str, Any]]:
    """Those of this project, then those of ../shared: none where it is missing, as CI checks."""
    outside = SHARED / "golden" / f"{name}.json"
    real = _load(outside) if outside.exists() else []
    return [*inline_cases(name), *(case for case in real if not is_inline(case))]


def inline_cases(name: str) -> list[dict[str, Any]]:
    """The cases of this project, whose name begins that of one or more files."""
    return [case for path in sorted(GOLDEN.glob(f"{name}*.json")) for case in _load(path)]


def is_inline(case: dict[str, Any]) -> bool:
    """Whether a case carries its texts or numbers, and needs no data."""
    return case["data"] in ("inline", "") or isinstance(case["data"], dict)


def cases(name: str, *kinds: str) -> list[dict[str, Any]]:
    """The cases of these kinds."""
    return [case for case in all_cases(name) if case["kind"] in kinds]


def tool_cases(name: str, tool: str) -> list[dict[str, Any]]:
    """The cases that a tool computed, in a file that names a tool for each of its cases."""
    return [case for case in all_cases(name) if case["tool"] == tool]


def case_id(case: dict[str, Any]) -> str:
    return str(case["id"])


def texts(case: dict[str, Any]) -> tuple[list[list[str]], list[list[str]]]:
    """The systems and the references of a case."""
    return (
        [_text(case, system) for system in case["systems"]],
        [_text(case, reference) for reference in case["refs"]],
    )


def _text(case: dict[str, Any], text: Any) -> list[str]:
    lines: list[str] = text if case["data"] == "inline" else lines_of(f"{case['data']}/{text}")
    if case.get("segments"):
        start, end = case["segments"]
        return lines[start:end]
    return lines


@cache
def lines_of(path: str) -> Any:
    """The lines of a file in ../shared/data; a line ends at a line feed only."""
    data = (SHARED / "data" / path).read_bytes().decode()
    return data.removesuffix("\n").split("\n")


@cache
def _load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
