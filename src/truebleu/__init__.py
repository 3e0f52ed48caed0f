"""Is the difference between two translation systems real?

The package is the data flow, in order:

1. ``corpus``      reads files into a test set and its systems,
2. ``tokenizers``  cut segments into tokens,
3. ``metrics``     count segments into statistics, and make a score of any sum of them,
4. ``resampling``  adds up the rows of many replicates of the test set,
5. ``inference``   makes intervals, tests, corrections and ranks of their scores,
6. ``reports``     write results as text, JSON, TSV, LaTeX and Markdown.

``simulation`` makes test sets whose truth is known; ``compat`` stands in for other tools.

>>> import truebleu
>>> print(truebleu.BLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from truebleu import _core

if TYPE_CHECKING:
    from truebleu._core import Statistics
    from truebleu.corpus import TestSet, read_test_set
    from truebleu.errors import TruebleuError
    from truebleu.inference.comparison import compare, compare_test_set
    from truebleu.inference.confidence import score_with_intervals
    from truebleu.inference.gating import gate
    from truebleu.inference.results import Comparison
    from truebleu.inference.runs import compare_runs, group_runs
    from truebleu.inference.settings import CompareSettings
    from truebleu.metrics.bleu import BLEU
    from truebleu.metrics.chrf import CHRF
    from truebleu.metrics.dependency import DependencyF
    from truebleu.metrics.function import FunctionMetric
    from truebleu.metrics.given import GivenScores
    from truebleu.metrics.gtm import GTM
    from truebleu.metrics.length import LengthRatio
    from truebleu.metrics.mbleu import MBLEU
    from truebleu.metrics.metric import Metric, Score
    from truebleu.metrics.nist import NIST
    from truebleu.metrics.per import PER
    from truebleu.metrics.registry import parse_metric
    from truebleu.metrics.scoring import Scores, score, score_test_set
    from truebleu.metrics.sentence_bleu import SentenceBLEU
    from truebleu.metrics.signature import Signature
    from truebleu.metrics.ter import TER
    from truebleu.metrics.wer import WER
    from truebleu.threads import set_threads

__version__ = _core.VERSION

# Where each public name lives; it is imported when it is first used, so that importing is quick.
_HOMES = {
    "BLEU": "truebleu.metrics.bleu",
    "CHRF": "truebleu.metrics.chrf",
    "CompareSettings": "truebleu.inference.settings",
    "Comparison": "truebleu.inference.results",
    "DependencyF": "truebleu.metrics.dependency",
    "FunctionMetric": "truebleu.metrics.function",
    "GTM": "truebleu.metrics.gtm",
    "GivenScores": "truebleu.metrics.given",
    "LengthRatio": "truebleu.metrics.length",
    "MBLEU": "truebleu.metrics.mbleu",
    "Metric": "truebleu.metrics.metric",
    "NIST": "truebleu.metrics.nist",
    "PER": "truebleu.metrics.per",
    "Score": "truebleu.metrics.metric",
    "Scores": "truebleu.metrics.scoring",
    "SentenceBLEU": "truebleu.metrics.sentence_bleu",
    "Signature": "truebleu.metrics.signature",
    "Statistics": "truebleu._core",
    "TER": "truebleu.metrics.ter",
    "TestSet": "truebleu.corpus",
    "TruebleuError": "truebleu.errors",
    "WER": "truebleu.metrics.wer",
    "compare": "truebleu.inference.comparison",
    "compare_runs": "truebleu.inference.runs",
    "compare_test_set": "truebleu.inference.comparison",
    "gate": "truebleu.inference.gating",
    "group_runs": "truebleu.inference.runs",
    "parse_metric": "truebleu.metrics.registry",
    "read_test_set": "truebleu.corpus",
    "score": "truebleu.metrics.scoring",
    "score_test_set": "truebleu.metrics.scoring",
    "score_with_intervals": "truebleu.inference.confidence",
    "set_threads": "truebleu.threads",
}

__all__ = [
    "BLEU",
    "CHRF",
    "GTM",
    "MBLEU",
    "NIST",
    "PER",
    "TER",
    "WER",
    "CompareSettings",
    "Comparison",
    "DependencyF",
    "FunctionMetric",
    "GivenScores",
    "LengthRatio",
    "Metric",
    "Score",
    "Scores",
    "SentenceBLEU",
    "Signature",
    "Statistics",
    "TestSet",
    "TruebleuError",
    "__version__",
    "compare",
    "compare_runs",
    "compare_test_set",
    "gate",
    "group_runs",
    "parse_metric",
    "read_test_set",
    "score",
    "score_test_set",
    "score_with_intervals",
    "set_threads",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'truebleu' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
