"""GTM, the General Text Matcher: F-score of matching runs of words (Melamed et al., 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from truebleu.metrics.base import Score, WordMetric
from truebleu.schema import Setting

if TYPE_CHECKING:
    from truebleu.metrics.base import CoreSettings, Signature

__all__ = ["GTM", "GTMScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GTMScore(Score):
    """GTM of one text; precision and recall are in [0, 100], and 0 without words."""

    precision: float
    recall: float
    match_size: float
    output_length: int
    reference_length: int

    def __str__(self) -> str:
        return (
            f"{self.name} = {self.score:.2f} (precision = {self.precision:.2f} "
            f"recall = {self.recall:.2f})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GTM(WordMetric):
    """GTM; an exponent above 1 favours long runs. See docs/reference/metrics/gtm.md.

    >>> print(GTM().corpus(["the cat sat on the mat"], ["the cat sat on a red mat"]))
    GTM = 76.92 (precision = 83.33 recall = 71.43)
    """

    # Lengths of runs to a higher power would overflow.
    exponent: Annotated[float, Setting(minimum=1, maximum=50)] = 1.0

    name: ClassVar[str] = "GTM"
    kind = "gtm"
    score_type = GTMScore
    part_names = ("matches", "output length", "reference length")
    weight_columns: ClassVar[tuple[int, ...]] = (2,)

    def core_settings(self) -> CoreSettings:
        """Return the settings; columns: size of the matching, output length, reference length."""
        return {**WordMetric.core_settings(self), "exponent": self.exponent}

    @property
    def signature(self) -> Signature:
        """Case, tokenizer and exponent."""
        return self.token_signature(e=repr(float(self.exponent)))
