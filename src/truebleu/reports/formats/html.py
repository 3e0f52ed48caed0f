"""HTML without scripts, for notebooks and the report: everything escaped, nothing loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.reports.document import Heading, Notes, Sentences, Table
from truebleu.reports.drawing import block_table, sentence_of, text_of

if TYPE_CHECKING:
    from truebleu.reports.document import Block, Chart, Document, Renderable

# Rules for tables in notebooks, with the colours of the report's page; mixed with the colour of the
# text, they suit dark notebooks, too.
STYLE = """<style>
.truebleu .scroll { overflow-x: auto; }
.truebleu .number { text-align: right; }
.truebleu :is(.number, .name) { white-space: nowrap; }
.truebleu .words { text-align: left; }
.truebleu td.plot { min-width: min(12em, 20vw); padding: 0; }
.truebleu svg { display: block; overflow: visible; }
.truebleu svg text { font-size: 11px; fill: currentColor; }
.truebleu .hidden { display: none; }
.truebleu .rule > * { border-top: 1px solid; }
.truebleu .grid { stroke: currentColor; opacity: 0.15; }
.truebleu .zero { stroke: currentColor; opacity: 0.5; }
.truebleu :is(.interval, .dot) { stroke: currentColor; stroke-width: 2; fill: currentColor; }
.truebleu .none .dot { fill: var(--jp-layout-color0, Canvas); }
.truebleu .ahead * { color: #1f55a0; color: color-mix(in srgb, #2971d5 75%, currentColor); }
.truebleu .behind * { color: #a8410a; color: color-mix(in srgb, #e0570d 75%, currentColor); }
.truebleu svg :is(.grid, .zero) { color: inherit; }
.truebleu .flags { border-left: 3px solid #b07a1f; background: rgba(240, 180, 60, 0.15);
  padding: 0.1em 0.8em; }
</style>
"""


def render(document: Document, _result: Renderable | None = None) -> str:
    """Render the blocks as a fragment of a page, with flags after the first sentences."""
    parts = [part for block in document.blocks if (part := render_block(block))]
    if document.flags:
        lines = "".join(f"<p>{sentence_of(line)}</p>" for line in document.flags)
        is_text = bool(document.blocks) and isinstance(document.blocks[0], Sentences)
        parts.insert(int(is_text), f'<div class="flags">{lines}</div>')
    return f'<div class="truebleu">\n{STYLE}' + "\n".join(parts) + "\n</div>\n"


def render_block(block: Block) -> str:
    """Render one block; charts are left out unless they ask to be shown: tables have bars."""
    if isinstance(block, Heading):
        return f"<p><strong>{text_of(block.text)}</strong></p>"
    if isinstance(block, Table):
        return render_table(block)
    if isinstance(block, Sentences):
        return "".join(f"<p>{sentence_of(line)}</p>" for line in block.lines)
    if isinstance(block, Notes):
        return _notes(block.lines)
    return _picture(block) if block.in_html else ""


def _picture(chart: Chart) -> str:
    """Draw a chart within the page, as a picture that can run and load nothing."""
    from base64 import b64encode

    from truebleu.reports.charts import picture

    data = b64encode(picture(chart, ".svg")).decode()
    return f'<p><img src="data:image/svg+xml;base64,{data}" alt="{text_of(chart.title)}"></p>'


def render_table(table: Table) -> str:
    """Render a table with its notes."""
    return block_table(table) + _notes(table.notes)


def _notes(lines: tuple[str, ...]) -> str:
    return "".join(f"<p><code>{text_of(line)}</code></p>" for line in lines)
