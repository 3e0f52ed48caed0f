"""Human judgments of translations: scores and comparisons, from the files that people have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.human._metrics_eval import MetricsEvalSet, read_metrics_eval
    from truebleu.human._reading import read_human
    from truebleu.human.scores import FORMATS, HumanScores, Judgment, PairwiseJudgments

__all__ = [
    "FORMATS",
    "HumanScores",
    "Judgment",
    "MetricsEvalSet",
    "PairwiseJudgments",
    "read_human",
    "read_metrics_eval",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "FORMATS": "scores",
        "HumanScores": "scores",
        "Judgment": "scores",
        "MetricsEvalSet": "_metrics_eval",
        "PairwiseJudgments": "scores",
        "read_human": "_reading",
        "read_metrics_eval": "_metrics_eval",
    },
)
