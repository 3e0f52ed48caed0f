"""truebleu inside training, validation and evaluation libraries.

`truebleu.integrations.torchmetrics` and `truebleu.integrations.evaluate` import the library of
their name, which must be installed.
"""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.integrations.batches import *

__getattr__, __dir__ = lazy_package(__name__)
