"""N-best lists: their statistics and oracles, weights tuned on them, and choices from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.corpus.nbest.lists import NBest as NBest, SparseFeatures as SparseFeatures
    from truebleu.corpus.nbest.reading import (
        NBEST_FORMATS as NBEST_FORMATS,
        read_nbest as read_nbest,
    )
    from truebleu.nbest.inspection import (
        ListsReport as ListsReport,
        describe_lists as describe_lists,
    )
    from truebleu.nbest.minimum_bayes_risk import (
        MBRResult as MBRResult,
        MBRSegment as MBRSegment,
        MBRSettings as MBRSettings,
        mbr as mbr,
        utility_matrix as utility_matrix,
    )
    from truebleu.nbest.oracle import OracleResult as OracleResult, oracle_scores as oracle_scores
    from truebleu.nbest.outer_loop import OuterLoop as OuterLoop, Round as Round
    from truebleu.nbest.reranking import RerankResult as RerankResult, rerank as rerank
    from truebleu.nbest.statistics import (
        CandidateStatistics as CandidateStatistics,
        FeatureMean as FeatureMean,
        count_candidates as count_candidates,
    )
    from truebleu.nbest.tuning import TUNERS as TUNERS, TuneResult as TuneResult, tune as tune
    from truebleu.nbest.weights import read_weights as read_weights

# The public names by the module that they live in.
_HOMES = {
    "inspection": ["ListsReport", "describe_lists"],
    "minimum_bayes_risk": ["MBRResult", "MBRSegment", "MBRSettings", "mbr", "utility_matrix"],
    "oracle": ["OracleResult", "oracle_scores"],
    "outer_loop": ["OuterLoop", "Round"],
    "reranking": ["RerankResult", "rerank"],
    "statistics": [
        "NBEST_FORMATS",
        "CandidateStatistics",
        "FeatureMean",
        "NBest",
        "SparseFeatures",
        "count_candidates",
        "read_nbest",
    ],
    "tuning": ["TUNERS", "TuneResult", "tune"],
    "weights": ["read_weights"],
}

__all__ = [name for names in _HOMES.values() for name in names]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
