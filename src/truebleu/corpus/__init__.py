"""Step 1, read: files become a test set and its systems, segment by segment."""

from truebleu._core import Segments
from truebleu.corpus.reading import read_test_set
from truebleu.corpus.test_set import TestSet, TextLike, as_outputs, as_references, as_test_set
from truebleu.corpus.text_warnings import Finding

__all__ = [
    "Finding",
    "Segments",
    "TestSet",
    "TextLike",
    "as_outputs",
    "as_references",
    "as_test_set",
    "read_test_set",
]
