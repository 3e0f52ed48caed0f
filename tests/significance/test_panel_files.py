"""Panels from folders and saved counts, and what is refused of them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.cli.texts import save_channels
from truebleu.counts import save_counts
from truebleu.errors import TruebleuError
from truebleu.significance import read_panel

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.corpus import TestSet

SETS = ("de", "fr")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in SETS:
        save_channels(tmp_path / "sets" / name, 12, {"a": 0.1, "b": 0.2})
    return tmp_path


def read_texts(paths: list[str]) -> dict[str, TestSet]:
    return {name: counts.require_texts() for name, counts in read_panel(paths).items()}


def contents(panel: dict[str, TestSet]) -> object:
    return {
        name: ({key: list(text) for key, text in one.systems.items()}, list(one.references[0]))
        for name, one in panel.items()
    }


def by_folders(folder: Path) -> object:
    return contents(read_texts([str(folder / "sets")]))


def test_a_folder_of_folders_is_a_panel(folder: Path) -> None:
    panel = read_texts([str(folder / "sets")])
    assert list(panel) == list(SETS)
    assert list(panel["de"].systems) == ["a", "b"]
    assert panel["de"].documents is not None
    one_by_one = read_texts([str(folder / "sets" / name) for name in SETS])
    assert contents(one_by_one) == contents(panel)


def test_outputs_may_stand_in_a_folder_of_their_own(folder: Path) -> None:
    before = by_folders(folder)
    for name in SETS:
        outputs = folder / "sets" / name / "sys"
        outputs.mkdir()
        for system in ("a.txt", "b.txt"):
            shutil.move(folder / "sets" / name / system, outputs / system)
        (folder / "sets" / name / "official.tsv").write_text("not\ta text\n")
    assert by_folders(folder) == before


def test_statistics_files_are_named_after_their_files(folder: Path) -> None:
    for name, counts in read_panel([str(folder / "sets")]).items():
        save_counts(counts, folder / f"{name}.npz")
    files = [str(folder / f"{name}.npz") for name in SETS]
    shutil.rmtree(folder / "sets")
    assert list(read_panel(files)) == list(read_panel([str(folder)])) == list(SETS)


def test_a_file_that_is_no_test_set_is_refused(folder: Path) -> None:
    table = folder / "long.tsv"
    table.write_text("x\ty\na\tb\n")
    with pytest.raises(TruebleuError, match="something else; expected a folder of test sets"):
        read_panel([str(table)])


def test_folders_without_test_sets_and_names_that_clash_are_refused(folder: Path) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(TruebleuError, match="no test set in"):
        read_panel([str(folder / "empty")])
    with pytest.raises(TruebleuError, match="a different name for each"):
        read_panel([str(folder / "sets"), str(folder / "sets" / "de")])
