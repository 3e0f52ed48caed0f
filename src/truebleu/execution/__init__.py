"""Where the tasks of long work run, and the journal that keeps what they have found.

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

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.execution.executors import (
        Cluster as Cluster,
        Processes as Processes,
        completed as completed,
        in_order as in_order,
    )
    from truebleu.execution.journal import (
        Runner as Runner,
        Task as Task,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "Cluster": "executors",
    "Processes": "executors",
    "completed": "executors",
    "in_order": "executors",
    "Runner": "journal",
    "Task": "journal",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
