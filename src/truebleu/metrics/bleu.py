"""BLEU: clipped n-gram precision with a brevity penalty (Papineni et al., 2002)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from truebleu import _core
from truebleu.errors import SettingError
from truebleu.metrics.base import Order, Score, Signature, TokenMetric, ngram_parts
from truebleu.tokenizers import AUTO, NATIVE

if TYPE_CHECKING:
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CoreSettings, NgramMatches

__all__ = ["BLEU", "BLEUScore"]

Smoothing = Literal["none", "floor", "add-k", "exp", "mteval"]
ReferenceLength = Literal["closest", "shortest", "average"]

# sacreBLEU's defaults; the other smoothings take no value.
DEFAULT_SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}
MOST_SMOOTHING = {"floor": 1.0, "add-k": 1e6}


@dataclass(frozen=True, slots=True, kw_only=True)
class BLEUScore(Score):
    """BLEU of one text; precisions are in [0, 100], and with add-k the counts include the k."""

    precisions: tuple[float, ...]
    brevity_penalty: float
    output_length: int
    reference_length: int
    matches: tuple[float, ...]
    totals: tuple[float, ...]

    def __str__(self) -> str:
        precisions = "/".join(f"{precision:.1f}" for precision in self.precisions)
        return (
            f"{self.name} = {self.score:.2f} {precisions} (BP = {self.brevity_penalty:.3f} "
            f"output = {self.output_length} reference = {self.reference_length})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionMetric(TokenMetric):
    """A metric of n-gram precisions up to an order, with a brevity penalty."""

    max_order: Order = 4

    def pair_scorer(self) -> _core.PairScorer | None:
        """Scores pairs, unless a tokenizer of another package cuts the texts."""
        if self.tokenize not in NATIVE:
            return None
        return _core.PairScorer.bleu(self.native(), **self.tokens, max_order=self.max_order)

    def column_parts(self, width: int) -> tuple[str, ...]:  # noqa: ARG002
        """Brevity penalty, matches of each order, and the totals that they are divided by."""
        return ngram_parts(self.max_order, "matches", "brevity penalty")

    def ngram_matches(self, test_set: TestSet, first: str, second: str) -> NgramMatches:
        """Where two systems match n-grams differently often."""
        return self.ngrams_up_to(self.max_order, test_set, first, second)


@dataclass(frozen=True, slots=True, kw_only=True)
class BLEU(PrecisionMetric):
    """BLEU; the defaults score like sacreBLEU's for the script. See docs/reference/metrics/bleu.md.

    >>> print(BLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    """

    tokenize: str = AUTO
    smooth: Smoothing = "exp"
    smooth_value: float | None = None
    max_order: Order = 4
    lowercase: bool = False
    effective_order: bool = False
    reference_length: ReferenceLength = "closest"

    name: ClassVar[str] = "BLEU"
    score_type = BLEUScore

    def __post_init__(self) -> None:
        # A dataclass with slots is made anew, and `super()` would look for the first one.
        TokenMetric.__post_init__(self)
        if self.smooth == "mteval" and self.effective_order:
            expected = "no with smooth=mteval, where every order has a precision"
            raise SettingError("effective_order", self.effective_order, expected)
        value = self.smooth_value
        if value is not None:
            if self.smooth not in DEFAULT_SMOOTH_VALUES:
                raise SettingError("smooth_value", value, f"none with smooth={self.smooth}")
            # A floor above 1 would make precisions above 1, and scores above 100.
            most = MOST_SMOOTHING[self.smooth]
            if not 0 <= value <= most:
                expected = f"a number from 0 to {most:g} with smooth={self.smooth}"
                raise SettingError("smooth_value", value, expected)

    def core_settings(self) -> CoreSettings:
        """Columns: output length, reference length, match_1 … N, total_1 … N."""
        return {
            "kind": "bleu",
            **self.tokens,
            "max_order": self.max_order,
            "reference_length": self.reference_length,
            "smooth": self.smooth,
            "smooth_value": self._smooth_value,
            "effective_order": self.effective_order,
        }

    def sentence_level(self) -> BLEU:
        """With effective order: a segment of three words has no 4-grams and still has a score.

        Smoothing as mteval does gives it one by itself.
        """
        return self if self.smooth == "mteval" else replace(self, effective_order=True)

    @property
    def signature(self) -> Signature:
        """Case, effective order, tokenizer, smoothing, order, and the length if not the closest."""
        smooth: str = self.smooth
        if self.smooth in DEFAULT_SMOOTH_VALUES:
            smooth = f"{smooth}[{self._smooth_value:.2f}]"
        fields: dict[str, str | int | bool] = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": self.tokenizer_signature,
            "smooth": smooth,
            "n": self.max_order,
        }
        if self.reference_length != "closest":
            fields["len"] = self.reference_length
        return replace(Signature.of(self.name, **fields), script=self.chosen_for)

    @property
    def _smooth_value(self) -> float:
        if self.smooth_value is not None:
            return self.smooth_value
        return DEFAULT_SMOOTH_VALUES.get(self.smooth, 0.0)
