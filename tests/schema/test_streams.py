"""Random numbers that are the same on every machine."""

from __future__ import annotations

from hashlib import blake2b
from random import Random

from truebleu.schema import Streams


def test_a_stream_is_a_generator_seeded_by_purpose_index_and_seed() -> None:
    purpose = int.from_bytes(blake2b(b"test", digest_size=8).digest(), "big")
    expected = Random(purpose * 2**128 + 7 * 2**64 + 5)  # noqa: S311
    draw = Streams(5, "test").at(7)
    assert [draw() for _ in range(9)] == [expected.random() for _ in range(9)]


def test_streams_differ_by_seed_purpose_and_index() -> None:
    streams = [(1, "a", 0), (2, "a", 0), (1, "b", 0), (1, "a", 1)]
    assert len({Streams(seed, purpose).at(index)() for seed, purpose, index in streams}) == 4


def test_purposes_may_be_any_text() -> None:
    assert 0 <= Streams(0, "\udcff").at(0)() < 1
