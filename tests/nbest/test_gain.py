"""What a choice gains: compare's own numbers for the texts that are chosen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nbest.small_lists import small_lists
from truebleu import compare
from truebleu.nbest.gain import measure_gain

LISTS, REFERENCES = small_lists(segments=12, seed=4)
FIRST = np.zeros(12, dtype=np.int64)
LAST = np.array([size - 1 for size in LISTS.sizes])


def test_a_gain_is_what_compare_says_of_the_chosen_texts() -> None:
    (gain,) = measure_gain(LISTS, REFERENCES, ["chrf"], FIRST, [LAST], seed=5, replicates=200)
    texts = {"baseline": LISTS.choose(FIRST), "chosen": LISTS.choose(LAST)}
    comparison = compare(
        texts, REFERENCES, metrics=["chrf"], baseline="baseline", replicates=200, seed=5
    )
    (pair,) = comparison.comparisons
    assert (gain.baseline, gain.score) == tuple(
        comparison.systems[name]["chrF2"].score for name in texts
    )
    assert gain.p == pair.p
    assert gain.difference == pytest.approx(gain.score - gain.baseline)
    assert gain.is_better == (gain.difference > 0)
    assert (gain.runs, gain.deviation) == ((gain.score,), None)


def test_runs_have_a_mean_and_a_deviation() -> None:
    runs = [LAST, FIRST, LAST]
    (gain,) = measure_gain(LISTS, REFERENCES, ["ter"], FIRST, runs, seed=5, replicates=200)
    assert gain.score == pytest.approx(np.mean(gain.runs))
    assert gain.deviation == pytest.approx(np.std(gain.runs, ddof=1))
    assert gain.runs[1] == pytest.approx(gain.baseline)
    # Lower is better.
    assert gain.is_better == (gain.difference < 0)
