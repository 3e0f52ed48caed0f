"""Human judgments of translations: scores and comparisons, from the files that people have."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.human._metrics_eval import (
        MetricsEvalSet as MetricsEvalSet,
        read_metrics_eval as read_metrics_eval,
    )
    from truebleu.human._reading import read_human as read_human
    from truebleu.human.scores import (
        FORMATS as FORMATS,
        HumanScores as HumanScores,
        Judgment as Judgment,
        PairwiseJudgments as PairwiseJudgments,
    )
    from truebleu.human.spans import (
        ErrorSpan as ErrorSpan,
        MarkedErrors as MarkedErrors,
        read_spans as read_spans,
    )

# The public names by the module that they live in.
_HOMES = {
    "_metrics_eval": ["MetricsEvalSet", "read_metrics_eval"],
    "_reading": ["read_human"],
    "scores": ["FORMATS", "HumanScores", "Judgment", "PairwiseJudgments"],
    "spans": ["ErrorSpan", "MarkedErrors", "read_spans"],
}

__all__ = [name for names in _HOMES.values() for name in names]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
