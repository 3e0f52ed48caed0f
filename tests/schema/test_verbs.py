"""Verbs check their arguments against their declarations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pytest

import truebleu
from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.schema import Level, Seed, Setting, parameters_of, picked, verb

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

KINDS = {"ar": 1, "bootstrap": 2}


@verb
def decide(
    text: object,
    *,
    level: Level = 0.95,
    seed: Seed = 1,
    test: Annotated[str | None, Setting(choices=tuple(KINDS))] = None,
    unit: Literal["segment", "document"] = "segment",
    margin: Annotated[float | None, Setting(above=0)] = None,
    shares: Sequence[float] = (0.5,),
    exact: bool = False,
    file: str | PathLike[str] | None = None,
) -> dict[str, Any]:
    """Decide.

    Args:
        text: anything.
        test: which one
            of the two.

    Returns:
        What it was called with.
    """
    return dict(locals())


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"level": 0.5, "seed": np.int64(7), "test": "ar", "margin": np.float32(0.5)},
        {"unit": "document", "shares": [0.1, 1], "exact": True, "file": Path("a")},
        {"shares": 0.5},
        {"test": None, "margin": None, "file": "a"},
    ],
)
def test_what_fits_the_declaration_is_passed_on(settings: dict[str, Any]) -> None:
    values = decide("x", **settings)
    assert {name: values[name] for name in settings} == settings


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"level": 0.05}, SettingError, "did you mean 0.95"),
        ({"level": 1.0}, SettingError, "from 0.5 to below 1"),
        ({"level": "0.95"}, ArgumentTypeError, "a number"),
        ({"level": True}, ArgumentTypeError, "a number"),
        ({"level": float("nan")}, ArgumentTypeError, "a number"),
        ({"seed": 1.5}, ArgumentTypeError, "a whole number"),
        ({"seed": -1}, SettingError, "from 0"),
        ({"seed": 2**64}, SettingError, "from 0 to"),
        ({"test": "at"}, UnknownNameError, "did you mean 'ar'"),
        ({"test": 5}, ArgumentTypeError, "one of ar, bootstrap"),
        ({"unit": "word"}, UnknownNameError, "unknown unit 'word'"),
        ({"unit": None}, ArgumentTypeError, "one of segment, document"),
        ({"margin": 0}, SettingError, "above 0"),
        ({"margin": 1e200}, SettingError, "margin"),
        ({"shares": ["a"]}, ArgumentTypeError, "a number"),
        ({"exact": "no"}, ArgumentTypeError, "True or False"),
        ({"file": 5}, ArgumentTypeError, "a file"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_in_words(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        decide("x", **settings)


def test_an_unknown_argument_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="'metric'; did you mean 'metrics'"):
        truebleu.compare({"a": ["x"], "b": ["y"]}, ["x"], metric="chrf")  # type: ignore[call-arg]


def test_the_help_of_a_setting_is_its_line_or_what_all_verbs_share() -> None:
    declared = parameters_of(decide)
    assert declared["test"].setting.help == "which one of the two."
    assert declared["level"].setting.help.startswith("confidence level;")
    document = decide.__doc__ or ""
    assert document.index("text: anything") < document.index("level: confidence level;")
    assert document.index("level: confidence") < document.index("test: which one of the two.")
    assert document.rstrip().endswith("What it was called with.")


def test_picked_settings_come_from_the_arguments() -> None:
    with_defaults = picked(Setting, {"minimum": 2, "other": 5}, help="a")
    assert with_defaults == Setting(minimum=2, help="a")
