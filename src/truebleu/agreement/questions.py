"""A question about a metric: at which level, by which coefficient, grouped how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from truebleu.agreement.coefficients import (
    ALIASES,
    AVERAGES,
    COEFFICIENTS,
    DEFINITIONS,
    FORMULAS,
    GROUPINGS,
    UNDEFINED_GROUPS,
    Measure,
    coefficient,
    measure_by,
)
from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.agreement.coefficients import Average, Grouping, UndefinedGroups

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
        raise SettingError("questions", texts, "a list of coefficients, such as ['kendall-b']")
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
    if measure.coefficient.name not in FORMULAS:
        expected = f"one for pairs that people compared: {', '.join(FORMULAS)}"
        raise SettingError("coefficient", text, expected)
