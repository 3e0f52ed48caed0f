"""Scores that other programs made: a metric of them, and test sets known by them alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.scores.given import GivenScores as GivenScores
    from truebleu.scores.scored_test_set import (
        ScoredTestSet as ScoredTestSet,
        read_benchmarks as read_benchmarks,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "GivenScores": "given",
    "ScoredTestSet": "scored_test_set",
    "read_benchmarks": "scored_test_set",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
