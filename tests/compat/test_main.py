"""A program that is not ours to change runs on truebleu, with its arguments."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import sys
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
print(sacrebleu.corpus_bleu(["the cat sat on the mat"], [["the cat sat on a mat"]]).score)
bleu = BLEU()
bleu.corpus_score(["a"], [["a"]])
print(bleu.get_signature())
print(Tokenizer13a()("a,b"), sys.argv[1:], __name__)
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "truebleu.compat", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_script_runs_with_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    for arguments in (["program.py", "-x", "1"], ["-m", "program", "-x", "1"]):
        result = run(tmp_path, *arguments)
        assert result.stderr == ""
        score, signature, rest = result.stdout.splitlines()
        assert float(score) == pytest.approx(53.7284965911771, abs=1e-12)
        assert signature.endswith("+truebleu.0.1.0")
        assert rest == "a , b ['-x', '1'] __main__"


def test_a_missing_script_is_said(tmp_path: Path) -> None:
    result = run(tmp_path, "nothing.py")
    assert result.returncode == 2
    assert result.stderr == "error: nothing.py: no such file; expected a Python script\n"
