"""Pages of evidence: what they hold, and that there is one for every study."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evidence.__main__ import DOCS, NAMES, main, write_page
from evidence.page import Page, Section
from truebleu.cli.study import STUDIES
from truebleu.reports.document import Column, Plot, Table, charted_document

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.reports.document import Document


class Example:
    """What pages need of a result."""

    def to_document(self) -> Document:
        columns = (Column("size", "Size"), Column("width", "Width", 2))
        table = Table(columns, ({"size": 100, "width": 8.4}, {"size": 400, "width": 4.2}))
        plot = Plot("line", "size", "width")
        return charted_document("Width against size", table, ["Doubling narrows by 29 %."], plot)


def example_page(name: str) -> Page:
    section = Section(
        heading="On some data",
        command="truebleu study example -r ref.txt sys/",
        result=Example(),
        paper="Table 7: 8.5 and 4.1.",
        verdict="They agree.",
    )
    return Page(
        name=name,
        title="How wide?",
        introduction="The paper measured widths.",
        summary="As wide as theirs.",
        sections=(section,),
    )


def test_a_page_holds_the_answer_the_table_the_chart_the_paper_and_the_verdict(
    tmp_path: Path,
) -> None:
    example_page("example").write(tmp_path)
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
    # The page of type-one shows these, too.
    without = [name for name in STUDIES if name not in ("multiplicity", "equivalents")]
    # Tuning with a decoder is the study of tuning, too.
    assert [name for name in NAMES if name != "tuning-decoder"] == without
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


def test_a_failing_page_stays_unchanged_and_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> Page:
        raise ValueError("no such pool")

    monkeypatch.setattr("evidence.power.page", fail)
    monkeypatch.setattr("evidence.length.page", lambda: example_page("length"))
    (tmp_path / "power.md").write_text("as it was", encoding="utf-8")
    assert not write_page("power", tmp_path)
    assert write_page("length", tmp_path)
    assert (tmp_path / "power.md").read_text(encoding="utf-8") == "as it was"
    assert (tmp_path / "length.md").is_file()
    assert "no such pool" in capsys.readouterr().err
