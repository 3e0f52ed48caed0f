"""``truebleu study tuning`` and ``study reranking`` as people call them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truebleu.cli.main import truebleu
from truebleu.simulation.decoder import main as decode


def run(*arguments: str) -> Result:
    return CliRunner().invoke(truebleu, ["study", *arguments], catch_exceptions=True)


QUICK = ("--replicates", "50", "--format", "json")


def test_tuning_of_the_simulated_decoder_is_kept_and_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--smoothings", "0,2", "--runs", "2", "--epochs", "3", "--resume", "runs.jsonl")
    result = run("tuning", "--simulate", "12", *options, *QUICK)
    assert result.exit_code == 0, result.output
    values = json.loads(result.stdout)
    assert [row["tuner"] for row in values["rows"]] == ["0", "2", "mira"]
    assert all(row["test"] > values["first_test"] for row in values["rows"])
    assert len(Path("runs.jsonl").read_text().splitlines()) == 1 + 3 * 2
    again = run("tuning", "--simulate", "12", *options, *QUICK)
    assert again.stdout == result.stdout


@pytest.mark.slow
def test_own_lists_can_be_studied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.tsv").write_text("forward\t1\n")
    decode(["w.tsv", "lists", "--segments", "10", "--size", "5"])
    decode(["--reference", "ref", "--segments", "10"])
    texts = ("lists", "-r", "ref")
    test = ("--test", "lists", "--test-reference", "ref")
    tuned = run("tuning", *texts, *test, "--smoothings", "0", "--runs", "1", *QUICK)
    assert tuned.exit_code == 0, tuned.output
    reranked = run("reranking", *texts, "-m", "nist", "-m", "bleu", "--ngrams", "2", *QUICK)
    assert reranked.exit_code == 0, reranked.output
    assert [row["metric"] for row in json.loads(reranked.stdout)["rows"]] == ["NIST", "BLEU"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("tuning",), "LISTS: found 'none', expected LISTS and --test LISTS, or --simulate N"),
        (("tuning", "lists", "--simulate", "3"), "LISTS and --test LISTS, or --simulate N"),
        (("reranking",), "either LISTS or --simulate N"),
        (("reranking", "--simulate", "3", "--size", "2"), "simulated lists are not read"),
        (("tuning", "--simulate", "3", "--smoothings", "1"), "0 and others"),
        (("tuning", "--simulate", "3", "--smoothings", "0,9"), "9"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in str(run(*arguments).exception)
