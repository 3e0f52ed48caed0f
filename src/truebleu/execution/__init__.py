"""Executors for the tasks of long computations, and the journal of their results.

>>> from concurrent.futures import ThreadPoolExecutor
>>> from truebleu.execution import Runner
>>> from truebleu.simulation import simulate
>>> from truebleu.studies import study_length
>>> pool = simulate(segments=50, systems=[0.2])
>>> with ThreadPoolExecutor(2) as executor:
...     spread = study_length(pool, runner=Runner(executor=executor))
>>> spread == study_length(pool)
True
"""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.execution.executors import *
    from truebleu.execution.journal import *

__getattr__, __dir__ = lazy_package(__name__)
