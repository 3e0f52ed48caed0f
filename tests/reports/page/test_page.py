"""The page as a file: what is in it, how much, and its charts as plain SVG."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING
from xml.etree.ElementTree import fromstring

import pytest

from truebleu.corpus import read_test_set
from truebleu.explanation.report import report
from truebleu.reports.document import Chart, Column, Plot, Table
from truebleu.reports.page import html_page, svg
from truebleu.simulation import simulate_causes

if TYPE_CHECKING:
    from pathlib import Path


MADE = report(simulate_causes(segments=60), replicates=200)
PAGE = html_page(MADE, command="truebleu report --title '<i>&'")


def test_the_policy_names_the_only_script_and_the_only_style() -> None:
    policy = re.search('Content-Security-Policy" content="([^"]*)"', PAGE)
    assert policy is not None
    for tag in ("script", "style"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", PAGE, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert "connect-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    # Nothing that a policy would have to allow, and nothing from elsewhere.
    assert not re.search(r"<[^>]+ (style|on\w+)=", PAGE)
    assert not re.search(r"""(src|href)=["'](?!#|data:,)""", PAGE)


def test_the_page_says_how_it_was_made() -> None:
    assert "truebleu report --title &#x27;&lt;i&gt;&amp;&#x27;" in PAGE
    assert MADE.segments is not None
    assert MADE.segments.test_set.fingerprint in PAGE
    for metric in MADE.comparison.metrics.values():
        assert str(metric.signature) in PAGE


@pytest.mark.slow
def test_a_thousand_segments_of_five_systems_take_less_than_a_megabyte(shared: Path) -> None:
    data = shared / "data" / "wmt24-en-es"
    names = ("GPT-4", "Gemini-1.5-Pro", "Llama3-70B", "Claude-3.5", "ONLINE-B")
    texts = read_test_set(
        [str(data / "sys" / f"{name}.txt") for name in names],
        [str(data / "refA.txt")],
        source=str(data / "src.txt"),
        documents=str(data / "docs.tsv"),
    )
    page = html_page(report(texts, metrics=["bleu", "chrf"], replicates=500))
    assert len(page.encode()) < 1_000_000
    assert "segments are in this page" not in page


# Charts.


COLUMNS = tuple(Column(name, name.upper()) for name in ("x", "y", "low", "high", "kind"))


def drawn(rows: list[dict[str, str | float]], **plot: object) -> str:
    plan = Plot(x="x", y="y", **plot)  # type: ignore[arg-type]
    return svg(Chart(title="<b>&", table=Table(COLUMNS, tuple(rows)), plot=plan))


def marks(figure: str, tag: str) -> list[dict[str, str]]:
    return [node.attrib for node in fromstring(figure).iter(tag)]  # noqa: S314  # our own text


def test_bars_begin_at_zero_and_end_at_their_value() -> None:
    figure = drawn([{"x": "a", "y": 2.0}, {"x": "b", "y": -1.0}], mark="bar")
    first, second = marks(figure, "rect")
    assert float(first["width"]) == pytest.approx(2 * float(second["width"]), rel=0.01)
    # The second ends where the first begins.
    assert float(second["x"]) + float(second["width"]) == pytest.approx(float(first["x"]), abs=0.2)
    assert "−1" in figure


def test_names_are_escaped_and_long_ones_cut() -> None:
    figure = drawn([{"x": "</svg><script>" + "n" * 99, "y": 1.0}], mark="point")
    assert "<script>" not in figure
    assert "<b>" not in figure
    assert "n" * 40 not in figure
    fromstring(figure)  # noqa: S314


def test_kinds_of_points_differ_in_shape() -> None:
    rows: list[dict[str, str | float]] = [
        {"x": str(n), "y": float(n), "kind": kind} for n, kind in enumerate("pqrs")
    ]
    figure = drawn(rows, mark="point", series="kind")
    assert len(marks(figure, "circle")) == 2
    assert len(marks(figure, "rect")) == 1
    assert "● p · ◆ q · ○ r · ■ s" in figure


def test_numbers_against_numbers_are_a_line() -> None:
    figure = drawn([{"x": 0, "y": 0.0}, {"x": 10, "y": 3.0}], mark="line", reference=2.0)
    (line,) = [mark for mark in marks(figure, "path") if mark["class"] == "line"]
    assert line["d"].count("L") == 1
    assert any(mark["class"] == "reference" for mark in marks(figure, "path"))


def test_what_cannot_be_read_is_not_drawn() -> None:
    assert drawn([], mark="bar") == ""
    assert drawn([{"x": n, "y": 1.0} for n in range(3000)], mark="point") == ""
    assert drawn([{"x": "a", "y": "none"}], mark="bar") == ""
