"""Checks of values that no annotation describes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truebleu import schema
from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError


def test_whole_numbers_have_limits_that_they_may_reach() -> None:
    assert schema.require_whole_number("count", np.int64(1), 1, 3) == 1
    assert schema.require_whole_number("count", 3, 1, 3) == 3
    assert schema.require_whole_number("count", schema.MOST, 1) == schema.MOST
    with pytest.raises(SettingError, match="from 1 to 9,223,372,036,854,775,807"):
        schema.require_whole_number("count", 2**63, 1)


@pytest.mark.parametrize("value", [0, 4, 1.0, True, "2", None])
def test_other_values_are_no_whole_numbers(value: Any) -> None:
    with pytest.raises(SettingError, match=r"count.*a whole number from 1 to 3"):
        schema.require_whole_number("count", value, 1, 3)


@pytest.mark.parametrize("check", [schema.require_level, schema.require_alpha])
@pytest.mark.parametrize("value", [0, 1, -0.5, 95, "0.95"])
def test_levels_lie_between_0_and_1(check: Any, value: Any) -> None:
    assert check(0.5) == 0.5
    with pytest.raises(SettingError, match="a number above 0 and below 1"):
        check(value)


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    schema.require_name("test", "ar", ["ar", "bootstrap"])
    with pytest.raises(UnknownNameError, match="did you mean 'bootstrap'"):
        schema.require_name("test", "bootstrp", ["ar", "bootstrap"])
    with pytest.raises(SettingError, match="one of ar, bootstrap"):
        schema.require_name("test", 5, ["ar", "bootstrap"])


def test_replicates_must_fit_into_memory() -> None:
    most = schema.memory() // schema.BYTES_PER_REPLICATE
    schema.require_replicates("replicates", most)
    with pytest.raises(SettingError, match=f"at most {most:,}"):
        schema.require_replicates("replicates", most + 1)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "1"])
def test_a_seed_has_64_bits(seed: Any) -> None:
    schema.require_seed(0)
    schema.require_seed(2**64 - 1)
    with pytest.raises(SettingError, match="seed"):
        schema.require_seed(seed)


def test_a_value_of_another_type_is_refused() -> None:
    for value, kind in (([1], Sequence), ("a", str), ((1,), Sequence), (None, Sequence | None)):
        schema.require_type("rows", value, kind, "rows")
    for wrong, kind in ((5, Sequence), ("a", Sequence | None), (b"a", str), (None, Sequence)):
        with pytest.raises(ArgumentTypeError, match=r"rows: .*; expected several rows"):
            schema.require_type("rows", wrong, kind, "several rows")


def test_a_path_is_text_or_a_path_object() -> None:
    assert schema.require_path("path", Path("a")) == schema.require_path("path", "a") == "a"
    with pytest.raises(ArgumentTypeError, match="path: 5; expected a file"):
        schema.require_path("path", 5)
