"""A declared setting checks values and describes its range."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from truebleu.schema import Setting, is_of


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
