"""Agreement of scores, which is required before times of two tools are compared."""

from __future__ import annotations

from itertools import zip_longest
from math import isclose
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCE = 1e-9


class DisagreementError(Exception):
    """Scores of two tools that should be equal but differ."""


def require_agreement(ours: Sequence[float], theirs: Sequence[float], peer: str) -> None:
    """Raise DisagreementError at the first score that differs."""
    for number, (our, their) in enumerate(zip_longest(ours, theirs), start=1):
        # The absolute tolerance allows for a score of 1e-15 instead of 0 by rounding.
        if (
            our is None
            or their is None
            or not isclose(our, their, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        ):
            raise DisagreementError(f"score {number}: truebleu {our}, {peer} {their}")
