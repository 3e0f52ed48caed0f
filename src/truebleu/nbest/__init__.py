"""N-best lists: their statistics, oracles, and the candidate that minimises the Bayes risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.corpus.nbest import NBEST_FORMATS, NBest, SparseFeatures, read_nbest
    from truebleu.nbest.inspection import ListsReport, describe_lists
    from truebleu.nbest.minimum_bayes_risk import (
        MBRResult,
        MBRSegment,
        MBRSettings,
        mbr,
        utility_matrix,
    )
    from truebleu.nbest.oracle import OracleResult, oracle_scores
    from truebleu.nbest.statistics import CandidateStatistics, FeatureMean, count_candidates

__all__ = [
    "NBEST_FORMATS",
    "CandidateStatistics",
    "FeatureMean",
    "ListsReport",
    "MBRResult",
    "MBRSegment",
    "MBRSettings",
    "NBest",
    "OracleResult",
    "SparseFeatures",
    "count_candidates",
    "describe_lists",
    "mbr",
    "oracle_scores",
    "read_nbest",
    "utility_matrix",
]

_HOMES = {
    "CandidateStatistics": "statistics",
    "FeatureMean": "statistics",
    "ListsReport": "inspection",
    "MBRResult": "minimum_bayes_risk",
    "MBRSegment": "minimum_bayes_risk",
    "MBRSettings": "minimum_bayes_risk",
    "NBEST_FORMATS": "statistics",
    "NBest": "statistics",
    "OracleResult": "oracle",
    "SparseFeatures": "statistics",
    "count_candidates": "statistics",
    "describe_lists": "inspection",
    "mbr": "minimum_bayes_risk",
    "oracle_scores": "oracle",
    "read_nbest": "statistics",
    "utility_matrix": "minimum_bayes_risk",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
