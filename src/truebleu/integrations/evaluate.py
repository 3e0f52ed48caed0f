"""A module for Hugging Face's `evaluate`: any truebleu metric, with its parts and signature.

>>> module = CorpusScore("chrf")
>>> result = module.compute(predictions=["a dog barked"], references=[["the dog barked"]])
>>> f"{result['score']:.2f}"
'74.67'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import datasets
import evaluate

from truebleu.integrations.batches import BatchMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truebleu.integrations.batches import Target
    from truebleu.metrics.base import Metric

__all__ = ["CorpusScore"]


class CorpusScore(evaluate.Metric):  # type: ignore[misc]  # the library has no types
    """Corpus score by a truebleu metric, used like a metric from `evaluate.load`.

    Args:
        metric: name with settings, or a truebleu metric.
        language: target language, which decides the tokenizer.
        settings: settings of every evaluate module, such as `experiment_id`.
    """

    def __init__(
        self, metric: str | Metric = "bleu", language: str | None = None, **settings: Any
    ) -> None:
        self.batches = BatchMetric(metric, language)
        super().__init__(**settings)

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        several = {"predictions": text, "references": datasets.Sequence(text)}
        return evaluate.MetricInfo(
            description="Corpus scores of translations, counted by truebleu.",
            citation="",
            inputs_description="predictions: texts; references: a text or a list of texts for each",
            features=[
                datasets.Features(several),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(self, predictions: Sequence[str], references: Target) -> dict[str, Any]:
        """Return the score, its parts and the signature."""
        rows = self.batches.rows(predictions, references)
        score = self.batches.describe(rows.sum(axis=0).tolist())
        return {**score.to_dict(), "signature": str(score.signature)}
