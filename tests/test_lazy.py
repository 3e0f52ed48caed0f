"""Names that are imported when they are first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from truebleu._lazy import lazy_name

HOMES = {"BLEU": "bleu", "TER": "ter", "base": "base"}


def test_a_name_comes_from_its_module_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    import truebleu.metrics as package
    from truebleu.metrics.bleu import BLEU

    monkeypatch.setitem(vars(package), "BLEU", None)
    assert lazy_name("truebleu.metrics", HOMES, "BLEU") is BLEU
    assert vars(package)["BLEU"] is BLEU


def test_an_unknown_name_is_an_attribute_error_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match=r"module 'truebleu.metrics' has no attribute 'BLUE'"):
        lazy_name("truebleu.metrics", HOMES, "BLUE")


def test_a_module_is_public_as_a_whole() -> None:
    from truebleu.metrics import base

    assert lazy_name("truebleu.metrics", HOMES, "base") is base


def test_completion_shows_what_is_public() -> None:
    import truebleu.metrics as package

    assert "BLEU" in dir(package)
    assert not [name for name in dir(package) if name.startswith("_")]


def test_importing_the_package_imports_no_verb() -> None:
    code = "import sys, truebleu; print('truebleu.significance.compare' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
