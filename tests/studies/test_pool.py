"""A pool: counts that give the same scores as the texts themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from truebleu.errors import SettingError
from truebleu.metrics.registry import as_metrics
from truebleu.simulation import simulate
from truebleu.studies._pool import Pool

METRICS = ("bleu", "ter", "chrf")


def test_samples_score_as_their_texts_do() -> None:
    texts = simulate(segments=60, systems=[0.1, 0.3, 0.5], references=2)
    pool = Pool.of(texts, METRICS)
    sample = np.array([0, 3, 3, 17, 59])
    names = list(texts.systems)
    for counted, metric in zip(pool.take(sample), as_metrics(METRICS), strict=True):
        for system, outputs in texts.systems.items():
            chosen = [outputs[unit] for unit in sample.tolist()]
            references = [[text[unit] for unit in sample.tolist()] for text in texts.references]
            expected = metric.corpus(chosen, references).score
            assert counted.scores[names.index(system)] == pytest.approx(expected, rel=1e-12)


def test_fewer_systems_score_as_before() -> None:
    texts = simulate(segments=30, systems=[0.1, 0.3, 0.5])
    pool = Pool.of(texts, METRICS)
    few = pool.only([2, 0])
    assert few.names == ("system-3", "system-1")
    for all_, some in zip(pool.statistics, few.statistics, strict=True):
        assert some.scores.tolist() == all_.scores[[2, 0]].tolist()
    assert few.outline == pool.outline


def test_documents_are_units() -> None:
    texts = simulate(segments=60, systems=[0.1], document_length=5)
    assert texts.documents is not None
    pool = Pool.of(texts, ["bleu"], "document")
    assert len(pool) == len(set(texts.documents))
    assert pool.segments_per_unit == pytest.approx(60 / len(pool))
    assert pool.statistics[0].scores == pytest.approx(Pool.of(texts, ["bleu"]).statistics[0].scores)


def test_the_outline_changes_with_any_text() -> None:
    texts = simulate(segments=10, systems=[0.1])
    other = simulate(segments=10, systems=[0.2])
    outline, changed = (Pool.of(one, ["bleu"]).outline for one in (texts, other))
    assert outline["outputs"] != changed["outputs"]
    assert outline["references"] == changed["references"]


def test_what_a_study_needs_and_the_pool_lacks_is_refused() -> None:
    texts = simulate(segments=10, systems=[0.1])
    with pytest.raises(SettingError, match="systems: found 1, expected at least 2"):
        Pool.of(texts, ["bleu"]).require_systems(2)
    plain = replace(texts, documents=None)
    with pytest.raises(SettingError, match="a test set with documents"):
        Pool.of(plain, ["bleu"], "document")
