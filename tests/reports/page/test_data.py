"""What the page works on."""

from __future__ import annotations

import json

import numpy as np

from truebleu.explanation.report import report
from truebleu.reports.page._data import PageData
from truebleu.simulation import simulate_causes

CAUSES = simulate_causes(segments=60)
MADE = report(CAUSES, metrics=["bleu", "nist"], replicates=200)
DATA = PageData.of(MADE)


def test_statistics_are_read_back_as_they_were() -> None:
    assert MADE.segments is not None
    described = json.loads(DATA.description())
    data, offset = DATA.statistics(), 0
    for metric, segments in zip(described["metrics"], MADE.segments.metrics, strict=True):
        for column, kind in enumerate(metric["columns"]):
            count = 60 * len(CAUSES.systems)
            values = np.frombuffer(data, f"<{kind}", count, offset).reshape(-1, 60)
            assert np.array_equal(values.T, segments.rows[:, :, column])
            offset += -(-values.nbytes // 8) * 8
    assert offset == len(data)
    # Counts are small numbers; only information has fractions.
    assert set(described["metrics"][0]["columns"]) == {"u1"}
    assert "f8" in described["metrics"][1]["columns"]


def test_texts_stand_side_by_side() -> None:
    texts = json.loads(DATA.texts(10, 12))
    systems = [outputs[10] for outputs in CAUSES.systems.values()]
    assert texts[0] == [CAUSES.references[0][10], *systems]
    assert len(texts) == 2


def test_what_fits_has_the_largest_contributions_and_a_sample() -> None:
    small = DATA.within(12_000)
    assert small.size() <= 12_000 < DATA.size()
    assert MADE.explanation is not None
    values = np.abs(MADE.explanation.pairs[0].segments)
    largest = set(np.argsort(-values)[: small.kept // 4].tolist())
    assert largest <= set(small.places.tolist())
    assert small.kept + small.left_out == 60
    assert np.array_equal(small.places, DATA.within(12_000).places)
    described = json.loads(small.description())
    assert described["numbers"] == (small.places + 1).tolist()
    for system, flags in described["flags"].items():
        for flag, places in flags.items():
            assert MADE.segments is not None
            numbers = {int(small.places[place]) for place in places}
            assert numbers <= set(MADE.segments.flagged[system][flag])
