"""Agreement of metrics with people: coefficients, ties, tests, intervals, ranks, and grids.

`truebleu.agree` measures agreement from texts and human judgments. Its parts also work alone, on
arrays shaped (system, segment) with NaN in unjudged cells.
"""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.agreement.agree import *
    from truebleu.agreement.bootstrap import *
    from truebleu.agreement.coefficients import *
    from truebleu.agreement.data import *
    from truebleu.agreement.grid import *
    from truebleu.agreement.report import *
    from truebleu.agreement.tests import *

__getattr__, __dir__ = lazy_package(__name__)
