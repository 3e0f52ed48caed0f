"""A test set: what every system translated, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truebleu.corpus.arguments import TextLike
    from truebleu.corpus.forensics import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSet:
    """Texts that pair segment by segment.

    Attributes:
        systems: The outputs of each system by its name, in the order they were given.
        references: One text per translator; a segment is None where a translator has none.
        reference_names: What the references are called, in the same order.
        source: What was translated, where it was given.
        documents: The document of each segment, where that is known.
        domains: The domain of each segment, where that is known.
        warnings: What is suspicious about the texts.
    """

    # The name starts like a test class: pytest would collect it wherever it is imported.
    __test__ = False

    systems: Mapping[str, TextLike]
    references: tuple[TextLike, ...]
    reference_names: tuple[str, ...]
    source: TextLike | None = None
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    warnings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.references[0])

    @property
    def references_per_segment(self) -> int | None:
        """How many references each segment has, or None when that varies."""
        varies = any(None in reference for reference in self.references)
        return None if varies else len(self.references)

    def to_dict(self) -> dict[str, object]:
        """The set's outline for JSON: sizes and names, no text."""
        return {
            "segments": len(self),
            "references": len(self.references),
            "reference_names": list(self.reference_names),
            "documents": _different(self.documents),
            "domains": _different(self.domains),
        }


def _different(labels: tuple[str, ...] | None) -> int | None:
    return None if labels is None else len(set(labels))
