"""Run the commands and Python sessions of the pages, and write their current output.

    .venv/bin/python -m tools.refresh_docs [PAGE...]

Without arguments, refresh all pages. Lines that a page leaves out (``...``) stay left out; check
the difference before you commit it.
"""

from __future__ import annotations

import doctest
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.docs.pages import (
    BLOCK,
    DEMO,
    ROOT,
    Command,
    commands_of,
    fits,
    pages_in_order,
    uses_example_files,
)

GAP = "..."


def refreshed(text: str, folder: Path) -> str:
    """Return a page with the current output of its commands and sessions, run in a folder."""
    names: dict[str, Any] = {}
    parts = []
    end = 0
    for block in BLOCK.finditer(text):
        language, content = block.groups()
        if language == "console":
            content = _console(content, folder)
        elif language == "python":
            content = _session(content, names)
        parts += [text[end : block.start()], f"```{language}\n{content}```"]
        end = block.end()
    return "".join([*parts, text[end:]])


def _console(block: str, folder: Path) -> str:
    lines = []
    for command in commands_of(block):
        lines.append(f"$ {command.line}\n")
        if not command.is_run:
            lines.append(command.output)
            continue
        printed = command.printed(folder)
        if "Traceback (most recent call last)" in printed:
            raise SystemExit(f"$ {command.line}\n{printed}")
        output = elided(command.output.rstrip("\n"), printed)
        blank = "\n" if command.output.endswith("\n\n") else ""
        lines.append(f"{output}\n{blank}" if output else blank)
    return "".join(lines)


class _Recorder(doctest.DocTestRunner):
    """Records the output of examples that differs from the page."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS)
        self.printed: dict[int, str] = {}

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:  # noqa: ARG002
        self.printed[example.lineno] = got

    def report_unexpected_exception(
        self,
        out: Any,  # noqa: ARG002
        test: Any,  # noqa: ARG002
        example: doctest.Example,
        exc_info: Any,
    ) -> None:
        error = "".join(traceback.format_exception_only(*exc_info[:2]))
        self.printed[example.lineno] = f"Traceback (most recent call last):\n...\n{error}"


def _session(block: str, names: dict[str, Any]) -> str:
    test = doctest.DocTestParser().get_doctest(block, names, "page", None, 0)
    recorder = _Recorder()
    recorder.run(test, clear_globs=False)
    names.update(test.globs)
    lines = block.splitlines(keepends=True)
    for example in reversed(test.examples):
        if example.lineno in recorder.printed:
            first = example.lineno + example.source.count("\n")
            printed = recorder.printed[example.lineno].rstrip("\n").split("\n")
            new = "\n".join(line or "<BLANKLINE>" for line in printed)
            new = elided(example.want.rstrip("\n"), new)
            lines[first : first + example.want.count("\n")] = [new + "\n"] if new else []
    return "".join(lines)


def elided(old: str, new: str) -> str:
    """Leave out of the new text what the old text left out."""
    if fits(old, new):
        return old
    old_lines, lines = old.split("\n"), new.split("\n")
    patterns = [line for line in old_lines if GAP in line and line.strip() != GAP]
    lines = [next((each for each in patterns if fits(each, line)), line) for line in lines]
    gaps = [place for place, line in enumerate(old_lines) if line.strip() == GAP]
    if gaps:
        before, after = gaps[0], len(old_lines) - 1 - gaps[-1]
        if before + after < len(lines):
            lines[before : len(lines) - after] = [old_lines[before]]
    return "\n".join(lines)


def main(paths: list[Path]) -> None:
    """Refresh pages; the evidence is written by `python -m evidence`."""
    evidence = ROOT / "docs" / "evidence"
    for page in paths or [page for page in pages_in_order() if evidence not in page.parents]:
        old = page.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            if uses_example_files(page):
                Command(DEMO, "").printed(Path(folder))
            new = refreshed(old, Path(folder))
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(page)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
