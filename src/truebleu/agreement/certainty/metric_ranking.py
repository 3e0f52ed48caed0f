"""Metrics ranked by how well they agree with people: every pair tested, corrected, clustered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from truebleu.agreement.certainty.clusters import RankedMetrics, rank_metrics
from truebleu.agreement.certainty.pair_outcomes import pair_outcome_test
from truebleu.agreement.certainty.permutation import DRAWS, exchange_test
from truebleu.agreement.measures.measuring import measure
from truebleu.errors import SettingError, UnknownNameError
from truebleu.seeds import DEFAULT_SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from truebleu.agreement.measures.grouping import Measure

#: "scores" exchanges the scores of cells, "pairs" the outcomes of pairs of cells.
Form = Literal["scores", "pairs"]
FORMS: tuple[Form, ...] = get_args(Form)


def rank_by_agreement(
    human: ArrayLike,
    metrics: Mapping[str, ArrayLike],
    by: Measure,
    *,
    form: Form = "scores",
    alpha: float = 0.05,
    correction: str = "holm",
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> RankedMetrics:
    """Rank metrics by a measure, with a permutation test of every pair.

    Args:
        human: human scores shaped (system, segment), NaN where nobody rated; or one per system.
        metrics: the scores of each metric by its name, shaped alike; higher is better.
        by: the measure of agreement.
        form: what the tests exchange; "pairs" is for calibrated accuracy or tau with ties.
        alpha: the level of the tests.
        correction: for the number of pairs; "none" is what the metrics tasks do.
        draws: exchanges in each test; all of them where they are no more than these.
        seed: of the draws, the same for all pairs.
    """
    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    if form == "pairs" and not by.coefficient.calibrated:
        expected = "'scores': outcomes of pairs are for acc-eq and tau-eq with calibrated ties"
        raise SettingError("form", form, expected)

    def test(better: str, worse: str) -> float:
        if form == "pairs":
            found = pair_outcome_test(
                human,
                metrics[worse],
                metrics[better],
                grouping=by.grouping,
                micro=by.average == "micro",
                draws=draws,
                seed=seed,
            )
        else:
            found = exchange_test(
                human, metrics[worse], metrics[better], by, draws=draws, seed=seed
            )
        # Both metrics have a value, and then the test has one too.
        return 1.0 if found.p is None else found.p

    values = {name: measure(human, scores, by).value for name, scores in metrics.items()}
    return rank_metrics(values, test, alpha=alpha, correction=correction)
