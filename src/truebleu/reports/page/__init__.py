"""The report as one HTML file: self-contained, offline, and legible without its script.

Everything but the segment browser is plain HTML, made of the same documents that the other formats
render. The script adds the browser, whose data are in the page, compressed. A policy in the page's
head forbids everything else: other scripts, `eval`, and requests of any kind.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu._core import VERSION
from truebleu.corpus._writing import write_files
from truebleu.corpus.test_set import fingerprint
from truebleu.reports.document import Chart, Document, Heading, Notes, Sentences, Table, one_line
from truebleu.reports.explain import largest_segments_table
from truebleu.reports.formats import html
from truebleu.reports.formats.json import render as render_json
from truebleu.reports.page._data import PageData, data_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.explanation.report import Report
    from truebleu.reports.document import Block, Column, Plot, Row, Value


__all__ = ["document", "html_page", "save_page"]

# The script, in reading order; each file is an idea.
SCRIPTS = ("store.js", "scores.js", "marks.js", "browser.js")
# A page holds 20,000 segments of 4 systems, or fewer of more systems; of a larger set, a sample.
MOST_OUTPUTS = 80_000
# Names in a title.
TITLE_SYSTEMS = 3

POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)


def document(report: Report) -> Document:
    """The comparison, its explanation and the agreement with people, one after the other."""
    return _joined(_documents(report))


def _documents(report: Report) -> list[Document | None]:
    """Those of the comparison, the explanation and the agreement with people."""
    return [
        None if result is None else result.to_document()
        for result in (report.comparison, report.explanation, report.agreement)
    ]


def _joined(documents: Sequence[Document | None]) -> Document:
    known = [part for part in documents if part is not None]
    return Document(tuple(block for part in known for block in part.blocks), known[0].data)


def save_page(
    report: Report, path: str | Path, *, command: str | None = None, overwrite: bool = False
) -> Path:
    """Write the page into a file, whole or not at all."""
    file = Path(path)
    page = html_page(report, command=command)
    write_files(file.parent, {file.name: [page.encode()]}, overwrite=overwrite)
    return file


def html_page(
    report: Report,
    *,
    command: str | None = None,
    most_outputs: int = MOST_OUTPUTS,
) -> str:
    """The page.

    Args:
        report: what it shows.
        command: what made the report.
        most_outputs: how many outputs the page may hold; of more, it has a sample of segments.
    """
    style = _asset("page.css")
    script = "\n".join(map(_asset, SCRIPTS))
    data = None if report.segments is None else PageData.of(report, most_outputs)
    documents = _documents(report)
    blocks = [data_block("result", render_json(_joined(documents), report).encode())]
    if data is not None:
        blocks += data.blocks()
    sections = [*_sections(report, documents, data, command)]
    parts = {
        "policy": POLICY.format(script=_hash(script), style=_hash(style)),
        "version": escape(VERSION),
        "title": _text(_title(report)),
        "style": style,
        "facts": _text(_facts(report)),
        "navigation": "".join(
            f'<a href="#{name}">{escape(title)}</a> ' for name, title, _ in sections
        ),
        "sections": "\n".join(
            f'<section id="{name}" aria-labelledby="{name}-title">\n'
            f'<h2 id="{name}-title">{escape(title)}</h2>\n{content}\n</section>'
            for name, title, content in sections
        ),
        "data": "\n".join(blocks),
        "script": script,
    }
    # In one pass: what is put in is not looked at again.
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


# What the page says without its script.


def _title(report: Report) -> str:
    names = list(report.comparison.systems)
    baseline = report.comparison.settings.baseline
    if baseline is not None and len(names) > 2:
        return f"{len(names) - 1} systems against {baseline}"
    if len(names) > TITLE_SYSTEMS:
        return f"{len(names)} systems compared"
    return f"{', '.join(names[:-1])} and {names[-1]} compared"


def _facts(report: Report) -> str:
    test_set, settings = report.comparison.test_set, report.comparison.settings
    facts = [_counted(test_set.segments, "segment")]
    if test_set.documents is not None:
        facts.append(_counted(test_set.documents, "document"))
    if test_set.domains is not None:
        facts.append(_counted(test_set.domains, "domain"))
    facts.append(_counted(test_set.references, "reference"))
    facts.append(", ".join(report.comparison.metrics))
    facts.append(f"tested by {settings.unit}s at level {settings.level:g}")
    return " · ".join(facts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _sections(
    report: Report,
    documents: Sequence[Document | None],
    data: PageData | None,
    command: str | None,
) -> Iterator[tuple[str, str, str]]:
    """The name, title and content of each section."""
    compared, explained, agreement = documents
    if compared is None:
        raise ValueError("a report without a comparison")
    few = explained is not None and len(report.comparison.systems) == 2
    yield "verdict", "Verdict", _verdict(report, compared, explained if few else None)
    yield "scores", "Scores", _scores(compared)
    if explained is not None:
        yield "explanation", "Where it comes from", _explanation(report, explained)
    if data is not None:
        yield "segments", "Segments", _segments(report, data)
    if agreement is not None:
        yield "agreement", "Agreement with people", _blocks(agreement.blocks)
    yield "making", "How this was made", _making(report, command)


def _verdict(report: Report, compared: Document, explained: Document | None) -> str:
    """What matters most first: of two systems the explanation, of many who beats whom."""
    if explained is None:
        sentences = list(compared.sentences)
        return _lead(sentences)
    parts = []
    groups = _groups(explained)
    for heading, blocks in groups:
        if heading is None:
            continue
        sentences = [
            line for block in blocks if isinstance(block, Sentences) for line in block.lines
        ]
        title = f"<h3>{_text(heading)}</h3>" if len(report.comparison.metrics) > 1 else ""
        parts.append(title + _lead(sentences))
    caveats = [line for line in compared.sentences if line.startswith("No documents given")]
    return "".join(parts) + "".join(f"<p>{_text(line)}</p>" for line in caveats)


def _lead(sentences: Sequence[str]) -> str:
    if not sentences:
        return ""
    first, *others = sentences
    listed = "".join(f"<li>{_text(line)}</li>" for line in others)
    return f'<p class="lead">{_text(first)}</p>' + (f"<ul>{listed}</ul>" if listed else "")


def _scores(compared: Document) -> str:
    shown = [block for block in compared.blocks if not isinstance(block, Sentences)]
    return _blocks(sorted(shown, key=lambda block: not isinstance(block, Chart)))


def _explanation(report: Report, explained: Document) -> str:
    """A part that can be folded for each pair; the notes below all of them."""
    parts = []
    # Of two systems, the verdict has the sentences.
    in_verdict = len(report.comparison.systems) == 2
    for heading, blocks in _groups(explained):
        kept = [block for block in blocks if not (in_verdict and isinstance(block, Sentences))]
        if heading is None:
            parts.append(_blocks(kept))
            continue
        parts.append(
            f"<details open><summary><h3>{_text(heading)}</h3></summary>{_folded(kept)}</details>"
        )
    return "".join(parts)


def _groups(explained: Document) -> list[tuple[str | None, list[Block]]]:
    """The blocks under each heading; notes at the end belong to all."""
    groups: list[tuple[str | None, list[Block]]] = []
    notes: dict[str, None] = {}
    for block in explained.blocks:
        if isinstance(block, Heading):
            groups.append((block.text, []))
        elif isinstance(block, Notes):
            notes |= dict.fromkeys(block.lines)
        elif groups:
            groups[-1][1].append(block)
    return [*groups, (None, [Notes(tuple(notes))])]


def _blocks(blocks: Iterable[Block]) -> str:
    return "\n".join(
        svg(block) if isinstance(block, Chart) else html.render_block(block, styled=False)
        for block in blocks
    )


def _folded(blocks: Sequence[Block]) -> str:
    """Sentences and charts, and then tables in parts that fold."""
    tables = [block for block in blocks if isinstance(block, Table)]
    others = [block for block in blocks if not isinstance(block, Table)]
    parts = [
        f'<details open class="table"><summary>{_text(table.columns[0].heading)}</summary>'
        f"{html.render_block(table, styled=False)}</details>"
        for table in tables
    ]
    return "\n".join([_blocks(others), *parts])


def _segments(report: Report, data: PageData) -> str:
    """Where the browser goes, and a table of the largest contributions for print and no script."""
    explanation = report.explanation
    tables = []
    if explanation is not None and report.segments is not None and report.segments.has_texts:
        for pair in explanation.pairs[:1]:
            table = largest_segments_table(explanation, pair, report.segments.test_set)
            title = f"{pair.comparison.a} − {pair.comparison.b} by {pair.comparison.metric}"
            tables.append(f"<h3>Largest contributions: {_text(title)}</h3>")
            tables.append(html.render_block(table, styled=False))
    note = ""
    if data.left_out:
        note = (
            f'<p class="note">{data.kept:,} of {data.kept + data.left_out:,} segments are in this '
            "page: half of them with the largest contributions, the others drawn at random. Scores "
            "of selections below are scores of these.</p>"
        )
    return (
        f'{note}<div id="browser" hidden></div>\n'
        '<noscript><p class="note">The segment browser needs JavaScript. These are the segments '
        "that contribute most.</p></noscript>\n"
        f'<div id="largest">{"".join(tables)}</div>'
    )


def _making(report: Report, command: str | None) -> str:
    parts = []
    warnings = [warning.message for warning in report.comparison.warnings]
    if warnings:
        listed = "".join(f"<li>{_text(message)}</li>" for message in warnings)
        parts.append(f"<h3>Warnings about the texts</h3><ul>{listed}</ul>")
    else:
        parts.append("<p>Nothing about the texts looked suspicious.</p>")
    if command is not None:
        parts.append(f"<h3>Command</h3><pre>{_text(command)}</pre>")
    signatures = [str(metric.signature) for metric in report.comparison.metrics.values()]
    parts.append(
        "<h3>Signatures</h3>" + "".join(f"<pre>{_text(line)}</pre>" for line in signatures)
    )
    rows = {name: str(value) for name, value in report.comparison.settings.to_dict().items()}
    parts.append(f"<h3>Settings</h3>{_pairs(rows)}")
    if report.segments is not None:
        prints = {"references": report.segments.test_set.fingerprint}
        if report.segments.has_texts:
            for name, text in report.segments.test_set.systems.items():
                prints[name] = fingerprint([text])
        parts.append(f"<h3>Fingerprints</h3>{_pairs(prints)}")
    parts.append('<p><button type="button" id="download" hidden>Download the JSON</button></p>')
    return "".join(parts)


def _pairs(values: dict[str, str]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td><code>{_text(value)}</code></td></tr>'
        for name, value in values.items()
    )
    return f'<div class="scroll"><table class="pairs"><tbody>{rows}</tbody></table></div>'


def _text(text: str) -> str:
    return escape(one_line(text))


# Charts as plain SVG, which needs no library: colours come from the page's style sheet.


WIDTH = 760
# Where a chart's own area begins and ends, beside labels and numbers.
LEFT, RIGHT = 230, 660
ROW, HEAD, AXIS = 26, 26, 34
# The height of charts with two axes of numbers.
HEIGHT = 240
# Labels are cut to this many characters.
LONGEST_LABEL = 32
# More marks than this are a blot.
MOST_MARKS = 2000


def svg(chart: Chart) -> str:
    """A chart of a page; empty where it would show nothing that can be read.

    Rows with names are drawn one below the other, numbers against numbers between two axes.
    """
    plot, rows = chart.plot, chart.table.rows
    if not rows or len(rows) > MOST_MARKS:
        return ""
    names = {column.name: column for column in chart.table.columns}
    drawn = [row for row in rows if _is_number(row.get(plot.y))]
    if not drawn:
        return ""
    if all(_is_number(row.get(plot.x)) for row in drawn):
        if plot.panel is not None or plot.series is not None:
            return ""
        return _axes(chart, drawn, names)
    return _drawn_rows(chart, drawn, names)


def _figure(chart: Chart, height: float, marks: Iterable[str], caption: str = "") -> str:
    title = escape(one_line(chart.title))
    below = f"<figcaption>{escape(one_line(caption))}</figcaption>" if caption else ""
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(marks)}</svg>{below}</figure>"
    )


def _drawn_rows(chart: Chart, rows: Sequence[Row], names: dict[str, Column]) -> str:
    """A bar or a point for each row, with its error bar; panels stand one below the other."""
    plot = chart.plot
    panels: dict[str, list[Row]] = {}
    for row in rows:
        panels.setdefault("" if plot.panel is None else str(row.get(plot.panel)), []).append(row)
    kinds = list(plot.series_order)
    if plot.series is not None:
        kinds += [kind for row in rows if (kind := str(row.get(plot.series))) not in kinds]
    marks: list[str] = []
    top = 4.0
    shared = None if plot.shared_y is False else _scale_of(plot, rows)
    for panel, members in panels.items():
        scale = shared or _scale_of(plot, members)
        if panel:
            marks.append(_label(4, top + 17, panel, "panel"))
            top += HEAD
        bottom = top + ROW * len(members)
        marks += [_tick(scale, tick, top, bottom) for tick in scale.ticks()]
        if scale.low <= 0 <= scale.high:
            marks.append(f'<path class="zero" d="M{scale(0.0):.1f} {top:.1f}V{bottom:.1f}"/>')
        for row in members:
            look = 0 if plot.series is None else kinds.index(str(row.get(plot.series)))
            marks += _drawn_row(plot, row, scale, top, look)
            top += ROW
        heading = names[plot.y].heading
        if plot.y_heading is not None:
            heading = str(members[0].get(plot.y_heading))
        marks.append(_label((LEFT + RIGHT) / 2, top + 30, heading, "axis", "middle"))
        top += AXIS + 6
    # Bars say by themselves on which side they are.
    column = plot.series if plot.mark != "bar" else None
    present = set() if column is None else {str(row.get(column)) for row in rows}
    legend = [f"{SYMBOLS[n % 4]} {kind}" for n, kind in enumerate(kinds) if kind in present]
    caption = " · ".join([*legend, *([plot.interval] if plot.interval else [])])
    return _figure(chart, top, marks, caption)


# How kinds of points and bars look, one after the other; colours differ as well.
SYMBOLS = "●◆○■"


def _drawn_row(plot: Plot, row: Row, scale: _Scale, top: float, kind: int) -> Iterator[str]:
    middle, value = top + ROW / 2, _number(row[plot.y])
    base = _number(row[plot.base]) if plot.base is not None else 0.0
    yield _label(LEFT - 12, middle + 4, str(row.get(plot.x)), "name", "end")
    if plot.mark == "bar":
        start, end = sorted((scale(base), scale(value)))
        yield (
            f'<rect class="kind-{kind % 4}" x="{start:.1f}" y="{top + 5:.1f}" '
            f'width="{max(end - start, 0.5):.1f}" height="{ROW - 10}"/>'
        )
    if plot.errors and _is_number(row.get(plot.errors[0])):
        a, b = (scale(_number(row[end])) for end in plot.errors)
        yield f'<path class="interval" d="M{a:.1f} {middle - 4:.1f}v8m0 -4H{b:.1f}m0 -4v8"/>'
    if plot.mark != "bar":
        yield _point(scale(value), middle, kind)
    signed = plot.mark == "bar" or row.get(str(plot.reference_field)) is not None
    written = f"{value - base:+.4g}" if signed else f"{value:.4g}"
    yield _label(RIGHT + 12, middle + 4, written.replace("-", "−"), "value")


def _point(x: float, y: float, kind: int) -> str:
    look = f'class="kind-{kind % 4}"'
    if kind % 4 == 1:
        return f'<path {look} d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'
    if kind % 4 == 3:
        return f'<rect {look} x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    return f'<circle {look} cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


def _scale_of(plot: Plot, rows: Sequence[Row]) -> _Scale:
    ends = [name for name in (plot.y, *(plot.errors or ()), plot.base) if name is not None]
    values = [_number(row.get(name)) for row in rows for name in ends if _is_number(row.get(name))]
    if plot.mark == "bar":
        values.append(0.0)
    pad = 0.04 * (max(values) - min(values) or abs(values[0]) or 1.0)
    return _Scale(min(values) - pad, max(values) + pad, LEFT, RIGHT)


def _axes(chart: Chart, rows: Sequence[Row], names: dict[str, Column]) -> str:
    """Points or a line between two axes."""
    plot = chart.plot
    points = [(_number(row[plot.x]), _number(row[plot.y])) for row in rows]
    across = _Scale(min(x for x, _ in points), max(x for x, _ in points), 60, WIDTH - 20)
    heights = [y for _, y in points]
    reference = plot.reference
    if plot.reference_field is not None and _is_number(rows[0].get(plot.reference_field)):
        reference = _number(rows[0][plot.reference_field])
    if reference is not None:
        heights.append(reference)
    if plot.zero_y:
        heights.append(0.0)
    pad = 0.06 * (max(heights) - min(heights) or 1.0)
    up = _Scale(min(heights) - pad, max(heights) + pad, HEIGHT - 44, 10)
    marks = []
    for tick in up.ticks():
        y = up(tick)
        marks.append(f'<path class="grid" d="M60 {y:.1f}H{WIDTH - 20}"/>')
        marks.append(_label(52, y + 4, _written(tick), "axis", "end"))
    for tick in across.ticks():
        marks.append(_label(across(tick), HEIGHT - 28, _written(tick), "axis", "middle"))
    if reference is not None:
        marks.append(f'<path class="reference" d="M60 {up(reference):.1f}H{WIDTH - 20}"/>')
    if plot.mark == "line":
        path = "L".join(f"{across(x):.1f} {up(y):.1f}" for x, y in points)
        marks.append(f'<path class="line" d="M{path}"/>')
    else:
        marks += [
            f'<circle class="kind-0" cx="{across(x):.1f}" cy="{up(y):.1f}" r="3"/>'
            for x, y in points
        ]
    marks.append(_label(60, HEIGHT - 8, names[plot.x].heading, "axis"))
    marks.append(_label(WIDTH - 20, HEIGHT - 8, f"↑ {names[plot.y].heading}", "axis", "end"))
    return _figure(chart, HEIGHT, marks)


class _Scale:
    """Numbers to places."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high = low, high if high > low else low + 1.0
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Four to eight round numbers."""
        raw = (self.high - self.low) / 5
        power = 10.0 ** floor(log10(raw))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
        first = -floor(-self.low / step)
        count = floor(self.high / step) - first + 1
        return [round((first + i) * step, 12) for i in range(count)]


def _tick(scale: _Scale, tick: float, top: float, bottom: float) -> str:
    x = scale(tick)
    line = f'<path class="grid" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
    return line + _label(x, bottom + 15, _written(tick), "axis", "middle")


def _label(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    short = (
        text
        if len(text) <= LONGEST_LABEL or kind in ("axis", "panel")
        else (f"{text[: LONGEST_LABEL - 1]}…")
    )
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(one_line(short))}</text>"
    )


def _written(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Value) -> float:
    return float(value)  # type: ignore[arg-type]  # only numbers are asked for
