"""A paper as a document: a section for each of its tables and figures, with its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.reports.document import (
    NO_VALUE,
    Chart,
    Column,
    Document,
    Heading,
    Sentences,
    Table,
    plain_columns,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truebleu.reports.document import Block, Row

#: Kinds of blocks that a section may show, by their names in the declaration of a paper.
KINDS: Mapping[str, type] = {"table": Table, "sentences": Sentences, "chart": Chart}
EVERYTHING = ("table", "sentences", "chart")


def document(result: Any) -> Document:
    """Lay out every section of a paper: its label, the result, and the paper's numbers."""
    blocks: list[Block] = [Heading(result.title), Sentences(tuple(result.notes))]
    rows: list[Row] = []
    for section in result.sections:
        blocks += section_blocks(section.declared, section.result, section.reason)
        named = {name: section.declared.get(name) for name in ("label", "title", "run")}
        rows.append({**named, "reason": section.reason})
    columns = plain_columns("label", "title", "run", "reason")
    return Document(tuple(blocks), data=Table(columns, tuple(rows)))


def section_blocks(declared: Mapping[str, Any], result: Any, reason: str | None) -> Iterator[Block]:
    """Yield the blocks of a section: its label, what it shows of the result, and the paper's."""
    yield Heading(f"{declared['label']}: {declared['title']}")
    if reason is not None:
        yield Sentences((f"Not redone here: {reason}.",))
    else:
        shown = declared.get("show", EVERYTHING)
        if "pivot" in shown:
            yield pivot(result, **declared["pivot"])
        if tuple(shown) == ("chart",):
            yield Sentences(("The chart is in HTML: -o FILE.html.",))
        details = {"details": True} if declared.get("details") else {}
        for block in result.to_document(**details).blocks:
            if any(isinstance(block, KINDS[kind]) for kind in shown if kind in KINDS):
                yield replace(block, in_html=True) if isinstance(block, Chart) else block
    paper = declared.get("paper", ())
    if isinstance(paper, str):
        yield Sentences((f"In the paper: {paper}",))
    elif paper:
        heading, *lines = paper
        columns = tuple(Column(f"column {i}", name) for i, name in enumerate(heading))
        cells = (dict(zip((c.name for c in columns), line, strict=True)) for line in lines)
        yield Sentences(("In the paper:",))
        yield Table(columns, tuple(cells))
    if "note" in declared:
        yield Sentences((declared["note"],))


def pivot(
    result: Any,
    *,
    cells: Mapping[str, str],
    rows: str = "rows",
    by: Sequence[str] = (),
    across: str = "metric",
    where: Mapping[str, object] | None = None,
    first: str | None = None,
) -> Table:
    """Tabulate rows of a result side by side, as papers do.

    Args:
        result: result of a study.
        cells: format of each cell by its heading, with fields of a row.
        rows: "rows", or the key of the rows in the result's details.
        by: fields that name the lines; without any, there is a line for each cell.
        across: field whose values stand side by side.
        where: values that fields of the rows must have.
        first: field in which rows must equal the first row.
    """
    chosen = list(result.rows if rows == "rows" else result.details[rows])
    required = {**(where or {}), **({first: chosen[0][first]} if first and chosen else {})}
    headings = {}
    lines: dict[tuple[object, ...], dict[str, Any]] = {}
    for row in chosen:
        if any(row[name] != value for name, value in required.items()):
            continue
        for name, form in cells.items():
            key = tuple(row[field] for field in by) or (name,)
            line = lines.setdefault(key, dict(zip(by or [""], key, strict=True)))
            heading = f"{row[across]} {name if by else ''}".strip()
            headings[f"cell {heading}"] = heading
            line[f"cell {heading}"] = _formatted(form, row)
    named = (Column(n, n.capitalize(), 0, percent=n == "share") for n in by or [""])
    columns = (*named, *(Column(*item) for item in headings.items()))
    return Table(columns, tuple(lines.values()))


def _formatted(form: str, row: Row) -> str:
    """Format a cell; without a value there is a dash."""
    try:
        return form.format(**row)
    except TypeError:
        return NO_VALUE
