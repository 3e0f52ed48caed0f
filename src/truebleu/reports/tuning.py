"""Tuned weights in words: what they are, and what they gain."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from truebleu.nbest.tuning import TUNERS, TuneResult
from truebleu.reports.document import Column, Document, Heading, Notes, Sentences, Table, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.nbest.gain import Gain
    from truebleu.reports.document import Block, Row

WEIGHTS = (
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


def document(result: TuneResult) -> Document:
    """What was tuned, the gain on held-out segments, and the weights."""
    rows = rows_of(
        WEIGHTS,
        result.weights,
        note=lambda weight: "constant within lists" if weight.is_useless else "",
    )
    table = Table(WEIGHTS, rows)
    shown = sorted(rows, key=lambda row: -abs(float(str(row["influence"]))))[:MOST_FEATURES]
    sentences = [*_development(result), *_held_out(result), *_warnings(result)]
    if len(rows) > MOST_FEATURES:
        sentences.append(
            f"The {MOST_FEATURES} features that move scores most, of {len(rows):,}; "
            "--format tsv or json has all."
        )
    blocks: list[Block] = []
    if result.gains:
        blocks += [Heading("Gain on held-out segments"), gain_table(result.gains)]
    return Document(
        (
            *_rounds(result),
            *blocks,
            Sentences(tuple(sentences)),
            Heading("Weights"),
            Table(_used(WEIGHTS, shown), tuple(shown)),
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
        Table(ROUNDS, rows_of(ROUNDS, result.rounds, round=attrgetter("number"))),
        Sentences((f"Both scores of a round are on the lists of all rounds so far. {end}",)),
    ]


def gain_table(gains: Sequence[Gain]) -> Table:
    """One row per metric."""
    rows = rows_of(
        GAINS, gains, low=lambda gain: gain.interval[0], high=lambda gain: gain.interval[1]
    )
    return Table(_used(GAINS, rows), rows)


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
    metrics = " and ".join(result.metrics)
    goal = metrics if len(result.metrics) == 1 else f"the mean of {metrics}"
    mean = sum(result.development) / result.runs
    runs = f" (mean of {result.runs} runs)" if result.runs > 1 else ""
    return [
        f"{TUNERS[result.method].title[0].upper()}{TUNERS[result.method].title[1:]} for {goal}, on "
        f"{result.candidates:,} candidates for {result.segments:,} segments of {result.name}: "
        f"{result.start:.2f} before, {mean:.2f} after{runs} on the lists that were tuned on, which "
        "is no evidence of a gain.",
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


def _warnings(result: TuneResult) -> list[str]:
    found = []
    useless = [weight.feature for weight in result.weights if weight.is_useless]
    if useless:
        names = ", ".join(useless[:10]) + (" …" if len(useless) > 10 else "")
        found.append(f"Constant within every list, so of no use to choose by: {names}.")
    if not result.changed:
        found.append(
            "The weights do nothing: they choose the same candidate of every development list as "
            "before."
        )
    if result.gains and any(
        not gain.is_better and gain.differing_segments for gain in result.gains
    ):
        worse = [g.metric for g in result.gains if not g.is_better and g.differing_segments]
        found.append(
            f"Not better by {', '.join(worse)}: look at outputs before you use the weights."
        )
    return found
