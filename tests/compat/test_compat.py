"""The doors: a copy with its submodules, and the installed sacreBLEU while truebleu is inside."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import truebleu
from truebleu.compat import install, uninstall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = import_module("sacrebleu").__version__
SUBMODULES = [
    "metrics.bleu",
    "metrics.helpers",
    "significance",
    "tokenizers.tokenizer_13a",
    "utils",
]


@pytest.fixture
def installed() -> Iterator[None]:
    install()
    yield
    uninstall()


def signature(package: str) -> str:
    metric = import_module(f"{package}.metrics").BLEU()
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


@pytest.mark.parametrize("name", SUBMODULES)
def test_a_copy_has_sacrebleus_submodules(name: str) -> None:
    own = import_module(f"truebleu.compat.sacrebleu.{name}")
    assert own.__file__ == import_module(f"sacrebleu.{name}").__file__
    assert own is not import_module(f"sacrebleu.{name}")


def test_a_copy_leaves_plain_sacrebleu_alone() -> None:
    own, plain = (import_module(name) for name in ("truebleu.compat.sacrebleu", "sacrebleu"))
    assert {"corpus_bleu", "sentence_chrf", "BLEU", "TER", "DATASETS"} <= set(vars(own))
    assert plain.BLEU._cache_references.__module__ == "sacrebleu.metrics.base"
    assert own.BLEU._cache_references.__module__ == "truebleu.compat._patch"
    assert signature("truebleu.compat.sacrebleu").endswith(f"|version:{VERSION}")


def test_plain_truebleu_loads_no_sacrebleu() -> None:
    code = "import sys, truebleu, truebleu.compat; sys.exit('sacrebleu' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("installed")
def test_signatures_say_so_while_truebleu_is_inside() -> None:
    install()
    assert signature("sacrebleu").endswith(f"|version:{VERSION}+truebleu.{truebleu.__version__}")
    uninstall()
    assert signature("sacrebleu").endswith(f"|version:{VERSION}")
    assert (
        import_module("sacrebleu.significance").estimate_ci.__module__ == "sacrebleu.significance"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "truebleu", "sacrebleu", "ref.txt"],
        ["-m", "truebleu.compat", "program.py"],
        [
            "-c",
            "from truebleu.compat import *\ntry: install()\nexcept ImportError as e: exit(f'{e}')",
        ],
        ["-c", "try: import truebleu.compat.sacrebleu\nexcept ImportError as e: exit(str(e))"],
    ],
)
def test_a_missing_sacrebleu_raises_an_error_with_the_install_command(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sacrebleu.py").write_text("raise ImportError", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    result = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == (2 if arguments[0] == "-m" else 1)
    assert "pip install 'sacrebleu<3'" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", "truebleu", "sacrebleu", "ref.txt"],
        ["-m", "truebleu.compat", "-m", "sacrebleu"],
        ["-c", "try: import truebleu.compat.sacrebleu\nexcept ImportError as e: exit(str(e))"],
    ],
)
def test_a_sacrebleu_that_is_too_old_is_named_with_its_version(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Version 1.5 has no class of all metrics.
    package = tmp_path / "sacrebleu"
    for name, code in {"": "__version__ = '1.5.1'", "metrics": "", "sacrebleu": ""}.items():
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text(code, encoding="utf-8")
    (package / "metrics" / "base.py").write_text("class BaseScore: pass", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    result = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == (2 if arguments[0] == "-m" else 1)
    (line,) = result.stderr.splitlines()
    assert "needs sacreBLEU 2.0 or later, not 1.5.1; install it with: pip install" in line
