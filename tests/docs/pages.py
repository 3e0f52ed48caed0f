"""Reads what a page of the documentation shows: commands with their output, and Python sessions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK_OR_CODE = re.compile(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    """A command and what the page says it prints; ``...`` in it stands for anything."""

    line: str
    output: str


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [content for found, content in BLOCK.findall(text) if found == language]


def prose(page: Path) -> list[str]:
    """The lines that are neither code nor tables; those of one word cannot be wrapped."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    lines = [line for line in text.split("\n") if not line.startswith(("|", "    "))]
    return [line for line in lines if re.search(r"\S\s+\S", LINK_OR_CODE.sub("x", line))]


def commands(page: Path) -> list[Command]:
    """The commands of all console blocks; a block's lines after ``$ command`` are its output."""
    found = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            found.append(Command(line, output))
    return found


def pages_in_order() -> list[Path]:
    """The front page, then all pages in the order of the index: as a reader goes through them."""
    index = ROOT / "docs" / "README.md"
    links = re.findall(r"\]\(([^)#:]+\.md)\)", index.read_text(encoding="utf-8"))
    listed = [(index.parent / link).resolve() for link in links]
    return list(dict.fromkeys([ROOT / "README.md", *listed, *PAGES]))
