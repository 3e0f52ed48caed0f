"""HTML without scripts, for notebooks and the report: everything escaped, nothing loaded."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table, is_number, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.reports.document import Block, Chart, Document, Plot, Renderable, Row, Value


def render(document: Document, _result: Renderable | None = None) -> str:
    """The blocks as a fragment of a page."""
    parts = [part for block in document.blocks if (part := render_block(block))]
    return '<div class="truebleu">\n' + "\n".join(parts) + "\n</div>\n"


def render_block(block: Block, *, styled: bool = True) -> str:
    """One block; empty for a chart of numbers against numbers, which a file can show.

    Args:
        block: what is rendered.
        styled: whether cells are aligned by their own style, as a notebook needs it, or by classes
            for the style sheet of a page that forbids all other styles.
    """
    if isinstance(block, Heading):
        return f"<p><strong>{_text(block.text)}</strong></p>"
    if isinstance(block, Table):
        return _table(block, styled=styled)
    if isinstance(block, Sentences):
        return "".join(f"<p>{_text(line)}</p>" for line in block.lines)
    if isinstance(block, Notes):
        return _notes(block.lines)
    return _chart(block)


def _table(table: Table, *, styled: bool) -> str:
    notes = _notes(table.notes) if table.notes else ""
    if not table.rows:
        return notes
    numeric = [table.is_numeric(column) for column in table.columns]
    left, right, scope = ' dir="auto"', ' class="number"', ' scope="col"'
    if styled:
        left, right, scope = ' style="text-align: left"', ' style="text-align: right"', ""
    styles = [right if is_numeric else left for is_numeric in numeric]
    headings = "".join(
        f"<th{scope}{style}>{_text(column.heading)}</th>"
        for style, column in zip(styles, table.columns, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td{style}>{_text(cell)}</td>" for style, cell in zip(styles, row, strict=True))
        + "</tr>"
        for row in table.cells()
    )
    drawn = f"<table>\n<thead><tr>{headings}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    return (drawn if styled else f'<div class="scroll">{drawn}</div>') + notes


# Charts whose rows have names: a table with a bar, or a dot and its interval, in each row.

# More rows than this are a blot.
MOST_ROWS = 500
LEFT_CAPTION = '<caption style="text-align: left">'
CELL = "position: relative; display: block; width: 16em; height: 1.4em"


def _chart(chart: Chart) -> str:
    """Rows with bars, panels one below the other."""
    plot = chart.plot
    rows = [row for row in chart.table.rows if is_number(row.get(plot.y))]
    if not rows or len(rows) > MOST_ROWS or all(is_number(row.get(plot.x)) for row in rows):
        return ""
    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault("" if plot.panel is None else str(row.get(plot.panel)), []).append(row)
    headings = {column.name: column.heading for column in chart.table.columns}
    tables = []
    for panel, members in panels.items():
        ends = _ends(plot, members if plot.shared_y is False else rows)
        measured = headings.get(plot.y, plot.y)
        if plot.y_heading is not None:
            measured = str(members[0].get(plot.y_heading))
        titles = (panel, "" if measured in panel else measured)
        caption = f"{LEFT_CAPTION}{_text(': '.join(filter(None, titles)))}</caption>"
        several = len({row.get(str(plot.series)) for row in members}) > 1
        series = plot.series if several and plot.mark != "bar" else None
        drawn = "\n".join(_bar_row(plot, row, ends, series) for row in members)
        tables.append(f"<table>{caption}<tbody>\n{drawn}\n</tbody></table>")
    interval = f"<p>{_text(plot.interval)}</p>" if plot.interval else ""
    title = f"<figcaption>{_text(chart.title)}</figcaption>"
    return f"<figure>{title}{''.join(tables)}{interval}</figure>"


def _ends(plot: Plot, rows: Sequence[Row]) -> tuple[float, float]:
    """The numbers at both ends of the cells, a little beyond those of the rows."""
    names = (plot.y, plot.base, *(plot.errors or ()))
    values = [value for row in rows for name in names if is_number(value := row.get(str(name)))]
    if plot.mark == "bar":
        values.append(0.0)
    room = 0.04 * (max(values) - min(values) or abs(values[0]) or 1.0)
    return min(values) - room, max(values) + room


def _bar_row(plot: Plot, row: Row, ends: tuple[float, float], series: str | None) -> str:
    def place(value: float) -> float:
        return 100 * (value - ends[0]) / (ends[1] - ends[0])

    def span(low: float, high: float, top: str, height: str, look: str = "") -> str:
        size = f"left: {low:.2f}%; width: max(1px, {high - low:.2f}%); top: {top}; height: {height}"
        return f'<span style="position: absolute; background: currentColor; {size}{look}"></span>'

    value, base = _number(row[plot.y]), _number(row.get(str(plot.base)) or 0.0)
    parts = []
    if ends[0] <= 0 <= ends[1]:
        parts.append(span(place(0.0), place(0.0), "0", "100%", "; opacity: 0.4"))
    low, high = (row.get(name) for name in plot.errors or ("", ""))
    if is_number(low) and is_number(high):
        parts.append(span(place(low), place(high), "calc(50% - 1px)", "2px"))
    if plot.mark == "bar":
        first, last = sorted((place(base), place(value)))
        parts.append(span(first, last, "20%", "60%", "; opacity: 0.5"))
    else:
        dot = "; width: 8px; margin-left: -4px; border-radius: 50%"
        parts.append(span(place(value), place(value), "calc(50% - 4px)", "8px", dot))
    signed = plot.mark == "bar" or row.get(str(plot.reference_field)) is not None
    written = f"{value - base:+.4g}" if signed else f"{value:.4g}"
    kind = "" if series is None else f"<td>{_text(str(row.get(series)))}</td>"
    return (
        f'<tr><th scope="row" style="text-align: left">{_text(str(row.get(plot.x)))}</th>'
        f'<td><span style="{CELL}">{"".join(parts)}</span></td>'
        f'<td style="text-align: right">{written.replace("-", "−")}</td>{kind}</tr>'
    )


def _number(value: Value) -> float:
    return float(value)  # type: ignore[arg-type]  # only numbers are asked for


def _notes(lines: tuple[str, ...]) -> str:
    return "".join(f"<p><code>{_text(line)}</code></p>" for line in lines)


def _text(text: str) -> str:
    return escape(one_line(text))
