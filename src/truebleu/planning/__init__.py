"""Plan a test set and draw one: how many segments find a difference, and which ones to take.

The verbs are `truebleu.plan` and `truebleu.sample`.
"""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.planning.plan import *
    from truebleu.planning.power import *
    from truebleu.planning.sample import *

__getattr__, __dir__ = lazy_package(__name__)
