"""Step 1, read: files or lists become a test set and its systems, segment by segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._lazy import lazy_names

if TYPE_CHECKING:
    from truebleu._core import Segments
    from truebleu.corpus._reading import read_test_set
    from truebleu.corpus.test_set import (
        Frame,
        ReferencesLike,
        SystemsLike,
        TestSet,
        TestSetOutline,
        TextLike,
        TextWarning,
        as_test_set,
    )

__all__ = [
    "Frame",
    "ReferencesLike",
    "Segments",
    "SystemsLike",
    "TestSet",
    "TestSetOutline",
    "TextLike",
    "TextWarning",
    "as_test_set",
    "read_test_set",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Frame": "test_set",
        "ReferencesLike": "test_set",
        "Segments": "test_set",
        "SystemsLike": "test_set",
        "TestSet": "test_set",
        "TestSetOutline": "test_set",
        "TextLike": "test_set",
        "TextWarning": "test_set",
        "as_test_set": "test_set",
        "read_test_set": "_reading",
    },
)
