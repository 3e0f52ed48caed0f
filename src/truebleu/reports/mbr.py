"""Minimum Bayes risk in words: how much there was to choose, and what was chosen."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from truebleu.nbest.minimum_bayes_risk import MBRResult
from truebleu.reports.document import Column, Document, Notes, Sentences, Table, rows_of

if TYPE_CHECKING:
    from truebleu.nbest.minimum_bayes_risk import MBRSummary, MBRTally
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


def document(result: MBRResult | MBRSummary) -> Document:
    """The choices; people see a summary, programs one row for each chosen candidate."""
    tally = result.tally
    summary = _summary(result.metric, tally)
    blocks: list[Table | Sentences | Notes] = [summary]
    if result.evaluations:
        blocks.append(_scores(result))
    blocks += [Sentences(tuple(_sentences(result, tally))), Notes((result.signature,))]
    data = _choices(result) if isinstance(result, MBRResult) else summary
    return Document(tuple(blocks), data=data)


def _summary(metric: str, tally: MBRTally) -> Table:
    values = {
        "candidates": tally.candidates,
        "different candidates": tally.distinct,
        "effective pseudo-references": tally.effective,
        f"expected {metric} of the choice": tally.utility,
        "margin to the next candidate": tally.margin,
    }
    rows: list[Row] = [
        {"what": what, "value": fmean(numbers), "low": min(numbers), "high": max(numbers)}
        for what, numbers in values.items()
        if numbers
    ]
    return Table(SUMMARY, tuple(rows))


def _scores(result: MBRResult | MBRSummary) -> Table:
    rows = rows_of(SCORES, result.evaluations, difference=lambda made: made.chosen - made.first)
    return Table(SCORES, rows)


def _sentences(result: MBRResult | MBRSummary, tally: MBRTally) -> list[str]:
    settings, total = result.settings, len(tally.candidates)
    alone, tied = tally.distinct.count(1.0), tally.tied
    sentences = [
        f"Another candidate than the first was chosen for {tally.moved:,} of {total:,} segments "
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
        regrets = tally.regret
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
