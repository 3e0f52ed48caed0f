"""Test sets made to order: references from a small grammar, systems that err at a known rate.

What a test of significance should say about real systems nobody knows. Of these it is known: equal
channels are equal systems, unequal ones are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu.simulation._test_sets import Channel, save_test_set, simulate

__all__ = ["Channel", "save_test_set", "simulate"]

__getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(__all__, "_test_sets"))
