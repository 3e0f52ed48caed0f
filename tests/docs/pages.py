"""Reads what a page of the documentation shows: commands with their output, and Python sessions."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK_OR_CODE = re.compile(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# docs/README.md and the first tutorial make the example files with it; other pages name them.
DEMO = "truebleu demo --save demo --force > /dev/null"
# These set up the machine or the project itself, and CI runs them in other ways.
NOT_RUN = ("make ", "pip ", "git ")


@dataclass(frozen=True)
class Command:
    """A command and what the page says it prints; ``...`` in it stands for anything."""

    line: str
    output: str

    @property
    def is_run(self) -> bool:
        return not self.line.startswith(NOT_RUN)

    def printed(self, folder: Path) -> str:
        """Return what the command prints in a folder, to both streams.

        The programs of a pipe print in no fixed order, so standard error comes first there.
        """
        scripts = str(Path(sys.executable).parent)
        environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
        result = subprocess.run(  # noqa: S602  # the pages are ours
            self.line,
            shell=True,
            executable="/bin/bash",
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if " | " in self.line else subprocess.STDOUT,
            text=True,
            check=False,
        )
        return ((result.stderr or "") + result.stdout).rstrip("\n")

    def is_true(self, printed: str) -> bool:
        """Whether that is what the page says."""
        return fits(self.output.rstrip("\n"), printed)


def fits(pattern: str, text: str) -> bool:
    """Whether a text is what is written, where ``...`` stands for anything."""
    expression = re.escape(pattern).replace(r"\.\.\.", ".*")
    return re.fullmatch(expression, text, re.DOTALL) is not None


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [content for name, content in BLOCK.findall(text) if name == language]


def prose(page: Path) -> list[str]:
    """The lines that can be wrapped: no code, tables, headings or single words."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    lines = [line for line in text.split("\n") if not line.startswith(("|", "    ", "#"))]
    return [line for line in lines if re.search(r"\S\s+\S", LINK_OR_CODE.sub("x", line))]


def commands_of(block: str) -> list[Command]:
    """The commands of a console block; the lines after ``$ command`` are its output."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Command(line, output) for line, _, output in (part.partition("\n") for part in parts)]


def commands(page: Path) -> list[Command]:
    """The commands of all console blocks."""
    return [command for block in blocks(page, "console") for command in commands_of(block)]


def uses_example_files(page: Path) -> bool:
    """Return whether a command of the page reads the files of ``truebleu demo``."""
    return any(re.search(r"(?<!\S)(\w+=)?demo/", command.line) for command in commands(page))


def pages_in_order() -> list[Path]:
    """The front page, then all pages in the order of the index: as a reader goes through them."""
    index = ROOT / "docs" / "README.md"
    links = re.findall(r"\]\(([^)#:]+\.md)\)", index.read_text(encoding="utf-8"))
    listed = [(index.parent / link).resolve() for link in links]
    return list(dict.fromkeys([ROOT / "README.md", *listed, *PAGES]))
