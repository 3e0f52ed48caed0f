"""N-best lists: their statistics and oracles, weights tuned on them, and choices from them."""

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
    from truebleu.nbest.reranking import RerankResult, rerank
    from truebleu.nbest.statistics import CandidateStatistics, FeatureMean, count_candidates
    from truebleu.nbest.tuning import TUNERS, TuneResult, tune
    from truebleu.nbest.weights import read_weights

__all__ = [
    "NBEST_FORMATS",
    "TUNERS",
    "CandidateStatistics",
    "FeatureMean",
    "ListsReport",
    "MBRResult",
    "MBRSegment",
    "MBRSettings",
    "NBest",
    "OracleResult",
    "RerankResult",
    "SparseFeatures",
    "TuneResult",
    "count_candidates",
    "describe_lists",
    "mbr",
    "oracle_scores",
    "read_nbest",
    "read_weights",
    "rerank",
    "tune",
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
    "RerankResult": "reranking",
    "SparseFeatures": "statistics",
    "TUNERS": "tuning",
    "TuneResult": "tuning",
    "count_candidates": "statistics",
    "describe_lists": "inspection",
    "mbr": "minimum_bayes_risk",
    "oracle_scores": "oracle",
    "read_nbest": "statistics",
    "read_weights": "weights",
    "rerank": "reranking",
    "tune": "tuning",
    "utility_matrix": "minimum_bayes_risk",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
