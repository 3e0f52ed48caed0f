"""Is the difference between two translation systems real?

The package is the data flow, in order:

1. ``corpus``      reads files into a test set and its systems,
2. ``tokenizers``  cut segments into tokens,
3. ``metrics``     count segments into statistics, and make a score of any sum of them,
4. ``reports``     write results as text, JSON, TSV, LaTeX and Markdown.

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
    from truebleu.corpus import TestSet, read_test_set
    from truebleu.errors import TruebleuError
    from truebleu.metrics.bleu import BLEU
    from truebleu.metrics.chrf import CHRF
    from truebleu.metrics.metric import Metric
    from truebleu.metrics.registry import parse_metric
    from truebleu.metrics.scoring import Scores, score, score_test_set
    from truebleu.metrics.ter import TER
    from truebleu.threads import set_threads

__version__ = _core.VERSION

# Where each public name lives; it is imported when it is first used, so that importing is quick.
_HOMES = {
    "BLEU": "truebleu.metrics.bleu",
    "CHRF": "truebleu.metrics.chrf",
    "Metric": "truebleu.metrics.metric",
    "Scores": "truebleu.metrics.scoring",
    "TER": "truebleu.metrics.ter",
    "TestSet": "truebleu.corpus",
    "TruebleuError": "truebleu.errors",
    "parse_metric": "truebleu.metrics.registry",
    "read_test_set": "truebleu.corpus",
    "score": "truebleu.metrics.scoring",
    "score_test_set": "truebleu.metrics.scoring",
    "set_threads": "truebleu.threads",
}

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "Metric",
    "Scores",
    "TestSet",
    "TruebleuError",
    "__version__",
    "parse_metric",
    "read_test_set",
    "score",
    "score_test_set",
    "set_threads",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'truebleu' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
