"""Scores as tables: a row per system, or a row per segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.reports.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.metrics.score import Scores, SystemScores


def score_table(scores: Scores, every_digit: bool, details: bool) -> Table:
    """A row per system with its scores."""
    digits = _digits(scores, every_digit)
    rows = [
        (system.name, *(cell for label in digits for cell in _cells(system, label, digits[label])))
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


def segment_table(scores: Scores, every_digit: bool) -> Table:
    """A row per system and segment, segments counted from 1; empty where there is no score."""
    digits = _digits(scores, every_digit).values()
    rows = [
        (system.name, str(index), *map(_number, row, digits))
        for system in scores.systems
        if system.segments is not None
        for index, row in enumerate(zip(*system.segments.values(), strict=True), start=1)
    ]
    columns = (Column("System"), Column("Segment", numeric=True), *_metric_columns(scores))
    lacking = [
        f"{system.name}: {label}: {note}"
        for system in scores.systems
        for label, note in system.notes.items()
    ]
    return Table(columns, tuple(rows), (*_signature_lines(scores), *lacking))


def _digits(scores: Scores, every_digit: bool) -> dict[str, int | None]:
    """The decimals to write of each metric, by its label; None for all of them."""
    return {label: None if every_digit else digits for label, digits in scores.digits.items()}


def _cells(system: SystemScores, label: str, digits: int | None) -> list[str]:
    cells = [_number(system.scores[label].score, digits)]
    if system.intervals is not None:
        low, high = system.intervals[label]
        cells.append(f"[{_number(low, digits)}, {_number(high, digits)}]")
    return cells


def _interval_line(settings: Mapping[str, Any]) -> str:
    return (
        f"{settings['interval']} intervals from the bootstrap over {settings['units']} "
        f"{settings['unit']}s, {settings['replicates']:,} replicates, seed {settings['seed']}"
    )


def _metric_columns(scores: Scores) -> tuple[Column, ...]:
    return tuple(Column(label, numeric=True) for label in scores.signatures)


def _signature_lines(scores: Scores) -> list[str]:
    return [
        f"{signature}" + ("  (lower is better)" if scores.higher_is_better[label] is False else "")
        for label, signature in scores.signatures.items()
    ]


def _number(value: float | None, digits: int | None) -> str:
    if value is None:
        return ""
    return repr(value) if digits is None else f"{value:.{digits}f}"
