"""Fingerprints of texts: test sets whose references have equal fingerprints can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.errors import AbsentTextError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truebleu.corpus.sequences import TextLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprints:
    """Fingerprints of a test set, which outlive its texts.

    Attributes:
        references: fingerprint of the references, or of items and their checksums.
        outputs: fingerprint of each system's output; empty if scores were given.
        lengths: characters of the first reference of each segment; 1 for each item.
    """

    references: str
    outputs: Mapping[str, str]
    lengths: tuple[int, ...]

    def output(self, system: str) -> str:
        """Return the fingerprint of a system's output; raises AbsentTextError without one."""
        if system not in self.outputs:
            raise AbsentTextError(system)
        return self.outputs[system]


def fingerprint(references: Sequence[TextLike]) -> str:
    """Compute a SHA-256 of the references in order: their number, lengths and segments.

    A segment without a reference differs from an empty one.

    >>> fingerprint([["A cat sat."]]) == fingerprint([["A cat sat."], [None]])
    False
    """
    whole = Fingerprint(len(references))
    whole.add(references)
    return str(whole)


class Fingerprint:
    """A SHA-256 of references that are added part by part."""

    def __init__(self, references: int) -> None:
        from hashlib import sha256

        self._digests = [sha256() for _ in range(references)]
        self._segments = [0] * references

    def add(self, references: Sequence[TextLike]) -> None:
        """Add a part of each reference."""
        for i, (digest, reference) in enumerate(zip(self._digests, references, strict=True)):
            self._segments[i] += len(reference)
            for segment in reference:
                if segment is None:
                    digest.update(b"none\n")
                    continue
                text = segment.encode("utf-8", "surrogatepass")
                # The length before each text makes the encoding unambiguous.
                digest.update(b"%d bytes\n" % len(text))
                digest.update(text)

    def __str__(self) -> str:
        from hashlib import sha256

        whole = sha256(b"%d references\n" % len(self._digests))
        for segments, digest in zip(self._segments, self._digests, strict=True):
            whole.update(b"%d segments\n" % segments)
            whole.update(digest.digest())
        return f"sha256:{whole.hexdigest()}"
