"""A measure of agreement: a coefficient, the cells that it compares, and the level it is asked at.

| grouping | vectors that are compared            | mean over |
|----------|--------------------------------------|-----------|
| none     | one of all cells                     | -         |
| item     | for each item, the scores of systems | items     |
| system   | for each system, the scores of items | systems   |

A cell without a human score is dropped with its metric score before anything else, and a group with
fewer than two cells left does not exist. None of the groupings equals another in general.

`measure` takes matrices of scores. A `Question` is a measure with a level, system or segment, read
from text such as "kendall-b" or "pearson:level=segment,grouping=none": `truebleu.agree` answers it.

The tie threshold of a metric is the one at which it agrees best with people (Deutsch et al. 2023,
§4). Candidates are 0 and every difference of two metric scores in a group. Accuracy with ties is
taken at each of them, averaged over groups, and the smallest candidate with the largest mean is the
result. It is chosen on the very data that it is reported on, so the accuracy flatters every metric.

The search is exact: accuracies are compared as whole numbers of pairs, not as rounded quotients.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast, get_args

import numpy as np

from truebleu import _core
from truebleu.agreement.coefficients import (
    ALIASES,
    COEFFICIENTS,
    DEFINITIONS,
    GROUPINGS,
    PAIR_COEFFICIENTS,
    Coefficient,
    Grouping,
    as_cells,
    coefficient,
    rated_cells,
    require_grouping,
)
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.resampling import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class TieCalibration:
    """The best threshold, and what is to be known of it.

    Attributes:
        epsilon: pairs whose scores differ by no more are tied. All digits matter: with fewer of
            them it may fall below the difference that it is.
        below: every threshold from epsilon up to, but not including, this one gives the same
            accuracy; None where all larger ones do.
        unique: no threshold from `below` on gives it too.
        degenerate: calling every pair a tie is as accurate as the metric with its threshold.
        accuracy: the largest mean accuracy.
        human_ties: the mean share of pairs that people tie: the accuracy of calling all a tie.
        groups: how many groups were averaged.
    """

    epsilon: float
    below: float | None
    unique: bool
    degenerate: bool
    accuracy: float
    human_ties: float
    groups: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        notes = []
        if self.degenerate:
            notes.append(
                "the best tie threshold is no better than calling every pair a tie: the accuracy "
                f"is the share of pairs that people tie ({100 * self.human_ties:.1f} %), "
                "and tells nothing about the metric"
            )
        if not self.unique:
            notes.append(
                "several separate tie thresholds are equally good; the smallest is reported"
            )
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "notes": list(self.notes)}


def calibrate_ties(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "item", micro: bool = False
) -> TieCalibration | None:
    """The tie threshold of a metric; None where no group has two rated cells.

    Args:
        human: scores shaped (system, item), NaN where nobody rated.
        metric: scores of the same shape, higher for better.
        grouping: which cells make pairs; "item" in WMT 2023 to 2025.
        micro: weigh each group by its cells.

    >>> calibrate_ties([[0], [0], [0], [-5]], [[80], [81], [79], [60]]).epsilon
    2.0
    """
    require_grouping(grouping)
    return calibrate_cells(*as_cells(human, metric), grouping=grouping, micro=micro)


def calibrate_cells(
    human: Values, metric: Values, *, grouping: Grouping, micro: bool
) -> TieCalibration | None:
    """As `calibrate_ties`, of matrices that were checked."""
    calibration = _core.calibrated_ties(human, metric, grouping=grouping, micro=micro)
    if calibration is None:
        return None
    epsilon, accuracy, groups, human_ties, below, unique, degenerate = calibration
    return TieCalibration(
        epsilon=epsilon,
        below=below,
        unique=unique,
        degenerate=degenerate,
        accuracy=accuracy,
        human_ties=human_ties,
        groups=groups,
    )


#: "macro" counts every group once; "micro" by its cells, or by its pairs for kendall-like.
Average: TypeAlias = Literal["macro", "micro"]
#: Groups without a value are left out of the mean, or count as 0.
UndefinedGroups: TypeAlias = Literal["leave-out", "zero"]

AVERAGES: tuple[Average, ...] = get_args(Average)
UNDEFINED_GROUPS: tuple[UndefinedGroups, ...] = get_args(UndefinedGroups)


class NativeSettings(TypedDict):
    """What the core's functions take besides the scores."""

    grouping: str
    coefficient: str
    parameter: float
    micro: bool
    undefined_as_zero: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A coefficient over groups; `measure_by` makes one from names.

    Attributes:
        coefficient: with its settings.
        grouping: which cells are compared with each other.
        average: how the groups' values become one; None for a coefficient that is of the pairs of
            all groups put together.
        undefined: what becomes of groups in which the coefficient is undefined. Left out, two
            metrics may be averaged over different groups; as 0, a metric pays for tying all.
    """

    coefficient: Coefficient
    grouping: Grouping = "none"
    average: Average | None = "macro"
    undefined: UndefinedGroups = "leave-out"

    def __post_init__(self) -> None:
        require_grouping(self.grouping)
        if self.undefined not in UNDEFINED_GROUPS:
            raise UnknownNameError("undefined", self.undefined, UNDEFINED_GROUPS)
        name = self.coefficient.name
        if self.coefficient.definition.pooled:
            if self.average is not None:
                expected = f"none: {name} is of the pairs of all groups put together"
                raise SettingError("average", self.average, expected)
        elif self.average not in AVERAGES:
            raise UnknownNameError("average", str(self.average), AVERAGES)
        if self.undefined == "zero" and self.pooled:
            expected = f"'leave-out': {name} puts the pairs of all groups together"
            raise SettingError("undefined", self.undefined, expected)

    @property
    def pooled(self) -> bool:
        """Whether the pairs of all groups are put together."""
        micro_pairs = self.coefficient.definition.threshold and self.average == "micro"
        return self.coefficient.definition.pooled or micro_pairs

    @property
    def native(self) -> NativeSettings:
        """The settings as the core takes them."""
        return NativeSettings(
            grouping=self.grouping,
            coefficient=self.coefficient.native_name,
            parameter=self.coefficient.parameter,
            micro=self.average == "micro",
            undefined_as_zero=self.undefined == "zero",
        )

    @property
    def signature(self) -> str:
        """All that must match before two values may be compared.

        >>> measure_by("kendall-like:25", grouping="item").signature
        'kendall-like:25.0|grouping:item|average:pooled'
        """
        parts = [self.coefficient.label, f"grouping:{self.grouping}"]
        if self.grouping != "none":
            parts.append(f"average:{'pooled' if self.pooled else self.average}")
            if self.undefined == "zero":
                parts.append("undefined:zero")
        return "|".join(parts)


def measure_by(
    name: str | Coefficient,
    *,
    grouping: Grouping = "none",
    average: Average | None = None,
    undefined: UndefinedGroups = "leave-out",
) -> Measure:
    """A measure by names, with the coefficient's usual average unless one is given.

    That is "macro", but for kendall-like "micro", which puts the pairs of all groups together.
    """
    chosen = coefficient(name) if isinstance(name, str) else name
    if average is None and not chosen.definition.pooled:
        average = "micro" if chosen.definition.threshold else "macro"
    return Measure(coefficient=chosen, grouping=grouping, average=average, undefined=undefined)


# --------------------------------------------------------------------------------------------------
# Values, and why there are none.


GROUP_NAMES = {"item": "items", "system": "systems"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The value of a measure.

    Attributes:
        measure: how it was made.
        value: None where it is undefined, which is not 0.
        groups: how many groups the value is made of.
        undefined_groups: how many groups have no value of their own.
        reason: why there is no value; None where there is one.
        ties: the tie threshold, where it was calibrated.
    """

    measure: Measure
    value: float | None
    groups: int
    undefined_groups: int
    reason: str | None = None
    ties: TieCalibration | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the value should know, in sentences."""
        notes = []
        if self.value is not None and self.undefined_groups and not self.measure.pooled:
            what = GROUP_NAMES.get(self.measure.grouping, "groups")
            fate = "are left out" if self.measure.undefined == "leave-out" else "count as 0"
            total = self.groups + (self.undefined_groups if fate == "are left out" else 0)
            notes.append(f"{self.undefined_groups} of {total} {what} have no value and {fate}")
        if self.ties is not None:
            notes.extend(self.ties.notes)
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "measure": self.measure.signature,
            "coefficient": self.measure.coefficient.name,
            "grouping": self.measure.grouping,
            "average": "pooled" if self.measure.pooled else self.measure.average,
            "value": self.value,
            "groups": self.groups,
            "undefined_groups": self.undefined_groups,
            "reason": self.reason,
            "ties": None if self.ties is None else self.ties.to_dict(),
            "notes": list(self.notes),
        }


def measure(
    human: ArrayLike,
    metric: ArrayLike,
    by: str | Coefficient | Measure,
    *,
    grouping: Grouping = "none",
    average: Average | None = None,
    undefined: UndefinedGroups = "leave-out",
) -> Measured:
    """How well a metric agrees with people.

    Args:
        human: scores shaped (system, item), NaN where nobody rated; or one score per system.
        metric: scores of the same shape. Higher must mean better on both sides.
        by: a coefficient or its name, such as "kendall-b" or "acc-eq:calibrated"; or a Measure,
            which says all that follows.
        grouping: which cells are compared with each other.
        average: how the groups' values become one; None for the coefficient's usual way.
        undefined: what becomes of groups in which the coefficient is undefined.

    >>> measure([-1, -2, -3, -5], [30, 31, 28, 27], "kendall-b").value
    0.666...
    >>> measure([1, 2, 3], [7, 7, 7], "pearson").reason
    'the metric gives every cell the same score'
    """
    if not isinstance(by, Measure):
        by = measure_by(by, grouping=grouping, average=average, undefined=undefined)
    return measure_cells(*as_cells(human, metric), by)


def measure_cells(human: Values, metric: Values, by: Measure) -> Measured:
    """As `measure`, of matrices that were checked."""
    if by.coefficient.calibrated:
        return _calibrated(human, metric, by)
    value, groups, undefined = _core.agreement(human, metric, **by.native)
    return Measured(
        measure=by,
        value=value,
        groups=groups,
        undefined_groups=undefined,
        reason=why_undefined(human, metric, by) if value is None else None,
    )


def _calibrated(human: Values, metric: Values, by: Measure) -> Measured:
    micro = by.average == "micro"
    ties = calibrate_cells(human, metric, grouping=by.grouping, micro=micro)
    if ties is None:
        reason = why_undefined(human, metric, by)
        return Measured(measure=by, value=None, groups=0, undefined_groups=0, reason=reason)
    accuracy = ties.accuracy
    value = accuracy if by.coefficient.name == "acc-eq" else 2 * accuracy - 1
    return Measured(measure=by, value=value, groups=ties.groups, undefined_groups=0, ties=ties)


# What a group's cells are called, and the axis along which they lie.
CELLS = {
    "none": "every cell",
    "item": "all systems on every item",
    "system": "all items of every system",
}
AXES = {"none": None, "item": 0, "system": 1}
PAIRS = {"none": "", "item": " on one item", "system": " of one system"}
TOO_FEW = {
    "none": "fewer than two cells have a human score",
    "item": "no item has human scores of two systems",
    "system": "no system has human scores of two items",
}


def why_undefined(human: Values, metric: Values, measure: Measure) -> str:
    """Why no group has a value, of matrices that were checked."""
    grouping = measure.grouping
    axis = AXES[grouping]
    rated = rated_cells(human)
    exists = np.atleast_1d(rated.sum(axis=axis)) >= 2
    if not exists.any():
        return TOO_FEW[grouping]
    match measure.coefficient.definition.undefined:
        case "no order":
            return f"people tie every pair{PAIRS[grouping]}"
        case "no common order":
            return f"no pair{PAIRS[grouping]} is ordered by people and by the metric"
        case "nothing kept":
            least = measure.coefficient.parameter
            return f"no two human scores{PAIRS[grouping]} differ by {least:g} or more"
        case _:
            epsilon = measure.coefficient.parameter
            by_metric = _spread(metric, rated, axis)[exists] <= epsilon
            by_people = _spread(human, rated, axis)[exists] == 0
            return _constant(by_metric, by_people, grouping, epsilon)


def _constant(
    by_metric: NDArray[np.bool_], by_people: NDArray[np.bool_], grouping: str, epsilon: float
) -> str:
    same = f"scores within {epsilon:g} of each other" if epsilon else "the same score"
    if by_metric.all():
        return f"the metric gives {CELLS[grouping]} {same}"
    if by_people.all():
        return f"people give {CELLS[grouping]} the same score"
    return f"in each {grouping}, either people or the metric give all cells the same score"


def _spread(scores: Values, rated: NDArray[np.bool_], axis: int | None) -> Values:
    """The largest score of each group less the smallest; 0 for a group that nobody rated."""
    high = np.where(rated, scores, -np.inf).max(axis=axis, initial=-np.inf)
    low = np.where(rated, scores, np.inf).min(axis=axis, initial=np.inf)
    spread: Values = np.atleast_1d(np.where(high >= low, high - low, 0.0))
    return spread


# --------------------------------------------------------------------------------------------------
# The p-value of one correlation.


Correlation: TypeAlias = Literal["pearson", "spearman", "kendall-b", "kendall-c"]

CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


def correlation_p(human: ArrayLike, metric: ArrayLike, name: Correlation) -> float | None:
    """The two-sided p-value of a correlation over all cells; None where there is none.

    It assumes that cells are independent draws, which those of one segment or of one system are
    not: use it for system scores, or to compare with other tools. `truebleu.agreement.tests` says
    whether one metric agrees better than another.

    Pearson's and Spearman's are from t with n - 2 degrees of freedom; for Pearson's this is exact
    where one of the two is normal. Kendall's is exact for few cells without ties, and otherwise
    from the normal distribution with the variance corrected for ties.

    Args:
        human: scores shaped (system, item), NaN where nobody rated; or one score per system.
        metric: scores of the same shape.
        name: the correlation.
    """
    if name not in CORRELATIONS:
        raise UnknownNameError("correlation with a p-value", name, CORRELATIONS)
    cells, scores = as_cells(human, metric)
    if measure_cells(cells, scores, measure_by(name)).value is None:
        return None
    rated = rated_cells(cells)
    p = _scipy_p(cells[rated], scores[rated], name)
    return p if math.isfinite(p) else None


def _scipy_p(human: Values, metric: Values, name: Correlation) -> float:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    with warnings.catch_warnings():
        # SciPy warns of scores that vary by rounding only, and of two cells.
        warnings.simplefilter("ignore")
        match name:
            case "pearson":
                return float(pearsonr(human, metric).pvalue)
            case "spearman":
                return float(spearmanr(human, metric).pvalue)
            case _:
                variant = name.removeprefix("kendall-")
                return float(kendalltau(human, metric, variant=variant).pvalue)


# --------------------------------------------------------------------------------------------------
# Questions.


Level: TypeAlias = Literal["system", "segment"]

LEVELS: tuple[Level, ...] = get_args(Level)
SOFT = "soft-pairwise-accuracy"
NAMES = (*COEFFICIENTS, SOFT)
SHORT = {**ALIASES, "spa": SOFT}
# Asked of systems unless a question says otherwise; all others are asked of segments.
OF_SYSTEMS = ("pearson", "spearman", "pairwise-accuracy", SOFT)
# With ties as an answer, a threshold is calibrated unless one is given (Deutsch et al. 2023).
WITH_TIES = ("acc-eq", "tau-eq")
GROUPED = ("grouping", "average", "undefined")
SETTINGS = ("level", *GROUPED, "epsilon", "threshold")
# As people write them.
TITLES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall-a": "Kendall's tau-a",
    "kendall-b": "Kendall's tau-b",
    "kendall-c": "Kendall's tau-c",
    "tau-10": "The tau of WMT 2010",
    "tau-13": "The tau of WMT 2013",
    "tau-14": "The tau of WMT 2014",
    "tau-eq": "tau-eq",
    "acc-eq": "acc-eq",
    "chen-cherry": "Chen and Cherry's tau",
    "pairwise-accuracy": "Pairwise accuracy",
    "kendall-like": "The Kendall-like tau",
    "pairwise-difference-pearson": "Pearson's r of pairwise differences",
    SOFT: "Soft pairwise accuracy",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How well does a metric agree with people, asked in one way.

    Attributes:
        level: whether scores of systems or of segments are compared.
        measure: the coefficient and its grouping; None for soft pairwise accuracy.
        compared: whether people compared pairs of outputs, so that their judgments of all segments
            are put together and nothing is grouped.
    """

    level: Level
    measure: Measure | None
    compared: bool = False

    @property
    def coefficient(self) -> str:
        """The coefficient's name."""
        return SOFT if self.measure is None else self.measure.coefficient.name

    @property
    def label(self) -> str:
        """What results call it: all that must match before two values may be compared."""
        if self.measure is None:
            return f"system|{SOFT}"
        if self.level == "system":
            return f"system|{self.measure.coefficient.label}"
        if self.compared:
            return f"segment|{self.measure.coefficient.label}|comparisons"
        return f"segment|{self.measure.signature}"

    def title(self, item: str = "segment") -> str:
        """What is asked, for people, where items are segments, documents or domains."""
        name = TITLES[self.coefficient]
        if self.measure is None:
            return f"{name} of systems"
        by = self.measure.coefficient
        if by.calibrated:
            name += " with calibrated ties,"
        elif by.threshold is not None:
            name += f" from a difference of {by.threshold:g} on,"
        elif by.epsilon:
            name += f" with ties up to {by.epsilon:g},"
        if self.level == "system":
            return f"{name} of systems"
        if self.compared:
            return f"{name} of compared {item}s"
        grouping = {"none": "not grouped", "item": "by item", "system": "by system"}
        return f"{name} of {item}s, {grouping[self.measure.grouping]}"


def parse_question(text: str, *, compared: bool = False) -> Question:
    """A question from text: a coefficient, then a colon and settings if there are any.

    Args:
        text: such as "acc-eq", "kendall-like:25" or "pearson:level=segment,grouping=none".
        compared: whether people compared pairs of outputs instead of giving scores.

    >>> parse_question("kendall-b").label
    'segment|kendall-b|grouping:item|average:macro'
    >>> parse_question("pearson:level=segment,grouping=none").label
    'segment|pearson|grouping:none'
    >>> parse_question("acc-eq").title()
    'acc-eq with calibrated ties, of segments, by item'
    """
    name, _, rest = text.lower().replace("_", "-").partition(":")
    name = SHORT.get(name.strip(), name.strip())
    if name not in NAMES:
        raise UnknownNameError("coefficient", name, (*NAMES, *SHORT))
    settings = _settings(name, rest)
    level = cast("Level", settings.pop("level", "system" if name in OF_SYSTEMS else "segment"))
    if level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    if name == SOFT:
        if level != "system" or settings:
            raise SettingError("coefficient", text, f"{SOFT} without settings, of systems")
        return Question(level="system", measure=None)
    compared = compared and level == "segment"
    measure = _measure(name, settings, level=level, compared=compared)
    if compared:
        _require_countable(measure, text)
    return Question(level=level, measure=measure, compared=compared)


def parse_questions(texts: Sequence[str], *, compared: bool = False) -> tuple[Question, ...]:
    """Several questions, each once."""
    if isinstance(texts, str):
        raise SettingError("coefficients", texts, "a list of coefficients, such as ['kendall-b']")
    questions = tuple(dict.fromkeys(parse_question(text, compared=compared) for text in texts))
    if not questions:
        raise SettingError("coefficients", "none", "at least one, such as kendall-b")
    return questions


def _settings(name: str, text: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            # The one setting that a coefficient has may stand alone: acc-eq:calibrated.
            key, value = ("threshold" if name == "kendall-like" else "epsilon"), part
        if key not in SETTINGS:
            raise UnknownNameError(f"setting of {name}", key, SETTINGS)
        if key in settings:
            raise SettingError(f"{key} of {name}", value, "each setting once")
        settings[key] = value
    return settings


def _measure(name: str, settings: dict[str, str], *, level: Level, compared: bool) -> Measure:
    grouping = settings.get("grouping", "item" if level == "segment" else "none")
    for key, known in (
        ("grouping", GROUPINGS),
        ("average", AVERAGES),
        ("undefined", UNDEFINED_GROUPS),
    ):
        value = settings.get(key)
        if value is None:
            continue
        if value not in known:
            raise UnknownNameError(key, value, known)
        if level == "system":
            raise SettingError(
                f"{key} of {name}",
                value,
                "nothing at system level, where all systems are one group",
            )
        if compared:
            raise SettingError(f"{key} of {name}", value, "nothing where people compared pairs")
        if grouping == "none" and key != "grouping":
            raise SettingError(
                f"{key} of {name}", value, "nothing with grouping=none: there is one group"
            )
    if settings.get("undefined") == "zero" and DEFINITIONS[name].undefined == "never":
        expected = "'leave-out': this coefficient is defined wherever there are two cells"
        raise SettingError(f"undefined of {name}", "zero", expected)
    return measure_by(
        coefficient(_with_threshold(name, settings)),
        grouping=cast("Grouping", grouping),
        average=cast("Average | None", settings.get("average")),
        undefined=cast("UndefinedGroups", settings.get("undefined", "leave-out")),
    )


def _with_threshold(name: str, settings: dict[str, str]) -> str:
    """The coefficient with its one setting, as `coefficient` reads it."""
    own, other = "epsilon", "threshold"
    if name == "kendall-like":
        own, other = other, own
    if other in settings:
        expected = f"none: {name} has {own} instead" if DEFINITIONS[name].epsilon else "none"
        if name == "kendall-like":
            expected = "none: kendall-like has a threshold of human scores instead"
        raise SettingError(f"{other} of {name}", settings[other], expected)
    if own in settings:
        return f"{name}:{settings[own]}"
    return f"{name}:calibrated" if name in WITH_TIES else name


def _require_countable(measure: Measure, text: str) -> None:
    """Refuse, of comparisons, a coefficient that is not made of counts of pairs."""
    if measure.coefficient.calibrated:
        expected = "a number as epsilon: ties are calibrated on scores, and people compared pairs"
        raise SettingError("coefficient", text, expected)
    if measure.coefficient.name not in PAIR_COEFFICIENTS:
        expected = f"one for pairs that people compared: {', '.join(PAIR_COEFFICIENTS)}"
        raise SettingError("coefficient", text, expected)
