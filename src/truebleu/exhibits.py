"""An exhibit: rows with named columns, a plot of them, and what they say in sentences.

Studies, plans and agreement with people all answer with one, so that tables, JSON and charts are
made in one place, by ``reports``, and look the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What a cell may hold; None where there is no value, and a sentence says why.
Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = "Mapping[str, Value]"
Mark = Literal["line", "point", "bar", "tick"]

VERSION = 1


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name in rows and JSON, its heading, and how its numbers are written.

    Attributes:
        name: the key in every row.
        heading: what stands above the column and beside the axis, with the unit.
        digits: decimals of its numbers in tables; None for text and whole numbers.
        percent: the number is a share, and is written as a percentage.
        sign: the number is a difference, and is written with its sign.
        parts: the names of the numbers that a text for people is made of; programs get those.
    """

    name: str
    heading: str
    digits: int | None = None
    percent: bool = False
    sign: bool = False
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What a chart shows of the rows; names are those of fields.

    Attributes:
        mark: how a row is drawn; lines have their points marked.
        x: the field along the horizontal axis.
        y: the field along the vertical axis.
        low: where error bars begin, with `high`.
        high: where error bars end.
        interval: what error bars are, such as "95 % interval"; else the headings of both say it.
        series: the field that tells lines or kinds of points apart, by dash and shape.
        panel: the field that gives each of its values a chart of its own, side by side.
        reference: a horizontal line, such as the level that a share should have.
        reference_field: a field whose value in each row is marked by a horizontal line.
        log_x: whether the horizontal axis is logarithmic.
        zero_y: whether the vertical axis must show 0; that of bars always does.
        shared_y: whether panels share the vertical axis; if not said, they do unless that would
            leave one of them flat.
    """

    mark: Mark
    x: str
    y: str
    low: str | None = None
    high: str | None = None
    interval: str | None = None
    series: str | None = None
    panel: str | None = None
    reference: float | None = None
    reference_field: str | None = None
    log_x: bool = False
    zero_y: bool = False
    shared_y: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A table of plain rows, with what they say, how they are plotted and how they came about.

    Attributes:
        name: the study's name on the command line.
        title: one line for people.
        fields: the columns of the table, in their order.
        rows: a value for every field; rows may hold further names, for plots.
        findings: what the rows say, one sentence each.
        plot: how to draw them.
        plot_rows: rows to draw instead of those of the table, where single points say more.
        plot_fields: the fields that only those have.
        settings: all that is needed to repeat it: the seed, the signatures, the sizes.
    """

    name: str
    title: str
    fields: tuple[Field, ...]
    rows: tuple[Row, ...]
    findings: tuple[str, ...]
    plot: Plot
    settings: Mapping[str, Any] = field(default_factory=dict)
    plot_rows: tuple[Row, ...] | None = None
    plot_fields: tuple[Field, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the version, the settings, the fields, the rows and the findings."""
        result = {
            "version": VERSION,
            "study": self.name,
            "title": self.title,
            "settings": dict(self.settings),
            "fields": [asdict(one) for one in self.fields],
            "rows": [dict(row) for row in self.rows],
            "findings": list(self.findings),
        }
        if self.plot_rows is not None:
            result["plot_rows"] = [dict(row) for row in self.plot_rows]
        return result
