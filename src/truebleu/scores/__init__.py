"""Scores that other programs made: a metric of them, and test sets known by them alone."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.scores.scored import *

__getattr__, __dir__ = lazy_package(__name__)
