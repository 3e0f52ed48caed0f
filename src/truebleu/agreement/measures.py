"""One measure of agreement between people and a metric: a value, or why there is none."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from truebleu import _core
from truebleu.agreement.coefficients import (
    Average,
    Grouping,
    Measure,
    UndefinedGroups,
    as_cells,
    measure_by,
    rated_cells,
    why_undefined,
)
from truebleu.agreement.ties import TieCalibration, calibrate_cells
from truebleu.errors import MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.agreement.coefficients import Coefficient
    from truebleu.significance._checks import Values

NAMES = {"item": "items", "system": "systems"}


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
            what = NAMES.get(self.measure.grouping, "groups")
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
        grouping: which cells are compared with each other; see `grouping`.
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


# The p-value of one correlation: how often would unrelated scores be so far off 0?
#
# Assumes that the cells are independent draws. Cells of one segment, or of one system, are not; so
# this is for system scores, or to compare with other tools. Whether one metric agrees better than
# another is another question, for Williams' test and the permutation tests.


Correlation: TypeAlias = Literal["pearson", "spearman", "kendall-b", "kendall-c"]

CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


def correlation_p(human: ArrayLike, metric: ArrayLike, name: Correlation) -> float | None:
    """The two-sided p-value of a correlation over all cells; None where there is none.

    Pearson's and Spearman's are from t with n - 2 degrees of freedom; for Pearson's this is exact
    where one of the two is normal. Kendall's is exact for few cells without ties, and otherwise
    from the normal distribution with the variance corrected for ties.

    Args:
        human: scores shaped (system, item), NaN where nobody rated; or one score per system.
        metric: scores of the same shape.
        name: the correlation.

    Raises:
        MissingExtraError: SciPy is not installed.
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
    try:
        from scipy.stats import kendalltau, pearsonr, spearmanr
    except ImportError as error:
        raise MissingExtraError("the p-value of a correlation", "stats") from error

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
