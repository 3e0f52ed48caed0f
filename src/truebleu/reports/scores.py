"""Scores as a document: a row per system, or a row per segment."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from truebleu.metrics.base import MeanScore
from truebleu.reports import document as doc
from truebleu.reports.paper_table import BOLD, PaperColumn, paper_table
from truebleu.reports.percent import PERCENT_DIGITS
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.metrics.base import Score
    from truebleu.reports.document import Block, Row, Value
    from truebleu.significance.scores import Scores, SystemScores
    from truebleu.significance.settings import IntervalSettings


def document(scores: Scores, *, details: bool = False) -> doc.Document:
    """Lay out scores and signatures; with details, also the parts of each score."""
    if any(system.segments is not None for system in scores.systems):
        table = segment_table(scores)
    else:
        table = score_table(scores)
        if not details:
            paper = _table_for_papers(scores)
            table = replace(table, paper=replace(paper, notes=(*table.notes, *paper.notes)))
    cautions = []
    for label in scores.digits:
        orders = {system.name: system.scores[label].unmatched_order for system in scores.systems}
        cautions += doc.smoothed(label, {name: order for name, order in orders.items() if order})
    if scores.settings is not None and scores.units is not None:
        if set((scores.interval_methods or {}).values()) <= {"wilson", "korn-graubard"}:
            cautions += doc.few_documents(scores.settings, scores.units)
        else:
            words = words_of(scores.test_set.rows)
            cautions += doc.few_units(scores.settings, scores.units, words)
    blocks: list[Block] = [table, doc.Sentences(tuple(cautions))]
    if scores.groups:
        from truebleu.reports.groups import score_tables

        tables = score_tables(scores, _score_columns(scores), partial(_score_cells, scores))
        blocks += tables
        table = _all_rows(table, tables)
    if details:
        lines = (
            f"{system.name}: {_score_text(score, scores)}"
            for system in scores.systems
            for score in system.scores.values()
        )
        blocks += [*_precision_tables(scores), doc.Notes(tuple(lines))]
    return doc.Document(tuple(blocks), table)


def _score_text(score: Score, scores: Scores) -> str:
    """Format a score with its parts, in the words of its rows."""
    if not isinstance(score, MeanScore):
        return str(score)
    rows = words_of(scores.test_set.rows).rows
    return f"{score.name} = {score.score:.4f} ({rows} = {score.segments})"


def _all_rows(table: doc.Table, of_groups: Sequence[doc.Table]) -> doc.Table:
    """Join rows of the whole test set and of all groups in one table, for programs."""
    columns = (doc.Column("by", "by"), *of_groups[0].columns, *table.columns)
    rows = [*table.rows]
    for part in of_groups:
        rows += [{"by": part.columns[0].heading, **row} for row in part.rows]
    notes = (*table.notes, *(note for part in of_groups for note in part.notes))
    return doc.Table(tuple(dict.fromkeys(columns)), tuple(rows), notes)


def score_table(scores: Scores) -> doc.Table:
    """Make a row per system with its scores, and their intervals if known."""
    notes = _signature_lines(scores)
    if scores.settings is not None:
        notes.append(_interval_line(scores))
    columns = (_system_column(scores), *_score_columns(scores))
    rows = tuple(_score_cells(scores, system) for system in scores.systems)
    bars = tuple(
        doc.Bar(label, f"{label} low", f"{label} high", zero=True) for label in scores.digits
    )
    return doc.Table(columns, rows, tuple(notes), bars=bars)


def _table_for_papers(scores: Scores) -> doc.Table:
    """Make a column per metric, with the best score in bold print."""
    names = [system.name for system in scores.systems]
    columns = [
        PaperColumn(
            label=label,
            scores={
                system.name: float(system.scores[label]) * (100 if label in scores.percent else 1)
                for system in scores.systems
            },
            digits=PERCENT_DIGITS if label in scores.percent else digits,
            higher_is_better=scores.higher_is_better[label],
            signature=scores.signatures[label],
            bold=None if len(names) > 1 else (),
        )
        for label, digits in scores.digits.items()
    ]
    heading = words_of(scores.test_set.rows).system.capitalize()
    return paper_table(heading, dict(zip(names, names, strict=True)), columns, BOLD)


def _precision_tables(scores: Scores) -> Iterator[doc.Table]:
    """Yield tables of n-gram precisions, for metrics that have them (Koehn 2004, Table 1)."""
    for label, digits in scores.digits.items():
        parts = {system.name: system.scores[label] for system in scores.systems}
        rows: list[Row] = [
            {
                "system": name,
                "score": score.score,
                **{str(order): value for order, value in enumerate(precisions, 1)},
            }
            for name, score in parts.items()
            if (precisions := getattr(score, "precisions", None))
        ]
        if 1 < len(rows) == len(parts):
            orders = range(1, max(map(len, rows)) - 1)
            columns = [doc.Column("system", f"{label} precisions")]
            columns.append(doc.Column("score", label, digits))
            columns += [doc.Column(str(order), f"{order}-gram", 1) for order in orders]
            yield doc.Table(tuple(columns), tuple(rows))


def _system_column(scores: Scores) -> doc.Column:
    return doc.Column("system", words_of(scores.test_set.rows).system.capitalize())


def _score_columns(scores: Scores) -> list[doc.Column]:
    """Make columns of each metric's score, and of its interval if known."""
    columns = []
    for label, digits in scores.digits.items():
        percent = label in scores.percent
        digits = PERCENT_DIGITS if percent else digits
        columns.append(doc.Column(label, label, digits, percent))
        if scores.settings is not None:
            heading = doc.interval_heading(scores.settings.level)
            parts = (f"{label} low", f"{label} high")
            name = f"{label} interval"
            columns.append(doc.Column(name, heading, digits, percent, parts=parts, continues=True))
    return columns


def _score_cells(scores: Scores, system: SystemScores) -> dict[str, Value]:
    """Make the cells of `_score_columns`, for a system on the whole test set or on a group."""
    row: dict[str, Value] = {"system": system.name}
    for label in scores.digits:
        row[label] = system.scores[label].score
        if system.intervals is not None:
            row[f"{label} interval"] = system.intervals[label]
            row[f"{label} low"], row[f"{label} high"] = system.intervals[label]
    return row


def segment_table(scores: Scores) -> doc.Table:
    """Make a row per system and segment, by name or counted from 1; missing scores are None."""
    numbers = range(1, scores.test_set.segments + 1)
    names: Sequence[str | int] = numbers if scores.segment_names is None else scores.segment_names
    heading = words_of(scores.test_set.rows).row.capitalize()
    columns = [_system_column(scores), doc.Column("segment", heading)]
    columns += [doc.Column(label, label, digits) for label, digits in scores.digits.items()]
    rows: list[Row] = [
        {"system": system.name, "segment": name, **dict(zip(scores.digits, row, strict=True))}
        for system in scores.systems
        if system.segments is not None
        for name, row in zip(names, zip(*system.segments.values(), strict=True), strict=True)
    ]
    missing = [
        f"{system.name}: {label}: {note}"
        for system in scores.systems
        for label, note in system.notes.items()
    ]
    return doc.Table(tuple(columns), tuple(rows), (*_signature_lines(scores), *missing))


def _interval_line(scores: Scores) -> str:
    # Intervals have loaded NumPy already; scores without intervals need not load it.
    from truebleu.significance.intervals import INTERVAL_METHODS

    settings = cast("IntervalSettings", scores.settings)
    units = doc.resampled(settings, scores.units or 0, scores.test_set)
    lines = {}
    for label, name in scores.interval_methods.items():
        method, replicates = INTERVAL_METHODS[name], ""
        if method.resamples:
            replicates = f", {settings.replicates:,} bootstrap replicates, seed {settings.seed}"
        lines[label] = (
            f"{method.title} intervals over {units}{replicates}, level {settings.level:g}"
        )
    return "; ".join(doc.by_label(lines))


def _signature_lines(scores: Scores) -> list[str]:
    signatures = [
        f"{signature}" + ("  (lower is better)" if scores.higher_is_better[label] is False else "")
        for label, signature in scores.signatures.items()
    ]
    return [*signatures, *doc.chosen_lines(scores.signatures.values())]
