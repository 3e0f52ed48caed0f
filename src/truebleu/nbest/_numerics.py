"""What tuners share: random numbers that are the same on every machine, and a minimiser."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


def uniforms(count: int, seed: int, purpose: str, *index: int) -> NDArray[np.float64]:
    """Numbers in [0, 1) that depend on seed, purpose and index alone.

    >>> bool((uniforms(3, 1, "example", 0) == uniforms(3, 1, "example", 0)).all())
    True
    """
    key = "|".join([str(seed), purpose, *map(str, index)])
    digest = blake2b(key.encode(), digest_size=16).digest()
    # NumPy promises the bits of a bit generator for all its versions, not those of a Generator.
    raw = np.random.PCG64(int.from_bytes(digest, "big")).random_raw(count)
    return np.asarray(raw >> np.uint64(11), dtype=np.float64) * 2.0**-53


def order(count: int, seed: int, purpose: str, *index: int) -> NDArray[np.int64]:
    """A random order of so many things."""
    return np.argsort(uniforms(count, seed, purpose, *index), kind="stable")


def seed_of_run(seed: int, run: int) -> int:
    """The seed of one of several runs; the first has the seed itself."""
    if not run:
        return seed
    return int.from_bytes(blake2b(f"{seed}|run|{run}".encode(), digest_size=8).digest(), "big")


def minimize(
    objective: Objective,
    start: NDArray[np.float64],
    *,
    lower: NDArray[np.float64] | None = None,
    upper: NDArray[np.float64] | None = None,
    iterations: int = 1000,
) -> NDArray[np.float64]:
    """Where L-BFGS-B ends: a minimum, of a convex function the minimum."""
    from scipy.optimize import Bounds, minimize as scipy_minimize

    bounds = None
    if lower is not None and upper is not None and np.isfinite([lower, upper]).any():
        bounds = Bounds(lower, upper)
    minimum = scipy_minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": iterations, "maxfun": 4 * iterations, "ftol": 1e-15, "gtol": 1e-9},
    )
    return np.asarray(minimum.x, dtype=np.float64)
