"""Claims about files that are written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.corpus._writing import write_files
from truebleu.errors import SettingError, UnreadableFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def broken() -> Iterator[bytes]:
    yield b"the first half"
    raise OSError(28, "No space left on device")


def test_files_are_written_in_their_order(tmp_path: Path) -> None:
    paths = write_files(tmp_path / "new", {"b": [b"1", b"2"], "a": []})
    assert [path.name for path in paths] == ["b", "a"]
    assert [path.read_bytes() for path in paths] == [b"12", b""]


def test_a_failure_in_the_middle_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"mine")
    with pytest.raises(UnreadableFileError, match="cannot be written: No space left on device"):
        write_files(tmp_path, {"a": [b"new"], "b": broken()}, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"mine"


def test_a_file_that_exists_is_replaced_only_on_request(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": [b"old"]})
    with pytest.raises(SettingError, match="a exists; use --force"):
        write_files(tmp_path, {"a": [b"new"]})
    assert (tmp_path / "a").read_bytes() == b"old"
    write_files(tmp_path, {"a": [b"new"]}, overwrite=True)
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_folder_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(UnreadableFileError, match="not a regular file"):
        write_files(tmp_path, {"a": [b"new"]}, overwrite=True)
