"""Length as a document: each metric's scores against the length of the output."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import percent, study_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.studies.length import LengthResult, ScoreAtLength

DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither is better"}


def document(result: LengthResult) -> Document:
    """A table of metrics by lengths, and their relative scores as lines."""
    settings = result.settings
    cut, piece = settings.way == "cut", settings.piece
    how = f"{piece}s cut off or repeated" if cut else f"outputs chosen by their {piece}s"
    several = cut and len(settings.pool.systems) > 1
    by_metric = [list(rows) for _, rows in groupby(result.rows, key=lambda row: row.metric)]
    sentences = [_effect(result, rows) for rows in by_metric]
    return study_document(
        f"Scores against the length of the output: {how}",
        Table(_cut_columns() if cut else _rank_columns(), tuple(map(asdict, result.rows))),
        [*sentences, *_most_and_least(result, by_metric)],
        Plot(
            "line",
            "length",
            "relative",
            errors=("low", "high") if several else None,
            interval="the least and the largest of all systems",
            series="metric",
            reference=1.0,
        ),
    )


def _cut_columns() -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("kept", "Length kept", 0, percent=True),
        Column("length", "Length, of the reference", 1, percent=True),
        Column("score", "Score", 2),
        Column("relative", "Score, of the natural one", 1, percent=True),
        Column("low", "systems from", 1, percent=True),
        Column("high", "to", 1, percent=True),
    )


def _rank_columns() -> tuple[Column, ...]:
    return (
        Column("metric", "Metric"),
        Column("rank", "Length rank"),
        Column("length", "Length, of the reference", 1, percent=True),
        Column("score", "Score", 2),
        Column("relative", "Score, of the middle rank's", 1, percent=True),
    )


def _effect(result: LengthResult, rows: Sequence[ScoreAtLength]) -> str:
    """What the shortest and the longest outputs do to a metric."""
    first, last = rows[0], rows[-1]
    direction = DIRECTIONS[result.settings.pool.metric(first.metric).higher_is_better]
    who = f"{first.metric} ({direction})"
    if first.relative is None or last.relative is None:
        return f"{who}: a score of 0 at the natural length leaves nothing to compare with."
    if result.settings.way == "choice":
        return (
            f"{who}: the shortest outputs, {percent(first.length)} of the reference, have "
            f"{percent(first.relative)} of the score of middling ones; the longest, "
            f"{percent(last.length)}, have {percent(last.relative)}."
        )
    parts = [
        f"{percent(row.relative)} at {100 * row.kept:g} %"
        for row in (first, last)
        if row.kept is not None and row.relative is not None and row.kept != 1
    ]
    return f"{who}: of the natural score, {' and '.join(parts)} of the natural length."


def _most_and_least(
    result: LengthResult, by_metric: Sequence[Sequence[ScoreAtLength]]
) -> list[str]:
    """Which higher-is-better metric the shortest outputs cost most."""
    shortest = {
        rows[0].metric: rows[0].relative
        for rows in by_metric
        if rows[0].relative is not None
        and result.settings.pool.metric(rows[0].metric).higher_is_better
    }
    if len(shortest) < 2:
        return []
    most, least = min(shortest, key=shortest.__getitem__), max(shortest, key=shortest.__getitem__)
    return [
        f"Of the higher-is-better metrics, the shortest outputs cost {most} most, "
        f"{percent(1 - shortest[most])} of its score, and {least} least, "
        f"{percent(1 - shortest[least])}."
    ]
