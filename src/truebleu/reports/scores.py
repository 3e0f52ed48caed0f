"""Scores as tables: a row per system, or a row per segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.reports.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.metrics.scoring import Scores, SystemScores


def score_table(scores: Scores, digits: int | None, details: bool) -> Table:
    """A row per system with its scores."""
    rows = [
        (system.name, *(cell for label in system.scores for cell in _cells(system, label, digits)))
        for system in scores.systems
    ]
    notes = list(_signature_lines(scores))
    if scores.settings is not None:
        notes.append(_interval_line(scores.settings))
    if details:
        notes.append("")
        notes.extend(
            f"{system.name}: {score}"
            for system in scores.systems
            for score in system.scores.values()
        )
    columns = _metric_columns(scores)
    if scores.settings is not None:
        level = f"{100 * scores.settings['level']:g} %"
        interval = Column(f"{level} interval", numeric=True)
        columns = tuple(column for metric in columns for column in (metric, interval))
    return Table((Column("System"), *columns), tuple(rows), tuple(notes))


def segment_table(scores: Scores, digits: int | None) -> Table:
    """A row per system and segment, segments counted from 1."""
    rows = [
        (system.name, str(index), *(_number(score, digits) for score in row))
        for system in scores.systems
        if system.segments is not None
        for index, row in enumerate(zip(*system.segments.values(), strict=True), start=1)
    ]
    columns = (Column("System"), Column("Segment", numeric=True), *_metric_columns(scores))
    return Table(columns, tuple(rows), tuple(_signature_lines(scores)))


def _cells(system: SystemScores, label: str, digits: int | None) -> list[str]:
    cells = [_number(system.scores[label].score, digits)]
    if system.intervals is not None:
        low, high = system.intervals[label]
        cells.append(f"[{_number(low, digits)}, {_number(high, digits)}]")
    return cells


def _interval_line(settings: Mapping[str, Any]) -> str:
    return (
        f"{settings['interval']} intervals from the bootstrap over {settings['units']} "
        f"{settings['unit']}s, {settings['samples']:,} samples, seed {settings['seed']}"
    )


def _metric_columns(scores: Scores) -> tuple[Column, ...]:
    return tuple(Column(label, numeric=True) for label in scores.signatures)


def _signature_lines(scores: Scores) -> list[str]:
    return [
        f"{signature}" + ("  (lower is better)" if scores.higher_is_better[label] is False else "")
        for label, signature in scores.signatures.items()
    ]


def _number(value: float, digits: int | None) -> str:
    return repr(value) if digits is None else f"{value:.{digits}f}"
