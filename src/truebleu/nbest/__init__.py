"""N-best lists: their statistics and oracles, weights tuned on them, and choices from them."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.corpus.nbest import *
    from truebleu.corpus.nbest_files import *
    from truebleu.nbest.choices import *
    from truebleu.nbest.expectation import *
    from truebleu.nbest.mert import *
    from truebleu.nbest.minimum_bayes_risk import *
    from truebleu.nbest.mira import *
    from truebleu.nbest.oracle import *
    from truebleu.nbest.outer_loop import *
    from truebleu.nbest.pro import *
    from truebleu.nbest.problem import *
    from truebleu.nbest.reranking import *
    from truebleu.nbest.tuning import *

__getattr__, __dir__ = lazy_package(
    __name__, "truebleu.corpus.nbest", "truebleu.corpus.nbest_files"
)
