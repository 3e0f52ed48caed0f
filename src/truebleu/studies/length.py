"""Length: scores of each metric by the length of the output.

Koehn (2004, §2.3, Fig. 1) forced a system to shorter output by a word penalty: BLEU dropped
dramatically below the length of the reference, because of its brevity penalty, while GTM, which
has none, did not. This study shortens or lengthens the segments of any system's output at their
ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

import truebleu.studies._study as base
from truebleu.counts.counting import count_texts
from truebleu.errors import SettingError
from truebleu.execution.journal import Record, Task
from truebleu.metrics.base import Metric
from truebleu.metrics.registry import as_metrics, metric_labels, parse_metric
from truebleu.reports.document import Plot, percent
from truebleu.schema import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from typing_extensions import Unpack

    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.registry import MetricsLike

__all__ = ["study_length"]

#: Unit of lengths.
Piece = Literal["word", "character"]
USUAL_LENGTHS = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1)
LONGEST = 1.5
# Languages with blanks between words have shorter words on average; in Japanese or Thai, the text
# between blanks is a phrase or a whole segment.
LONGEST_WORDS = 15


COLUMNS = base.columns(
    "metric | kept: Length kept [.0%] | length: Length, of the reference [.1%] | score [.2f] | "
    + base.bounded("relative", "Score, of the natural one", "systems from")
)
PLOT = Plot("line", "length", "relative", interval="all systems", series="metric", reference=1.0)
DIRECTIONS = {True: "higher is better", False: "lower is better", None: "neither is better"}


class LengthOptions(base.StudyOptions, total=False):
    """Options of `study_length`.

    Attributes:
        lengths: shares of the natural length, above 0 and up to 1.5: words are cut off the ends of
            segments, or their last words repeated. 1 is always added. Default: 0.7 to 1.1.
        piece: unit to cut and count. Default: words, or characters if texts have no blanks between
            words.
    """

    lengths: Annotated[Sequence[float] | None, Setting(above=0, maximum=LONGEST, metavar="P,P,...")]
    piece: Piece | None


@base.study(LengthOptions, needs_texts=True)
def study_length(
    test_set: TestSet, metrics: MetricsLike = ("bleu", "gtm"), **options: Unpack[LengthOptions]
) -> base.StudyResult:
    """How does each metric's score depend on the length of the output?

    Koehn (2004, Fig. 1): BLEU drops dramatically when the output is shorter than the reference, GTM
    does not. Scores are relative to the score of the natural output, so that metrics compare.

    Args:
        test_set: outputs and references.
        metrics: metrics to score by.

    >>> from truebleu.simulation import simulate
    >>> result = study_length(simulate(segments=40, systems=[0.2]), ["gtm"], lengths=[0.5])
    >>> [round(row["length"], 1) for row in result.rows]
    [0.5, 1.0]
    """
    if not test_set.systems:
        raise SettingError("systems", 0, "at least one system")
    counts = count_texts(test_set, as_metrics(metrics))
    by_label = {
        counted.label: counted.scorer
        for counted in counts.metrics
        if isinstance(counted.scorer, Metric)
    }
    chosen = list(by_label.values())
    # Metrics that do not read the outputs cannot depend on their length.
    if blind := next((metric for metric in chosen if not metric.reads_texts), None):
        expected = "metrics that score any text; its parses belong to the unchanged outputs"
        raise SettingError("metrics", blind.name, expected)
    steps = _lengths(options["lengths"])
    piece = options["piece"] or pieces_between_blanks(test_set)
    pool = base.pool_settings(counts, "segment")
    tasks = [Task((step,), partial(_scores, test_set, chosen, step, piece)) for step in steps]
    settings, records = base.run_study("length", options, pool, tasks, steps=steps, piece=piece)
    natural = records[(1.0,)]
    rows = {
        label: [_row(label, step, records[(step,)], natural) for step in steps]
        for label in by_label
    }
    title = f"Scores against the length of the output: {piece}s cut off or repeated"
    result = base.StudyResult(settings, title, COLUMNS, PLOT)
    result.rows.extend(row for of_metric in rows.values() for row in of_metric)
    result.sentences.extend(_sentences(rows, by_label))
    return result


def _lengths(lengths: Sequence[float] | None) -> list[float]:
    every = sorted({*map(float, lengths or USUAL_LENGTHS), 1.0})
    if len(every) < 2:
        raise SettingError("lengths", "only 1", "at least one other length, such as 0.9")
    return every


def _scores(test_set: TestSet, metrics: Sequence[Metric], step: float, piece: Piece) -> Record:
    """Score all systems at one length; return scores by metric, and lengths in % of reference."""
    systems = {name: resize(text, step, piece) for name, text in test_set.systems.items()}
    test_set = replace(test_set, systems=systems)
    length = parse_metric(f"length:tokenize={'none' if piece == 'word' else 'char'}")
    measured = {"length": length} | dict(zip(metric_labels(metrics), metrics, strict=True))
    scores = {
        label: metric.score(np.array(metric.count(test_set).sums())).tolist()
        for label, metric in measured.items()
    }
    return {"length": scores.pop("length"), "scores": scores}


def _row(label: str, step: float, record: Record, natural: Record) -> base.Row:
    """Average scores over systems, with the smallest and the largest relative score."""
    scores, before = np.array(record["scores"][label]), np.array(natural["scores"][label])
    cells: base.Row = dict.fromkeys(("relative", "relative_low", "relative_high"))
    # A natural score of 0 has no relative scores.
    if (before != 0).all():
        share = scores / before
        mean_and_range = map(float, (share.mean(), share.min(), share.max()))
        cells = base.Estimate(*mean_and_range).cells("relative")
    return {
        "metric": label,
        "kept": step,
        "length": float(np.mean(record["length"])) / 100,
        "score": float(scores.mean()),
        **cells,
    }


def _sentences(
    rows: Mapping[str, Sequence[base.Row]], metrics: Mapping[str, Metric]
) -> Iterator[str]:
    """Describe what share of its score each metric keeps at the shortest outputs."""
    shortest = {label: of_metric[0]["relative"] for label, of_metric in rows.items()}
    for label, left in shortest.items():
        who = f"{label} ({DIRECTIONS[metrics[label].higher_is_better]})"
        if left is None:
            yield f"{who}: there are no relative scores, as the score at natural length is 0."
        else:
            length = percent(rows[label][0]["length"])
            yield (
                f"{who}: outputs with {length} of the reference's length have {percent(left)} of "
                "the score."
            )
    costs = {
        label: 1 - left
        for label, left in shortest.items()
        if left is not None and metrics[label].higher_is_better
    }
    if len(costs) > 1:
        largest, smallest = (find(costs, key=costs.__getitem__) for find in (max, min))
        yield (
            f"Among higher-is-better metrics, {largest} loses most at the shortest outputs, "
            f"{percent(costs[largest])} of its score, and {smallest} least, "
            f"{percent(costs[smallest])}."
        )


def pieces_between_blanks(test_set: TestSet) -> Piece:
    """Return "word" if the first reference has blanks between words, else "character".

    >>> from truebleu.corpus import as_test_set
    >>> pieces_between_blanks(as_test_set(["a cat sat"], ["the cat sat"]))
    'word'
    """
    segments = [segment for segment in test_set.references[0] if segment]
    words = [word for segment in segments for word in segment.split()]
    characters = sum(map(len, words))
    return "word" if characters <= LONGEST_WORDS * max(len(words), 1) else "character"


def pieces_of(segment: str | None, piece: Piece) -> list[str]:
    """Split a segment into words or characters."""
    if segment is None:
        return []
    return segment.split() if piece == "word" else list(segment)


def resize(segments: Sequence[str | None], share: float, piece: Piece) -> list[str | None]:
    """Shorten or lengthen segments to a share of their lengths.

    Shares below 1 cut off the last pieces; shares above 1, up to 1.5, repeat them, which needs no
    knowledge of the reference. Rounding errors carry over to the next segment, so that the length
    of the whole text is right to one piece.

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
