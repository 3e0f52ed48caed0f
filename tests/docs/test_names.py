"""The names that CONTRIBUTING promises to keep exist."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from functools import cache
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import truebleu
from truebleu.cli.main import main
from truebleu.simulation import simulate

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## Names that stay\n")[1].split("\n## ")[0]
ITEMS = dict(re.findall(r"^- (.+?): (.+?)(?=\n- |\Z)", SECTION, re.DOTALL | re.MULTILINE))
FUNCTIONS = re.findall(r"`([\w.]+)`", ITEMS["Functions and classes"])
KEYWORDS = re.findall(r"`(\w+)`", ITEMS["Keywords"])
WARNINGS = PAGE.with_name("docs") / "reference" / "warnings.md"
CODES = {
    "added-text",
    "blank",
    "byte-order-mark",
    "carriage-returns",
    "constant-scores",
    "copied-reference",
    "copied-system",
    "crlf",
    "cut-off",
    "document-order",
    "human-order",
    "human-translation",
    "line-breaks",
    "misaligned",
    "missing-output",
    "missing-value",
    "mostly-empty",
    "neural-cut",
    "neural-empty",
    "normalization",
    "paired-by-line",
    "repeated",
    "same-as-reference",
    "same-as-source",
    "same-as-system",
    "same-scores",
    "score-order",
    "score-scales",
    "score-signs",
    "shared-text",
    "shifted",
    "strange-characters",
    "tabs",
    "tokenized",
    "unspaced",
    "untranslated",
    "wrong-language",
    "zero-width",
}


@cache
def texts() -> truebleu.TestSet:
    return simulate(segments=200, systems=[0.1, 0.3], seed=1)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_stays_can_be_imported(name: str) -> None:
    assert resolve_name(f"truebleu.{name}") is not None


def test_keywords_that_stay_are_taken_by_verbs() -> None:
    verbs = (truebleu.compare, truebleu.plan, truebleu.gate)
    taken = {name for verb in verbs for name in inspect.signature(verb).parameters}
    assert KEYWORDS == ["replicates", "documents", "people", "difference"]
    assert set(KEYWORDS) <= taken


def test_results_have_the_attributes_that_stay() -> None:
    comparison = truebleu.compare(texts(), replicates=100)
    first = comparison.comparisons[0]
    assert (first.a, first.b) == ("system-1", "system-2")
    assert attrgetter("difference", "interval", "p")(first)
    assert comparison.systems["system-1"]["BLEU"].interval is not None
    assert str(comparison)
    explanation = truebleu.explain(texts(), baseline="system-2", replicates=100)
    assert explanation.pairs[0].degenerate is not None


def test_json_has_the_keys_that_stay() -> None:
    comparison: dict[str, Any] = truebleu.compare(texts(), replicates=100).to_dict()
    assert comparison["systems"][0]["scores"]["BLEU"]["score"]
    assert {"a", "b", "difference", "interval", "p"} <= comparison["comparisons"][0].keys()
    plan: dict[str, Any] = truebleu.plan(texts(), difference=1.0).to_dict()
    assert plan["plans"][0]["units_needed"]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(list(map(str, arguments)))
    assert stopped.value.code == 0
    return capsys.readouterr().out


def test_commands_print_the_keys_that_stay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "demo", "--segments", 40, "--save", tmp_path / "demo")
    assert (tmp_path / "demo").is_dir()
    (tmp_path / "text").write_text("a\n\nb\n")
    files = [tmp_path / "demo" / f"{name}.txt" for name in ("reference-1", "errors-05")]
    other = tmp_path / "other"
    other.write_text("a tab\t\n" * 40)
    command = ["compare", "-r", files[0], files[1], other, "--replicates", 100, "-f", "json"]
    printed = json.loads(run(capsys, *command))
    assert {warning["code"] for warning in printed["warnings"]} == {"misaligned", "tabs"}
    assert printed["sentences"]


def test_a_study_prints_sentences_and_rows_with_its_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = ["power", "--simulate", 60, "--sizes", 30, "--samples", 5, "--replicates", 100]
    printed = json.loads(run(capsys, "study", *study, "-f", "json"))
    assert printed["sentences"]
    names = "metric test better worse difference size samples right right_low right_high"
    assert list(printed["rows"][0]) == [*names.split(), "wrong", "wrong_low", "wrong_high"]


def test_tune_has_the_option_that_stays(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--resume" in run(capsys, "tune", "--help-all")


def test_the_simulated_decoder_has_the_options_that_stay(tmp_path: Path) -> None:
    weights, lists = tmp_path / "weights.tsv", tmp_path / "lists"
    weights.write_text("forward\t1\n")
    decoder = [sys.executable, "-m", "truebleu.simulation.decoder"]
    sizes = ["--segments", "3", "--size", "4", "--seed", "5", "--sparse"]
    subprocess.run([*decoder, weights, lists, *sizes], check=True)
    assert len(lists.read_text().splitlines()) > 3
    reference = tmp_path / "reference"
    subprocess.run([*decoder, "--segments", "3", "--reference", reference], check=True)
    assert len(reference.read_text().splitlines()) == 3


def test_the_codes_of_warnings_stay() -> None:
    rows = re.findall(r"^\| (`.+?) \|", WARNINGS.read_text(encoding="utf-8"), re.MULTILINE)
    documented = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}
    assert documented == CODES
