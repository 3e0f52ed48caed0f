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
        OracleResult as OracleResult,
        describe_lists as describe_lists,
        oracle_scores as oracle_scores,
    )
    from truebleu.nbest.minimum_bayes_risk import (
        MBRResult as MBRResult,
        MBRSegment as MBRSegment,
        mbr as mbr,
    )
    from truebleu.nbest.outer_loop import OuterLoop as OuterLoop, Round as Round
    from truebleu.nbest.reranking import RerankResult as RerankResult, rerank as rerank
    from truebleu.nbest.statistics import (
        CandidateStatistics as CandidateStatistics,
        FeatureMean as FeatureMean,
        count_candidates as count_candidates,
    )
    from truebleu.nbest.tuning import TUNERS as TUNERS, TuneResult as TuneResult, tune as tune
    from truebleu.nbest.utilities import (
        MBRSettings as MBRSettings,
        utility_matrix as utility_matrix,
    )
    from truebleu.nbest.weights import read_weights as read_weights

# The public names, and the module that each lives in.
_HOMES = {
    "ListsReport": "inspection",
    "describe_lists": "inspection",
    "MBRResult": "minimum_bayes_risk",
    "MBRSegment": "minimum_bayes_risk",
    "MBRSettings": "utilities",
    "mbr": "minimum_bayes_risk",
    "OracleResult": "inspection",
    "oracle_scores": "inspection",
    "OuterLoop": "outer_loop",
    "Round": "outer_loop",
    "RerankResult": "reranking",
    "rerank": "reranking",
    "NBEST_FORMATS": "statistics",
    "CandidateStatistics": "statistics",
    "FeatureMean": "statistics",
    "NBest": "statistics",
    "SparseFeatures": "statistics",
    "count_candidates": "statistics",
    "read_nbest": "statistics",
    "TUNERS": "tuning",
    "TuneResult": "tuning",
    "tune": "tuning",
    "utility_matrix": "utilities",
    "read_weights": "weights",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
