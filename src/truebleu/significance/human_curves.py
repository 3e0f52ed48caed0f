"""Curves of human agreement: how often human raters and a metric prefer the same system.

Kocmi, Zouhar, Federmann and Post (ACL 2024, "Navigating the Metrics Maze") fitted the share of
agreement about which system is better to 6,530 pairs of systems with blind human comparisons:

    accuracy(Δ) = ceiling / (1 + exp(-slope Δ)) per cent, for a difference Δ of system scores

The curve starts below 50 %; there, the metric is no better than a coin.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

import numpy as np

from truebleu.errors import SettingError
from truebleu.schema import PUBLISHED_CURVES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.metrics.base import Scorer, Signature
    from truebleu.resampling import Values
    from truebleu.significance.unit_counts import Pair

__all__ = ["CURVES", "AgreementCurve", "PeopleAgreement", "find_curve"]

COIN = 50.0
KOCMI, KOCMI_PAIRS = "Kocmi et al. (2024)", 6530
# Share of its ceiling at which a curve is level, and says nothing about larger differences.
LEVEL_SHARE = 0.99
# Largest number of pairs of systems that a reader looks at one by one.
MOST_PAIRS = 1000
# Largest score taken for a fraction: neural metrics mostly score between 0 and 1, but the curves
# are about scores multiplied by 100.
LARGEST_FRACTION = 1.5
# Tokenizers that sacreBLEU chooses by default, each for its language.
BLEU_TOKENIZERS = ("13a", "zh", "ja-mecab", "ko-mecab")


@dataclass(frozen=True, slots=True)
class AgreementCurve:
    """Curve of human agreement with a metric, by the size of the metric's difference.

    Attributes:
        metric: name of the metric in the paper.
        ceiling: agreement at large differences, in per cent.
        slope: rate at which agreement rises, per point of difference.
        names: names of the metric, in lower case.
        fields: values that each field of the metric's signature may have.
        percent: True if the authors multiplied scores between 0 and 1 by 100.
    """

    metric: str
    ceiling: float
    slope: float
    names: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]] | None = None
    percent: bool = False

    def accuracy(self, difference: ArrayLike) -> NDArray[np.float64]:
        """Compute the per cent of pairs in which human raters agree, at least 50 as of a coin.

        >>> round(float(CURVES[0].accuracy(2.0)), 1)
        77.2
        """
        size = np.abs(np.asarray(difference, dtype=np.float64))
        return np.maximum(self.ceiling / (1 + np.exp(-self.slope * size)), COIN)

    def mean_accuracy(self, differences: ArrayLike, sign: float) -> float:
        """Compute the mean accuracy over differences for a claim that the difference has `sign`.

        Differences of the other sign count as 100 minus their accuracy.

        >>> CURVES[0].mean_accuracy([2.0, -2.0], sign=1)
        50.0
        """
        values = np.asarray(differences, dtype=np.float64)
        accuracy = self.accuracy(values)
        return float(np.where(sign * values > 0, accuracy, 100 - accuracy).mean())

    def difference(self, accuracy: float) -> float | None:
        """Return the difference with `accuracy` per cent agreement; None from the ceiling on."""
        if not 0 < accuracy <= 100:
            raise SettingError("accuracy", accuracy, "per cent, above 0 and up to 100")
        if accuracy >= self.ceiling:
            return None
        return max(0.0, -log(self.ceiling / accuracy - 1) / self.slope)

    def fits(self, signature: Signature) -> bool:
        """Return whether the curve is about the metric with this signature."""
        settings = dict(signature.fields)
        # The tokenizer of another package is followed by its version.
        return signature.name.lower() in self.names and all(
            any(f"{settings.get(key)}-".startswith(f"{value}-") for value in values)
            for key, values in (self.fields or {}).items()
        )


_BLEU = {"case": ("mixed",), "eff": ("no",), "smooth": ("exp",), "n": ("4",)}
_CHRF = {"case": ("mixed",), "nc": ("6",), "nw": ("0",), "space": ("no",)}
# Name in the paper, ceiling, slope, name here, and fields of the signature.
_LEXICAL: tuple[tuple[str, float, float, str, Mapping[str, tuple[str, ...]]], ...] = (
    ("BLEU", 88.33333333333225, 0.9663926931178954, "bleu", _BLEU | {"tok": BLEU_TOKENIZERS}),
    ("chrF", 92.999999999972, 1.1142732157139852, "chrf2", _CHRF),
    ("spBLEU-101", 84.58445492823891, 1.262507595109315, "bleu", _BLEU | {"tok": ("flores101",)}),
    ("spBLEU-200", 90.99999999998793, 0.8079046528617078, "bleu", _BLEU | {"tok": ("flores200",)}),
)
# Name in the paper, ceiling, slope, and another name.
_NEURAL: tuple[tuple[str, float, float] | tuple[str, float, float, str], ...] = (
    ("BLEURT-default", 94.66666666666666, 0.4947232832741672),
    ("BLEURT-20", 98.33333333332963, 1.3727206190931929, "bleurt"),
    ("COMET-20", 97.33333333332897, 0.7266990738678005, "wmt20-comet-da"),
    ("COMET-22", 96.22374133884283, 2.8359194570556636, "wmt22-comet-da"),
    ("COMET-21-QE", 93.7997435048193, 43.38413992717536, "wmt21-comet-qe-da"),
    ("CometKiwi-22", 98.88141616584615, 2.719280643871758, "wmt22-cometkiwi-da"),
    ("CometKiwi-23-XL", 96.39080593943235, 1.8888877927713834, "wmt23-cometkiwi-da-xl"),
    ("CometKiwi-23-XXL", 96.23167242471065, 1.2826577343149304, "wmt23-cometkiwi-da-xxl"),
    ("xCOMET-XL", 96.56738237041118, 1.4535595865214588),
    ("xCOMET-XXL", 98.93432477039522, 1.1629533711748128),
    ("BERTScore", 94.99999999999999, 2.6823162097239917),
    ("MetricX-23-Large", 93.60777624544488, 26.277850179370947),
    ("MetricX-23-QE-Large", 97.99999999782683, 15.541455989240491),
)
#: Curves of the paper, with all digits that its authors published.
CURVES: tuple[AgreementCurve, ...] = (
    *(
        AgreementCurve(metric, ceiling, slope, (name,), fields)
        for metric, ceiling, slope, name, fields in _LEXICAL
    ),
    *(
        AgreementCurve(
            metric,
            ceiling,
            slope,
            (metric.lower(), *names),
            percent=not metric.startswith("MetricX"),
        )
        for metric, ceiling, slope, *names in _NEURAL
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """Human agreement with the metric for a difference of this size.

    Attributes:
        curve: name of the curve's metric in the paper.
        source: authors of the curve.
        pairs: number of pairs of systems to which the curve was fitted.
        accuracy: per cent of pairs of systems in which human raters agree, averaged over the
            bootstrap's replicates of the difference.
        coin: difference, in the metric's points, up to which the metric is no better than a coin.
        better_than_coin: True if the difference is larger than `coin`.
    """

    curve: str
    source: str
    pairs: int
    accuracy: float
    coin: float
    better_than_coin: bool


def find_curve(metric: Scorer) -> AgreementCurve | None:
    """Return the curve about a metric with its settings, or None."""
    return next((curve for curve in CURVES if curve.fits(metric.signature)), None)


def agreement_of_pairs(
    metric: Scorer,
    people: str | None,
    pairs: Sequence[Pair],
    scores: Values,
    references: int | None,
    *,
    decided: Sequence[bool],
    replicates: Callable[[], Values],
) -> list[PeopleAgreement | None]:
    """Return the human agreement with each pair's difference, or None if no curve applies.

    The curves are about one reference, and level off at their ceiling: they do not apply to
    several references, nor to differences beyond the level part. Nothing is known about people's
    choice between systems that the test does not separate.

    Args:
        metric: scorer that made the scores.
        people: name of the published curves; no curve applies under other names.
        pairs: indices of the systems of each difference.
        scores: scores of all systems on the whole test set.
        references: number of references of each segment.
        decided: True for each pair whose difference is significant.
        replicates: function that returns the scores on the bootstrap's replicates, shaped
            (replicate, system).
    """
    curve = find_curve(metric) if people == PUBLISHED_CURVES else None
    agreement: list[PeopleAgreement | None] = [None] * len(pairs)
    if curve is None or len(pairs) > MOST_PAIRS or references != 1 or not any(decided):
        return agreement
    sampled = replicates()
    scale = 100.0 if curve.percent and np.abs(scores).max() <= LARGEST_FRACTION else 1.0
    limit, coin = curve.difference(LEVEL_SHARE * curve.ceiling) or inf, curve.difference(COIN) or 0
    for index, (a, b) in enumerate(pairs):
        difference = scale * float(scores[a] - scores[b])
        if decided[index] and abs(difference) <= limit:
            agreement[index] = PeopleAgreement(
                curve=curve.metric,
                source=KOCMI,
                pairs=KOCMI_PAIRS,
                accuracy=curve.mean_accuracy(scale * (sampled[:, a] - sampled[:, b]), difference),
                coin=coin / scale,
                better_than_coin=abs(difference) > coin,
            )
    return agreement
