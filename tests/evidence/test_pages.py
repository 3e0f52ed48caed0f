"""Pages of evidence: what they hold, and that there is one for every study."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evidence.__main__ import DOCS, NAMES, main
from evidence.defaults import Rates, Row
from evidence.page import Page, Section
from truebleu.cli.study import STUDIES
from truebleu.reports.document import Column, Plot, Table
from truebleu.reports.studies._shared import study_document

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.reports.document import Document


class Example:
    """What pages need of a result."""

    def to_document(self) -> Document:
        columns = (Column("size", "Size"), Column("width", "Width", 2))
        table = Table(columns, ({"size": 100, "width": 8.4}, {"size": 400, "width": 4.2}))
        plot = Plot(mark="line", x="size", y="width")
        return study_document("Width against size", table, ["Doubling narrows by 29 %."], plot)


def test_a_page_holds_the_answer_the_table_the_chart_the_paper_and_the_verdict(
    tmp_path: Path,
) -> None:
    section = Section(
        heading="On some data",
        command="truebleu study example -r ref.txt sys/",
        result=Example(),
        paper="Table 7: 8.5 and 4.1.",
        verdict="They agree.",
    )
    page = Page(
        name="example",
        title="How wide?",
        introduction="The paper measured widths.",
        summary="As wide as theirs.",
        sections=(section,),
    )
    page.write(tmp_path)
    text = (tmp_path / "example.md").read_text(encoding="utf-8")
    assert text.startswith("# How wide?\n")
    for part in (
        "**Answer.** As wide as theirs.",
        "$ truebleu study example -r ref.txt sys/",
        "| 100 | 8.40 |",
        "([all figures](tables/example-1.tsv))",
        "![Width against size](charts/example-1.svg)",
        "Table 7: 8.5 and 4.1.",
        "**Verdict.** They agree.",
    ):
        assert part in text
    assert "Doubling narrows" in (tmp_path / "tables" / "example-1.tsv").read_text(encoding="utf-8")
    assert "Width" in (tmp_path / "charts" / "example-1.svg").read_text(encoding="utf-8")


def test_every_study_has_its_page_and_every_page_its_charts() -> None:
    assert list(NAMES) == list(STUDIES)
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        assert f"({name}.md)" in index
        assert text.count("**Answer.**") == 1
        assert text.count("**Verdict.**") == text.count("\n## ")
        charts = re.findall(r"\((charts/[^)]+)\)", text)
        assert charts
        assert all((DOCS / chart).is_file() for chart in charts)


def test_an_unknown_study_is_refused_before_any_is_run() -> None:
    with pytest.raises(SystemExit, match="unknown study: coverrage"):
        main(["coverrage"])


@pytest.mark.parametrize(
    ("expected", "rate", "holds"),
    [
        (0.05, 0.06, True),
        (0.05, 0.10, False),
        (0.05, 0.01, True),  # fewer false alarms than promised
        (0.95, 0.90, False),
        (0.95, 0.99, True),  # more coverage than promised
    ],
)
def test_a_rate_holds_within_its_error_or_on_the_safe_side(
    expected: float, rate: float, holds: bool
) -> None:
    row = Row(default="test", design="null", expected=expected, rate=rate, trials=400)
    assert row.holds is holds


def test_the_page_of_defaults_lists_what_is_neither_held_nor_printed(tmp_path: Path) -> None:
    held = Row(default="test", design="null", expected=0.05, rate=0.05, trials=400)
    warned = Row(
        default="interval", design="20", expected=0.95, rate=0.8, trials=400, share_warned=0.95
    )
    silent = Row(
        default="interval", design="60", expected=0.95, rate=0.8, trials=400, share_warned=0.5
    )
    Rates((held, warned, silent)).write(tmp_path)
    page = (tmp_path / "defaults.md").read_text(encoding="utf-8")
    assert "1 of 3 rates are within their error" in page
    assert "of the others, 1 are warned of and 1 are not" in page
