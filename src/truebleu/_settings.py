"""Settings that many commands share, their usual values, and the checks of what callers give.

A seed is kept with every result, and never taken from a clock or the environment. This module
imports nothing that takes long: the command line lists the names in its help.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Literal, TypeAlias, get_args

from truebleu.errors import SettingError, UnknownNameError

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 10_000
#: Squares and cubes of larger numbers, and sums of such, would be infinite.
LARGEST = 1e100
#: Whole numbers that are counted with have 64 bits.
MOST = 2**63 - 1

Unit = Literal["segment", "document", "block"]
IntervalName = Literal[
    "percentile",
    "bca",
    "student",
    "hall",
    "two-way",
]
Alternative = Literal["two-sided", "greater", "less"]
#: What a verdict on systems with several runs is about.
About = Literal["further-runs", "these-runs"]
#: What swaps exchange where systems have several runs: all runs of a unit, or each by itself.
RunSwaps = Literal["together", "separately"]

UNITS: tuple[Unit, ...] = get_args(Unit)
#: The intervals to choose from; two-way ones come with the test of that name.
INTERVALS: tuple[IntervalName, ...] = tuple(
    name for name in get_args(IntervalName) if name != "two-way"
)
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
ABOUTS: tuple[About, ...] = get_args(About)
RUN_SWAPS: tuple[RunSwaps, ...] = get_args(RunSwaps)


def require_number(setting: str, value: object, expected: str = "a finite number") -> float:
    """The value as a float, refused unless it is a finite number that can be squared."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise SettingError(setting, value, expected)
    number = float(value)
    if abs(number) > LARGEST:
        raise SettingError(setting, value, f"{expected}, up to {LARGEST:g}")
    return number


def require_whole_number(setting: str, value: object, least: int, most: int | None = None) -> int:
    """The value, refused unless it is a whole number between these, both included."""
    above = isinstance(value, int) and most is not None and value > most
    if isinstance(value, bool) or not isinstance(value, int) or value < least or above:
        end = "up" if most is None else f"to {most}"
        raise SettingError(setting, value, f"a whole number from {least} {end}")
    return value


def require_flag(setting: str, value: object) -> None:
    """Raise SettingError unless it is True or False: "no" would count as true."""
    if not isinstance(value, bool):
        raise SettingError(setting, value, "True or False")


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
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise SettingError("seed", seed, "a whole number from 0 up, below 2**64")


Draw: TypeAlias = Callable[[], float]


class Streams:
    """Random numbers that are the same on every machine: a stream for each seed, purpose and index.

    Only ``random()`` of a generator seeded by a whole number is drawn from: Python promises that
    sequence for all its versions, and promises nothing of the kind for ``choice`` or ``shuffle``.

    >>> Streams(1, "example").at(0)() == Streams(1, "example").at(0)()
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        from hashlib import blake2b
        from random import Random

        digest = blake2b(purpose.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        # Seed, index and purpose take 64 bits each, so that no two streams share a key.
        self._key = int.from_bytes(digest, "big") << 128 | seed
        self._random = Random()  # noqa: S311  # noise, not secrets

    def at(self, index: int) -> Draw:
        """The numbers in [0, 1) of this index; asking for the next index ends them."""
        self._random.seed(self._key | index << 64)
        return self._random.random
