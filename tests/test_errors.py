"""Errors: a tree that can be caught, pickled and read."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from truebleu.errors import (
    PACKAGES,
    MissingExtraError,
    RefusedError,
    SettingError,
    TruebleuError,
    UnknownNameError,
)


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


def extras() -> dict[str, list[str]]:
    """Return the requirements of each extra in pyproject.toml."""
    tomllib = pytest.importorskip("tomllib")
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    optional: dict[str, list[str]] = tomllib.loads(text)["project"]["optional-dependencies"]
    return optional


@pytest.mark.parametrize("extra", PACKAGES)
def test_a_hint_names_the_packages_of_an_extra(extra: str) -> None:
    hint = str(MissingExtraError("this", extra))
    names = {
        re.split("[<>=]", word.strip("'"))[0] for word in hint.partition("install ")[2].split()
    }
    names -= {"it", "with:", "pip", "install"}
    assert names == {re.split("[<>=]", requirement)[0] for requirement in extras()[extra]}


def test_the_extra_all_has_every_extra_without_pytorch() -> None:
    (everything,) = extras()["all"]
    of_pytorch = {"comet", "neural", "torchmetrics"}
    assert (
        set(re.findall(r"\w+", everything)) - {"truebleu"} == set(extras()) - {"all"} - of_pytorch
    )
