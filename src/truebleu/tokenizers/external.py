"""Tokenizers that other packages bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class ExternalTokenizer:
    """A function from a segment to its tokens, separated by white space."""

    signature: str
    tokenize: Callable[[str], str]

    def tokenize_text(self, text: Iterable[str | None], *, lowercase: bool) -> list[str | None]:
        """A text segment by segment, in sacreBLEU's order: lower-case, strip on the right, tokenize."""
        return [None if segment is None else self._line(segment, lowercase) for segment in text]

    def _line(self, segment: str, lowercase: bool) -> str:
        return self.tokenize((segment.lower() if lowercase else segment).rstrip())
