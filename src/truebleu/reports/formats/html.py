"""HTML without scripts, for notebooks and the report: everything escaped, nothing loaded."""

from __future__ import annotations

import re
from html import escape
from statistics import quantiles
from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table, is_number, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.reports.document import (
        Bar,
        Block,
        Chart,
        Column,
        Document,
        Renderable,
        Row,
        Value,
    )

# Longer names lose their middle; fingerprints, which have a colon, stay whole.
LONGEST_NAME = 32
# A hyphen before a number is a minus sign.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
# Values farther from the quartiles than this many interquartile ranges are drawn at the edge.
FARTHEST = 3
# More values than this may have outliers, by their quartiles.
MANY = 24


FLAGGED = (
    "border-left: 3px solid #b07a1f; background: rgba(240, 180, 60, 0.15); padding: 0.1em 0.8em"
)


def render(document: Document, _result: Renderable | None = None) -> str:
    """Render the blocks as a fragment of a page, with flags after the first sentences."""
    parts = [part for block in document.blocks if (part := render_block(block))]
    if document.flags:
        lines = "".join(f"<p>{sentence_of(line)}</p>" for line in document.flags)
        is_text = bool(document.blocks) and isinstance(document.blocks[0], Sentences)
        parts.insert(int(is_text), f'<div style="{FLAGGED}">{lines}</div>')
    return '<div class="truebleu">\n' + "\n".join(parts) + "\n</div>\n"


def render_block(block: Block) -> str:
    """Render one block; charts are left out unless they ask to be shown: tables have bars."""
    if isinstance(block, Heading):
        return f"<p><strong>{text_of(block.text)}</strong></p>"
    if isinstance(block, Table):
        return render_table(block)
    if isinstance(block, Sentences):
        return "".join(f"<p>{sentence_of(line)}</p>" for line in block.lines)
    if isinstance(block, Notes):
        return _notes(block.lines)
    return _picture(block) if block.in_html else ""


def _picture(chart: Chart) -> str:
    """Draw a chart within the page, as a picture that can run and load nothing."""
    from base64 import b64encode

    from truebleu.reports.charts import picture

    data = b64encode(picture(chart, ".svg")).decode()
    return f'<p><img src="data:image/svg+xml;base64,{data}" alt="{text_of(chart.title)}"></p>'


def render_table(table: Table) -> str:
    """Render a table without a style sheet, with bars in rows and shades for groups of rows."""
    notes = _notes(table.notes) if table.notes else ""
    if not table.rows:
        return notes
    bars = {bar.column: (bar, _ends(bar, table.rows)) for bar in table.bars}
    columns = [
        (column, table.is_numeric(column), bars.get(column.name)) for column in table.columns
    ]
    headings = "".join(
        f"<th{_aligned(numeric)}>{text_of(column.heading)}</th>"
        + (f"<th>{text_of(bar[0].heading)}</th>" if bar else "")
        for column, numeric, bar in columns
    )
    rows, shaded = [], False
    for index, row in enumerate(table.rows):
        shaded ^= bool(index and table.rule is not None and row.get(table.rule))
        cells = "".join(
            f"<td{_aligned(numeric)}>{_cell(column, row, numeric=numeric)}</td>"
            + ("" if bar is None else f'<td class="bar">{_bar(*bar, row)}</td>')
            for column, numeric, bar in columns
        )
        shade = ' style="background: rgba(127, 127, 127, 0.12)"' if shaded else ""
        rows.append(f"<tr{shade}>{cells}</tr>")
    body = "\n".join(rows)
    return (
        f"<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{notes}"
    )


def _aligned(numeric: bool) -> str:
    return f' style="text-align: {"right" if numeric else "left"}"'


def _cell(column: Column, row: Row, *, numeric: bool) -> str:
    text = column.cell(row.get(column.name))
    shown = sentence_of(text) if numeric else text_of(text)
    if len(text) > LONGEST_NAME and " " not in text and ":" not in text:
        half = LONGEST_NAME // 2
        short = f"{text[:half]}…{text[-half:]}"
        shown = f'<span title="{shown}">{text_of(short)}</span>'
    return shown


# Bars.

# Colours of the report's page. Mixed with the colour of the text, they suit dark pages, too.
COLOURS = {
    verdict: f"color: {colour}; color: color-mix(in srgb, {bright} 75%, currentColor); "
    for verdicts, colour, bright in (
        (("better", "best"), "#1f55a0", "#2971d5"),
        (("worse",), "#a8410a", "#e0570d"),
    )
    for verdict in verdicts
}
CELL = "position: relative; display: block; min-width: min(9em, 13vw); height: 1.4em"


def _ends(bar: Bar, rows: Sequence[Row]) -> tuple[float, float]:
    """Return the numbers at both ends of the cells, slightly beyond the numbers in rows."""
    names = (bar.value or bar.column, bar.low, bar.high)
    values = [value for row in rows for name in names if is_number(value := row.get(name))]
    if len(values) > MANY:
        first, _, third = quantiles(values)
        far = FARTHEST * (third - first)
        values = [value for value in values if first - far <= value <= third + far]
    if bar.zero or not values:
        values.append(0.0)
    room = 0.04 * (max(values) - min(values) or abs(values[0]) or 1.0)
    return min(values) - room, max(values) + room


def _bar(bar: Bar, ends: tuple[float, float], row: Row) -> str:

    def position(value: Value, otherwise: float) -> float:
        number = value if is_number(value) else otherwise
        return 100 * min(1.0, max(0.0, (number - ends[0]) / (ends[1] - ends[0])))

    def span(low: float, high: float, look: str, colour: str = "") -> str:
        size = f"{colour}left: {low:.1f}%; width: {high - low:.1f}%"
        return f'<span style="position: absolute; background: currentColor; {size}; {look}"></span>'

    value = row.get(bar.value or bar.column)
    if not is_number(value):
        return ""
    parts = []
    if bar.zero:
        look = "min-width: 1px; top: 0; height: 100%; opacity: 0.5"
        parts.append(span(position(0.0, 0), position(0.0, 0), look))
    verdict = str(row.get(str(bar.verdict)))
    colour, at = COLOURS.get(verdict, ""), position(value, 0)
    low, high = position(row.get(bar.low), ends[0]), position(row.get(bar.high), ends[1])
    line = "top: calc(50% - 1px); height: 2px"
    dot = "top: calc(50% - 5px); height: 10px; min-width: 10px; margin-left: -5px"
    dot = f"{dot}; border-radius: 50%"
    if verdict == "undecided":
        # The line must end at the rim of a hollow dot, which is transparent.
        parts.append(span(low, at, f"{line}; clip-path: inset(0 5px 0 0)", colour))
        parts.append(span(at, high, f"{line}; clip-path: inset(0 0 0 5px)", colour))
        dot += "; background: none; border: 2px solid; box-sizing: border-box"
    elif bar.low in row:
        parts.append(span(low, high, line, colour))
    parts.append(span(at, at, dot, colour))
    return f'<span style="{CELL}">{"".join(parts)}</span>'


def _notes(lines: tuple[str, ...]) -> str:
    return "".join(f"<p><code>{text_of(line)}</code></p>" for line in lines)


def sentence_of(text: str) -> str:
    """Escape a text, with minus signs instead of hyphens before numbers."""
    return text_of(MINUS.sub("−", text))


def text_of(text: str) -> str:
    """Escape a text, so that nothing in it is markup."""
    return escape(one_line(text))
