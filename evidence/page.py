"""A page of evidence: studies with their tables and charts, the paper's figures, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.reports.charts import save_chart
from truebleu.reports.exhibit import render_exhibit

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.exhibits import Exhibit

CHARTS = "charts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One run of a study.

    Attributes:
        heading: what was run, on which data.
        command: the command line that gives the same result.
        exhibit: the result.
        verdict: agreement with the paper or difference, in a sentence made of the numbers.
        paper: the paper's figures beside it, in Markdown; "" where a section adds to another.
        chart: whether the page shows its chart.
    """

    heading: str
    command: str
    exhibit: Exhibit
    verdict: str
    paper: str = ""
    chart: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The page of one study.

    Attributes:
        name: the study's name, and the file's.
        title: the question that the page answers.
        introduction: what the paper did and what was done here.
        summary: the answer in a sentence, which the list of pages repeats.
        sections: the runs.
    """

    name: str
    title: str
    introduction: str
    summary: str
    sections: tuple[Section, ...]

    def write(self, folder: Path) -> None:
        """Write the page and its charts."""
        parts = [f"# {self.title}", self.introduction.strip(), f"**Answer.** {self.summary}"]
        for number, section in enumerate(self.sections, 1):
            parts += [f"## {section.heading}", f"```text\n$ {section.command}\n```"]
            parts.append(render_exhibit(section.exhibit, "markdown").rstrip())
            if section.chart:
                parts.append(self._chart(section, number, folder))
            if section.paper:
                parts += ["**In the paper.**", section.paper.strip()]
            parts.append(f"**Verdict.** {section.verdict}")
        parts.append("Made by `make evidence`; figures and sentences come from the run itself.")
        (folder / f"{self.name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")

    def _chart(self, section: Section, number: int, folder: Path) -> str:
        path = folder / CHARTS / f"{self.name}-{number}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_chart(section.exhibit, path, overwrite=True)
        return f"![{section.exhibit.title}]({CHARTS}/{path.name})"
