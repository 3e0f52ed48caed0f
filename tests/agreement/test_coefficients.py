"""Coefficients by name, with their settings."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu.agreement.coefficients import (
    ALIASES,
    COEFFICIENTS,
    DEFINITIONS,
    Coefficient,
    coefficient,
)
from truebleu.agreement.measures import Measure, measure_by
from truebleu.errors import SettingError, UnknownNameError


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_label_names_the_same_coefficient_again(name: str) -> None:
    definition = DEFINITIONS[name]
    settings: list[dict[str, Any]] = [{"threshold": 25.0} if definition.threshold else {}]
    if definition.epsilon:
        settings.append({"epsilon": 0.30000000000000004})
    if definition.calibrated:
        settings.append({"epsilon": "calibrated"})
    for setting in settings:
        chosen = coefficient(name, **setting)
        assert coefficient(chosen.label) == chosen


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_alias_is_another_name(alias: str, name: str) -> None:
    assert coefficient(alias) == coefficient(name)
    assert coefficient(alias.upper().replace("-", "_")) == coefficient(name)


def test_every_definition_says_what_it_is_and_where_it_is_from() -> None:
    assert all(one.formula and one.origin for one in DEFINITIONS.values())


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'kendall-b'"):
        coefficient("kendal-b")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acc-eq:often", r"'acc-eq:often', expected a number after acc-eq:, or 'calibrated'"),
        ("kendall-b:wide", r"'kendall-b:wide', expected a number after kendall-b:$"),
        ("kendall-b:calibrated", "only acc-eq and tau-eq are calibrated"),
        ("kendall-b:-1", "expected a finite number from 0 up"),
        ("kendall-b:nan", "expected a finite number from 0 up"),
        ("kendall-c:0.5", "expected 0: it has no threshold"),
        ("pearson:0.5", "expected 0: it has no threshold"),
        ("kendall-like", "such as kendall-like:25"),
        ("kendall-like:-5", "expected a finite number from 0 up"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(name: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        coefficient(name)


def test_a_threshold_is_for_kendall_like_only() -> None:
    with pytest.raises(SettingError, match="only kendall-like has one"):
        Coefficient(name="pearson", threshold=1.0)
    with pytest.raises(SettingError, match="only once"):
        coefficient("acc-eq:0.5", epsilon=0.5)


def test_what_puts_pairs_together_is_not_averaged() -> None:
    assert measure_by("chen-cherry", grouping="item").average is None
    with pytest.raises(SettingError, match="put together"):
        measure_by("chen-cherry", grouping="item", average="macro")
    with pytest.raises(SettingError, match="leave-out"):
        measure_by("chen-cherry", grouping="item", undefined="zero")
    with pytest.raises(SettingError, match="leave-out"):
        measure_by("kendall-like:1", grouping="item", undefined="zero")
    assert not measure_by("kendall-like:1", grouping="item", average="macro").pooled


@pytest.mark.parametrize(
    "settings", [{"grouping": "segment"}, {"average": "mean"}, {"undefined": "nan"}]
)
def test_settings_of_no_such_name_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        measure_by("pearson", **settings)


def test_a_signature_says_all_that_must_match() -> None:
    made = measure_by("acc-eq:calibrated", grouping="item")
    assert made.signature == "acc-eq:calibrated|grouping:item|average:macro"
    other = Measure(coefficient=coefficient("pearson"), grouping="system", undefined="zero")
    assert other.signature == "pearson|grouping:system|average:macro|undefined:zero"
    assert measure_by("pearson").signature == "pearson|grouping:none"
