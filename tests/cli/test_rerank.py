"""``truebleu rerank`` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.n_best_lists import run, write_eight_lists


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
    assert "Against the first candidates" in result.stdout


@pytest.mark.parametrize("model", ["log-linear", "noisy-channel", "quality"])
def test_models_choose(model: str) -> None:
    by = {"log-linear": (), "noisy-channel": ("--by", "LM0", "--by", "TM0")}
    columns = by.get(model, ("--by", "TM0"))
    options = ("-r", "ref", "--replicates", "100", "--format", "json")
    result = run("rerank", "lists", "--model", model, *columns, *options)
    values = json.loads(result.stdout)
    assert values["indices"] == [1] * 8


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--weights", "weights.tsv", "--folds", "2"), "trained"),
        (("--model", "log-linear", "--train", "lists"), "--train-reference"),
        (("--weights", "weights.tsv", "--gamma", "1"), "gamma"),
    ],
)
def test_options_that_do_nothing_are_refused(options: tuple[str, ...], reason: str) -> None:
    result = run("rerank", "lists", "-r", "ref", *options)
    assert result.exit_code != 0
    assert reason in str(result.exception)
