"""Options of verbs are declared once: checked, completed, shown and kept."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import numpy as np
import pytest

import truebleu
from truebleu import schema
from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.planning.sample import SampleSettings
from truebleu.schema import Setting
from truebleu.schema.docstrings import argument_lines
from truebleu.significance.gate import GateSettings
from truebleu.significance.settings import CompareSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Unpack


class SharedOptions(TypedDict, total=False):
    level: schema.Level
    unit: Annotated[Literal["segment", "document"] | None, Setting(help="what is resampled.")]


class DecideOptions(SharedOptions, total=False):
    """Options of `decide`.

    Attributes:
        test: the test
            to make.
        margin: the margin.
    """

    margin: Annotated[float | None, Setting(above=0)]
    test: Annotated[str, Setting(choices=("ar", "bootstrap"))]
    seed: Annotated[schema.Seed, Setting(default=7)]
    exact: bool
    shares: Annotated[Sequence[float], Setting(default=())]
    file: str | PathLike[str] | None
    sampled: schema.Tested | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideSettings(schema.Settings):
    OPTIONS = DecideOptions

    level: float = 0.95
    unit: Literal["segment", "document"] = "segment"
    test: str = "ar"
    margin: float | None = None
    rounds: Annotated[int, Setting(minimum=1)] = 1

    @staticmethod
    def refuse_conflicts(options: Mapping[str, Any]) -> None:
        if options["margin"] is not None and options["test"] == "bootstrap":
            raise SettingError("margin", options["margin"], "None with the bootstrap")


@schema.takes(DecideSettings)
def decide(text: str, other: str = "", *, by: str = "", **options: Unpack[DecideOptions]) -> Any:
    """Decide.

    Args:
        text: anything.
        by: a column.

    Returns:
        All options.
    """
    return {"text": text, "other": other, "by": by, **options}


def test_a_verb_gets_all_options_with_their_defaults() -> None:
    assert decide("x", by="y", level=0.9) == {
        "text": "x", "other": "", "by": "y", "level": 0.9, "unit": None, "margin": None,
        "test": "ar", "seed": 7, "exact": False, "shares": (), "file": None,
        "sampled": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {"level": 0.5, "seed": 0, "test": "bootstrap", "unit": "document"},
        {"shares": [0.1, 1], "exact": True, "file": Path("a"), "margin": None},
    ],
)
def test_possible_values_reach_the_verb(options: dict[str, Any]) -> None:
    values = decide("x", **options)
    assert {name: values[name] for name in options} == options


def test_numbers_of_any_library_become_python_numbers() -> None:
    level: Any = Fraction(9, 10)
    values = decide("x", level=level, seed=np.uint64(5), margin=np.float32(0.5))
    numbers = values["level"], values["seed"], values["margin"]
    assert [(number, type(number)) for number in numbers] == [(0.9, float), (5, int), (0.5, float)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"level": 0.05}, SettingError, "level: 0.05; expected a number from 0.5 to below 1; did"),
        ({"level": "0.95"}, ArgumentTypeError, "a number"),
        ({"level": None}, ArgumentTypeError, "a number"),
        ({"seed": 1.5}, ArgumentTypeError, "a whole number"),
        ({"seed": 2**64}, SettingError, "from 0 to"),
        ({"test": "at"}, UnknownNameError, "did you mean 'ar'"),
        ({"test": 5}, ArgumentTypeError, "one of ar, bootstrap"),
        ({"test": None}, ArgumentTypeError, "one of ar, bootstrap"),
        ({"unit": "word"}, UnknownNameError, "unknown unit 'word'"),
        ({"margin": 0}, SettingError, "above 0"),
        ({"shares": ["a"]}, ArgumentTypeError, "a number"),
        ({"exact": 1}, ArgumentTypeError, "True or False"),
        ({"file": 5}, ArgumentTypeError, "a file"),
        ({"margin": 1, "test": "bootstrap"}, SettingError, "None with the bootstrap"),
    ],
    ids=str,
)
def test_invalid_values_raise_an_error_with_the_valid_ones(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        decide("x", **options)


@pytest.mark.parametrize("name", ["levl", "tex", "b"])
def test_an_unknown_argument_is_answered_with_the_nearest_of_all(name: str) -> None:
    nearest = {"levl": "level", "tex": "text", "b": "by"}[name]
    with pytest.raises(UnknownNameError, match=f"'{name}'; did you mean '{nearest}'"):
        decide("x", **{name: 1})  # type: ignore[arg-type]


def test_a_misspelt_argument_of_a_public_verb_is_answered_with_the_right_one() -> None:
    with pytest.raises(UnknownNameError, match="'metric'; did you mean 'metrics'"):
        truebleu.compare({"a": ["x"], "b": ["y"]}, ["x"], metric="chrf")  # type: ignore[call-arg]


def test_a_missing_option_without_default_is_named() -> None:
    class Sized(TypedDict):
        size: Annotated[int, Setting(minimum=1)]

    with pytest.raises(ArgumentTypeError, match="size: None; expected a whole number from 1 up"):
        schema.resolve(Sized, {})


def test_the_signature_has_all_options_with_types_and_defaults() -> None:
    parameters = inspect.signature(decide).parameters
    assert list(parameters) == [
        "text", "other", "margin", "test", "level", "unit", "seed", "exact", "shares", "file",
        "sampled", "by",
    ]  # fmt: skip
    assert parameters["margin"].annotation == float | None
    assert parameters["level"].annotation is float
    assert parameters["sampled"].annotation == schema.Alternative | None
    assert (parameters["level"].default, parameters["test"].default) == (0.95, "ar")
    assert parameters["text"].default is inspect.Parameter.empty


def test_the_docstring_describes_all_options() -> None:
    document = decide.__doc__ or ""
    lines = [
        "    text: anything.",
        "    margin: the margin.",
        "    test: the test to make.",
        "    level: confidence level; tests use 1 − level.",
        "    unit: what is resampled.",
        "    by: a column.",
        "Returns:",
    ]
    places = [document.index(line) for line in lines]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"level": 0.2}, "level: 0.2; expected a number from 0.5"),
        ({"margin": -3}, "margin: -3"),
        ({"unit": None}, "unit: None; expected one of segment, document"),
        ({"rounds": 0}, "rounds: 0; expected a whole number from 1"),
        ({"margin": 1, "test": "bootstrap"}, "None with the bootstrap"),
    ],
)
def test_kept_settings_have_the_limits_of_their_options(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        DecideSettings(**fields)


def test_settings_are_made_of_options_and_choices() -> None:
    settings = DecideSettings.from_options(
        schema.resolve(decide, {"margin": 2}), unit="document", rounds=3
    )
    assert settings == DecideSettings(margin=2.0, unit="document", rounds=3)


def test_fields_of_a_dataclass_have_their_own_limits_and_help() -> None:
    declared = schema.fields_of(DecideSettings)
    assert list(declared) == ["level", "unit", "test", "margin", "rounds"]
    assert (declared["unit"].optional, declared["margin"].optional) == (False, True)
    assert declared["test"].setting.help == "the test to make."


VERBS = {
    name: verb
    for name in truebleu.__all__
    if schema.is_verb(verb := getattr(truebleu, name)) and inspect.isfunction(verb)
}


def test_all_public_verbs_take_declared_options() -> None:
    others = {"count", "read_test_set", "set_threads"}
    functions = {n for n in truebleu.__all__ if inspect.isfunction(getattr(truebleu, n))}
    assert functions - VERBS.keys() == others


@pytest.mark.parametrize("name", VERBS)
def test_signature_and_docstring_of_a_verb_show_every_option(name: str) -> None:
    parameters = inspect.signature(VERBS[name]).parameters
    described = argument_lines(VERBS[name].__doc__ or "")
    for option, declared in schema.declared_by(VERBS[name]).items():
        shown = parameters[option]
        assert (shown.kind, shown.annotation) == (shown.KEYWORD_ONLY, declared.annotation)
        assert "Setting(" not in inspect.formatannotation(shown.annotation)
        assert shown.default is (shown.empty if declared.default is MISSING else declared.default)
        assert described[option] == declared.setting.help != ""


@pytest.mark.parametrize(
    ("settings", "field", "value"),
    [
        (GateSettings, "margin", -3),
        (GateSettings, "looks", -5),
        (CompareSettings, "level", 0.2),
        (SampleSettings, "size", -3),
    ],
)
def test_settings_of_verbs_refuse_what_their_verb_refuses(
    settings: Any, field: str, value: float
) -> None:
    with pytest.raises(SettingError, match=f"{field}: {value}"):
        settings(**{field: value})
