"""Studies: the experiments of four papers, repeated on your own data.

Each study is a function that takes a test set, metrics and keywords, and returns a `StudyResult`:
one tidy table, sentences about it, and a plot.
"""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.studies._study import *
    from truebleu.studies.interval_width import *
    from truebleu.studies.length import *
    from truebleu.studies.nbest import *
    from truebleu.studies.power import *
    from truebleu.studies.sampling import *
    from truebleu.studies.smoothing import *
    from truebleu.studies.type_one import *

__getattr__, __dir__ = lazy_package(__name__)
