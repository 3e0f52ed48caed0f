"""Random numbers that are equal on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Draw: TypeAlias = Callable[[], float]


class Streams:
    """Random numbers that are equal on every machine: a stream for each seed, purpose and index.

    Only ``random()`` of a generator seeded by a whole number is used: Python guarantees this
    sequence in all versions, but not the sequences of ``choice`` and ``shuffle``.

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
        """Return the stream of numbers in [0, 1) at an index; the next call ends it."""
        self._random.seed(self._key | index << 64)
        return self._random.random
