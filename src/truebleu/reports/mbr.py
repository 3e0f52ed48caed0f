"""Minimum Bayes risk in words: how much there was to choose, and what was chosen."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Notes, Sentences, Table, rows_of

if TYPE_CHECKING:
    from truebleu.nbest.minimum_bayes_risk import MBRResult
    from truebleu.reports.document import Row

SUMMARY = (
    Column("what", "Over all segments"),
    Column("value", "Mean", digits=2),
    Column("low", "Lowest", digits=2),
    Column("high", "Highest", digits=2),
)
SCORES = (
    Column("metric", "Metric"),
    Column("first", "First candidates", digits=2),
    Column("chosen", "Chosen", digits=2),
    Column("difference", "Difference", digits=2, sign=True),
)
CHOICES = (
    Column("segment", "Segment"),
    Column("rank", "Rank"),
    Column("index", "Index"),
    Column("utility", "Expected utility", digits=4),
    Column("margin", "Margin", digits=4),
    Column("ties", "Ties"),
    Column("candidates", "Candidates"),
    Column("distinct", "Different"),
    Column("effective", "Effective", digits=2),
    Column("regret", "Regret", digits=4),
    Column("text", "Text", numeric=False),
)


def document(result: MBRResult) -> Document:
    """The choices; people see a summary, programs one row for each chosen candidate."""
    blocks: list[Table | Sentences | Notes] = [_summary(result)]
    if result.evaluations:
        blocks.append(_scores(result))
    blocks += [Sentences(tuple(_sentences(result))), Notes((result.signature,))]
    return Document(tuple(blocks), data=_choices(result))


def _summary(result: MBRResult) -> Table:
    segments = result.segments
    values = {
        "candidates": [float(segment.candidates) for segment in segments],
        "different candidates": [float(segment.distinct) for segment in segments],
        "effective pseudo-references": [segment.effective for segment in segments],
        f"expected {result.metric} of the choice": [
            segment.best.utility for segment in segments if segment.best.utility is not None
        ],
        "margin to the next candidate": [
            segment.margin for segment in segments if segment.margin is not None
        ],
    }
    rows: list[Row] = [
        {"what": what, "value": fmean(numbers), "low": min(numbers), "high": max(numbers)}
        for what, numbers in values.items()
        if numbers
    ]
    return Table(SUMMARY, tuple(rows))


def _scores(result: MBRResult) -> Table:
    rows = rows_of(SCORES, result.evaluations, difference=lambda made: made.chosen - made.first)
    return Table(SCORES, rows)


def _sentences(result: MBRResult) -> list[str]:
    segments, settings = result.segments, result.settings
    total = len(segments)
    moved = sum(segment.best.index != 0 for segment in segments)
    alone = sum(segment.distinct == 1 for segment in segments)
    tied = sum(segment.ties > 0 for segment in segments)
    sentences = [
        f"Another candidate than the first was chosen for {moved:,} of {total:,} segments "
        f"(by expected {result.metric}, {settings.method}, weights: {settings.weights})."
    ]
    if alone:
        sentences.append(f"There was nothing to choose from for {alone:,} of {total:,} segments.")
    if tied:
        sentences.append(
            f"Several texts have the same expected utility in {tied:,} of {total:,} segments; the "
            "first in the list was taken."
        )
    if settings.check:
        regrets = [segment.regret for segment in segments if segment.regret is not None]
        same = sum(not regret > 0 for regret in regrets)
        sentences.append(
            f"Compared with the exact result, {settings.method} chose a candidate of the same "
            f"expected utility for {same:,} of {total:,} segments; it gives away "
            f"{fmean(regrets):.4f} on average and {max(regrets):.4f} at most."
        )
    if result.evaluations:
        sentences.append(
            f"A choice by {result.metric} is bound to gain {result.metric}: judge it by the other "
            "metric, and test it with truebleu compare."
        )
    return sentences


def _choices(result: MBRResult) -> Table:
    rows: list[Row] = [
        {
            "segment": segment.segment,
            "rank": rank,
            "index": choice.index,
            "utility": choice.utility,
            "margin": segment.margin if rank == 1 else None,
            "ties": segment.ties if rank == 1 else None,
            "candidates": segment.candidates,
            "distinct": segment.distinct,
            "effective": segment.effective,
            "regret": segment.regret if rank == 1 else None,
            "text": choice.text,
        }
        for segment in result.segments
        for rank, choice in enumerate(segment.chosen, 1)
    ]
    return Table(CHOICES, tuple(rows))
