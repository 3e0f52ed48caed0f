"""Pages of evidence: an answer, the paper's figures, ours, a chart and a verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from truebleu.reports.charts import save_chart
from truebleu.reports.document import Document, Heading, Table
from truebleu.reports.formats.machine_readable import render_tsv as tsv
from truebleu.reports.formats.markdown import render as markdown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from truebleu.reports.document import Chart

CHARTS, TABLES = "charts", "tables"
# Line width of prose, as on all pages.
WIDTH = 100
# First characters of tables, code, headings and pictures, which are not wrapped.
NO_PROSE = ("|", "```", "#", "![", "$")
# Longer tables are only in the TSV file.
MOST_ROWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One run of a study.

    Attributes:
        heading: study and data.
        command: command line with this result.
        result: result of the study.
        verdict: sentence about agreement with the paper, made of the numbers.
        paper: figures of the paper, in Markdown; "" if the section adds to another.
        chart: True if the page shows the chart.
        table: short table for the page. Default: the result's own, unless it is long.
    """

    heading: str
    command: str
    result: Any
    verdict: str
    paper: str = ""
    chart: bool = True
    table: Table | None = None

    def shown(self, document: Document) -> Table | None:
        """Return the table to show on the page, if any."""
        if self.table is not None:
            return self.table
        tables = [block for block in document.blocks if isinstance(block, Table)]
        return tables[0] if tables and len(tables[0].rows) <= MOST_ROWS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page of one study.

    Attributes:
        name: name of the study and the file.
        title: question that the page answers.
        introduction: methods of the paper and of this page.
        summary: answer in a sentence, which the index repeats.
        sections: runs of the study.
    """

    name: str
    title: str
    introduction: str
    summary: str
    sections: tuple[Section, ...]

    def write(self, folder: Path) -> None:
        """Write the page, its charts and its tables."""
        for name in (CHARTS, TABLES):
            (folder / name).mkdir(parents=True, exist_ok=True)
        parts = [f"# {self.title}", f"**Answer.** {self.summary}", self.introduction.strip()]
        for number, section in enumerate(self.sections, 1):
            parts += self._section(section, number, folder)
        parts.append("Made by `make evidence`; figures and sentences come from the run itself.")
        (folder / f"{self.name}.md").write_text(page_text(parts), encoding="utf-8")

    def _section(self, section: Section, number: int, folder: Path) -> list[str]:
        document = section.result.to_document()
        headings = [block.text for block in document.blocks if isinstance(block, Heading)]
        title = headings[0] if headings else document.charts[0].title
        parts = [f"## {section.heading}", f"```text\n$ {section.command}\n```"]
        if section.paper:
            parts += ["**In the paper.**", section.paper.strip()]
        file = f"{TABLES}/{self.name}-{number}.tsv"
        (folder / file).write_text(tsv(document), encoding="utf-8")
        here = f"**Here.** {title} ([all figures]({file})):"
        table = section.shown(document)
        if table is None:
            parts.append(f"{here.removesuffix(':')}.")
        else:
            parts += [here, markdown(Document((table,), table)).rstrip()]
        parts.append(f"**Verdict.** {section.verdict}")
        if section.chart:
            parts.append(self._chart(document.charts[0], number, folder))
        return parts

    def _chart(self, chart: Chart, number: int, folder: Path) -> str:
        path = folder / CHARTS / f"{self.name}-{number}.svg"
        save_chart(chart, path, overwrite=True)
        return f"![{chart.title}]({CHARTS}/{path.name})"


def page_text(parts: Iterable[str]) -> str:
    """Join paragraphs to a page and wrap prose."""
    paragraphs = (paragraph for part in parts for paragraph in _paragraphs(part))
    return "\n\n".join(paragraphs) + "\n"


def _paragraphs(part: str) -> list[str]:
    if part.startswith("```"):
        return [part]
    return [
        paragraph if paragraph.startswith(NO_PROSE) else _wrapped(paragraph)
        for paragraph in part.split("\n\n")
    ]


def _wrapped(paragraph: str) -> str:
    """Wrap a paragraph, or each item of a list."""
    is_list = paragraph.startswith("- ")
    return "\n".join(
        fill(
            " ".join(item.split()),
            WIDTH,
            subsequent_indent="  " if is_list else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in (re.split(r"\n(?=- )", paragraph) if is_list else [paragraph])
    )
