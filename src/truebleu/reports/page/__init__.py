"""The report as one HTML file: self-contained, offline, and legible without its script.

Everything but the segment browser is plain HTML, made of the same documents that the other formats
render. The script adds the browser, whose data are in the page, compressed. A policy in the page's
head forbids everything else: other scripts, `eval`, and requests of any kind. What the browser
computes, it computes by the core, which is in the page as WebAssembly.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu._core import VERSION
from truebleu.corpus._files import write_files
from truebleu.reports.compare import system_table, verdict, verdicts
from truebleu.reports.document import (
    Bar,
    Column,
    Document,
    Heading,
    Notes,
    Table,
    bracketed,
    document_of,
    p_cell,
)
from truebleu.reports.explain import largest_segments_table
from truebleu.reports.formats import html, latex, markdown
from truebleu.reports.formats.html import sentence_of, text_of
from truebleu.reports.formats.machine_readable import dump, render_json
from truebleu.reports.page._data import PageData, data_block
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.explanation.report import Report
    from truebleu.reports.document import Block, Row
    from truebleu.reports.words import Words

__all__ = ["html_page", "save_page"]

# Files of the script, in reading order.
SCRIPTS = ("parts.js", "core.js", "store.js", "marks.js", "browser.js", "start.js")
# Maximum number of outputs in a page, such as 20,000 segments of 4 systems; more are sampled.
MOST_OUTPUTS = 80_000
# Maximum number of names in a title.
TITLE_SYSTEMS = 3
# Number of segments in the answer.
EXAMPLES = 3
# Folders of the machine that made the page, which are private.
FOLDERS = re.compile(r"(?<![\w.~-])/(?:[^\s/'\"]+/)+")

POLICY = (
    "default-src 'none'; script-src '{script}' 'wasm-unsafe-eval'; style-src '{style}'; "
    "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
)


def document(report: Report) -> Document:
    """Join the comparison, its explanation and the agreement with people."""
    return _joined(_documents(report))


def _documents(report: Report) -> list[Document | None]:
    """Make the documents of the comparison, the explanation and the agreement with people."""
    explained = report.explanation
    return [
        report.comparison.to_document(),
        None if explained is None else document_of(explained, details=True),
        None if report.agreement is None else report.agreement.to_document(),
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
    report: Report, *, command: str | None = None, most_outputs: int = MOST_OUTPUTS
) -> str:
    """Make the page.

    Args:
        report: report to show.
        command: command that made the report.
        most_outputs: maximum number of outputs in the page; a larger report is sampled.
    """
    data = None if report.segments is None else PageData.of(report, most_outputs)
    documents = _documents(report)
    tables = _Tables()
    sections = [*_sections(report, documents, data, tables, command)]
    blocks = [
        data_block("result", render_json(_joined(documents), report).encode()),
        data_block("tables", dump(tables.copies, indent=None).encode()),
        *([] if data is None else data.blocks()),
    ]
    return _page(report, sections, blocks)


def _page(report: Report, sections: Sequence[tuple[str, str, str]], blocks: Sequence[str]) -> str:
    """Make a page of sections, each with its name, title and content, and of blocks of data."""
    script = "\n".join(map(_asset, SCRIPTS))
    body = "\n".join(
        f'<section id="{name}" aria-labelledby="{name}-title">\n'
        f'<h2 id="{name}-title">{escape(heading)}</h2>\n{content}\n</section>'
        for name, heading, content in sections
    )
    body, rules = _without_styles(body)
    style = _asset("page.css") + rules
    parts = {
        "policy": POLICY.format(script=_hash(script), style=_hash(style)),
        "version": escape(VERSION),
        "title": text_of(_title(report)),
        "rows": _words(report).rows,
        "style": style,
        "facts": text_of(_facts(report)),
        "navigation": "".join(
            f'<a href="#{name}">{escape(heading)}</a> ' for name, heading, _ in sections
        ),
        "sections": body,
        "data": "\n".join(blocks),
        "script": script,
    }
    # One pass replaces all parts, so that braces in texts stay as they are.
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _without_styles(body: str) -> tuple[str, str]:
    """Replace styles of elements by classes; return the elements and the rules of the classes.

    The page's policy allows one style sheet only, known by its hash.
    """
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return f' class="{names.setdefault(match[1], f"s{len(names)}")}"'

    body = re.sub(r' style="([^"]*)"', name, body)
    return body, "".join(f".{name} {{ {rule} }}\n" for rule, name in names.items())


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


class _Tables:
    """The tables of the page, which readers can copy into papers.

    Attributes:
        copies: tables in the formats of papers.
    """

    def __init__(self) -> None:
        self.copies: list[dict[str, str]] = []

    def render(self, table: Table) -> str:
        """Render a table with buttons to copy it."""
        if not table.rows:
            return ""
        document = Document((table,), table)
        number = f' data-table="{len(self.copies)}"'
        copies = {"latex": latex.render(document), "markdown": markdown.render(document)}
        self.copies.append(copies)
        element = html.render_table(table, in_page=True)
        return _scrolled(table.columns[0].heading, element, number)

    def blocks(self, blocks: Iterable[Block]) -> str:
        """Render blocks one after the other."""
        return "\n".join(
            self.render(block) if isinstance(block, Table) else html.render_block(block)
            for block in blocks
        )


# The content that needs no script.


def _words(report: Report) -> Words:
    return words_of(report.comparison.test_set.rows)


def _title(report: Report) -> str:
    names, systems = list(report.comparison.systems), _words(report).systems
    baseline = report.comparison.settings.baseline
    if baseline is not None and len(names) > 2:
        return f"{len(names) - 1} {systems} against {baseline}"
    if len(names) > TITLE_SYSTEMS:
        return f"{len(names)} {systems} compared"
    return f"{', '.join(names[:-1])} and {names[-1]} compared"


def _facts(report: Report) -> str:
    test_set, settings = report.comparison.test_set, report.comparison.settings
    counts = {
        _words(report).row: test_set.segments,
        "document": test_set.documents,
        "domain": test_set.domains,
        "reference": test_set.references,
    }
    facts = [
        f"{count:,} {noun}{'' if count == 1 else 's'}"
        for noun, count in counts.items()
        if count is not None
    ]
    facts.append(", ".join(report.comparison.metrics))
    units = _words(report).units(settings.unit)
    facts.append(f"tested by {units} at level {settings.level:g}")
    return " · ".join(facts)


def _sections(
    report: Report,
    documents: Sequence[Document | None],
    data: PageData | None,
    tables: _Tables,
    command: str | None,
) -> Iterator[tuple[str, str, str]]:
    """Yield the name, title and content of each section."""
    compared, explained, agreement = documents
    if compared is None:
        raise ValueError("a report without a comparison")
    yield "verdict", "Answer", _answer(report, explained, agreement, tables)
    if data is not None:
        yield "segments", _words(report).rows.capitalize(), _segments(report, data, tables)
    if explained is not None:
        yield "explanation", "Where the difference comes from", _explanation(explained, tables)
    if agreement is not None:
        yield "agreement", "Agreement with human raters", tables.blocks(agreement.blocks)
    yield "making", "How this was made", _making(report, compared, command)


def _answer(
    report: Report, explained: Document | None, agreement: Document | None, tables: _Tables
) -> str:
    """Show the verdict; for two systems, also their difference, its sources and examples."""
    comparison = report.comparison
    primary = comparison.settings.primary
    headline, *others = verdicts(comparison) if primary is None else verdict(comparison, primary)
    if primary is not None:
        others.append(f"The verdict uses {primary}; the tables also show other metrics.")
    if agreement is not None:
        others += agreement.sentences[:1]
    parts = [f'<p class="lead">{sentence_of(headline)}</p>']
    two = len(comparison.systems) == 2
    if two:
        parts.append(tables.render(_difference_table(report)))
        if explained is not None:
            others = [line for line in explained.sentences if line not in (headline, *others)][
                :1
            ] + others
    if others:
        items = "".join(f"<li>{sentence_of(line)}</li>" for line in others)
        parts.append(f"<ul>{items}</ul>")
    if two:
        parts.append(_examples(report))
    return "".join([*parts, tables.render(system_table(comparison))])


def _difference_table(report: Report) -> Table:
    """Make a row per metric for the difference, drawn with 0 and the smallest one people notice."""
    comparison = report.comparison
    digits = max(metric.digits for metric in comparison.metrics.values())
    first = comparison.comparisons[0]
    columns = (
        Column("metric", f"{first.a} − {first.b}"),
        Column("difference", "Difference", digits, sign=True),
        Column("interval", f"{100 * comparison.settings.level:g} % interval", numeric=True),
        Column("p", "p", numeric=True),
    )
    rows: list[Row] = []
    for pair in comparison.comparisons:
        digits = comparison.metrics[pair.metric].digits
        low, high = pair.interval
        rows.append(
            {
                "metric": pair.metric,
                "difference": pair.difference,
                "interval": bracketed(pair.interval, digits, sign="+"),
                "low": low,
                "high": high,
                "p": p_cell(pair.p),
                "notice": None if pair.people is None else pair.people.coin,
            }
        )
    bars = (Bar("difference", "low", "high", zero=True, band="notice"),)
    return Table(columns, tuple(rows), bars=bars)


def _examples(report: Report) -> str:
    """Show the segments that contribute most, with links to the segment browser."""
    explanation, texts = report.explanation, _texts(report)
    if explanation is None or texts is None:
        return ""
    pair = explanation.pairs[0]
    table = largest_segments_table(explanation, pair, texts)
    metric = pair.comparison.metric
    parts = [f"<h3>Segments that contribute most to the difference in {text_of(metric)}</h3>"]
    texts_of = ("reference", "a", "b")
    short = [row for row in table.rows if all(len(str(row[name])) < 300 for name in texts_of)]
    for row in (short if len(short) >= EXAMPLES else table.rows)[:EXAMPLES]:
        contribution = sentence_of(table.columns[1].cell(row["contribution"]))
        shown = "".join(
            f'<p class="who">{text_of(column.heading)}</p>'
            f'<p class="text" dir="auto">{text_of(str(row[column.name]))}</p>'
            for column in table.columns
            if column.name in texts_of
        )
        parts.append(
            f'<article class="example"><h4><a href="#segment={row["segment"]}">Segment '
            f"{row['segment']}</a>: {contribution} {text_of(metric)}</h4>{shown}</article>"
        )
    return f'<div class="examples">{"".join(parts)}</div>'


def _explanation(explained: Document, tables: _Tables) -> str:
    """Render a foldable part for each pair, and within it one for each table."""
    parts: list[str] = []
    blocks: list[Block] = []
    heading = ""

    def end() -> None:
        body = "".join(
            f'<details open class="table"><summary>{text_of(block.columns[0].heading)}</summary>'
            f"{tables.render(block)}</details>"
            if isinstance(block, Table)
            else html.render_block(block)
            for block in blocks
            if not isinstance(block, Notes)
        )
        folded = f"<details open><summary><h3>{text_of(heading)}</h3></summary>{body}</details>"
        parts.append(folded if heading else body)

    for block in explained.blocks:
        if isinstance(block, Heading):
            if blocks:
                end()
            heading, blocks = block.text, []
        else:
            blocks.append(block)
    end()
    return "".join(parts)


def _segments(report: Report, data: PageData, tables: _Tables) -> str:
    """Make the element of the browser, and a table for print and for readers without JavaScript."""
    explanation, texts = report.explanation, _texts(report)
    largest = ""
    if explanation is not None and texts is not None:
        pair = explanation.pairs[0]
        table = largest_segments_table(explanation, pair, texts)
        title = f"{pair.comparison.a} − {pair.comparison.b} by {pair.comparison.metric}"
        largest = f"<h3>Largest contributions: {text_of(title)}</h3>{tables.render(table)}"
    note, rows = "", _words(report).rows
    if data.left_out:
        note = (
            f'<p class="note">{data.size:,} of {data.size + data.left_out:,} {rows} are in this '
            "page: half of them with the largest contributions, the others drawn at random. Scores "
            f"of selections below include only {rows} in this page.</p>"
        )
    return (
        f'{note}<div id="browser" hidden></div>\n'
        f'<noscript><p class="note">The browser of {rows} needs JavaScript.'
        f"{f' These are the {rows} that contribute most.' if largest else ''}</p></noscript>\n"
        f'<div id="largest">{largest}</div>'
    )


def _making(report: Report, compared: Document, command: str | None) -> str:
    comparison = report.comparison
    parts = []
    warnings = [warning.message for warning in comparison.warnings]
    if warnings:
        items = "".join(f"<li>{_without_folders(message)}</li>" for message in warnings)
        parts.append(f"<h3>Warnings about the texts</h3><ul>{items}</ul>")
    elif _texts(report) is not None:
        parts.append("<p>There are no warnings about the texts.</p>")
    if command is not None:
        parts.append(f"<h3>Command</h3><pre>{_without_folders(command)}</pre>")
    notes = [block for block in compared.blocks if isinstance(block, Notes)]
    parts.append(f"<h3>Method</h3>{''.join(map(html.render_block, notes))}")
    parts.append('<p><button type="button" id="download" hidden>Download the JSON</button></p>')
    return "".join(parts)


def _texts(report: Report) -> TestSet | None:
    """Return the texts of a report, or None."""
    return None if report.segments is None else report.segments.counts.texts


def _without_folders(text: str) -> str:
    return text_of(FOLDERS.sub("", text))


def _scrolled(title: str, table: str, more: str) -> str:
    """Wrap a table in an element that the keyboard can scroll."""
    label = text_of(title or "table")
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"{more}>{table}</div>'
