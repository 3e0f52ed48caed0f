"""Coefficients of agreement: how human and metric scores become one number.

Scores are matrices shaped (system, segment), higher is better on both sides. A cell that nobody
rated is NaN among the human scores; what a metric says of such a cell is never looked at.

Most coefficients are made of the counts of pairs of cells in five classes: C and D, ordered alike
or in opposite directions by people and by the metric; Th, Tm and Thm, tied by people only, by the
metric only, or by both. A value above 0 means agreement, and 1 is the most there is. Where a
denominator is 0 a coefficient is undefined, which is None and not 0.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from truebleu import _core
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.resampling import Values

#: Which cells are compared with each other: all, those of one item, or those of one system.
Grouping: TypeAlias = Literal["none", "item", "system"]
#: The difference up to which the metric ties a pair; "calibrated" chooses the best one there is.
Epsilon: TypeAlias = float | Literal["calibrated"]
#: What makes a coefficient undefined in a group.
Undefined: TypeAlias = Literal["constant", "no order", "no common order", "nothing kept", "never"]

GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
CALIBRATED = "calibrated"
# Squares of larger scores, and sums of squares, would not fit into a float64.
LARGEST = 1e150

# --------------------------------------------------------------------------------------------------
# Matrices of scores.


def as_human(human: ArrayLike) -> Values:
    """Human scores as a checked matrix (system, segment), in which NaN is an unrated cell."""
    scores = _as_matrix("human", human)
    if np.isinf(scores).any():
        raise SettingError("human", float("inf"), "finite numbers, NaN where nobody rated")
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
    columns = (as_array("human", human), as_array("metric", metric))
    ratings, given = (column[:, np.newaxis] if column.ndim == 1 else column for column in columns)
    cells = as_human(ratings)
    scores = as_metric("metric", given, cells)
    for name, matrix in (("human", cells), ("metric", scores)):
        if matrix.size and np.nanmax(np.abs(matrix), initial=0.0) > LARGEST:
            largest = float(matrix.flat[np.nanargmax(np.abs(matrix))])
            raise SettingError(name, largest, f"scores between -{LARGEST:g} and {LARGEST:g}")
    return cells, scores


def as_array(name: str, scores: ArrayLike) -> Values:
    """The scores as an array of numbers."""
    try:
        return np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        expected = "a number for every system and segment, shaped (system, segment)"
        raise SettingError(name, type(scores).__name__, expected) from error


def _as_matrix(name: str, scores: ArrayLike) -> Values:
    matrix = as_array(name, scores)
    if matrix.ndim != 2:
        raise SettingError(name, matrix.shape, "shape (system, segment)")
    return matrix


def require_grouping(grouping: str) -> None:
    """Refuse a grouping that does not exist."""
    if grouping not in GROUPINGS:
        raise UnknownNameError("grouping", grouping, GROUPINGS)


def require_tie_threshold(epsilon: object, setting: str = "epsilon") -> float:
    """A tie threshold, refused unless it is a finite number from 0 up."""
    if isinstance(epsilon, (int, float, np.integer, np.floating)) and not isinstance(epsilon, bool):
        value = float(epsilon)
        if np.isfinite(value) and value >= 0:
            return value
    raise SettingError(setting, epsilon, "a finite number from 0 up")


# --------------------------------------------------------------------------------------------------
# Counts of pairs.


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCounts:
    """How many pairs fall into each class; every pair falls into one.

    Attributes:
        concordant: C, both scores differ, in the same direction.
        discordant: D, both scores differ, in opposite directions.
        human_ties: Th, people tie the pair and the metric does not.
        metric_ties: Tm, the metric ties the pair and people do not.
        both_ties: Thm, people and the metric tie it.
    """

    concordant: int = 0
    discordant: int = 0
    human_ties: int = 0
    metric_ties: int = 0
    both_ties: int = 0

    @property
    def total(self) -> int:
        """All pairs."""
        return sum(self.classes)

    @property
    def right(self) -> int:
        """The pairs that the metric has as people have them: C + Thm."""
        return self.concordant + self.both_ties

    @property
    def classes(self) -> tuple[int, int, int, int, int]:
        """C, D, Th, Tm, Thm."""
        return (
            self.concordant,
            self.discordant,
            self.human_ties,
            self.metric_ties,
            self.both_ties,
        )

    def __add__(self, other: PairCounts) -> PairCounts:
        return from_classes([a + b for a, b in zip(self.classes, other.classes, strict=True)])


def from_classes(classes: ArrayLike) -> PairCounts:
    """Counts from C, D, Th, Tm, Thm in this order."""
    names = (field.name for field in fields(PairCounts))
    return PairCounts(**dict(zip(names, map(int, np.asarray(classes)), strict=True)))


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

    >>> count_pairs([4, 1, 2, 2, 3], [5, 1, 1, 4.8, 4.5]).classes
    (7, 1, 1, 1, 0)
    """
    cells, scores = as_cells(human, metric)
    require_grouping(grouping)
    counts = _core.pair_counts(
        cells, scores, grouping=grouping, epsilon=require_tie_threshold(epsilon)
    )
    return from_classes(counts)


class KeptPairs(NamedTuple):
    """Pairs that human scores keep apart, and those of them that the metric orders alike."""

    kept: int
    concordant: int

    @property
    def discordant(self) -> int:
        """All others: a metric tie is discordant too."""
        return self.kept - self.concordant


def count_kept_pairs(
    human: ArrayLike, metric: ArrayLike, *, grouping: Grouping = "none", threshold: float
) -> KeptPairs:
    """Count the pairs of kendall-like within each group, and add the counts of all groups.

    A pair is kept where its human scores differ by the threshold or more. With threshold 0 the
    pairs that people tie are kept too, and are never concordant.

    >>> count_kept_pairs([10, 35, 40, 40, 90], [1, 3, 2, 5, 5], threshold=25)
    KeptPairs(kept=7, concordant=6)
    """
    cells, scores = as_cells(human, metric)
    require_grouping(grouping)
    least = require_tie_threshold(threshold, "threshold")
    return KeptPairs(*_core.kept_pairs(cells, scores, grouping=grouping, threshold=least))


def value_of_counts(name: str, counts: PairCounts) -> float | None:
    """One of PAIR_COEFFICIENTS, of counts; None where its denominator is 0.

    >>> value_of_counts("tau-13", PairCounts(concordant=4, discordant=1))
    0.6
    """
    return _core.value_of_counts(name, counts.classes)


# --------------------------------------------------------------------------------------------------
# The coefficients by name.


@dataclass(frozen=True, slots=True)
class Definition:
    """What a coefficient is.

    Attributes:
        name: as on the command line and in JSON.
        formula: C, D: concordant, discordant pairs; Th, Tm, Thm: tied by people only, by the metric
            only, by both.
        origin: the paper or shared task.
        undefined: when a group has no value.
        epsilon: whether the metric may tie pairs by a threshold.
        calibrated: whether the threshold may be calibrated.
        pooled: the groups' pairs are put together by definition, and nothing is averaged.
        threshold: whether pairs count from some difference of human scores on.
    """

    name: str
    formula: str
    origin: str
    undefined: Undefined
    _: KW_ONLY
    epsilon: bool = False
    calibrated: bool = False
    pooled: bool = False
    threshold: bool = False


_DEFINITIONS = (
    Definition(
        "pearson",
        "covariance / (standard deviation of human scores * that of metric scores)",
        "Pearson 1895",
        "constant",
    ),
    Definition(
        "spearman",
        "Pearson's of ranks, where ties share the mean of their ranks",
        "Spearman 1904",
        "constant",
    ),
    Definition("kendall-a", "(C - D) / all pairs", "Kendall 1938", "never", epsilon=True),
    Definition(
        "kendall-b",
        "(C - D) / sqrt((C + D + Th) (C + D + Tm))",
        "Kendall 1945, WMT 2022",
        "constant",
        epsilon=True,
    ),
    Definition(
        "kendall-c",
        "2 (C - D) / (n^2 (k - 1) / k), k the lesser number of different scores",
        "Stuart 1953",
        "constant",
    ),
    Definition("tau-10", "(C - D - Tm) / (C + D + Tm)", "WMT 2010", "no order", epsilon=True),
    Definition(
        "tau-13",
        "(C - D) / (C + D)",
        "WMT 2013, Goodman & Kruskal 1954 (gamma)",
        "no common order",
        epsilon=True,
    ),
    Definition("tau-14", "(C - D) / (C + D + Tm)", "WMT 2014", "no order", epsilon=True),
    Definition(
        "tau-eq",
        "(C + Thm - D - Th - Tm) / all pairs",
        "Deutsch et al. 2023",
        "never",
        epsilon=True,
        calibrated=True,
    ),
    Definition(
        "acc-eq",
        "(C + Thm) / all pairs",
        "Deutsch et al. 2023, WMT 2023 to 2025",
        "never",
        epsilon=True,
        calibrated=True,
    ),
    Definition(
        "chen-cherry",
        "(C - D) / (C + D + Tm) of the pairs of all groups put together",
        "Chen & Cherry 2014, eq. 12",
        "no order",
        epsilon=True,
        pooled=True,
    ),
    Definition(
        "pairwise-accuracy",
        "(C + Thm) / all pairs of all groups put together",
        "Kocmi et al. 2021",
        "never",
        epsilon=True,
        pooled=True,
    ),
    Definition(
        "kendall-like",
        "of pairs whose human scores differ by the threshold or more, those that the metric orders "
        "alike less all others, over all of them",
        "WMT 2016 to 2021 (DARR)",
        "nothing kept",
        threshold=True,
    ),
    Definition(
        "pairwise-difference-pearson",
        "Pearson's of the differences of all pairs of all groups put together",
        "mt-metrics-eval",
        "constant",
        pooled=True,
    ),
)

DEFINITIONS = {definition.name: definition for definition in _DEFINITIONS}
COEFFICIENTS = tuple(DEFINITIONS)
#: The coefficients that are made of the counts of pairs, which a threshold may tie.
PAIR_COEFFICIENTS = tuple(name for name, defined in DEFINITIONS.items() if defined.epsilon)
ALIASES = {
    "kendall": "kendall-b",
    "tau-a": "kendall-a",
    "tau-b": "kendall-b",
    "tau-c": "kendall-c",
    "gamma": "tau-13",
    "chen-cherry-tau": "chen-cherry",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient with its settings; `coefficient` makes one from a name.

    Attributes:
        name: one of COEFFICIENTS.
        epsilon: the metric ties a pair whose scores differ by no more than this.
        threshold: pairs count whose human scores differ by this or more, for kendall-like.
    """

    name: str
    epsilon: Epsilon = 0.0
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.name not in DEFINITIONS:
            raise UnknownNameError("coefficient", self.name, (*COEFFICIENTS, *ALIASES))
        definition = self.definition
        if self.epsilon == CALIBRATED:
            if not definition.calibrated:
                expected = "a number; only acc-eq and tau-eq are calibrated"
                raise SettingError(f"epsilon of {self.name}", self.epsilon, expected)
        elif require_tie_threshold(self.epsilon, f"epsilon of {self.name}") and (
            not definition.epsilon
        ):
            raise SettingError(f"epsilon of {self.name}", self.epsilon, "0: it has no threshold")
        if definition.threshold and self.threshold is None:
            expected = (
                "the least difference of human scores that counts, such as kendall-like:25 for "
                "direct assessments from 0 to 100"
            )
            raise SettingError("threshold of kendall-like", None, expected)
        if self.threshold is not None:
            require_tie_threshold(self.threshold, f"threshold of {self.name}")
            if not definition.threshold:
                expected = "none: only kendall-like has one"
                raise SettingError(f"threshold of {self.name}", self.threshold, expected)

    @property
    def definition(self) -> Definition:
        """What the coefficient is."""
        return DEFINITIONS[self.name]

    @property
    def calibrated(self) -> bool:
        """Whether the tie threshold is chosen to agree best with people."""
        return self.epsilon == CALIBRATED

    @property
    def label(self) -> str:
        """The name with its setting, which `coefficient` reads again."""
        if self.threshold is not None:
            return f"{self.name}:{self.threshold!r}"
        return f"{self.name}:{self.epsilon}" if self.epsilon else self.name

    @property
    def native_name(self) -> str:
        """What the core calls it."""
        return f"calibrated-{self.name}" if self.calibrated else self.name

    @property
    def parameter(self) -> float:
        """The number that the core takes with it: the threshold, or epsilon."""
        if self.threshold is not None:
            return float(self.threshold)
        return 0.0 if self.epsilon == CALIBRATED else float(self.epsilon)


def coefficient(
    name: str, *, epsilon: Epsilon | None = None, threshold: float | None = None
) -> Coefficient:
    """A coefficient by name; a setting may follow the name and a colon.

    >>> coefficient("tau-a").name
    'kendall-a'
    >>> coefficient("acc-eq:calibrated") == coefficient("acc-eq", epsilon="calibrated")
    True
    >>> coefficient("kendall-like:25").threshold
    25.0
    """
    stem, colon, setting = name.strip().lower().replace("_", "-").partition(":")
    stem = ALIASES.get(stem, stem)
    if stem not in DEFINITIONS:
        raise UnknownNameError("coefficient", stem, (*COEFFICIENTS, *ALIASES))
    if colon:
        if epsilon is not None or threshold is not None:
            raise SettingError("coefficient", name, "its setting only once")
        if DEFINITIONS[stem].threshold:
            threshold = _number(stem, setting)
        else:
            epsilon = "calibrated" if setting == CALIBRATED else _number(stem, setting)
    return Coefficient(name=stem, epsilon=0.0 if epsilon is None else epsilon, threshold=threshold)


def _number(name: str, setting: str) -> float:
    try:
        return float(setting)
    except ValueError:
        expected = f"a number after {name}:"
        if DEFINITIONS[name].calibrated:
            expected += ", or 'calibrated'"
        raise SettingError("coefficient", f"{name}:{setting}", expected) from None
