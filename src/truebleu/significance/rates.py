"""Intervals of the rates of pass/fail scores.

`crates/core/src/statistics/rates.rs` has the formulas, when each is used, and what they assume.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from truebleu import _core
from truebleu.schema import require_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from truebleu.resampling import Values

__all__ = ["clopper_pearson_interval", "wilson_interval"]


def wilson_interval(rate: ArrayLike, trials: ArrayLike, level: float) -> Values:
    """Return Wilson's score interval of a rate: low, high; `trials` may be fractional.

    >>> wilson_interval(1.0, 10, 0.95).round(4).tolist()
    [0.7225, 1.0]
    """
    return _rate_interval("wilson", rate, trials, level)


def clopper_pearson_interval(rate: ArrayLike, trials: ArrayLike, level: float) -> Values:
    """Return Clopper and Pearson's interval of a rate, whose coverage is at least its level.

    >>> clopper_pearson_interval(1.0, 10, 0.95).round(4).tolist()
    [0.6915, 1.0]
    """
    return _rate_interval("clopper-pearson", rate, trials, level)


def _rate_interval(name: str, rate: ArrayLike, trials: ArrayLike, level: float) -> Values:
    rates, counts = np.broadcast_arrays(np.asarray(rate, float), np.asarray(trials, float))
    bounds = _core.rate_intervals(name, rates.ravel(), counts.ravel(), require_level(level))
    return bounds.reshape(2, *rates.shape)
