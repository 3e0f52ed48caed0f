"""The seed: kept with every result, never taken from a clock or the environment."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from random import Random
from typing import TypeAlias

from truebleu.errors import SettingError

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 10_000


def require_seed(seed: object) -> None:
    """Raise SettingError unless it is a whole number of 64 bits; 0 is a seed like any other."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise SettingError("seed", seed, "a whole number from 0 up, below 2**64")


def require_replicates(setting: str, replicates: object) -> None:
    """Raise SettingError unless it is a whole number from 1 up."""
    if isinstance(replicates, bool) or not isinstance(replicates, int) or replicates < 1:
        raise SettingError(setting, replicates, "a whole number from 1 up")
    require_memory_for(setting, replicates, BYTES_PER_REPLICATE)


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
    import os

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


# Random numbers that are the same on every machine: a stream for each seed, purpose and index.


Draw: TypeAlias = Callable[[], float]


class Streams:
    """The streams of one purpose, one for each index.

    Only ``random()`` of a generator seeded by a whole number is drawn from: Python promises that
    sequence for all its versions, and promises nothing of the kind for ``choice`` or ``shuffle``.

    >>> Streams(1, "example").at(0)() == Streams(1, "example").at(0)()
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        digest = blake2b(purpose.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        # Seed, index and purpose take 64 bits each, so that no two streams share a key.
        self._key = int.from_bytes(digest, "big") << 128 | seed
        self._random = Random()  # noqa: S311  # noise, not secrets

    def at(self, index: int) -> Draw:
        """The numbers in [0, 1) of this index; asking for the next index ends them."""
        self._random.seed(self._key | index << 64)
        return self._random.random
