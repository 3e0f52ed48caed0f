"""The command line as a shell meets it: how a command ends, and what it writes."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.cli.main import main
from truebleu.errors import TruebleuError

if TYPE_CHECKING:
    from click.testing import Result as Invoked


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


def run(*arguments: str) -> Result:
    """Run ``truebleu`` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as caught:
        main(list(arguments))
    assert isinstance(caught.value.code, int)
    return Result(caught.value.code, out.getvalue(), err.getvalue())


def answer(*arguments: str) -> dict[str, Any]:
    """The JSON of a command that must succeed, without a message."""
    result = run(*arguments, "--format", "json")
    assert (result.code, result.err) == (0, "")
    values: dict[str, Any] = json.loads(result.out, parse_constant=pytest.fail)
    return values


def says(claim: str, *arguments: str) -> None:
    """The command succeeds without a message, and its output has this in it."""
    result = run(*arguments)
    assert (result.code, result.err) == (0, "")
    assert claim in result.out


def refuses(claim: str, *arguments: str) -> None:
    """The command ends with 2, no output, and one message that has this pattern in it."""
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert re.search("^[eE]rror: ", result.err, re.MULTILINE)
    assert re.search(claim, result.err) or claim in result.err
    assert "Traceback" not in result.err


def assert_refused(result: Invoked, message: str) -> None:
    """Click's runner got one of our errors with this in it, and no output."""
    assert isinstance(result.exception, TruebleuError)
    assert message in str(result.exception)
    assert result.stdout == ""
