"""Step 1, read: files or lists become a test set and its systems, segment by segment."""

from typing import TYPE_CHECKING

from truebleu.schema import lazy_package

if TYPE_CHECKING:
    from truebleu.corpus._reading import *
    from truebleu.corpus.outline import *
    from truebleu.corpus.sequences import *
    from truebleu.corpus.test_set import *
    from truebleu.corpus.text_warnings import *

__getattr__, __dir__ = lazy_package(__name__)
