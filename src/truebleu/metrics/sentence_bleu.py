"""BLEU of single segments with the smoothings of Chen and Cherry (2014), and their mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics.base import Order, Score, TokenMetric
from truebleu.schema import Setting
from truebleu.tokenizers import AUTO

if TYPE_CHECKING:
    from truebleu.metrics.base import CoreSettings, Signature

__all__ = ["SentenceBLEU", "SentenceBLEUScore"]

Weight = Literal["length", "equal"]

# The paper's numbers from 0 to 7 (section 2.2), and the setting that each smoothing has.
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
# What the paper found best on its development set (section 3.1).
DEFAULT_VALUES = {"epsilon": 0.1, "k": 5.0, "alpha": 5.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceBLEUScore(Score):
    """The mean of sentence BLEU, under both weights; `score` is the one that was asked for."""

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
    """Sentence BLEU, for a text its mean over segments. See docs/reference/metrics/sentbleu.md.

    The smoothing is a name or the paper's number, which becomes the name.

    >>> metric = SentenceBLEU(smoothing=4)
    >>> metric.smoothing
    'length-scaled'
    >>> print(metric.sentence("the cat sat on mat", "the cat is on the mat"))
    sentBLEU = 14.95 (by length = 14.95 equally = 14.95 segments = 1 reference = 6)
    """

    smoothing: str | int = "scaled-average"
    epsilon: Annotated[float, Setting(above=0, most=1)] = DEFAULT_VALUES["epsilon"]
    k: Annotated[float, Setting(above=0, most=10**6)] = DEFAULT_VALUES["k"]
    alpha: Annotated[float, Setting(above=0, most=10**6)] = DEFAULT_VALUES["alpha"]
    smooth_next_order: bool = False
    max_order: Order = 4
    tokenize: str = AUTO
    lowercase: bool = False
    weight: Weight = "length"

    name: ClassVar[str] = "sentBLEU"
    score_type = SentenceBLEUScore

    def __post_init__(self) -> None:
        TokenMetric.__post_init__(self)
        # Frozen, and still one way to write each smoothing: 4, "4" and "length-scaled" are equal.
        object.__setattr__(self, "smoothing", smoothing_name(self.smoothing))
        for setting in DEFAULT_VALUES:
            self._check_value(setting)
        if self.smooth_next_order and self.smoothing != "scaled-average":
            expected = f"no with smoothing={self.smoothing}; it belongs to scaled-average"
            raise SettingError("smooth_next_order", found=True, expected=expected)

    def core_settings(self) -> CoreSettings:
        """Columns: reference length × score, reference length, score, 1."""
        return {
            "kind": "sentence_bleu",
            **self.tokens,
            "max_order": self.max_order,
            "smoothing": str(self.smoothing),
            "value": self._value,
            "smooth_next_order": self.smooth_next_order,
            "weight": self.weight,
        }

    @property
    def weight_columns(self) -> tuple[int, ...]:
        """The reference length, or the number of segments where they count equally."""
        return (1,) if self.weight == "length" else (3,)

    def sentence_level(self) -> SentenceBLEU:
        """With equal weights: a segment whose reference is empty still has its own score."""
        return replace(self, weight="equal")

    @property
    def signature(self) -> Signature:
        """Case, tokenizer, smoothing with its value, the highest order and the weight."""
        setting = SMOOTHINGS[str(self.smoothing)]
        value = "" if setting is None else f"[{setting}={self._value:g}]"
        return self.token_signature(
            smooth=f"{self.smoothing}{value}{'+next' if self.smooth_next_order else ''}",
            n=self.max_order,
            weight=self.weight,
        )

    @property
    def _value(self) -> float:
        """The setting of the smoothing, 0 where it has none."""
        setting = SMOOTHINGS[str(self.smoothing)]
        return 0.0 if setting is None else float(getattr(self, setting))

    def _check_value(self, setting: str) -> None:
        value = getattr(self, setting)
        if value != DEFAULT_VALUES[setting] and SMOOTHINGS[str(self.smoothing)] != setting:
            users = " and ".join(name for name, used in SMOOTHINGS.items() if used == setting)
            expected = f"none with smoothing={self.smoothing}; it belongs to {users}"
            raise SettingError(setting, value, expected)


def smoothing_name(smoothing: str | int) -> str:
    """The name of a smoothing that is given by its name or by its number in the paper.

    >>> smoothing_name("7"), smoothing_name(0), smoothing_name("halving")
    ('scaled-average', 'none', 'halving')
    """
    names = {str(number): name for number, name in enumerate(SMOOTHINGS)}
    name = names.get(str(smoothing), str(smoothing))
    if name not in SMOOTHINGS:
        raise UnknownNameError("smoothing", name, [*SMOOTHINGS, *names])
    return name
