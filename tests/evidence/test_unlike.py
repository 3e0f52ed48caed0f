"""Null data of unlike systems: one score on the pool, and outputs that cannot be exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from evidence.unlike import Unlike, equal_rows
from truebleu.corpus import TestSet
from truebleu.errors import SettingError
from truebleu.simulation import simulate

SEGMENTS = 60


@pytest.fixture(scope="module")
def pool() -> TestSet:
    return simulate(segments=SEGMENTS, systems=[0.1, 0.3], document_length=6)


def test_systems_have_one_score_on_the_pool_and_one_is_short(pool: TestSet) -> None:
    source = Unlike.of(pool, ["bleu", "ter"], "segment", 1)
    for whole, cut, pairs in zip(
        source.pool.statistics, source.cut.statistics, source.pairs, strict=True
    ):
        for better, worse in pairs:
            rows = equal_rows(whole, cut, better, worse, np.arange(SEGMENTS))
            one, other = whole.metric.score(rows.sum(axis=0))
            # One segment more or less moves the score by more than what is left.
            assert abs(one - other) < 100 / SEGMENTS
            assert (rows[:, 1] == whole.rows[:, worse]).all()
            assert not (rows[:, 0] == whole.rows[:, better]).all()
    first, again = (next(source.sets(3, 1)) for _ in range(2))
    assert (first[0].rows == again[0].rows).all()
    assert not (first[0].rows == next(source.sets(4, 1))[0].rows).all()


def test_copies_are_refused(pool: TestSet) -> None:
    (name, text), *_ = pool.systems.items()
    twins = TestSet(systems={name: text, "twin": text}, references=pool.references)
    with pytest.raises(SettingError, match="sampled, by BLEU"):
        Unlike.of(twins, ["bleu"], "segment", 1)
