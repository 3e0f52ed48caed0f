"""A declared setting checks values and describes its range."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pytest

from truebleu.schema import Column, Setting, is_of, read_type, type_hints

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (Setting(), ""),
        (Setting(minimum=0), " from 0 up"),
        (Setting(minimum=1, maximum=10_000), " from 1 to 10,000"),
        (Setting(minimum=0.5, below=1), " from 0.5 to below 1"),
        (Setting(above=0, maximum=2), " above 0 and up to 2"),
    ],
)
def test_limits_are_described_in_words(setting: Setting, words: str) -> None:
    assert setting.limits() == words


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        (float, 1, True),
        (float, Fraction(1, 3), True),
        (float, np.float32(0.5), True),
        (float, Decimal("0.5"), False),
        (float, 10**400, False),
        (float, float("inf"), False),
        (float, True, False),
        (int, np.int8(5), True),
        (int, 5.0, False),
        (int, True, False),
        (bool, 1, False),
        (str, b"a", False),
    ],
)
def test_finite_numbers_of_any_library_are_numbers(kind: type, value: Any, fits: bool) -> None:
    assert is_of(kind, value) is fits


@pytest.mark.parametrize(
    ("annotation", "kind", "optional", "many"),
    [
        (float, float, False, False),
        (bool | None, bool, True, False),
        (str | PathLike[str] | None, PathLike, True, False),
        (Literal["a", "b"], str, False, False),
        (Sequence[int] | None, int, True, True),
        (tuple[float, ...], float, False, True),
        (str | Sequence[str], str, False, True),
        (Annotated[int | None, Setting(minimum=1)] | None, int, True, False),
        (dict[str, int] | None, None, True, False),
        (str | dict[str, int], None, True, False),
    ],
)
def test_a_type_is_a_declaration(
    annotation: Any, kind: type | None, optional: bool, many: bool
) -> None:
    declared = read_type("x", annotation)
    assert (declared.kind, declared.optional, declared.many) == (kind, optional, many)


def test_an_outer_setting_refines_an_inner_one() -> None:
    inner = Annotated[int, Setting(minimum=1, maximum=9, default=3)]
    declared = read_type("x", Annotated[inner, Setting(maximum=5)])
    assert declared.setting.limits() == " from 1 to 5"
    assert declared.default == 3


def test_names_that_only_type_checkers_know_do_not_hide_other_annotations() -> None:
    class Owner:
        module: ModuleType
        modules: Mapping[str, ModuleType] | None
        value: Annotated[float, Column(digits=1)]

    assert type_hints(Owner)["value"].__metadata__ == (Column(digits=1),)
