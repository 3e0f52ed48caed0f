"""truebleu inside other people's loops: training, validation and evaluation libraries.

`truebleu.integrations.torchmetrics` and `truebleu.integrations.evaluate` need the library that they
are named after, which is imported with the module.
"""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.integrations.batches import *

__getattr__, __dir__ = lazy_package(__name__)
