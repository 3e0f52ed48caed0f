"""Checks of values that no annotation describes."""

from __future__ import annotations

import math
import os
from numbers import Real
from typing import TYPE_CHECKING, cast

from truebleu.errors import ArgumentTypeError, SettingError, UnknownNameError
from truebleu.schema.declare import LARGEST, is_of

if TYPE_CHECKING:
    from collections.abc import Iterable


def require_type(setting: str, value: object, kind: type, expected: str) -> None:
    """Raise ArgumentTypeError unless a value is None or of a type; a str is only a str."""
    is_text = isinstance(value, str | bytes) and kind is not type(value)
    if value is not None and (is_text or not isinstance(value, kind)):
        raise ArgumentTypeError(setting, value, expected)


def require_number(setting: str, value: object, expected: str = "a finite number") -> float:
    """The value as a float, refused unless it is a finite number that can be squared."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise SettingError(setting, value, expected)
    number = float(value)
    if abs(number) > LARGEST:
        raise SettingError(setting, value, f"{expected}, up to {LARGEST:g}")
    return number


def require_whole_number(
    setting: str, value: object, minimum: int, maximum: int | None = None
) -> int:
    """The value, refused unless it is a whole number between these, both included."""
    if not is_of(int, value) or not minimum <= cast("int", value) <= (
        math.inf if maximum is None else maximum
    ):
        end = "up" if maximum is None else f"to {maximum}"
        raise SettingError(setting, value, f"a whole number from {minimum} {end}")
    return int(cast("int", value))


def require_name(setting: str, name: object, known: Iterable[str]) -> None:
    """Raise UnknownNameError unless it is one of the known names."""
    names = tuple(known)
    if not isinstance(name, str):
        raise SettingError(setting, name, f"one of {', '.join(names)}")
    if name not in names:
        raise UnknownNameError(setting, name, names)


def require_level(level: object) -> float:
    """The level as a float, refused unless it lies between 0 and 1."""
    return _between_0_and_1("level", level, "a number between 0 and 1, such as 0.95")


def require_alpha(alpha: object) -> float:
    """The alpha as a float, refused unless it lies between 0 and 1."""
    return _between_0_and_1("alpha", alpha, "a number between 0 and 1, such as 0.05")


def _between_0_and_1(setting: str, value: object, expected: str) -> float:
    number = require_number(setting, value, expected)
    if not 0 < number < 1:
        raise SettingError(setting, value, expected)
    return number


def require_replicates(setting: str, replicates: object) -> None:
    """Raise SettingError unless it is a whole number from 1 up."""
    require_memory_for(setting, require_whole_number(setting, replicates, 1), BYTES_PER_REPLICATE)


# Scores of two systems and their difference, and the copies that are made of them.
BYTES_PER_REPLICATE = 64


def require_memory_for(setting: str, count: int, bytes_each: int) -> None:
    """Raise SettingError where so many cannot fit into memory, however few systems there are."""
    most = memory() // bytes_each
    if count > most:
        expected = f"at most {most:,}: more do not fit into the memory of this machine"
        raise SettingError(setting, count, expected)


def memory() -> int:
    """Bytes of memory that this process may use; 64 GiB where the system does not say."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        size = 1 << 36
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:
        return size
    limit = getrlimit(RLIMIT_AS)[0]
    return size if limit == RLIM_INFINITY else min(size, limit)


def require_seed(seed: object) -> None:
    """Raise SettingError unless it is a whole number of 64 bits; 0 is a seed like any other."""
    if not is_of(int, seed) or not 0 <= cast("int", seed) < 2**64:
        raise SettingError("seed", seed, "a whole number from 0 up, below 2**64")
