"""The page as a file: what is in it, how much, and its charts as plain SVG."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import replace
from gzip import decompress
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from tests.simulated_causes import simulate_causes
from truebleu.corpus import read_test_set
from truebleu.explanation.report import report
from truebleu.reports.page import html_page

if TYPE_CHECKING:
    from pathlib import Path


MADE = report(simulate_causes(segments=60), replicates=200)
PAGE = html_page(MADE, command="truebleu report --title '<i>&'")


def test_the_policy_names_the_only_script_and_the_only_style() -> None:
    policy = re.search('Content-Security-Policy" content="([^"]*)"', PAGE)
    assert policy is not None
    for tag, more in (("script", " 'wasm-unsafe-eval';"), ("style", ";")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", PAGE, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'{more}" in policy[1]
    assert "connect-src 'none'" in policy[1]
    assert policy[1].count("unsafe") == 1
    # Nothing that a policy would have to allow, and nothing from elsewhere.
    assert not re.search(r"<[^>]+ (style|on\w+)=", PAGE)
    assert not re.search(r"""(src|href)=["'](?!#|data:,)""", PAGE)


def test_the_page_says_how_it_was_made() -> None:
    assert "truebleu report --title &#x27;&lt;i&gt;&amp;&#x27;" in PAGE
    for metric in MADE.comparison.metrics.values():
        assert str(metric.signature) in PAGE


@pytest.mark.slow
def test_a_thousand_segments_of_five_systems_take_little_more_than_a_megabyte(shared: Path) -> None:
    data = shared / "data" / "wmt24-en-es"
    names = ("GPT-4", "Gemini-1.5-Pro", "Llama3-70B", "Claude-3.5", "ONLINE-B")
    texts = read_test_set(
        [str(data / "sys" / f"{name}.txt") for name in names],
        [str(data / "refA.txt")],
        source=str(data / "src.txt"),
        documents=str(data / "docs.tsv"),
    )
    page = html_page(report(texts, metrics=["bleu", "chrf"], replicates=500))
    # A quarter of a megabyte of it is the core.
    assert len(page.encode()) < 1_250_000
    assert "segments are in this page" not in page


def test_the_answer_comes_first_and_names_no_folders() -> None:
    causes = simulate_causes(segments=60)
    systems = {name: causes.systems[name] for name in ("weak-in-sport", "baseline")}
    made = report(replace(causes, systems=systems), metrics=["bleu", "ter"], replicates=200)
    page = html_page(made, command="truebleu report -r /home/me/data/ref.txt -o '/tmp/x y/r.html'")
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert titles == ["Segments", "Explanation", "How this was made"]
    (headline,) = re.findall("<h1>(.*?)</h1>", page)
    assert "BLEU" in headline
    assert "For information: by TER" in page
    assert page.count('<article class="example">') == 3
    assert "/home/" not in page
    assert "<code>None</code>" not in page


def test_the_downloaded_json_names_no_folders(tmp_path: Path) -> None:
    for name, text in {"ref": "a b c\nd e\n", "one": "a b c\n\n", "two": "a c\nd e\n"}.items():
        (tmp_path / f"{name}.txt").write_text(text * 6, encoding="utf-8")
    paths = [str(tmp_path / f"{name}.txt") for name in ("one", "two", "ref")]
    made = report(read_test_set(paths[:2], paths[2:]), replicates=100)
    assert made.comparison.warnings
    page = html_page(made, command="truebleu report C:\\Users\\me\\x.txt")
    (data,) = re.findall('id="data-result">([^<]*)<', page)
    result = decompress(b64decode(data)).decode()
    assert "one.txt" in result
    assert str(tmp_path) not in result
    assert str(tmp_path) not in page
    assert "Users" not in page
