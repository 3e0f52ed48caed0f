"""A folder for the files of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .writing import Folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty folder."""
    return Folder(tmp_path)
