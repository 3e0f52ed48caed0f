"""Human judgments of translations: scores and comparisons, from the files that people have."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.human.judgments import *
    from truebleu.human.reading import *

__getattr__, __dir__ = lazy_package(__name__)
