"""chrF and chrF++ with sacreBLEU's settings (Popović, 2015 and 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from truebleu._core import NativeMetric
from truebleu.compat.sacrebleu.metrics.base import Metric, Score
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


class CHRFScore(Score):
    """chrF, with the orders and the beta that its name tells."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta


class CHRF(Metric[CHRFScore]):
    """chrF with sacreBLEU's arguments; ``word_order=2`` makes it chrF++.

    >>> CHRF(word_order=2).corpus_score(["the cat sat on the mat"], [["the cat sat on a mat"]])
    chrF2++ = 72.03
    """

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2
    SHORT_NAMES: ClassVar[Mapping[str, str]] = {
        **Metric.SHORT_NAMES,
        "case": "c",
        "eff": "e",
        "space": "s",
    }

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.beta = beta
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        for setting, order in (("char_order", char_order), ("word_order", word_order)):
            if not 0 <= order <= 100:
                raise SettingError(setting, order, "a whole number from 0 to 100")
        if self.order == 0:
            raise SettingError("char_order", 0, "at least 1 where word_order is 0")
        self._keep(references)

    def _score(self, sums: Sequence[float]) -> CHRFScore:
        return CHRFScore(self._native().score(sums), self.char_order, self.word_order, self.beta)

    def _resampled_scores(self, sums: NDArray[np.float32]) -> NDArray[np.floating[Any]]:
        from truebleu.compat.sacrebleu._resampling import chrf_scores

        return chrf_scores(sums, beta=self.beta, eps_smoothing=self.eps_smoothing)

    def _native(self) -> NativeMetric:
        return NativeMetric.chrf(
            char_order=self.char_order,
            word_order=self.word_order,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            beta=self.beta,
            eps_smoothing=self.eps_smoothing,
        )

    def _signature_fields(self) -> dict[str, str | int | bool]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": self.char_order,
            "nw": self.word_order,
            "space": "yes" if self.whitespace else "no",
        }
