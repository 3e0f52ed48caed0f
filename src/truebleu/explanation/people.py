"""What a difference means for people: how often they agree with a metric that shows so much.

Kocmi, Zouhar, Federmann and Post (ACL 2024, "Navigating the Metrics Maze") fitted to 6,530 pairs
of systems with blind human comparisons how often people and metric agree about which is better:

    accuracy(Δ) = ceiling / (1 + exp(-slope Δ)) per cent, of a difference Δ of system scores

The curve starts below 50 %; there, the metric is no better than a coin.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from truebleu.metrics.base import Metric, Signature

COIN = 50.0
# Scores of neural metrics are mostly between 0 and 1, and the curves are about a hundred times it.
LARGEST_FRACTION = 1.5
# The tokenizers that sacreBLEU chooses by default, each for its language.
BLEU_TOKENIZERS = ("13a", "zh", "ja-mecab", "ko-mecab")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementCurve:
    """How often people agree with a metric, by the size of the difference that it shows.

    Attributes:
        metric: what the authors call it.
        ceiling: per cent that it reaches at large differences.
        slope: how fast.
        names: what the metric may be called, in lower case.
        fields: what its signature must say.
        percent: whether the authors multiplied scores between 0 and 1 by 100.
    """

    metric: str
    ceiling: float
    slope: float
    names: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]] | None = None
    percent: bool = False

    def accuracy(self, difference: ArrayLike) -> NDArray[np.float64]:
        """Per cent of pairs in which people agree, at least that of a coin.

        >>> round(float(CURVES[0].accuracy(2.0)), 1)
        77.2
        """
        size = np.abs(np.asarray(difference, dtype=np.float64))
        return np.maximum(self.ceiling / (1 + np.exp(-self.slope * size)), COIN)

    def difference(self, accuracy: float) -> float | None:
        """The difference at which so many per cent agree; None where that is never reached."""
        if accuracy >= self.ceiling:
            return None
        return max(0.0, -log(self.ceiling / accuracy - 1) / self.slope)

    def fits(self, signature: Signature) -> bool:
        """Whether the curve is about the metric with this signature."""
        said = dict(signature.fields)
        # The tokenizer of another package is followed by its version.
        return signature.name.lower() in self.names and all(
            any(f"{said.get(key)}-".startswith(f"{value}-") for value in values)
            for key, values in (self.fields or {}).items()
        )


def _bleu(tokenizers: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {"case": ("mixed",), "eff": ("no",), "tok": tokenizers, "smooth": ("exp",), "n": ("4",)}


def _neural(metric: str, ceiling: float, slope: float, *names: str) -> AgreementCurve:
    return AgreementCurve(
        metric=metric,
        ceiling=ceiling,
        slope=slope,
        names=(metric.lower(), *names),
        percent=not metric.startswith("MetricX"),
    )


#: The curves of the paper, with all digits that its authors published.
CURVES: tuple[AgreementCurve, ...] = (
    AgreementCurve(
        metric="BLEU",
        ceiling=88.33333333333225,
        slope=0.9663926931178954,
        names=("bleu",),
        fields=_bleu(BLEU_TOKENIZERS),
    ),
    AgreementCurve(
        metric="chrF",
        ceiling=92.999999999972,
        slope=1.1142732157139852,
        names=("chrf2",),
        fields={"case": ("mixed",), "nc": ("6",), "nw": ("0",), "space": ("no",)},
    ),
    AgreementCurve(
        metric="spBLEU-101",
        ceiling=84.58445492823891,
        slope=1.262507595109315,
        names=("bleu",),
        fields=_bleu(("flores101",)),
    ),
    AgreementCurve(
        metric="spBLEU-200",
        ceiling=90.99999999998793,
        slope=0.8079046528617078,
        names=("bleu",),
        fields=_bleu(("flores200",)),
    ),
    _neural("BLEURT-default", 94.66666666666666, 0.4947232832741672),
    _neural("BLEURT-20", 98.33333333332963, 1.3727206190931929, "bleurt"),
    _neural("COMET-20", 97.33333333332897, 0.7266990738678005, "wmt20-comet-da"),
    _neural("COMET-22", 96.22374133884283, 2.8359194570556636, "wmt22-comet-da"),
    _neural("COMET-21-QE", 93.7997435048193, 43.38413992717536, "wmt21-comet-qe-da"),
    _neural("CometKiwi-22", 98.88141616584615, 2.719280643871758, "wmt22-cometkiwi-da"),
    _neural("CometKiwi-23-XL", 96.39080593943235, 1.8888877927713834, "wmt23-cometkiwi-da-xl"),
    _neural("CometKiwi-23-XXL", 96.23167242471065, 1.2826577343149304, "wmt23-cometkiwi-da-xxl"),
    _neural("xCOMET-XL", 96.56738237041118, 1.4535595865214588),
    _neural("xCOMET-XXL", 98.93432477039522, 1.1629533711748128),
    _neural("BERTScore", 94.99999999999999, 2.6823162097239917),
    _neural("MetricX-23-Large", 93.60777624544488, 26.277850179370947),
    _neural("MetricX-23-QE-Large", 97.99999999782683, 15.541455989240491),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """How often people agree with such a difference.

    Attributes:
        curve: the metric of the curve, as its authors call it.
        accuracy: per cent of pairs of systems with this difference in which people agree.
        with_sampling: the same, averaged over what the difference might be on other test sets.
        coin: the difference, in the metric's points, up to which it is no better than a coin.
        better_than_coin: whether the difference is larger than that.
    """

    curve: str
    accuracy: float
    with_sampling: float
    coin: float
    better_than_coin: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


def find_curve(metric: Metric) -> AgreementCurve | None:
    """The curve that is about a metric with its settings; None where there is none."""
    return next((curve for curve in CURVES if curve.fits(metric.signature)), None)


def people_agreement(
    curve: AgreementCurve,
    difference: float,
    replicates: NDArray[np.float64],
    *,
    score: float,
) -> PeopleAgreement:
    """How often people agree with a difference that is only known up to sampling error.

    Args:
        curve: of the metric.
        difference: between the two systems.
        replicates: the difference on resampled test sets. One with the other sign counts as the
            chance that people disagree.
        score: one of the two scores, which tells the scale.
    """
    scale = 100.0 if curve.percent and abs(score) <= LARGEST_FRACTION else 1.0
    accuracies = curve.accuracy(scale * replicates)
    agrees = np.sign(replicates) == np.sign(difference)
    coin = curve.difference(COIN) or 0.0
    return PeopleAgreement(
        curve=curve.metric,
        accuracy=float(curve.accuracy(scale * difference)),
        with_sampling=float(np.where(agrees, accuracies, 100 - accuracies).mean()),
        coin=coin / scale,
        better_than_coin=scale * abs(difference) > coin,
    )
