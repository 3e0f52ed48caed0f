"""What the functions of this package take: checked here, so that no NaN gets in or out."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truebleu.errors import SettingError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable

Values: TypeAlias = NDArray[np.float64]

# Two numbers closer than this share of their scale are a tie. Sums taken in another order differ
# by some 1e-15 of the scale; scores that differ for a reason differ by much more than this.
TIE_TOLERANCE = 1e-9


def as_values(name: str, values: ArrayLike) -> Values:
    """The values as float64, refused unless all are finite."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        value = array[~np.isfinite(array)].flat[0]
        raise SettingError(name, float(value), "finite numbers only")
    return array


def as_replicates(name: str, values: ArrayLike) -> Values:
    """The values as a checked array whose first axis has at least one replicate."""
    array = as_values(name, values)
    if array.ndim == 0 or len(array) == 0:
        raise SettingError(name, array.shape, "one number per replicate, at least one replicate")
    return array


def as_matrix(name: str, values: ArrayLike, rows: str, columns: str) -> Values:
    """The values as a checked matrix of at least two rows and two columns."""
    array = as_values(name, values)
    if array.ndim != 2 or min(array.shape) < 2:
        expected = f"a matrix ({rows}, {columns}) of at least two {rows}s and two {columns}s"
        raise SettingError(name, array.shape, expected)
    return array


def beside(observed: ArrayLike, replicates: Values, name: str = "observed") -> Values:
    """The observed values as a checked array, one for each column of the replicates."""
    array = as_values(name, observed)
    if array.shape != replicates.shape[1:]:
        raise SettingError(name, array.shape, f"the shape {replicates.shape[1:]} of one replicate")
    return array


def tie_margin(observed: ArrayLike, replicates: Values, scale: ArrayLike = 0.0) -> Values:
    """How far apart two values of a column may be and still tie.

    Args:
        observed: the value of each column on the test set itself.
        replicates: the replicates' values, shaped (replicate, ...).
        scale: the size of the scores that the values are differences of, if known: one for all
            columns or one each. Rounding is relative to scores, not to their differences.
    """
    largest = np.maximum(np.abs(replicates).max(axis=0), np.abs(observed))
    margin: Values = TIE_TOLERANCE * np.maximum(largest, np.abs(scale))
    return margin


def require_number(setting: str, value: object, expected: str = "a finite number") -> float:
    """The value as a float, refused unless it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise SettingError(setting, value, expected)
    return float(value)


def require_flag(setting: str, value: object) -> None:
    """Raise SettingError unless it is True or False: "no" would count as true."""
    if not isinstance(value, bool):
        raise SettingError(setting, value, "True or False")


def require_name(setting: str, name: object, known: Iterable[str]) -> None:
    """Raise UnknownNameError unless it is one of the known names."""
    names = tuple(known)
    if not isinstance(name, str):
        raise SettingError(setting, name, f"one of {', '.join(names)}")
    if name not in names:
        raise UnknownNameError(setting, name, names)


def require_level(level: object) -> float:
    """The level as a float, refused unless it lies between 0 and 1."""
    return _between_0_and_1("level", level, "a number between 0 and 1, such as 0.95")


def require_alpha(alpha: object) -> float:
    """The alpha as a float, refused unless it lies between 0 and 1."""
    return _between_0_and_1("alpha", alpha, "a number between 0 and 1, such as 0.05")


def _between_0_and_1(setting: str, value: object, expected: str) -> float:
    number = require_number(setting, value, expected)
    if not 0 < number < 1:
        raise SettingError(setting, value, expected)
    return number


def as_probabilities(name: str, values: ArrayLike) -> Values:
    """The values as float64, refused unless all lie from 0 to 1."""
    array = as_values(name, values)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        outside = array[(array < 0) | (array > 1)].flat[0]
        raise SettingError(name, float(outside), "numbers from 0 to 1")
    return array
