"""The four papers redone as whole pages, by study paper."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.data import DATA, pooled, read_set, system_lists
from evidence.page import CHARTS, page_text
from truebleu.execution import Processes
from truebleu.execution.journal import Runner
from truebleu.human import read_human
from truebleu.reports.charts import save_chart
from truebleu.reports.document import Chart, Document, Heading, Table
from truebleu.reports.formats.markdown import render as markdown
from truebleu.reports.papers import section_blocks
from truebleu.studies.paper import study_paper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from truebleu.studies.paper import PaperResult

JOURNALS = Path(__file__).parent / "journal"


def _koehn() -> dict[str, Any]:
    return {"test_set": pooled()}


def _nothing() -> dict[str, Any]:
    return {}


def _zhang_vogel() -> dict[str, Any]:
    return {"test_set": read_set("four-references", "ref0", "ref1", "ref2", "ref3")}


def _chen_cherry() -> dict[str, Any]:
    test_set = read_set("wmt21-en-de")
    human = read_human(str(DATA / "wmt21-en-de" / "human-mqm.tsv"), test_set)
    judged = {name: test_set.systems[name] for name in test_set.systems if name in human.systems}
    return {"test_set": replace(test_set, systems=judged), "human": human}


def _riezler_maxwell() -> dict[str, Any]:
    lists, _ = system_lists("wmt23-zh-en")
    return {"test_set": read_set("wmt23-zh-en"), "lists": lists}


#: Each page: the paper, its data in words, and a function that reads them.
PAGES: Mapping[str, tuple[str, str, Callable[[], dict[str, Any]]]] = {
    "paper-koehn2004": (
        "koehn2004",
        "nine systems on WMT23's Hebrew-English and Chinese-English sets, 3,886 segments",
        _koehn,
    ),
    "paper-koehn2004-simulated": (
        "koehn2004",
        "seven simulated systems on 15,000 segments in topics of 300, of which Koehn's disjoint "
        "samples of 3,000 can be drawn",
        dict,
    ),
    "paper-zhang-vogel2004": (
        "zhang-vogel2004",
        "four systems on 1,357 segments with four references",
        _zhang_vogel,
    ),
    "paper-riezler-maxwell2005": (
        "riezler-maxwell2005",
        "lists of the 15 systems of WMT23 Chinese-English, 1,976 segments",
        _riezler_maxwell,
    ),
    "paper-chen-cherry2014": (
        "chen-cherry2014",
        "the systems of WMT21 English-German that MQM raters judged, and lists of the simulated "
        "decoder",
        _chen_cherry,
    ),
}


@dataclass(frozen=True, slots=True)
class PaperPage:
    """The page of one paper.

    Attributes:
        name: name of the file.
        data: the data in words.
        result: the redone paper.
    """

    name: str
    data: str
    result: PaperResult

    def write(self, folder: Path) -> None:
        """Write the page and its charts."""
        result = self.result
        redone = sum(section.reason is None for section in result.sections)
        parts = [
            f"# {result.title}",
            f"**Answer.** {redone} of the {len(result.sections)} sections are redone, on "
            f"{self.data}.",
            f"Every table and figure that the data allow, with the paper's own numbers: the output "
            f"of `truebleu study paper {result.paper}`, whose `-o {result.paper}.html` has the "
            "charts, too.",
            *([" ".join(result.notes)] if result.notes else []),
        ]
        for number, section in enumerate(result.sections, 1):
            for block in section_blocks(section.declared, section.result, section.reason):
                if isinstance(block, Heading):
                    parts.append(f"## {block.text}")
                elif isinstance(block, Chart):
                    path = folder / CHARTS / f"{self.name}-{number}.svg"
                    save_chart(block, path, overwrite=True)
                    parts.append(f"![{block.title}]({CHARTS}/{path.name})")
                else:
                    table = block if isinstance(block, Table) else Table((), ())
                    parts.append(markdown(Document((block,), table)).strip())
        parts.append("Made by `make evidence`; figures and sentences come from the run itself.")
        text = re.sub(r"\n{3,}", "\n\n", page_text(parts))
        (folder / f"{self.name}.md").write_text(text, encoding="utf-8")


def page(name: str) -> PaperPage:
    """Redo a paper and make its page; a journal keeps the results of its studies."""
    paper, data, read = PAGES[name]
    JOURNALS.mkdir(exist_ok=True)
    runner = Runner(JOURNALS / f"{name}.jsonl", executor=Processes(2))
    return PaperPage(name, data, study_paper(paper, **read(), runner=runner))
