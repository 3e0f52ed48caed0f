"""TER with sacreBLEU's settings, which are tercom's (Snover et al., 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from truebleu._core import NativeMetric
from truebleu.compat.sacrebleu.metrics.base import Metric, Score
from truebleu.compat.sacrebleu.tokenizers import TercomTokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


class TERScore(Score):
    """TER with its edits, and the mean length of the references summed over segments."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class TER(Metric[TERScore]):
    """TER with sacreBLEU's arguments; 0 is best.

    >>> TER().corpus_score(["the cat sat on the mat"], [["the cat sat on a mat"]])
    TER = 16.67
    """

    SHORT_NAMES: ClassVar[Mapping[str, str]] = {
        **Metric.SHORT_NAMES,
        "case": "c",
        "tok": "t",
        "norm": "nr",
        "punct": "pn",
        "asian": "as",
    }

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.tokenizer = TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
        self._keep(references)

    @property
    def tokenizer_signature(self) -> str:
        """What the signature says about the tokenizer."""
        return self.tokenizer.signature()

    def _score(self, sums: Sequence[float]) -> TERScore:
        return TERScore(self._native().score(sums), sums[0], sums[1])

    def _resampled_scores(self, sums: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        from truebleu.compat.sacrebleu._resampling import ter_scores

        return ter_scores(sums)

    def _native(self) -> NativeMetric:
        return NativeMetric.ter(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

    def _signature_fields(self) -> dict[str, str | int | bool]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": self.tokenizer_signature,
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
