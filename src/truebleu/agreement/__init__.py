"""Agreement of metrics with people: coefficients, ties, tests, intervals, ranks, and choices.

`truebleu.agree` and `truebleu.choose` answer from texts and human judgments. What they are made of
stands alone too, on arrays shaped (system, segment) with NaN where nobody judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.agreement.agree import Agreement, HumanSummary, MetricSummary, ScorePairs
    from truebleu.agreement.answers import AgreeSettings, Answer, MetricAgreement
    from truebleu.agreement.bootstrap import (
        AgreementInterval,
        Replicates,
        SegmentStatistics,
        bootstrap_agreement,
        bootstrap_system_agreement,
        mean_of_segments,
    )
    from truebleu.agreement.choose import (
        Candidate,
        CandidateAgreement,
        Choice,
        ChoicePart,
        parse_grid,
    )
    from truebleu.agreement.coefficients import (
        COEFFICIENTS,
        Coefficient,
        PairCounts,
        coefficient,
        count_pairs,
    )
    from truebleu.agreement.comparisons import (
        Judgments,
        bootstrap_judgments,
        count_judgments,
        judgment_permutation_test,
        measure_judgments,
    )
    from truebleu.agreement.measures import (
        Measure,
        Measured,
        Question,
        TieCalibration,
        calibrate_ties,
        correlation_p,
        measure,
        measure_by,
        parse_question,
    )
    from truebleu.agreement.ranking import (
        HumanRanking,
        MetricPair,
        RankedMetrics,
        RankedSystem,
        rank_clusters,
        rank_metrics,
        rank_systems,
    )
    from truebleu.agreement.soft_pairwise import (
        SoftPairwiseAccuracy,
        bootstrap_soft_pairwise,
        soft_pairwise_accuracies,
        soft_pairwise_accuracy,
        soft_pairwise_test,
    )
    from truebleu.agreement.tests import (
        MetricTest,
        pair_permutation_test,
        permutation_test,
        williams_test,
        williams_test_of_correlations,
    )

__all__ = [
    "COEFFICIENTS",
    "AgreeSettings",
    "Agreement",
    "AgreementInterval",
    "Answer",
    "Candidate",
    "CandidateAgreement",
    "Choice",
    "ChoicePart",
    "Coefficient",
    "HumanRanking",
    "HumanSummary",
    "Judgments",
    "Measure",
    "Measured",
    "MetricAgreement",
    "MetricPair",
    "MetricSummary",
    "MetricTest",
    "PairCounts",
    "Question",
    "RankedMetrics",
    "RankedSystem",
    "Replicates",
    "ScorePairs",
    "SegmentStatistics",
    "SoftPairwiseAccuracy",
    "TieCalibration",
    "bootstrap_agreement",
    "bootstrap_judgments",
    "bootstrap_soft_pairwise",
    "bootstrap_system_agreement",
    "calibrate_ties",
    "coefficient",
    "correlation_p",
    "count_judgments",
    "count_pairs",
    "judgment_permutation_test",
    "mean_of_segments",
    "measure",
    "measure_by",
    "measure_judgments",
    "pair_permutation_test",
    "parse_grid",
    "parse_question",
    "permutation_test",
    "rank_clusters",
    "rank_metrics",
    "rank_systems",
    "soft_pairwise_accuracies",
    "soft_pairwise_accuracy",
    "soft_pairwise_test",
    "williams_test",
    "williams_test_of_correlations",
]

_HOMES = {
    "COEFFICIENTS": "coefficients",
    "AgreeSettings": "answers",
    "Agreement": "agree",
    "AgreementInterval": "bootstrap",
    "Answer": "answers",
    "Candidate": "choose",
    "CandidateAgreement": "choose",
    "Choice": "choose",
    "ChoicePart": "choose",
    "Coefficient": "coefficients",
    "HumanRanking": "ranking",
    "HumanSummary": "agree",
    "Judgments": "comparisons",
    "Measure": "measures",
    "Measured": "measures",
    "MetricAgreement": "answers",
    "MetricPair": "ranking",
    "MetricSummary": "agree",
    "MetricTest": "tests",
    "PairCounts": "coefficients",
    "Question": "measures",
    "RankedMetrics": "ranking",
    "RankedSystem": "ranking",
    "Replicates": "bootstrap",
    "ScorePairs": "agree",
    "SegmentStatistics": "bootstrap",
    "SoftPairwiseAccuracy": "soft_pairwise",
    "TieCalibration": "measures",
    "bootstrap_agreement": "bootstrap",
    "bootstrap_judgments": "comparisons",
    "bootstrap_soft_pairwise": "soft_pairwise",
    "bootstrap_system_agreement": "bootstrap",
    "calibrate_ties": "measures",
    "coefficient": "coefficients",
    "correlation_p": "measures",
    "count_judgments": "comparisons",
    "count_pairs": "coefficients",
    "judgment_permutation_test": "comparisons",
    "mean_of_segments": "bootstrap",
    "measure": "measures",
    "measure_by": "measures",
    "measure_judgments": "comparisons",
    "pair_permutation_test": "tests",
    "parse_grid": "choose",
    "parse_question": "measures",
    "permutation_test": "tests",
    "rank_clusters": "ranking",
    "rank_metrics": "ranking",
    "rank_systems": "ranking",
    "soft_pairwise_accuracies": "soft_pairwise",
    "soft_pairwise_accuracy": "soft_pairwise",
    "soft_pairwise_test": "soft_pairwise",
    "williams_test": "tests",
    "williams_test_of_correlations": "tests",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
