"""Write a manual page for truebleu and each of its commands, from their help.

    python tools/man_pages.py FOLDER

The pages are named as `man` expects: truebleu.1, truebleu-score.1, truebleu-study-power.1, ….
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truebleu._core import VERSION
from truebleu.cli.main import truebleu

if TYPE_CHECKING:
    from collections.abc import Iterator


def commands(command: click.Command, context: click.Context) -> Iterator[click.Context]:
    """Yield a context for a command and for every command below it."""
    yield context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from commands(below, click.Context(below, info_name=name, parent=context))


def page(context: click.Context) -> str:
    """Return the manual page of one command, in roff."""
    command = context.command
    name = context.command_path.replace(" ", "-")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{name.upper()}" "1" "" "truebleu {VERSION}" "truebleu"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(command.get_short_help_str(limit=200))}",
        ".SH SYNOPSIS",
        f".B {roff(context.command_path)}",
        roff(usage),
    ]
    if command.help:
        lines += [".SH DESCRIPTION", *paragraphs(command.help)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for below in command.list_commands(context):
            short = command.get_command(context, below)
            lines += [".TP", f".B {roff(below)}"]
            lines.append(roff(short.get_short_help_str(limit=200)) if short else "")
    options = [option.get_help_record(context) for option in command.get_params(context)]
    lines.append(".SH OPTIONS")
    for record in options:
        if record is None or not record[1]:  # arguments, which the usage line shows
            continue
        lines += [".TP", f".B {roff(record[0])}", roff(record[1])]
    if command.epilog:
        lines += [".SH EXAMPLES AND NOTES", *paragraphs(command.epilog)]
    others = {"truebleu"} - {name} | ({"truebleu-compare"} - {name})
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in sorted(others))]
    return "\n".join(lines) + "\n"


def paragraphs(text: str) -> Iterator[str]:
    """Format paragraphs of a help text; keep those that Click does not rewrap."""
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line for line in paragraph.splitlines() if line.strip() != "\b"]
        if "\b" in paragraph:
            yield from (".nf", *map(roff, lines), ".fi")
        else:
            yield from (".PP", roff(" ".join(line.strip() for line in lines)))


def roff(text: str) -> str:
    """Escape a text, so that nothing in it is a request or an escape of roff."""
    text = text.replace("\b", "").replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def main(folder: Path) -> None:
    """Write the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for context in commands(
        truebleu, click.Context(truebleu, info_name="truebleu", help_option_names=["-h", "--help"])
    ):
        path = folder / (context.command_path.replace(" ", "-") + ".1")
        path.write_text(page(context), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit((__doc__ or "").strip())
    main(Path(sys.argv[1]))
