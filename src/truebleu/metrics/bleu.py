"""BLEU: clipped n-gram precision with a brevity penalty (Papineni et al., 2002), and its kin.

M-BLEU takes the arithmetic mean of the precisions (Zhang and Vogel, 2004, section 2.2). Sentence
BLEU is the BLEU of single segments, with the smoothings of Chen and Cherry (2014).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.base import Order, Score, Signature, TokenMetric, ngram_parts
from truebleu.schema import Setting
from truebleu.tokenizers import AUTO, NATIVE

if TYPE_CHECKING:
    from truebleu.corpus.test_set import TestSet
    from truebleu.metrics.base import CoreSettings, NgramMatches

__all__ = ["BLEU", "MBLEU", "BLEUScore", "SentenceBLEU", "SentenceBLEUScore"]

Smoothing = Literal["none", "floor", "add-k", "exp", "mteval"]
ReferenceLength = Literal["closest", "shortest", "average"]
Weight = Literal["length", "equal"]

# sacreBLEU's defaults; the other smoothings take no value.
DEFAULT_SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}
MOST_SMOOTHING = {"floor": 1.0, "add-k": 1e6}


@dataclass(frozen=True, slots=True, kw_only=True)
class BLEUScore(Score):
    """BLEU or M-BLEU of one text; precisions are in [0, 100].

    With add-k, the counts include the k. Precisions of M-BLEU are 0 for orders longer than the
    output.
    """

    precisions: tuple[float, ...]
    brevity_penalty: float
    output_length: int
    reference_length: int
    matches: tuple[float, ...]
    totals: tuple[float, ...]

    @property
    def unmatched_order(self) -> int | None:
        """Smallest order of n-grams without any match, whose precision is smoothing; or None."""
        if not self.score:
            return None
        parts = enumerate(zip(self.matches, self.totals, strict=True), 1)
        return next((order for order, (match, total) in parts if total and not match), None)

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
    limits: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def pair_scorer(self) -> _core.PairScorer | None:
        """Return a scorer of candidate pairs, or None with an external tokenizer."""
        if self.tokenize not in NATIVE:
            return None
        return _core.PairScorer(self.native())

    def column_parts(self, width: int) -> tuple[str, ...]:  # noqa: ARG002
        """Name the parts: brevity penalty, matches of each order, and n-gram totals."""
        return ngram_parts(self.max_order, "matches", "brevity penalty")

    def ngram_matches(self, test_set: TestSet, first: str, second: str) -> NgramMatches:
        """Return the n-grams that two systems match differently often."""
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
        # dataclass(slots=True) makes a second class, and `super()` would look up the first.
        TokenMetric.__post_init__(self)
        if self.smooth == "mteval" and self.effective_order:
            expected = "no with smooth=mteval, where every order has a precision"
            raise SettingError("effective_order", self.effective_order, expected)
        value = self.smooth_value
        if value is not None:
            if self.smooth not in DEFAULT_SMOOTH_VALUES:
                raise SettingError("smooth_value", value, f"no value with smooth={self.smooth}")
            # A floor above 1 would make precisions above 1, and scores above 100.
            maximum = MOST_SMOOTHING[self.smooth]
            if not 0 <= value <= maximum:
                expected = f"a number from 0 to {maximum:g} with smooth={self.smooth}"
                raise SettingError("smooth_value", value, expected)

    def core_settings(self) -> CoreSettings:
        """Return the settings of the core.

        Columns: output length, reference length, match_1 … N, total_1 … N.
        """
        has_value = self.smooth in DEFAULT_SMOOTH_VALUES
        smoothing = {self.smooth: self._smooth_value} if has_value else self.smooth
        return {
            "kind": "bleu",
            "counts": {
                **self.tokens,
                "max_order": self.max_order,
                "reference_length": self.reference_length,
            },
            "scoring": {"smoothing": smoothing, "effective_order": self.effective_order},
        }

    def sentence_level(self) -> BLEU:
        """Return BLEU with effective order, so that a segment of three words has a score.

        The smoothing `mteval` needs no effective order.
        """
        return self if self.smooth == "mteval" else replace(self, effective_order=True)

    @property
    def signature(self) -> Signature:
        """Case, effective order, tokenizer, smoothing, order, and any other reference length."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MBLEU(PrecisionMetric):
    """M-BLEU, which is not 0 if an order has no match. See docs/reference/metrics/mbleu.md.

    >>> print(MBLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
    M-BLEU = 56.67 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
    """

    tokenize: str = AUTO
    max_order: Order = 4
    lowercase: bool = False

    name: ClassVar[str] = "M-BLEU"
    score_type = BLEUScore

    def core_settings(self) -> CoreSettings:
        """Return the settings; the columns are BLEU's."""
        return {"kind": "mbleu", "counts": {**self.tokens, "max_order": self.max_order}}

    @property
    def signature(self) -> Signature:
        """Case, tokenizer and the highest order."""
        return self.token_signature(n=self.max_order)


# Smoothings in the order of the paper's numbers 0 to 7 (section 2.2), and the setting of each.
SMOOTHINGS = {
    "none": None,
    "epsilon": "epsilon",
    "add-one": None,
    "halving": None,
    "length-scaled": "k",
    "average": None,
    "interpolate": "alpha",
    "scaled-average": "k",
}
# Best values on the paper's development set (section 3.1).
DEFAULT_VALUES = {"epsilon": 0.1, "k": 5.0, "alpha": 5.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceBLEUScore(Score):
    """Mean of sentence BLEU with both weights; `score` has the requested weight."""

    length_weighted: float
    equally_weighted: float
    segments: int
    reference_length: int

    def __str__(self) -> str:
        return (
            f"{self.name} = {self.score:.2f} (by length = {self.length_weighted:.2f} "
            f"equally = {self.equally_weighted:.2f} segments = {self.segments} "
            f"reference = {self.reference_length})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceBLEU(TokenMetric):
    """Sentence BLEU, averaged over the segments of a text. See docs/reference/metrics/sentbleu.md.

    The smoothing is a name or the paper's number, which becomes the name.

    >>> metric = SentenceBLEU(smoothing=4)
    >>> metric.smoothing
    'length-scaled'
    >>> print(metric.sentence("the cat sat on mat", "the cat is on the mat"))
    sentBLEU = 14.95 (by length = 14.95 equally = 14.95 segments = 1 reference = 6)
    """

    smoothing: str | int = "scaled-average"
    epsilon: Annotated[float, Setting(above=0, maximum=1)] = DEFAULT_VALUES["epsilon"]
    k: Annotated[float, Setting(above=0, maximum=10**6)] = DEFAULT_VALUES["k"]
    alpha: Annotated[float, Setting(above=0, maximum=10**6)] = DEFAULT_VALUES["alpha"]
    smooth_next_order: bool = False
    max_order: Order = 4
    tokenize: str = AUTO
    lowercase: bool = False
    weight: Weight = "length"

    name: ClassVar[str] = "sentBLEU"
    score_type = SentenceBLEUScore

    def __post_init__(self) -> None:
        TokenMetric.__post_init__(self)
        # Normalize names, so that 4, "4" and "length-scaled" are equal.
        object.__setattr__(self, "smoothing", smoothing_name(self.smoothing))
        for setting in DEFAULT_VALUES:
            self._check_value(setting)
        if self.smooth_next_order and self.smoothing != "scaled-average":
            expected = f"no with smoothing={self.smoothing}; it belongs to scaled-average"
            raise SettingError("smooth_next_order", found=True, expected=expected)

    def core_settings(self) -> CoreSettings:
        """Return the settings; columns: reference length × score, reference length, score, 1."""
        values: dict[str, object] = {self._setting: self._value} if self._setting else {}
        if self.smooth_next_order:
            values["next_order"] = True
        return {
            "kind": "sentence_bleu",
            "counts": {**self.tokens, "max_order": self.max_order},
            "smoothing": {self.smoothing: values} if values else self.smoothing,
            "weight": self.weight,
        }

    @property
    def weight_columns(self) -> tuple[int, ...]:
        """Column of the reference length, or of the number of segments with equal weights."""
        return (1,) if self.weight == "length" else (3,)

    def sentence_level(self) -> SentenceBLEU:
        """Return the metric with equal weights, so that empty references get a score."""
        return replace(self, weight="equal")

    @property
    def signature(self) -> Signature:
        """Case, tokenizer, smoothing with its value, the highest order and the weight."""
        value = f"[{self._setting}={self._value:g}]" if self._setting else ""
        return self.token_signature(
            smooth=f"{self.smoothing}{value}{'+next' if self.smooth_next_order else ''}",
            n=self.max_order,
            weight=self.weight,
        )

    @property
    def _setting(self) -> str:
        """Name of the smoothing's setting, or ""."""
        return SMOOTHINGS[str(self.smoothing)] or ""

    @property
    def _value(self) -> float:
        """Value of the smoothing's setting; 0 without a setting."""
        return float(getattr(self, self._setting)) if self._setting else 0.0

    def _check_value(self, setting: str) -> None:
        value = getattr(self, setting)
        if value != DEFAULT_VALUES[setting] and self._setting != setting:
            users = " and ".join(name for name, used in SMOOTHINGS.items() if used == setting)
            expected = f"no value with smoothing={self.smoothing}; it belongs to {users}"
            raise SettingError(setting, value, expected)


def smoothing_name(smoothing: str | int) -> str:
    """Return the name of a smoothing, given by name or by its number in the paper.

    >>> smoothing_name("7"), smoothing_name(0), smoothing_name("halving")
    ('scaled-average', 'none', 'halving')
    """
    names = {str(number): name for number, name in enumerate(SMOOTHINGS)}
    name = names.get(str(smoothing), str(smoothing))
    if name not in SMOOTHINGS:
        raise UnknownNameError("smoothing", name, [*SMOOTHINGS, *names])
    return name
