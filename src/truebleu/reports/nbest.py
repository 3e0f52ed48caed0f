"""N-best lists in words: what is in them, and what tuning, reranking and MBR make of them."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING

from truebleu.reports.document import (
    Column,
    Document,
    Heading,
    Notes,
    Sentences,
    Table,
    bounds_of,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.nbest.gain import Gain
    from truebleu.nbest.inspection import ListsReport, OracleResult
    from truebleu.nbest.minimum_bayes_risk import MBRResult, MBRSummary, MBRTally
    from truebleu.nbest.reranking import RerankResult
    from truebleu.nbest.tuning import TuneResult
    from truebleu.reports.document import Block, Row


# What is in lists, and how good their best candidates are.


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


def lists_document(result: ListsReport) -> Document:
    """The features of lists as a table, with what may surprise whoever uses them."""
    table = table_of(FEATURES, result.features, feature=attrgetter("name"))
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


def oracle_document(result: OracleResult) -> Document:
    """The scores of the best and the worst choices, by metric."""
    table = table_of(ORACLES, result.metrics)
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


# Tuned weights: what they are, and what they gain.


TUNED_WEIGHTS = (
    Column("feature", "Feature"),
    Column("weight", "Weight", digits=6),
    Column("influence", "Weight × deviation", digits=4),
    Column("deviation", "Deviation over runs", digits=6),
    Column("lowest", "Lowest", digits=6),
    Column("highest", "Highest", digits=6),
    Column("note", "Note"),
)
ROUNDS = (
    Column("round", "Round"),
    Column("new", "New candidates"),
    Column("candidates", "Candidates"),
    Column("before", "Before", digits=2),
    Column("after", "After", digits=2),
)
GAINS = (
    Column("metric", "Metric"),
    Column("baseline", "Before", digits=2),
    Column("score", "After", digits=2),
    Column("difference", "Difference", digits=2, sign=True),
    Column("low", "Low", digits=2, sign=True),
    Column("high", "High", digits=2, sign=True),
    Column("p", "p", digits=4),
    Column("deviation", "Deviation over runs", digits=2),
)
#: People see so many features, those that move scores most.
MOST_FEATURES = 25


def tune_document(result: TuneResult) -> Document:
    """What was tuned, the gain on held-out segments, and the weights."""
    table = table_of(
        TUNED_WEIGHTS,
        result.weights,
        note=lambda weight: "constant within lists" if weight.is_useless else "",
    )
    rows = table.rows
    shown = sorted(rows, key=lambda row: -abs(float(str(row["influence"]))))[:MOST_FEATURES]
    sentences = [*_development(result), *_held_out(result), *_cautions(result)]
    if len(rows) > MOST_FEATURES:
        sentences.append(
            f"The {MOST_FEATURES} features that move scores most, of {len(rows):,}; "
            "--format tsv or json has all."
        )
    return Document(
        (
            *_rounds(result),
            *_gain_blocks("Gain on held-out segments", result.gains),
            Sentences(tuple(sentences)),
            Heading("Weights"),
            Table(_used(TUNED_WEIGHTS, shown), tuple(shown)),
            Notes(tuple(gain.signature for gain in result.gains)),
        ),
        data=table,
    )


def _rounds(result: TuneResult) -> list[Block]:
    if not result.rounds:
        return []
    last = result.rounds[-1]
    end = (
        "The last round found no new candidate."
        if not last.new
        else "The loop ended because weights no longer moved or no round was left."
    )
    return [
        Heading("Rounds of the decoder"),
        table_of(ROUNDS, result.rounds, round=attrgetter("number")),
        Sentences((f"Both scores of a round are on the lists of all rounds so far. {end}",)),
    ]


def _gain_blocks(heading: str, gains: Sequence[Gain]) -> list[Block]:
    """A table with one row per metric; nothing where no gain was measured."""
    rows = table_of(GAINS, gains, **bounds_of()).rows
    return [Heading(heading), Table(_used(GAINS, rows), rows)] if gains else []


def gain_sentence(gain: Gain, before: str) -> str:
    """What a gain by one metric means."""
    if not gain.differing_segments:
        return f"{gain.metric}: the choice is the same as {before} wherever it matters."
    direction = "better" if gain.is_better else "worse"
    verdict = (
        f"significantly {direction}" if gain.p <= 0.05 else f"{direction}, but not significantly so"
    )
    return (
        f"{gain.metric}: {gain.difference:+.{gain.digits}f} against {before}, "
        f"{verdict} (p = {gain.p:.3g})."
    )


def _used(columns: tuple[Column, ...], rows: Sequence[Row]) -> tuple[Column, ...]:
    return tuple(
        column for column in columns if any(row[column.name] not in (None, "") for row in rows)
    )


def _development(result: TuneResult) -> list[str]:
    # Other commands on lists do without the tuners.
    from truebleu.nbest.tuning import TUNERS

    title = TUNERS[result.method].title
    metrics = " and ".join(result.metrics)
    goal = metrics if len(result.metrics) == 1 else f"the mean of {metrics}"
    mean = sum(result.development) / result.runs
    runs = f" (mean of {result.runs} runs)" if result.runs > 1 else ""
    return [
        f"{title[0].upper()}{title[1:]} for {goal}, on {result.candidates:,} candidates for "
        f"{result.segments:,} segments of {result.name}: {result.start:.2f} before, {mean:.2f} "
        f"after{runs} on the lists that were tuned on, which is no evidence of a gain.",
        f"Candidates drawn at random would score {result.by_chance:.2f} there, and those that are "
        f"best by themselves {result.oracle:.2f}.",
    ]


def _held_out(result: TuneResult) -> list[str]:
    if result.held_out == "none":
        return ["No gain was measured: give test lists, or folds."]
    if result.held_out == "folds":
        where = (
            f"The gain is of {result.folds} parts of neighbouring segments, each chosen from by "
            "weights that were tuned on the others."
        )
    else:
        where = f"The gain is of {result.held_out_segments:,} segments of the test lists."
    return [where, *(gain_sentence(gain, "before") for gain in result.gains)]


def _better_and_worse(gains: Sequence[Gain]) -> tuple[str, str]:
    """The metrics by which other choices are better, and those by which they are worse."""
    better, worse = (
        [gain.metric for gain in gains if gain.differing_segments and gain.is_better == is_better]
        for is_better in (True, False)
    )
    return ", ".join(better), ", ".join(worse)


def _cautions(result: TuneResult) -> Iterator[str]:
    useless = [weight.feature for weight in result.weights if weight.is_useless]
    if useless:
        names = ", ".join(useless[:10]) + (" …" if len(useless) > 10 else "")
        yield f"Constant within every list, so of no use to choose by: {names}."
    if not result.changed:
        yield (
            "The weights do nothing: they choose the same candidate of every development list as "
            "before."
        )
    _, worse = _better_and_worse(result.gains)
    if worse:
        yield f"Not better by {worse}: look at outputs before you use the weights."


# Reranked lists: what was chosen by, and what every metric says of it.


RERANKED = (
    Column("segment", "Segment"),
    Column("index", "Index"),
    Column("text", "Text"),
)
PATH = (
    Column("gamma", "Gamma", digits=4),
    Column("features", "Features"),
    Column("loss", "Loss", digits=2),
    Column("held_out", "Held-out score", digits=2),
)
WEIGHTS = (Column("feature", "Feature"), Column("weight", "Weight", digits=6))
MODELS = {
    "weights": "given weights",
    "quality": "columns of quality scores",
    "log-linear": "a log-linear model with an l1 penalty",
    "noisy-channel": "the noisy channel",
}


def rerank_document(result: RerankResult) -> Document:
    """The gain, how the model was trained, and its weights; programs get the choices."""
    blocks = _gain_blocks("Against the first candidates", result.gains)
    blocks.append(Sentences(tuple(_reranking_sentences(result))))
    if result.path:
        blocks += [Heading("Path"), table_of(PATH, result.path)]
    names = [*result.selected, *(name for name in result.weights if name not in result.selected)]
    weights: list[Row] = [
        {"feature": name, "weight": result.weights[name]} for name in names[:MOST_FEATURES]
    ]
    blocks += [Heading("Weights"), Table(WEIGHTS, tuple(weights))]
    blocks.append(Notes(tuple(gain.signature for gain in result.gains)))
    choices: list[Row] = [
        {"segment": number, "index": index, "text": text}
        for number, (index, text) in enumerate(zip(result.indices, result.texts, strict=True), 1)
    ]
    return Document(tuple(blocks), data=Table(RERANKED, tuple(choices)))


def _reranking_sentences(result: RerankResult) -> list[str]:
    sentences = [
        f"Another candidate than the first was chosen for {result.changed:,} of "
        f"{result.segments:,} segments, by {MODELS[result.model]}."
    ]
    if result.folds is not None:
        sentences.append(
            f"Each of {result.folds} parts of neighbouring segments was chosen from by a model of "
            "the others; the weights below are of all."
        )
    elif result.trained_on is not None:
        sentences.append(f"Trained on {result.trained_on:,} segments of other lists.")
    if result.length_penalty is not None:
        lengths = ", scores divided by lengths first" if result.normalize else ""
        sentences.append(f"Length penalty: {result.length_penalty:g}{lengths}.")
    if result.gamma is not None:
        sentences.append(
            f"Gamma {result.gamma:.4g} keeps {len(result.selected):,} features, in the order of "
            "entry below."
        )
    if len(result.weights) > MOST_FEATURES:
        sentences.append(f"The first {MOST_FEATURES} of {len(result.weights):,} weights.")
    sentences += [gain_sentence(gain, "the first candidates") for gain in result.gains]
    better, worse = _better_and_worse(result.gains)
    if better and worse:
        sentences += [
            f"The metrics disagree: better by {better}, worse by {worse}. Look at outputs before "
            "you believe one of them.",
            "The metrics disagree: do not trust the one that was chosen by.",
        ]
    return sentences


# Minimum Bayes risk: how much there was to choose, and what was chosen.


MBR_SUMMARY = (
    Column("what", "Over all segments"),
    Column("value", "Mean", digits=2),
    Column("low", "Lowest", digits=2),
    Column("high", "Highest", digits=2),
)
MBR_SCORES = (
    Column("metric", "Metric"),
    Column("first", "First candidates", digits=2),
    Column("chosen", "Chosen", digits=2),
    Column("difference", "Difference", digits=2, sign=True),
)
MBR_CHOICES = (
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


def mbr_document(result: MBRResult) -> Document:
    """The choices; people see a summary, programs one row for each chosen candidate."""
    return replace(mbr_summary_document(result), data=_mbr_choices(result))


def mbr_summary_document(result: MBRResult | MBRSummary) -> Document:
    """How much there was to choose, and what was chosen."""
    tally = result.tally
    summary = _mbr_summary(result.metric, tally)
    blocks: list[Block] = [summary]
    if scored := result.evaluations:
        blocks.append(
            table_of(MBR_SCORES, scored, difference=lambda scores: scores.chosen - scores.first)
        )
    blocks += [Sentences(tuple(_mbr_sentences(result, tally))), Notes((result.signature,))]
    return Document(tuple(blocks), data=summary)


def _mbr_summary(metric: str, tally: MBRTally) -> Table:
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
    return Table(MBR_SUMMARY, tuple(rows))


def _mbr_sentences(result: MBRResult | MBRSummary, tally: MBRTally) -> list[str]:
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


def _mbr_choices(result: MBRResult) -> Table:
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
    return Table(MBR_CHOICES, tuple(rows))
