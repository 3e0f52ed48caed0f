"""Every study runs in its folder of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def folder(texts_folder: Path) -> Path:
    """The folder of the texts."""
    return texts_folder
