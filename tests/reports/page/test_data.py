"""What the page works on."""

from __future__ import annotations

import json

import numpy as np

from truebleu.explanation.report import report
from truebleu.reports.page._data import Column, PageData
from truebleu.simulation import simulate_causes

CAUSES = simulate_causes(segments=60)
MADE = report(CAUSES, metrics=["bleu", "nist"], replicates=200)
DATA = PageData.of(MADE, 80_000)


def test_columns_are_stored_as_small_differences() -> None:
    assert MADE.segments is not None
    bleu, nist = (metric["columns"] for metric in json.loads(DATA.description())["metrics"])
    # Counts fit into bytes, and those of each order are stored next to those of another.
    assert {kind for kind, _, _ in bleu} == {"u1"}
    assert all(back > 0 for _, _, back in bleu[3:])
    # The number of words is that of 1-grams: nothing is left of it.
    assert not any(
        Column.of(MADE.segments.counts.metrics[0].rows.floats().transpose(2, 1, 0), 6).data
    )
    assert ["f8", "f8", 0] in nist
    size = sum(np.dtype(stored).itemsize for _, stored, _ in (*bleu, *nist))
    assert len(DATA.statistics()) == size * 60 * len(CAUSES.systems)


def test_texts_stand_side_by_side() -> None:
    texts = json.loads(DATA.texts())
    systems = [outputs[10] for outputs in CAUSES.systems.values()]
    assert texts[10] == [CAUSES.references[0][10], *systems]
    assert len(texts) == 60


def test_a_sample_has_the_largest_contributions_and_others_at_random() -> None:
    systems = len(CAUSES.systems)
    assert PageData.of(MADE, 60 * systems).left_out == 0
    small = PageData.of(MADE, 21 * systems - 1)
    assert small.size == 20
    assert MADE.explanation is not None
    values = np.abs(MADE.explanation.pairs[0].segments)
    largest = set(np.argsort(-values)[:5].tolist())
    assert largest <= set(small.indices.tolist())
    assert small.size + small.left_out == 60
    assert np.array_equal(small.indices, PageData.of(MADE, 20 * systems).indices)
    described = json.loads(small.description())
    assert described["numbers"] == (small.indices + 1).tolist()
    for system, flags in described["flags"].items():
        for flag, places in flags.items():
            assert MADE.segments is not None
            numbers = {int(small.indices[place]) for place in places}
            assert numbers <= set(MADE.segments.flagged[system][flag])
