"""Step 3, count and score: one file per family of metrics, and a table of their names."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.metrics.base import *
    from truebleu.metrics.bleu import *
    from truebleu.metrics.chrf import *
    from truebleu.metrics.dependency import *
    from truebleu.metrics.function import *
    from truebleu.metrics.gtm import *
    from truebleu.metrics.length import *
    from truebleu.metrics.nist import *
    from truebleu.metrics.registry import *
    from truebleu.metrics.ter import *
    from truebleu.metrics.word_errors import *

__getattr__, __dir__ = lazy_package(__name__)
