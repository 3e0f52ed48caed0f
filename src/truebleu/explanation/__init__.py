"""Explanations of a difference: its size, its sources and its fragility."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.explanation.contributions import *
    from truebleu.explanation.degenerate import *
    from truebleu.explanation.explain import *
    from truebleu.explanation.report import *
    from truebleu.explanation.training import *

__getattr__, __dir__ = lazy_package(__name__)
