"""Step 1, read: files become a test set and its systems, segment by segment."""

from truebleu._core import Segments
from truebleu.corpus._reading import read_test_set
from truebleu.corpus.test_set import (
    Frame,
    ReferencesLike,
    SystemsLike,
    TestSet,
    TextLike,
    as_test_set,
)
from truebleu.corpus.text_warnings import Finding

__all__ = [
    "Finding",
    "Frame",
    "ReferencesLike",
    "Segments",
    "SystemsLike",
    "TestSet",
    "TextLike",
    "as_test_set",
    "read_test_set",
]
