"""Is the difference between two translation systems real?

The package is the data flow, in order:

1. ``corpus``      reads files into a test set and its systems,
2. ``tokenizers``  cut segments into tokens,
3. ``metrics``     count segments into statistics, and make a score of any sum of them,
4. ``resampling``  adds up the rows of many replicates of the test set,
5. ``inference``   makes intervals, tests, corrections and ranks of their scores,
6. ``reports``     write results as text, JSON, TSV, LaTeX and Markdown, and draw charts.

What people do with these steps: ``planning`` says how much test data is needed, ``agreement``
compares metrics with people, ``studies`` measure how far all of it can be trusted. ``simulation``
makes test sets whose truth is known; ``compat`` stands in for other tools.

>>> import truebleu
>>> print(truebleu.BLEU().corpus(["the cat sat on the mat"], ["the cat sat on a mat"]))
BLEU = 53.73 83.3/60.0/50.0/33.3 (BP = 1.000 output = 6 reference = 6)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu._core import Statistics
    from truebleu._threads import set_threads
    from truebleu.agreement.agree import Agreement, agree
    from truebleu.agreement.choose import Choice, choose
    from truebleu.corpus import TestSet, read_test_set
    from truebleu.errors import TruebleuError
    from truebleu.exhibits import Exhibit
    from truebleu.human import read_human
    from truebleu.metrics.base import Metric, Score, Signature
    from truebleu.metrics.bleu import BLEU
    from truebleu.metrics.chrf import CHRF
    from truebleu.metrics.dependency import DependencyF
    from truebleu.metrics.function import FunctionMetric
    from truebleu.metrics.given import GivenScores
    from truebleu.metrics.gtm import GTM
    from truebleu.metrics.length import LengthRatio
    from truebleu.metrics.mbleu import MBLEU
    from truebleu.metrics.nist import NIST
    from truebleu.metrics.per import PER
    from truebleu.metrics.registry import parse_metric
    from truebleu.metrics.sentence_bleu import SentenceBLEU
    from truebleu.metrics.ter import TER
    from truebleu.metrics.wer import WER
    from truebleu.planning.plan import plan
    from truebleu.planning.sample import sample
    from truebleu.reports.charts import chart, save_chart
    from truebleu.significance.compare import Comparison, compare
    from truebleu.significance.gate import gate
    from truebleu.significance.scores import Scores, score
    from truebleu.significance.settings import CompareSettings
    from truebleu.studies.accuracy import study_accuracy
    from truebleu.studies.coverage import study_coverage
    from truebleu.studies.length import study_length
    from truebleu.studies.power import study_power
    from truebleu.studies.references import study_references
    from truebleu.studies.replicates import study_replicates
    from truebleu.studies.sampling import study_sampling
    from truebleu.studies.sensitivity import study_sensitivity
    from truebleu.studies.smoothing import study_smoothing
    from truebleu.studies.test_size import study_test_size
    from truebleu.studies.type_one import study_type_one

from truebleu import _core

__version__ = _core.VERSION

# Where each public name lives; it is imported when it is first used, so that importing is quick.
_HOMES = {
    "Agreement": "truebleu.agreement.agree",
    "BLEU": "truebleu.metrics.bleu",
    "CHRF": "truebleu.metrics.chrf",
    "Choice": "truebleu.agreement.choose",
    "CompareSettings": "truebleu.significance.settings",
    "Comparison": "truebleu.significance.compare",
    "DependencyF": "truebleu.metrics.dependency",
    "Exhibit": "truebleu.exhibits",
    "FunctionMetric": "truebleu.metrics.function",
    "GTM": "truebleu.metrics.gtm",
    "GivenScores": "truebleu.metrics.given",
    "LengthRatio": "truebleu.metrics.length",
    "MBLEU": "truebleu.metrics.mbleu",
    "Metric": "truebleu.metrics.base",
    "NIST": "truebleu.metrics.nist",
    "PER": "truebleu.metrics.per",
    "Score": "truebleu.metrics.base",
    "Scores": "truebleu.significance.scores",
    "SentenceBLEU": "truebleu.metrics.sentence_bleu",
    "Signature": "truebleu.metrics.base",
    "Statistics": "truebleu._core",
    "TER": "truebleu.metrics.ter",
    "TestSet": "truebleu.corpus",
    "TruebleuError": "truebleu.errors",
    "WER": "truebleu.metrics.wer",
    "agree": "truebleu.agreement.agree",
    "chart": "truebleu.reports.charts",
    "choose": "truebleu.agreement.choose",
    "compare": "truebleu.significance.compare",
    "gate": "truebleu.significance.gate",
    "parse_metric": "truebleu.metrics.registry",
    "plan": "truebleu.planning.plan",
    "read_human": "truebleu.human",
    "read_test_set": "truebleu.corpus",
    "sample": "truebleu.planning.sample",
    "save_chart": "truebleu.reports.charts",
    "score": "truebleu.significance.scores",
    "set_threads": "truebleu._threads",
    "study_accuracy": "truebleu.studies.accuracy",
    "study_coverage": "truebleu.studies.coverage",
    "study_length": "truebleu.studies.length",
    "study_power": "truebleu.studies.power",
    "study_references": "truebleu.studies.references",
    "study_replicates": "truebleu.studies.replicates",
    "study_sampling": "truebleu.studies.sampling",
    "study_sensitivity": "truebleu.studies.sensitivity",
    "study_smoothing": "truebleu.studies.smoothing",
    "study_test_size": "truebleu.studies.test_size",
    "study_type_one": "truebleu.studies.type_one",
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
    "Agreement",
    "Choice",
    "CompareSettings",
    "Comparison",
    "DependencyF",
    "Exhibit",
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
    "agree",
    "chart",
    "choose",
    "compare",
    "gate",
    "parse_metric",
    "plan",
    "read_human",
    "read_test_set",
    "sample",
    "save_chart",
    "score",
    "set_threads",
    "study_accuracy",
    "study_coverage",
    "study_length",
    "study_power",
    "study_references",
    "study_replicates",
    "study_sampling",
    "study_sensitivity",
    "study_smoothing",
    "study_test_size",
    "study_type_one",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'truebleu' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
