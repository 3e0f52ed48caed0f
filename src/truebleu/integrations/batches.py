"""Batches of outputs with references, whose counts add up to the counts of the whole text.

Counts are additive, so a metric over batches, workers or machines is exact, and only its sums are
sent. Metrics that depend on all texts at once, such as NIST by its weights, raise an error. The
tokenizer is never chosen by the script of the references, since the first batch would choose for
all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics
from truebleu.schema import MOST, require_whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics.base import Metric, Score

__all__ = ["BatchMetric", "Reward", "Target"]

#: References of a batch: one for each output, or a list for each output.
Target: TypeAlias = Sequence[str] | Sequence[Sequence[str]]
#: Default bytes of the cache of prepared references.
CACHE_BYTES = 1 << 26


class BatchMetric:
    """A metric that counts all batches with the same settings.

    Args:
        metric: name with settings, such as "bleu" or "chrf:word_order=2", or an object.
        language: target language, which decides the tokenizer unless the settings name one.
            Default: a language with spaces (13a).

    >>> bleu = BatchMetric("bleu")
    >>> rows = bleu.rows(["the cat sat on the mat"], [["the cat sat on a mat"]])
    >>> f"{bleu.metric.score(rows.sum(axis=0)):.2f}"
    '53.73'
    """

    __slots__ = ("metric", "references", "width")

    def __init__(self, metric: str | Metric = "bleu", language: str | None = None) -> None:
        (chosen,) = as_metrics([metric])
        chosen = chosen.for_language("en" if language is None else language)
        if chosen.counts_whole_text or not chosen.reads_texts:
            raise SettingError(
                "metric", chosen.name, "a metric that counts each segment alone, such as bleu"
            )
        self.metric = chosen
        self.width = int(chosen.statistics([""], [""]).shape[1])
        #: Number of references of each segment so far; None if it varies.
        self.references: int | None = 0

    def rows(self, outputs: Sequence[str], target: Target) -> NDArray[np.float64]:
        """Count a batch; return one row for each output."""
        texts = _translators(by_segment(outputs, target))
        counts = {len(texts) - sum(text[i] is None for text in texts) for i in range(len(outputs))}
        if len(outputs) > 0:
            count = counts.pop() if len(counts) == 1 else None
            self.references = count if self.references in (0, count) else None
        return self.metric.statistics(outputs, texts)

    def describe(self, sums: Sequence[float]) -> Score:
        """Return the score of summed rows, with its parts and signature."""
        return self.metric.describe(sums, self.references)


def by_segment(outputs: Sequence[str], target: Target) -> list[Sequence[str]]:
    """Return the references of each output; raises SettingError unless they are texts."""
    if isinstance(target, str) or not isinstance(target, Sequence):
        raise SettingError("target", target, "a list with the references of each output")
    if len(target) != len(outputs):
        raise SettingError("target", len(target), f"references for each of {len(outputs)} outputs")
    groups = [[item] if isinstance(item, str) else item for item in target]
    for number, references in enumerate(groups):
        texts = isinstance(references, Sequence) and len(references) > 0
        if not texts or not all(isinstance(text, str) for text in references):
            raise SettingError(f"target[{number}]", references, "a text or a list of texts")
    return groups


def _translators(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Transpose references by segment to references by translator, with None if missing."""
    return [list(texts) for texts in zip_longest(*references)] or [[]]


class Reward:
    """Scores of single outputs, for rewards and filters: higher is always better.

    Any number of threads may call a reward at once: the native code releases Python's lock while it
    counts. BLEU and chrF cache prepared references by their texts, so that further outputs of the
    same prompts take less time.

    Args:
        metric: name with settings, or an object.
        language: target language, which decides the tokenizer.
        column: name of the keyword argument with the references, if a trainer passes on the columns
            of its data set.
        cache_bytes: memory of the cache of prepared references, about 3 KB each; 0 for no cache.
            The least recently used references are dropped.

    >>> reward = Reward("chrf")
    >>> [round(score, 3) for score in reward(["a dog barked", "no"], ["the dog barked", "no"])]
    [0.704, 1.0]
    """

    __slots__ = ("__name__", "_cache", "cache_bytes", "column", "metric")

    def __init__(
        self,
        metric: str | Metric = "chrf",
        language: str | None = None,
        column: str = "references",
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.metric = BatchMetric(metric, language).metric.sentence_level()
        if self.metric.higher_is_better is None:
            raise SettingError("metric", self.metric.name, "a metric with a direction, as chrf")
        self.column = column
        self.cache_bytes = require_whole_number("cache_bytes", cache_bytes, 0, MOST)
        self._cache = self.metric.reference_cache(cache_bytes)
        # Trainers log rewards under this name.
        self.__name__ = f"{self.metric.name} reward"

    def __reduce__(self) -> tuple[type[Reward], tuple[Metric, None, str, int]]:
        """Pickle the reward without its cache."""
        return Reward, (self.metric, None, self.column, self.cache_bytes)

    def __call__(
        self, completions: Sequence[object], target: Target | None = None, **columns: object
    ) -> list[float]:
        """Return a reward for each completion: its score / 100, negated if lower is better.

        Args:
            completions: texts, or lists of messages, the last of them with the text as "content".
            target: references of each completion; None to take them from `columns`.
            columns: columns that a trainer passes on; only the column of the references is used.
        """
        if target is None:
            if self.column not in columns:
                raise SettingError("target", None, f"references, or a column {self.column!r}")
            target = columns[self.column]  # type: ignore[assignment]
        outputs = [_text(completion) for completion in completions]
        references = by_segment(outputs, target)  # type: ignore[arg-type]
        if not outputs:
            return []
        if self._cache is None:
            rows = self.metric.statistics(outputs, _translators(references))[:, None, :]
        else:
            rows = self._cache.count(outputs, references).array()
        (scores,) = self.metric.segment_scores(rows)
        sign = self.metric.sign / 100
        return [0.0 if score is None else sign * score for score in scores]


def _text(completion: object) -> str:
    if isinstance(completion, str):
        return completion
    match completion:
        case [*_, {"content": str(text)}]:
            return text
    raise SettingError("completions", completion, "texts, or lists of messages with a content")
