"""Saved counts on the command line: in place of texts, and beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli import shell
from tests.cli.texts import save_channels

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["a.txt", "b.txt", "-r", "reference-1.txt"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_channels(tmp_path, 60, {"a": 0.1, "b": 0.2})
    monkeypatch.chdir(tmp_path)
    run("score", *TEXTS, "-m", "bleu,chrf", "--save", "both.npz")
    run("score", *TEXTS[1:], "-m", "bleu", "--save", "b.npz")
    return tmp_path


def run(*arguments: str) -> str:
    result = shell.run(*arguments, "-q")
    assert result.code == 0, result.err
    return result.out


def refusal(*arguments: str) -> str:
    result = shell.run(*arguments)
    assert (result.code, result.out) == (2, "")
    return result.err


def comparisons(*arguments: str) -> object:
    return json.loads(run("compare", *arguments, "--replicates", "500", "-f", "json"))["systems"]


def test_files_need_no_references_and_give_the_same_numbers() -> None:
    assert comparisons("both.npz") == comparisons(*TEXTS, "-m", "bleu,chrf")
    assert comparisons("both.npz", "-m", "bleu") == comparisons(*TEXTS)


def test_texts_are_counted_next_to_saved_counts() -> None:
    both = ["a.txt", "b.npz", "-r", "reference-1.txt"]
    assert comparisons(*both) == comparisons(*TEXTS)
    assert "no reference given" in refusal("compare", *both[:2])


def test_files_can_be_planned_explained_and_gated() -> None:
    assert "segments" in run("plan", "both.npz", "--replicates", "100")
    assert "chrF2" in run("explain", "both.npz", "-m", "chrf", "--replicates", "200")
    run("score", "a.txt", "-r", "reference-1.txt", "--save", "a.npz")
    assert run("gate", "a.npz", "--baseline", "b.npz").startswith("pass")


def test_other_references_and_labels_are_refused() -> None:
    other = ["a.txt", "b.npz", "-r", "b.txt"]
    assert "text of the references" in refusal("compare", *other)
    assert "documents a.txt needs texts" in refusal("compare", "both.npz", "--documents", "a.txt")
    assert "a file of one system, not 2" in refusal("compare", "x=both.npz")
