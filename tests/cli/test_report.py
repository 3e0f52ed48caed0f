"""``truebleu report`` as people call it."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from gzip import decompress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import answer, refuses, run
from tests.simulated_causes import simulate_causes
from truebleu.simulation import save_test_set

TEXTS = ["-r", "reference-1.txt", "runaway.txt", "baseline.txt"]
QUICK = ["--replicates", "200"]


def save(folder: Path) -> None:
    save_test_set(simulate_causes(segments=60), folder)


@pytest.fixture(autouse=True)
def folder(texts_folder: Path) -> Path:
    return texts_folder


def block(path: str, name: str) -> Any:
    """What is in a block of data of a page."""
    page = Path(path).read_text(encoding="utf-8")
    match = re.search(f'id="data-{name}">([^<]*)</script>', page)
    assert match is not None
    return json.loads(decompress(b64decode(match[1])))


def test_the_page_has_the_same_numbers_as_compare_and_explain() -> None:
    result = run("report", *TEXTS, *QUICK, "-o", "two.html")
    assert (result.code, result.out, result.err) == (0, "", "wrote two.html\n")
    made = block("two.html", "result")
    assert made["comparisons"] == answer("compare", *TEXTS, *QUICK)["comparisons"]
    assert made["explanations"] == answer("explain", *TEXTS, *QUICK)["explanations"]


def test_a_file_is_overwritten_only_by_force_and_never_an_input() -> None:
    Path("old.html").write_text("old", encoding="utf-8")
    refuses("old.html", "report", *TEXTS, *QUICK, "-o", "old.html")
    assert Path("old.html").read_text(encoding="utf-8") == "old"
    assert run("report", *TEXTS, *QUICK, "-q", "-o", "old.html", "--force").err == ""
    refuses("input", "report", *TEXTS, *QUICK, "--force", "-o", "baseline.txt")


def test_a_repeated_report_has_equal_bytes() -> None:
    pages = []
    for _ in range(2):
        run("report", *TEXTS, *QUICK, "-o", "same.html", "--force")
        pages.append(Path("same.html").read_bytes())
    assert pages[0] == pages[1]


def test_saved_statistics_make_a_report_without_texts() -> None:
    for name in ("runaway", "baseline"):
        texts = ["-r", "reference-1.txt", "--documents", "documents.tsv", f"{name}.txt"]
        run("score", *texts, "--save", f"{name}.npz", "--force")
    saved = ["runaway.npz", "baseline.npz"]
    assert run("report", *saved, *QUICK, "-o", "saved.html", "--force").code == 0
    made = block("saved.html", "result")
    compared = answer("compare", *TEXTS, "--documents", "documents.tsv", *QUICK)
    assert made["comparisons"] == compared["comparisons"]
    assert not any(block("saved.html", "texts"))
    assert block("saved.html", "description")["fields"] == []
    refuses("-r FILE", "report", saved[0], "baseline.txt", "-o", "x.html")
    refuses("signature", "report", *saved, "-m", "chrf", "-o", "x.html")
    refuses("runaway", "report", saved[0], saved[0], "-o", "x.html")
    assert not Path("x.html").exists()


def test_the_report_holds_human_scores_by_segment() -> None:
    rows = [
        f"{system}\t{number}\t{(number * place) % 7}"
        for place, system in enumerate(("runaway", "baseline", "straight-quotes"), 1)
        for number in range(1, 61)
    ]
    Path("human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows]) + "\n", "utf-8")
    texts = [*TEXTS, "straight-quotes.txt", "--human", "human.tsv", "-m", "bleu,chrf"]
    assert run("report", *texts, *QUICK, "-o", "human.html").code == 0
    assert block("human.html", "description")["human"]["human.tsv"][0][:3] == [1, 2, 3]
    assert block("human.html", "result")["agreement"]["human"]["raters"] == 1
    refuses("--human", "report", *TEXTS, "--raters", "z", "-o", "y.html")


def test_texts_need_references_and_two_systems() -> None:
    refuses("-r FILE", "report", "runaway.txt", "baseline.txt", "-o", "z.html")
    refuses("two", "report", "-r", "reference-1.txt", "baseline.txt", "-o", "z.html")
