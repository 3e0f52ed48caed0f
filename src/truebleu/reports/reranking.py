"""Reranked lists in words: what was chosen by, and what every metric says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Column, Document, Heading, Notes, Sentences, Table, rows_of
from truebleu.reports.tuning import gain_sentence, gain_table

if TYPE_CHECKING:
    from truebleu.nbest.reranking import RerankResult
    from truebleu.reports.document import Block, Row

CHOICES = (
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
MOST_FEATURES = 25


def document(result: RerankResult) -> Document:
    """The gain, how the model was trained, and its weights; programs get the choices."""
    blocks: list[Block] = []
    if result.gains:
        blocks += [Heading("Against the first candidates"), gain_table(result.gains)]
    blocks.append(Sentences(tuple(_sentences(result))))
    if result.path:
        blocks += [Heading("Path"), Table(PATH, rows_of(PATH, result.path))]
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
    return Document(tuple(blocks), data=Table(CHOICES, tuple(choices)))


def _sentences(result: RerankResult) -> list[str]:
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
    better = [gain.metric for gain in result.gains if gain.is_better and gain.differing_segments]
    worse = [gain.metric for gain in result.gains if not gain.is_better and gain.differing_segments]
    if better and worse:
        sentences.append(
            f"The metrics disagree: better by {', '.join(better)}, worse by {', '.join(worse)}. "
            "Look at outputs before you believe one of them."
        )
    directions = {gain.is_better for gain in result.gains if gain.differing_segments}
    if len(directions) > 1:
        sentences.append("The metrics disagree: do not trust the one that was chosen by.")
    return sentences
