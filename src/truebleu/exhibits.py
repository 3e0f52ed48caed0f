"""An exhibit: rows with named columns, a plot of them, and what they say in sentences.

Studies, plans and agreement with people all answer with one, so that tables, JSON and charts are
made in one place, by ``reports``, and look the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from truebleu.reports.document import (
    Chart,
    Column,
    Document,
    Heading,
    Plot,
    Row,
    Sentences,
    Table,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["VERSION", "Exhibit", "Field", "Plot", "Row", "Value"]

Field = Column

VERSION = 1


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

    def to_document(self) -> Document:
        """The table, the sentences and the chart."""
        table = Table(self.fields, self.rows)
        rows = self.rows if self.plot_rows is None else self.plot_rows
        chart = Chart(
            title=self.title,
            table=Table((*self.fields, *self.plot_fields), rows),
            plot=self.plot,
            sentences=self.findings,
        )
        return Document((Heading(self.title), table, chart, Sentences(self.findings)), table)

    def save_chart(self, path: Any, *, overwrite: bool = False) -> Any:
        """Write the chart into a file, as results do."""
        from truebleu.reports.charts import save_chart

        return save_chart(self, path, overwrite=overwrite)
