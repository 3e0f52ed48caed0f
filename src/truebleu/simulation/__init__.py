"""Simulations whose truth is known: test sets, and a decoder with known best weights."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.simulation.decoder import *
    from truebleu.simulation.test_sets import *

__getattr__, __dir__ = lazy_package(__name__)
