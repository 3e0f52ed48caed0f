"""Minimising a smooth function within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


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
    found = scipy_minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": iterations, "maxfun": 4 * iterations, "ftol": 1e-15, "gtol": 1e-9},
    )
    return np.asarray(found.x, dtype=np.float64)
