"""Differences with intervals on one axis, as a table with drawings in its rows."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from truebleu.reports.document import bracketed
from truebleu.reports.formats.html import MINUS, sentence_of, text_of
from truebleu.reports.percent import PERCENT_DIGITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.significance.compare import MetricResult
    from truebleu.significance.pairs import DifferenceBounds

# Longer names lose their middle.
LONGEST_NAME = 25
# Steps between ticks, and the maximum number of ticks.
STEPS, MOST_TICKS, TICKS_WHEN_CUT = (1, 2, 5, 10), 8, 4
# Heights of a row and of the axis, in pixels.
HEIGHT, AXIS = 30, 44
# Rows that reach farther than this many times the middle row are drawn at the edge of the axis.
FARTHEST, FEW_ROWS = 2.0, 6


@dataclass(frozen=True, slots=True)
class Scale:
    """Format of a metric's numbers; scores of 0 and 1 are shown as percentages and points.

    Attributes:
        digits: decimals.
        factor: 100 for percentages, else 1.
        sign: -1 if lower is better, so that differences are turned, else 1.
    """

    digits: int
    factor: int = 1
    sign: int = 1

    @classmethod
    def of(cls, metric: MetricResult) -> Scale:
        """Return the scale of a metric."""
        sign = -1 if metric.higher_is_better is False else 1
        return cls(PERCENT_DIGITS, 100, sign) if metric.percent else cls(metric.digits, 1, sign)

    def score(self, score: float) -> str:
        """Format a score."""
        return f"{self.factor * score:.{self.digits}f}{' %' if self.factor > 1 else ''}"

    def size(self, difference: float) -> str:
        """Format the size of a difference."""
        return f"{abs(self.factor * difference):.{self.digits}f}"

    def turned(self, value: float) -> float:
        """Return a difference with higher being better, as it is shown."""
        return self.factor * self.sign * value

    def turned_interval(self, bounds: DifferenceBounds) -> DifferenceBounds:
        """Return an interval with higher being better, as it is shown."""
        low, high = (None if bound is None else self.turned(bound) for bound in bounds)
        return (low, high) if self.sign > 0 else (high, low)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One difference, drawn to the right of 0 if the first system is better.

    Attributes:
        label: name of the row.
        scale: format of its numbers.
        note: text beside the name.
        link: selection of segments that the name links to.
        scores: scores of both systems; None if unknown.
        difference: first score minus the second; None for a heading.
        interval: interval of the difference; None if it was not tested.
        p: cells at the end of the row.
        significant: True if the systems differ significantly.
        band: differences up to this size are unnoticed by people; None if unknown.
    """

    label: str
    scale: Scale = Scale(2)
    note: str = ""
    link: str | None = None
    scores: tuple[float, float] | None = None
    difference: float | None = None
    interval: DifferenceBounds | None = None
    p: tuple[str, ...] = ()
    significant: bool = False
    band: float | None = None

    def numbers(self) -> list[float]:
        """Return all numbers that the axis should hold."""
        bounds = self.turned_interval()
        values = [bound for bound in bounds or () if bound is not None]
        return values if self.difference is None else [*values, self.scale.turned(self.difference)]

    def turned_interval(self) -> DifferenceBounds | None:
        """Return the interval as it is shown."""
        return None if self.interval is None else self.scale.turned_interval(self.interval)


def name_of(name: str) -> str:
    """Escape a name that never breaks; a long one loses its middle, and has a title."""
    if len(name) <= LONGEST_NAME:
        return f'<span class="name">{text_of(name)}</span>'
    half = LONGEST_NAME // 2
    short = f"{name[:half]}…{name[-half:]}"
    return f'<span class="name" title="{text_of(name)}">{text_of(short)}</span>'


def with_names(sentence: str, names: Iterable[str]) -> str:
    """Escape a sentence, in which the names of systems never break."""
    parts = {sentence_of(name): name_of(name) for name in sorted(names, key=len, reverse=True)}
    escaped, shown = sentence_of(sentence), []
    for number, (name, element) in enumerate(parts.items()):
        # Placeholders, as a name may occur in another.
        escaped = escaped.replace(name, f"\0{number}\0")
        shown.append(element)
    for number, element in enumerate(shown):
        escaped = escaped.replace(f"\0{number}\0", element)
    return escaped


class Axis:
    """A horizontal axis of differences that includes 0; positions are percentages.

    With `cut` and more than `FEW_ROWS` rows, rows that reach more than `FARTHEST` times as far as
    the median row do not extend it.
    """

    def __init__(self, rows: Iterable[Sequence[float]], *, cut: bool = False) -> None:
        known = sorted((values for row in rows if (values := list(row))), key=_reach)
        if cut and len(known) > FEW_ROWS:
            limit = FARTHEST * _reach(known[len(known) // 2])
            known = [values for values in known if _reach(values) <= limit]
        values = [0.0, *(value for row in known for value in row)]
        room = 0.06 * ((max(values) - min(values)) or 1.0)
        self.low, self.high = min(values) - room, max(values) + room
        maximum, length = TICKS_WHEN_CUT if cut else MOST_TICKS, self.high - self.low
        step = 10.0 ** floor(log10(length / maximum))
        self.step = next(step * factor for factor in STEPS if length / (step * factor) <= maximum)

    def at(self, value: float) -> str:
        """Return the position of a value."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    def ticks(self) -> list[float]:
        """Return the values with a tick, 0 among them."""
        return [
            self.step * number
            for number in range(ceil(self.low / self.step), floor(self.high / self.step) + 1)
        ]

    def grid(self, top: int, bottom: int) -> str:
        """Draw a line for each tick."""
        return "".join(
            f'<line class="{"grid" if tick else "zero"}" x1="{self.at(tick)}" '
            f'x2="{self.at(tick)}" y1="{top}" y2="{bottom}"/>'
            for tick in self.ticks()
        )

    def heading(self, left: str, right: str) -> str:
        """Draw the labels of the ticks, and whom either side is for."""
        digits = max(0, -floor(log10(self.step) + 1e-9))
        labels = "".join(
            f'<text x="{self.at(tick)}" y="36" text-anchor="middle"'
            f"{' class=wide' if number % 2 and len(self.ticks()) > 4 and tick else ''}>"
            f"{_signed(tick, digits) if tick else 0}</text>"
            for number, tick in enumerate(self.ticks())
        )
        sides = f'<text x="0" y="14">{left}</text>' if left else ""
        sides += f'<text x="100%" y="14" text-anchor="end">{right}</text>' if right else ""
        grid = self.grid(AXIS - 4, AXIS)
        return f'<svg width="100%" height="{AXIS}" aria-hidden="true">{sides}{labels}{grid}</svg>'

    def row(
        self,
        difference: float,
        bounds: DifferenceBounds | None,
        *,
        significant: bool,
        band: float | None = None,
        label: str = "",
    ) -> str:
        """Draw one difference: filled if significant, an arrow if it is beyond the axis."""
        middle = HEIGHT // 2
        side = "none" if not significant else "ahead" if difference > 0 else "behind"
        parts = ""
        if band:
            width = f"{200 * min(band, self.high) / (self.high - self.low):.2f}%"
            start = self.at(-band)
            parts += f'<rect class="band" x="{start}" width="{width}" y="5" height="20"/>'
        parts += self.grid(0, HEIGHT)
        low, high = bounds or (difference, difference)
        low = self.low if low is None else max(low, self.low)
        high = self.high if high is None else min(high, self.high)
        if low <= high and bounds is not None:
            parts += (
                f'<line class="interval" x1="{self.at(low)}" x2="{self.at(high)}" '
                f'y1="{middle}" y2="{middle}"/>'
            )
        if self.low <= difference <= self.high:
            parts += f'<circle class="dot" cx="{self.at(difference)}" cy="{middle}" r="4.5"/>'
        else:
            x, arrow, end = ("0", "◂", "") if difference < self.low else ("100%", "▸", "end")
            parts += f'<text class="far" x="{x}" y="{middle + 4}" text-anchor="{end or "start"}">'
            parts += f"{arrow}</text>"
        return (
            f'<svg width="100%" height="{HEIGHT}" class="{side}" role="img" '
            f'aria-label="{text_of(label)}">{parts}</svg>'
        )


def _reach(values: Sequence[float]) -> float:
    return max(map(abs, values))


def _signed(value: float, digits: int) -> str:
    return MINUS.sub("−", f"{value:+.{digits}f}")


def forest(
    rows: Sequence[ForestRow], systems: tuple[str, str], p_headings: Sequence[str], level: float
) -> str:
    """Draw differences between two systems below each other."""
    axis = Axis(row.numbers() for row in rows)
    first, second = map(name_of, systems)
    better = '<tspan class="wide"> better</tspan>'
    short_names = [text_of(_short(name)) for name in systems]
    drawing = axis.heading(f"← {short_names[1]}{better}", f"{short_names[0]}{better} →")
    p = "".join(f'<th class="number wide" scope="col">{heading}</th>' for heading in p_headings)
    body = "".join(_row(row, axis, len(p_headings)) for row in rows)
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Differences">'
        f'<table class="forest"><thead><tr><td></td>'
        f'<th class="number wide" scope="col">{first}</th>'
        f'<th class="number wide" scope="col">{second}</th>'
        f'<th class="plot" scope="col"><span class="hidden">drawing</span>{drawing}</th>'
        f'<th class="number" scope="col">{_difference_heading(rows)}</th>'
        f'<th class="number wide" scope="col">{100 * level:g} % interval</th>{p}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _difference_heading(rows: Sequence[ForestRow]) -> str:
    if all(row.scale.factor > 1 for row in rows if row.difference is not None):
        return "points"
    return '<span class="wide">difference</span><span class="narrow">diff.</span>'


def _short(name: str) -> str:
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


def _row(row: ForestRow, axis: Axis, p_cells: int) -> str:
    label = text_of(row.label)
    if row.link is not None:
        label = f'<a href="#{escape(row.link)}">{label}</a>'
    if row.note:
        look = "" if row.note.replace(",", "").isdigit() else ' class="wide"'
        label += f" <small{look}>{text_of(row.note)}</small>"
    if row.difference is None:
        return f'<tr class="part"><th scope="rowgroup" colspan="{6 + p_cells}">{label}</th></tr>'
    shown = row.scale.turned(row.difference)
    bounds, digits = row.turned_interval(), row.scale.digits
    interval = "" if bounds is None else bracketed(bounds, digits, sign="+")
    scores = ("", "") if row.scores is None else tuple(map(row.scale.score, row.scores))
    drawing = axis.row(
        shown,
        bounds,
        significant=row.significant,
        band=row.band,
        label=f"{row.label}: {shown:+.{digits}f} {interval}",
    )
    p = row.p if len(row.p) == p_cells else ("",) * (p_cells - len(row.p)) + row.p
    cells = [sentence_of(interval), *map(text_of, p)]
    return (
        f'<tr><th scope="row">{label}</th><td class="number wide">{scores[0]}</td>'
        f'<td class="number wide">{scores[1]}</td><td class="plot">{drawing}</td>'
        f'<td class="number">{_signed(shown, digits)}</td>'
        + "".join(f'<td class="number wide">{cell}</td>' for cell in cells)
        + "</tr>"
    )
