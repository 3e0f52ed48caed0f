"""N-best lists in words: what is in them, and their oracle scores."""

from __future__ import annotations

from functools import singledispatch
from operator import attrgetter
from typing import TYPE_CHECKING

from truebleu.nbest.inspection import ListsReport
from truebleu.nbest.oracle import OracleResult
from truebleu.reports.document import Column, Document, Notes, Sentences, Table, rows_of

if TYPE_CHECKING:
    from truebleu.reports.document import Renderable

FEATURES = (
    Column("feature", "Feature"),
    Column("low", "Lowest", digits=4),
    Column("mean", "Mean", digits=4),
    Column("high", "Highest", digits=4),
    Column("within", "Deviation within lists", digits=4),
    Column("constant_lists", "Lists where constant"),
)
ORACLES = (
    Column("metric", "Metric"),
    Column("first", "First", digits=2),
    Column("mean", "At random", digits=2),
    Column("worst_of_text", "Worst for the text", digits=2),
    Column("worst", "Worst", digits=2),
    Column("best", "Best", digits=2),
    Column("best_of_text", "Best for the text", digits=2),
)


@singledispatch
def document(result: Renderable) -> Document:
    """The document of a result about n-best lists."""
    raise TypeError(type(result).__name__)


@document.register
def _lists(result: ListsReport) -> Document:
    table = Table(FEATURES, rows_of(FEATURES, result.features, feature=attrgetter("name")))
    sentences = Sentences((*_contents(result), *warnings(result)))
    return Document((sentences, table) if result.features else (sentences,), data=table)


def _contents(result: ListsReport) -> list[str]:
    size = (
        f"{result.shortest}"
        if result.shortest == result.longest
        else f"{result.shortest} to {result.longest}"
    )
    sentences = [
        f"{result.name} ({result.format}): {result.candidates:,} candidates for "
        f"{result.segments:,} segments, {size} each; {result.distinct:,} of them are different."
    ]
    known = [
        name
        for name, is_known in (
            ("scores", result.has_scores),
            ("log-probabilities", result.has_log_probabilities),
            ("counts", result.has_counts),
            (f"{len(result.features)} features", bool(result.features)),
            (f"{result.sparse_features:,} sparse features", bool(result.sparse_features)),
        )
        if is_known
    ]
    sentences.append(f"Known of each candidate: {', '.join(known) or 'its text only'}.")
    return sentences


def warnings(result: ListsReport) -> list[str]:
    """What may surprise whoever uses the lists."""
    sentences = []
    if result.single_lists:
        sentences.append(f"{_lists_of(result.single_lists)} only one candidate: nothing to choose.")
    if result.equal_lists:
        sentences.append(
            f"{_lists_of(result.equal_lists)} one text several times: nothing to choose."
        )
    if result.empty:
        sentences.append(f"Empty candidates: {result.empty:,}.")
    if result.line_breaks:
        sentences.append(
            f"Candidates with a line break inside: {result.line_breaks:,}; written as lines, the "
            "break becomes a blank."
        )
    if result.unordered_lists:
        sentences.append(
            f"{_lists_of(result.unordered_lists)} candidates that are not in the order of their "
            "scores; the order of the file breaks ties."
        )
    if result.has_scores and not result.has_log_probabilities:
        sentences.append(
            "Whether the scores are normalised by length is not known: weights by probability "
            "need --not-normalized or a log-probability."
        )
    useless = [
        feature.name for feature in result.features if feature.constant_lists == result.segments
    ]
    if useless:
        sentences.append(
            f"Constant within every list, so of no use to choose by: {', '.join(useless)}."
        )
    return sentences


def _lists_of(count: int) -> str:
    return "1 list has" if count == 1 else f"{count:,} lists have"


@document.register
def _oracles(result: OracleResult) -> Document:
    table = Table(ORACLES, rows_of(ORACLES, result.metrics))
    sentences = [
        f"{result.candidates:,} candidates for {result.segments:,} segments. Best and worst choose "
        "each segment by itself. Best and worst for the text go on from there, one candidate at a "
        "time, as long as that moves the score of the whole text.",
    ]
    for metric in result.metrics:
        gain = metric.best_of_text - metric.first
        sentences.append(
            f"{metric.metric}: choosing perfectly instead of taking the first candidate changes "
            f"{metric.first:.2f} to {metric.best_of_text:.2f} ({gain:+.2f})."
        )
    notes = Notes(tuple(metric.signature for metric in result.metrics))
    return Document((table, Sentences(tuple(sentences)), notes), data=table)
