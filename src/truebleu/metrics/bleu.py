"""BLEU: clipped n-gram precision with a brevity penalty (Papineni et al., 2002)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.metric import Metric, Score, require_whole_number, rows_of
from truebleu.metrics.signature import Signature
from truebleu.tokenizers import check_tokenizer, external_tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from truebleu._core import Statistics
    from truebleu.corpus import TestSet, TextLike

Smoothing = Literal["none", "floor", "add-k", "exp"]

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
class BLEU(Metric):
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

    name: ClassVar[str] = "BLEU"

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)
        if self.smooth not in get_args(Smoothing):
            raise UnknownNameError("smoothing", self.smooth, get_args(Smoothing))
        value = self.smooth_value
        if value is not None:
            if self.smooth not in DEFAULT_SMOOTH_VALUES:
                raise SettingError("smooth_value", value, f"none with smooth={self.smooth}")
            if not (isfinite(value) and value >= 0):
                raise SettingError("smooth_value", value, "a number from 0 up")
        require_whole_number("max_order", self.max_order, 1, 100)

    def count(self, test_set: TestSet) -> Statistics:
        """Columns: output length, reference length, match_1 … N, total_1 … N."""
        systems: Sequence[TextLike] = list(test_set.systems.values())
        references: Sequence[TextLike] = test_set.references
        tokenizer, lowercase = self.tokenize, self.lowercase
        external = external_tokenizer(tokenizer)
        if external is not None:
            systems = [external.tokenize_text(text, lowercase=lowercase) for text in systems]
            references = [external.tokenize_text(text, lowercase=lowercase) for text in references]
            tokenizer, lowercase = "none", False
        return _core.count_bleu(
            systems,
            references,
            tokenizer=tokenizer,
            lowercase=lowercase,
            max_order=self.max_order,
        )

    def score(self, sums: ArrayLike) -> NDArray[np.float64]:
        """BLEU in [0, 100] of summed rows, over any leading axes: one call, all replicates."""
        rows, shape = rows_of(sums, 2 + 2 * self.max_order)
        scores = _core.bleu_scores(
            rows,
            smooth=self.smooth,
            smooth_value=self._smooth_value,
            effective_order=self.effective_order,
        )
        return scores.reshape(shape)

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
        """With effective order: a segment of three words has no 4-grams and still has a score."""
        return replace(self, effective_order=True)

    @property
    def signature(self) -> Signature:
        """Case, effective order, tokenizer, smoothing, and the order where it is not 4."""
        external = external_tokenizer(self.tokenize)
        smooth: str = self.smooth
        if self.smooth in DEFAULT_SMOOTH_VALUES:
            smooth = f"{smooth}[{self._smooth_value:.2f}]"
        return Signature.of(
            self.name,
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order,
            tok=external.signature if external is not None else self.tokenize,
            smooth=smooth,
            n=self.max_order,
        )

    @property
    def _smooth_value(self) -> float:
        if self.smooth_value is not None:
            return self.smooth_value
        return DEFAULT_SMOOTH_VALUES.get(self.smooth, 0.0)
