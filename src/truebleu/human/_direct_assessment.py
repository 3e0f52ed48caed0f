"""Direct assessment as WMT published it from 2016 to 2022: RAW.SCR and Z.SCR between blanks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truebleu.corpus._files import decode
from truebleu.errors import MissingColumnError
from truebleu.human._matching import Addresses, Sheet, counted_scores, segment_scores
from truebleu.human._tables import (
    human_table,
    refuse_language_pair,
    rows_of_pair,
    white_space_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.human._tables import HumanTable
    from truebleu.human.scores import HumanScores, Request

RAW, STANDARDIZED = "raw.scr", "z.scr"
_SUFFIX = re.compile(r"\.\d+$")


def read_direct_assessment(path: str, data: bytes, request: Request) -> HumanScores:
    """Scores of segments (SYS SID RAW.SCR Z.SCR N) or of systems (RAW.SCR Z.SCR N SYS N.ALL).

    They are means over annotators already: of raw scores, or of z-scores where `raters` is "z".
    """
    table = human_table(white_space_table(path, decode(path, data)), data)
    z = request.raters == "z"
    column = request.column or _named(table, STANDARDIZED if z else RAW)
    scores = table.scores(column)
    sources, targets = table.labels(["src"]), table.labels(["trg"])
    rows: Sequence[int] = range(table.rows)
    if sources is not None and targets is not None:
        pairs = [f"{source}-{target}" for source, target in zip(sources, targets, strict=True)]
        rows = rows_of_pair(path, pairs, request)
    else:
        refuse_language_pair(path, request)
    systems = _known_names(table.table.labels(_named(table, "sys")), request)
    lines = [table.table.line(row) for row in rows]
    sheet = Sheet(
        label=path,
        digest=table.digest,
        lines=lines,
        systems=[systems[row] for row in rows],
        scores=[scores[row] for row in rows],
        made=("format:da", f"column:{column}"),
        standardized=z,
    )
    numbers = table.values(["sid"])
    if numbers is None:
        return counted_scores(sheet, request, "system")
    documents, document_numbers = _split([str(numbers[row]) for row in rows])
    addresses = Addresses(
        label=path,
        lines=lines,
        numbers=document_numbers,
        documents=documents,
        name="SID",
    )
    return segment_scores(sheet, addresses, request)


def _named(table: HumanTable, name: str) -> str:
    column = table.column([name])
    if column is None:
        raise MissingColumnError(table.path, "column", name.upper(), table.table.columns)
    return column


def _known_names(systems: Sequence[str], request: Request) -> list[str]:
    """Names without the number of the submission (UEdin.4), where only so they are known."""
    known = set(request.systems)
    names: dict[str, str] = {}
    for system in dict.fromkeys(systems):
        short = _SUFFIX.sub("", system)
        names[system] = short if system not in known and short in known else system
    # Two submissions of one name stay apart.
    taken = list(names.values())
    return [name if taken.count(name := names[s]) == 1 else s for s in systems]


def _split(identifiers: Sequence[str]) -> tuple[list[str] | None, list[str]]:
    """The documents, where segments are called DOCUMENT_NUMBER, and the numbers."""
    if all(identifier.isdigit() for identifier in identifiers):
        return None, list(identifiers)
    parts = [identifier.rpartition("_") for identifier in identifiers]
    return [document for document, _, _ in parts], [number for _, _, number in parts]
