"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and golden values beside the project; CI must have it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{folder} is not there")
        pytest.skip(f"{folder} is not there")
    return folder
