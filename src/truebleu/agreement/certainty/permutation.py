"""Permutation tests of two metrics: does the one agree better with people than the other?

PERM-BOTH (Deutsch, Dror & Roth 2021): were the metrics equally good, either score of a cell might
as well be the other metric's. Both are standardised over the rated cells, so that their scores can
be exchanged; every draw exchanges each cell by a fair coin, and both hybrids are evaluated anew,
their tie threshold calibrated anew too. With difference = value 2 - value 1, p is the share of
draws whose difference is no less than the observed, the observed counted as one more draw so that p
is never 0. Where all 2**cells exchanges are no more than the draws asked for, as at system level,
they are all made, and p is exact with nothing added.

Assumes that, under the null hypothesis, the scores of a cell are exchangeable, independently of the
other cells. It says whether metrics differ on these systems and segments, not on others: the cells
are not resampled.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from truebleu import _core
from truebleu.agreement.measures.cells import rated_cells
from truebleu.agreement.measures.measuring import measure_cells
from truebleu.agreement.measures.paired_signs import paired_signs
from truebleu.agreement.measures.pairs import as_cells
from truebleu.agreement.measures.soft_pairwise import soft_accuracies
from truebleu.errors import SettingError
from truebleu.inference.p_values import Alternative, randomization_p
from truebleu.resampling import Swaps
from truebleu.seeds import DEFAULT_SEED, require_replicates, require_seed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from truebleu.agreement.measures.grouping import Measure
    from truebleu.inference.arguments import Values

#: "scores" exchanges the scores of cells, "pairs" the outcomes of pairs of cells.
Form = Literal["scores", "pairs"]
FORMS: tuple[Form, ...] = get_args(Form)
DRAWS = 10_000
# Standardised scores closer than this are the same but for rounding.
ROUNDING = 1e-12
# Draws of exchanges whose hybrids are tested together, so that memory stays bounded.
HYBRIDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTest:
    """Whether metric 2 agrees better with people than metric 1.

    Attributes:
        value1: how well metric 1 agrees; None where that is undefined.
        value2: how well metric 2 does.
        difference: value 2 minus value 1.
        p: the p-value of the alternative; None where a value is undefined.
        reason: why there is no p-value, or what makes the test an empty one.
        alternative: "greater" asks whether metric 2 is better, "less" whether metric 1 is.
        form: "scores" where scores were exchanged, "pairs" where outcomes of pairs were.
        draws: how many exchanges were made.
        exact: no chance is in p: all exchanges were made, or their distribution is known.
        undefined: draws in which a hybrid has no value, counted as if it were as large a
            difference as the observed.
        seed: of the draws.
    """

    value1: float | None
    value2: float | None
    difference: float | None
    p: float | None
    reason: str | None
    alternative: Alternative
    form: Form
    draws: int
    exact: bool
    undefined: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def exchange_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    by: Measure,
    *,
    alternative: Alternative = "greater",
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> MetricTest:
    """Test two metrics by exchanging their scores.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metric1: the first metric's scores, shaped alike; higher is better.
        metric2: the second metric's.
        by: the measure of agreement. Its tie threshold must be 0 or calibrated, since a threshold
            has the unit of one metric.
        alternative: "greater" for metric 2 being better, "less" for metric 1, or "two-sided".
        draws: exchanges; all of them are made where they are no more than these.
        seed: of the draws.
    """
    require_replicates("draws", draws)
    require_seed(seed)
    if by.coefficient.epsilon and not by.coefficient.calibrated:
        expected = "0 or 'calibrated': exchanged scores are standardised and have no unit"
        raise SettingError("epsilon", by.coefficient.epsilon, expected)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    values = [measure_cells(ratings, one, by).value for one in (first, second)]
    cells = int(rated_cells(ratings).sum())
    exact = _enumerates(cells, draws)
    metrics = np.stack(_exchangeable(first, second, ratings))

    def hybrids(count: int, *, enumerated: bool) -> Values:
        return _core.hybrid_values(
            ratings,
            metrics,
            **by.native,
            first=0,
            draws=count,
            seed=None if enumerated else seed,
        )

    # Exchanging nothing: the observed values as the kernel of the draws has them.
    observed = hybrids(1, enumerated=True)[0]
    null = hybrids(2**cells if exact else draws, enumerated=exact)
    return _result(values, observed, null, alternative=alternative, exact=exact, seed=seed)


def soft_pairwise_test(
    human: ArrayLike,
    metric1: ArrayLike,
    metric2: ArrayLike,
    *,
    alternative: Alternative = "greater",
    draws: int = 1000,
    sign_draws: int = 1000,
    seed: int = DEFAULT_SEED,
) -> MetricTest:
    """Test whether two metrics differ in soft pairwise accuracy, by exchanging segment scores.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated.
        metric1: the first metric's segment scores, shaped alike.
        metric2: the second metric's.
        alternative: "greater" for metric 2 being better, "less" for metric 1, or "two-sided".
        draws: exchanges of scores.
        sign_draws: draws of signs for the p-values of which each hybrid's accuracy is made.
        seed: of both.
    """
    require_replicates("draws", draws)
    (ratings, first), (_, second) = as_cells(human, metric1), as_cells(human, metric2)
    rated = rated_cells(ratings)
    people = np.where(rated, ratings, 0.0)
    first, second = standardised(first, ratings), standardised(second, ratings)
    swaps = Swaps(replicates=sign_draws, seed=seed)

    def accuracies(matrices: list[Values]) -> list[float | None]:
        found = paired_signs(np.stack([people, *matrices]), rated, swaps)
        return soft_accuracies(found.p_values[0], found.p_values[1:])

    values = accuracies([first, second])
    if None in values:
        return _undefined(values, alternative, seed)
    null: list[float | None] = []
    for start in range(0, draws, HYBRIDS):
        count = min(HYBRIDS, draws - start)
        coins = _core.exchanged_cells(rated.size, first=start, draws=count, seed=seed)
        hybrids: list[Values] = []
        for coin in coins.reshape(count, *rated.shape):
            hybrids += [np.where(coin, second, first), np.where(coin, first, second)]
        null += accuracies(hybrids)
    pairs = np.array(null, dtype=np.float64).reshape(draws, 2)
    observed = np.array(values, dtype=np.float64)
    return _result(values, observed, pairs, alternative=alternative, exact=False, seed=seed)


def standardised(metric: Values, human: Values) -> Values:
    """The metric with mean 0 and standard deviation 1 over rated cells; constant ones become 0."""
    rated = rated_cells(human)
    kept = metric[rated]
    if kept.size == 0 or (kept == kept[0]).all():
        return np.zeros_like(metric)
    return np.where(rated, (metric - kept.mean()) / kept.std(), 0.0)


def _exchangeable(first: Values, second: Values, human: Values) -> tuple[Values, Values]:
    """Both metrics standardised, scores that are equal but for rounding made equal.

    Ties of one metric must stay ties in hybrids: the same metric in another unit, such as percent,
    differs from it in the last digits of its standardised scores only.
    """
    one, other = standardised(first, human), standardised(second, human)
    known = np.unique(one)
    if known.size:
        after = np.searchsorted(known, other).clip(1, max(known.size - 1, 1))
        below, above = known[after - 1], known[np.minimum(after, known.size - 1)]
        nearest = np.where(other - below <= above - other, below, above)
        other = np.where(np.abs(other - nearest) <= ROUNDING, nearest, other)
    return one, other


def _enumerates(cells: int, draws: int) -> bool:
    """Whether all exchanges are no more than the draws asked for."""
    return cells < 63 and 2**cells <= draws


def _result(
    values: list[float | None],
    observed: Values,
    null: Values,
    *,
    alternative: Alternative,
    exact: bool,
    seed: int,
) -> MetricTest:
    """The test, from the observed values and those of hybrids, shaped (draw, 2)."""
    value1, value2 = values
    if value1 is None or value2 is None:
        return _undefined(values, alternative, seed)
    difference = float(observed[1] - observed[0])
    differences = null[:, 1] - null[:, 0]
    lacking: NDArray[np.bool_] = np.isnan(differences)
    differences = np.where(lacking, difference, differences)
    # Equal differences of quotients differ in their last digits; coefficients have the scale 1.
    p = randomization_p(difference, differences, alternative, exact=exact, scale=1.0)
    return MetricTest(
        value1=value1,
        value2=value2,
        difference=value2 - value1,
        p=float(p),
        reason=None,
        alternative=alternative,
        form="scores",
        draws=len(null),
        exact=exact,
        undefined=int(lacking.sum()),
        seed=seed,
    )


def _undefined(values: list[float | None], alternative: Alternative, seed: int) -> MetricTest:
    lacking = " and ".join(f"metric {n}" for n, value in enumerate(values, 1) if value is None)
    return MetricTest(
        value1=values[0],
        value2=values[1],
        difference=None,
        p=None,
        reason=f"the coefficient of {lacking} is undefined",
        alternative=alternative,
        form="scores",
        draws=0,
        exact=False,
        undefined=0,
        seed=seed,
    )
