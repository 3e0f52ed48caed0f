"""TER: edits and block moves per reference word (Snover et al., 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu.metrics.base import NativeMetric, Score, Signature

if TYPE_CHECKING:
    from truebleu.metrics.base import CoreSettings

__all__ = ["TER", "TERScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TERScore(Score):
    """TER of one text; the reference length is the mean over references, summed over segments."""

    edits: int
    reference_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TER(NativeMetric):
    """TER as tercom computes it; 0 is best. See docs/reference/metrics/ter.md.

    >>> print(TER().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    TER = 16.67
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name: ClassVar[str] = "TER"
    score_type = TERScore
    part_names = ("edits", "reference length")
    higher_is_better: ClassVar[bool] = False

    def advice_for_script(self, script: str) -> str | None:
        """Advise tercom's rules for Asian text, which split Chinese characters but no others."""
        if script != "Chinese":
            return "chrf; TER has no rules for it"
        cuts = self.normalized and self.asian_support
        return None if cuts else "normalized=yes,asian_support=yes"

    def core_settings(self) -> CoreSettings:
        """Return the settings; columns: edits to the nearest reference, mean reference length."""
        return {
            "kind": "ter",
            "normalized": self.normalized,
            "no_punct": self.no_punct,
            "asian_support": self.asian_support,
            "case_sensitive": self.case_sensitive,
        }

    @property
    def signature(self) -> Signature:
        """Case, normalisation, punctuation and Asian support."""
        return Signature.of(
            self.name,
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )
