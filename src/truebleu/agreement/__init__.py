"""Agreement of metrics with people: coefficients, ties, tests, intervals, ranks, and choices.

`truebleu.agree` and `truebleu.choose` answer from texts and human judgments. What they are made of
stands alone too, on arrays shaped (system, segment) with NaN where nobody judged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.agreement.agree import (
        Agreement as Agreement,
        HumanSummary as HumanSummary,
        MetricSummary as MetricSummary,
        ScorePairs as ScorePairs,
    )
    from truebleu.agreement.answers import (
        AgreeSettings as AgreeSettings,
        Answer as Answer,
        MetricAgreement as MetricAgreement,
    )
    from truebleu.agreement.bootstrap import (
        AgreementInterval as AgreementInterval,
        Replicates as Replicates,
        SegmentStatistics as SegmentStatistics,
        bootstrap_agreement as bootstrap_agreement,
        bootstrap_system_agreement as bootstrap_system_agreement,
        mean_of_segments as mean_of_segments,
    )
    from truebleu.agreement.choose import (
        Candidate as Candidate,
        CandidateAgreement as CandidateAgreement,
        Choice as Choice,
        ChoicePart as ChoicePart,
        parse_grid as parse_grid,
    )
    from truebleu.agreement.coefficients import (
        COEFFICIENTS as COEFFICIENTS,
        Coefficient as Coefficient,
        PairCounts as PairCounts,
        coefficient as coefficient,
        count_pairs as count_pairs,
    )
    from truebleu.agreement.comparisons import (
        Judgments as Judgments,
        bootstrap_judgments as bootstrap_judgments,
        count_judgments as count_judgments,
        judgment_permutation_test as judgment_permutation_test,
        measure_judgments as measure_judgments,
    )
    from truebleu.agreement.curve import (
        CurveFit as CurveFit,
        CurvePoint as CurvePoint,
        CurveThreshold as CurveThreshold,
        FittedCurve as FittedCurve,
        JudgedSystems as JudgedSystems,
        fit_curves as fit_curves,
    )
    from truebleu.agreement.measures import (
        Measure as Measure,
        Measured as Measured,
        Question as Question,
        TieCalibration as TieCalibration,
        calibrate_ties as calibrate_ties,
        correlation_p as correlation_p,
        measure as measure,
        measure_by as measure_by,
        parse_question as parse_question,
    )
    from truebleu.agreement.ranking import (
        HumanRanking as HumanRanking,
        MetricPair as MetricPair,
        RankedMetrics as RankedMetrics,
        RankedSystem as RankedSystem,
        rank_clusters as rank_clusters,
        rank_metrics as rank_metrics,
        rank_systems as rank_systems,
    )
    from truebleu.agreement.soft_pairwise import (
        SoftPairwiseAccuracy as SoftPairwiseAccuracy,
        bootstrap_soft_pairwise as bootstrap_soft_pairwise,
        soft_pairwise_accuracies as soft_pairwise_accuracies,
        soft_pairwise_accuracy as soft_pairwise_accuracy,
        soft_pairwise_test as soft_pairwise_test,
    )
    from truebleu.agreement.tests import (
        MetricTest as MetricTest,
        pair_permutation_test as pair_permutation_test,
        permutation_test as permutation_test,
        williams_test as williams_test,
        williams_test_of_correlations as williams_test_of_correlations,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "Agreement": "agree",
    "HumanSummary": "agree",
    "MetricSummary": "agree",
    "ScorePairs": "agree",
    "AgreeSettings": "answers",
    "Answer": "answers",
    "MetricAgreement": "answers",
    "AgreementInterval": "bootstrap",
    "Replicates": "bootstrap",
    "SegmentStatistics": "bootstrap",
    "bootstrap_agreement": "bootstrap",
    "bootstrap_system_agreement": "bootstrap",
    "mean_of_segments": "bootstrap",
    "Candidate": "choose",
    "CandidateAgreement": "choose",
    "Choice": "choose",
    "ChoicePart": "choose",
    "parse_grid": "choose",
    "COEFFICIENTS": "coefficients",
    "Coefficient": "coefficients",
    "PairCounts": "coefficients",
    "coefficient": "coefficients",
    "count_pairs": "coefficients",
    "Judgments": "comparisons",
    "bootstrap_judgments": "comparisons",
    "count_judgments": "comparisons",
    "judgment_permutation_test": "comparisons",
    "measure_judgments": "comparisons",
    "CurveFit": "curve",
    "CurvePoint": "curve",
    "CurveThreshold": "curve",
    "FittedCurve": "curve",
    "JudgedSystems": "curve",
    "fit_curves": "curve",
    "Measure": "measures",
    "Measured": "measures",
    "Question": "measures",
    "TieCalibration": "measures",
    "calibrate_ties": "measures",
    "correlation_p": "measures",
    "measure": "measures",
    "measure_by": "measures",
    "parse_question": "measures",
    "HumanRanking": "ranking",
    "MetricPair": "ranking",
    "RankedMetrics": "ranking",
    "RankedSystem": "ranking",
    "rank_clusters": "ranking",
    "rank_metrics": "ranking",
    "rank_systems": "ranking",
    "SoftPairwiseAccuracy": "soft_pairwise",
    "bootstrap_soft_pairwise": "soft_pairwise",
    "soft_pairwise_accuracies": "soft_pairwise",
    "soft_pairwise_accuracy": "soft_pairwise",
    "soft_pairwise_test": "soft_pairwise",
    "MetricTest": "tests",
    "pair_permutation_test": "tests",
    "permutation_test": "tests",
    "williams_test": "tests",
    "williams_test_of_correlations": "tests",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
