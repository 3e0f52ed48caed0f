"""Is the difference between two translation systems real, and what should you do about it?

The verbs are here: `score`, `compare`, `panel`, `explain`, `report`, `gate`, `plan`, `sample`,
`agree`, `choose`, `tune`, `rerank` and `mbr`. They take a `TestSet`, or the lists that make one,
and return results that print themselves.

>>> import truebleu
>>> outputs = {"old": ["a cat sat on the mat"], "new": ["the cat sat on a mat"]}
>>> print(f"{truebleu.score(outputs, ['the cat sat on the mat'])['new']['BLEU']:.2f}")
53.73

Everything else is in namespaces, in the order of the data flow:

- `corpus` reads files into a test set, and `human` reads what people said about it;
- `tokenizers` cut segments into tokens, and `metrics` count and score them;
- `resampling` adds up the rows of many replicates, and `significance` makes intervals and tests;
- `explanation` splits a difference into what segments, slices and n-grams contribute;
- `agreement`, `planning`, `nbest` and `studies` are what people do with that;
- `reports` shows results as text, tables and charts; `simulation` makes test sets whose truth is
  known; `compat` stands in for other tools; `errors` has every error.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from truebleu import _core
from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu import (
        agreement,
        compat,
        corpus,
        errors,
        explanation,
        human,
        integrations,
        metrics,
        nbest,
        planning,
        reports,
        resampling,
        significance,
        simulation,
        studies,
        tokenizers,
    )
    from truebleu.agreement.agree import agree
    from truebleu.agreement.choose import choose
    from truebleu.corpus._reading import read_test_set
    from truebleu.corpus.nbest.lists import NBest
    from truebleu.corpus.test_set import TestSet
    from truebleu.errors import TruebleuError
    from truebleu.explanation.explain import explain
    from truebleu.explanation.report import report
    from truebleu.human._reading import read_human
    from truebleu.metrics.base import set_threads
    from truebleu.metrics.bleu import BLEU
    from truebleu.metrics.chrf import CHRF
    from truebleu.metrics.nist import NIST
    from truebleu.metrics.sentence_bleu import SentenceBLEU
    from truebleu.metrics.ter import TER
    from truebleu.nbest.minimum_bayes_risk import mbr
    from truebleu.nbest.reranking import rerank
    from truebleu.nbest.tuning import tune
    from truebleu.planning.plan import plan
    from truebleu.planning.sample import sample
    from truebleu.significance.compare import compare
    from truebleu.significance.gate import gate
    from truebleu.significance.panel import panel
    from truebleu.significance.scores import score

__version__ = _core.VERSION

__all__ = [
    "BLEU",
    "CHRF",
    "NIST",
    "TER",
    "NBest",
    "SentenceBLEU",
    "TestSet",
    "TruebleuError",
    "__version__",
    "agree",
    "agreement",
    "choose",
    "compare",
    "compat",
    "corpus",
    "errors",
    "explain",
    "explanation",
    "gate",
    "human",
    "integrations",
    "mbr",
    "metrics",
    "nbest",
    "panel",
    "plan",
    "planning",
    "read_human",
    "read_test_set",
    "report",
    "reports",
    "rerank",
    "resampling",
    "sample",
    "score",
    "set_threads",
    "significance",
    "simulation",
    "studies",
    "tokenizers",
    "tune",
]

# The names by the module that they live in; all others are modules themselves.
_HOMES = {
    "agreement.agree": "agree",
    "agreement.choose": "choose",
    "corpus": "TestSet read_test_set",
    "corpus.nbest.lists": "NBest",
    "errors": "TruebleuError",
    "explanation.explain": "explain",
    "explanation.report": "report",
    "human": "read_human",
    "metrics.base": "set_threads",
    "metrics.bleu": "BLEU",
    "metrics.chrf": "CHRF",
    "metrics.nist": "NIST",
    "metrics.sentence_bleu": "SentenceBLEU",
    "metrics.ter": "TER",
    "nbest": "mbr rerank tune",
    "planning.plan": "plan",
    "planning.sample": "sample",
    "significance.compare": "compare",
    "significance.gate": "gate",
    "significance.panel": "panel",
    "significance.scores": "score",
}


def __getattr__(name: str) -> object:
    if name in __all__ and name not in " ".join(_HOMES.values()).split():
        return import_module(f"{__name__}.{name}")
    return lazy_name(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted(__all__)
