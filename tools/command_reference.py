"""Write docs/reference/command-line.md below its mark: ``--help-all`` of each command.

.venv/bin/python -m tools.command_reference
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from tools.man_pages import commands
from truebleu.cli._command import ALL_OPTIONS
from truebleu.cli.main import truebleu

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "command-line.md"
# Mark of the page; this script writes everything below it.
MARK = "<!-- written by tools/command_reference.py -->\n"
WIDTH = 100
# Its options are sacreBLEU's, which sacreBLEU documents.
NOT_OURS = "truebleu sacrebleu"


def reference() -> str:
    """Return a section for each command."""
    whole = click.Context(
        truebleu, info_name="truebleu", terminal_width=WIDTH, help_option_names=["-h", "--help"]
    )
    return "\n".join(
        f"## {context.command_path}\n\n```text\n{_help(context)}\n```\n"
        for context in commands(truebleu, whole)
        if context.command_path != NOT_OURS
    )


def _help(context: click.Context) -> str:
    context.meta[ALL_OPTIONS] = True
    return re.sub(r" +$", "", context.get_help(), flags=re.MULTILINE).strip("\n")


def page() -> str:
    """Return the page: the part written by hand, then the commands."""
    by_hand, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return f"{by_hand}{mark}\n{reference()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
