"""What the page works on."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from tests.simulated_causes import simulate_causes
from truebleu.explanation.report import report
from truebleu.reports.page._data import PageData, encode

CAUSES = simulate_causes(segments=60)
MADE = report(CAUSES, metrics=["bleu", "nist"], replicates=200)
DATA = PageData.of(MADE, 80_000)


def decoded(kind: str, backs: list[int], data: bytes, shape: tuple[int, ...]) -> Any:
    """Undo the differences to earlier columns, and then to the first system."""
    values = np.frombuffer(data, f"<{kind}").reshape(shape).copy()
    for number, back in enumerate(backs):
        if back:
            values[number] += values[number - back]
    if kind != "f8":
        values[:, 1:] += values[:, :1]
    return values


def test_columns_are_stored_as_small_differences() -> None:
    assert MADE.segments is not None
    bleu, nist = (
        metric.rows.floats().transpose(2, 1, 0) for metric in MADE.segments.counts.metrics
    )
    kind, backs, data = encode(bleu)
    assert np.array_equal(decoded(kind, backs, data, bleu.shape), bleu)
    # Counts fit into bytes, and those of each order are stored next to those of another.
    assert kind == "u1"
    assert all(back > 0 for back in backs[3:])
    # The number of words is that of 1-grams: nothing is left of it.
    size = bleu[0].size
    assert not any(data[6 * size : 7 * size])
    kind, backs, data = encode(nist)
    assert kind == "f8"
    assert np.array_equal(decoded(kind, backs, data, nist.shape), nist)


@given(arrays(np.int64, (3, 2, 4), elements=st.integers(0, 70_000)))
def test_any_whole_numbers_are_decoded(rows: np.ndarray) -> None:
    kind, backs, data = encode(rows.astype(float))
    assert kind in ("u1", "u2", "u4")
    assert np.array_equal(decoded(kind, backs, data, rows.shape), rows)


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
    described = json.loads(small.description(small.statistics()[0]))
    assert described["numbers"] == (small.indices + 1).tolist()
    for system, flags in described["flags"].items():
        for flag, places in flags.items():
            assert MADE.segments is not None
            numbers = {int(small.indices[place]) for place in places}
            assert numbers <= set(MADE.segments.flagged[system][flag])
