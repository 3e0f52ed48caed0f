"""Verbs, readers and metrics with wrong arguments: an error of ours or a result, nothing else."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from tests.robustness import api_calls
from truebleu.errors import ArgumentTypeError, SettingError, TruebleuError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.robustness.api_calls import Call

#: Values that hardly any parameter takes; each is wrong for most, and right for some.
VALUES: dict[str, Any] = {
    "None": None,
    "5": 5,
    "-1": -1,
    "10**400": 10**400,
    "nan": float("nan"),
    "inf": float("inf"),
    "True": True,
    "x": "x",
    "nothing": "",
    "NUL": "a\0b",
    "surrogate": "\udc80",
    "bytes": b"x",
    "[]": [],
    "[5]": [5],
    "[x]": ["x"],
    "[None]": [None],
    "{}": {},
    "{a: 5}": {"a": 5},
}
#: Functions and executors that callers hand over: Python refuses what is none.
CALLED = {"progress", "executor", "runner"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def spoilt_parameters(function: Callable[..., Any]) -> list[str]:
    """The parameters of a function that are given by name."""
    parameters = inspect.signature(function).parameters.values()
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return [p.name for p in parameters if p.kind not in variable and p.name not in CALLED]


def spoil(call: Call) -> list[str]:
    """Call with every parameter spoilt in every way; what went wrong."""
    faults = []
    for name in spoilt_parameters(call.function):
        for title, value in VALUES.items():
            arguments = {**call.arguments, name: value}
            try:
                call.function(**arguments)
            except TruebleuError as error:
                # Messages are made when they are asked for.
                str(error)
            except Exception as error:
                faults.append(f"{name}={title}: {type(error).__name__}: {error}")
    return faults


def marked(names: Iterable[str]) -> list[Any]:
    """Names as parameters; those that take a while are slow tests."""
    slow = pytest.mark.slow
    return [
        pytest.param(name, marks=slow) if name in api_calls.SLOW else pytest.param(name)
        for name in names
    ]


@pytest.mark.parametrize("name", marked(api_calls.verbs()))
def test_a_wrong_argument_of_a_verb_is_our_error(name: str) -> None:
    assert spoil(api_calls.verbs()[name]) == []


def test_every_verb_and_reader_has_a_call(folder: Path) -> None:
    calls = {*api_calls.verbs(), *api_calls.readers(folder)}
    functions = {name for name in dir(truebleu) if inspect.isfunction(getattr(truebleu, name))}
    assert functions <= calls


def test_a_wrong_argument_of_a_reader_is_our_error(folder: Path) -> None:
    calls = api_calls.readers(folder)
    faults = {name: found for name, call in calls.items() if (found := spoil(call))}
    assert faults == {}


@pytest.mark.parametrize("name", api_calls.metric_classes())
def test_a_wrong_setting_of_a_metric_is_our_error(name: str) -> None:
    assert spoil(api_calls.metric_classes()[name]) == []


def test_results_pickle_copy_and_compare() -> None:
    for value in api_calls.results():
        for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):  # noqa: S301
            assert type(other) is type(value)
            assert other == value, type(value).__name__
        assert value != 5
        assert value != "x"
        assert repr(value)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (truebleu.BLEU, {"tokenize": 5}, "tokenize: 5; expected a name"),
        (truebleu.BLEU, {"smooth": "flor"}, "unknown smooth 'flor'; did you mean 'floor'"),
        (truebleu.CHRF, {"char_order": 6.0}, "char_order: 6.0; expected a whole number"),
        (
            truebleu.significance.CompareSettings,
            {"level": "x"},
            "level: 'x'; expected a number",
        ),
        (
            truebleu.compare,
            {"systems": {"a": ["b"]}, "references": [["b"]], "adaptive": "no"},
            "adaptive: 'no'; expected True or False",
        ),
        (
            truebleu.score,
            {"systems": ["b"], "references": ["b"], "metrics": [5]},
            "metrics: 5; expected names such as",
        ),
        (truebleu.read_human, {"path": True}, "path: True; expected a file"),
    ],
)
def test_messages_name_the_expected_value(
    function: Callable[..., Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError) as caught:
        function(**arguments)
    assert str(caught.value).startswith(message)


def test_an_argument_error_is_also_a_type_error() -> None:
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
                truebleu.read_human(path)  # type: ignore[arg-type]
        os.fstat(reader)
    finally:
        os.close(reader)
        os.close(writer)


def test_a_value_with_a_failing_repr_is_shown_by_its_type() -> None:
    class Stubborn:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    with pytest.raises(ArgumentTypeError, match="a Stubborn; expected a whole number"):
        truebleu.compare({"a": ["b"]}, [["b"]], seed=Stubborn())  # type: ignore[arg-type]
