"""The report as one HTML file: self-contained, offline, and legible without its script.

Everything but the segment browser is plain HTML, made of the same results and sentences that the
other formats render. The script adds the browser, whose data are in the page, compressed. A policy
in the page's head forbids everything else: other scripts, `eval`, and requests of any kind. What
the browser computes, it computes by the core, which is in the page as WebAssembly.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from truebleu._core import VERSION
from truebleu.corpus._files import write_files
from truebleu.errors import shortened
from truebleu.reports.document import Document, Heading, Notes, Table, document_of
from truebleu.reports.drawing import block_table, name_of, short, text_of
from truebleu.reports.formats import html, latex
from truebleu.reports.formats.machine_readable import render_json
from truebleu.reports.page._data import PageData, data_block
from truebleu.reports.page.answer import answer
from truebleu.reports.percent import in_percent
from truebleu.reports.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu._results import PageResult
    from truebleu.corpus.sequences import TextLike
    from truebleu.corpus.test_set import TestSet
    from truebleu.explanation.explain import PairExplanation
    from truebleu.explanation.report import Report
    from truebleu.reports.document import Block
    from truebleu.reports.words import Words

    # Name, title and content of a section.
    Section = tuple[str, str, str]

__all__ = ["html_page", "save_page"]

# Files of the script, in reading order.
SCRIPTS = ("parts.js", "core.js", "store.js", "marks.js", "forest.js", "browser.js", "start.js")
# Maximum number of outputs in a page, such as 20,000 segments of 4 systems; more are sampled.
MOST_OUTPUTS = 80_000
# Sections that begin with a heading of their own.
UNTITLED = ("answer", "pair", "pairs")
# Characters of a text in an example, and number of segments among which short ones are preferred.
LONGEST_EXAMPLE, MOST_LOOKED_AT = 280, 12
# Folders of the machine that made the page, which are private.
FOLDERS = re.compile(r"(?<![\w.~-])(?:/(?:[^\s/'\"]+/)+|[A-Za-z]:\\(?:[^\s\\'\"]+\\)+)")

POLICY = (
    "default-src 'none'; {script}style-src '{style}'; img-src data:; connect-src 'none'; "
    "base-uri 'none'; form-action 'none'"
)


def document(report: Report) -> Document:
    """Return one document of the comparison, its explanation and the agreement."""
    return _joined(_documents(report))


def _documents(report: Report) -> dict[str, Document]:
    """Return the documents of the comparison, its explanation and the agreement, by section."""
    documents = {"answer": report.comparison.to_document()}
    if report.explanation is not None:
        documents["explanation"] = document_of(report.explanation, details=True)
    if report.agreement is not None:
        documents["agreement"] = report.agreement.to_document()
    return documents


def _joined(documents: dict[str, Document]) -> Document:
    blocks = (block for part in documents.values() for block in part.blocks)
    return Document(tuple(blocks), documents["answer"].data)


def save_page(
    report: PageResult, path: str | Path, *, command: str | None = None, overwrite: bool = False
) -> Path:
    """Write the page of a report into a file, whole or not at all; return its path."""
    file = Path(path)
    page: str = import_module(report.REPORT).html_page(report, command=command)
    write_files(file.parent, {file.name: [page.encode()]}, overwrite=overwrite)
    return file


def html_page(
    report: Report, *, command: str | None = None, most_outputs: int = MOST_OUTPUTS
) -> str:
    """Render a report as an HTML page.

    Args:
        report: report to show.
        command: command that made the report.
        most_outputs: maximum number of outputs in the page; a larger report is sampled.
    """
    report = _without_paths(report)
    data = None if report.segments is None else PageData.of(report, most_outputs)
    documents = _documents(report)
    blocks = [
        data_block("result", render_json(_joined(documents), report).encode()),
        *([] if data is None else data.blocks()),
    ]
    names = list(report.comparison.systems)
    many = f"{len(names)} {_words(report).systems}"
    title = many if len(names) > 2 else " and ".join(map(short, names))
    sections = [*_sections(report, documents, data, command)]
    script = "\n".join(map(_asset, SCRIPTS))
    return page_of(title, _facts(report), sections, blocks=blocks, script=script)


def _without_paths(report: Report) -> Report:
    """Return the report without the names of folders in its warnings."""
    warnings = tuple(
        replace(w, text=FOLDERS.sub("", w.text), message=FOLDERS.sub("", w.message))
        for w in report.comparison.warnings
    )
    return replace(report, comparison=replace(report.comparison, warnings=warnings))


def page_of(
    title: str,
    facts: str,
    sections: Sequence[Section],
    *,
    rules: str = "",
    blocks: Iterable[str] = (),
    script: str = "",
) -> str:
    """Render sections as an HTML page, with its style sheet, data and script.

    Args:
        title: title of the page.
        facts: size of the data in a line.
        sections: sections; navigation has all but the first.
        rules: further rules of the style sheet.
        blocks: data as elements.
        script: script of the page; without one the page forbids scripts.
    """
    style = _asset("page.css") + rules
    allowed = f"script-src '{_hash(script)}' 'wasm-unsafe-eval'; " if script else ""
    parts = {
        "policy": POLICY.format(script=allowed, style=_hash(style)),
        "version": escape(VERSION),
        "title": text_of(title),
        "style": style,
        "facts": text_of(facts),
        "navigation": "".join(
            f'<a href="#{name}">{escape(heading)}</a> ' for name, heading, _ in sections[1:]
        ),
        "sections": "\n".join(
            f'<section id="{name}">\n'
            + (f'<h2 id="{name}-title">{escape(heading)}</h2>\n' * (name not in UNTITLED))
            + f"{content}\n</section>"
            for name, heading, content in sections
        ),
        "data": "\n".join(blocks),
        "script": f"<script>{script}</script>" if script else "",
    }
    # One pass replaces all parts, so that braces in texts stay as they are.
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


# The content that needs no script.


def _words(report: Report) -> Words:
    return words_of(report.comparison.test_set.rows)


def _facts(report: Report) -> str:
    """Return the sizes of the test set and the names of the metrics, in one line."""
    test_set = report.comparison.test_set
    counts = {
        _words(report).row: test_set.segments,
        "document": test_set.documents,
        "domain": test_set.domains,
        "reference": test_set.references,
    }
    facts = [f"{count:,} {noun}{'s' * (count != 1)}" for noun, count in counts.items() if count]
    return " · ".join([*facts, ", ".join(report.comparison.metrics)])


def _sections(
    report: Report, documents: dict[str, Document], data: PageData | None, command: str | None
) -> Iterator[Section]:
    metrics = report.comparison.metrics
    rates = {label for label, metric in metrics.items() if metric.percent}
    shown = replace(
        report,
        comparison=in_percent(report.comparison, rates) if rates else report.comparison,
        explanation=in_percent(report.explanation, rates) if rates else report.explanation,
    )
    yield "answer", "Answer", answer(shown)
    if len(report.comparison.systems) > 2 and data is not None:
        yield "pair", "A pair", '<div id="pair-of-systems"></div>'
    if data is not None:
        yield "segments", _words(report).rows.capitalize(), _segments(report, data)
    # Scores of 0 and 1 need no explanation by parts.
    explained = documents.get("explanation")
    if explained is not None and not all(metric.pass_fail for metric in metrics.values()):
        blocks = (block for block in explained.blocks if not isinstance(block, Notes))
        yield "explanation", "Explanation", blocks_of(blocks)
    if "agreement" in documents:
        blocks_of_agreement = blocks_of(documents["agreement"].blocks)
        yield "agreement", "Agreement with human raters", blocks_of_agreement
    yield "making", "How this was made", _making(report, documents["answer"], command)


def blocks_of(blocks: Iterable[Block]) -> str:
    """Render blocks as HTML; readers can fold what follows a heading, and each table."""
    parts, ending = [], ""
    for block in blocks:
        if isinstance(block, Heading):
            summary = f"<summary><h3>{text_of(block.text)}</h3></summary>"
            parts.append(f"{ending}<details open>{summary}")
            ending = "</details>"
        elif isinstance(block, Table):
            summary = f"<summary>{text_of(block.columns[0].heading)}</summary>"
            table = block_table(block, in_page=True)
            parts.append(f'<details open class="table">{summary}{table}</details>')
        else:
            parts.append(html.render_block(block))
    return "".join(parts) + ending


def _segments(report: Report, data: PageData) -> str:
    """Render the outcome buttons, the examples and the empty element of the browser."""
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
        f'<noscript><p class="note">The browser of {rows} needs JavaScript.</p></noscript>'
    )


def _examples(report: Report) -> str:
    """Render two examples for the winner and one for the other system, with their texts.

    With more than two systems, scripts hide the examples: readers choose other pairs.
    """
    explanation, texts = report.explanation, _texts(report)
    if explanation is None or texts is None:
        return ""
    pair, parts = explanation.pairs[0], []
    label, a, b = pair.comparison.metric, pair.comparison.a, pair.comparison.b
    sign = -1 if report.comparison.metrics[label].higher_is_better is False else 1
    columns = [("Reference", text) for text in texts.references[:1]]
    columns += [(name, texts.systems[name]) for name in (a, b)]
    for index in example_segments(pair, [text for _, text in columns]):
        contribution = sign * pair.segments[index]
        shown = "".join(
            f'<p class="who">{name_of(name)}</p><p class="text" dir="auto">'
            f"{text_of(shortened(str(text[index]), LONGEST_EXAMPLE))}</p>"
            for name, text in columns
        )
        winner = name_of(a if contribution > 0 else b)
        parts.append(
            f'<article class="example"><h3><a href="#segment={index + 1}">Segment {index + 1}</a> '
            f"<small>{abs(contribution):.3f} {text_of(label)} for {winner}</small></h3>{shown}"
            "</article>"
        )
    look = "examples of-many" if len(report.comparison.systems) > 2 else "examples"
    return f'<div class="{look}">{"".join(parts)}</div>'


def example_segments(pair: PairExplanation, texts: Sequence[TextLike]) -> list[int]:
    """Return two segments that contribute most for the winner, and one for the other system.

    Segments with short texts are preferred.
    """
    ahead, chosen = 1 if sum(pair.segments) > 0 else -1, []
    for side, count in ((ahead, 2), (-ahead, 1)):
        values = {i: side * value for i, value in enumerate(pair.segments) if side * value > 0}
        largest = sorted(values, key=lambda index: -values[index])[:MOST_LOOKED_AT]
        lengths = {index: max(len(str(text[index])) for text in texts) for index in largest}
        short = [index for index in largest if lengths[index] <= LONGEST_EXAMPLE]
        chosen += (short if len(short) >= count else largest)[:count]
    return chosen


def _making(report: Report, compared: Document, command: str | None) -> str:
    """Render the warnings, the command, the methods and the table for papers."""
    warnings = "".join(f"<li>{text_of(w.message)}</li>" for w in report.comparison.warnings)
    table = next(block for block in compared.blocks if isinstance(block, Table))
    source = "\n".join(map(text_of, latex.render(Document((table,), table)).splitlines()))
    return "".join(
        (
            f"<h3>Warnings about the texts</h3><ul>{warnings}</ul>" if warnings else "",
            shown_command(command),
            *(html.render_block(block) for block in compared.blocks if isinstance(block, Notes)),
            f"<h3>Table for papers</h3><pre>{source}</pre>"
            '<p><button type="button" id="download" hidden>Download the JSON</button></p>',
        )
    )


def shown_command(command: str | None) -> str:
    """Render the command that made a page, without the names of folders."""
    return "" if command is None else f"<pre>{text_of(FOLDERS.sub('', command))}</pre>"


def _texts(report: Report) -> TestSet | None:
    """Return the texts of a report, or None."""
    return None if report.segments is None else report.segments.counts.texts
