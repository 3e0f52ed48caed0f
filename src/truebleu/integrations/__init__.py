"""truebleu inside other people's loops: training, validation and evaluation libraries.

`truebleu.integrations.torchmetrics` and `truebleu.integrations.evaluate` need the library that they
are named after, which is imported with the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.integrations.batches import BatchMetric as BatchMetric, Reward as Reward

# The public names by the module that they live in.
__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "batches": ["BatchMetric", "Reward"],
    },
)
