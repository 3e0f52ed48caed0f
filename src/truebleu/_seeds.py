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
