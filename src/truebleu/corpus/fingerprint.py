"""A fingerprint of references: two test sets with the same one can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.corpus.arguments import TextLike


def fingerprint(references: Sequence[TextLike]) -> str:
    """SHA-256 over the references in their order: their number, their lengths, every segment.

    A segment that a translator skipped is not the same as an empty one.

    >>> fingerprint([["A cat sat."]]) == fingerprint([["A cat sat."], [None]])
    False
    """
    from hashlib import sha256

    digest = sha256(b"%d references\n" % len(references))
    for reference in references:
        digest.update(b"%d segments\n" % len(reference))
        for segment in reference:
            if segment is None:
                digest.update(b"none\n")
                continue
            text = segment.encode("utf-8", "surrogatepass")
            # With its length before it, no text can pass for two.
            digest.update(b"%d bytes\n" % len(text))
            digest.update(text)
    return f"sha256:{digest.hexdigest()}"
