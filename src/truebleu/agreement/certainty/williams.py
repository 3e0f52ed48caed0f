"""Williams' test: do two metrics differ in their Pearson correlation with the same human scores?

Williams (1959), as recommended for metrics by Graham & Baldwin (2014). The two correlations share
the human scores and so depend on each other; the test takes this from the metrics' own correlation.

Assumes that (human, metric 1, metric 2) are independent draws from a three-dimensional normal
distribution. So it is for plain Pearson correlations: of system scores, or of segments taken all
together, but not of averages over groups, nor of ranks.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu.agreement.measures.cells import rated_cells
from truebleu.agreement.measures.grouping import measure_by
from truebleu.agreement.measures.measuring import measure_cells
from truebleu.agreement.measures.pairs import as_cells
from truebleu.errors import MissingExtraError, SettingError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Correlations are exact to about this much.
ROUNDING = 1e-12
# The determinant is a sum of numbers of the size of 1: less than this is what rounding leaves of 0.
NO_SPREAD = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class Williams:
    """The test, and the correlations that it compares.

    Attributes:
        t: above 0 where metric 1 correlates better; None where the test is not defined.
        p_one_sided: of the metric that correlates better being the better one; at most 0.5.
        p_two_sided: of any difference; twice as large.
        reason: why there is no p-value.
        r1: the correlation of metric 1 with the human scores; None where one does not vary.
        r2: that of metric 2.
        r12: that of the two metrics.
        n: how many cells were rated.
    """

    t: float | None
    p_one_sided: float | None
    p_two_sided: float | None
    reason: str | None
    r1: float | None
    r2: float | None
    r12: float | None
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def williams(human: ArrayLike, metric1: ArrayLike, metric2: ArrayLike) -> Williams:
    """Test two metrics on the cells that have a human score.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metric1: the first metric's scores, shaped alike.
        metric2: the second metric's.
    """
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    by = measure_by("pearson")
    r1, r2 = (measure_cells(ratings, metric, by).value for metric in (first, second))
    r12 = measure_cells(np.where(rated, first, np.nan), second, by).value
    n = int(rated.sum())
    if r1 is None or r2 is None or r12 is None:
        reason = "a correlation is undefined: human or metric scores do not vary"
        return _undefined(reason, r1, r2, r12, n)
    return williams_test(r1, r2, r12, n)


def williams_test(r1: float, r2: float, r12: float, n: int) -> Williams:
    """Test two correlations with a common variable.

    Args:
        r1: the correlation of the human scores with metric 1.
        r2: their correlation with metric 2.
        r12: the correlation of the metrics.
        n: the number of points.

    >>> round(williams_test(0.9, 0.8, 0.7, 10).p_two_sided, 4)
    0.4044
    """
    for name, value in (("r1", r1), ("r2", r2), ("r12", r12)):
        if not -1 - ROUNDING <= value <= 1 + ROUNDING:
            raise SettingError(name, value, "a correlation from -1 to 1")
    if n < 4:
        return _undefined(f"{n} points leave no degrees of freedom: 4 are needed", r1, r2, r12, n)
    determinant = 1 - r1 * r1 - r2 * r2 - r12 * r12 + 2 * r1 * r2 * r12
    if determinant < -ROUNDING:
        expected = "three correlations that three variables can have"
        raise SettingError("correlations", (r1, r2, r12), expected)
    mean = (r1 + r2) / 2
    spread = 2 * max(determinant, 0.0) * (n - 1) / (n - 3) + mean**2 * max(1 - r12, 0.0) ** 3
    lead = (r1 - r2) * math.sqrt((n - 1) * max(1 + r12, 0.0))
    if abs(r1 - r2) <= ROUNDING and 1 - r12 <= ROUNDING:
        t = 0.0  # one metric is a multiple of the other: there is no difference to test
    elif spread <= NO_SPREAD:
        reason = "the correlations determine each other: the test has no error to compare with"
        return _undefined(reason, r1, r2, r12, n)
    else:
        t = lead / math.sqrt(spread)
    p = _upper_tail(abs(t), n - 3)
    return Williams(t=t, p_one_sided=p, p_two_sided=2 * p, reason=None, r1=r1, r2=r2, r12=r12, n=n)


def _upper_tail(t: float, degrees: int) -> float:
    try:
        from scipy.stats import t as student
    except ImportError as error:
        raise MissingExtraError("Williams' test", "stats") from error
    return float(student.sf(t, degrees))


def _undefined(
    reason: str, r1: float | None, r2: float | None, r12: float | None, n: int
) -> Williams:
    return Williams(
        t=None, p_one_sided=None, p_two_sided=None, reason=reason, r1=r1, r2=r2, r12=r12, n=n
    )
