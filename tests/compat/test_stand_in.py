"""Programs that import sacrebleu get truebleu: the same classes by either name, and said so."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import truebleu.compat.sacrebleu
from truebleu.compat import install, uninstall
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator
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


@pytest.fixture
def installed() -> Iterator[None]:
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name == "sacrebleu"}
    install()
    yield
    uninstall()
    sys.modules.update(before)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "truebleu.compat.run", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.usefixtures("installed")
def test_modules_are_the_drop_ins_own() -> None:
    assert import_module("sacrebleu") is truebleu.compat.sacrebleu
    by_name = import_module("sacrebleu.metrics.chrf")
    own = import_module("truebleu.compat.sacrebleu.metrics.chrf")
    assert by_name is own
    assert own.__spec__.name == "truebleu.compat.sacrebleu.metrics.chrf"


@pytest.mark.usefixtures("installed")
def test_what_the_drop_in_lacks_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"sacrebleu\.dataset: truebleu stands in"):
        import_module("sacrebleu.dataset")


@pytest.mark.usefixtures("installed")
def test_installing_again_is_no_error() -> None:
    install()
    assert import_module("sacrebleu") is truebleu.compat.sacrebleu


def test_a_loaded_sacrebleu_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", ModuleType("sacrebleu"))
    with pytest.raises(SettingError, match="nothing has imported it yet"):
        install()


def test_signatures_say_so_only_while_it_stands_in(installed: None) -> None:
    bleu = truebleu.compat.sacrebleu.BLEU()
    bleu.corpus_score(["a"], [["a"]])
    assert str(bleu.get_signature()).endswith("|version:2.6.0+truebleu.0.1.0")
    uninstall()
    bleu.corpus_score(["a"], [["a"]])
    assert str(bleu.get_signature()).endswith("|version:2.6.0")
    assert installed is None


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
    assert result.stderr == "error: nothing.py: no such file, expected a Python script\n"
