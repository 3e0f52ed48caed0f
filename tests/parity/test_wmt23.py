"""The organisers' published scores of WMT23, from the plain command line."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from truebleu import BLEU, CHRF
from truebleu.cli.main import truebleu

if TYPE_CHECKING:
    from pathlib import Path

# The organisers scored this file's byte-order mark as a character of its first segment.
WITH_BYTE_ORDER_MARK = {("en-ja", "AIRC")}
TOKENIZERS = {"en-cs": "13a", "en-ja": "char", "he-en": "13a", "zh-en": "13a"}
METRICS = {"BLEU": "bleu", "chrF2": "chrf"}


def official_scores(folder: Path) -> dict[tuple[str, str], float]:
    with (folder / "official.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {(row["system"], row["metric"]): float(row["score"]) for row in rows}


@pytest.mark.parametrize("pair", TOKENIZERS)
def test_the_command_line_gives_the_official_scores(shared: Path, pair: str) -> None:
    folder = shared / "data" / f"wmt23-{pair}"
    systems = sorted(str(path) for path in (folder / "sys").glob("*.txt"))
    arguments = ["score", "-r", str(folder / "refA.txt"), *systems, "--format", "json"]
    arguments += ["-m", f"bleu:tokenize={TOKENIZERS[pair]}", "-m", "chrf"]
    result = CliRunner().invoke(truebleu, arguments)
    assert result.exit_code == 0, result.stderr
    official = official_scores(folder)
    compared = 0
    for system in json.loads(result.stdout)["systems"]:
        for ours, theirs in METRICS.items():
            expected = official.get((system["name"], f"{theirs}-refA"))
            if expected is not None and (pair, system["name"]) not in WITH_BYTE_ORDER_MARK:
                compared += 1
                assert system["scores"][ours]["score"] == pytest.approx(expected, rel=1e-9)
    assert compared >= len(systems)


@pytest.mark.parametrize(("pair", "system"), sorted(WITH_BYTE_ORDER_MARK))
def test_only_its_byte_order_mark_keeps_a_system_from_its_official_score(
    shared: Path, pair: str, system: str
) -> None:
    folder = shared / "data" / f"wmt23-{pair}"
    marked, reference = (
        (folder / name).read_bytes().decode().removesuffix("\n").split("\n")
        for name in (f"sys/{system}.txt", "refA.txt")
    )
    assert marked[0].startswith("\ufeff")
    official = official_scores(folder)
    bleu = BLEU(tokenize=TOKENIZERS[pair]).corpus(marked, reference)
    assert bleu.score == pytest.approx(official[system, "bleu-refA"], rel=1e-9)
    chrf = CHRF().corpus(marked, reference)
    assert chrf.score == pytest.approx(official[system, "chrf-refA"], rel=1e-9)
