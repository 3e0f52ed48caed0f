"""The study of reranking as a document: what each metric says of one reranker."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.sentences import p_cell
from truebleu.reports.studies._shared import listed, study_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.reranking import RerankingResult

COLUMNS = (
    Column("metric", "Metric"),
    Column("baseline", "Baseline", 3),
    Column("reranking", "Reranking", 3),
    Column("difference", "Difference", 3, sign=True),
    Column("low", "Low", 3, sign=True),
    Column("high", "High", 3, sign=True),
    Column("ar", "p, randomization", 4, numeric=True),
    Column("bootstrap", "p, bootstrap", 4, numeric=True),
    Column("verdict", "Verdict"),
)


def document(result: RerankingResult) -> Document:
    """A row for each metric, and the differences as points."""
    rows = tuple(map(asdict, result.rows))
    shown = tuple(
        {**row, "ar": p_cell(row["ar"]), "bootstrap": p_cell(row["bootstrap"])} for row in rows
    )
    return study_document(
        f"A reranker with n-grams of up to {result.settings.ngrams} words against one without, by "
        "each metric",
        Table(COLUMNS, shown),
        _sentences(result),
        Plot(
            "point",
            "metric",
            "difference",
            errors=("low", "high"),
            interval="95 % interval",
            reference=0.0,
        ),
        axes={"difference": "Reranking minus baseline"},
        chart=Table(COLUMNS, rows),
        data=Table(COLUMNS, rows),
    )


def _sentences(result: RerankingResult) -> Iterator[str]:
    yield (
        f"{result.settings.candidates:,} candidates for {result.settings.pool.segments:,} "
        f"segments; gamma {result.gamma:.4g} keeps {result.selected:,} features; another candidate "
        f"than the baseline's is chosen for {result.changed:,} segments."
    )
    verdicts = {
        kind: [row.metric for row in result.rows if row.verdict == kind]
        for kind in ("better", "worse", "undecided")
    }
    for kind, metrics in verdicts.items():
        if metrics:
            yield f"{kind.capitalize()} by {listed(metrics)}."
    directions = {
        row.difference > 0
        for row in result.rows
        if row.difference and result.settings.pool.metric(row.metric).higher_is_better is not False
    }
    if len(directions) > 1:
        yield (
            "The metrics point in different directions: which of them one reports decides whether "
            "the reranker is an improvement."
        )
