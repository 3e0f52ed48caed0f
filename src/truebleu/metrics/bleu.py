"""BLEU: clipped n-gram precision with a brevity penalty (Papineni et al., 2002)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics._native import NativeMetric, texts_to_count, tokenizer_signature
from truebleu.metrics.base import Score, Signature, require_whole_number
from truebleu.tokenizers import check_tokenizer, external_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu._core import PairScorer, Scorer, Statistics
    from truebleu.corpus import TestSet

Smoothing = Literal["none", "floor", "add-k", "exp", "mteval"]
ReferenceLength = Literal["closest", "shortest"]

# sacreBLEU's defaults; the other smoothings take no value.
DEFAULT_SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}


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
class BLEU(NativeMetric):
    """BLEU; the defaults score like mteval-v13a and sacreBLEU. See docs/reference/metrics/bleu.md.

    >>> print(BLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    """

    tokenize: str = "13a"
    smooth: Smoothing = "exp"
    smooth_value: float | None = None
    max_order: int = 4
    lowercase: bool = False
    effective_order: bool = False
    reference_length: ReferenceLength = "closest"

    name: ClassVar[str] = "BLEU"

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        if self.smooth not in get_args(Smoothing):
            raise UnknownNameError("smoothing", self.smooth, get_args(Smoothing))
        if self.reference_length not in get_args(ReferenceLength):
            known = get_args(ReferenceLength)
            raise UnknownNameError("reference_length", self.reference_length, known)
        if self.smooth == "mteval" and self.effective_order:
            expected = "no with smooth=mteval, where every order has a precision"
            raise SettingError("effective_order", self.effective_order, expected)
        value = self.smooth_value
        if value is not None:
            if self.smooth not in DEFAULT_SMOOTH_VALUES:
                raise SettingError("smooth_value", value, f"none with smooth={self.smooth}")
            if not (isfinite(value) and value >= 0):
                raise SettingError("smooth_value", value, "a number from 0 up")
        require_whole_number("max_order", self.max_order, 1, 100)

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: output length, reference length, match_1 … N, total_1 … N."""
        texts = texts_to_count(test_set, self.tokenize, lowercase=self.lowercase)
        return _core.count_bleu(
            texts.systems,
            texts.references,
            tokenizer=texts.tokenizer,
            lowercase=texts.lowercase,
            max_order=self.max_order,
            reference_length=self.reference_length,
        )

    @property
    def width(self) -> int:
        """Lengths, matches and totals."""
        return 2 + 2 * self.max_order

    def scorer(self) -> Scorer:
        """Scores BLEU."""
        return _core.bleu_scorer(
            smooth=self.smooth,
            smooth_value=self._smooth_value,
            effective_order=self.effective_order,
        )

    def pair_scorer(self) -> PairScorer | None:
        """Scores pairs by BLEU, unless a tokenizer of another package cuts the texts."""
        if external_tokenizer(self.tokenize) is not None:
            return None
        return _core.PairScorer.bleu(
            self.scorer(),
            tokenizer=self.tokenize,
            lowercase=self.lowercase,
            max_order=self.max_order,
        )

    def describe(self, sums: Sequence[float], references: int | None) -> BLEUScore:
        """BLEU of one row of sums, with precisions, brevity penalty and counts."""
        score, brevity_penalty, precisions, matches, totals = _core.bleu_details(
            sums,
            smooth=self.smooth,
            smooth_value=self._smooth_value,
            effective_order=self.effective_order,
        )
        return BLEUScore(
            score=score,
            signature=self.signature.with_references(references),
            precisions=tuple(precisions),
            brevity_penalty=brevity_penalty,
            output_length=int(sums[0]),
            reference_length=int(sums[1]),
            matches=tuple(matches),
            totals=tuple(totals),
        )

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
            "tok": tokenizer_signature(self.tokenize),
            "smooth": smooth,
            "n": self.max_order,
        }
        if self.reference_length != "closest":
            fields["len"] = self.reference_length
        return Signature.of(self.name, **fields)

    @property
    def _smooth_value(self) -> float:
        if self.smooth_value is not None:
            return self.smooth_value
        return DEFAULT_SMOOTH_VALUES.get(self.smooth, 0.0)
