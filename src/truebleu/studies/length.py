"""Outputs of other lengths: cut or repeated at the end, or chosen by their length among systems."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from truebleu.corpus.test_set import fingerprint
from truebleu.errors import SettingError, UnknownNameError
from truebleu.execution.journal import Runner, Task
from truebleu.exhibits import Exhibit, Field, Plot, Row
from truebleu.metrics.dependency import DependencyF
from truebleu.metrics.given import GivenScores
from truebleu.metrics.length import LengthRatio
from truebleu.metrics.registry import as_metrics
from truebleu.metrics.score import metric_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from truebleu.corpus import TestSet
    from truebleu.execution.journal import Key, Record
    from truebleu.metrics.base import Metric

#: What lengths are counted in.
Piece = Literal["word", "character"]

PIECES: tuple[Piece, ...] = get_args(Piece)
# No language that separates its words by blanks has words of so many characters on average; in
# Japanese or Thai, what stands between blanks is a phrase or a whole segment.
LONGEST_WORDS = 15


def pieces_between_blanks(test_set: TestSet) -> Piece:
    """Words if the first reference has blanks between them, else characters.

    >>> from truebleu.corpus import as_test_set
    >>> pieces_between_blanks(as_test_set(["a cat sat"], ["the cat sat"]))
    'word'
    """
    segments = [segment for segment in test_set.references[0] if segment]
    words = [word for segment in segments for word in segment.split()]
    characters = sum(map(len, words))
    return "word" if characters <= LONGEST_WORDS * max(len(words), 1) else "character"


def pieces_of(segment: str | None, piece: Piece) -> list[str]:
    """The words of a segment, or its characters."""
    if segment is None:
        return []
    return segment.split() if piece == "word" else list(segment)


def resize(segments: Sequence[str | None], share: float, piece: Piece) -> list[str | None]:
    """The segments at this share of their lengths.

    Below 1 the last pieces are cut off; above 1, up to 1.5, the last ones are said twice, which
    needs no knowledge of the reference. What rounding takes from one segment the next one gets, so
    that the text as a whole has the share asked for, to one piece.

    >>> resize(["a b c d", "e f"], 0.5, "word"), resize(["a b c d"], 1.5, "word")
    (['a b', 'e'], ['a b c d c d'])
    """
    cut = [pieces_of(segment, piece) for segment in segments]
    ends = [int(share * end + 0.5) for end in accumulate(map(len, cut))]
    resized: list[str | None] = []
    for segment, pieces, start, end in zip(segments, cut, [0, *ends[:-1]], ends, strict=True):
        count, glue = end - start, " " if piece == "word" else ""
        if count == len(pieces):
            resized.append(segment)
        elif count < len(pieces):
            resized.append(glue.join(pieces[:count]))
        else:
            resized.append(glue.join(pieces + pieces[len(pieces) - count :]))
    return resized


def by_length(systems: Sequence[Sequence[str | None]], piece: Piece) -> list[list[str | None]]:
    """For each segment the shortest of the systems' outputs, the second shortest, and so on.

    Of outputs of one length another system's comes first in every segment, so that no rank has
    more of one system for the order in which they were given.

    >>> by_length([["a b", "c"], ["d", "e f g"]], "word")
    [['d', 'c'], ['a b', 'e f g']]
    """
    ranks: list[list[str | None]] = [[] for _ in systems]
    for index, outputs in enumerate(zip(*systems, strict=True)):
        turn = index % len(outputs)
        rotated = [*outputs[turn:], *outputs[:turn]]
        rotated.sort(key=lambda output: len(pieces_of(output, piece)))
        for rank, output in zip(ranks, rotated, strict=True):
            rank.append(output)
    return ranks


# Length: each metric against the length of the output.
#
# Koehn (2004, §2.3, Fig. 1) forced a system to shorter output by a word penalty: BLEU dropped
# dramatically below the length of the reference, because of its brevity penalty, while GTM, which
# has none, did not. Any system's output can be made shorter or longer at the ends of its
# segments; and several systems' outputs can be chosen among by their length, as a word penalty
# chooses among translations.


#: How outputs get another length.
Way = Literal["cut", "choice"]

WAYS: tuple[Way, ...] = get_args(Way)
USUAL_LENGTHS = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1)
LONGEST = 1.5
# With two systems there is no output of middling length to hold the others against.
FEWEST_TO_CHOOSE_FROM = 3

SHARE_FIELDS = (
    Field("metric", "Metric"),
    Field("kept", "Length kept", 0, percent=True),
    Field("length", "Length, of the reference", 1, percent=True),
    Field("score", "Score", 2),
    Field("relative", "Score, of the natural one", 1, percent=True),
    Field("low", "systems from", 1, percent=True),
    Field("high", "to", 1, percent=True),
)
RANK_FIELDS = (
    Field("metric", "Metric"),
    Field("rank", "Length rank"),
    Field("length", "Length, of the reference", 1, percent=True),
    Field("score", "Score", 2),
    Field("relative", "Score, of the middle rank's", 1, percent=True),
)


def study_length(
    test_set: TestSet,
    metrics: Sequence[str | Metric] = ("bleu", "gtm"),
    *,
    way: Way = "cut",
    lengths: Sequence[float] | None = None,
    piece: Piece | None = None,
    runner: Runner | None = None,
) -> Exhibit:
    """How does each metric's score depend on the length of the output?

    Args:
        test_set: the outputs.
        metrics: by which to score.
        way: "cut" takes words from the end of every segment, or says the last ones twice; "choice"
            takes for each segment the shortest of the systems' outputs, the second shortest, ….
        lengths: of the natural length, above 0 and up to 1.5, for "cut"; 1 is always among them.
            By default 0.7 to 1.1.
        piece: what lengths are counted in, words or characters; None for words where there are
            blanks between them.
        runner: keeps the results and shows progress.

    >>> from truebleu.simulation import simulate
    >>> exhibit = study_length(simulate(segments=40, systems=[0.2]), ["gtm"], lengths=[0.5])
    >>> [round(row["length"], 1) for row in exhibit.rows]
    [0.5, 1.0]
    """
    if way not in WAYS:
        raise UnknownNameError("way", way, WAYS)
    if piece is not None and piece not in PIECES:
        raise UnknownNameError("piece", piece, PIECES)
    if not test_set.systems:
        raise SettingError("systems", 0, "at least one")
    parsed = as_metrics(metrics)
    for metric in parsed:
        _require_text(metric)
    steps = _lengths(lengths) if way == "cut" else _ranks(test_set, lengths)
    subject = {
        "study": "length",
        "test_set": test_set.to_dict(),
        "systems": list(test_set.systems),
        "metrics": [
            str(one.signature.with_references(test_set.references_per_segment)) for one in parsed
        ],
        "references": fingerprint(test_set.references),
        "outputs": fingerprint(list(test_set.systems.values())),
        "way": way,
        "steps": steps,
        "piece": piece or pieces_between_blanks(test_set),
    }
    work: Callable[..., Record] = _cut_scores if way == "cut" else _rank_scores
    tasks = [
        Task((step,), partial(work, test_set, parsed, step, subject["piece"])) for step in steps
    ]
    records = (runner or Runner()).run(subject, tasks)
    return _exhibit(parsed, records, subject)


def _require_text(metric: Metric) -> None:
    """Refuse metrics that do not read the outputs, and would not notice their length."""
    if isinstance(metric, GivenScores):
        expected = "metrics that score texts: these scores are of the outputs as they are"
        raise SettingError("metrics", metric.name, expected)
    if isinstance(metric, DependencyF) and not metric.spacy:
        expected = "metrics that score texts: these parses are of the outputs as they are"
        raise SettingError("metrics", metric.name, expected)


def _lengths(lengths: Sequence[float] | None) -> list[float]:
    chosen = USUAL_LENGTHS if lengths is None else lengths
    for length in chosen:
        is_number = isinstance(length, int | float) and not isinstance(length, bool)
        if not (is_number and 0 < length <= LONGEST):
            expected = f"a number above 0 and up to {LONGEST:g}, such as 0.8"
            raise SettingError("lengths", length, expected)
    every = sorted({*map(float, chosen), 1.0})
    if len(every) < 2:
        raise SettingError("lengths", "1 alone", "at least one other length to compare with")
    return every


def _ranks(test_set: TestSet, lengths: Sequence[float] | None) -> list[int]:
    if lengths is not None:
        raise SettingError(
            "lengths", lengths, "none with 'choice': its lengths are the outputs' own"
        )
    if len(test_set.systems) < FEWEST_TO_CHOOSE_FROM:
        expected = f"at least {FEWEST_TO_CHOOSE_FROM} to choose among by length"
        raise SettingError("systems", len(test_set.systems), expected)
    return list(range(1, len(test_set.systems) + 1))


def _cut_scores(test_set: TestSet, metrics: Sequence[Metric], share: float, piece: Piece) -> Record:
    systems = {name: resize(text, share, piece) for name, text in test_set.systems.items()}
    return _scores(replace(test_set, systems=systems), metrics, piece)


def _rank_scores(test_set: TestSet, metrics: Sequence[Metric], rank: int, piece: Piece) -> Record:
    chosen = by_length(list(test_set.systems.values()), piece)[rank - 1]
    return _scores(replace(test_set, systems={f"rank {rank}": chosen}), metrics, piece)


def _scores(test_set: TestSet, metrics: Sequence[Metric], piece: Piece) -> Record:
    """Every system's score by every metric, and its length in pieces of the reference."""
    length = LengthRatio(tokenize="none" if piece == "word" else "char")
    measured = {"length": length} | dict(zip(metric_labels(metrics), metrics, strict=True))
    found = {}
    for label, metric in measured.items():
        scores = metric.score(np.array(metric.count(test_set).sums()))
        found[label] = scores.tolist()
    return {"length": found.pop("length"), "scores": found}


def _exhibit(
    metrics: Sequence[Metric], records: Mapping[Key, Record], subject: dict[str, Any]
) -> Exhibit:
    cut = subject["way"] == "cut"
    natural = 1.0 if cut else (1 + len(subject["steps"])) // 2
    rows: list[Row] = []
    findings: list[str] = []
    for label, metric in zip(metric_labels(metrics), metrics, strict=True):
        some = [
            _row(label, step, record, records[(natural,)], cut=cut)
            for (step,), record in records.items()
        ]
        rows += some
        findings.append(_finding(label, metric, some, cut=cut))
    piece = subject["piece"]
    how = f"{piece}s cut off or repeated" if cut else f"outputs chosen by their {piece}s"
    return Exhibit(
        name="length",
        title=f"Scores against the length of the output: {how}",
        fields=SHARE_FIELDS if cut else RANK_FIELDS,
        rows=tuple(rows),
        findings=(*findings, *_most_and_least(metrics, rows)),
        plot=Plot(
            mark="line",
            x="length",
            y="relative",
            low="low" if cut and len(subject["systems"]) > 1 else None,
            high="high" if cut and len(subject["systems"]) > 1 else None,
            interval="the least and the largest of all systems",
            series="metric",
            reference=1.0,
        ),
        settings=subject,
    )


def _row(
    label: str, step: float | str, record: Record, natural: Record, *, cut: bool
) -> dict[str, Any]:
    """Means over systems, with the least and the largest relative score of any."""
    scores, before = np.array(record["scores"][label]), np.array(natural["scores"][label])
    row: dict[str, Any] = {
        "metric": label,
        "kept" if cut else "rank": step,
        "length": float(np.mean(record["length"])) / 100,
        "score": float(scores.mean()),
        "relative": None,
        "low": None,
        "high": None,
    }
    if (before != 0).all():
        relative = scores / before
        row |= {
            "relative": float(relative.mean()),
            "low": float(relative.min()),
            "high": float(relative.max()),
        }
    return row


def _finding(label: str, metric: Metric, rows: Sequence[Mapping[str, Any]], *, cut: bool) -> str:
    better = {True: "more is better", False: "less is better", None: "neither is better"}
    who = f"{label} ({better[metric.higher_is_better]})"
    first, last = rows[0], rows[-1]
    if first["relative"] is None:
        return f"{who}: a score of 0 at the natural length leaves nothing to compare with."
    if not cut:
        return (
            f"{who}: the shortest outputs, {100 * first['length']:.1f} % of the reference, have "
            f"{100 * first['relative']:.1f} % of the score of middling ones; the longest, "
            f"{100 * last['length']:.1f} %, have {100 * last['relative']:.1f} %."
        )
    ends = [row for row in (first, last) if row["kept"] != 1]
    parts = [f"{100 * row['relative']:.1f} % at {100 * row['kept']:g} %" for row in ends]
    return f"{who}: of the natural score, {' and '.join(parts)} of the natural length."


def _most_and_least(metrics: Sequence[Metric], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which metric the shortest outputs cost most, of those where more is better."""
    shortest: dict[str, float] = {}
    for label, metric in zip(metric_labels(metrics), metrics, strict=True):
        first = next(row for row in rows if row["metric"] == label)
        if metric.higher_is_better and first["relative"] is not None:
            shortest[label] = first["relative"]
    if len(shortest) < 2:
        return []
    most, least = min(shortest, key=lambda x: shortest[x]), max(shortest, key=lambda x: shortest[x])
    return [
        f"Of the metrics where more is better the shortest outputs cost {most} most, "
        f"{100 * (1 - shortest[most]):.1f} % of its score, and {least} least, "
        f"{100 * (1 - shortest[least]):.1f} %."
    ]
