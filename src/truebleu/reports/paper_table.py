"""Tables for papers: a column of scores for each metric, bold print, two marks and one note."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from truebleu.metrics.base import Signature
    from truebleu.reports.document import Row, Value

#: Marks of systems that are significantly better and worse than the baseline.
BETTER, WORSE = "†", "‡"
BOLD = "Bold: best score."


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperColumn:
    """Scores by one metric, as papers print them.

    Attributes:
        label: label of the metric.
        scores: score of each system.
        digits: decimals of the metric in other tables.
        higher_is_better: direction of the metric; None without direction.
        signature: signature of the metric.
        bold: systems in bold print; None for those with the best score, as it is printed.
        marks: mark of each system that has one.
    """

    label: str
    scores: Mapping[str, float]
    digits: int
    higher_is_better: bool | None
    signature: Signature
    bold: Collection[str] | None = None
    marks: Mapping[str, str] = field(default_factory=dict)

    @property
    def factor(self) -> int:
        """100 for scores that are printed in points although they are at most 1, else 1."""
        has_small_unit = self.digits > 2 and max(map(abs, self.scores.values())) <= 1
        return 100 if has_small_unit else 1

    @property
    def column(self) -> Column:
        """Heading, decimals, and keys of bold print and marks."""
        digits = 2 if self.digits > 2 and self.factor == 1 else 1
        lower = " ↓" if self.higher_is_better is False else ""
        bold, mark = f"{self.label} bold", f"{self.label} mark"
        return Column(self.label, f"{self.label}{lower}", digits, bold=bold, mark=mark)

    def cells(self, system: str) -> Row:
        """Return the cells of a system."""
        column, bold = self.column, self.bold
        shown = {name: self.factor * score for name, score in self.scores.items()}
        if bold is None and self.higher_is_better is not None:
            best = (max if self.higher_is_better else min)(shown.values())
            bold = [n for n, value in shown.items() if column.cell(value) == column.cell(best)]
        marks = {column.bold: system in (bold or ()), column.mark: self.marks.get(system)}
        return {self.label: shown[system], **{str(key): mark for key, mark in marks.items()}}


def paper_table(
    heading: str,
    names: Mapping[str, str],
    metrics: Sequence[PaperColumn],
    note: str,
    rules: Collection[str] = (),
) -> Table:
    """Make a row for each system, narrow enough for a column of a paper.

    Args:
        heading: heading of the systems.
        names: text of each system's first cell.
        metrics: a column each.
        note: meaning of bold print, marks and rules.
        rules: systems with a rule above.
    """
    rows = []
    for system, text in names.items():
        row: dict[str, Value] = {"system": text, "rule": system in rules}
        for metric in metrics:
            row |= metric.cells(system)
        rows.append(row)
    scaled = [f"{metric.label} × 100." for metric in metrics if metric.factor != 1]
    known = (metric.signature.sacrebleu for metric in metrics)
    return Table(
        (Column("system", heading), *(metric.column for metric in metrics)),
        tuple(rows),
        notes=tuple(dict.fromkeys(signature for signature in known if signature is not None)),
        rule="rule",
        legend=" ".join([note, *scaled]),
    )
