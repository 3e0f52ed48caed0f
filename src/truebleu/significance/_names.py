"""Names of units and intervals; apart from what they name, since NumPy is slow to import."""

from __future__ import annotations

from typing import Literal, get_args

Unit = Literal["segment", "document", "block"]
IntervalName = Literal["percentile", "basic", "bca", "student", "jackknife-t", "hall", "two-way"]
#: What a verdict on systems with several runs is about.
About = Literal["further-runs", "these-runs"]

UNITS: tuple[Unit, ...] = get_args(Unit)
#: The intervals to choose from; two-way ones come with the test of that name.
INTERVALS: tuple[IntervalName, ...] = tuple(
    name for name in get_args(IntervalName) if name != "two-way"
)
ABOUTS: tuple[About, ...] = get_args(About)
