"""Charts as plain SVG, which needs no library: colours come from the page's style sheet."""

from __future__ import annotations

from html import escape
from math import floor, log10
from typing import TYPE_CHECKING

from truebleu.reports.document import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.reports.document import Chart, Column, Plot, Row, Value

WIDTH = 760
# Where a chart's own area begins and ends, beside labels and numbers.
LEFT, RIGHT = 230, 660
ROW, HEAD, AXIS = 26, 26, 34
# The height of charts with two axes of numbers.
HEIGHT = 240
# Labels are cut to this many characters.
LONGEST_LABEL = 32
# More marks than this are a blot.
MOST_MARKS = 2000


def svg(chart: Chart) -> str:
    """A chart of a page; empty where it would show nothing that can be read.

    Rows with names are drawn one below the other, numbers against numbers between two axes.
    """
    plot, rows = chart.plot, chart.table.rows
    if not rows or len(rows) > MOST_MARKS:
        return ""
    names = {column.name: column for column in chart.table.columns}
    drawn = [row for row in rows if _is_number(row.get(plot.y))]
    if not drawn:
        return ""
    if all(_is_number(row.get(plot.x)) for row in drawn):
        if plot.panel is not None or plot.series is not None:
            return ""
        return _axes(chart, drawn, names)
    return _rows(chart, drawn, names)


def _figure(chart: Chart, height: float, marks: Iterable[str], caption: str = "") -> str:
    title = escape(one_line(chart.title))
    below = f"<figcaption>{escape(one_line(caption))}</figcaption>" if caption else ""
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(marks)}</svg>{below}</figure>"
    )


def _rows(chart: Chart, rows: Sequence[Row], names: dict[str, Column]) -> str:
    """A bar or a point for each row, with its error bar; panels stand one below the other."""
    plot = chart.plot
    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault("" if plot.panel is None else str(row.get(plot.panel)), []).append(row)
    kinds = list(plot.series_order)
    if plot.series is not None:
        kinds += [kind for row in rows if (kind := str(row.get(plot.series))) not in kinds]
    marks: list[str] = []
    top = 4.0
    shared = None if plot.shared_y is False else _scale_of(plot, rows)
    for panel, members in panels.items():
        scale = shared or _scale_of(plot, members)
        if panel:
            marks.append(_label(4, top + 17, panel, "panel"))
            top += HEAD
        bottom = top + ROW * len(members)
        marks += [_tick(scale, tick, top, bottom) for tick in scale.ticks()]
        if scale.low <= 0 <= scale.high:
            marks.append(f'<path class="zero" d="M{scale(0.0):.1f} {top:.1f}V{bottom:.1f}"/>')
        for row in members:
            look = 0 if plot.series is None else kinds.index(str(row.get(plot.series)))
            marks += _row(plot, row, scale, top, look)
            top += ROW
        heading = names[plot.y].heading
        if plot.y_heading is not None:
            heading = str(members[0].get(plot.y_heading))
        marks.append(_label((LEFT + RIGHT) / 2, top + 30, heading, "axis", "middle"))
        top += AXIS + 6
    # Bars say by themselves on which side they are.
    told = plot.series if plot.mark != "bar" else None
    present = set() if told is None else {str(row.get(told)) for row in rows}
    legend = [f"{SYMBOLS[n % 4]} {kind}" for n, kind in enumerate(kinds) if kind in present]
    caption = " · ".join([*legend, *([plot.interval] if plot.interval else [])])
    return _figure(chart, top, marks, caption)


# How kinds of points and bars look, one after the other; colours differ as well.
SYMBOLS = "●◆○■"


def _row(plot: Plot, row: Row, scale: _Scale, top: float, kind: int) -> Iterator[str]:
    middle, value = top + ROW / 2, _number(row[plot.y])
    base = _number(row[plot.base]) if plot.base is not None else 0.0
    yield _label(LEFT - 12, middle + 4, str(row.get(plot.x)), "name", "end")
    if plot.mark == "bar":
        start, end = sorted((scale(base), scale(value)))
        yield (
            f'<rect class="kind-{kind % 4}" x="{start:.1f}" y="{top + 5:.1f}" '
            f'width="{max(end - start, 0.5):.1f}" height="{ROW - 10}"/>'
        )
    if plot.errors and _is_number(row.get(plot.errors[0])):
        a, b = (scale(_number(row[end])) for end in plot.errors)
        yield f'<path class="interval" d="M{a:.1f} {middle - 4:.1f}v8m0 -4H{b:.1f}m0 -4v8"/>'
    if plot.mark != "bar":
        yield _point(scale(value), middle, kind)
    signed = plot.mark == "bar" or row.get(str(plot.reference_field)) is not None
    written = f"{value - base:+.4g}" if signed else f"{value:.4g}"
    yield _label(RIGHT + 12, middle + 4, written.replace("-", "−"), "value")


def _point(x: float, y: float, kind: int) -> str:
    look = f'class="kind-{kind % 4}"'
    if kind % 4 == 1:
        return f'<path {look} d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'
    if kind % 4 == 3:
        return f'<rect {look} x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    return f'<circle {look} cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


def _scale_of(plot: Plot, rows: Sequence[Row]) -> _Scale:
    ends = [name for name in (plot.y, *(plot.errors or ()), plot.base) if name is not None]
    values = [_number(row.get(name)) for row in rows for name in ends if _is_number(row.get(name))]
    if plot.mark == "bar":
        values.append(0.0)
    pad = 0.04 * (max(values) - min(values) or abs(values[0]) or 1.0)
    return _Scale(min(values) - pad, max(values) + pad, LEFT, RIGHT)


def _axes(chart: Chart, rows: Sequence[Row], names: dict[str, Column]) -> str:
    """Points or a line between two axes."""
    plot = chart.plot
    points = [(_number(row[plot.x]), _number(row[plot.y])) for row in rows]
    across = _Scale(min(x for x, _ in points), max(x for x, _ in points), 60, WIDTH - 20)
    heights = [y for _, y in points]
    reference = plot.reference
    if plot.reference_field is not None and _is_number(rows[0].get(plot.reference_field)):
        reference = _number(rows[0][plot.reference_field])
    if reference is not None:
        heights.append(reference)
    if plot.zero_y:
        heights.append(0.0)
    pad = 0.06 * (max(heights) - min(heights) or 1.0)
    up = _Scale(min(heights) - pad, max(heights) + pad, HEIGHT - 44, 10)
    marks = []
    for tick in up.ticks():
        y = up(tick)
        marks.append(f'<path class="grid" d="M60 {y:.1f}H{WIDTH - 20}"/>')
        marks.append(_label(52, y + 4, _written(tick), "axis", "end"))
    for tick in across.ticks():
        marks.append(_label(across(tick), HEIGHT - 28, _written(tick), "axis", "middle"))
    if reference is not None:
        marks.append(f'<path class="reference" d="M60 {up(reference):.1f}H{WIDTH - 20}"/>')
    if plot.mark == "line":
        path = "L".join(f"{across(x):.1f} {up(y):.1f}" for x, y in points)
        marks.append(f'<path class="line" d="M{path}"/>')
    else:
        marks += [
            f'<circle class="kind-0" cx="{across(x):.1f}" cy="{up(y):.1f}" r="3"/>'
            for x, y in points
        ]
    marks.append(_label(60, HEIGHT - 8, names[plot.x].heading, "axis"))
    marks.append(_label(WIDTH - 20, HEIGHT - 8, f"↑ {names[plot.y].heading}", "axis", "end"))
    return _figure(chart, HEIGHT, marks)


class _Scale:
    """Numbers to places."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high if high > low else low + 1.0
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Four to eight round numbers."""
        raw = (self.high - self.low) / 5
        power = 10.0 ** floor(log10(raw))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
        first = -floor(-self.low / step)
        count = floor(self.high / step) - first + 1
        return [round((first + i) * step, 12) for i in range(count)]


def _tick(scale: _Scale, tick: float, top: float, bottom: float) -> str:
    x = scale(tick)
    line = f'<path class="grid" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
    return line + _label(x, bottom + 15, _written(tick), "axis", "middle")


def _label(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    short = (
        text
        if len(text) <= LONGEST_LABEL or kind in ("axis", "panel")
        else (f"{text[: LONGEST_LABEL - 1]}…")
    )
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(one_line(short))}</text>"
    )


def _written(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Value) -> float:
    return float(value)  # type: ignore[arg-type]  # only numbers are asked for
