"""Scores of other programs, for texts or for items without texts."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.scores.evaluation_set import *
    from truebleu.scores.given import *
    from truebleu.scores.items import *

__getattr__, __dir__ = lazy_package(__name__)
