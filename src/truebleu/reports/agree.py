"""Agreement with people as tables: metrics by value with ranks, and the matrix of their tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.exhibit import render_exhibit
from truebleu.reports.json import json_text
from truebleu.reports.table import CELL_ENDS, RENDERERS, Column, Table
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.agreement.agree import Agreement, Answer, MetricAgreement, PairTest
    from truebleu.agreement.choose import Choice

DIGITS = 4
UNDEFINED = "undefined"
# A matrix wider than this does not fit a page.
LARGEST_MATRIX = 40


def render_agreement(agreement: Agreement, format_: str = "text") -> str:
    """An agreement in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(agreement.to_dict())
    if format_ == "tsv":
        return RENDERERS["tsv"](value_table(agreement))
    render = RENDERERS[format_]
    parts = []
    for answer in agreement.answers:
        parts.append(_heading(answer.title, format_) + render(answer_table(agreement, answer)))
        if answer.pairs and len(answer.metrics) <= LARGEST_MATRIX:
            parts.append(render(pair_matrix(answer)))
        parts += _lines(sentences(agreement, answer), format_)
    return "\n".join([*parts, *_lines(_inputs(agreement), format_)])


def answer_table(agreement: Agreement, answer: Answer) -> Table:
    """A row per metric, best first: its rank, value and interval."""
    level = f"{100 * agreement.settings['level']:g} % interval"
    thresholds = any(one.epsilon is not None for one in answer.metrics)
    columns = [
        Column("Rank", numeric=True),
        Column("Metric"),
        Column(answer.question.coefficient, numeric=True),
        Column(level, numeric=True),
        *([Column("tie threshold", numeric=True)] if thresholds else []),
    ]
    marks = _footnotes(answer)
    rows = tuple(
        (
            "" if one.rank is None else str(one.rank),
            one.metric + "".join(f" [{marks[note]}]" for note in one.notes),
            UNDEFINED if one.value is None else f"{one.value:.{DIGITS}f}",
            _interval(one),
            *(["" if one.epsilon is None else f"{one.epsilon:.{DIGITS}g}"] if thresholds else []),
        )
        for one in answer.metrics
    )
    notes = (*(f"[{mark}] {note}" for note, mark in marks.items()), _method(agreement, answer))
    return Table(tuple(columns), rows, notes)


def pair_matrix(answer: Answer) -> Table:
    """Adjusted p-values that the row's metric is better than the column's; * where it is."""
    names = [one.metric for one in answer.metrics if one.value is not None]
    cells = {
        (pair.better, pair.worse): _p(pair.p_adjusted) + "*" * pair.significant
        for pair in answer.pairs
    }
    heading = f"{_p_name(answer)}: better than"
    columns = (Column(heading), *(Column(name, numeric=True) for name in names[1:]))
    rows = tuple(
        (name, *(cells.get((name, other), "") for other in names[1:])) for name in names[:-1]
    )
    return Table(columns, rows)


def sentences(agreement: Agreement, answer: Answer) -> Iterator[str]:
    """What an answer says, in sentences that can be quoted."""
    yield from answer.notes
    clear = [pair for pair in answer.pairs if pair.significant]
    for better in dict.fromkeys(pair.better for pair in clear):
        worse = [pair.worse for pair in clear if pair.better == better]
        yield f"{better} agrees better with people than {_listed(worse)}."
    if answer.pairs and not clear:
        names = [one.metric for one in answer.metrics if one.value is not None]
        yield f"{_listed(names)} can't be told apart."
    alpha = round(1 - float(agreement.settings["level"]), 12)
    if answer.smallest_p is not None and answer.smallest_p > alpha:
        yield (
            f"With so few {_few(answer)} nothing could be significant: the smallest possible "
            f"{_p_name(answer)} is {_p(answer.smallest_p)}."
        )
    for note in dict.fromkeys(pair.note for pair in answer.pairs if pair.note):
        yield f"{_pairs_with(note, answer.pairs)}: {note}."


def value_table(agreement: Agreement) -> Table:
    """Every value in a row of its own, with all digits."""
    numbers = ("value", "low", "high", "rank", "groups", "undefined_groups", "epsilon")
    rows = tuple(
        (
            answer.question.label,
            one.metric,
            *("" if (number := getattr(one, name)) is None else repr(number) for name in numbers),
            ", ".join(p.worse for p in answer.pairs if p.significant and p.better == one.metric),
            "; ".join(one.notes),
        )
        for answer in agreement.answers
        for one in answer.metrics
    )
    headings = ("question", "metric", *numbers, "better_than", "notes")
    notes = (
        *(one.signature for one in agreement.metrics.values()),
        str(agreement.human["signature"]),
    )
    return Table(tuple(Column(heading) for heading in headings), rows, notes)


def _heading(title: str, format_: str) -> str:
    if format_ == "latex":
        return f"% {title}\n"
    return f"**{title}**\n\n" if format_ == "markdown" else f"{title}\n\n"


def _footnotes(answer: Answer) -> dict[str, int]:
    """The notes of all metrics, each with a number."""
    notes = dict.fromkeys(note for one in answer.metrics for note in one.notes)
    return {note: number for number, note in enumerate(notes, 1)}


def _interval(one: MetricAgreement) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"[{one.low:.{DIGITS}f}, {one.high:.{DIGITS}f}]"


def _method(agreement: Agreement, answer: Answer) -> str:
    """How intervals and tests were made, in one line."""
    settings = agreement.settings
    parts = []
    if any(one.low is not None for one in answer.metrics):
        drawn = answer.resampled.replace("+", " and ")
        parts.append(f"intervals over {drawn}, {settings['samples']:,} samples")
    if answer.pairs:
        parts.append(f"one-sided {answer.test}{_draws(answer.pairs)}")
    parts.append(f"seed {settings['seed']}, level {settings['level']:g}")
    if len(answer.pairs) > 1:
        correction = CORRECTIONS[settings["correction"]].title
        parts[-1] += f", {correction} for {len(answer.pairs)} pairs"
    return "; ".join(parts)


def _draws(pairs: Sequence[PairTest]) -> str:
    most = max(pair.draws for pair in pairs)
    if not most:
        return ""
    return f", all {most:,} exchanges" if all(p.exact for p in pairs) else f", {most:,} draws"


def _few(answer: Answer) -> str:
    if not all(pair.exact for pair in answer.pairs):
        return "draws"
    if answer.question.compared:
        return "segments on which metrics differ"
    return "systems" if answer.question.level == "system" else "judged outputs"


def _p_name(answer: Answer) -> str:
    return "adjusted p" if len(answer.pairs) > 1 else "p"


def _p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def _pairs_with(note: str, pairs: Sequence[PairTest]) -> str:
    return "; ".join(f"{pair.better} and {pair.worse}" for pair in pairs if pair.note == note)


def _inputs(agreement: Agreement) -> Iterator[str]:
    """The human scores, the metrics, and what is to be known of them."""
    human = agreement.human
    people = f"Human scores: {human['file']}, {len(human['systems'])} systems"
    if "cells" in human:
        people += f", {human['judged']:,} of {human['cells']:,} {human['level']} scores"
    if "comparisons" in human:
        people += f", {human['comparisons']:,} comparisons, {human['ties']:,} of them ties"
    yield f"{people}."
    yield from agreement.notes
    yield str(human["signature"])
    for one in agreement.metrics.values():
        yield one.signature


def _lines(lines: Iterator[str], format_: str) -> list[str]:
    """Lines as a paragraph, as items, or as comments; none where there are none."""
    start = {"markdown": "- ", "latex": "% "}.get(format_, "")
    written = [start + line.translate(CELL_ENDS) for line in lines]
    return ["\n".join(written) + "\n"] if written else []


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"


# Chosen settings as a table of all that was tried, with what they are worth below it.


def render_choice(choice: Choice, format_: str = "text") -> str:
    """A choice in one of FORMATS, ending with a line feed."""
    if format_ == "json":
        return json_text(choice.to_dict())
    return render_exhibit(choice.exhibit(), format_)
