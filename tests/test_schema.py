"""Settings and fields of results, declared once."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pytest

import truebleu
from truebleu import schema
from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.reports.document import p_equals
from truebleu.schema import Column, Level, Seed, Setting, columns_of, parameters_of, row_of, verb

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from types import ModuleType

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
    assert declared["level"].setting.help.startswith("confidence of intervals")
    document = decide.__doc__ or ""
    assert document.index("text: anything") < document.index("level: confidence of intervals")
    assert document.index("level: confidence") < document.index("test: which one of the two.")
    assert document.rstrip().endswith("What it was called with.")


@dataclass(frozen=True)
class Pair:
    a: str
    difference: Annotated[float, Column(heading="Difference", digits=2, sign=True)]
    interval: tuple[float, float]
    wide_interval: tuple[float, float] | None = None
    p: Annotated[float | None, Column(digits=4)] = None


def test_a_field_says_how_it_is_shown_and_what_programs_call_it() -> None:
    columns = columns_of(Pair)
    assert columns["difference"].heading == "Difference"
    assert columns["difference"].cell(1.006) == "+1.01"
    assert (columns["p"].name, columns["p"].heading) == ("p", "p")
    assert row_of(Pair("x", 1.0, (0.5, 1.5))) == {
        "a": "x", "difference": 1.0, "low": 0.5, "high": 1.5, "wide_low": None, "wide_high": None,
        "p": None,
    }  # fmt: skip


def test_picked_settings_come_from_the_arguments() -> None:
    picked = schema.picked(Pair, {"a": "x", "interval": (0, 1), "other": 5}, difference=2.0)
    assert picked == Pair("x", 2.0, (0, 1))


def test_a_public_name_comes_from_its_module_and_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from truebleu.metrics.bleu import BLEU

    monkeypatch.delitem(vars(truebleu), "BLEU", raising=False)
    assert truebleu.BLEU is BLEU
    assert vars(truebleu)["BLEU"] is BLEU


@pytest.mark.parametrize("package", [truebleu, truebleu.metrics], ids=lambda p: p.__name__)
def test_an_unknown_name_is_an_attribute_error_as_of_any_module(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=rf"module '{package.__name__}' has no attribute"):
        _ = package.BLUE


def test_completion_shows_what_is_public() -> None:
    assert "BLEU" in dir(truebleu.metrics)
    assert not [name for name in dir(truebleu.metrics) if name.startswith("_")]


def test_importing_the_package_imports_no_verb() -> None:
    code = "import sys, truebleu; print('truebleu.significance.compare' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_numbers_of_any_kind_are_numbers_down_to_the_json() -> None:
    texts = {"a": ["the cat sat"] * 30, "b": ["a cat sat"] * 30}
    references = ["the cat sat on"] * 30
    ours = truebleu.compare(texts, references, replicates=100, seed=5, level=0.9)
    level: Any = Fraction(9, 10)
    theirs = truebleu.compare(
        texts, references, replicates=np.int64(100), seed=np.uint64(5), level=level
    )
    assert json.dumps(theirs.to_dict()) == json.dumps(ours.to_dict())


@pytest.mark.parametrize(("p", "cell"), [(0.00009999, "< 0.0001"), (0.0001, "0.0001")])
def test_a_small_p_is_the_same_in_a_table_and_in_a_sentence(p: float, cell: str) -> None:
    assert Column("p_adjusted", digits=4).cell(p) == cell
    assert p_equals("p", p) == ("p < 0.0001" if p < 0.0001 else "p = 0.0001")


def test_a_package_has_all_its_names_whichever_module_is_imported_first() -> None:
    code = (
        "import truebleu.agreement.agree as module, truebleu.agreement as package\n"
        "print(set(module.__all__) - set(dir(package)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
