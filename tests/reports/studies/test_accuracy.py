"""What is said of how often confident conclusions are right."""

from __future__ import annotations

from dataclasses import replace

from truebleu.simulation import simulate
from truebleu.studies.accuracy import (
    AccuracyBand,
    AccuracyResult,
    study_accuracy,
)

TEXTS = simulate(segments=200, systems=[0.3, 0.2, 0.1, 0.21], seed=3)


def bands_of(result: AccuracyResult) -> list[AccuracyBand]:
    return [band for row in result.rows for band in row.bands]


def said(result: AccuracyResult) -> tuple[str, ...]:
    return result.to_document().sentences


def test_ties_are_left_out_and_said() -> None:
    one, other = TEXTS.systems["system-1"], TEXTS.systems["system-2"]
    texts = replace(TEXTS, systems={"a": one, "copy": one, "c": other})
    result = study_accuracy(texts, tests=("ar",), sizes=[30], samples=10, replicates=100)
    assert sum(band.conclusions for band in bands_of(result)) == 20
    assert any("a and copy tie in the pool" in sentence for sentence in said(result))
    only = study_accuracy(
        texts, tests=("ar",), pairs=[("a", "copy")], sizes=[30], samples=10, replicates=100
    )
    assert bands_of(only) == []
    assert "BLEU, approximate randomization: there is no conclusion to judge." in said(only)
