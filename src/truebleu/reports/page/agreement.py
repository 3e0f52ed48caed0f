"""The page of an agreement: plain HTML in one file, without a script.

A policy in its head forbids scripts and requests. Radio buttons choose the metric that is drawn,
by the style sheet alone; the segments of a pair appear when its link is the target.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from truebleu.reports import agree as sentences, drawing
from truebleu.reports.compare import tested
from truebleu.reports.document import Document, Notes, Sentences, join_names, p_equals
from truebleu.reports.drawing import Axis, Mark, name_of, sentence_of, text_of
from truebleu.reports.page import blocks_of, page_of, shown_command
from truebleu.reports.words import words_of
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.agreement.agree import Agreement, Answer
    from truebleu.agreement.report import AgreementReport, DisputedPair

__all__ = ["html_page"]

# Maximum number of metrics named in a sentence.
MOST_NAMES = 3
# Size of the scatter, and its margins on the left, right, top and bottom.
WIDTH, HEIGHT = 560, 430
LEFT, RIGHT, TOP, BOTTOM = 62, 30, 22, 44
# Width of a character and height of a line of a label, at the size of a narrow screen.
CHARACTER, LINE = 8.0, 16.0
#: Meanings of coefficients.
MEANINGS = {
    "soft-pairwise-accuracy": "1 is full agreement, guessing gets about 0.5",
    "pairwise-accuracy": "pairs of systems in the order that people give them",
    "acc-eq": "pairs in the order that people give them, ties counted",
}
#: Findings about a pair: whether the human and the metric's difference are significant.
SIGNIFICANT = {
    (True, True): "both are significant",
    (True, False): "only {0} is significant",
    (False, True): "only {1} is significant",
    (False, False): "neither is significant",
}


def document(report: AgreementReport) -> Document:
    """Return the document of the agreement."""
    return sentences.document(report.agreement)


def html_page(report: AgreementReport, *, command: str | None = None) -> str:
    """Render the report of an agreement as an HTML page.

    Args:
        report: report to show.
        command: command that made the report.
    """
    agreement = report.agreement
    labels = [metric.metric for metric in agreement.answers[0].metrics]
    # The metric with the most pairs in opposite order is shown first.
    disputed = [len(report.disputed.get(label, ())) for label in labels]
    first = disputed.index(max(disputed))
    rules = "".join(
        f"body:has(#metric-{index}:checked) .pane-{index} {{ display: block; }}\n"
        for index in range(len(labels))
    )
    rules += f"@supports not selector(:has(*)) {{ .pane-{first} {{ display: block; }} }}\n"
    drawings = (
        f'<div class="two">{_scatters(report, labels, first)}<div>{"".join(_forests(agreement))}'
        "</div></div>"
    )
    sections = [("answer", "Answer", _answer(agreement) + drawings)]
    if report.comparison is not None:
        disputes = (_disputes(report, index, label) for index, label in enumerate(labels))
        sections.append(("pairs", "Disagreements", "".join(disputes)))
    blocks = [block for block in document(report).blocks if not isinstance(block, Sentences)]
    if report.comparison is not None:
        blocks.append(Notes((f"pairs of systems: {tested(report.comparison, report.human)}",)))
    details = shown_command(command) + blocks_of(blocks)
    sections.append(("making", "How this was made", details))
    title = f"{_count(len(labels), 'metric')} against people"
    return page_of(title, _facts(report), sections, rules=rules)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _facts(report: AgreementReport) -> str:
    """Return the sizes of the data in one line: human scores, systems, judged segments."""
    agreement, words = report.agreement, words_of(report.agreement.test_set.rows)
    parts = [agreement.evaluation_set or "", report.human]
    parts.append(f"{len(agreement.human.systems):,} {words.systems}")
    if agreement.human.items is not None and agreement.human.level == "segment":
        total = agreement.test_set.segments
        parts.append(f"{agreement.human.items:,} of {total:,} {words.rows} judged")
    return " · ".join(filter(None, parts))


def _main_answers(agreement: Agreement) -> list[tuple[str, Answer]]:
    """Return the first coefficients of systems and of segments, with words for both."""
    words = words_of(agreement.test_set.rows)
    subjects = {"system": words.systems, "segment": words.units(agreement.human.level)}
    defined = [
        answer for answer in agreement.answers if any(m.value is not None for m in answer.metrics)
    ]
    first = {answer.level: (subjects[answer.level], answer) for answer in reversed(defined)}
    return [first[level] for level in subjects if level in first]


def _answer(agreement: Agreement) -> str:
    """Render the verdicts on the best metric for systems and for segments, and the cautions."""
    lines: list[str] = []
    for subject, answer in _main_answers(agreement):
        best, *others = [metric.metric for metric in answer.metrics if metric.value is not None]
        worse = {pair.worse for pair in answer.pairs if pair.better == best and pair.significant}
        equal = [name_of(name) for name in others if name not in worse]
        if worse:
            tied = f"{join_names(equal, MOST_NAMES)} can't be told from it; the" if equal else "The"
            rest = f"{len(worse)} others agree" if len(worse) > 1 else "other metric agrees"
            lines.append(
                f"{name_of(best)} agrees best with people about {subject}. {tied} {rest} less."
            )
            lines.append(f"That is by {text_of(answer.coefficient)}.")
        else:
            (sentence,) = sentences.verdicts((answer,))
            shown = drawing.with_names(sentence, agreement.metrics)
            lines.append(f"About {subject}: {shown}" if lines else shown)
    head, *then = lines or ["No agreement is defined."]
    cautions = [c for part in agreement.answers for c in sentences.cautions(agreement, part)]
    if agreement.all_negative and not agreement.settings.human_lower_is_better:
        cautions.append(sentences.NEGATIVE)
    flags = "".join(f'<p class="flag">{sentence_of(line)}</p>' for line in dict.fromkeys(cautions))
    return f'<h1>{head}</h1>\n<p class="then">{" ".join(then)}</p>\n{flags}'


# Human against metric scores.


def _scatters(report: AgreementReport, labels: Sequence[str], first: int) -> str:
    """Draw a scatter for each metric, which radio buttons choose."""
    inputs = "".join(
        f'<label><input type="radio" name="metric" id="metric-{index}"'
        f"{' checked' if index == first else ''}> {name_of(label)}</label>"
        for index, label in enumerate(labels)
    )
    panes = "".join(
        f'<div class="pane pane-{index}">{_scatter(report, label)}</div>'
        for index, label in enumerate(labels)
    )
    meaning = f"Each dot is a {words_of(report.agreement.test_set.rows).system}"
    if report.comparison is not None:
        level = 100 * report.agreement.settings.level
        meaning += f", with {level:g} % intervals of both scores"
    return (
        f"<figure><fieldset><legend>Metric</legend>{inputs}</fieldset>{panes}"
        f"<figcaption>{meaning}. With full agreement every dot would be higher than the dots to "
        "its left.</figcaption></figure>"
    )


def _dots(report: AgreementReport, label: str) -> Iterator[tuple[Mark, Mark]]:
    """Yield the metric score and the human score of each system."""
    agreement, comparison = report.agreement, report.comparison
    scores, human = agreement.metrics[label].scores, agreement.human.scores
    for name in agreement.human.systems:
        x, y = scores.get(name), human.get(name)
        if x is not None and y is not None:
            of_system = {} if comparison is None else comparison.systems[name]
            bounds = {kind: result.interval for kind, result in of_system.items()}
            yield (
                Mark(name, x, bounds.get(label), 4, "ahead", sign=""),
                Mark(name, y, bounds.get(report.human), 2, "ahead", sign=""),
            )


def _scatter(report: AgreementReport, label: str) -> str:
    """Draw human against metric scores of the systems; right and up are better."""
    dots = list(_dots(report, label))
    if not dots:
        return "<p>No system has both scores.</p>"
    lower_is_better = report.agreement.metrics[label].higher_is_better is False
    x, y = (Axis([dot[n].numbers for dot in dots], zero=False) for n in (0, 1))

    def across(value: float) -> float:
        share = 1 - x.share(value) if lower_is_better else x.share(value)
        return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)

    def up(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y.share(value), 1)

    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [
        f'<path class="grid" d="M{across(value)} {TOP}V{bottom}"/>'
        + _text(across(value), bottom + 17, text, "middle")
        for value, text in x.ticks().items()
    ]
    parts += [
        f'<path class="grid" d="M{LEFT} {up(value)}H{right}"/>'
        + _text(LEFT - 6, up(value) + 4, text, "end")
        for value, text in y.ticks().items()
    ]
    parts.append(_text(4, 12, f"{text_of(drawing.short(report.human))} ↑ better", "start"))
    parts.append(_text(right, HEIGHT - 6, f"{text_of(drawing.short(label))} → better", "end"))
    centres = [(across(metric.value), up(human.value)) for metric, human in dots]
    for (metric, human), (at, level) in zip(dots, centres, strict=True):
        if report.comparison is not None:
            left, right_end = map(across, (min(metric.numbers), max(metric.numbers)))
            low, high = map(up, (min(human.numbers), max(human.numbers)))
            lines = f"M{left} {level}H{right_end}M{at} {low}V{high}"
            parts.append(f'<path class="error" d="{lines}"/>')
    for (metric, human), (at, level) in zip(dots, centres, strict=True):
        title = f"{text_of(human.label)}: {human.text} by people, {metric.text}"
        parts.append(f'<circle cx="{at}" cy="{level}" r="4.5"><title>{title}</title></circle>')
    parts += _placed([drawing.short(human.label) for _, human in dots], centres)
    title = text_of(f"{report.human} against {label}, a dot for each system")
    return (
        f'<svg class="scatter" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, text: str, anchor: str, look: str = "") -> str:
    return f'<text class="{look}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _placed(names: Sequence[str], centres: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Yield the labels of dots, placed so that labels overlap as little as possible."""
    boxes = np.array([(at - 6, level - 6, at + 6, level + 6) for at, level in centres])
    frame = np.array([2, TOP - 8, WIDTH - 2, HEIGHT - BOTTOM])

    def crowding(box: tuple[float, float, float, float]) -> float:
        """Return the area that a box shares with others or lies outside of the frame."""
        low, high = np.array(box[:2]), np.array(box[2:])
        shared = np.minimum(high, boxes[:, 2:]) - np.maximum(low, boxes[:, :2])
        outside = np.maximum(frame[:2] - low, high - frame[2:]).clip(0) @ [1, 3]
        return float(shared.clip(0).prod(axis=1).sum() + LINE * outside)

    for name, (at, level) in zip(names, centres, strict=True):
        width = CHARACTER * len(name)
        candidates = [
            (left, level + rise - LINE + 3, left + width, level + rise + 3)
            for rise in (-3, 13, -14, 24, -26)
            for left in (at + 9, at - 9 - width)
        ]
        box = min(candidates, key=crowding)
        boxes = np.vstack([boxes, box])
        x, anchor = (box[0], "start") if box[0] > at else (box[2], "end")
        yield _text(x, box[3] - 3, text_of(name), anchor, "label")


# Values of the metrics.


def _forests(agreement: Agreement) -> Iterator[str]:
    """Yield a forest of the first coefficient of systems, one of segments, and a legend."""
    for subject, answer in _main_answers(agreement):
        meaning = MEANINGS.get(answer.coefficient, "1 is full agreement")
        title = f"{subject.capitalize()}: {answer.coefficient}"
        caption = f"{text_of(title)} <small>({meaning})</small>"
        yield _forest(answer, caption, agreement.settings.level)
    pairs = len(agreement.answers[0].pairs)
    if pairs:
        correction = CORRECTIONS[agreement.settings.correction].title
        yield (
            '<p class="legend">Filled: rank 1; hollow: below it. Rules separate clusters: a metric '
            "above is significantly better than the first below. "
            f"{text_of(correction)}, {_count(pairs, 'pair')} of metrics.</p>"
        )


def _forest(answer: Answer, caption: str, level: float) -> str:
    metrics = [metric for metric in answer.metrics if metric.value is not None]
    best, marks = metrics[0].rank, []
    for metric in metrics:
        look, bounds = "ahead" if metric.rank == best else "none", (metric.low, metric.high)
        marks.append(Mark(metric.metric, metric.value or 0.0, bounds, 3, look, sign=""))
    axis = Axis([mark.numbers for mark in marks], zero=False)
    drawings, values, intervals = zip(*map(axis.cells, marks), strict=True)
    ranks = ["" if metric.rank is None else str(metric.rank) for metric in metrics]
    columns = (
        ("number soft", "rank", ranks),
        ("of-row", "metric", [name_of(metric.metric) for metric in metrics]),
        ("plot", axis.heading(), drawings),
        ("number", "value", values),
        ("number wide", f"{100 * level:g} % interval", intervals),
    )
    rules = ["", *("" if one == other else "rule" for one, other in pairwise(ranks))]
    undefined = [name_of(metric.metric) for metric in answer.metrics if metric.value is None]
    note = f'<p class="legend">Undefined: {join_names(undefined, 9)}.</p>' if undefined else ""
    return drawing.drawn_table("forest", columns, rules, caption) + note


# Pairs that people and a metric order differently.


def _disputes(report: AgreementReport, index: int, label: str) -> str:
    """Render the pairs of systems that people and one metric order differently."""
    comparison, pairs = report.comparison, report.disputed[label]
    total = 0 if comparison is None else len(comparison.of(label))
    metric, people = name_of(label), name_of(report.human)
    systems = words_of(report.agreement.test_set.rows).systems
    both = sum(pair.human_significant and pair.metric_significant for pair in pairs)
    one = sum(pair.human_significant != pair.metric_significant for pair in pairs)
    shown = [pair for pair in pairs if pair.segments] or list(pairs[:1])
    anchors = [
        f"pair-{index}-{number}" if pair.segments else "" for number, pair in enumerate(shown)
    ]
    names = [f"{name_of(pair.better)} and {name_of(pair.worse)}" for pair in shown]
    findings = [SIGNIFICANT[pair.human_significant, pair.metric_significant] for pair in shown]
    columns = (
        ("of-row", "pair, better by people first", list(map(drawing.linked, names, anchors))),
        ("number", people, [_with_p(pair.human, pair.human_p) for pair in shown]),
        ("number", metric, [_with_p(pair.metric, pair.metric_p) for pair in shown]),
        (
            "soft wide",
            '<span class="hidden">significance</span>',
            [finding.format(people, metric) for finding in findings],
        ),
    )
    rest = (
        f'{drawing.drawn_table("pairs", columns)}<p class="legend">p is adjusted for {total:,} '
        "pairs. A pair opens its segments, those with the largest disagreement first.</p>"
    )
    rest += "".join(
        f'<div class="segments" id="{anchor}"><h3>{name}</h3>{_segments(report, label, pair)}</div>'
        for anchor, name, pair in zip(anchors, names, shown, strict=True)
    )
    some = f" The first {len(shown)}:" if len(shown) < len(pairs) else ""
    return (
        f'<div class="pane pane-{index}"><h2>Where {metric} and people disagree</h2>'
        f"<p>{metric} and {people} put {len(pairs):,} of {total:,} pairs of {systems} in opposite "
        f"order; both differences are significant in {both}, one in {one}.{some}</p>"
        f"{rest if pairs else ''}</div>"
    )


def _with_p(difference: float, p: float) -> str:
    """Format a difference, small ones with more digits, and its p-value."""
    digits = 2 if abs(difference) >= 0.005 else 4
    shown = text_of(p_equals("p", p).replace(" = ", " "))
    return f"{sentence_of(f'{difference:+,.{digits}f}')} <small>{shown}</small>"


def _segments(report: AgreementReport, label: str, pair: DisputedPair) -> str:
    """Render the segments of a pair with the largest disagreement, with texts and scores."""
    parts = []
    for segment in pair.segments:
        texts = {} if segment.source is None else {"source": segment.source}
        for side, name in enumerate((pair.better, pair.worse)):
            human, metric = segment.human[side], segment.metric[side]
            scores = f"{drawing.short(name)} ({report.human} {human:.4g}, {label} {metric:.4g})"
            texts[scores] = "" if segment.outputs is None else segment.outputs[side]
        items = "".join(
            f'<dt>{sentence_of(term)}</dt><dd dir="auto">{text_of(text)}</dd>'
            for term, text in texts.items()
        )
        parts.append(f'<p class="legend">Segment {segment.number:,}</p><dl>{items}</dl>')
    return "".join(parts)
