"""Scores as a document: a row per system, or a row per segment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from truebleu.metrics.base import MeanScore
from truebleu.reports.document import (
    Bar,
    Chart,
    Column,
    Document,
    Notes,
    Sentences,
    Table,
    bracketed,
    chosen_lines,
    few_documents,
    forest,
    plain_columns,
    resampled,
)
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.metrics.base import Score
    from truebleu.reports.document import Block, Row, Value
    from truebleu.significance.scores import Scores, SystemScores
    from truebleu.significance.settings import IntervalSettings


def document(scores: Scores, *, details: bool = False) -> Document:
    """A table of scores with the metrics' signatures; with details, what each score is made of."""
    by_segment = any(system.segments is not None for system in scores.systems)
    table = segment_table(scores) if by_segment else score_table(scores)
    blocks: list[Block] = [table]
    if scores.settings is not None and scores.units is not None:
        blocks.append(Sentences(tuple(few_documents(scores.settings, scores.units))))
    if scores.groups:
        from truebleu.reports.groups import score_tables

        tables = score_tables(scores, _score_columns(scores), partial(_score_cells, scores))
        blocks += tables
        table = _all_rows(table, tables)
    if details:
        lines = (
            f"{system.name}: {_written(score, scores)}"
            for system in scores.systems
            for score in system.scores.values()
        )
        blocks += [*_precision_tables(scores), Notes(tuple(lines))]
    if not by_segment:
        blocks.append(score_chart(scores))
    return Document(tuple(blocks), table)


def _written(score: Score, scores: Scores) -> str:
    """Return a score with its parts, in the words of its rows."""
    if not isinstance(score, MeanScore):
        return str(score)
    rows = words_of(scores.test_set.rows).rows
    return f"{score.name} = {score.score:.4f} ({rows} = {score.segments})"


def _all_rows(table: Table, of_groups: Sequence[Table]) -> Table:
    """Rows of the whole test set and of all groups as one table, for programs."""
    names = [Column("by", "by"), *of_groups[0].columns]
    known = {column.name for column in names}
    columns = (*names, *(column for column in table.columns if column.name not in known))
    rows = [*table.rows]
    for part in of_groups:
        rows += [{"by": part.columns[0].heading, **row} for row in part.rows]
    notes = (*table.notes, *(note for part in of_groups for note in part.notes))
    return Table(columns, tuple(rows), notes)


def score_table(scores: Scores) -> Table:
    """A row per system with its scores, and their intervals where there are any."""
    notes = _signature_lines(scores)
    if scores.settings is not None:
        notes.append(_interval_line(scores))
    columns = (_system_column(scores), *_score_columns(scores))
    rows = tuple(_score_cells(scores, system) for system in scores.systems)
    bars = tuple(Bar(label, f"{label} low", f"{label} high", zero=True) for label in scores.digits)
    return Table(columns, rows, tuple(notes), bars=bars)


def _precision_tables(scores: Scores) -> Iterator[Table]:
    """N-gram precisions of all systems, of metrics that have them (Koehn 2004, Table 1)."""
    for label in scores.digits:
        parts = {system.name: system.scores[label] for system in scores.systems}
        precisions = {name: getattr(score, "precisions", None) for name, score in parts.items()}
        if len(parts) > 1 and all(precisions.values()):
            orders = range(1, 1 + max(len(values) for values in precisions.values() if values))
            columns = (Column(str(order), f"{order}-gram", digits=1) for order in orders)
            rows: list[Row] = []
            for name, values in precisions.items():
                by_order = {str(order): value for order, value in enumerate(values or (), 1)}
                rows.append({"system": name, "score": parts[name].score, **by_order})
            system = Column("system", f"{label} precisions")
            score = Column("score", label, digits=scores.digits[label])
            yield Table((system, score, *columns), tuple(rows))


def _system_column(scores: Scores) -> Column:
    return Column("system", words_of(scores.test_set.rows).system.capitalize())


def _score_columns(scores: Scores) -> list[Column]:
    """Each metric's score, with its interval where there are any."""
    columns = []
    for label, digits in scores.digits.items():
        columns.append(Column(label, label, digits=digits, numeric=True))
        if scores.settings is not None:
            heading = f"{100 * scores.settings.level:g} % interval"
            parts = (f"{label} low", f"{label} high")
            columns.append(Column(f"{label} interval", heading, parts=parts, numeric=True))
    return columns


def _score_cells(scores: Scores, system: SystemScores) -> dict[str, Value]:
    """The cells of those columns, of a system on the whole test set or on a group."""
    row: dict[str, Value] = {"system": system.name}
    for label, digits in scores.digits.items():
        row[label] = system.scores[label].score
        if system.intervals is not None:
            low, high = system.intervals[label]
            row[f"{label} low"], row[f"{label} high"] = low, high
            row[f"{label} interval"] = bracketed((low, high), digits)
    return row


def score_chart(scores: Scores) -> Chart:
    """Systems from the best down, with their intervals where there are any."""
    labels = list(scores.digits)
    turn = 1 if scores.higher_is_better[labels[0]] is False else -1
    ordered = sorted(scores.systems, key=lambda system: turn * system.scores[labels[0]].score)
    rows: list[Row] = []
    for label in labels:
        lower = " (lower is better)" if scores.higher_is_better[label] is False else ""
        measured = {"metric": label, "measured": f"{label}{lower}"}
        for system in ordered:
            low, high = (None, None) if system.intervals is None else system.intervals[label]
            point = {"score": system.scores[label].score, "low": low, "high": high}
            rows.append({"system": system.name, **measured, **point})
    columns = (
        _system_column(scores),
        *(Column(name, name.capitalize()) for name in ("score", "metric")),
        *plain_columns("low", "high"),
    )
    level = "" if scores.settings is None else f"{100 * scores.settings.level:g} % intervals"
    panel = "metric" if len(labels) > 1 else None
    options = {"panel": panel, "y_heading": "measured", "shared_y": False}
    plot = forest("system", "score", interval=level, **options)
    systems = words_of(scores.test_set.rows).systems
    count = f"{len(ordered)} {systems}" if len(ordered) > 1 else ordered[0].name
    title = f"{', '.join(labels)} of {count}"
    return Chart(title=title, table=Table(columns, tuple(rows)), plot=plot)


def segment_table(scores: Scores) -> Table:
    """A row per system and segment, by name or counted from 1; nothing where there is no score."""
    numbers = range(1, scores.test_set.segments + 1)
    names: Sequence[str | int] = numbers if scores.segment_names is None else scores.segment_names
    by_number = scores.segment_names is None
    heading = words_of(scores.test_set.rows).row.capitalize()
    columns = [_system_column(scores), Column("segment", heading, numeric=by_number)]
    for label, digits in scores.digits.items():
        columns.append(Column(label, label, digits=digits, numeric=True))
    rows: list[Row] = [
        {"system": system.name, "segment": name, **dict(zip(scores.digits, row, strict=True))}
        for system in scores.systems
        if system.segments is not None
        for name, row in zip(names, zip(*system.segments.values(), strict=True), strict=True)
    ]
    lacking = [
        f"{system.name}: {label}: {note}"
        for system in scores.systems
        for label, note in system.notes.items()
    ]
    return Table(tuple(columns), tuple(rows), (*_signature_lines(scores), *lacking))


def _interval_line(scores: Scores) -> str:
    # Where there are intervals NumPy is loaded already; plain scores do without it.
    from truebleu.significance.intervals import INTERVAL_METHODS

    settings = cast("IntervalSettings", scores.settings)
    units = resampled(settings, scores.units or 0, scores.test_set)
    lines = {}
    for label, name in scores.interval_methods.items():
        method, replicates = INTERVAL_METHODS[name], ""
        if method.resamples:
            replicates = f", {settings.replicates:,} bootstrap replicates, seed {settings.seed}"
        lines[label] = (
            f"{method.title} intervals over {units}{replicates}, level {settings.level:g}"
        )
    if len(set(lines.values())) == 1:
        return next(iter(lines.values()))
    return "; ".join(f"{label}: {line}" for label, line in lines.items())


def _signature_lines(scores: Scores) -> list[str]:
    signatures = [
        f"{signature}" + ("  (lower is better)" if scores.higher_is_better[label] is False else "")
        for label, signature in scores.signatures.items()
    ]
    return [*signatures, *chosen_lines(scores.signatures.values())]
