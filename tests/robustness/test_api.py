"""Every public callable with wrong arguments: an error of ours or a result, and nothing else."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import truebleu
from tests.robustness import api_calls
from truebleu.errors import ArgumentTypeError, SettingError, TruebleuError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.robustness.api_calls import Call

#: Values that hardly any parameter takes; each is wrong for most, and right for some.
VALUES: dict[str, Any] = {
    "None": None,
    "5": 5,
    "-1": -1,
    "10**400": 10**400,
    "1e308": 1e308,
    "nan": float("nan"),
    "inf": float("inf"),
    "1j": 1j,
    "True": True,
    "x": "x",
    "nothing": "",
    "NUL": "a\0b",
    "surrogate": "\udc80",
    "bytes": b"x",
    "[]": [],
    "[[]]": [[]],
    "[5]": [5],
    "[x]": ["x"],
    "[None]": [None],
    "{}": {},
    "{a: 5}": {"a": 5},
    "set": {1},
    "object": object(),
    "class": int,
    "frame": pd.DataFrame({"a": [1.0, 2.0]}),
    "matrix": np.zeros((2, 2)),
}
#: Functions that callers hand over are called, and what they raise is theirs.
CALLED = {"progress", "draw", "function", "test", "metric"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def spoilt_parameters(function: Callable[..., Any]) -> Iterator[str]:
    """The parameters of a function, and those that it takes together with other functions."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            together = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
            if together:
                yield from inspect.unwrap(function).__globals__[together[1]].__annotations__
            # Options of a report by names that it does not have are Python's to refuse.
            elif name != "options":
                yield "something"
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            yield name


def spoil(call: Call) -> list[str]:
    """Call with every parameter spoilt in every way; what went wrong."""
    faults = []
    for name in spoilt_parameters(call.function):
        for title, value in VALUES.items():
            if title == "class" and name in CALLED:
                continue
            arguments = {**call.arguments, name: value}
            try:
                call.function(**arguments)
            except TruebleuError as error:
                # Messages are made when they are asked for.
                str(error)
            except Exception as error:
                faults.append(f"{name}={title}: {type(error).__name__}: {error}")
    return faults


def public_functions() -> list[Callable[..., Any]]:
    """Every function of the public namespaces."""
    modules = [truebleu, *(import_module(f"truebleu.{name}") for name in api_calls.NAMESPACES)]
    values = [getattr(module, name) for module in modules for name in module.__all__]
    return [value for value in values if inspect.isfunction(value)]


def test_every_public_function_has_a_call_that_works(folder: Path) -> None:
    calls = api_calls.calls(folder)
    missing = {f"{f.__module__}.{f.__qualname__}" for f in public_functions()} - calls.keys()
    assert missing == set()
    assert api_calls.outcomes(folder)


FUNCTIONS = sorted({f"{f.__module__}.{f.__qualname__}" for f in public_functions()})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow)
        if name.rpartition(".")[2] in api_calls.SLOW
        else name
        for name in FUNCTIONS
    ],
)
def test_a_wrong_argument_of_a_function_is_our_error(name: str, folder: Path) -> None:
    assert spoil(api_calls.calls(folder)[name]) == []


def test_a_wrong_argument_of_a_class_or_method_is_our_error(folder: Path) -> None:
    api_calls.files(folder)
    owners = [*api_calls.instances(folder), *api_calls.results()]
    faults = {
        name: found
        for owner in owners
        for name, call in api_calls.methods(owner)
        if (found := spoil(call))
    }
    assert faults == {}


def test_public_objects_pickle_copy_and_compare(folder: Path) -> None:
    for value in api_calls.objects(folder):
        for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):  # noqa: S301
            assert type(other) is type(value)
            assert other == value, type(value).__name__
        assert value != 5
        assert value != "x"
        assert repr(value)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (truebleu.BLEU, {"tokenize": 5}, "tokenize: found 5, expected a string"),
        (truebleu.BLEU, {"smooth": "flor"}, "unknown smooth 'flor'; did you mean 'floor'"),
        (truebleu.CHRF, {"char_order": 6.0}, "char_order: found 6.0, expected a whole number"),
        (
            truebleu.significance.CompareSettings,
            {"level": "x"},
            "level: found 'x', expected a number",
        ),
        (
            truebleu.compare,
            {"systems": {"a": ["b"]}, "references": [["b"]], "adaptive": "no"},
            "adaptive: found 'no', expected True or False",
        ),
        (
            truebleu.score,
            {"systems": ["b"], "references": ["b"], "metrics": [5]},
            "metrics: found [5], expected a list of strings or Metrics",
        ),
        (truebleu.read_human, {"path": True}, "path: found True, expected a file"),
    ],
)
def test_the_message_says_what_was_expected(
    function: Callable[..., Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError) as caught:
        function(**arguments)
    assert str(caught.value).startswith(message)


def test_it_is_a_type_error_too() -> None:
    with pytest.raises(TypeError) as caught:
        truebleu.BLEU(lowercase="no")  # type: ignore[arg-type]
    assert isinstance(caught.value, ArgumentTypeError)
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args  # noqa: S301


def test_a_number_for_a_path_reads_no_descriptor() -> None:
    """Python would open descriptor 1, read it, and close it."""
    reader, writer = os.pipe()
    try:
        for path in (reader, True):
            with pytest.raises(ArgumentTypeError):
                truebleu.read_test_set([path], ["ref"])  # type: ignore[list-item]
        os.fstat(reader)
    finally:
        os.close(reader)
        os.close(writer)


def test_what_has_a_repr_that_fails_is_shown_by_its_type() -> None:
    class Stubborn:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    with pytest.raises(ArgumentTypeError, match="found a Stubborn, expected a whole number"):
        truebleu.compare({"a": ["b"]}, [["b"]], seed=Stubborn())  # type: ignore[arg-type]
