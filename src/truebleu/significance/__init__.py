"""Is a difference real: intervals, tests, corrections and ranks, from scores of replicates."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.significance.compare import *
    from truebleu.significance.corrections import *
    from truebleu.significance.gate import *
    from truebleu.significance.human_curves import *
    from truebleu.significance.intervals import *
    from truebleu.significance.optimizer_runs import *
    from truebleu.significance.pairs import *
    from truebleu.significance.panel import *
    from truebleu.significance.panel_files import *
    from truebleu.significance.rates import *
    from truebleu.significance.replicates import *
    from truebleu.significance.scores import *
    from truebleu.significance.settings import *
    from truebleu.significance.tests import *
    from truebleu.significance.unit_counts import *

__getattr__, __dir__ = lazy_package(__name__)
