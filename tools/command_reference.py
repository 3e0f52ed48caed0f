"""Write docs/reference/command-line.md below its mark: each command, each option's help once.

.venv/bin/python -m tools.command_reference
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from tools.man_pages import commands
from truebleu.cli._command import ALL_OPTIONS
from truebleu.cli.main import truebleu
from truebleu.schema import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "command-line.md"
# Mark of the page; this script writes everything below it.
MARK = "<!-- written by tools/command_reference.py -->\n"
WIDTH = 100
# Its options are sacreBLEU's, which sacreBLEU documents.
NOT_OURS = "truebleu sacrebleu"
STUDY = "truebleu study"

#: An option's group, names and help; commands share an option if all three are the same.
Record = tuple[str, str, str]


def reference() -> str:
    """Return a section for shared options and one for each command."""
    whole = click.Context(
        truebleu, info_name="truebleu", terminal_width=WIDTH, help_option_names=["-h", "--help"]
    )
    contexts = [c for c in commands(truebleu, whole) if c.command_path != NOT_OURS]
    single = [c for c in contexts if not isinstance(c.command, click.Group)]
    studies = [c for c in single if c.command_path.startswith(f"{STUDY} ")]
    everywhere = set.intersection(*(set(_records(c).values()) for c in single))
    shared = _shared(c for c in single if c not in studies) - everywhere
    of_studies = _shared(studies) - everywhere - shared
    sections = []
    for context in contexts:
        links = {"shared options": shared}
        if context in studies:
            links["shared options of studies"] = of_studies
        sections.append(f"## {context.command_path}\n\n{_section(context, everywhere, links)}")
        if context.command_path == "truebleu":
            sections.append(f"## Options of every command\n\n{_listed(everywhere)}")
            sections.append(f"## Shared options\n\n{_listed(shared)}")
        if context.command_path == STUDY:
            sections.append(f"## Shared options of studies\n\n{_listed(of_studies)}")
    return "\n".join(sections)


def _shared(contexts: Iterable[click.Context]) -> set[Record]:
    """Return the most frequent form of each option that several commands have."""
    counts = Counter(record for context in contexts for record in _records(context).values())
    forms: dict[str, Record] = {}
    for record, count in counts.most_common():
        if count > 1:
            forms.setdefault(_name(record), record)
    return set(forms.values())


def _records(context: click.Context) -> dict[int, Record]:
    """Return the record of each option of a command, by its index among the parameters."""
    return {
        index: (getattr(option, "group", "Output"), *row)
        for index, option in enumerate(context.command.get_params(context))
        if isinstance(option, click.Option) and (row := option.get_help_record(context))
    }


def _name(record: Record) -> str:
    """Return the longest name of an option."""
    names: list[str] = re.findall(r"-[\w-]+", record[1].partition(" / ")[0])
    return max(names, key=len)


def _section(context: click.Context, everywhere: set[Record], links: dict[str, set[Record]]) -> str:
    """Return a command's help without options described elsewhere, and links to those."""
    command = copy.copy(context.command)
    records = _records(context)
    elsewhere = everywhere.union(*links.values())
    command.params = [p for i, p in enumerate(command.params) if records.get(i) not in elsewhere]
    short = click.Context(
        command,
        info_name=context.info_name,
        parent=context.parent,
        terminal_width=WIDTH,
        help_option_names=[],
    )
    short.meta[ALL_OPTIONS] = True
    text = re.sub(r" +$", "", command.get_help(short), flags=re.MULTILINE).strip("\n")
    section = f"```text\n{text}\n```\n"
    for title, shared in links.items():
        names = sorted(_name(record) for record in records.values() if record in shared)
        if names:
            listed = ", ".join(f"`{name}`" for name in names)
            link = f"[{title.capitalize()}](#{title.replace(' ', '-')})"
            section += "\n" + fill(f"{link}: {listed}", WIDTH, break_on_hyphens=False) + "\n"
    return section


def _listed(records: set[Record]) -> str:
    """Return the help of options, by group and name."""
    formatter = click.HelpFormatter(width=WIDTH)
    for group in GROUPS:
        rows = [record[1:] for record in sorted(records, key=_name) if record[0] == group]
        if rows:
            with formatter.section(group):
                formatter.write_dl(rows)
    text = re.sub(r" +$", "", formatter.getvalue(), flags=re.MULTILINE).strip("\n")
    return f"```text\n{text}\n```\n"


def page() -> str:
    """Return the page: the part written by hand, then the commands."""
    by_hand, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return f"{by_hand}{mark}\n{reference()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
