"""Docstrings: the lines under ``Args:`` and ``Attributes:``."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def argument_lines(docstring: str) -> dict[str, str]:
    """Return the text under ``Args:`` or ``Attributes:`` by name, each on one line."""
    _, *sections = re.split(r"^(?:Args|Attributes):\n", inspect.cleandoc(docstring), flags=re.M)
    section = sections[0] if sections else ""
    lines: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        entry = re.fullmatch(r"    (\w+): (.*)", line)
        if entry is not None:
            name = entry[1]
            lines[name] = entry[2]
        elif line.strip() and name:
            lines[name] += f" {line.strip()}"
    return lines


def with_arguments(docstring: str | None, helps: Mapping[str, str]) -> str | None:
    """Add all parameters to the ``Args:`` of a docstring.

    Args:
        docstring: docstring of a function, or None, which is returned.
        helps: help of the parameters, in the order of the signature; lines of the docstring
            override it.
    """
    if not docstring:
        return None
    document = inspect.cleandoc(docstring)
    lines = {**helps, **argument_lines(document)}
    entries = [f"    {name}: {lines[name]}" for name in helps if lines[name]]
    head, _, body = document.partition("\nArgs:\n")
    after = re.search(r"^\S", body, re.MULTILINE)
    tail = f"\n{body[after.start() :]}" if after else ""
    return f"{head.rstrip()}\n\nArgs:\n" + "\n".join(entries) + f"\n{tail}" if entries else document
