"""How few segments carry a difference, where that is known."""

from __future__ import annotations

import numpy as np
import pytest

from truebleu.explanation.contributions import Fragility, fragility
from truebleu.metrics.base import GivenMean, Signature
from truebleu.resampling import Units

MEAN = GivenMean(name="scores", signature=Signature.of("scores"))


def rows_of(differences: list[float]) -> np.ndarray:
    """Statistics of two systems whose scores differ by so much in each segment."""
    first = np.array([[value, 1.0] for value in differences])
    second = np.array([[0.0, 1.0] for _ in differences])
    return np.stack([first, second], axis=1)


def sign_test(rows: np.ndarray) -> object:
    """A stand-in for a test: significant while the mean is above a tenth."""

    def p(kept: np.ndarray) -> float:
        return 0.01 if abs(rows[kept, 0, 0].mean()) > 0.1 else 0.5

    return p


def fragility_of(rows: np.ndarray, units: Units, *, significant: bool) -> Fragility:
    test = sign_test(rows)
    return fragility(MEAN, rows, units, units, significant=significant, alpha=0.05, test=test)  # type: ignore[arg-type]


@pytest.mark.parametrize("sign", [1, -1])
def test_the_few_segments_that_carry_a_mean_are_counted(sign: int) -> None:
    # Three large segments outweigh 97 small ones on the other side.
    rows = rows_of([sign * 50.0] * 3 + [-sign * 1.0] * 97)
    units = Units.segments(100)
    found = fragility_of(rows, units, significant=True)
    # With one large segment left, 50 of it stand against 97.
    assert found.until_sign_turns == 2
    assert (found.removed, found.total) == ("segment", 100)
    assert found.until_not_significant is not None
    assert 1 <= found.until_not_significant <= 2


def test_whole_documents_are_removed() -> None:
    rows = rows_of([5.0] * 10 + [-1.0] * 40)
    documents = Units.documents([f"d{number // 10}" for number in range(50)])
    found = fragility_of(rows, documents, significant=False)
    assert (found.removed, found.total) == ("document", 5)
    assert found.until_sign_turns == 1
    assert found.until_not_significant is None


def test_a_difference_in_every_segment_depends_on_no_few_segments() -> None:
    rows = rows_of([1.0] * 100)
    units = Units.segments(100)
    found = fragility_of(rows, units, significant=False)
    assert found.until_sign_turns is None
