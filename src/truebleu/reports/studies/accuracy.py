"""Accuracy as a document: how many conclusions of each band of confidence are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Plot, Table
from truebleu.reports.studies._shared import (
    TEST_TITLES,
    percent,
    rate_cells,
    rate_columns,
    study_document,
    trial_notes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.studies.accuracy import Accuracy, AccuracyBand, AccuracyResult

# Only Koehn's test asks about one direction; the p-values of the others are for both.
ONE_SIDED = ("wins",)
COLUMNS = (
    Column("metric", "Metric"),
    Column("test", "Test"),
    Column("band", "Confidence"),
    Column("conclusions", "Conclusions"),
    Column("confidence", "Mean confidence", 1, percent=True),
    *rate_columns("right", "Right"),
)


def document(result: AccuracyResult) -> Document:
    """A table of bands, the surest first."""
    table = Table(
        COLUMNS,
        tuple(
            {
                "metric": row.metric,
                "test": TEST_TITLES[row.test],
                "band": _band(band),
                "conclusions": band.conclusions,
                "confidence": band.confidence,
                **rate_cells("right", band.right),
            }
            for row in result.rows
            for band in row.bands
        ),
    )
    return study_document(
        "Conclusions of all pairs and samples by their confidence, and how many were right",
        table,
        [
            *(sentence for row in result.rows for sentence in _sentences(row)),
            *trial_notes(result.settings, result.ties, 0.05),
        ],
        Plot(
            "line",
            "confidence",
            "right",
            errors=("right_low", "right_high"),
            interval="95 %, samples taken as a whole",
            series="test",
            panel="metric",
        ),
        axes={
            "confidence": "Mean confidence of the conclusions",
            "right": "Right conclusions, share of all",
        },
    )


def _band(band: AccuracyBand) -> str:
    if band.least == 0:
        return f"below {100 * band.most:g} %"
    return f"{100 * band.least:g} to {100 * band.most:g} %"


def _sentences(row: Accuracy) -> Iterator[str]:
    case = f"{row.metric}, {TEST_TITLES[row.test]}"
    if not row.bands:
        yield f"{case}: there is no conclusion to judge."
    else:
        total = sum(band.conclusions for band in row.bands)
        overconfident = "; ".join(
            f"{_band(band)}: {percent(band.right.value)} of {band.conclusions:,}"
            for band in row.bands
            if band.overconfident
        )
        verdict = (
            f"right less often than claimed, beyond the error, in the bands {overconfident}"
            if overconfident
            else "no band is right less often than it claims, beyond the error"
        )
        # Of a two-sided p, the wrong side has half.
        sided = (
            "" if row.test in ONE_SIDED else " Its p is two-sided: it claims less than it could."
        )
        yield f"{case}: of {total:,} conclusions, {verdict}.{sided}"
    if row.undecided:
        yield f"{case}: {row.undecided:,} samples of pairs tie, and give no conclusion."
