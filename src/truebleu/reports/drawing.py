"""Tables of numbers with intervals drawn on one axis, and names that never break."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from math import ceil, floor, inf, log10
from typing import TYPE_CHECKING, Literal

from truebleu.reports.document import bracketed, is_number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truebleu.reports.document import Bar, Row, Table
    from truebleu.significance.compare import MetricResult
    from truebleu.significance.pairs import DifferenceBounds

    # Classes, heading and cells of a column, as HTML.
    Column = tuple[str, str, Sequence[str]]
    # A difference, its interval, and whether it is significant.
    Tested = tuple[float, DifferenceBounds | None, bool]

# Longer names lose their middle.
LONGEST_NAME = 25
# Factors between ticks, and maximum numbers of intervals between ticks, with 0 and without.
STEPS, MOST_TICKS, FEW_TICKS = (1, 2, 5, 10), 8, 4
# Heights of a row and of the axis, in pixels.
HEIGHT, AXIS = 30, 44
# Rows whose numbers exceed this many times the median row's are drawn at the edge of the axis.
FARTHEST, FEW_ROWS = 2.0, 6


# A hyphen before a number is a minus sign.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")


def text_of(text: str) -> str:
    """Return a text with escapes, so that nothing in it is markup."""
    return escape(one_line(text))


def sentence_of(text: str) -> str:
    """Return a text with escapes, and with minus signs instead of hyphens before numbers."""
    return text_of(MINUS.sub("−", text))


def short(name: str) -> str:
    """Return a name; the middle of a long one becomes an ellipsis."""
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


def name_of(name: str) -> str:
    """Render a name as an element that never breaks, with a title if it is shortened."""
    title = "" if short(name) == name else f' title="{text_of(name)}"'
    return f'<span class="name"{title}>{text_of(short(name))}</span>'


def with_names(sentence: str, names: Iterable[str]) -> str:
    """Render a sentence in which the names of systems never break."""
    elements = {sentence_of(name): name_of(name) for name in sorted(names, key=len, reverse=True)}
    names_in_text = re.compile("|".join(map(re.escape, elements)))
    return names_in_text.sub(lambda match: elements[match[0]], sentence_of(sentence))


def linked(cell: str, address: object, note: str = "") -> str:
    """Return a cell as HTML: a link if it has an address, then its note."""
    cell = f'<a href="#{escape(str(address))}">{cell}</a>' if address else cell
    return f"{cell} <small>{text_of(note)}</small>" if note else cell


def negated(bounds: DifferenceBounds) -> DifferenceBounds:
    """Return the interval of the negated difference."""
    low, high = (None if bound is None else -bound for bound in bounds)
    return high, low


def score_text(score: float, metric: MetricResult) -> str:
    """Format a score, as a percentage if scores are rates."""
    return sentence_of(f"{score:.{metric.digits}f}{' %' if metric.percent else ''}")


@dataclass(frozen=True, slots=True)
class Mark:
    """A number with its interval, drawn on an axis.

    Attributes:
        label: description for readers who cannot see the drawing.
        value: the number.
        bounds: interval; None without one.
        digits: decimals.
        look: "ahead", "behind" or "known", which are filled, or "none", which is hollow.
        sign: "+" if positive numbers have a sign.
        band: size of differences that human raters do not notice; None if unknown.
    """

    label: str
    value: float
    bounds: DifferenceBounds | None
    digits: int
    look: str
    sign: Literal["", "+"] = "+"
    band: float | None = None

    @classmethod
    def of(
        cls, label: str, tested: Tested, metric: MetricResult, band: float | None = None
    ) -> Mark:
        """Return the mark of a difference, negated if lower is better: right is better."""
        difference, bounds, significant = tested
        if metric.higher_is_better is False:
            difference, bounds = -difference, None if bounds is None else negated(bounds)
        look = "none" if not significant else "ahead" if difference > 0 else "behind"
        return cls(label, difference, bounds, metric.digits, look, band=band)

    @property
    def numbers(self) -> list[float]:
        """The value and the bounds that are known."""
        return [self.value, *(bound for bound in self.bounds or () if bound is not None)]

    @property
    def text(self) -> str:
        """The value, rounded."""
        return sentence_of(f"{self.value:{self.sign}.{self.digits}f}")

    @property
    def interval(self) -> str:
        """The interval, rounded; "" without one."""
        bounds = self.bounds
        return sentence_of(bracketed(bounds, self.digits, sign=self.sign)) if bounds else ""


class Axis:
    """A horizontal axis of numbers with a tick at round ones.

    Args:
        rows: numbers of each row.
        zero: True for differences: the axis includes 0 and its numbers have signs.
        cut: True if rows beyond `FARTHEST` times the median row are drawn at the edge, unless
            there are few rows.
    """

    def __init__(
        self, rows: Iterable[Sequence[float]], *, zero: bool = True, cut: bool = False
    ) -> None:
        known = sorted((max(map(abs, values)), values) for values in rows)
        if cut and len(known) > FEW_ROWS:
            limit = FARTHEST * known[len(known) // 2][0]
            known = [(size, values) for size, values in known if size <= limit]
        values = [value for _, row in known for value in row] + [0.0] * zero
        size = max(values) - min(values)
        room = 0.06 * size or 0.05 * abs(values[0]) or 1.0
        self.sign = "+" if zero else ""
        self.low, self.high = min(values) - room, max(values) + room
        length = self.high - self.low
        maximum = MOST_TICKS if zero else FEW_TICKS
        step = 10.0 ** floor(log10(length / maximum))
        self.step = next(step * factor for factor in STEPS if length / (step * factor) <= maximum)

    def share(self, value: float) -> float:
        """Return the position of a value, from 0 to 1 and no farther."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def at(self, value: float) -> str:
        """Return the position of a value in per cent."""
        return f"{100 * self.share(value):.2f}%"

    def ticks(self) -> dict[float, str]:
        """Return the values with a tick, and their labels."""
        digits = max(0, -floor(log10(self.step) + 1e-9))
        numbers = range(ceil(self.low / self.step), floor(self.high / self.step) + 1)
        return {
            self.step * n: sentence_of(f"{self.step * n:{self.sign if n else ''},.{digits}f}")
            if n or not self.sign
            else "0"
            for n in numbers
        }

    def grid(self, top: int, bottom: int) -> str:
        """Draw a line for each tick."""
        return "".join(
            f'<line class="{"grid" if tick or not self.sign else "zero"}" x1="{self.at(tick)}" '
            f'x2="{self.at(tick)}" y1="{top}" y2="{bottom}"/>'
            for tick in self.ticks()
        )

    def heading(self, left: str = "", right: str = "") -> str:
        """Draw the labels of the ticks, and whom either side is for."""
        ticks = self.ticks()
        labels = "".join(
            f'<text x="{self.at(tick)}" y="36" text-anchor="middle"'
            f"{' class=wide' if number % 2 and len(ticks) > 4 and tick else ''}>{text}</text>"
            for number, (tick, text) in enumerate(ticks.items())
        )
        sides = f'<text x="0" y="14">{left}</text>' if left else ""
        sides += f'<text x="100%" y="14" text-anchor="end">{right}</text>' if right else ""
        return (
            f'<span class="hidden">drawing</span><svg width="100%" height="{AXIS}" '
            f'aria-hidden="true">{sides}{labels}{self.grid(AXIS - 4, AXIS)}</svg>'
        )

    def row(self, mark: Mark) -> str:
        """Draw a mark, or an arrow if it is beyond the axis."""
        middle, parts = HEIGHT // 2, ""
        if mark.band:
            start, end = self.share(-mark.band), self.share(mark.band)
            width = f"{100 * (end - start):.2f}%"
            parts = f'<rect class="band" x="{100 * start:.2f}%" width="{width}" y="5" height="20"/>'
        parts += self.grid(0, HEIGHT)
        if mark.bounds not in (None, (None, None)):
            low, high = mark.bounds
            left, right = -inf if low is None else low, inf if high is None else high
            parts += f'<line class="interval" x1="{self.at(left)}" x2="{self.at(right)}" '
            parts += f'y1="{middle}" y2="{middle}"/>'
        if self.low <= mark.value <= self.high:
            parts += f'<circle class="dot" cx="{self.at(mark.value)}" cy="{middle}" r="4.5"/>'
        else:
            arrow, anchor = ("◂", "start") if mark.value < self.low else ("▸", "end")
            parts += f'<text x="{self.at(mark.value)}" y="{middle + 4}" text-anchor="{anchor}">'
            parts += f"{arrow}</text>"
        label = f"{text_of(mark.label)}: {mark.text} {mark.interval}"
        return (
            f'<svg width="100%" height="{HEIGHT}" class="{mark.look}" role="img" '
            f'aria-label="{label}">{parts}</svg>'
        )

    def cells(self, mark: Mark) -> tuple[str, str, str]:
        """Return the cells of a mark: drawing, value and interval."""
        return self.row(mark), mark.text, mark.interval


def drawn_table(
    look: str, columns: Sequence[Column], kinds: Iterable[str] = (), caption: str = ""
) -> str:
    """Render columns of HTML cells.

    Args:
        look: class of the table.
        columns: classes, heading and cells of each column; the class "of-row" marks the headings
            of rows.
        kinds: class of each row; "part" is a heading in the first column.
        caption: caption as HTML.
    """
    head = "".join(f'<th scope="col" class="{look}">{text}</th>' for look, text, _ in columns)
    looks, body = [look for look, *_ in columns], ""
    for kind, cells in zip_longest(kinds, zip(*(cells for *_, cells in columns), strict=True)):
        row = f'<th scope="rowgroup" colspan="{len(columns)}">{cells[0]}</th>'
        if kind != "part":
            tags = ['th scope="row"' if "of-row" in look else "td" for look in looks]
            row = "".join(
                f'<{tag} class="{look}">{cell}</{tag[:2]}>'
                for tag, look, cell in zip(tags, looks, cells, strict=True)
            )
        body += f'<tr class="{kind or ""}">{row}</tr>'
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="{look}">'
        f"{caption and f'<caption>{caption}</caption>'}<thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def block_table(table: Table, *, in_page: bool = False) -> str:
    """Render a table of a document, with its bars drawn on an axis.

    Args:
        table: table to render.
        in_page: True for the page of a report, where cells link to segments.
    """
    columns: list[Column] = []
    bars = {bar.column: bar for bar in table.bars}
    for column in table.columns:
        look, name = "number" if table.is_numeric(column) else "words", column.name
        texts = [column.cell(row.get(name)) for row in table.rows]
        cells = [sentence_of(text) if look == "number" else _word(text) for text in texts]
        if in_page:
            cells = [
                linked(cell, row.get(f"{name} link"))
                for cell, row in zip(cells, table.rows, strict=True)
            ]
        columns.append((look, text_of(column.heading), cells))
        if name in bars:
            marks = [_bar_mark(bars[name], row) for row in table.rows]
            is_difference = bars[name].verdict is not None
            numbers = [[0.0, *mark.numbers] for mark in marks if mark is not None]
            axis = Axis(numbers or [[0.0]], zero=is_difference, cut=True)
            left, _, right = text_of(bars[name].heading).partition(" · ")
            drawings = ["" if mark is None else axis.row(mark) for mark in marks]
            columns.append(("plot", axis.heading(left, right), drawings))
    kinds = ["rule" if n and row.get(str(table.rule)) else "" for n, row in enumerate(table.rows)]
    return drawn_table("block", columns, kinds) if table.rows else ""


def _word(text: str) -> str:
    """Render a cell; long names without blanks are shortened, signatures with a colon are not."""
    return text_of(text) if " " in text or ":" in text else name_of(text)


def _bar_mark(bar: Bar, row: Row) -> Mark | None:
    """Return the mark of a row's bar, whose numbers are negated if lower is better."""
    value, *bounds = (row.get(key) for key in (bar.value or bar.column, bar.low, bar.high))
    if not is_number(value):
        return None
    low, high = (bound if is_number(bound) else None for bound in bounds)
    look = {"better": "ahead", "best": "ahead", "worse": "behind", "undecided": "none"}
    shown = look.get(str(row.get(str(bar.verdict))), "known")
    return Mark("", value, (low, high) if bar.low in row else None, 2, shown)


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A row of a forest.

    Attributes:
        label: label as HTML.
        mark: difference, drawn to the right of 0 if the first system is better; None for a heading.
        p: p-value, or the reason why there is none.
        scores: scores of both systems, or nothing.
    """

    label: str
    mark: Mark | None = None
    p: str = ""
    scores: tuple[str, str] = ("", "")


def sides(metric: MetricResult) -> tuple[str, str]:
    """Return the words for the left and the right side of an axis of differences."""
    return ("lower", "higher") if metric.higher_is_better is None else ("worse", "better")


def forest(
    rows: Sequence[ForestRow], systems: tuple[str, str], level: float, metric: MetricResult
) -> str:
    """Render differences between two systems below each other, on one axis.

    Args:
        rows: rows from the top.
        systems: names of both systems.
        level: confidence level of the intervals.
        metric: main metric.
    """
    axis = Axis([row.mark.numbers for row in rows if row.mark is not None])
    better = f'<tspan class="wide"> {sides(metric)[1]}</tspan>'
    first, second = (text_of(short(name)) for name in systems)
    heading = 'diff<span class="wide">erence</span>'
    numbers = [("", "", "") if row.mark is None else axis.cells(row.mark) for row in rows]
    drawings, differences, intervals = zip(*numbers, strict=True)
    columns = (
        ("of-row", '<span class="hidden">row</span>', [row.label for row in rows]),
        *(
            ("number wide", name_of(name), [row.scores[side] for row in rows])
            for side, name in enumerate(systems)
        ),
        ("plot", axis.heading(f"← {second}{better}", f"{first}{better} →"), drawings),
        ("number", "points" if metric.percent else heading, differences),
        ("number wide", f"{100 * level:g} % interval", intervals),
        ("number wide", "p", [text_of(row.p) for row in rows]),
    )
    return drawn_table("forest", columns, ["part" if row.mark is None else "" for row in rows])
