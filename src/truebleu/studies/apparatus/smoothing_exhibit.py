"""What the study of smoothings found: the table of Chen & Cherry (2014), and sentences about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.inference.multiplicity import adjust
from truebleu.studies.apparatus.smoothing_columns import COLUMNS, NONE, SEGMENT, smoothings
from truebleu.studies.apparatus.smoothing_findings import (
    about_column,
    about_lacking,
    about_pairs,
    name_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.agreement.measures.pairs import PairCounts
    from truebleu.studies.apparatus.journal import Key, Record
    from truebleu.studies.apparatus.smoothing_columns import Cell, Column


def smoothing_exhibit(
    *,
    item: str,
    values: Mapping[str, Mapping[str, Cell]],
    records: Mapping[Key, Record],
    pairs: PairCounts | None,
    notes: Sequence[str],
    settings: Mapping[str, Any],
) -> Exhibit:
    """The table, the chart and the findings.

    Args:
        item: what τ is of: "segment", or "document" or "domain" where people scored those.
        values: by column and row.
        records: the intervals and the tests.
        pairs: the pairs of which τ is made; None where people scored whole systems.
        notes: about the human scores.
        settings: all that is needed to repeat it.
    """
    adjusted = _better_than_none(values[SEGMENT.name], records)
    rows: list[Row] = []
    for label in values[SEGMENT.name]:
        row: dict[str, Any] = {"smoothing": label, "name": name_of(label)}
        for column in COLUMNS:
            low, high = records["interval", column.name][label][:2]
            value = values[column.name][label].value
            bounds = (None, None) if value is None else (low, high)
            row |= dict(zip(_names(column), (value, *bounds), strict=True))
        rows.append({**row, "p": adjusted.get(label), **_excess(label, values, records)})
    alpha = round(1 - settings["level"], 12)
    findings = [*about_pairs(item, pairs, settings)]
    for column in COLUMNS:
        findings += about_column(column, item, values[column.name], records, adjusted, alpha)
    findings += about_lacking(values, records)
    headings = {column.name: column.heading(item) for column in COLUMNS}
    # Documents that people scored are drawn as they are.
    drawn = settings["unit"] if item == "segment" else item
    return Exhibit(
        name="smoothing",
        title="Agreement of sentence BLEU with people by smoothing (Chen & Cherry 2014)",
        fields=_fields(headings, settings["level"]),
        rows=tuple(rows),
        findings=(*findings, *notes),
        plot=Plot(
            mark="point",
            x="smoothing",
            y="value",
            low="low",
            high="high",
            interval=f"{100 * settings['level']:g} % interval over {drawn}s",
            panel="coefficient",
            shared_y=False,
        ),
        plot_rows=tuple(_plotted(rows, headings)),
        plot_fields=(
            Field("coefficient", "Coefficient"),
            Field("value", "Agreement with people", 3),
            Field("low", "from", 3),
            Field("high", "to", 3),
        ),
        settings=settings,
    )


def _names(column: Column) -> tuple[str, str, str]:
    return column.name, f"{column.name}_low", f"{column.name}_high"


def _fields(headings: Mapping[str, str], level: float) -> tuple[Field, ...]:
    fields = [Field("smoothing", "Smoothing"), Field("name", "Name")]
    for column in COLUMNS:
        value, low, high = _names(column)
        fields += [
            Field(value, headings[column.name], 3),
            Field(low, f"{100 * level:g} % from", 3),
            Field(high, "to", 3),
        ]
    return (*fields, Field("p", f"p, {headings[SEGMENT.name]} above none's", 4))


def _plotted(rows: Sequence[Row], headings: Mapping[str, str]) -> list[Row]:
    return [
        {
            "smoothing": row["smoothing"],
            "coefficient": headings[column.name],
            "value": row[column.name],
            "low": row[f"{column.name}_low"],
            "high": row[f"{column.name}_high"],
        }
        for column in COLUMNS
        for row in rows
        if row[column.name] is not None
    ]


def _excess(
    label: str, values: Mapping[str, Mapping[str, Cell]], records: Mapping[Key, Record]
) -> Row:
    """By how much τ is above that of none, over the same replicates; for readers of JSON."""
    value, none = (values[SEGMENT.name][one].value for one in (label, NONE))
    bounds = records["interval", SEGMENT.name][label][3:5]
    found = (None, None, None) if value is None or none is None else (value - none, *bounds)
    return dict(zip(("excess", "excess_low", "excess_high"), found, strict=True))


def _better_than_none(
    values: Mapping[str, Cell], records: Mapping[Key, Record]
) -> dict[str, float]:
    """For each smoothing p that its τ is above that of none, corrected for their number (Holm)."""
    if values[NONE].value is None:
        return {}
    labels = [label for label in smoothings(values) if label != NONE]
    raw = [records["test", SEGMENT.name, label, NONE]["p"] for label in labels]
    return dict(zip(labels, adjust(raw, "holm").tolist(), strict=True)) if labels else {}
