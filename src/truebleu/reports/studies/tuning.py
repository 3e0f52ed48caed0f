"""The study of tuning as a document: what each smoothed BLEU gives on test lists."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.sentences import p_cell
from truebleu.reports.studies._shared import listed, study_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.tuning import TuningResult

COLUMNS = (
    Column("tuner", "Smoothing"),
    Column("development", "Tuned on", 2),
    Column("development_sd", "SD", 2),
    Column("test", "Test", 2),
    Column("test_sd", "SD of test", 2),
    Column("difference", "From 0", 2, sign=True),
    Column("low", "Low", 2, sign=True),
    Column("high", "High", 2, sign=True),
    Column("p", "p", 4, numeric=True),
)


def document(result: TuningResult) -> Document:
    """A row for each smoothing, and differences from no smoothing as points."""
    metric = result.settings.pool.metrics[0].label
    rows = tuple(map(asdict, result.rows))
    shown = tuple({**row, "p": "" if row["p"] is None else p_cell(row["p"])} for row in rows)
    others = tuple(asdict(row) for row in result.rows if row.difference is not None)
    return study_document(
        f"{metric} after tuning on expected sentence BLEU by each smoothing, the mean of "
        f"{result.settings.runs} runs",
        Table(COLUMNS, shown),
        _sentences(result),
        Plot(
            "point",
            "tuner",
            "difference",
            errors=("low", "high"),
            interval="95 % interval",
            reference=0.0,
        ),
        axes={"difference": f"{metric} on test lists, from that of no smoothing"},
        chart=Table(COLUMNS, others),
        data=Table(COLUMNS, rows),
    )


def _sentences(result: TuningResult) -> Iterator[str]:
    settings = result.settings
    yield (
        f"{settings.features:,} features, {settings.candidates:,} candidates for "
        f"{settings.pool.segments:,} segments, tested on {settings.test_segments:,}. The first "
        f"candidates score {result.first_development:.2f} and {result.first_test:.2f}."
    )
    if settings.rounds > 1:
        yield (
            f"Each run decodes, merges lists and tunes up to {settings.rounds} times; scores are "
            "of what the decoder says is best in the end."
        )
    significant = result.significant
    better = [row.tuner for row in significant if (row.difference or 0) > 0]
    worse = [row.tuner for row in significant if (row.difference or 0) < 0]
    if not significant:
        yield "No smoothing differs significantly from none: it does not matter which is tuned on."
    if better:
        yield f"Significantly better than no smoothing: {listed(better)}."
    if worse:
        yield f"Significantly worse than no smoothing: {listed(worse)}."
    values = [row.test for row in result.rows]
    yield f"From the lowest to the highest test score there are {max(values) - min(values):.2f}."
