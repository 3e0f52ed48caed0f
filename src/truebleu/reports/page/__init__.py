"""The report as one HTML file: self-contained, offline, and legible without its script.

Everything but the segment browser is plain HTML, made of the same documents that the other formats
render. The script adds the browser, whose data are in the page, compressed. A policy in the page's
head forbids everything else: other scripts, `eval`, and requests of any kind. What the browser
computes, it computes by the core, which is in the page as WebAssembly.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu._core import VERSION
from truebleu.corpus._files import write_files
from truebleu.errors import shortened
from truebleu.reports.compare import system_table
from truebleu.reports.document import Document, Heading, Notes, Table, document_of
from truebleu.reports.explain import largest_segments_table
from truebleu.reports.formats import html, latex, markdown
from truebleu.reports.formats.html import text_of
from truebleu.reports.formats.machine_readable import dump, render_json
from truebleu.reports.page._data import PageData, data_block
from truebleu.reports.page.answer import pair_answer, pair_of
from truebleu.reports.page.forest import Scale, name_of
from truebleu.reports.page.league import league_answer
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.corpus.test_set import TestSet
    from truebleu.explanation.explain import PairExplanation
    from truebleu.explanation.report import Report
    from truebleu.reports.document import Block
    from truebleu.reports.words import Words

__all__ = ["html_page", "save_page"]

# Files of the script, in reading order.
SCRIPTS = ("parts.js", "core.js", "store.js", "marks.js", "forest.js", "browser.js", "start.js")
# Maximum number of outputs in a page, such as 20,000 segments of 4 systems; more are sampled.
MOST_OUTPUTS = 80_000
# Sections that begin with a heading of their own.
UNTITLED = ("answer", "pair")
# Characters of a text in an example, and number of segments among which short ones are preferred.
LONGEST_EXAMPLE, MOST_LOOKED_AT = 280, 12
# Folders of the machine that made the page, which are private.
FOLDERS = re.compile(r"(?<![\w.~-])(?:/(?:[^\s/'\"]+/)+|[A-Za-z]:\\(?:[^\s\\'\"]+\\)+)")

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
    report = _without_paths(report)
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


def _without_paths(report: Report) -> Report:
    """Remove folders of the machine from warnings about files."""
    warnings = tuple(
        replace(w, text=FOLDERS.sub("", w.text), message=FOLDERS.sub("", w.message))
        for w in report.comparison.warnings
    )
    return replace(report, comparison=replace(report.comparison, warnings=warnings))


def _page(report: Report, sections: Sequence[tuple[str, str, str]], blocks: Sequence[str]) -> str:
    """Make a page of sections, each with its name, title and content, and of blocks of data."""
    script = "\n".join(map(_asset, SCRIPTS))
    body = "\n".join(
        f'<section id="{name}">\n'
        + (f'<h2 id="{name}-title">{escape(heading)}</h2>\n' if name not in UNTITLED else "")
        + f"{content}\n</section>"
        for name, heading, content in sections
    )
    body, rules = _without_styles(body)
    style = _asset("page.css") + rules
    parts = {
        "policy": POLICY.format(script=_hash(script), style=_hash(style)),
        "version": escape(VERSION),
        "title": text_of(_title(report)),
        "names": _names(report),
        "rows": _words(report).rows,
        "style": style,
        "facts": text_of(_facts(report)),
        "navigation": "".join(
            f'<a href="#{name}">{escape(heading)}</a> ' for name, heading, _ in sections[1:]
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
    names = list(report.comparison.systems)
    many = f"{len(names)} {_words(report).systems}"
    return many if len(names) > 2 else " and ".join(names)


def _names(report: Report) -> str:
    names = list(report.comparison.systems)
    return f"<b>{_title(report)}</b>" if len(names) > 2 else " and ".join(map(name_of, names))


def _facts(report: Report) -> str:
    test_set = report.comparison.test_set
    counts = {
        _words(report).row: test_set.segments,
        "document": test_set.documents,
        "domain": test_set.domains,
        "reference": test_set.references,
    }
    facts = [
        f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count
    ]
    return " · ".join([*facts, ", ".join(report.comparison.metrics)])


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
    many = len(report.comparison.systems) > 2
    yield "answer", "Answer", league_answer(report) if many else pair_answer(report)
    if many and data is not None:
        yield "pair", "A pair", '<div id="pair-of-systems"></div>'
    if data is not None:
        yield "segments", _words(report).rows.capitalize(), _segments(report, data, tables)
    if explained is not None and not _are_rates(report):
        yield "explanation", "Explanation", _explanation(explained, tables)
    if agreement is not None:
        yield "agreement", "Agreement with human raters", tables.blocks(agreement.blocks)
    yield "making", "How this was made", _making(report, compared, tables, command)


def _are_rates(report: Report) -> bool:
    """Return whether all scores are 0 or 1, which need no explanation by parts."""
    return all(metric.pass_fail for metric in report.comparison.metrics.values())


def _examples(report: Report) -> str:
    """Show two segments that contribute most for the winner, and one for the other system."""
    explanation, texts = report.explanation, _texts(report)
    if explanation is None or texts is None or len(report.comparison.systems) > 2:
        return ""
    pair = explanation.pairs[0]
    metric, (a, b) = pair.comparison.metric, pair_of(pair.comparison)
    scale = Scale.of(report.comparison.metrics[metric])
    parts = []
    for index in example_segments(pair, texts, scale.sign):
        contribution = scale.turned(pair.segments[index])
        reference = [("Reference", text) for text in texts.references[:1]]
        outputs = [*reference, *((name, texts.systems[name]) for name in (a, b))]
        shown = "".join(
            f'<p class="who">{name_of(name)}</p><p class="text" dir="auto">'
            f"{text_of(shortened(str(text[index]), LONGEST_EXAMPLE))}</p>"
            for name, text in outputs
        )
        winner = name_of(a if contribution > 0 else b)
        parts.append(
            f'<article class="example"><h3><a href="#segment={index + 1}">Segment {index + 1}</a> '
            f"<small>{abs(contribution):.3f} {text_of(metric)} for {winner}</small></h3>{shown}"
            "</article>"
        )
    return f'<div class="examples">{"".join(parts)}</div>'


def example_segments(pair: PairExplanation, texts: TestSet, sign: int) -> list[int]:
    """Return two segments that contribute most for the winner, and one for the other system.

    Segments with short texts are preferred.
    """
    values = [sign * value for value in pair.segments]
    lengths = [
        max(len(str(text[index])) for text in (*texts.references, *texts.systems.values()))
        for index in range(len(values))
    ]
    ahead = 1 if sum(values) > 0 else -1
    chosen = []
    for side, count in ((ahead, 2), (-ahead, 1)):
        order = sorted(range(len(values)), key=lambda index: -side * values[index])
        largest = [index for index in order[:MOST_LOOKED_AT] if side * values[index] > 0]
        short = [index for index in largest if lengths[index] <= LONGEST_EXAMPLE]
        chosen += (short if len(short) >= count else largest)[:count]
    return chosen


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
        f'{note}<div id="outcomes" class="outcomes" role="group" aria-label="Filter by outcome">'
        f'</div>{_examples(report)}<div id="browser" hidden></div>\n'
        f'<noscript><p class="note">The browser of {rows} needs JavaScript.'
        f"{f' These are the {rows} that contribute most.' if largest else ''}</p></noscript>\n"
        f'<div id="largest">{largest}</div>'
    )


def _making(report: Report, compared: Document, tables: _Tables, command: str | None) -> str:
    comparison = report.comparison
    parts = []
    warnings = [warning.message for warning in comparison.warnings]
    if warnings:
        items = "".join(f"<li>{text_of(message)}</li>" for message in warnings)
        parts.append(f"<h3>Warnings about the texts</h3><ul>{items}</ul>")
    elif _texts(report) is not None:
        parts.append("<p>There are no warnings about the texts.</p>")
    if command is not None:
        parts.append(f"<h3>Command</h3><pre>{text_of(FOLDERS.sub('', command))}</pre>")
    notes = [block for block in compared.blocks if isinstance(block, Notes)]
    parts.append(f"<h3>Method</h3>{''.join(map(html.render_block, notes))}")
    parts.append(f"<h3>Table for papers</h3>{tables.render(system_table(comparison))}")
    parts.append('<p><button type="button" id="download" hidden>Download the JSON</button></p>')
    return "".join(parts)


def _texts(report: Report) -> TestSet | None:
    """Return the texts of a report, or None."""
    return None if report.segments is None else report.segments.counts.texts


def _scrolled(title: str, table: str, more: str) -> str:
    """Wrap a table in an element that the keyboard can scroll."""
    label = text_of(title or "table")
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{label}"{more}>{table}</div>'
