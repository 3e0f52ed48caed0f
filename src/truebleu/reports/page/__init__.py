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
from truebleu.corpus.test_set import fingerprint
from truebleu.reports.document import Chart, Document, Heading, Notes, Sentences, Table, one_line
from truebleu.reports.explain import largest_segments_table
from truebleu.reports.formats import html
from truebleu.reports.formats.json import render as render_json
from truebleu.reports.page._data import PageData, data_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truebleu.explanation.report import Report
    from truebleu.reports.document import Block


__all__ = ["html_page", "save_page"]

# The script, in reading order; each file is an idea.
SCRIPTS = ("core.js", "store.js", "marks.js", "browser.js")
# A page holds 20,000 segments of 4 systems, or fewer of more systems; of a larger set, a sample.
MOST_OUTPUTS = 80_000
# Names in a title.
TITLE_SYSTEMS = 3

POLICY = (
    "default-src 'none'; script-src '{script}' 'wasm-unsafe-eval'; style-src '{style}'; "
    "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
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
    script = "\n".join(map(_asset, SCRIPTS))
    data = None if report.segments is None else PageData.of(report, most_outputs)
    documents = _documents(report)
    blocks = [data_block("result", render_json(_joined(documents), report).encode())]
    if data is not None:
        blocks += data.blocks()
    sections = [*_sections(report, documents, data, command)]
    body = "\n".join(
        f'<section id="{name}" aria-labelledby="{name}-title">\n'
        f'<h2 id="{name}-title">{escape(title)}</h2>\n{content}\n</section>'
        for name, title, content in sections
    )
    body, rules = _without_styles(body)
    style = _asset("page.css") + rules
    parts = {
        "policy": POLICY.format(script=_hash(script), style=_hash(style)),
        "version": escape(VERSION),
        "title": _text(_title(report)),
        "style": style,
        "facts": _text(_facts(report)),
        "navigation": "".join(
            f'<a href="#{name}">{escape(title)}</a> ' for name, title, _ in sections
        ),
        "sections": body,
        "data": "\n".join(blocks),
        "script": script,
    }
    # In one pass: what is put in is not looked at again.
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _without_styles(body: str) -> tuple[str, str]:
    """Elements with classes instead of styles of their own, and the rules of these classes.

    The page's policy allows no style but one sheet, which is known by its hash.
    """
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return f' class="{names.setdefault(match[1], f"s{len(names)}")}"'

    body = re.sub(r' style="([^"]*)"', name, body)
    return body, "".join(f".{name} {{ {rule} }}\n" for rule, name in names.items())


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
    return "".join(parts)


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
        if not heading:
            parts.append(_blocks(kept) if heading is None else _folded(kept))
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
        else:
            if not groups:  # of a single pair there is no heading
                groups.append(("", []))
            groups[-1][1].append(block)
    return [*groups, (None, [Notes(tuple(notes))])]


def _blocks(blocks: Iterable[Block]) -> str:
    return "\n".join(html.render_block(block, styled=False) for block in blocks)


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
