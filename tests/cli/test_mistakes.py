"""Natural mistakes: each is refused with 2, without output, and the message says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import run

if TYPE_CHECKING:
    from pathlib import Path

SCORE = "score -r ref.txt a.txt"
COMPARE = "compare -r ref.txt a.txt b.txt"

#: What people type, and the essential words of the message.
MISTAKES = {
    "score a.txt": ["-r FILE"],
    "score -r ref.txt nowhere.txt": ["nowhere.txt: no such file"],
    "score -r ref.txt short.txt": ["short.txt: 2 segments, but ref.txt has 30"],
    f"{SCORE} -m blue": ["did you mean 'bleu'?"],
    f"{SCORE} -m bleu:tokenise=zh": ["did you mean 'tokenize'?"],
    f"{SCORE} -m bleu:smooth=expo": ["did you mean 'exp'?"],
    f"{SCORE} -m bleu:max_order=0": ["max_order", "from 1 to 100"],
    "scoer -r ref.txt a.txt": ["Did you mean 'score'?"],
    "compare -r ref.txt a.txt": ["two"],
    "agree -r ref.txt a.txt b.txt --human x.tsv --human y.tsv": ["--human was given 2 times"],
    f"{COMPARE} --documents x --documents=y": ["--documents was given 2 times"],
    "compare -r ref.txt a.txt a.txt": ["a.txt", "NAME=FILE"],
    f"{COMPARE} --level 0.05": ["did you mean 0.95?"],
    f"{COMPARE} --level 95": ["did you mean 0.95?"],
    f"{COMPARE} --baseline aa": ["did you mean 'a'?"],
    f"{COMPARE} --test randomisation": ["randomisation", "'ar'", "'bootstrap'"],
    f"{COMPARE} --unit document": ["--documents"],
    f"{COMPARE} --block-length 3": ["block"],
    "compare -r ref.txt a.txt nowhere.txt --block-length 3": ["--block-length: 3"],
    "compare -r ref.txt a.txt nowhere.txt --replicates 3": ["--replicates: 3", "at least 40"],
    "compare -r ref.txt a.txt nowhere.txt --level 0.2": ["--level: 0.2", "from 0.5"],
    f"{COMPARE} --chart there.svg": ["there.svg exists", "--force"],
    "panel . --processes 0": ["--processes: 0", "from 1 to 1,024"],
    "study power --simulate 0": ["--simulate: 0", "from 1 up"],
    "rerank a.txt --train-reference ref.txt": ["--train-reference requires --train-lists"],
    f"{COMPARE} --chart fig.gif": ["fig.gif", ".png, .svg"],
    f"{COMPARE} -f yaml": ["yaml", "'json'"],
    f"{COMPARE} --replicates 5": ["at least 40", "the smallest possible p is 0.167"],
    f"{COMPARE} --by topic": ["topic", "--documents FILE"],
    f"{COMPARE} --about further-runs": ["--about requires --runs PATTERN"],
    f"{SCORE} --replicates 100": ["--replicates requires --confidence"],
    f"{SCORE} --per-segment --confidence": ["--confidence excludes --per-segment"],
    f"{SCORE} --force": ["--force requires a file to write"],
    "gate a.txt -r ref.txt": ["--baseline old.txt"],
    "gate a.txt b.txt -r ref.txt": ["--baseline old.txt"],
    "gate a.txt --baseline b.txt -r ref.txt --margin -1": ["margin", "from 0 up"],
    "gate a.txt --baseline b.txt -r ref.txt --looks 3": ["--ledger FILE"],
    "explain -r ref.txt a.txt b.txt c=b.txt": ["3 systems", "--baseline"],
    "report -r ref.txt a.txt b.txt": ["-o report.html"],
    "plan -r ref.txt a.txt b.txt --difference 0": ["difference", "above 0"],
    f"{SCORE} -tok zh": ["-m bleu:tokenize=zh"],
    f"{SCORE} -lc": ["-m bleu:lowercase=yes"],
    "score --refs ref.txt a.txt": ["-r FILE (--reference)"],
    f"{SCORE} -w 4": ["-f json"],
    f"{SCORE} -b": ["-f tsv"],
    "ref.txt -i a.txt": ["ref.txt is a file, not a command", "truebleu score -r ref.txt"],
    f"{COMPARE} --alpha 0.05": ["--level"],
    f"{COMPARE} --runs {{system}}.{{run}}.txt": ["'a' does not fit", "without the file's ending"],
    f"{COMPARE} --paired-bs": ["--test bootstrap"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"the cat {number} sat on the mat" for number in range(30)]
    texts = {"ref": lines, "a": [f"{line} now" for line in lines], "b": lines[::-1]}
    for name, text in {**texts, "short": lines[:2]}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    (tmp_path / "there.svg").write_text("mine", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def refusal(command: str) -> str:
    result = run(*command.split())
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err
    return " ".join(result.err.split())


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_refused_with_what_to_do(command: str) -> None:
    message = refusal(command)
    assert [part for part in MISTAKES[command] if part not in message] == []


@pytest.mark.parametrize(
    "command", [f"{SCORE} -o", f"{SCORE} --save", "demo --save", f"{COMPARE} --chart"]
)
def test_an_unset_variable_is_no_name_of_a_file(command: str) -> None:
    result = run(*command.split(), "")
    assert (result.code, result.out) == (2, "")
    assert "''; expected the name of a file or folder" in result.err
