"""Minimising a smooth function within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.nbest._smooth import minimize

if TYPE_CHECKING:
    from numpy.typing import NDArray

CENTRE = np.array([1.0, -2.0])


def bowl(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    return float(((point - CENTRE) ** 2).sum()), 2 * (point - CENTRE)


def test_the_minimum_of_a_bowl_is_its_centre() -> None:
    assert minimize(bowl, np.zeros(2)) == pytest.approx(CENTRE)


def test_bounds_are_kept() -> None:
    found = minimize(bowl, np.zeros(2), lower=np.array([-9.0, -1.0]), upper=np.array([0.5, 9.0]))
    assert found == pytest.approx([0.5, -1.0])


def test_infinite_bounds_are_none() -> None:
    infinite = np.full(2, np.inf)
    assert minimize(bowl, np.zeros(2), lower=-infinite, upper=infinite) == pytest.approx(CENTRE)
