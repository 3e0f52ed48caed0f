"""Texts for studies on the command line, and what the command line does with them."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.cli.main import main
from truebleu.simulation import save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


def save_texts(folder: Path) -> None:
    """Two systems of 80 segments with three references and their documents."""
    texts = simulate(segments=80, systems=[0.15, 0.3], references=3, document_length=4, seed=8)
    save_test_set(texts, folder)


def study(*arguments: str) -> Result:
    """Run ``truebleu study`` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        main(["study", *arguments])
    assert isinstance(caught.value.code, int)
    return Result(caught.value.code, out.getvalue(), err.getvalue())


def answer(*arguments: str) -> dict[str, Any]:
    """The JSON of a study that must succeed."""
    result = study(*arguments, "--format", "json")
    assert (result.code, result.err) == (0, "")
    found: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return found
