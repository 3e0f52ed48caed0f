"""Studies of pairs counted again from their journals, one conclusion after the other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from truebleu.execution.journal import Runner
from truebleu.metrics.registry import as_metrics
from truebleu.studies._study import TESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from truebleu.corpus import TestSet


Studied = TypeVar("Studied")


@dataclass(frozen=True)
class Conclusion:
    """One test of one pair on one sample, and whether it would be right; None where scores tie."""

    metric: str
    test: str
    pair: tuple[str, str]
    size: int
    p: float
    right: bool | None


def studied(
    study: Callable[..., Studied], texts: TestSet, folder: Path, **settings: Any
) -> tuple[Studied, list[Conclusion]]:
    """The result of a study by all tests, BLEU and TER, and what its journal holds."""
    journal, metrics = folder / "journal", ["bleu", "ter"]
    result = study(texts, metrics, tests=TESTS, runner=Runner(journal), **settings)
    return result, list(conclusions(journal, texts, metrics))


def conclusions(journal: Path, texts: TestSet, metrics: list[str]) -> Iterator[Conclusion]:
    """All that a journal of `study power` or `study accuracy` holds."""
    scores = {}
    for metric in as_metrics(metrics):
        sign = -1 if metric.higher_is_better is False else 1
        for name, outputs in texts.systems.items():
            score = metric.corpus(outputs, texts.references).score
            scores[metric.name, name] = sign * score
    header, *lines = (json.loads(line) for line in journal.read_text("utf-8").splitlines())
    for line in lines:
        for metric_name, by_test in line["record"].items():
            for test, (p_values, better) in by_test.items():
                for pair, p, first_or_second in zip(header["pairs"], p_values, better, strict=True):
                    one, other = (scores[metric_name, name] for name in pair)
                    right = None if first_or_second == 0 else first_or_second * (one - other) > 0
                    size = line["key"][0]
                    yield Conclusion(metric_name, test, tuple(pair), size, p, right)
