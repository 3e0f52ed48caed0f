"""The same numbers whatever the threads, the processes and the format."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXTS = ["-r", "ref.txt", "good.txt", "bad.txt"]
FEW = ["--replicates", "500"]
COMMANDS: dict[str, list[str]] = {
    "score": ["score", *TEXTS, "-m", "bleu,chrf,ter,nist", "--confidence", *FEW],
    "compare": ["compare", *TEXTS, "-m", "bleu,chrf,ter", "--documents", "docs.txt", *FEW],
    "explain": ["explain", *TEXTS, *FEW],
    "gate": ["gate", "good.txt", "--baseline", "bad.txt", *TEXTS[:2], "-m", "bleu,chrf", *FEW],
    "plan": ["plan", *TEXTS, "--difference", "1", *FEW],
    "agree": ["agree", *TEXTS, "--human", "human.tsv", "-m", "bleu,chrf", *FEW],
    "study": ["study", "coverage", *TEXTS, "--sizes", "10", "--samples", "20", *FEW],
}


@pytest.fixture(autouse=True)
def folder(own_texts: Path, monkeypatch: pytest.MonkeyPatch, restored_threads: None) -> None:  # noqa: ARG001
    monkeypatch.chdir(own_texts)
    rows = [
        f"{name}\t{i}\t{i * number % 5}"
        for number, name in enumerate(("good", "bad"), 2)
        for i in range(1, 41)
    ]
    (own_texts / "human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows, ""]))


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "-q"])
    assert stopped.value.code in (0, 1)
    return capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_threads_change_no_byte(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    one, *others = (
        output(capsys, *COMMANDS[name], "-f", "json", "--threads", number)
        for number in ("1", "2", "8")
    )
    assert others == [one, one]


@pytest.mark.slow
def test_processes_change_no_byte(capsys: pytest.CaptureFixture[str]) -> None:
    study = [*COMMANDS["study"], "-f", "json"]
    assert output(capsys, *study, "--processes", "2") == output(capsys, *study)


def numbers(value: Any) -> Iterator[float]:
    """All numbers of a JSON value."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def written(number: float, digits: int) -> set[str]:
    """How a number may stand in a table: as it is or in percent, without its sign."""
    return {f"{abs(round(factor * number, digits)):.{digits}f}" for factor in (1, 100)}


@pytest.mark.parametrize("format_", ["text", "markdown", "latex", "tsv", "html"])
@pytest.mark.parametrize("name", ["score", "compare", "plan", "agree", "study"])
def test_tables_have_the_numbers_of_json(
    name: str, format_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    known = list(numbers(json.loads(output(capsys, *COMMANDS[name], "-f", "json"))))
    shown = output(capsys, *COMMANDS[name], "-f", format_)
    if format_ == "tsv":
        rows = [line.split("\t") for line in shown.splitlines() if not line.startswith("#")]
        cells = {cell for row in rows[1:] for cell in row if re.fullmatch(r"-?\d+\.\d+", cell)}
        assert cells <= {repr(float(number)) for number in known}
        return
    shown = re.sub('="[^"]*"', "", shown)  # places in drawings
    kinds = {
        "latex": r"^[^%].* & .*$",
        "markdown": r"^\|.*$",
        "html": r"<td.*",
        "text": r"^.*\d$",
    }
    lines = re.findall(kinds[format_], shown, re.MULTILINE)
    if name == "plan":  # whose sentences say how many times as large a test set is
        lines = [line for line in lines if "  " in line or format_ != "text"]
    found = {cell for line in lines for cell in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", line)}
    assert found
    for cell in found:
        digits = len(cell.partition(".")[2])
        assert any(cell in written(number, digits) for number in known), cell
