"""N-best lists as documents: contents, oracle scores, tuning, reranking and MBR."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu.nbest.tuning import FeatureWeight
from truebleu.reports import document as doc
from truebleu.schema import columns_of, row_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.nbest.choices import Gain
    from truebleu.nbest.minimum_bayes_risk import MBRResult
    from truebleu.nbest.oracle import ListsReport, OracleResult
    from truebleu.nbest.reranking import RerankResult
    from truebleu.nbest.tuning import TuneResult
    from truebleu.reports.document import Block, Row

#: Significance level of gains.
ALPHA = 0.05
#: Largest difference that rounding may cause between equal scores.
ROUNDING = 1e-9
#: Maximum number of features shown, without and with details.
FEATURES, MOST_FEATURES = 10, 50


def _table(items: Sequence[Any], *names: str, rows: Sequence[Row] | None = None) -> doc.Table:
    """Make a table of some fields with a row per item; empty columns are left out."""
    shown = tuple(map(row_of, items)) if rows is None else tuple(rows)
    kind: Any = type(items[0]) if items else None
    filled = [n for n in names if any(row.get(n) not in (None, "", (None, None)) for row in shown)]
    return doc.Table(tuple(columns_of(kind)[name] for name in filled), shown)


# Contents of lists, and their oracle scores.


def lists_document(result: ListsReport) -> doc.Document:
    """Lay out the contents of lists, their cautions and a table of features."""
    names = ("name", "low", "mean", "high", "within", "constant_lists")
    table = _table(result.features, *names)
    sentences = doc.Sentences((*_contents(result), *warnings(result)))
    return doc.Document((sentences, table) if result.features else (sentences,), data=table)


def _contents(result: ListsReport) -> Iterator[str]:
    sizes = dict.fromkeys((str(result.shortest), str(result.longest)))
    yield (
        f"{result.name} ({result.format}): {result.candidates:,} candidates for "
        f"{result.segments:,} segments, {' to '.join(sizes)} each; {result.distinct:,} of them are "
        "different."
    )
    contents = {
        "scores": result.has_scores,
        "log-probabilities": result.has_log_probabilities,
        "counts": result.has_counts,
        f"{len(result.features)} features": result.features,
        f"{result.sparse_features:,} sparse features": result.sparse_features,
    }
    known = [name for name, is_known in contents.items() if is_known]
    yield f"Known for each candidate: {', '.join(known) or 'its text only'}."


def warnings(result: ListsReport) -> Iterator[str]:
    """Yield cautions for users of the lists."""
    faults = {
        "only one candidate: nothing to choose.": result.single_lists,
        "one text several times: nothing to choose.": result.equal_lists,
        "candidates that are not in the order of their scores; the order of the file breaks "
        "ties.": result.unordered_lists,
    }
    for fault, count in faults.items():
        if count:
            yield f"{'1 list has' if count == 1 else f'{count:,} lists have'} {fault}"
    if result.empty:
        yield f"Empty candidates: {result.empty:,}."
    if result.line_breaks:
        yield (
            f"Candidates with a line break: {result.line_breaks:,}; when they are written as "
            "lines, each break becomes a space."
        )
    if result.has_scores and not result.has_log_probabilities:
        yield (
            "It is unknown whether the scores are normalised by length: weights by probability "
            "need log-probabilities."
        )
    useless = [f.name for f in result.features if f.constant_lists == result.segments]
    if useless:
        features = "Features that are constant within every list cannot affect the choice"
        yield f"{features}: {', '.join(useless)}."


def oracle_document(result: OracleResult) -> doc.Document:
    """Lay out the gain of perfect choices, and the best and worst scores, by metric."""
    names = ("metric", "first", "mean", "worst_of_text", "worst", "best", "best_of_text")
    table = _table(result.metrics, *names)
    answer = tuple(
        f"{metric.metric}: choosing perfectly instead of taking the first candidate changes "
        f"{metric.first:.2f} to {metric.best_of_text:.2f} "
        f"({metric.best_of_text - metric.first:+.2f})."
        for metric in result.metrics
    )
    method = (
        f"{result.candidates:,} candidates for {result.segments:,} segments; best and worst are "
        "chosen by segment; for the text, hill climbing continues from there"
    )
    notes = doc.Notes((*(metric.signature for metric in result.metrics), method))
    data = doc.Table(doc.plain_columns(*(column.name for column in table.columns)), table.rows)
    return doc.Document((doc.Sentences(answer), table, notes), data=data)


# Gains of tuned weights and reranked lists.


def gain_sentence(gain: Gain, noun: str, before: str) -> str:
    """State the difference between a choice (`noun`) and `before`, and its significance."""
    if not gain.differing_segments:
        return f"By {gain.metric} {noun} get the same score as {before} in every segment."
    interval = doc.bracketed(gain.interval, gain.digits, sign="+")
    amount = f"{gain.difference:+.{gain.digits}f} {interval}, {doc.p_equals('p', gain.p)}"
    if gain.p > ALPHA:
        return f"By {gain.metric} {noun} and {before} can't be told apart: {amount}."
    relation = "better" if gain.is_better else "worse"
    return f"By {gain.metric} {noun} are {relation} than {before}: {amount}."


def _gain_sentences(gains: Sequence[Gain], noun: str, before: str) -> Iterator[str]:
    yield from (gain_sentence(gain, noun, before) for gain in gains)
    real = [gain for gain in gains if gain.differing_segments and gain.p <= ALPHA]
    worse = [gain.metric for gain in real if not gain.is_better]
    if worse and len(worse) < len(real):
        yield "The metrics disagree: look at outputs before you believe one of them."
    elif worse:
        yield "The new choice is worse: keep the old one."
    for gain in gains:
        sign = -1 if gain.higher_is_better is False else 1
        marks = {"the first candidates": gain.first, "a random choice": gain.by_chance}
        below = [
            f"{noun} ({score:.{gain.digits}f})"
            for noun, score in marks.items()
            if sign * gain.score < sign * score - ROUNDING
        ]
        if below:
            yield (
                f"Warning: by {gain.metric} this choice ({gain.score:.{gain.digits}f}) is worse "
                f"than {' and '.join(below)}."
            )


def _gain_table(gains: Sequence[Gain]) -> list[Block]:
    """Make a table with a row per metric, or none if no gain was measured."""
    rows = []
    for gain in gains:
        interval = doc.bracketed(gain.interval, gain.digits, sign="+")
        rows.append({**row_of(gain), "interval": interval, "p": doc.p_cell(gain.p)})
    # The first candidates may be the baseline.
    before = () if all(gain.first == gain.baseline for gain in gains) else ("baseline",)
    names = ("metric", "first", "by_chance", "oracle", *before, "score", "difference", "interval")
    return [_table(gains, *names, "p", "deviation", rows=rows)] if gains else []


def _blocks(
    result: TuneResult | RerankResult,
    answer: Iterable[str],
    weights: doc.Table,
    heading: str,
    method: Iterable[str],
) -> list[Block]:
    """Lay out the gain, the weights and the method."""
    signatures = (gain.signature for gain in result.gains)
    return [
        doc.Sentences(tuple(answer)),
        *_gain_table(result.gains),
        doc.Heading(heading),
        weights,
        doc.Notes((*signatures, *method)),
    ]


def tune_document(result: TuneResult, *, details: bool = False) -> doc.Document:
    """Lay out the gain on held-out segments, the weights, and the tuning method."""
    answer = list(_gain_sentences(result.gains, "the tuned weights", "the previous ones"))
    if not result.changed:
        answer.insert(0, "The weights have no effect: they choose the same candidates as before.")
    elif result.held_out == "none":
        answer.append("No gain was measured: give --test-lists or --folds.")
    if min(result.development) < max(result.first, result.by_chance) - ROUNDING:
        answer.append("Warning: on these lists first or random candidates score higher.")
    rows: list[Row] = [
        {**row_of(weight), "note": "constant within lists" if weight.is_useless else ""}
        for weight in result.weights
    ]
    maximum = MOST_FEATURES if details else FEATURES
    ranked = sorted(rows, key=lambda row: -abs(float(str(row["influence"]))))[:maximum]
    names = ("feature", "weight", "influence", "deviation")
    weights, note = _table(result.weights, *names, rows=ranked), doc.Column("note", "")
    if any(row["note"] for row in ranked):
        weights = replace(weights, columns=(*weights.columns, note))
    heading = "Weights"
    if len(rows) > maximum:
        heading = f"Weights: the {maximum} of {len(rows):,} that change scores most"
    blocks = _blocks(result, answer, weights, heading, _tuning_method(result))
    if details and result.rounds:
        rounds = _table(result.rounds, "number", "new", "candidates", "before", "after")
        blocks += [doc.Heading("Rounds of the decoder"), rounds]
    columns = tuple(columns_of(FeatureWeight)[name] for name in names)
    return doc.Document(tuple(blocks), data=doc.Table((*columns, note), tuple(rows)))


def _tuning_method(result: TuneResult) -> Iterator[str]:
    mean = sum(result.development) / result.runs
    runs = f", mean of {result.runs} runs" if result.runs > 1 else ""
    yield (
        f"{result.method.title} for {doc.join_names(result.metrics)} on {result.candidates:,} "
        f"candidates for {result.segments:,} segments of {result.name}"
    )
    yield (
        f"on these lists, on which the weights were tuned: {result.start:.2f} before, {mean:.2f} "
        f"after{runs}; first candidates {result.first:.2f}, at random {result.by_chance:.2f}, "
        f"oracle {result.oracle:.2f}"
    )
    if result.held_out == "folds":
        yield (
            f"gain: on {result.folds} parts of neighbouring segments; candidates of each part are "
            "chosen by weights tuned on the other parts"
            f"{', from the start' if result.rounds else ''}"
        )
    elif result.held_out == "test":
        yield f"gain: on {result.held_out_segments:,} segments of the test lists"
    if result.rounds:
        last = result.rounds[-1]
        end = f"the last found {last.new:,} new ones" if last.new else "the last found nothing new"
        yield f"{len(result.rounds)} rounds of the decoder; {end}"


#: Models that score candidates.
MODELS = {
    "weights": "given weights",
    "quality": "columns of quality scores",
    "log-linear": "a log-linear model with an l1 penalty",
}


def rerank_document(result: RerankResult, *, details: bool = False) -> doc.Document:
    """Lay out the gain, the model's weights and its training; programs get the choices."""
    answer = [
        *_gain_sentences(result.gains, "the chosen candidates", "the first ones"),
        f"A candidate other than the first was chosen for {result.changed:,} of "
        f"{result.segments:,} segments, by {MODELS[result.model]}.",
    ]
    names = list(dict.fromkeys((*result.selected, *result.weights)))
    maximum = MOST_FEATURES if details else FEATURES
    columns = columns_of(FeatureWeight)
    weights = doc.Table(
        (columns["feature"], columns["weight"]),
        tuple({"feature": name, "weight": result.weights[name]} for name in names[:maximum]),
    )
    heading = "Weights"
    if len(names) > maximum:
        heading = f"Weights: the first {maximum} of {len(names):,}"
    blocks = _blocks(result, answer, weights, heading, _training_method(result))
    if details and result.path:
        path = _table(result.path, "gamma", "features", "loss", "held_out")
        blocks += [doc.Heading("Path"), path]
    choices = enumerate(zip(result.indices, result.texts, strict=True), 1)
    rows: tuple[Row, ...] = tuple(
        {"segment": number, "index": index, "text": text} for number, (index, text) in choices
    )
    return doc.Document(tuple(blocks), doc.Table(doc.plain_columns(*rows[0]), rows))


def _training_method(result: RerankResult) -> Iterator[str]:
    if result.copies:
        yield (
            f"{result.copies:,} candidates duplicate the text and features of others, and were "
            "left out of training"
        )
    if result.folds is not None:
        yield (
            f"candidates of each of {result.folds} parts of neighbouring segments were chosen by a "
            "model trained on the other parts; the weights shown were trained on all parts"
        )
    elif result.trained_on is not None:
        yield f"trained on {result.trained_on:,} segments of other lists"
    if result.gamma is not None:
        selected = f"{len(result.selected):,} features, in the order of entry"
        yield f"gamma {result.gamma:.4g} keeps {selected}"


# Minimum Bayes risk: the choices, and the variety of candidates.


MBR_SUMMARY = (
    doc.Column("what", "Over all segments"),
    doc.Column("value", "Mean", digits=2),
    doc.Column("low", "Lowest", digits=2),
    doc.Column("high", "Highest", digits=2),
)
MBR_SPREADS = {
    "candidates": "candidates",
    "distinct": "different candidates",
    "effective": "effective pseudo-references",
    "utility": "expected {} of the choice",
    "margin": "margin to the next candidate",
}
MBR_CHOICES = doc.plain_columns(
    *("segment", "rank", "index", "utility", "margin", "ties", "candidates", "distinct"),
    *("effective", "regret", "text"),
)


def mbr_document(result: MBRResult, *, details: bool = False) -> doc.Document:
    """Lay out the choices and the variety of candidates; programs get a row per choice."""
    choices = _mbr_choices(result)
    rows: list[Row] = []
    for name, noun in MBR_SPREADS.items():
        values = [
            float(str(row[name]))
            for row in choices.rows
            if row["rank"] == 1 and row[name] is not None
        ]
        if values:
            ends = {"low": min(values), "high": max(values)}
            quantity = noun.format(result.metric)
            rows.append({"what": quantity, "value": sum(values) / len(values), **ends})
    summary = [doc.Table(MBR_SUMMARY, tuple(rows))] if details or not result.gains else []
    settings = result.settings
    method = f"expected {result.metric}, {settings.method.name}, weighed by {settings.weigh_by}"
    blocks = (
        doc.Sentences(tuple(_mbr_sentences(result))),
        *_gain_table(result.gains),
        *summary,
        doc.Notes((result.signature, *(gain.signature for gain in result.gains), method)),
    )
    return doc.Document(blocks, data=choices)


def _mbr_sentences(result: MBRResult) -> Iterator[str]:
    segments = result.segments
    total = f"{len(segments):,} segments"
    # A choice by chrF always gains chrF, so the other metric comes first.
    yield from _gain_sentences(result.gains[::-1], "the chosen candidates", "the first ones")
    changed = sum(segment.best.index > 0 for segment in segments)
    yield f"A candidate other than the first was chosen for {changed:,} of {total}."
    uniform = sum(segment.distinct == 1 for segment in segments)
    if uniform:
        yield f"All candidates have the same text for {uniform:,} of {total}."
    tied = sum(segment.ties > 0 for segment in segments)
    if tied:
        yield (
            f"Several texts have the same expected utility in {tied:,} of {total}; the first in "
            "the list was taken."
        )
    regrets = [segment.regret for segment in segments if segment.regret is not None]
    if regrets:
        yield (
            f"Compared with the exact result, {result.settings.method.name} chose a candidate of "
            f"the same expected utility for {regrets.count(0):,} of {total}; its loss is "
            f"{sum(regrets) / len(regrets):.4f} on average and {max(regrets):.4f} at most."
        )


def _mbr_choices(result: MBRResult) -> doc.Table:
    rows: list[Row] = []
    for segment in result.segments:
        for rank, choice in enumerate(segment.chosen, 1):
            blank = dict.fromkeys(("margin", "ties", "regret") if rank > 1 else ())
            rows.append({**row_of(segment), **row_of(choice), "rank": rank, **blank})
    return doc.Table(MBR_CHOICES, tuple(rows))
