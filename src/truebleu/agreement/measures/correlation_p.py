"""The p-value of one correlation: how often would unrelated scores be so far off 0?

Assumes that the cells are independent draws. Cells of one segment, or of one system, are not; so
this is for system scores, or to compare with other tools. Whether one metric agrees better than
another is another question, for Williams' test and the permutation tests.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from truebleu.agreement.measures.cells import rated_cells
from truebleu.agreement.measures.grouping import measure_by
from truebleu.agreement.measures.measuring import measure_cells
from truebleu.agreement.measures.pairs import as_cells
from truebleu.errors import MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.inference.arguments import Values

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
