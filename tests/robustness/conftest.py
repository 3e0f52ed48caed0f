"""Texts that all tests of robustness share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SEGMENTS = 40


def write_texts(folder: Path) -> None:
    """Two systems, of which the second is worse, a reference, documents and human scores."""
    reference = [f"the cat number {i} sat on the mat of house {i % 7}" for i in range(SEGMENTS)]
    texts = {
        "ref.txt": reference,
        "good.txt": [
            line if i % 3 else line.replace("sat", "lay") for i, line in enumerate(reference)
        ],
        "bad.txt": [line.replace("sat on", f"was {i} at") for i, line in enumerate(reference)],
        "one.txt": reference[:1],
        "docs.txt": [f"doc{i // 4}" for i in range(SEGMENTS)],
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture(scope="session")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of texts, only to be read."""
    folder = tmp_path_factory.mktemp("texts")
    write_texts(folder)
    return folder


@pytest.fixture
def own_texts(tmp_path: Path) -> Path:
    """The same texts in a folder of the test's own."""
    write_texts(tmp_path)
    return tmp_path
