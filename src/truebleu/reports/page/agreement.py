"""The page of an agreement: plain HTML in one file, without a script.

A policy in its head forbids scripts and requests. Radio buttons choose the metric that is drawn,
by the style sheet alone; the segments of a pair appear when its link is the target.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import ceil, floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truebleu._core import VERSION
from truebleu.corpus._files import write_files
from truebleu.reports import agree as sentences
from truebleu.reports.document import Document, Notes, Table, bracketed, p_equals
from truebleu.reports.formats.html import render_table, sentence_of, text_of
from truebleu.reports.page import FOLDERS
from truebleu.reports.words import words_of
from truebleu.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truebleu.agreement.agree import Agreement, Answer
    from truebleu.agreement.report import AgreementReport, DisputedPair, DisputedSegment

__all__ = ["save_page"]

POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
# Longest names on dots and in cells; longer ones lose their middle.
LONGEST = 25
# Start of an element that scrolls by itself, and by the keyboard.
_SCROLL = '<div class="scroll" tabindex="0" role="group" aria-label="{}">'
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


def document(report: AgreementReport) -> Document:
    """Lay out the agreement."""
    return sentences.document(report.agreement)


def save_page(
    report: AgreementReport,
    path: str | Path,
    *,
    command: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the page into a file, whole or not at all."""
    file = Path(path)
    page = html_page(report, command=command)
    write_files(file.parent, {file.name: [page.encode()]}, overwrite=overwrite)
    return file


def html_page(report: AgreementReport, *, command: str | None = None) -> str:
    """Make the page.

    Args:
        report: report to show.
        command: command that made the report.
    """
    agreement = report.agreement
    labels = _ordered(agreement)
    panes = "".join(
        f"body:has(#metric-{index}:checked) .pane-{index} {{ display: block; }}\n"
        for index in range(len(labels))
    )
    first = labels.index(_most_disputed(report, labels))
    fallback = f"@supports not selector(:has(*)) {{ .pane-{first} {{ display: block; }} }}\n"
    rules = (files("truebleu.reports.page") / "agreement.css").read_text(encoding="utf-8")
    style = rules + panes + fallback
    digest = b64encode(sha256(style.encode()).digest()).decode()
    title = text_of(f"{_count(len(labels), 'metric')} against people")
    disputes = "".join(_disputes(report, index, label) for index, label in enumerate(labels))
    link = '<a href="#pairs">Disagreements</a>' if disputes else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY.format(style=digest)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="truebleu {escape(VERSION)}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header><span><b>{title}</b></span><span>{text_of(_facts(report))}</span>
<nav aria-label="Sections">{link}<a href="#how">How this was made</a></nav></header>
<main>
{_answer(agreement)}
<div class="two">
{_scatters(report, labels)}
<div>{"".join(_forests(agreement))}</div>
</div>
{'<div id="pairs">' + disputes + "</div>" if disputes else ""}
{_details(report, command)}
</main>
<footer><p>Made by truebleu {escape(VERSION)}. The page loads nothing and sends nothing.</p>
</footer>
</body>
</html>
"""


def _ordered(agreement: Agreement) -> list[str]:
    """Return the labels of the metrics, the best by the first coefficient first."""
    return [metric.metric for metric in agreement.answers[0].metrics]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _facts(report: AgreementReport) -> str:
    """Describe the data in a line: set, human scores, systems and judged segments."""
    agreement, words = report.agreement, words_of(report.agreement.test_set.rows)
    parts = [agreement.evaluation_set or "", report.human]
    parts.append(f"{len(agreement.human.systems):,} {words.systems}")
    if agreement.human.items is not None and agreement.human.level == "segment":
        total = agreement.test_set.segments
        parts.append(f"{agreement.human.items:,} of {total:,} {words.rows} judged")
    return " · ".join(filter(None, parts))


# The answer.


def _main_answers(agreement: Agreement) -> list[Answer]:
    """Return the first coefficient of systems and the first of segments."""
    first: dict[str, Answer] = {}
    for answer in agreement.answers:
        if any(metric.value is not None for metric in answer.metrics):
            first.setdefault(answer.level, answer)
    return [first[level] for level in ("system", "segment") if level in first]


def _coefficient(answer: Answer) -> str:
    """Return the name of a coefficient with blanks; taus and acc-eq keep their hyphens."""
    name = answer.coefficient
    return name.replace("-", " ") if "pairwise" in name or "chen" in name else name


def _leaders(answer: Answer) -> tuple[str, list[str], list[str]]:
    """Return the best metric, the metrics that are not significantly worse, and the others."""
    labels = [metric.metric for metric in answer.metrics if metric.value is not None]
    best, *others = labels
    worse = {pair.worse for pair in answer.pairs if pair.better == best and pair.significant}
    return best, [name for name in others if name not in worse], [n for n in others if n in worse]


def _answer(agreement: Agreement) -> str:
    """Say which metric agrees best about systems and about segments, and cautions."""
    words = words_of(agreement.test_set.rows)
    subjects = {"system": words.systems, "segment": words.units(agreement.human.level)}
    lines = []
    for number, answer in enumerate(_main_answers(agreement)):
        best, level, worse = _leaders(answer)
        subject, title = subjects[answer.level], _coefficient(answer)
        name, rest = f"<bdi>{text_of(best)}</bdi>", ""
        if not level and not worse:
            value = f"{answer[best].value:.3f}"
            lines.append(f"{name} agrees with people about {subject} by {value} ({title}).")
            continue
        others = f"the {len(worse)} other {'metric' if len(worse) == 1 else 'metrics'}"
        if not worse:
            head = f"No metric agrees significantly better with people about {subject} than another"
            rest = f"; {name} is ahead"
        else:
            head = f"{name} agrees best with people about {subject}"
            rest = f". {_names(level)} can’t be told from it; {others}" if level else f"; {others}"
            rest += " agrees less" if len(worse) == 1 else " agree less"
        lines.append(f"{head}{rest}." if number == 0 else f"{head} (by {title}){rest}.")
        if number == 0:
            lines[0] += f"\0That is by {title}."
    head, _, by = lines[0].partition("\0") if lines else ("No agreement is defined.", "", "")
    then = " ".join([by, *lines[1:]]).strip()
    cautions = [c for part in agreement.answers for c in sentences.cautions(agreement, part)]
    if agreement.all_negative and not agreement.settings.human_lower_is_better:
        cautions.append(sentences.NEGATIVE)
    flags = "".join(f'<p class="flag">{sentence_of(line)}</p>' for line in dict.fromkeys(cautions))
    return f'<h1>{head}</h1>\n<p class="then">{then}</p>\n{flags}'


def _names(labels: Sequence[str], maximum: int = 3) -> str:
    """Join names as elements; many are counted."""
    parts = [f"<bdi>{text_of(_short(label))}</bdi>" for label in labels[:maximum]]
    if len(labels) > maximum:
        parts.append(f"{len(labels) - maximum} more")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _short(name: str) -> str:
    """Replace the middle of a long name by an ellipsis."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}…{name[-LONGEST // 2 + 1 :]}"


# Axes.


class Axis(NamedTuple):
    """A linear axis between two numbers.

    Attributes:
        low: number at its start.
        high: number at its end.
        start: position of `low`.
        end: position of `high`.
    """

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[float], start: float, end: float) -> Axis:
        """Make an axis with room around the values."""
        low, high = min(values), max(values)
        room = 0.06 * (high - low) or 0.05 * abs(low) or 1.0
        return cls(low - room, high + room, start, end)

    def at(self, value: float) -> float:
        """Return the position of a number, within the axis."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self, count: int = 5) -> list[tuple[float, str]]:
        """Return round numbers on the axis, and their texts."""
        rough = (self.high - self.low) / count
        scale = 10.0 ** floor(log10(rough))
        step = scale * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * scale >= rough)
        digits = max(0, -floor(log10(step)) + (step / 10 ** floor(log10(step)) == 2.5))
        first, last = ceil(self.low / step), floor(self.high / step)
        values = [number * step for number in range(first, last + 1)]
        return [(value, f"{value + 0.0:,.{digits}f}".replace("-", "−")) for value in values]


# Human against metric scores.


class Dot(NamedTuple):
    """A system in a scatter: its name, scores and intervals."""

    name: str
    x: float
    y: float
    across: tuple[float, float] | None
    upright: tuple[float, float] | None


def _scatters(report: AgreementReport, labels: Sequence[str]) -> str:
    """Draw a scatter for each metric, which radio buttons choose."""
    first = _most_disputed(report, labels)
    inputs = "".join(
        f'<label><input type="radio" name="metric" id="metric-{index}"'
        f"{' checked' if label == first else ''}> <bdi>{text_of(_short(label))}</bdi></label>"
        for index, label in enumerate(labels)
    )
    panes = "".join(
        f'<div class="pane pane-{index}">{_scatter(report, label)}</div>'
        for index, label in enumerate(labels)
    )
    words = words_of(report.agreement.test_set.rows)
    level = 100 * report.agreement.settings.level
    meaning = f"Each dot is a {words.system}"
    if report.comparison is not None:
        meaning += f", with {level:g} % intervals of both scores"
    return (
        f"<figure><fieldset><legend>Metric</legend>{inputs}</fieldset>{panes}"
        f"<figcaption>{meaning}. With full agreement every dot would be higher than the dots to "
        "its left.</figcaption></figure>"
    )


def _most_disputed(report: AgreementReport, labels: Sequence[str]) -> str:
    """Return the metric with the most significant differences against people, to show first."""

    def findings(label: str) -> int:
        pairs = report.disputed.get(label, ())
        return sum(pair.human_significant + pair.metric_significant for pair in pairs)

    return max(labels, key=findings)


def _known(bounds: tuple[float | None, float | None]) -> tuple[float, float] | None:
    """Return an interval, or None if there is none."""
    low, high = bounds
    return None if low is None or high is None else (low, high)


def _dots(report: AgreementReport, label: str) -> list[Dot]:
    agreement, comparison = report.agreement, report.comparison
    scores, human = agreement.metrics[label].scores, agreement.human.scores
    dots = []
    for name in agreement.human.systems:
        x, y = scores.get(name), human.get(name)
        if x is None or y is None:
            continue
        across = upright = None
        if comparison is not None:
            across = _known(comparison.systems[name][label].interval)
            upright = _known(comparison.systems[name][report.human].interval)
        dots.append(Dot(name, x, y, across, upright))
    return dots


def _scatter(report: AgreementReport, label: str) -> str:
    """Draw human against metric scores of the systems; right and up are better."""
    dots = _dots(report, label)
    if not dots:
        return "<p>No system has both scores.</p>"
    lower = report.agreement.metrics[label].higher_is_better is False
    ends = (WIDTH - RIGHT, LEFT) if lower else (LEFT, WIDTH - RIGHT)
    x = Axis.of([v for dot in dots for v in (dot.x, *(dot.across or ()))], *ends)
    y = Axis.of([v for dot in dots for v in (dot.y, *(dot.upright or ()))], HEIGHT - BOTTOM, TOP)
    parts = []
    for value, text in x.ticks():
        at = f"{x.at(value):.1f}"
        parts.append(
            f'<line class="g" x1="{at}" x2="{at}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
            f'<text x="{at}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{text}</text>'
        )
    for value, text in y.ticks(6):
        level = y.at(value)
        parts.append(
            f'<line class="g" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{level:.1f}" y2="{level:.1f}"/>'
            f'<text x="{LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{text}</text>'
        )
    metric, people = text_of(_short(label)), text_of(_short(report.human))
    parts.append(f'<text x="4" y="12">{people} ↑ better</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{metric} → better</text>'
    )
    parts += _marks(dots, x, y)
    title = text_of(f"{report.human} against {label}, a dot for each system")
    return (
        f'<svg class="sc" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">'
        f"{''.join(parts)}</svg>"
    )


def _marks(dots: Sequence[Dot], x: Axis, y: Axis) -> Iterator[str]:
    """Yield intervals, dots and names; each name has the position with least overlap."""
    centres = [(x.at(dot.x), y.at(dot.y)) for dot in dots]
    for dot, (at, level) in zip(dots, centres, strict=True):
        for span, line in (
            (dot.across, 'x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"'),
            (dot.upright, 'x1="{2:.1f}" x2="{2:.1f}" y1="{0:.1f}" y2="{1:.1f}"'),
        ):
            if span is not None:
                axis, other = (x, level) if span is dot.across else (y, at)
                ends = line.format(axis.at(span[0]), axis.at(span[1]), other)
                yield f'<line class="e" {ends}/>'
    for dot, (at, level) in zip(dots, centres, strict=True):
        values = f"{dot.name}: {dot.y:.4g} by people, {dot.x:.4g}"
        yield (
            f'<circle class="d" cx="{at:.1f}" cy="{level:.1f}" r="4.5">'
            f"<title>{text_of(values)}</title></circle>"
        )
    boxes = [(at - 6, level - 6, at + 6, level + 6) for at, level in centres]
    for dot, (at, level) in zip(dots, centres, strict=True):
        name = _short(dot.name)
        width = CHARACTER * len(name)
        best = min(_label_boxes(at, level, width), key=lambda box: _crowding(box[2], boxes))
        anchor, base, box = best
        boxes.append(box)
        position = box[0] if anchor == "start" else box[2]
        yield (
            f'<text class="lab" x="{position:.1f}" y="{base:.1f}" text-anchor="{anchor}">'
            f"{text_of(name)}</text>"
        )


Box = tuple[float, float, float, float]


def _label_boxes(at: float, level: float, width: float) -> Iterator[tuple[str, float, Box]]:
    """Yield positions of a name around a dot: anchor, base line and box."""
    for rise in (-3, 13, -14, 24, -26):
        base = level + rise
        for anchor, left in (("start", at + 9), ("end", at - 9 - width)):
            yield anchor, base, (left, base - LINE + 3, left + width, base + 3)


def _crowding(box: Box, boxes: Sequence[Box]) -> float:
    """Return the area that a box shares with others or lies outside."""
    area = 0.0
    for other in boxes:
        across = min(box[2], other[2]) - max(box[0], other[0])
        upright = min(box[3], other[3]) - max(box[1], other[1])
        area += max(0.0, across) * max(0.0, upright)
    outside = max(0.0, 2 - box[0]) + max(0.0, box[2] - WIDTH + 2)
    beyond = max(0.0, TOP - 8 - box[1]) + max(0.0, box[3] - HEIGHT + BOTTOM)
    return area + LINE * (outside + 3 * beyond)


# Values of the metrics.


def _forests(agreement: Agreement) -> Iterator[str]:
    """Draw the values of the first coefficient of systems and of segments."""
    words = words_of(agreement.test_set.rows)
    subjects = {"system": words.systems, "segment": words.units(agreement.human.level)}
    answers = _main_answers(agreement)
    for answer in answers:
        subject = subjects[answer.level].capitalize()
        meaning = MEANINGS.get(answer.coefficient, "1 is full agreement")
        caption = f"{subject}: {_coefficient(answer)} <small>({meaning})</small>"
        yield _forest(answer, caption, agreement.settings.level)
    pairs = len(answers[0].pairs) if answers else 0
    if pairs:
        correction = CORRECTIONS[agreement.settings.correction].title
        yield (
            '<p class="small soft">Filled: the best metric and those that can’t be told from it. '
            "Rules separate clusters: a metric above is significantly better than the first below. "
            f"{text_of(correction)}, {_count(pairs, 'pair')} of metrics.</p>"
        )


def _forest(answer: Answer, caption: str, level: float) -> str:
    defined = [metric for metric in answer.metrics if metric.value is not None]
    best, equal, _ = _leaders(answer)
    numbers = [
        number
        for metric in defined
        for number in (metric.value, metric.low, metric.high)
        if number is not None
    ]
    axis = Axis.of(numbers, 2.0, 98.0)
    ticks = axis.ticks(4)
    grid = "".join(
        '<line class="g" x1="{0:.2f}%" x2="{0:.2f}%" y1="0" y2="30"/>'.format(axis.at(value))
        for value, _ in ticks
    )
    heads = "".join(
        f'<text x="{axis.at(value):.2f}%" y="22" text-anchor="middle">{text}</text>'
        for value, text in ticks
    )
    rows, rank = [], None
    for metric in defined:
        assert metric.value is not None  # noqa: S101  # defined metrics have values
        kind = "best" if metric.metric in (best, *equal) else ""
        rule = ' class="rule"' if rank is not None and metric.rank != rank else ""
        rank = metric.rank
        plot, interval = grid, ""
        if metric.low is not None and metric.high is not None:
            interval = sentence_of(bracketed((metric.low, metric.high), 3))
            ends = f'x1="{axis.at(metric.low):.2f}%" x2="{axis.at(metric.high):.2f}%"'
            plot += f'<line class="w" {ends} y1="15" y2="15"/>'
        plot += f'<circle class="d" cx="{axis.at(metric.value):.2f}%" cy="15" r="4.5"/>'
        name = f"<bdi>{text_of(_short(metric.metric))}</bdi>"
        rows.append(
            f'<tr{rule}><td class="n soft">{"" if rank is None else rank}</td>'
            f'<th scope="row" title="{text_of(metric.metric)}">{name}</th><td class="plot">'
            f'<svg class="{kind}" width="100%" height="30" aria-hidden="true">{plot}</svg></td>'
            f'<td class="n">{metric.value:.3f}</td><td class="n wide">{interval}</td></tr>'
        )
    undefined = [metric.metric for metric in answer.metrics if metric.value is None]
    note = f'<p class="small soft">Undefined: {_names(undefined, 9)}.</p>' if undefined else ""
    body = "\n".join(rows).replace('n">-', 'n">−')
    return (
        f'<table class="forest"><caption>{caption}</caption><thead><tr>'
        '<th class="n" scope="col">rank</th><th scope="col">metric</th>'
        '<th class="plot" scope="col"><span class="sr">chart of the values</span>'
        f'<svg width="100%" height="30" aria-hidden="true">{heads}</svg></th>'
        '<th class="n" scope="col">value</th>'
        f'<th class="n wide" scope="col">{100 * level:g} % interval</th></tr></thead>'
        f"<tbody>{body}</tbody></table>{note}"
    )


# Pairs that people and a metric order differently.


def _disputes(report: AgreementReport, index: int, label: str) -> str:
    """Describe the pairs of systems that people and one metric order differently."""
    comparison = report.comparison
    if comparison is None:
        return ""
    pairs, total = report.disputed[label], len(comparison.of(label))
    metric, people = (f"<bdi>{text_of(name)}</bdi>" for name in (label, report.human))
    systems = words_of(report.agreement.test_set.rows).systems
    order = f"{len(pairs):,} of {total:,} pairs of {systems} in opposite order"
    if not pairs:
        order = f"all {total:,} pairs of {systems} in the same order"
    opening = f"{metric} and {people} put {order}."
    rows, segments = [], []
    shown = [pair for pair in pairs if pair.segments] or list(pairs[:1])
    digits = 2 if any(abs(pair.metric) >= 1 for pair in pairs) else 4
    for number, pair in enumerate(shown):
        anchor = f"pair-{index}-{number}"
        rows.append(_pair_row(report, label, pair, anchor, digits))
        segments.append(_pair_segments(report, label, pair, anchor))
    both = sum(pair.human_significant and pair.metric_significant for pair in pairs)
    one = sum(pair.human_significant != pair.metric_significant for pair in pairs)
    if pairs:
        opening += f" Both differences are significant in {both or 'none'} of them, one in {one}."
    if len(shown) < len(pairs):
        opening += f" The first {len(shown)}:"
    table = ""
    if rows:
        table = (
            f'{_SCROLL.format("pairs")}<table class="pairs"><thead><tr>'
            f'<th scope="col">pair, better by people first</th><th class="n" scope="col">{people}'
            f'</th><th class="n" scope="col">{metric}</th><td class="wide"></td></tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
            f'<p class="small soft">p is adjusted for {total:,} pairs. A pair opens its segments, '
            f"those with the largest disagreement first.</p>{''.join(segments)}"
        )
    return (
        f'<section class="pane pane-{index}"><h2>Where {metric} and people disagree</h2>'
        f"<p>{opening}</p>{table}</section>"
    )


def _pair_row(
    report: AgreementReport, label: str, pair: DisputedPair, anchor: str, digits: int
) -> str:
    significant = {
        (True, True): "both are significant",
        (True, False): f"only {report.human} is significant",
        (False, True): f"only {label} is significant",
        (False, False): "neither is significant",
    }[pair.human_significant, pair.metric_significant]
    names = (
        f"<bdi>{text_of(_short(pair.better))}</bdi> and <bdi>{text_of(_short(pair.worse))}</bdi>"
    )
    link = f'<a href="#{anchor}">{names}</a>' if pair.segments else names
    cells = "".join(
        f'<td class="n">{sentence_of(f"{value:+,.{decimals}f}")}'
        f"<small> {text_of(p_equals('p', p).replace(' = ', ' '))}</small></td>"
        for value, p, decimals in (
            (pair.human, pair.human_p, 2),
            (pair.metric, pair.metric_p, digits),
        )
    )
    return (
        f'<tr><th scope="row">{link}</th>{cells}<td class="wide">{text_of(significant)}</td></tr>'
    )


def _pair_segments(report: AgreementReport, label: str, pair: DisputedPair, anchor: str) -> str:
    names = f"<bdi>{text_of(pair.better)}</bdi> and <bdi>{text_of(pair.worse)}</bdi>"
    segments = "".join(_segment(report, label, pair, segment) for segment in pair.segments)
    return f'<section class="segments" id="{anchor}"><h3>{names}</h3>{segments}</section>'


def _segment(
    report: AgreementReport, label: str, pair: DisputedPair, segment: DisputedSegment
) -> str:
    rows = [] if segment.source is None else [("source", segment.source)]
    for side, name in enumerate((pair.better, pair.worse)):
        scores = f"{report.human} {segment.human[side]:.4g}, {label} {segment.metric[side]:.4g}"
        output = "" if segment.outputs is None else segment.outputs[side]
        rows.append((f"{_short(name)} ({scores})", output))
    items = "".join(
        f'<dt>{sentence_of(term)}</dt><dd dir="auto">{text_of(text)}</dd>' for term, text in rows
    )
    return f'<p class="small soft">Segment {segment.number:,}</p><dl>{items}</dl>'


# Signatures, methods and the command.


def _details(report: AgreementReport, command: str | None) -> str:
    """List all coefficients, signatures, methods and the command."""
    parts = ['<h2 id="how">How this was made</h2>']
    if command is not None:
        parts.append(f"<p><code>{text_of(FOLDERS.sub('', command))}</code></p>")
    for block in document(report).blocks:
        if isinstance(block, Table):
            table = render_table(block, in_page=True)
            parts.append(f"{_SCROLL.format('all coefficients')}{table}</div>")
        elif isinstance(block, Notes):
            parts += [f"<p><code>{text_of(line)}</code></p>" for line in block.lines]
    if report.comparison is not None:
        settings = report.comparison.settings
        parts.append(
            f"<p><code>pairs: {text_of(settings.test)} over {report.comparison.units:,} "
            f"{settings.unit}s, {text_of(settings.correction)}, seed {settings.seed}</code></p>"
        )
    return "\n".join(parts)
