"""Student's quantile without SciPy: for errors of few repetitions, and for the power of tests."""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

# From here on the normal quantile is expanded; before, the distribution is added up.
MANY = 40


def student_quantile(level: float, degrees: int) -> float:
    """The t between minus and plus which this share of Student's distribution lies.

    >>> round(student_quantile(0.95, 4), 3), round(student_quantile(0.95, 30), 4)
    (2.776, 2.0423)
    """
    normal = NormalDist().inv_cdf((1 + level) / 2)
    return _expanded(normal, degrees) if degrees > MANY else _bisected(level, normal, degrees)


def _expanded(normal: float, degrees: int) -> float:
    """Fisher and Cornish's (1960) expansion up to the fourth power of 1 / degrees."""
    square = normal * normal
    terms = (
        (square + 1) / 4,
        ((5 * square + 16) * square + 3) / 96,
        (((3 * square + 19) * square + 17) * square - 15) / 384,
        ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    correction = sum(term / float(degrees) ** order for order, term in enumerate(terms, start=1))
    return normal * (1 + correction)


def _bisected(level: float, normal: float, degrees: int) -> float:
    low, high = 0.0, max(normal, 1.0)
    while _share_between(high, degrees) < level:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if _share_between(middle, degrees) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _share_between(t: float, degrees: int) -> float:
    """The share between -t and t (Abramowitz & Stegun 1964, 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(degrees))
    odd = degrees % 2 == 1
    total, term = 0.0, cos(angle) if odd else 1.0
    for step in range(2 + odd, degrees + 1, 2):
        total += term
        term *= cos(angle) ** 2 * (step - 1) / step
    if odd:
        return 2 / pi * (angle + sin(angle) * total)
    return sin(angle) * total
