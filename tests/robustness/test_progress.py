"""Progress: a bar on a terminal wherever work takes long, and nothing anywhere else."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from truebleu.cli import main as cli
from truebleu.cli.study import STUDIES
from truebleu.schema import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXTS = ["-r", "ref.txt", "good.txt", "bad.txt"]
FEW = ["--replicates", "200"]
HUMAN = ["--human", "human.tsv"]
SMALL = ["--replicates", "50", "--samples", "5", "--sizes", "10"]
#: A call of every command that may work for long, and what its bars must say.
COMMANDS: dict[str, tuple[list[str], set[str]]] = {
    "score": (["score", *TEXTS], {"reading", "scoring"}),
    "score --confidence": (["score", *TEXTS, "--confidence", *FEW], {"reading", "scoring"}),
    "compare": (["compare", *TEXTS, *FEW], {"reading", "comparing"}),
    "panel": (["panel", "panel", *FEW], {"reading", "comparing"}),
    "explain": (["explain", *TEXTS, *FEW], {"reading", "comparing"}),
    "report": (["report", *TEXTS, *FEW, "-o", "x.html", "--force"], {"reading", "comparing"}),
    "gate": (
        ["gate", "good.txt", "--baseline", "bad.txt", *TEXTS[:2], *FEW],
        {"reading", "comparing"},
    ),
    "agree": (["agree", *TEXTS, *HUMAN, *FEW], {"reading", "agreeing"}),
    "agree --grid": (
        ["agree", *TEXTS, *HUMAN, "--grid", "chrf:beta=1|2", *FEW],
        {"reading", "agreeing"},
    ),
    "plan": (["plan", *TEXTS, "--difference", "1", *FEW], {"reading", "planning"}),
    "sample": (["sample", *TEXTS, "--size", "9", "-o", "o", "--force"], {"reading", "sampling"}),
    "check": (
        ["check", *TEXTS, "--train", "ref.txt"],
        {"reading", "searching"},
    ),
    "nbest oracle": (["nbest", "oracle", "lists", "-r", "ref.txt"], {"reading", "scoring"}),
    "tune": (
        ["tune", "lists", "-r", "ref.txt", "--method", "mert:restarts=1", *FEW],
        {"reading", "tuning"},
    ),
    "rerank": (
        ["rerank", "lists", "-r", "ref.txt"],
        {"reading", "training"},
    ),
    "mbr": (["mbr", "lists"], {"choosing"}),
    "study": (["study", "coverage", *TEXTS, *SMALL], {"reading", "studying"}),
}
#: Commands that are over at once.
QUICK = {"cache", "list", "demo", "sacrebleu", "nbest stats"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(own_texts: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(own_texts)
    rows = [
        f"{name}\t{i}\t{i * number % 5}"
        for number, name in enumerate(("good", "bad"), 2)
        for i in range(1, 41)
    ]
    Path("human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows, ""]))
    lines = [
        f"{i} ||| {text} ||| lm= {place} tm= {(i + place) % 3} ||| 1\n"
        for i, line in enumerate(Path("ref.txt").read_text().splitlines())
        for place, text in enumerate((line, f"{line} x", f"the {line}"))
    ]
    Path("lists").write_text("".join(lines))
    for name in ("a", "b"):
        for file in ("ref.txt", "good.txt", "bad.txt"):
            Path("panel", name).mkdir(parents=True, exist_ok=True)
            Path("panel", name, file).write_bytes(Path(file).read_bytes())
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", -1.0)
    return own_texts


def shown(arguments: Sequence[str], stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command writes on standard error."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        with pytest.raises(SystemExit) as stopped:
            cli.main(arguments)
    assert stopped.value.code in (0, 1), stream.getvalue()
    return stream.getvalue()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_work_has_a_bar_on_a_terminal_only(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, expected = COMMANDS[name]
    written = shown(arguments, Terminal(), monkeypatch)
    results = capsys.readouterr().out
    bars = {part.split()[0] for part in written.split("\r") if part.strip("\033[K\n")}
    assert expected <= bars
    # The last is taken away.
    assert "█" not in written.rpartition("\r\033[K")[2]
    assert "\r" not in shown(arguments, io.StringIO(), monkeypatch)
    assert capsys.readouterr().out == results
    assert shown([*arguments, "--quiet"], Terminal(), monkeypatch) == ""
    assert capsys.readouterr().out == results


def test_every_command_that_may_take_long_is_here() -> None:
    from truebleu.cli.main import COMMANDS as ALL

    covered = {name.split()[0] for name in (*COMMANDS, *QUICK)}
    assert covered == {name.split()[0] for name in ALL}
    # All studies run their tasks by one runner, which has the bar.
    assert len(STUDIES) > 10
