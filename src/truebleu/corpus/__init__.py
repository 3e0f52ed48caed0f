"""Step 1, read: files or lists become a test set and its systems, segment by segment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truebleu._lazy import lazy_name

if TYPE_CHECKING:
    from truebleu._core import Segments as Segments
    from truebleu.corpus._reading import read_test_set as read_test_set
    from truebleu.corpus.test_set import (
        Frame as Frame,
        ReferencesLike as ReferencesLike,
        SystemsLike as SystemsLike,
        TestSet as TestSet,
        TestSetOutline as TestSetOutline,
        TextLike as TextLike,
        TextWarning as TextWarning,
        as_test_set as as_test_set,
    )

# The public names, and the module that each lives in.
_HOMES = {
    "read_test_set": "_reading",
    "Frame": "test_set",
    "ReferencesLike": "test_set",
    "Segments": "test_set",
    "SystemsLike": "test_set",
    "TestSet": "test_set",
    "TestSetOutline": "test_set",
    "TextLike": "test_set",
    "TextWarning": "test_set",
    "as_test_set": "test_set",
}

__all__ = [*_HOMES]
__getattr__ = partial(lazy_name, __name__, _HOMES)
__dir__ = partial(sorted, __all__)
