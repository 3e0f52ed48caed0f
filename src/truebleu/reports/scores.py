"""Scores as tables: a row per system, or a row per segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.table import Column, Table

if TYPE_CHECKING:
    from truebleu.metrics.scoring import Scores


def score_table(scores: Scores, digits: int | None, details: bool) -> Table:
    """A row per system with its scores."""
    rows = [
        (system.name, *(_number(score.score, digits) for score in system.scores.values()))
        for system in scores.systems
    ]
    notes = list(_signature_lines(scores))
    if details:
        notes.append("")
        notes.extend(
            f"{system.name}: {score}"
            for system in scores.systems
            for score in system.scores.values()
        )
    return Table((Column("System"), *_metric_columns(scores)), tuple(rows), tuple(notes))


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


def _metric_columns(scores: Scores) -> tuple[Column, ...]:
    return tuple(Column(label, numeric=True) for label in scores.signatures)


def _signature_lines(scores: Scores) -> list[str]:
    return [
        f"{signature}" + ("" if scores.higher_is_better[label] else "  (lower is better)")
        for label, signature in scores.signatures.items()
    ]


def _number(value: float, digits: int | None) -> str:
    return repr(value) if digits is None else f"{value:.{digits}f}"
