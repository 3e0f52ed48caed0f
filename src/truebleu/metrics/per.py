"""PER: word error rate whatever the order of the words (Tillmann et al., 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from truebleu import _core
from truebleu._settings import checked
from truebleu.metrics.base import Score, WordMetric, ratio

if TYPE_CHECKING:
    from truebleu.metrics.base import Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class PERScore(Score):
    """PER of one text."""

    errors: int
    reference_length: int


@checked
@dataclass(frozen=True, slots=True, kw_only=True)
class PER(WordMetric):
    """PER, position-independent error rate; 0 is best. See docs/reference/metrics/per.md.

    >>> print(PER().corpus(["on the mat the cat sat"], ["the cat sat on a mat"]))
    PER = 16.67
    """

    name: ClassVar[str] = "PER"
    score_type = PERScore
    part_names = ("errors", "reference length")
    higher_is_better: ClassVar[bool] = False

    def native(self) -> _core.NativeMetric:
        """Columns: errors and reference length."""
        return _core.NativeMetric.per(**self.tokens)

    def formula(self) -> Formula:
        """Errors per hundred reference words; all wrong where there are none."""
        return ratio([0], [1], scale=100.0, alone=100.0)
