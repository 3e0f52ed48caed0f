"""The coefficients by name: what each is, where it is from, and which settings it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from truebleu.agreement.measures.pairs import require_tie_threshold
from truebleu.errors import SettingError, UnknownNameError

#: The difference up to which the metric ties a pair; "calibrated" chooses the best one there is.
Epsilon: TypeAlias = float | Literal["calibrated"]
#: What makes a coefficient undefined in a group.
Undefined: TypeAlias = Literal["constant", "no order", "no common order", "nothing kept", "never"]

CALIBRATED = "calibrated"


@dataclass(frozen=True, slots=True, kw_only=True)
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
    epsilon: bool = False
    calibrated: bool = False
    pooled: bool = False
    threshold: bool = False


_DEFINITIONS = (
    Definition(
        name="pearson",
        formula="covariance / (standard deviation of human scores * that of metric scores)",
        origin="Pearson 1895",
        undefined="constant",
    ),
    Definition(
        name="spearman",
        formula="Pearson's of ranks, where ties share the mean of their ranks",
        origin="Spearman 1904",
        undefined="constant",
    ),
    Definition(
        name="kendall-a",
        formula="(C - D) / all pairs",
        origin="Kendall 1938",
        undefined="never",
        epsilon=True,
    ),
    Definition(
        name="kendall-b",
        formula="(C - D) / sqrt((C + D + Th) (C + D + Tm))",
        origin="Kendall 1945, WMT 2022",
        undefined="constant",
        epsilon=True,
    ),
    Definition(
        name="kendall-c",
        formula="2 (C - D) / (n^2 (k - 1) / k), k the lesser number of different scores",
        origin="Stuart 1953",
        undefined="constant",
    ),
    Definition(
        name="tau-10",
        formula="(C - D - Tm) / (C + D + Tm)",
        origin="WMT 2010",
        undefined="no order",
        epsilon=True,
    ),
    Definition(
        name="tau-13",
        formula="(C - D) / (C + D)",
        origin="WMT 2013, Goodman & Kruskal 1954 (gamma)",
        undefined="no common order",
        epsilon=True,
    ),
    Definition(
        name="tau-14",
        formula="(C - D) / (C + D + Tm)",
        origin="WMT 2014",
        undefined="no order",
        epsilon=True,
    ),
    Definition(
        name="tau-eq",
        formula="(C + Thm - D - Th - Tm) / all pairs",
        origin="Deutsch et al. 2023",
        undefined="never",
        epsilon=True,
        calibrated=True,
    ),
    Definition(
        name="acc-eq",
        formula="(C + Thm) / all pairs",
        origin="Deutsch et al. 2023, WMT 2023 to 2025",
        undefined="never",
        epsilon=True,
        calibrated=True,
    ),
    Definition(
        name="chen-cherry",
        formula="(C - D) / (C + D + Tm) of the pairs of all groups put together",
        origin="Chen & Cherry 2014, eq. 12",
        undefined="no order",
        epsilon=True,
        pooled=True,
    ),
    Definition(
        name="pairwise-accuracy",
        formula="(C + Thm) / all pairs of all groups put together",
        origin="Kocmi et al. 2021",
        undefined="never",
        epsilon=True,
        pooled=True,
    ),
    Definition(
        name="kendall-like",
        formula="of pairs whose human scores differ by the threshold or more, those that the "
        "metric orders alike less all others, over all of them",
        origin="WMT 2016 to 2021 (DARR)",
        undefined="nothing kept",
        threshold=True,
    ),
    Definition(
        name="pairwise-difference-pearson",
        formula="Pearson's of the differences of all pairs of all groups put together",
        origin="mt-metrics-eval",
        undefined="constant",
        pooled=True,
    ),
)

DEFINITIONS = {definition.name: definition for definition in _DEFINITIONS}
COEFFICIENTS = tuple(DEFINITIONS)
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
