"""How a matrix of cells becomes one number: the coefficient, the groups and their average.

| grouping | vectors that are compared             | mean over |
|----------|---------------------------------------|-----------|
| none     | one of all cells                      | -         |
| item     | for each item, the scores of systems  | items     |
| system   | for each system, the scores of items  | systems   |

A cell without a human score is dropped with its metric score before anything else, and a group with
fewer than two cells left does not exist. None of the groupings equals another in general.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict, get_args

from truebleu.agreement.measures.coefficients import Coefficient, coefficient
from truebleu.agreement.measures.pairs import Grouping, require_grouping
from truebleu.errors import SettingError, UnknownNameError

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
