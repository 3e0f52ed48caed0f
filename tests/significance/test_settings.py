"""Settings that would have no effect, or no meaning, are refused in words."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu import compare
from truebleu.errors import SettingError, UnknownNameError
from truebleu.schema import INTERVALS
from truebleu.significance.intervals import INTERVAL_METHODS
from truebleu.significance.settings import CompareSettings


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"correction": "tukey", "adaptive": True}, "adaptive"),
        ({"correction": "scheffe", "alternative": "greater"}, "alternative"),
        ({"correction": "westfall-young", "test": "bootstrap-absolute"}, "correction"),
        ({"alternative": "less", "test": "bootstrap-absolute"}, "alternative"),
        ({"level": 1e-13}, "level"),
        ({"level": 1 - 1e-13}, "level"),
        ({"level": "x"}, "level"),
        ({"level": True}, "level"),
        ({"adaptive": "no"}, "adaptive"),
        ({"by_domain": 1}, "by_domain"),
        ({"margin": "1"}, "margin"),
        ({"replicates": "many"}, "replicates"),
        ({"replicates": 1e4}, "replicates"),
        ({"test": 3}, "test"),
        ({"swap_runs": "separately", "test": "bootstrap"}, "swap_runs"),
    ],
)
def test_settings_without_effect_or_meaning_are_refused(
    settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(SettingError, match=f"^{named}: "):
        CompareSettings(**settings)


def test_compare_rejects_the_same_settings() -> None:
    texts = {"a": ["one", "two"], "b": ["one", "too"]}
    with pytest.raises(SettingError, match="level: 'x'"):
        compare(texts, ["one", "two"], level="x")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'bootstrap'"):
        compare(texts, ["one", "two"], test="boostrap")
    with pytest.raises(SettingError, match=r"swap_runs: .* without runs; add runs"):
        compare(texts, ["one", "two"], swap_runs="separately")


def test_every_name_of_an_interval_has_its_method() -> None:
    # The names stand apart, for commands that must not wait for NumPy.
    assert (*INTERVALS, "two-way") == tuple(INTERVAL_METHODS)
