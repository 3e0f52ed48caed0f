"""truebleu inside other people's loops: training, validation and evaluation libraries.

`truebleu.integrations.torchmetrics` and `truebleu.integrations.evaluate` need the library that they
are named after, which is imported with the module.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu.integrations.batches import BatchMetric as BatchMetric, Reward as Reward

# The public names, and the module that each lives in.
_HOMES = {
    "BatchMetric": "batches",
    "Reward": "batches",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
