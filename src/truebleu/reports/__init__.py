"""Step 6, render: results become documents, and documents text. Nothing is computed here."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.reports.charts import *
    from truebleu.reports.document import *

__getattr__, __dir__ = lazy_package(__name__)
