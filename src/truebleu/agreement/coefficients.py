"""Coefficients of agreement: how human and metric scores become one number.

Scores are matrices shaped (system, item), higher is better on both sides. A cell that nobody rated
is NaN among the human scores; it is dropped with its metric score before anything else. People may
also compare pairs of outputs (`Judgments`).

Most coefficients are made of the counts of pairs of cells in five classes: C and D, ordered alike
or in opposite directions by people and by the metric; Th, Tm and Thm, tied by people only, by the
metric only, or by both. A value above 0 means agreement, and 1 is the most there is. Where a
denominator is 0 a coefficient is undefined, which is None and not 0.

| grouping | vectors that are compared            | mean over |
|----------|--------------------------------------|-----------|
| none     | one of all cells                     | -         |
| item     | for each item, the scores of systems | items     |
| system   | for each system, the scores of items | systems   |

A group with fewer than two rated cells does not exist.

The tie threshold of a metric is the one at which it agrees best with people (Deutsch et al. 2023,
§4). Candidates are 0 and every difference of two metric scores in a group. Accuracy with ties is
taken at each of them, averaged over groups, and the smallest candidate with the largest mean is the
result. It is chosen on the very data that it is reported on, so the accuracy flatters every metric.
The search is exact: accuracies are compared as whole numbers of pairs, not as rounded quotients.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE, Swaps, as_values, on_exact_grid
from truebleu.schema import DEFAULT_SEED, Column, require_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.data import AgreementData, Judgments
    from truebleu.resampling import Values

__all__ = [
    "COEFFICIENTS",
    "Coefficient",
    "MetricAgreement",
    "PairCounts",
    "calibrate_ties",
    "coefficient",
    "count_pairs",
    "measure",
    "measure_judgments",
    "soft_pairwise_accuracy",
]

#: Which cells are compared with each other: all, those of one item, or those of one system.
Grouping: TypeAlias = Literal["none", "item", "system"]
#: The difference up to which the metric ties a pair; "calibrated" chooses the best one there is.
Epsilon: TypeAlias = float | Literal["calibrated"]
#: "macro" counts every group once; "micro" by its cells, or by its pairs for kendall-like.
Average: TypeAlias = Literal["macro", "micro"]
#: Groups without a value are left out of the mean, or count as 0.
UndefinedGroups: TypeAlias = Literal["leave-out", "zero"]
#: Whether scores of systems or of segments are compared.
Level: TypeAlias = Literal["system", "segment"]
#: What makes a coefficient undefined in a group.
Undefined: TypeAlias = Literal["constant", "no order", "no common order", "nothing kept", "never"]

GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
CHOICES = {
    "grouping": GROUPINGS,
    "average": get_args(Average),
    "undefined": get_args(UndefinedGroups),
    "level": get_args(Level),
}
CALIBRATED = "calibrated"
SOFT = "soft-pairwise-accuracy"
DIFFERENCES = "pairwise-difference-pearson"
# Squares of larger scores, and sums of squares, would not fit into a float64.
LARGEST = 1e150
# Two points always lie on a line.
FEWEST_SYSTEMS = {"pearson": 3, "spearman": 3}

# --------------------------------------------------------------------------------------------------
# Matrices of scores.


def as_human(human: ArrayLike) -> Values:
    """Human scores as a checked matrix (system, segment), in which NaN is an unrated cell."""
    scores = _as_matrix("human", human)
    if np.isinf(scores).any():
        raise SettingError("human", float("inf"), "finite numbers, NaN for a missing score")
    return scores


def as_metric(name: str, metric: ArrayLike, human: Values) -> Values:
    """A metric's scores as a checked matrix, finite wherever there is a human score.

    Unrated cells hold 0 in the result.
    """
    scores = _as_matrix(name, metric)
    if scores.shape != human.shape:
        expected = f"the shape {human.shape} of the human scores: (system, segment)"
        raise SettingError(name, scores.shape, expected)
    rated = rated_cells(human)
    bad = rated & ~np.isfinite(scores)
    if bad.any():
        system, segment = (int(number) for number in np.argwhere(bad)[0])
        cell = f"{scores[system, segment]} for system {system + 1}, segment {segment + 1}"
        raise SettingError(name, cell, "a finite score in every cell that people rated")
    return np.where(rated, scores, 0.0)


def rated_cells(human: Values) -> NDArray[np.bool_]:
    """Which cells have a human score."""
    return ~np.isnan(human)


def as_cells(human: ArrayLike, metric: ArrayLike) -> tuple[Values, Values]:
    """Human and metric scores as checked matrices; one score per system makes one column."""
    cells = as_human(_as_matrix("human", human, columns=True))
    scores = as_metric("metric", _as_matrix("metric", metric, columns=True), cells)
    for name, matrix in (("human", cells), ("metric", scores)):
        if matrix.size and np.nanmax(np.abs(matrix), initial=0.0) > LARGEST:
            largest = float(matrix.flat[np.nanargmax(np.abs(matrix))])
            raise SettingError(name, largest, f"scores between -{LARGEST:g} and {LARGEST:g}")
    return cells, scores


def _as_matrix(name: str, scores: ArrayLike, *, columns: bool = False) -> Values:
    """The scores as a matrix of numbers; with columns, one for each system makes one."""
    try:
        matrix = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        expected = "a number for every system and segment, shaped (system, segment)"
        raise SettingError(name, type(scores).__name__, expected) from error
    if columns and matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2:
        raise SettingError(name, matrix.shape, "shape (system, segment)")
    return matrix


def require_choice(setting: str, value: str) -> None:
    """Refuse a grouping, an average, a fate of undefined groups or a level that does not exist."""
    require_name(setting, value, CHOICES[setting])


def require_tie_threshold(epsilon: object, setting: str = "epsilon") -> float:
    """A tie threshold, refused unless it is a finite number from 0 up."""
    if isinstance(epsilon, (int, float, np.integer, np.floating)) and not isinstance(epsilon, bool):
        value = float(epsilon)
        if np.isfinite(value) and value >= 0:
            return value
    raise SettingError(setting, epsilon, "a finite number from 0 up")


# --------------------------------------------------------------------------------------------------
# The coefficients by name.


@dataclass(frozen=True, slots=True)
class Definition:
    """What a coefficient is.

    Attributes:
        name: as on the command line and in JSON.
        title: as people write it.
        origin: the paper or shared task.
        undefined: when a group has no value.
        systems: whether it is asked of systems, not of segments, unless a level is given.
        epsilon: whether the metric may tie pairs by a threshold.
        calibrated: whether the threshold may be calibrated, which it is unless one is given.
        pooled: the groups' pairs are put together by definition, and nothing is averaged.
        threshold: whether pairs count from some difference of human scores on.
    """

    name: str
    title: str
    origin: str
    undefined: Undefined
    _: KW_ONLY
    systems: bool = False
    epsilon: bool = False
    calibrated: bool = False
    pooled: bool = False
    threshold: bool = False


POOLED_SYSTEMS = "systems epsilon pooled"
# C, D: concordant, discordant pairs; Th, Tm, Thm: tied by people only, by the metric only, by both.
_TABLE: tuple[tuple[str, str, str, Undefined, str], ...] = (
    # covariance / (standard deviation of human scores * that of metric scores)
    ("pearson", "Pearson's r", "Pearson 1895", "constant", "systems"),
    # Pearson's of ranks, where ties share the mean of their ranks
    ("spearman", "Spearman's rho", "Spearman 1904", "constant", "systems"),
    # (C - D) / all pairs
    ("kendall-a", "Kendall's tau-a", "Kendall 1938", "never", "epsilon"),
    # (C - D) / sqrt((C + D + Th) (C + D + Tm))
    ("kendall-b", "Kendall's tau-b", "Kendall 1945, WMT 2022", "constant", "epsilon"),
    # 2 (C - D) / (n^2 (k - 1) / k), k the lesser number of different scores
    ("kendall-c", "Kendall's tau-c", "Stuart 1953", "constant", ""),
    # (C - D - Tm) / (C + D + Tm)
    ("tau-10", "The tau of WMT 2010", "WMT 2010", "no order", "epsilon"),
    # (C - D) / (C + D)
    ("tau-13", "The tau of WMT 2013", "WMT 2013, Goodman & Kruskal", "no common order", "epsilon"),
    # (C - D) / (C + D + Tm)
    ("tau-14", "The tau of WMT 2014", "WMT 2014", "no order", "epsilon"),
    # (C + Thm - D - Th - Tm) / all pairs
    ("tau-eq", "tau-eq", "Deutsch et al. 2023", "never", "epsilon calibrated"),
    # (C + Thm) / all pairs
    ("acc-eq", "acc-eq", "Deutsch et al. 2023, WMT 2023 to 2025", "never", "epsilon calibrated"),
    # (C - D) / (C + D + Tm) of the pairs of all groups put together
    ("chen-cherry", "Chen and Cherry's tau", "Chen & Cherry 2014", "no order", "epsilon pooled"),
    # (C + Thm) / all pairs of all groups put together
    ("pairwise-accuracy", "Pairwise accuracy", "Kocmi et al. 2021", "never", POOLED_SYSTEMS),
    # Of pairs whose human scores differ by the threshold or more, those that the metric orders
    # alike less all others, over all of them.
    ("kendall-like", "The Kendall-like tau", "WMT 2016 to 2021", "nothing kept", "threshold"),
    # Pearson's of the differences of all pairs of all groups put together
    (DIFFERENCES, "Pearson of differences", "mt-metrics-eval", "constant", "pooled"),
    # The mean of 1 - |p - q| over pairs of systems; p, q one-sided p-values by people, by metric
    (SOFT, "Soft pairwise accuracy", "Thompson et al. 2024, WMT 2024", "never", "systems pooled"),
)
DEFINITIONS = {
    name: Definition(name, title, origin, undefined, **dict.fromkeys(features.split(), True))
    for name, title, origin, undefined, features in _TABLE
}
#: The coefficients of matrices; soft pairwise accuracy is apart: `soft_pairwise_accuracy`.
COEFFICIENTS = tuple(name for name in DEFINITIONS if name != SOFT)
#: The coefficients that are made of the counts of pairs, which a threshold may tie.
PAIR_COEFFICIENTS = tuple(name for name, defined in DEFINITIONS.items() if defined.epsilon)
ALIASES = {
    "kendall": "kendall-b",
    "tau-a": "kendall-a",
    "tau-b": "kendall-b",
    "tau-c": "kendall-c",
    "gamma": "tau-13",
    "chen-cherry-tau": "chen-cherry",
    "spa": SOFT,
}
SETTINGS = (*CHOICES, "epsilon", "threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient and what it compares; `coefficient` makes one from a name.

    Attributes:
        name: one of DEFINITIONS.
        epsilon: the metric ties a pair whose scores differ by no more than this.
        threshold: pairs count whose human scores differ by this or more, for kendall-like.
        grouping: which cells are compared with each other.
        average: how the groups' values become one: "macro" unless given, but for kendall-like
            "micro"; None for a coefficient that is of the pairs of all groups put together.
        undefined: what becomes of groups in which the coefficient is undefined. Left out, two
            metrics may be averaged over different groups; as 0, a metric pays for tying all.
        level: whether scores of systems or of segments are compared.
        compared: whether people compared pairs of outputs, so that their judgments of all segments
            are put together and nothing is grouped.
    """

    name: str
    epsilon: Epsilon = 0.0
    threshold: float | None = None
    grouping: Grouping = "none"
    average: Average | None = None
    undefined: UndefinedGroups = "leave-out"
    level: Level = "segment"
    compared: bool = False

    def __post_init__(self) -> None:
        if self.name not in DEFINITIONS:
            raise UnknownNameError("coefficient", self.name, (*DEFINITIONS, *ALIASES))
        definition = self.definition
        for setting in ("grouping", "undefined", "level"):
            require_choice(setting, getattr(self, setting))
        if definition.pooled:
            if self.average is not None:
                expected = f"none: {self.name} is of the pairs of all groups put together"
                raise SettingError("average", self.average, expected)
        elif self.average is None:
            object.__setattr__(self, "average", "micro" if definition.threshold else "macro")
        else:
            require_choice("average", self.average)
        if self.undefined == "zero" and self.pooled:
            expected = f"'leave-out': {self.name} puts the pairs of all groups together"
            raise SettingError("undefined", self.undefined, expected)
        self._require_thresholds()

    def _require_thresholds(self) -> None:
        name, definition = self.name, self.definition
        if self.epsilon == CALIBRATED:
            if not definition.calibrated:
                expected = "a number; only acc-eq and tau-eq are calibrated"
                raise SettingError(f"epsilon of {name}", self.epsilon, expected)
        elif require_tie_threshold(self.epsilon, f"epsilon of {name}") and not definition.epsilon:
            expected = "0: it has no threshold"
            if definition.threshold:
                expected = "none: kendall-like has a threshold of human scores instead"
            raise SettingError(f"epsilon of {name}", self.epsilon, expected)
        if definition.threshold and self.threshold is None:
            expected = (
                "the least difference of human scores that counts, such as kendall-like:25 for "
                "direct assessments from 0 to 100"
            )
            raise SettingError("threshold of kendall-like", None, expected)
        if self.threshold is not None:
            require_tie_threshold(self.threshold, f"threshold of {name}")
            if not definition.threshold:
                instead = f"; {name} has epsilon instead" if definition.epsilon else ""
                expected = f"none: only kendall-like has one{instead}"
                raise SettingError(f"threshold of {name}", self.threshold, expected)

    @property
    def definition(self) -> Definition:
        """What the coefficient is."""
        return DEFINITIONS[self.name]

    @property
    def calibrated(self) -> bool:
        """Whether the tie threshold is chosen to agree best with people."""
        return self.epsilon == CALIBRATED

    @property
    def pooled(self) -> bool:
        """Whether the pairs of all groups are put together."""
        return self.definition.pooled or (self.definition.threshold and self.average == "micro")

    @property
    def of_systems(self) -> bool:
        """Whether it compares one score per system with another."""
        return self.level == "system" and self.name != SOFT

    @property
    def text(self) -> str:
        """The name with its threshold, which `coefficient` reads again."""
        if self.threshold is not None:
            return f"{self.name}:{self.threshold!r}"
        return f"{self.name}:{self.epsilon}" if self.epsilon else self.name

    @property
    def label(self) -> str:
        """All that must match before two values may be compared.

        >>> coefficient("kendall-like:25", grouping="item").label
        'segment|kendall-like:25.0|grouping:item|average:pooled'
        """
        parts: list[str] = [self.level, self.text]
        if self.compared:
            parts.append("comparisons")
        elif self.level == "segment":
            parts.append(f"grouping:{self.grouping}")
            if self.grouping != "none":
                parts.append(f"average:{'pooled' if self.pooled else self.average}")
                parts += ["undefined:zero"] if self.undefined == "zero" else []
        return "|".join(parts)

    def title(self, item: str = "segment") -> str:
        """What is asked, for people, where items are segments, documents or domains."""
        name = self.definition.title
        if self.calibrated:
            name += " with calibrated ties,"
        elif self.threshold is not None:
            name += f" from a difference of {self.threshold:g} on,"
        elif self.epsilon:
            name += f" with ties up to {self.epsilon:g},"
        if self.level == "system":
            return f"{name} of systems"
        if self.compared:
            return f"{name} of compared {item}s"
        grouping = "not grouped" if self.grouping == "none" else f"by {self.grouping}"
        return f"{name} of {item}s, {grouping}"

    @property
    def parameter(self) -> float:
        """The number that the core takes with it: the threshold, or epsilon."""
        if self.threshold is not None:
            return float(self.threshold)
        return 0.0 if self.epsilon == CALIBRATED else float(self.epsilon)

    @property
    def native_name(self) -> str:
        """What the core calls it."""
        return f"calibrated-{self.name}" if self.calibrated else self.name

    @property
    def native(self) -> _core._Settings:
        """The settings as the core takes them."""
        return {
            "grouping": self.grouping,
            "coefficient": self.native_name,
            "parameter": self.parameter,
            "micro": self.average == "micro",
            "undefined_as_zero": self.undefined == "zero",
        }


def coefficient(name: str | Coefficient, **settings: Any) -> Coefficient:
    """A coefficient by name; settings may follow the name and a colon.

    Args:
        name: such as "kendall-b", "acc-eq:calibrated" or "pearson:grouping=item"; or a
            coefficient, which gets the settings.
        settings: those of `Coefficient`.

    >>> coefficient("tau-a").name
    'kendall-a'
    >>> coefficient("acc-eq:calibrated") == coefficient("acc-eq", epsilon="calibrated")
    True
    >>> coefficient("kendall-like:25").threshold
    25.0
    """
    keywords = {key: value for key, value in settings.items() if value is not None}
    if isinstance(name, Coefficient):
        return replace(name, **keywords) if keywords else name
    stem, written = _read(name)
    if written.keys() & keywords.keys():
        raise SettingError("coefficient", name, "its setting only once")
    return Coefficient(name=stem, **written, **keywords)


def parse_coefficient(text: str, *, compared: bool = False) -> Coefficient:
    """A coefficient as `agree` takes it, with its usual level, grouping and calibration of ties.

    Args:
        text: such as "acc-eq", "kendall-like:25" or "pearson:level=segment,grouping=none".
        compared: whether people compared pairs of outputs instead of giving scores.

    >>> parse_coefficient("kendall-b").label
    'segment|kendall-b|grouping:item|average:macro'
    >>> parse_coefficient("pearson:level=segment,grouping=none").label
    'segment|pearson|grouping:none'
    >>> parse_coefficient("acc-eq").title()
    'acc-eq with calibrated ties, of segments, by item'
    """
    name, settings = _read(text)
    definition = DEFINITIONS[name]
    if name == SOFT and settings:
        raise SettingError("coefficient", text, f"{SOFT} without settings, of systems")
    level = settings.setdefault("level", "system" if definition.systems else "segment")
    compared = compared and level == "segment"
    for key in ("grouping", "average", "undefined"):
        if key in settings and (idle := _idle(key, settings, compared=compared)):
            raise SettingError(f"{key} of {name}", settings[key], idle)
    if settings.get("undefined") == "zero" and definition.undefined == "never":
        expected = "'leave-out': this coefficient is defined wherever there are two cells"
        raise SettingError(f"undefined of {name}", "zero", expected)
    settings.setdefault("grouping", "item" if level == "segment" else "none")
    if definition.calibrated:
        settings.setdefault("epsilon", CALIBRATED)
    parsed = Coefficient(name=name, compared=compared, **settings)
    if compared:
        if parsed.calibrated:
            expected = "a number as epsilon: ties are calibrated on scores, not on compared pairs"
            raise SettingError("coefficient", text, expected)
        require_countable(parsed)
    return parsed


def parse_coefficients(texts: Sequence[str], *, compared: bool = False) -> tuple[Coefficient, ...]:
    """Several coefficients, each once."""
    if isinstance(texts, str):
        raise SettingError("coefficients", texts, "a list of coefficients, such as ['kendall-b']")
    parsed = tuple(dict.fromkeys(parse_coefficient(text, compared=compared) for text in texts))
    if not parsed:
        raise SettingError("coefficients", "none", "at least one, such as kendall-b")
    return parsed


def _read(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the settings of a coefficient, such as "pearson:level=segment,grouping=none"."""
    stem, _, rest = text.strip().lower().replace("_", "-").partition(":")
    name = ALIASES.get(stem.strip(), stem.strip())
    require_name("coefficient", name, (*DEFINITIONS, *ALIASES))
    settings: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            # The one setting that a coefficient has may stand alone: acc-eq:calibrated.
            key, value = ("threshold" if DEFINITIONS[name].threshold else "epsilon"), part
        if key not in SETTINGS:
            raise UnknownNameError(f"setting of {name}", key, SETTINGS)
        if key in settings:
            raise SettingError(f"{key} of {name}", value, "each setting once")
        if key in CHOICES:
            require_choice(key, value)
        settings[key] = value if key in CHOICES or value == CALIBRATED else _number(name, value)
    return name, settings


def _number(name: str, setting: str) -> float:
    try:
        return float(setting)
    except ValueError:
        expected = f"a number after {name}:"
        if DEFINITIONS[name].calibrated:
            expected += ", or 'calibrated'"
        raise SettingError("coefficient", f"{name}:{setting}", expected) from None


def _idle(key: str, settings: dict[str, Any], *, compared: bool) -> str | None:
    """Why a setting of groups would say nothing."""
    if settings["level"] == "system":
        return "nothing at system level, where all systems are one group"
    if compared:
        return "nothing where people compared pairs"
    if settings.get("grouping") == "none" and key != "grouping":
        return "nothing with grouping=none: there is one group"
    return None


def require_countable(by: Coefficient) -> None:
    """Refuse, of compared pairs, a coefficient that is not made of counts of pairs."""
    if by.name not in PAIR_COEFFICIENTS or by.calibrated:
        expected = f"one for pairs that people compared: {', '.join(PAIR_COEFFICIENTS)}"
        raise SettingError("coefficient", by.text, expected)


# --------------------------------------------------------------------------------------------------
# Counts of pairs.


class PairCounts(NamedTuple):
    """How many pairs fall into each class; every pair falls into one.

    Attributes:
        concordant: C, both scores differ, in the same direction.
        discordant: D, both scores differ, in opposite directions.
        human_ties: Th, people tie the pair and the metric does not.
        metric_ties: Tm, the metric ties the pair and people do not.
        both_ties: Thm, people and the metric tie it.
    """

    concordant: int
    discordant: int
    human_ties: int
    metric_ties: int
    both_ties: int

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(self)


def count_pairs(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "none", epsilon: float = 0.0
) -> PairCounts:
    """Count the pairs of cells within each group, and add the counts of all groups.

    Args:
        human: scores shaped (system, item), NaN where nobody rated; or one score per system.
        metric: scores of the same shape, higher for better.
        grouping: which cells make pairs.
        epsilon: the metric ties a pair whose scores differ by no more than this. People tie
            only what is equal.

    >>> tuple(count_pairs([4, 1, 2, 2, 3], [5, 1, 1, 4.8, 4.5]))
    (7, 1, 1, 1, 0)
    """
    cells, scores = as_cells(human, metric)
    require_choice("grouping", grouping)
    threshold = require_tie_threshold(epsilon)
    return PairCounts(*_core.Cells(cells, scores).pair_counts(grouping=grouping, epsilon=threshold))


def count_judgments_by_item(
    metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0
) -> NDArray[np.int64]:
    """The five classes of the judgments of each item, shaped (item, class) as C, D, Th, Tm, Thm.

    The metric's scores of both outputs are compared as people compared them. Two judgments of the
    same pair, by two people, are two pairs.

    Args:
        metric: scores shaped (system, item), higher for better.
        judgments: systems and items by their place in the matrix.
        epsilon: the metric ties a pair whose scores differ by no more than this.
    """
    scores = as_values("metric", _as_matrix("metric", metric))
    for name, axis, what in (("left", 0, "systems"), ("right", 0, "systems"), ("item", 1, "items")):
        indices, size = getattr(judgments, name), scores.shape[axis]
        outside = indices[(indices < 0) | (indices >= size)]
        if outside.size:
            expected = f"a number from 0 to {size - 1}: there are {size} {what}"
            raise SettingError(name, int(outside[0]), expected)
    difference = scores[judgments.left, judgments.item] - scores[judgments.right, judgments.item]
    metric_ties = np.abs(difference) <= require_tie_threshold(epsilon)
    human_ties = judgments.verdict == 0
    alike = np.sign(difference) == np.sign(judgments.verdict)
    classes = np.select(
        [human_ties & metric_ties, human_ties, metric_ties, alike], [4, 2, 3, 0], default=1
    )
    counts = np.bincount(5 * judgments.item + classes, minlength=5 * scores.shape[1])
    return counts.reshape(-1, 5)


def count_judgments(metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0) -> PairCounts:
    """The five classes of all judgments put together; see `count_judgments_by_item`.

    >>> from truebleu.agreement.data import Judgments
    >>> arrays = {"left": [0, 0, 1], "right": [1, 2, 2], "item": [0, 0, 0], "verdict": [1, 0, -1]}
    >>> tuple(count_judgments([[3.0], [2.0], [2.0]], Judgments(**arrays)))
    (1, 0, 1, 1, 0)
    """
    counts = count_judgments_by_item(metric, judgments, epsilon=epsilon)
    return PairCounts(*counts.sum(axis=0).tolist())


def value_of_counts(name: str, counts: Iterable[float]) -> float | None:
    """One of PAIR_COEFFICIENTS, of counts; None where its denominator is 0.

    >>> value_of_counts("tau-13", PairCounts(4, 1, 0, 0, 0))
    0.6
    """
    return _core.value_of_counts(name, list(map(int, counts)))


def judgment_rows(metrics: Iterable[ArrayLike], judgments: Judgments, by: Coefficient) -> Values:
    """The five classes of every metric side by side, one row per segment."""
    require_countable(by)
    counts = [
        count_judgments_by_item(scores, judgments, epsilon=by.parameter) for scores in metrics
    ]
    if not counts:
        raise SettingError("metrics", {}, "the scores of at least one")
    return np.concatenate(counts, axis=1).astype(np.float64)


def values_of_rows(by: Coefficient, rows: Iterable[Values]) -> Values:
    """The coefficient of summed counts of the five classes; NaN where it is undefined."""
    values = [value_of_counts(by.name, row) for row in rows]
    return np.array(values, dtype=np.float64)


# --------------------------------------------------------------------------------------------------
# Values, and why there are none.


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """How well one metric agrees with people by one coefficient.

    Attributes:
        metric: the metric's label.
        value: None where it is undefined, which is not 0; `notes` say why.
        low: the lower bound of the interval; None where there is none.
        high: the upper bound.
        rank: the number of its cluster, from 1; None without a value.
        groups: how many groups the value is made of; None where nothing is grouped.
        undefined_groups: how many groups have no value.
        epsilon: the tie threshold, where it was calibrated.
        coverage: about what share of such intervals cover, where that is not the level asked for.
        notes: what a reader should know.
    """

    metric: Annotated[str, Column(heading="Metric")] = ""
    value: Annotated[float | None, Column(heading="Value", digits=4, numeric=True)]
    low: float | None = None
    high: float | None = None
    rank: Annotated[int | None, Column(heading="Rank", numeric=True)] = None
    groups: int | None = None
    undefined_groups: Annotated[int | None, Column(heading="Undefined groups")] = None
    epsilon: Annotated[float | None, Column(heading="Tie threshold", digits=4)] = None
    coverage: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def reason(self) -> str | None:
        """Why there is no value; None where there is one."""
        return "; ".join(self.notes) if self.value is None else None

    def noted(self, *notes: str) -> MetricAgreement:
        """The same with further notes."""
        return replace(self, notes=(*self.notes, *notes))


class TieCalibration(NamedTuple):
    """The best threshold, and what is to be known of it.

    Attributes:
        epsilon: pairs whose scores differ by no more are tied. All digits matter: with fewer of
            them it may fall below the difference that it is.
        accuracy: the largest mean accuracy.
        groups: how many groups were averaged.
        human_ties: the mean share of pairs that people tie: the accuracy of calling all a tie.
        below: every threshold from epsilon up to, but not including, this one gives the same
            accuracy; None where all larger ones do.
        unique: no threshold from `below` on gives it too.
        degenerate: calling every pair a tie is as accurate as the metric with its threshold.
    """

    epsilon: float
    accuracy: float
    groups: int
    human_ties: float
    below: float | None
    unique: bool
    degenerate: bool

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
    require_choice("grouping", grouping)
    cells, scores = as_cells(human, metric)
    calibration = _core.Cells(cells, scores).calibrated_ties(grouping=grouping, micro=micro)
    return None if calibration is None else TieCalibration(*calibration)


def measure(
    human: ArrayLike, metric: ArrayLike, by: str | Coefficient, **settings: Any
) -> MetricAgreement:
    """How well a metric agrees with human scores.

    Args:
        human: scores shaped (system, item), NaN where nobody rated; or one score per system.
        metric: scores of the same shape, higher for better.
        by: a coefficient, or its name.
        settings: of the coefficient, such as grouping="item".

    >>> measure([-1, -2, -3, -5], [30, 31, 28, 27], "kendall-b").value
    0.666...
    >>> measure([1, 2, 3], [7, 7, 7], "pearson").reason
    'all cells have the same score by the metric'
    """
    return measure_cells(*as_cells(human, metric), coefficient(by, **settings))


def measure_cells(human: Values, metric: Values, by: Coefficient) -> MetricAgreement:
    """As `measure`, of matrices that were checked."""
    if by.name == SOFT:
        expected = f"another coefficient: see truebleu.agreement.{SOFT.replace('-', '_')}"
        raise SettingError("coefficient", by.name, expected)
    if by.calibrated:
        micro = by.average == "micro"
        ties = calibrate_ties(human, metric, grouping=by.grouping, micro=micro)
        if ties is not None:
            value = ties.accuracy if by.name == "acc-eq" else 2 * ties.accuracy - 1
            agreement = MetricAgreement(value=value, groups=ties.groups, undefined_groups=0)
            return replace(agreement, epsilon=ties.epsilon, notes=ties.notes)
        measured, groups, undefined = None, 0, 0
    else:
        measured, groups, undefined = _core.Cells(human, metric).measure(by.native)
    notes = () if measured is not None else (why_undefined(human, metric, by),)
    return MetricAgreement(value=measured, groups=groups, undefined_groups=undefined, notes=notes)


def measure_judgments(
    metric: ArrayLike, judgments: Judgments, by: str | Coefficient
) -> MetricAgreement:
    """A coefficient of all judgments put together.

    Args:
        metric: scores shaped (system, item), higher for better.
        judgments: systems and items by their place in the matrix.
        by: a coefficient that is made of the counts of pairs, with a number as epsilon.
    """
    by = coefficient(by)
    require_countable(by)
    counts = count_judgments(metric, judgments, epsilon=by.parameter)
    value = value_of_counts(by.name, counts)
    if value is not None:
        return MetricAgreement(value=value)
    reason = "the metric ties every pair"
    if not counts.total:
        reason = "there are no judgments"
    elif counts.human_ties + counts.both_ties == counts.total:
        reason = WHY_UNDEFINED["no order"]
    elif by.name == "tau-13":
        reason = WHY_UNDEFINED["no common order"]
    return MetricAgreement(value=None, notes=(reason,))


# Why no group has a value; people or the metric may give everything the same score, too.
WHY_UNDEFINED = {
    "no order": "people tie every pair",
    "no common order": "no pair is ordered by people and by the metric",
    "nothing kept": "no two human scores differ by {threshold:g} or more",
}


def why_undefined(human: Values, metric: Values, by: Coefficient) -> str:
    """Why no group has a value, of matrices that were checked."""
    rated = rated_cells(human)
    within = {"none": "", "item": " of an item", "system": " of a system"}[by.grouping]
    axis = {"none": None, "item": 0, "system": 1}[by.grouping]
    if np.max(rated.sum(axis=axis), initial=0) < 2:
        return f"there are no two human scores{within}"
    if reason := WHY_UNDEFINED.get(by.definition.undefined):
        return reason.format(threshold=by.parameter) + within
    who = "people or the metric"
    if np.ptp(metric[rated]) <= by.parameter:
        who = "the metric"
    elif np.ptp(human[rated]) == 0:
        who = "people"
    close = f"scores within {by.parameter:g} of each other" if by.parameter else "the same score"
    return f"all cells{within} have {close} by {who}"


# --------------------------------------------------------------------------------------------------
# Soft pairwise accuracy: are a metric and people equally sure which of two systems is better?
#
# SPA (Thompson et al. 2024) is the mean over pairs of systems i < j of 1 - |p_h - p_m|, where p_h
# and p_m are the one-sided p-values, from human and from metric scores, of a paired permutation
# test that i is better than j. Unlike accuracy it does not ask a metric to order systems that
# people can't tell apart.
#
# For systems i and j, x_ik - x_jk is the difference on segment k. Were they equally good, each
# difference might as well have the other sign: p is the share of permutations, signs w, for which
# sum_k w_k (x_ik - x_jk) is no less than the observed sum_k (x_ik - x_jk). It is small if i is
# better, and counts ties, so that a system against its copy has p = 1. It is the definition's
# share, without the 1 added to a test's p-value. Both sides use the segments that people rated for
# both systems of a pair, and the same permutations. Segments are assumed to be independent.
#
# Intervals and tests need thousands of accuracies. They use the normal approximation: the sum of n
# differences with random signs has mean 0 and the sum of squared differences for variance, so that
# from some dozens of segments on p is about 1 - Phi(sum d / sqrt(sum d^2)). Both sums are over
# segments, and nothing needs to be permuted.

# With 1,000 permutations, as the metrics tasks have it, the value changes by 0.002 or so from seed
# to seed; with these by a tenth of that.
SOFT_PERMUTATIONS = 100_000
# Numbers that a block of differences, or of replicate sums, may hold: 32 MB.
BLOCK_SIZE = 1 << 22


def soft_pairwise_accuracy(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    permutations: int = SOFT_PERMUTATIONS,
    seed: int = DEFAULT_SEED,
) -> dict[str, MetricAgreement]:
    """Soft pairwise accuracy of metrics, all by the same permutations.

    Groups are pairs of systems here: those that share no rated segment are undefined.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metrics: the scores of each metric by its name, shaped alike; higher is better.
        permutations: of signs; all of them are made where they are no more than these.
        seed: of the permutations.

    >>> human = [[0, -1, 0, -5], [-1, -1, -5, 0], [-5, -2, -1, -6]]
    >>> metric = [[60, 50, 55, 20], [55, 52, 40, 30], [10, 30, 30, 25]]
    >>> soft_pairwise_accuracy(human, {"metric": metric})["metric"].value
    0.875
    """
    ratings = as_human(human)
    if len(ratings) < 2:
        raise SettingError("systems", len(ratings), "at least two: accuracy is about pairs")
    scores = [as_metric(name, metric, ratings) for name, metric in metrics.items()]
    rated = rated_cells(ratings)
    matrices = np.stack([np.where(rated, ratings, 0.0), *scores])
    tested = paired_permutations(matrices, rated, Swaps(replicates=permutations, seed=seed))
    people, *others = tested.p_values
    notes = () if tested.pairs else ("no two systems share a rated segment",)
    return {
        name: MetricAgreement(
            metric=name,
            value=float(1 - np.abs(p - people).mean()) if tested.pairs else None,
            groups=len(tested.pairs),
            undefined_groups=comb(len(ratings), 2) - len(tested.pairs),
            notes=notes,
        )
        for name, p in zip(metrics, others, strict=True)
    }


class PairedPermutations(NamedTuple):
    """The p-values of all pairs of systems, i < j in order, and how they came about.

    Attributes:
        p_values: shaped (matrix, pair); only pairs with a segment rated for both.
        pairs: the systems of each of these pairs.
        permutations: how many were made.
        exact: these are all there are.
    """

    p_values: Values
    pairs: tuple[tuple[int, int], ...]
    permutations: int
    exact: bool


def paired_permutations(
    matrices: Values, rated: NDArray[np.bool_], swaps: Swaps
) -> PairedPermutations:
    """Test all pairs of systems by every matrix of scores, all with the same permutations.

    Args:
        matrices: finite scores shaped (matrix, system, segment).
        rated: the cells that count, shaped (system, segment).
        swaps: how many permutations, and the seed; fewer where all of them are fewer.
    """
    shared = rated.sum(axis=0) >= 2
    rated, matrices = rated[:, shared], matrices[:, :, shared]
    count, _, segments = matrices.shape
    first, second = paired_systems(rated)
    exact = swaps.enumerates(segments)
    permutations = 2**segments if exact else swaps.replicates
    p_values = np.empty((count, len(first)))
    size = max(1, BLOCK_SIZE // (count * max(segments, 1)))
    for start in range(0, len(first), size):
        chosen = slice(start, start + size)
        left, right = first[chosen], second[chosen]
        differences = (matrices[:, left] - matrices[:, right]) * (rated[left] & rated[right])
        # Below which size a sum is 0 but for rounding: decimal scores such as 0.1 add up to nearly,
        # not exactly, the same, and among human scores, which have few values, ties are common.
        margins = TIE_TOLERANCE * np.abs(differences).sum(axis=2)
        reached = _core.Rows(on_exact_grid(differences.reshape(-1, segments).T)).count_at_most(
            margins.ravel().tolist(),
            first=0,
            replicates=permutations,
            seed=None if exact else swaps.seed,
        )
        p_values[:, chosen] = reached.reshape(count, -1) / permutations
    pairs = tuple(zip(first.tolist(), second.tolist(), strict=True))
    return PairedPermutations(p_values, pairs, permutations, exact)


def paired_systems(rated: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The pairs of systems that share a rated segment, shaped (2, pair)."""
    return np.stack(np.nonzero(np.triu(rated @ rated.T, 1)))


# --------------------------------------------------------------------------------------------------
# All metrics of a data set by one coefficient.


def require_answerable(by: Coefficient, data: AgreementData, label: str) -> None:
    """Check that the human scores called `label` can answer a coefficient; raises SettingError."""
    judged = "comparisons" if data.judgments is not None else "human scores of whole systems"
    if by.name == SOFT and data.human is None:
        raise SettingError(label, judged, f"human scores of segments for {SOFT}")
    if by.level == "segment" and data.people.item == "system":
        expected = f"human scores of segments for {by.label}; or add level=system"
        raise SettingError(label, judged, expected)


def measure_metrics(data: AgreementData, by: Coefficient, seed: int) -> dict[str, MetricAgreement]:
    """Measure every metric by a coefficient; return the agreements by label."""
    human, judgments, means = data.human, data.judgments, data.people.means
    if by.of_systems:
        if int((~np.isnan(means)).sum()) < FEWEST_SYSTEMS.get(by.name, 2):
            reason = "undefined for fewer than three systems: two points always lie on a line"
            undefined = MetricAgreement(value=None, notes=(reason,))
            values = dict.fromkeys(data.metrics, undefined)
        else:
            values = {label: measure(means, s, by) for label, s in data.systems.items()}
    elif by.compared:
        assert judgments is not None  # noqa: S101  # asked for only where there are any
        values = {label: measure_judgments(s, judgments, by) for label, s in data.items.items()}
    else:
        assert human is not None  # noqa: S101  # refused otherwise
        if by.name == SOFT:
            return soft_pairwise_accuracy(human, data.items, seed=seed)
        values = {label: measure(human, s, by) for label, s in data.items.items()}
    return {label: replace(value, metric=label) for label, value in values.items()}
