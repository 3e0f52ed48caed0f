"""N-best lists: their statistics and oracles, weights tuned on them, and choices from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.corpus.nbest import NBest as NBest, SparseFeatures as SparseFeatures
    from truebleu.corpus.nbest_files import (
        NBEST_FORMATS as NBEST_FORMATS,
        ListFormat as ListFormat,
        read_nbest as read_nbest,
    )
    from truebleu.nbest.choices import read_weights as read_weights
    from truebleu.nbest.expectation import (
        ExpectedBleu as ExpectedBleu,
        ExpectedCorpusBleu as ExpectedCorpusBleu,
        MinimumRisk as MinimumRisk,
    )
    from truebleu.nbest.inspection import (
        ListsReport as ListsReport,
        OracleResult as OracleResult,
        describe_lists as describe_lists,
        oracle_scores as oracle_scores,
    )
    from truebleu.nbest.mert import Mert as Mert
    from truebleu.nbest.minimum_bayes_risk import (
        Aggregate as Aggregate,
        CoarseToFine as CoarseToFine,
        Exact as Exact,
        MBRResult as MBRResult,
        MBRSegment as MBRSegment,
        Prune as Prune,
        mbr as mbr,
        utility_matrix as utility_matrix,
    )
    from truebleu.nbest.mira import Mira as Mira
    from truebleu.nbest.outer_loop import OuterLoop as OuterLoop, Round as Round
    from truebleu.nbest.pro import Pro as Pro
    from truebleu.nbest.problem import (
        CandidateStatistics as CandidateStatistics,
        FeatureMean as FeatureMean,
        count_candidates as count_candidates,
    )
    from truebleu.nbest.reranking import RerankResult as RerankResult, rerank as rerank
    from truebleu.nbest.tuning import TUNERS as TUNERS, TuneResult as TuneResult, tune as tune

# The modules, and the public names of each.
_NAMES = {
    "choices": "read_weights",
    "expectation": "ExpectedBleu ExpectedCorpusBleu MinimumRisk",
    "inspection": "ListsReport OracleResult describe_lists oracle_scores",
    "mert": "Mert",
    "minimum_bayes_risk": "Aggregate CoarseToFine Exact MBRResult MBRSegment Prune mbr "
    "utility_matrix",
    "mira": "Mira",
    "outer_loop": "OuterLoop Round",
    "pro": "Pro",
    "problem": "CandidateStatistics FeatureMean count_candidates",
    "reranking": "RerankResult rerank",
    "tuning": "TUNERS TuneResult tune",
    "truebleu.corpus.nbest": "NBest SparseFeatures",
    "truebleu.corpus.nbest_files": "NBEST_FORMATS ListFormat read_nbest",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
