"""Batches of outputs with references: counted one after the other, they add up to the whole.

Statistics are additive, so a metric over batches, workers or machines is exact: only its k sums
travel. What depends on all texts at once cannot be scored so, and is refused: NIST's weights, and
the choice of a tokenizer by the script of the references, which the first batch would make for the
others.
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

#: The references of a batch: one for each output, or a list of them for each output.
Target: TypeAlias = Sequence[str] | Sequence[Sequence[str]]
#: What references that are kept ready may take.
CACHE_BYTES = 1 << 26


class BatchMetric:
    """A metric that counts batches alike.

    Args:
        metric: a name with settings, such as "bleu" or "chrf:word_order=2", or an object.
        language: the target language, which chooses the tokenizer; without it, and without a
            tokenizer in the settings, words are cut as for languages with spaces (13a).

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
                "metric", chosen.name, "one whose counts of a segment depend on that segment alone"
            )
        self.metric = chosen
        self.width = int(chosen.statistics([""], [""]).shape[1])
        #: References of each segment so far; None where they vary.
        self.references: int | None = 0

    def rows(self, outputs: Sequence[str], target: Target) -> NDArray[np.float64]:
        """A row of counts for each output."""
        texts = _translators(by_segment(outputs, target))
        counts = {len(texts) - sum(text[i] is None for text in texts) for i in range(len(outputs))}
        if len(outputs) > 0:
            count = counts.pop() if len(counts) == 1 else None
            self.references = count if self.references in (0, count) else None
        return self.metric.statistics(outputs, texts)

    def describe(self, sums: Sequence[float]) -> Score:
        """The score of summed rows, with its parts and signature."""
        return self.metric.describe(sums, self.references)


def by_segment(outputs: Sequence[str], target: Target) -> list[Sequence[str]]:
    """The references of each output."""
    if isinstance(target, str) or not isinstance(target, Sequence):
        raise SettingError("target", target, "a list with the references of each output")
    if len(target) != len(outputs):
        raise SettingError("target", len(target), f"references for each of {len(outputs)} outputs")
    listed = [[item] if isinstance(item, str) else item for item in target]
    for number, references in enumerate(listed):
        texts = isinstance(references, Sequence) and len(references) > 0
        if not texts or not all(isinstance(text, str) for text in references):
            raise SettingError(f"target[{number}]", references, "a text or a list of texts")
    return listed


def _translators(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """The references by translator, as truebleu takes them; None where one has no more."""
    return [list(texts) for texts in zip_longest(*references)] or [[]]


class Reward:
    """Scores of single outputs, for rewards and filters: higher is always better.

    Any number of threads may call it at once: the native code lets go of Python's lock while it
    counts. References are kept ready by their texts, for BLEU and chrF, so that the next outputs of
    the same prompts take less time.

    Args:
        metric: a name with settings, or an object.
        language: the target language, which chooses the tokenizer.
        column: the keyword argument with the references, where a trainer passes on the columns of
            its data set.
        cache_bytes: how much memory references that are kept ready may take, about 3 KB each; 0
            keeps none. What was not asked for in a while is forgotten.

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
            raise SettingError("metric", self.metric.name, "one by which more or less is better")
        self.column = column
        self.cache_bytes = require_whole_number("cache_bytes", cache_bytes, 0, MOST)
        self._cache = self.metric.reference_cache(cache_bytes)
        # Trainers log rewards under their names.
        self.__name__ = f"{self.metric.name} reward"

    def __reduce__(self) -> tuple[type[Reward], tuple[Metric, None, str, int]]:
        """Without what it has kept ready."""
        return Reward, (self.metric, None, self.column, self.cache_bytes)

    def __call__(
        self, completions: Sequence[object], target: Target | None = None, **columns: object
    ) -> list[float]:
        """A reward for each completion: its score in hundredths, negative where lower is better.

        Args:
            completions: texts, or lists of messages whose last has the text as its "content".
            target: the references of each; else they are looked for in `columns`.
            columns: what a trainer passes on; only that of the references is used.
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
