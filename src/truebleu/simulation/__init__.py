"""Test sets made to order: references from a small grammar, systems that err at a known rate.

What a test of significance should say about real systems nobody knows. Of these it is known: equal
channels are equal systems, unequal ones are not.
"""

from truebleu.simulation.test_sets import Channel, save_test_set, simulate

__all__ = ["Channel", "save_test_set", "simulate"]
