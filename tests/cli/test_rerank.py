"""``truebleu rerank`` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.n_best_lists import refusal, run, write_eight_lists


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_eight_lists("LM0= -1 TM0= -9", "LM0= -2 TM0= -1")
    Path("weights.tsv").write_text("TM0\t1\n")


def test_weights_from_a_file_choose() -> None:
    options = ("--weights", "weights.tsv", "-o", "best.txt", "-r", "ref", "--replicates", "100")
    result = run("rerank", "lists", *options)
    assert result.exit_code == 0, result.output
    assert Path("best.txt").read_text() == "the cat sat here\n" * 8
    answer, *_ = result.stdout.splitlines()
    assert answer.startswith("By BLEU the chosen candidates are better than the first ones: +")


@pytest.mark.parametrize(
    ("model", "columns"), [("log-linear", ()), ("quality", ("--quality", "TM0"))]
)
def test_models_choose(model: str, columns: tuple[str, ...]) -> None:
    options = ("-r", "ref", "--replicates", "100", "--format", "json")
    values = json.loads(run("rerank", "lists", *columns, *options).stdout)
    assert values["model"] == model
    assert values["indices"] == [1] * 8


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--weights", "weights.tsv", "--folds", "2"), "--folds has no effect"),
        (("--train-reference", "ref"), "requires --train-lists"),
        (("--weights", "weights.tsv", "--gamma", "1"), "--gamma has no effect"),
    ],
)
def test_options_that_do_nothing_are_refused(options: tuple[str, ...], reason: str) -> None:
    assert reason in refusal("rerank", "lists", "-r", "ref", *options)
