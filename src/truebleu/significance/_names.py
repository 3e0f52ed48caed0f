"""Names of units and intervals; apart from what they name, since NumPy is slow to import."""

from __future__ import annotations

from typing import Literal, get_args

Unit = Literal["segment", "document", "block"]
IntervalName = Literal["percentile", "basic", "bca", "student"]

UNITS: tuple[Unit, ...] = get_args(Unit)
INTERVALS: tuple[IntervalName, ...] = get_args(IntervalName)
