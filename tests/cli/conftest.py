"""Commands run in a folder with texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.texts import save_texts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts of a module: two systems, or what its own `save` writes."""
    folder = tmp_path_factory.mktemp("texts")
    getattr(request.module, "save", save_texts)(folder)
    return folder


@pytest.fixture
def texts_folder(saved: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the texts, which commands run in."""
    monkeypatch.chdir(saved)
    return saved
