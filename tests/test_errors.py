"""Errors: a tree that can be caught, pickled and read."""

from __future__ import annotations

import pickle

import pytest

from truebleu.errors import RefusedError, SettingError, TruebleuError, UnknownNameError


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError("metric", "blue", ["bleu"]),
        SettingError("seed", -1, "0 or more"),
        RefusedError("no"),
    ],
)
def test_errors_survive_pickling(error: TruebleuError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert str(copy) == str(error)
    assert type(copy) is type(error)


@pytest.mark.parametrize(
    "value", [object(), len, lambda: None, [object()]], ids=["object", "len", "lambda", "list"]
)
def test_a_message_has_no_address_of_an_object(value: object) -> None:
    assert "0x" not in str(SettingError("executor", value, "an executor"))
