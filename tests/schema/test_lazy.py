"""Packages import their public names when they are first used."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import truebleu

if TYPE_CHECKING:
    from types import ModuleType


def test_a_public_name_comes_from_its_module_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from truebleu.metrics.bleu import BLEU

    monkeypatch.delitem(vars(truebleu), "BLEU", raising=False)
    assert truebleu.BLEU is BLEU
    assert vars(truebleu)["BLEU"] is BLEU


@pytest.mark.parametrize("package", [truebleu, truebleu.metrics], ids=lambda p: p.__name__)
def test_an_unknown_name_is_an_attribute_error_as_of_any_module(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=rf"module '{package.__name__}' has no attribute"):
        _ = package.BLUE


def test_completion_shows_the_public_names() -> None:
    assert "BLEU" in dir(truebleu.metrics)
    assert not [name for name in dir(truebleu.metrics) if name.startswith("_")]


def test_importing_the_package_imports_no_verb() -> None:
    code = "import sys, truebleu; print('truebleu.significance.compare' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_a_package_has_all_its_names_whichever_module_is_imported_first() -> None:
    code = (
        "import truebleu.agreement.agree as module, truebleu.agreement as package\n"
        "print(set(module.__all__) - set(dir(package)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
