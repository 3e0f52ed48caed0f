"""``truebleu tune`` as people call it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.n_best_lists import refusal, run, write_eight_lists


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_eight_lists("LM0= -1 TM0= 1 {}", "LM0= -2 TM0= 2 {}")


TUNE = ("tune", "lists", "-r", "ref", "--replicates", "100", "--folds", "2")


def test_tune_writes_weights_and_reports_the_gain() -> None:
    result = run(*TUNE, "-o", "weights.ini")
    assert result.exit_code == 0, result.output
    assert Path("weights.ini").read_text().startswith("[weight]\nLM0= -")
    answer, *_ = result.stdout.splitlines()
    assert answer.startswith("By BLEU the tuned weights are better than the previous ones: +")
    assert "on these lists, on which the weights were tuned: " in " ".join(result.stdout.split())
    assert "TM0_1" in result.stdout
    again = run(*TUNE, "-o", "weights.ini")
    assert "--force" in str(again.exception)


def test_json_has_settings_weights_and_gains() -> None:
    result = run(*TUNE, "--method", "mira:epochs=5", "--format", "json")
    values = json.loads(result.stdout)
    assert values["method"]["epochs"] == 5
    assert [weight["feature"] for weight in values["weights"]] == ["LM0", "TM0_0", "TM0_1"]
    assert values["gains"][0]["difference"] > 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--method", "mert:epochs=5"), "setting of mert"),
        (("--test-reference", "ref"), "requires --test-lists LISTS"),
        (("--test-lists", "lists"), "--folds excludes --test-lists"),
        (("--fix", "LM0"), "NAME=WEIGHT"),
        (("--bound", "LM0=1"), "NAME=LOW:HIGH"),
        (("-o", "weights.txt"), ".tsv"),
    ],
)
def test_options_that_do_nothing_are_refused(options: tuple[str, ...], reason: str) -> None:
    assert reason in refusal(*TUNE, *options)


def test_start_weights_fixed_weights_and_bounds() -> None:
    Path("start.tsv").write_text("LM0\t0.5\n")
    options = ("--start", "start.tsv", "--fix", "TM0_1=2", "--bound", "TM0_0=-1:1")
    values = json.loads(run(*TUNE, *options, "--format", "json").stdout)
    weights = {weight["feature"]: weight["weight"] for weight in values["weights"]}
    assert weights["TM0_1"] == 2
    assert -1 <= weights["TM0_0"] <= 1
    # LM0 alone prefers the first candidate.
    assert values["start"] < values["development"][0]


def test_runs_are_kept_and_gone_on_from() -> None:
    several = (*TUNE, "--method", "mert:restarts=1", "--resume", "runs.jsonl", "--format", "json")
    first = run(*several, "--repeats", "2")
    assert first.exit_code == 0, first.output
    kept = Path("runs.jsonl").read_text().splitlines()
    # A header, and for each of two runs its weights and those of both folds.
    assert len(kept) == 1 + 2 * 3
    Path("runs.jsonl").write_text("\n".join(kept[:4]) + "\n")
    again = run(*several, "--repeats", "2")
    assert again.stdout == first.stdout
    assert json.loads(again.stdout)["weights"][0]["deviation"] >= 0
    other = run(*several, "--seed", "3")
    assert "seed" in str(other.exception)


@pytest.mark.slow
def test_runs_in_processes_find_the_same() -> None:
    several = (*TUNE, "--method", "mert:restarts=1", "--repeats", "2", "--format", "json")
    assert run(*several, "--processes", "2").stdout == run(*several).stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("tune", "-r", "ref"), "either LISTS or --decoder"),
        (("tune", "lists", "-r", "ref", "--decoder", "x {weights} {nbest}"), "either LISTS"),
        (("tune", "lists", "-r", "ref", "--rounds", "3"), "requires --decoder COMMAND"),
        (("tune", "lists", "-r", "ref", "--decoder-timeout", "3"), "requires --decoder COMMAND"),
        (("tune", "-r", "ref", "--decoder", "x {weights} {nbest}"), "--start FILE and --resume"),
    ],
)
def test_a_decoder_needs_its_options_and_its_options_a_decoder(
    arguments: tuple[str, ...], reason: str
) -> None:
    assert reason in refusal(*arguments)


def test_a_decoder_is_run_and_its_weights_are_written() -> None:
    code = "import shutil, sys; shutil.copy('lists', sys.argv[1])"
    Path("start.tsv").write_text("LM0\t1\nTM0_0\t0\nTM0_1\t0\n")
    command = f'{sys.executable} -c "{code}" {{nbest}} {{weights}}'
    options = ("--start", "start.tsv", "--resume", "rounds", "-o", "best.tsv")
    result = run("tune", *TUNE[2:], "--decoder", command, *options)
    assert result.exit_code == 0, result.output
    assert "the last found nothing new" in result.stdout
    assert Path("best.tsv").read_text().startswith("LM0\t")
