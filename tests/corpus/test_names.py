from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import read_test_set
from truebleu.errors import DuplicateSystemError, SettingError

if TYPE_CHECKING:
    from .writing import Folder


def names(folder: Folder, *systems: str) -> list[str]:
    return list(read_test_set(systems, [folder.write("ref", "r\n")]).systems)


def test_systems_of_one_name_are_told_apart_by_their_folders(folder: Folder) -> None:
    paths = [folder.write(name, "a\n") for name in ("a/out.txt", "b/out.txt", "c.txt")]
    assert names(folder, *paths) == ["a/out", "b/out", "c"]


def test_as_many_folders_as_it_takes(folder: Folder) -> None:
    paths = [folder.write(name, "a\n") for name in ("a/x/out", "b/x/out", "b/y/out")]
    assert names(folder, *paths) == ["a/x/out", "b/x/out", "y/out"]


def test_endings_tell_apart_what_folders_cannot(folder: Folder) -> None:
    first, second = folder.write("out", "a\n"), folder.write("out.txt", "b\n")
    assert names(folder, first, second) == [first, second]


def test_columns_of_one_name_are_told_apart_by_their_files(folder: Folder) -> None:
    first = folder.write("a.tsv", "mt\tx\nb\tc\n")
    second = folder.write("b.tsv", "mt\tx\nb\tc\n")
    assert names(folder, f"{first}#mt", f"{second}#mt", f"{second}#x") == ["a/mt", "b/mt", "x"]


def test_a_given_name_stays_and_the_other_gives_way(folder: Folder) -> None:
    first, second = folder.write("u/A.txt", "a\n"), folder.write("other", "b\n")
    assert names(folder, first, f"A={second}") == ["u/A", "A"]


def test_names_given_twice_are_refused(folder: Folder) -> None:
    path, other = folder.write("x", "a\n"), folder.write("y", "b\n")
    with pytest.raises(DuplicateSystemError, match="two systems are called 'A'"):
        names(folder, f"A={path}", f"A={other}")


def test_the_same_path_twice_is_refused(folder: Folder) -> None:
    path = folder.write("x", "a\n")
    with pytest.raises(DuplicateSystemError):
        names(folder, path, path)


def test_one_name_cannot_stand_for_several_systems(folder: Folder) -> None:
    hyps = "".join(f'<hyp system="{s}"><seg id="1">a</seg></hyp>' for s in ("X", "Y"))
    path = folder.write("all.xml", f'<dataset><doc id="d">{hyps}</doc></dataset>')
    with pytest.raises(SettingError, match="to choose one of X, Y"):
        names(folder, f"A={path}")
    assert names(folder, f"A={path}#X") == ["A"]
