"""Fingerprints of texts, against SHA-256 written out."""

from __future__ import annotations

import hashlib

import pytest

from truebleu.corpus import Segments
from truebleu.corpus.fingerprints import fingerprint

SAME: list[list[str | None]] = [["a cat", "a dog"], ["the cat", None]]


def test_a_fingerprint_is_the_sha_256_of_numbers_and_texts() -> None:
    texts = b"5 bytes\na cat5 bytes\na dog", b"7 bytes\nthe catnone\n"
    digests = [hashlib.sha256(text).digest() for text in texts]
    plain = b"2 references\n" + b"".join(b"2 segments\n" + digest for digest in digests)
    assert fingerprint(SAME) == f"sha256:{hashlib.sha256(plain).hexdigest()}"


def test_fingerprints_do_not_depend_on_the_type_of_texts() -> None:
    assert fingerprint([Segments(text) for text in SAME]) == fingerprint(SAME)


@pytest.mark.parametrize(
    "other",
    [
        [["a cat", "a dog"], ["the cat", ""]],
        [["a cat", "a dog "], ["the cat", None]],
        [["a cat", "a dog"]],
        [["the cat", None], ["a cat", "a dog"]],
        [["a dog", "a cat"], ["the cat", None]],
        [["a cat", "a dog", "the cat", None]],
        [["a cat5 bytes\na dog"], ["the cat"]],
    ],
    ids=str,
)
def test_any_change_of_the_references_changes_it(other: list[list[str | None]]) -> None:
    assert fingerprint(other) != fingerprint(SAME)
