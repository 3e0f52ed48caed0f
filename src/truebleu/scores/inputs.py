"""Where verbs begin: what a caller gives becomes metrics and a test set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu._core import Segments
from truebleu.corpus.test_set import (
    TestSet,
    as_test_set,
    column_values,
    frame_columns,
    is_frame,
    labels_of,
)
from truebleu.errors import RefusedError, SettingError
from truebleu.metrics.registry import as_metrics, metrics_for

if TYPE_CHECKING:
    from truebleu.corpus.test_set import ReferencesLike, SystemsLike, TextLike
    from truebleu.metrics.base import Metric
    from truebleu.metrics.registry import MetricsLike

#: The metric of verbs unless another is chosen; scores without texts are their own metric.
DEFAULT_METRIC = "bleu"


def inputs_of(
    systems: SystemsLike,
    references: ReferencesLike | None,
    metrics: MetricsLike,
    *,
    documents: Iterable[object] | None = None,
    domains: Iterable[object] | None = None,
    source: TextLike | None = None,
    compared_by: str = "",
) -> tuple[list[Metric], TestSet]:
    """The metrics as they count the test set, and the test set with its warnings.

    >>> metrics, test_set = inputs_of({"a": [0, 1, 1], "b": [1, 1, 1]}, None, "scores")
    >>> metrics[0].name, len(test_set)
    ('score', 3)

    Args:
        systems: what `as_test_set` takes; or, without references, scores by system: numbers, rows
            with the names of items, or a data frame with columns such as system, item and score.
        references: one text, or one per translator; None with a test set or with scores.
        metrics: names or objects.
        documents: the document of each segment or item; of scores also the name of a field.
        domains: the domain of each segment or item.
        source: what was translated.
        compared_by: the verb that needs several systems, if it does.
    """
    if compared_by and _is_text(systems):
        # As other tools take them: compare(outputs_a, outputs_b, references).
        call = f'{compared_by}({{"a": outputs_a, "b": outputs_b}}, references)'
        raise RefusedError(f"systems are given by name: {call}")
    if references is not None or isinstance(systems, TestSet):
        test_set = as_test_set(
            systems, references, source=source, documents=documents, domains=domains
        )
        return metrics_for(metrics, test_set)
    scores = _scores_in(systems, metrics)
    if scores is None:
        return metrics_for(metrics, as_test_set(systems))
    # Tools and archives take longer to import than plain scores take in all.
    from truebleu.scores.scored_test_set import ScoredTestSet

    if source is not None:
        raise SettingError("source", type(source), "none beside scores, which have no texts")
    parsed = as_metrics("scores" if metrics == DEFAULT_METRIC else metrics)
    ways = [getattr(metric, "answers", None) for metric in parsed]
    field = documents if isinstance(documents, str) else None
    answers = next((way for way in ways if way is not None), None)
    scored = ScoredTestSet.of(scores, documents=field, answers=answers)
    against = "the scores", len(scored)
    if field is None:
        scored = replace(scored, documents=labels_of("documents", documents, *against))
    scored = replace(scored, domains=labels_of("domains", domains, *against))
    return metrics_for(parsed, scored)


def _scores_in(systems: Any, metrics: MetricsLike) -> Any:
    """The scores that stand in the place of texts; None where there are none."""
    from truebleu.corpus.tables import SYSTEM

    if is_frame(systems):
        columns = frame_columns("systems", systems)
        if any(name.strip().lower() in SYSTEM for name in columns):
            return systems
        systems = {name: column_values(values) for name, values in columns.items()}
    if not isinstance(systems, Mapping) or not systems:
        return None
    asked = isinstance(metrics, str) and metrics.partition(":")[0].strip().lower() == "scores"
    return systems if asked or all(map(_is_scored, systems.values())) else None


def _is_scored(answers: Any) -> bool:
    """Whether a system is known by numbers, or by rows with the names of items."""
    if is_frame(answers):
        return True
    if isinstance(answers, str | bytes | Segments) or not isinstance(answers, Iterable):
        return False
    first = next((answer for answer in answers if answer is not None), "")
    return isinstance(first, int | float | Mapping) or hasattr(first, "dtype")


def _is_text(value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str)
    return is_list or isinstance(value, Segments)
