"""Random numbers that depend on seed, purpose and index alone."""

from __future__ import annotations

import numpy as np

from truebleu.nbest._draws import order, seed_of_run, uniforms


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
