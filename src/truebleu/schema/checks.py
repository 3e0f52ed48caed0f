"""Checks of values that are not declared options."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast, get_args

from truebleu.errors import ArgumentTypeError, SettingError
from truebleu.schema.declare import MOST, Parameter, Setting, read_type
from truebleu.schema.shared import Seed

if TYPE_CHECKING:
    import types
    from collections.abc import Iterable


def require_type(setting: str, value: object, kind: type | types.UnionType, expected: str) -> None:
    """Check the type of a value; raises ArgumentTypeError. Text does not count as a sequence."""
    kinds = get_args(kind) or (kind,)
    is_other_text = isinstance(value, str | bytes) and str not in kinds
    if is_other_text or not isinstance(value, kinds):
        raise ArgumentTypeError(setting, value, expected)


def require_path(setting: str, value: object) -> str:
    """Return a path as text; raises ArgumentTypeError for anything but a str or a path object."""
    require_type(setting, value, str | os.PathLike, "a file")
    return os.fspath(cast("str", value))


def require_whole_number(setting: str, value: object, minimum: int, maximum: int = MOST) -> int:
    """Return a whole number within limits, both included; raises SettingError for other values."""
    limits = Setting(minimum=minimum, maximum=maximum)
    return cast("int", Parameter(setting, int, setting=limits).checked(value))


def require_name(setting: str, name: object, known: Iterable[str]) -> None:
    """Check that a name is one of the known names; raises SettingError."""
    Parameter(setting, str, setting=Setting(choices=tuple(known))).check(name)


def require_level(level: object) -> float:
    """Return a confidence level as a float; raises SettingError unless it is between 0 and 1."""
    return _require_share("level", level)


def require_alpha(alpha: object) -> float:
    """Return a significance level as a float; raises SettingError unless it is between 0 and 1."""
    return _require_share("alpha", alpha)


def _require_share(setting: str, value: object) -> float:
    return cast(
        "float", Parameter(setting, float, setting=Setting(above=0, below=1)).checked(value)
    )


def require_seed(seed: object) -> None:
    """Check that a seed is a whole number of 64 bits; raises SettingError."""
    read_type("seed", Seed).check(seed)


# Memory of a replicate: scores of two systems, their difference, and copies.
BYTES_PER_REPLICATE = 64


def require_replicates(setting: str, replicates: object) -> None:
    """Check that replicates are a whole number and fit into memory; raises SettingError."""
    require_memory_for(setting, require_whole_number(setting, replicates, 1), BYTES_PER_REPLICATE)


def require_memory_for(setting: str, count: int, bytes_each: int) -> None:
    """Raise SettingError if `count` items of `bytes_each` bytes do not fit into memory."""
    maximum = memory() // bytes_each
    if count > maximum:
        expected = f"at most {maximum:,}, which fit into the memory of this machine"
        raise SettingError(setting, count, expected)


def memory() -> int:
    """Return the bytes of memory that this process may use; 64 GiB if unknown."""
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
