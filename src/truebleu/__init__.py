"""Is the difference between two translation systems real, and what should you do about it?

The verbs are `score`, `compare`, `panel`, `explain`, `report`, `gate`, `plan`, `sample`, `check`,
`agree`, `tune`, `rerank` and `mbr`. They take a `TestSet`, or lists of segments, and return results
that print themselves.

>>> import truebleu
>>> outputs = {"old": ["a cat sat on the mat"], "new": ["the cat sat on a mat"]}
>>> print(f"{truebleu.score(outputs, ['the cat sat on the mat'])['new']['BLEU']:.2f}")
53.73

Everything else is in namespaces, in the order of the data flow:

- `corpus` reads files into a test set, `human` reads human judgments, and `scores` reads the scores
  of other programs;
- `tokenizers` split segments into tokens, and `metrics` count and score them;
- `resampling` adds up the rows of many replicates, and `significance` makes intervals and tests;
- `explanation` splits a difference into contributions of segments, slices and n-grams;
- `agreement`, `planning`, `nbest` and `studies` apply them;
- `reports` shows results as text, tables and charts; `simulation` makes test sets whose truth is
  known; `compat` speeds up sacreBLEU; `errors` has every error.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from truebleu import _core

if TYPE_CHECKING:
    from truebleu import (
        agreement as agreement,
        compat as compat,
        corpus as corpus,
        counts as counts,
        errors as errors,
        explanation as explanation,
        human as human,
        integrations as integrations,
        metrics as metrics,
        nbest as nbest,
        planning as planning,
        reports as reports,
        resampling as resampling,
        scores as scores,
        significance as significance,
        simulation as simulation,
        studies as studies,
        tokenizers as tokenizers,
    )  # fmt: skip
    from truebleu.agreement.agree import agree as agree
    from truebleu.corpus._reading import read_test_set as read_test_set
    from truebleu.corpus.nbest import NBest as NBest
    from truebleu.corpus.test_set import TestSet as TestSet
    from truebleu.counts.counts import Counts as Counts
    from truebleu.counts.inputs import count as count
    from truebleu.errors import TruebleuError as TruebleuError
    from truebleu.explanation.explain import explain as explain
    from truebleu.explanation.report import report as report
    from truebleu.explanation.training import check as check
    from truebleu.human.reading import read_human as read_human
    from truebleu.metrics.bleu import BLEU as BLEU, SentenceBLEU as SentenceBLEU
    from truebleu.metrics.chrf import CHRF as CHRF
    from truebleu.metrics.nist import NIST as NIST
    from truebleu.metrics.ter import TER as TER
    from truebleu.metrics.threads import set_threads as set_threads
    from truebleu.nbest.minimum_bayes_risk import mbr as mbr
    from truebleu.nbest.reranking import rerank as rerank
    from truebleu.nbest.tuning import tune as tune
    from truebleu.planning.plan import plan as plan
    from truebleu.planning.sample import sample as sample
    from truebleu.significance.compare import compare as compare
    from truebleu.significance.gate import gate as gate
    from truebleu.significance.panel import panel as panel
    from truebleu.significance.scores import score as score

__version__ = _core.VERSION

# Public names and their modules.
_HOMES = {
    "agree": "agreement.agree",
    "TestSet": "corpus",
    "read_test_set": "corpus",
    "Counts": "counts.counts",
    "count": "counts.inputs",
    "NBest": "corpus.nbest",
    "TruebleuError": "errors",
    "explain": "explanation.explain",
    "report": "explanation.report",
    "check": "explanation.training",
    "read_human": "human",
    "set_threads": "metrics.threads",
    "BLEU": "metrics.bleu",
    "CHRF": "metrics.chrf",
    "NIST": "metrics.nist",
    "SentenceBLEU": "metrics.bleu",
    "TER": "metrics.ter",
    "mbr": "nbest",
    "rerank": "nbest",
    "tune": "nbest",
    "plan": "planning.plan",
    "sample": "planning.sample",
    "compare": "significance.compare",
    "gate": "significance.gate",
    "panel": "significance.panel",
    "score": "significance.scores",
}

#: Modules that are public as a whole.
_MODULES = (
    "agreement", "compat", "corpus", "counts", "errors", "explanation", "human", "integrations",
    "metrics", "nbest", "planning", "reports", "resampling", "scores", "significance", "simulation",
    "studies", "tokenizers",
)  # fmt: skip

#: Names of sacreBLEU's functions.
_OF_SACREBLEU = (
    "corpus_bleu", "corpus_chrf", "corpus_ter", "raw_corpus_bleu", "sentence_bleu", "sentence_chrf",
    "sentence_ter",
)  # fmt: skip

__all__ = ["__version__", *_HOMES, *_MODULES]


def __getattr__(name: str) -> object:
    if name in _OF_SACREBLEU:
        raise AttributeError(
            f"truebleu has no {name}: call truebleu.score(outputs, references, "
            "metrics='bleu'), or keep your code and change one line: "
            "import truebleu.compat.sacrebleu as sacrebleu"
        )
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_HOMES.get(name, name)}")
    globals()[name] = getattr(module, name) if name in _HOMES else module
    return globals()[name]


__dir__ = partial(sorted, __all__)
