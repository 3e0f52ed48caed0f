"""The waist: texts, scores of other tools and saved counts become rows of numbers."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.counts.counting import *
    from truebleu.counts.counts import *
    from truebleu.counts.inputs import *
    from truebleu.counts.rows import *
    from truebleu.counts.saved import *

__getattr__, __dir__ = lazy_package(__name__)
