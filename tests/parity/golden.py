"""Values that other tools computed, from ../shared/golden, and the texts they are about."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared"


def cases(name: str, *kinds: str) -> list[dict[str, Any]]:
    """The cases of these kinds; none where ../shared is not there, which CI does not accept."""
    path = SHARED / "golden" / name
    if not path.exists():
        return []
    return [case for case in _load(path) if case.get("kind") in kinds]


def tool_cases(name: str, tool: str) -> list[dict[str, Any]]:
    """The cases that a tool computed, in a file that names a tool for each of its cases."""
    path = SHARED / "golden" / name
    return [case for case in _load(path) if case["tool"] == tool] if path.exists() else []


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
