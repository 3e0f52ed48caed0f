"""Human judgments of translations: scores and comparisons, from the files that people have."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.human.judgments import (
        FORMATS as FORMATS,
        HumanScores as HumanScores,
        Judgment as Judgment,
        PairwiseJudgments as PairwiseJudgments,
    )
    from truebleu.human.metrics_eval import (
        MetricsEvalSet as MetricsEvalSet,
        read_metrics_eval as read_metrics_eval,
    )
    from truebleu.human.reading import read_human as read_human
    from truebleu.human.spans import (
        ErrorSpan as ErrorSpan,
        MarkedErrors as MarkedErrors,
        read_spans as read_spans,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "MetricsEvalSet": "metrics_eval",
    "read_metrics_eval": "metrics_eval",
    "read_human": "reading",
    "FORMATS": "judgments",
    "HumanScores": "judgments",
    "Judgment": "judgments",
    "PairwiseJudgments": "judgments",
    "ErrorSpan": "spans",
    "MarkedErrors": "spans",
    "read_spans": "spans",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
