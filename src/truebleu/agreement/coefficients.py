"""Coefficients of agreement between human and metric scores.

Scores are matrices shaped (system, item); higher is better on both sides. An unrated cell
is NaN in the human scores, and its metric score is ignored. People may also compare pairs of
outputs (`Judgments`).

Most coefficients are computed from the counts of pairs of cells in five classes: C and D,
concordant and discordant pairs of people and the metric; Th, Tm and Thm, pairs tied by people only,
by the metric only, or by both. A value above 0 means agreement, and 1 is the maximum. If a
denominator is 0, the coefficient is undefined: None, not 0.

| grouping | compared vectors                     | mean over |
|----------|--------------------------------------|-----------|
| none     | one of all cells                     | -         |
| item     | for each item, the scores of systems | items     |
| system   | for each system, the scores of items | systems   |

Groups with fewer than two rated cells are ignored.

The tie threshold of a metric is the threshold at which it agrees best with people (Deutsch et al.
2023, §4). Candidates are 0 and every difference of two metric scores in a group. The result is the
smallest candidate with the largest accuracy with ties, averaged over groups. It is chosen on the
data that it is reported on, so the accuracy flatters every metric. The search is exact: accuracies
are compared as whole numbers of pairs, not as rounded quotients.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError
from truebleu.resampling import TIE_TOLERANCE, Swaps, as_values, on_exact_grid
from truebleu.schema import DEFAULT_SEED, Column, is_of, require_name

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

#: Cells that are compared with each other: all, the cells of one item, or of one system.
Grouping: TypeAlias = Literal["none", "item", "system"]
#: Largest difference at which the metric ties a pair; "calibrated" chooses the best one.
Epsilon: TypeAlias = float | Literal["calibrated"]
#: "macro" counts every group once; "micro" by its cells, or by its pairs for kendall-like.
Average: TypeAlias = Literal["macro", "micro"]
#: Treatment of groups without a value: left out of the mean, or counted as 0.
UndefinedGroups: TypeAlias = Literal["leave-out", "zero"]
#: Compared scores: of systems or of segments.
Level: TypeAlias = Literal["system", "segment"]
#: Condition under which a coefficient is undefined in a group.
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
# Limit on scores, so that sums of their squares fit into a float64.
LARGEST = 1e150
# Fewest systems of a coefficient, 2 by default: two points always lie on a line.
FEWEST_SYSTEMS = {"pearson": 3, "spearman": 3}

# --------------------------------------------------------------------------------------------------
# Matrices of scores.


def as_human(human: ArrayLike) -> Values:
    """Check human scores; return a matrix shaped (system, segment), NaN in unrated cells."""
    scores = _as_matrix("human", human)
    if np.isinf(scores).any():
        raise SettingError("human", float("inf"), "finite numbers, NaN for a missing score")
    return scores


def as_metric(name: str, metric: ArrayLike, human: Values) -> Values:
    """Check that a metric's scores are finite in rated cells; return them with 0 in the others."""
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
    """Return a mask of the cells that have a human score."""
    return ~np.isnan(human)


def as_cells(human: ArrayLike, metric: ArrayLike) -> tuple[Values, Values]:
    """Check human and metric scores; return matrices. One score per system makes one column."""
    cells = as_human(human)
    scores = as_metric("metric", metric, cells)
    for name, matrix in (("human", cells), ("metric", scores)):
        if matrix.size and np.nanmax(np.abs(matrix), initial=0.0) > LARGEST:
            largest = float(matrix.flat[np.nanargmax(np.abs(matrix))])
            raise SettingError(name, largest, f"scores between -{LARGEST:g} and {LARGEST:g}")
    return cells, scores


def _as_matrix(name: str, scores: ArrayLike) -> Values:
    """Convert scores to a matrix; a vector of one score per system becomes one column."""
    try:
        matrix = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        expected = "a number for every system and segment, shaped (system, segment)"
        raise SettingError(name, type(scores).__name__, expected) from error
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2:
        raise SettingError(name, matrix.shape, "shape (system, segment)")
    return matrix


def require_tie_threshold(epsilon: Any, setting: str = "epsilon") -> float:
    """Return a tie threshold; raises SettingError unless it is a finite number, at least 0."""
    if not is_of(float, epsilon) or epsilon < 0:
        raise SettingError(setting, epsilon, "a finite number, at least 0")
    return float(epsilon)


# --------------------------------------------------------------------------------------------------
# The coefficients by name.


@dataclass(frozen=True, slots=True)
class Definition:
    """Definition of a coefficient.

    Attributes:
        name: name on the command line and in JSON.
        title: name in sentences.
        origin: paper or shared task.
        undefined: condition under which a group has no value.
        systems: True if it compares systems, not segments, by default.
        epsilon: True if the metric may tie pairs by a threshold.
        calibrated: True if the tie threshold is calibrated by default.
        pooled: True if the pairs of all groups are pooled by definition, and nothing is averaged.
        threshold: True if only pairs with a minimum difference of human scores count.
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
# C, D: concordant, discordant pairs; Th, Tm, Thm: tied by people only, by the metric only, or both.
_TABLE: tuple[tuple[str, str, str, Undefined, str], ...] = (
    # covariance / (standard deviation of human scores * standard deviation of metric scores)
    ("pearson", "Pearson's r", "Pearson 1895", "constant", "systems"),
    # Pearson's r of ranks; ties share the mean of their ranks
    ("spearman", "Spearman's rho", "Spearman 1904", "constant", "systems"),
    # (C - D) / all pairs
    ("kendall-a", "Kendall's tau-a", "Kendall 1938", "never", "epsilon"),
    # (C - D) / sqrt((C + D + Th) (C + D + Tm))
    ("kendall-b", "Kendall's tau-b", "Kendall 1945, WMT 2022", "constant", "epsilon"),
    # 2 (C - D) / (n^2 (k - 1) / k), k the smaller number of different scores
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
    # (C - D) / (C + D + Tm) of the pooled pairs of all groups
    ("chen-cherry", "Chen and Cherry's tau", "Chen & Cherry 2014", "no order", "epsilon pooled"),
    # (C + Thm) / all pooled pairs of all groups
    ("pairwise-accuracy", "Pairwise accuracy", "Kocmi et al. 2021", "never", POOLED_SYSTEMS),
    # (C - others) / all pairs whose human scores differ by the threshold or more
    ("kendall-like", "The Kendall-like tau", "WMT 2016 to 2021", "nothing kept", "threshold"),
    # Pearson's r of the differences of all pooled pairs of all groups
    (DIFFERENCES, "Pearson of differences", "mt-metrics-eval", "constant", "pooled"),
    # mean of 1 - |p - q| over pairs of systems; p, q one-sided p-values by people, by metric
    (SOFT, "Soft pairwise accuracy", "Thompson et al. 2024, WMT 2024", "never", "systems pooled"),
)
DEFINITIONS = {
    name: Definition(name, title, origin, undefined, **dict.fromkeys(features.split(), True))
    for name, title, origin, undefined, features in _TABLE
}
#: The coefficients of `measure`; soft pairwise accuracy has its own `soft_pairwise_accuracy`.
COEFFICIENTS = tuple(name for name in DEFINITIONS if name != SOFT)
#: The coefficients of counts of pairs, with a tie threshold.
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
ONLY_CALIBRATED = "a number; only acc-eq and tau-eq are calibrated"
ONLY_THRESHOLD = "None: only kendall-like has a threshold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient with its settings; `coefficient` makes one from a name.

    Attributes:
        name: a name in DEFINITIONS.
        epsilon: largest difference of metric scores that is a tie.
        threshold: smallest difference of human scores that counts, for kendall-like only.
        grouping: cells that are compared with each other.
        average: average over groups, "macro" by default, "micro" for kendall-like; None for a
            coefficient that pools the pairs of all groups.
        undefined: treatment of groups in which the coefficient is undefined. If they are left out,
            two metrics may be averaged over different groups; if they count as 0, a metric is
            penalized for tying all.
        level: "system" or "segment" scores are compared.
        compared: True if people compared pairs of outputs: the judgments of all segments are
            pooled, without groups.
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
        name, definition, has_threshold = self.name, self.definition, self.threshold is not None
        for setting, choices in CHOICES.items():
            if getattr(self, setting) is not None:
                require_name(setting, getattr(self, setting), choices)
        for setting in ("epsilon", "threshold"):
            if getattr(self, setting) not in (None, CALIBRATED):
                require_tie_threshold(getattr(self, setting), f"{setting} of {name}")
        if self.average is None and not definition.pooled:
            object.__setattr__(self, "average", "micro" if definition.threshold else "macro")
        pools = f"{name} pools the pairs of all groups"
        smallest = "the smallest difference of human scores that counts, such as kendall-like:25"
        for setting, is_wrong, expected in (
            ("average", self.average is not None and definition.pooled, f"None: {pools}"),
            ("undefined", self.undefined == "zero" and self.pooled, f"'leave-out': {pools}"),
            ("epsilon", self.calibrated and not definition.calibrated, ONLY_CALIBRATED),
            ("epsilon", self.epsilon and not definition.epsilon, f"0: {name} has no tie threshold"),
            ("threshold", definition.threshold and not has_threshold, smallest),
            ("threshold", has_threshold and not definition.threshold, ONLY_THRESHOLD),
        ):
            if is_wrong:
                raise SettingError(f"{setting} of {name}", getattr(self, setting), expected)

    @property
    def definition(self) -> Definition:
        """The definition of the coefficient."""
        return DEFINITIONS[self.name]

    @property
    def calibrated(self) -> bool:
        """True if the tie threshold is chosen to agree best with people."""
        return self.epsilon == CALIBRATED

    @property
    def pooled(self) -> bool:
        """True if the pairs of all groups are pooled."""
        return self.definition.pooled or (self.definition.threshold and self.average == "micro")

    @property
    def of_systems(self) -> bool:
        """True if it compares one human score and one metric score per system."""
        return self.level == "system" and self.name != SOFT

    @property
    def text(self) -> str:
        """The name with its threshold, as `coefficient` parses it."""
        if self.threshold is not None:
            return f"{self.name}:{self.threshold!r}"
        return f"{self.name}:{self.epsilon}" if self.epsilon else self.name

    @property
    def label(self) -> str:
        """The settings that must match before two values may be compared.

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
        """Describe the coefficient in words; `item` is "segment", "document" or "domain"."""
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
        """The numeric parameter of the core: the threshold, or epsilon."""
        if self.threshold is not None:
            return float(self.threshold)
        return 0.0 if self.epsilon == CALIBRATED else float(self.epsilon)

    @property
    def native_name(self) -> str:
        """The name in the core."""
        return f"calibrated-{self.name}" if self.calibrated else self.name

    @property
    def native(self) -> _core._Settings:
        """The settings of the core."""
        return {
            "grouping": self.grouping,
            "coefficient": self.native_name,
            "parameter": self.parameter,
            "micro": self.average == "micro",
            "undefined_as_zero": self.undefined == "zero",
        }


def coefficient(name: str | Coefficient, **settings: Any) -> Coefficient:
    """Return a coefficient by name; settings may follow the name and a colon.

    Args:
        name: a name such as "kendall-b", "acc-eq:calibrated" or "pearson:grouping=item"; or a
            coefficient, whose settings are replaced.
        settings: fields of `Coefficient`.

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
    stem, settings_in_name = _read(name)
    if settings_in_name.keys() & keywords.keys():
        raise SettingError("coefficient", name, "each setting only once")
    return Coefficient(name=stem, **settings_in_name, **keywords)


def parse_coefficient(text: str, *, compared: bool = False) -> Coefficient:
    """Parse a coefficient with the default level, grouping and tie calibration of `agree`.

    Args:
        text: a text such as "acc-eq", "kendall-like:25" or "pearson:level=segment,grouping=none".
        compared: True if people compared pairs of outputs instead of giving scores.

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
    ungrouped = {
        "at system level": level == "system",
        "with comparisons of pairs": compared,
        "with grouping=none": settings.get("grouping") == "none",
    }
    where = next((words for words, is_so in ungrouped.items() if is_so), None)
    for key in ("grouping", "average", "undefined"):
        if where and key in settings and settings[key] != "none":
            expected = f"no {key} {where}, as there are no groups"
            raise SettingError(f"{key} of {name}", settings[key], expected)
    if settings.get("undefined") == "zero" and definition.undefined == "never":
        expected = "'leave-out': this coefficient is defined in every group with two cells"
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
    """Parse coefficients, dropping duplicates."""
    if isinstance(texts, str):
        raise SettingError("coefficients", texts, "a list of coefficients, such as ['kendall-b']")
    parsed = tuple(dict.fromkeys(parse_coefficient(text, compared=compared) for text in texts))
    if not parsed:
        raise SettingError("coefficients", "none", "at least one, such as kendall-b")
    return parsed


def _read(text: str) -> tuple[str, dict[str, Any]]:
    """Parse the name and the settings of a text like "pearson:level=segment,grouping=none"."""
    stem, _, rest = text.strip().lower().replace("_", "-").partition(":")
    name = ALIASES.get(stem.strip(), stem.strip())
    require_name("coefficient", name, (*DEFINITIONS, *ALIASES))
    settings: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            # The numeric setting of a coefficient needs no name: acc-eq:calibrated.
            key, value = ("threshold" if DEFINITIONS[name].threshold else "epsilon"), part
        if key not in SETTINGS:
            raise UnknownNameError(f"setting of {name}", key, SETTINGS)
        if key in settings:
            raise SettingError(f"{key} of {name}", value, "each setting once")
        if key in CHOICES:
            require_name(key, value, CHOICES[key])
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


def require_countable(by: Coefficient) -> None:
    """Raise SettingError for a coefficient that counts of compared pairs do not define."""
    if by.name not in PAIR_COEFFICIENTS or by.calibrated:
        expected = f"a coefficient of compared pairs: {', '.join(PAIR_COEFFICIENTS)}"
        raise SettingError("coefficient", by.text, expected)


# --------------------------------------------------------------------------------------------------
# Counts of pairs.


class PairCounts(NamedTuple):
    """Numbers of pairs by class; the classes are disjoint.

    Attributes:
        concordant: C, pairs that people and the metric order in the same direction.
        discordant: D, pairs that people and the metric order in opposite directions.
        human_ties: Th, pairs that people tie and the metric does not.
        metric_ties: Tm, pairs that the metric ties and people do not.
        both_ties: Thm, pairs that people and the metric tie.
    """

    concordant: int
    discordant: int
    human_ties: int
    metric_ties: int
    both_ties: int

    @property
    def total(self) -> int:
        """Number of all pairs."""
        return sum(self)


def count_pairs(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "none", epsilon: float = 0.0
) -> PairCounts:
    """Count the pairs of cells in each class, summed over groups.

    Args:
        human: scores shaped (system, item), NaN if unrated; or one score per system.
        metric: scores in the shape of `human`; higher is better.
        grouping: cells that make pairs.
        epsilon: largest difference of metric scores that is a tie. Human scores tie only if equal.

    >>> tuple(count_pairs([4, 1, 2, 2, 3], [5, 1, 1, 4.8, 4.5]))
    (7, 1, 1, 1, 0)
    """
    cells, scores = as_cells(human, metric)
    require_name("grouping", grouping, GROUPINGS)
    threshold = require_tie_threshold(epsilon)
    return PairCounts(*_core.Cells(cells, scores).pair_counts(grouping=grouping, epsilon=threshold))


def count_judgments_by_item(
    metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0
) -> NDArray[np.int64]:
    """Count the judgments of each item in the classes C, D, Th, Tm, Thm, shaped (item, class).

    Two judgments of one pair by two people are two pairs.

    Args:
        metric: scores shaped (system, item); higher is better.
        judgments: judgments with systems and items as indices into `metric`.
        epsilon: largest difference of metric scores that is a tie.
    """
    scores = as_values("metric", _as_matrix("metric", metric))
    for name, axis, noun in (("left", 0, "systems"), ("right", 0, "systems"), ("item", 1, "items")):
        indices, size = getattr(judgments, name), scores.shape[axis]
        outside = indices[(indices < 0) | (indices >= size)]
        if outside.size:
            expected = f"a number from 0 to {size - 1}: there are {size} {noun}"
            raise SettingError(name, int(outside[0]), expected)
    difference = scores[judgments.left, judgments.item] - scores[judgments.right, judgments.item]
    metric_ties = np.abs(difference) <= require_tie_threshold(epsilon)
    human_ties = judgments.verdict == 0
    concordant = np.sign(difference) == np.sign(judgments.verdict)
    classes = np.select(
        [human_ties & metric_ties, human_ties, metric_ties, concordant], [4, 2, 3, 0], default=1
    )
    counts = np.bincount(5 * judgments.item + classes, minlength=5 * scores.shape[1])
    return counts.reshape(-1, 5)


def count_judgments(metric: ArrayLike, judgments: Judgments, *, epsilon: float = 0.0) -> PairCounts:
    """Count the judgments in each class; see `count_judgments_by_item`.

    >>> from truebleu.agreement.data import Judgments
    >>> arrays = {"left": [0, 0, 1], "right": [1, 2, 2], "item": [0, 0, 0], "verdict": [1, 0, -1]}
    >>> tuple(count_judgments([[3.0], [2.0], [2.0]], Judgments(**arrays)))
    (1, 0, 1, 1, 0)
    """
    counts = count_judgments_by_item(metric, judgments, epsilon=epsilon)
    return PairCounts(*counts.sum(axis=0).tolist())


def value_of_counts(name: str, counts: Iterable[float]) -> float | None:
    """Compute a coefficient in PAIR_COEFFICIENTS from counts; None if its denominator is 0.

    >>> value_of_counts("tau-13", PairCounts(4, 1, 0, 0, 0))
    0.6
    """
    return _core.value_of_counts(name, list(map(int, counts)))


def judgment_rows(metrics: Iterable[ArrayLike], judgments: Judgments, by: Coefficient) -> Values:
    """Count every metric's judgments in the five classes, shaped (segment, metric * class)."""
    require_countable(by)
    counts = [
        count_judgments_by_item(scores, judgments, epsilon=by.parameter) for scores in metrics
    ]
    if not counts:
        raise SettingError("metrics", {}, "the scores of at least one")
    return np.concatenate(counts, axis=1).astype(np.float64)


def values_of_rows(by: Coefficient, rows: Iterable[Values]) -> Values:
    """Compute the coefficient of each row of class counts; NaN if undefined."""
    values = [value_of_counts(by.name, row) for row in rows]
    return np.array(values, dtype=np.float64)


# --------------------------------------------------------------------------------------------------
# Values, and reasons for their absence.


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """Agreement of one metric with human judgments by one coefficient.

    Attributes:
        metric: the metric's label.
        value: value of the coefficient, or None if undefined, which is not 0; `notes` say why.
        low: lower bound of the interval, or None without an interval.
        high: upper bound of the interval, or None without an interval.
        rank: number of the metric's cluster, from 1; None without a value.
        groups: number of groups with a value; None without groups.
        undefined_groups: number of groups without a value; None without groups.
        epsilon: the tie threshold if it was calibrated, or None.
        notes: caveats for readers.
    """

    metric: Annotated[str, Column(heading="Metric")] = ""
    value: Annotated[float | None, Column(heading="Value", digits=4, numeric=True)]
    low: float | None = None
    high: float | None = None
    rank: Annotated[int | None, Column(heading="Rank", numeric=True)] = None
    groups: int | None = None
    undefined_groups: Annotated[int | None, Column(heading="Undefined groups")] = None
    epsilon: Annotated[float | None, Column(heading="Tie threshold", digits=4)] = None
    notes: tuple[str, ...] = ()

    @property
    def reason(self) -> str | None:
        """The reason why there is no value, or None."""
        return "; ".join(self.notes) if self.value is None else None

    def with_notes(self, *notes: str) -> MetricAgreement:
        """Return the agreement with further notes."""
        return replace(self, notes=(*self.notes, *notes))


class TieCalibration(NamedTuple):
    """The best tie threshold and its properties.

    Attributes:
        epsilon: largest difference of metric scores that is a tie. All digits matter: a rounded
            threshold may be smaller than the difference that it equals.
        accuracy: largest mean accuracy.
        groups: number of groups that were averaged.
        human_ties: mean share of pairs that people tie, which is the accuracy of tying all pairs.
        below: smallest larger threshold with another accuracy, or None.
        unique: True if no threshold from `below` on has the largest accuracy too.
        degenerate: True if tying every pair is as accurate as the metric with its threshold.
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
        """Caveats for readers, in sentences."""
        notes = []
        if self.degenerate:
            notes.append(
                "the best tie threshold is no better than calling every pair a tie: the accuracy "
                f"is the share of pairs that people tie ({100 * self.human_ties:.1f} %) "
                "and says nothing about the metric"
            )
        if not self.unique:
            notes.append(
                "several separate tie thresholds are equally good; the smallest is reported"
            )
        return tuple(notes)


def calibrate_ties(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "item", micro: bool = False
) -> TieCalibration | None:
    """Find the best tie threshold of a metric; None if no group has two rated cells.

    Args:
        human: scores shaped (system, item), NaN if unrated.
        metric: scores in the shape of `human`; higher is better.
        grouping: cells that make pairs; "item" in WMT 2023 to 2025.
        micro: True to weight each group by its number of cells.

    >>> calibrate_ties([[0], [0], [0], [-5]], [[80], [81], [79], [60]]).epsilon
    2.0
    """
    require_name("grouping", grouping, GROUPINGS)
    cells, scores = as_cells(human, metric)
    calibration = _core.Cells(cells, scores).calibrated_ties(grouping=grouping, micro=micro)
    return None if calibration is None else TieCalibration(*calibration)


def measure(
    human: ArrayLike, metric: ArrayLike, by: str | Coefficient, **settings: Any
) -> MetricAgreement:
    """Measure how well a metric agrees with human scores.

    Args:
        human: scores shaped (system, item), NaN if unrated; or one score per system.
        metric: scores in the shape of `human`; higher is better.
        by: a coefficient, or its name.
        settings: settings of the coefficient, such as grouping="item".

    >>> measure([-1, -2, -3, -5], [30, 31, 28, 27], "kendall-b").value
    0.666...
    >>> measure([1, 2, 3], [7, 7, 7], "pearson").reason
    'all cells have the same score by the metric'
    """
    return measure_cells(*as_cells(human, metric), coefficient(by, **settings))


def measure_cells(human: Values, metric: Values, by: Coefficient) -> MetricAgreement:
    """Return the agreement of matrices that `as_cells` checked; see `measure`."""
    if by.name == SOFT:
        expected = f"a name in COEFFICIENTS; use truebleu.agreement.{SOFT.replace('-', '_')}"
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
    """Measure how well a metric agrees with comparisons of pairs, pooled over items.

    Args:
        metric: scores shaped (system, item); higher is better.
        judgments: judgments with systems and items as indices into `metric`.
        by: a coefficient in PAIR_COEFFICIENTS, with a number as epsilon.
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


# Reasons why no group has a value; `why_undefined` describes constant scores.
WHY_UNDEFINED = {
    "no order": "people tie every pair",
    "no common order": "no pair is ordered by people and by the metric",
    "nothing kept": "no two human scores differ by {threshold:g} or more",
}


def why_undefined(human: Values, metric: Values, by: Coefficient) -> str:
    """Explain why no group of checked matrices has a value."""
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
# test that i is better than j. Unlike accuracy, it does not require a metric to order systems that
# human scores can't tell apart.
#
# For systems i and j, x_ik - x_jk is the difference on segment k. If they are equally good, either
# sign of a difference is equally likely: p is the share of permutations, signs w, for which
# sum_k w_k (x_ik - x_jk) is at least the observed sum_k (x_ik - x_jk). It is small if i is better,
# and counts ties, so that a system against its copy has p = 1. Following the definition, p is a
# plain share, without the 1 that a test adds. Both sides use the segments that people rated for
# both systems of a pair, and common permutations. Segments are assumed to be independent.
#
# Intervals and tests need thousands of accuracies. They use the normal approximation: the sum of n
# differences with random signs has mean 0, and its variance is the sum of squared differences, so
# with some dozens of segments or more, p is about 1 - Phi(sum d / sqrt(sum d^2)). Both sums are
# over segments, and no permutations are needed.

# The 1,000 permutations of the metrics tasks make the value vary by about 0.002 between
# seeds; 100,000 permutations reduce that to a tenth.
SOFT_PERMUTATIONS = 100_000
# Size of a block of differences or replicate sums: 32 MB.
BLOCK_SIZE = 1 << 22


def soft_pairwise_accuracy(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    *,
    permutations: int = SOFT_PERMUTATIONS,
    seed: int = DEFAULT_SEED,
) -> dict[str, MetricAgreement]:
    """Compute the soft pairwise accuracy of metrics, with common permutations.

    Groups are pairs of systems here: pairs without a common rated segment are undefined.

    Args:
        human: human scores shaped (system, segment), NaN if unrated.
        metrics: the scores of each metric by name, in the shape of `human`; higher is better.
        permutations: number of permutations of signs; if there are no more, all of them are made.
        seed: seed of the permutations.

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
    """P-values of all pairs of systems, in order, with i < j.

    Attributes:
        p_values: p-values shaped (matrix, pair), of the pairs with a segment rated for both.
        pairs: indices of the two systems of each pair.
        permutations: number of permutations.
        exact: True if all permutations were made.
    """

    p_values: Values
    pairs: tuple[tuple[int, int], ...]
    permutations: int
    exact: bool


def paired_permutations(
    matrices: Values, rated: NDArray[np.bool_], swaps: Swaps
) -> PairedPermutations:
    """Return the p-values of all pairs of systems by every matrix, with common permutations.

    Args:
        matrices: finite scores shaped (matrix, system, segment).
        rated: mask of the cells that count, shaped (system, segment).
        swaps: number of permutations, and their seed; if there are no more, all of them are made.
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
        # A sum below its margin is 0 except for rounding: decimal scores such as 0.1 add up to
        # nearly equal sums, and ties are common among human scores, which have few values.
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
    """Return the pairs of systems that share a rated segment, shaped (2, pair)."""
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
        assert judgments is not None  # noqa: S101  # `compared` implies judgments
        values = {label: measure_judgments(s, judgments, by) for label, s in data.items.items()}
    else:
        assert human is not None  # noqa: S101  # `require_answerable` checked it
        if by.name == SOFT:
            return soft_pairwise_accuracy(human, data.items, seed=seed)
        values = {label: measure(human, s, by) for label, s in data.items.items()}
    return {label: replace(value, metric=label) for label, value in values.items()}
