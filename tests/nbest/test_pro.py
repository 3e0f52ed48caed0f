"""PRO: pairs of candidates."""

from __future__ import annotations

import numpy as np

from tests.nbest.small_lists import small_lists
from truebleu.nbest.pro import Pro, draw_pairs
from truebleu.nbest.problem import make_problem


def test_pairs_differ_enough_and_are_no_more_than_asked_for() -> None:
    lists, references = small_lists(segments=12)
    problem = make_problem(lists, references, ["chrf"])
    better, worse = draw_pairs(problem, Pro(draws=200, pairs=7), seed=4)
    utilities = problem.utilities()
    assert (utilities[better] - utilities[worse] >= 0.05).all()
    segments = np.searchsorted(problem.offsets, better, side="right")
    assert np.bincount(segments).max() == 7
