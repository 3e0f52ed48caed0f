"""References as a document: relative intervals by references and share of the test set."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import percent, study_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.references import FurtherReference, MetricReferences, ReferencesResult


def document(result: ReferencesResult) -> Document:
    """A table of references by shares, and the widths as a line for each number of references."""
    columns = (
        Column("metric", "Metric"),
        Column("references", "References"),
        Column("sets", "Sets"),
        Column("share", "Share", percent=True),
        Column("size", "Units"),
        Column("median", "Mean of medians", 3),
        Column("low", "Interval from", 2, percent=True, sign=True),
        Column("high", "to", 2, percent=True, sign=True),
        Column("width", "Relative width", 2, percent=True),
        Column("alone", "As one reference on", 0, percent=True),
    )
    rows = tuple({**asdict(row), "with": _references(row.references)} for row in result.rows)
    return study_document(
        f"Relative intervals of the level {100 * result.settings.level:g} % by the number of "
        "references and the share of the test set",
        Table(columns, rows),
        _sentences(result),
        Plot("line", "share", "width", series="with", panel="metric"),
        axes={"share": "Share of the test set", "width": "Width of the interval, of the score"},
        chart=Table((*columns, Column("with", "References")), rows),
    )


def _references(count: int) -> str:
    return "1 reference" if count == 1 else f"{count} references"


def _sentences(result: ReferencesResult) -> Iterator[str]:
    for metric in result.metrics:
        if metric.depends is None:
            yield f"{metric.metric}: nothing can be said: scores are 0 or do not vary."
        elif not metric.depends:
            yield f"{metric.metric}: its intervals do not depend on the references."
        else:
            yield _all_references(metric)
            for further in metric.further:
                yield _worth(metric.metric, further)
    taken = "s were taken" if result.sets > 1 else " was taken"
    yield (
        f"{result.sets} set{taken} of {result.settings.pool.references} references, with all "
        "systems, on the same parts and replicates; figures are means over sets, systems and "
        f"{result.settings.samples} random growths."
    )


def _all_references(metric: MetricReferences) -> str:
    first, last = metric.widths[0] or 0.0, metric.widths[-1] or 0.0
    change = 1 - last / first
    verb = "narrower" if change > 0 else "wider"
    return (
        f"{metric.metric}: with {len(metric.widths)} references the interval is "
        f"{percent(abs(change))} {verb} than with one, {percent(last, 2)} of the score instead of "
        f"{percent(first, 2)}."
    )


def _worth(metric: str, further: FurtherReference) -> str:
    """What one reference more is worth, with its error over growths and its range over systems."""
    share, lowest, highest = further.share, further.lowest, further.highest
    if share is None or lowest is None or highest is None:
        return (
            f"{metric}: what reference {further.references} is worth is unknown: more data do "
            "not help."
        )
    error = ""
    if share.low is not None and share.high is not None:
        error = f" (error {100 * share.low:.0f} to {100 * share.high:.0f})"
    ends = [f"{100 * end:.0f}" for end in (lowest, highest)]
    systems = f", from {ends[0]} to {ends[1]} by system," if ends[0] != ends[1] else ""
    worth = (
        f"the further reference is worth {100 * (1 / share.value - 1):.0f} % more data"
        if share.value < 1
        else f"the further reference widens it as {100 * (1 - 1 / share.value):.0f} % less data "
        "would"
    )
    return (
        f"{metric}: all of the data with {_references(further.references - 1)} give as narrow an "
        f"interval as {percent(share.value, 0)}{error}{systems} of them with "
        f"{further.references}; {worth}."
    )
