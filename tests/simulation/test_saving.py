"""Claims about test sets written to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import TestSet, read_test_set
from truebleu.errors import SettingError, UnreadableFileError
from truebleu.simulation import Channel, save_test_set, simulate

if TYPE_CHECKING:
    from pathlib import Path


def make(system: str = "good") -> TestSet:
    return simulate(segments=30, systems={system: Channel.at_rate(0.1)}, references=2)


def test_what_is_written_reads_as_what_it_was(tmp_path: Path) -> None:
    made = make()
    first, second, system, documents = map(str, save_test_set(made, tmp_path / "new" / "folder"))
    read = read_test_set([system], [first, second], documents=documents)
    assert list(read.systems["good"]) == list(made.systems["good"])
    assert [list(text) for text in read.references] == [list(text) for text in made.references]
    assert (read.documents, read.domains) == (made.documents, made.domains)


def test_a_file_that_exists_is_kept_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("mine")
    with pytest.raises(SettingError, match=r"good\.txt.*--force"):
        save_test_set(make(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["good.txt"]
    assert (tmp_path / "good.txt").read_text() == "mine"


def test_a_file_that_exists_is_replaced_on_request(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("mine")
    files = save_test_set(make(), tmp_path, overwrite=True)
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert len((tmp_path / "good.txt").read_text().splitlines()) == 30


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableFileError, match="file: cannot be written"):
        save_test_set(make(), tmp_path / "file")


@pytest.mark.parametrize("name", ["reference-1", "../escape", "a/b"])
def test_a_system_whose_name_cannot_be_a_file_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="systems"):
        save_test_set(make(name), tmp_path)
    assert list(tmp_path.iterdir()) == []
