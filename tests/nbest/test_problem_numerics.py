"""Claims about random numbers and the minimiser of tuners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from truebleu.nbest.problem import Search, minimize, order, seed_of_run, uniforms

if TYPE_CHECKING:
    from numpy.typing import NDArray


def test_numbers_are_the_same_on_every_machine() -> None:
    # The first 53 bits of NumPy's PCG64, whose stream is promised for all versions.
    assert uniforms(3, 1, "example", 0).tolist() == uniforms(5, 1, "example", 0)[:3].tolist()
    others = [uniforms(3, 2, "example", 0), uniforms(3, 1, "other", 0), uniforms(3, 1, "example")]
    assert all((other != uniforms(3, 1, "example", 0)).all() for other in others)


def test_numbers_are_uniform() -> None:
    drawn = uniforms(20_000, 7, "example")
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert np.allclose(np.histogram(drawn, bins=10, range=(0, 1))[0], 2000, atol=200)


def test_an_order_has_everything_once() -> None:
    assert sorted(order(50, 3, "example").tolist()) == list(range(50))
    assert order(50, 3, "example").tolist() != list(range(50))


def test_the_first_run_has_the_seed_itself() -> None:
    assert seed_of_run(5, 0) == 5
    assert len({seed_of_run(5, run) for run in range(20)}) == 20


CENTRE = np.array([1.0, -2.0])


def bowl(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    return float(((point - CENTRE) ** 2).sum()), 2 * (point - CENTRE)


def test_the_minimum_of_a_bowl_is_its_centre() -> None:
    assert minimize(bowl, Search.of(np.zeros(2))) == pytest.approx(CENTRE)


def test_bounds_are_kept() -> None:
    found = minimize(bowl, Search.of(np.zeros(2), [-9.0, -1.0], [0.5, 9.0]))
    assert found == pytest.approx([0.5, -1.0])


def test_infinite_bounds_are_none() -> None:
    infinite = np.full(2, np.inf)
    assert minimize(bowl, Search.of(np.zeros(2), -infinite, infinite)) == pytest.approx(CENTRE)
