"""Agreement of metrics with people: coefficients, ties, tests, intervals, ranks, and grids.

`truebleu.agree` answers from texts and human judgments. What it is made of stands alone too, on
arrays shaped (system, segment) with NaN where nobody judged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.agreement.agree import (
        Agreement as Agreement,
        AgreeSettings as AgreeSettings,
        Answer as Answer,
        MetricSummary as MetricSummary,
    )
    from truebleu.agreement.bootstrap import (
        Replicates as Replicates,
        bootstrap_agreement as bootstrap_agreement,
        bootstrap_system_agreement as bootstrap_system_agreement,
    )
    from truebleu.agreement.coefficients import (
        COEFFICIENTS as COEFFICIENTS,
        Coefficient as Coefficient,
        MetricAgreement as MetricAgreement,
        PairCounts as PairCounts,
        calibrate_ties as calibrate_ties,
        coefficient as coefficient,
        correlation_p as correlation_p,
        count_pairs as count_pairs,
        measure as measure,
        measure_judgments as measure_judgments,
    )
    from truebleu.agreement.curve import (
        CurveFit as CurveFit,
        fit_curves as fit_curves,
    )
    from truebleu.agreement.data import (
        HumanSummary as HumanSummary,
        Judgments as Judgments,
        mean_of_segments as mean_of_segments,
    )
    from truebleu.agreement.grid import GridChoice as GridChoice
    from truebleu.agreement.ranking import (
        rank_metrics as rank_metrics,
        rank_systems as rank_systems,
    )
    from truebleu.agreement.soft_pairwise import (
        soft_pairwise_accuracy as soft_pairwise_accuracy,
        soft_pairwise_test as soft_pairwise_test,
    )
    from truebleu.agreement.tests import (
        MetricTest as MetricTest,
        judgment_permutation_test as judgment_permutation_test,
        pair_permutation_test as pair_permutation_test,
        permutation_test as permutation_test,
        williams_test as williams_test,
    )

# The public names, by the module that they live in.
_HOMES = {
    name: home
    for home, names in {
        "agree": "AgreeSettings Agreement Answer MetricSummary",
        "bootstrap": "Replicates bootstrap_agreement bootstrap_system_agreement",
        "coefficients": "COEFFICIENTS Coefficient MetricAgreement PairCounts calibrate_ties "
        "coefficient correlation_p count_pairs measure measure_judgments",
        "curve": "CurveFit fit_curves",
        "data": "HumanSummary Judgments mean_of_segments",
        "grid": "GridChoice",
        "ranking": "rank_metrics rank_systems",
        "soft_pairwise": "soft_pairwise_accuracy soft_pairwise_test",
        "tests": "MetricTest judgment_permutation_test "
        "pair_permutation_test permutation_test williams_test",
    }.items()
    for name in names.split()
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
