"""Tokenizers that other packages bring."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


# References come by again with every system and every metric, and these tokenizers are slow.
REMEMBERED_SEGMENTS = 1 << 16


@dataclass(frozen=True, slots=True)
class ExternalTokenizer:
    """A function from a segment to its tokens, separated by white space."""

    signature: str
    tokenize: Callable[[str], str]

    @classmethod
    def remembering(cls, signature: str, tokenize: Callable[[str], str]) -> ExternalTokenizer:
        """A tokenizer that does not tokenize the same segment twice in a row of texts."""
        return cls(signature, lru_cache(maxsize=REMEMBERED_SEGMENTS)(tokenize))

    def tokenize_line(self, line: str, *, lowercase: bool) -> str:
        """A segment in sacreBLEU's order: lower-case, strip on the right, tokenize."""
        return self.tokenize((line.lower() if lowercase else line).rstrip())

    def tokenize_text(self, text: Iterable[str | None], *, lowercase: bool) -> list[str | None]:
        """A text segment by segment; what is absent stays absent."""
        return [
            None if segment is None else self.tokenize_line(segment, lowercase=lowercase)
            for segment in text
        ]
