from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.corpus import read_test_set
from truebleu.errors import MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from .writing import Folder


def test_a_column_is_a_text_and_names_it(folder: Folder) -> None:
    path = folder.write("news.tsv", "source\tref\tGPT\nq\tr\ts\nt\tu\tv\n")
    test_set = read_test_set([f"{path}#GPT"], [f"{path}#ref"], source=f"{path}#source")
    assert {name: list(text) for name, text in test_set.systems.items()} == {"GPT": ["s", "v"]}
    assert list(test_set.references[0]) == ["r", "u"]
    assert test_set.reference_names == ("ref",)
    assert test_set.source is not None
    assert list(test_set.source) == ["q", "t"]


def test_a_table_of_one_column_needs_no_choice(folder: Folder) -> None:
    test_set = folder.read("output\na\nb\n", "r\ns\n", ending=".tsv")
    assert list(test_set.systems["system"]) == ["a", "b"]


def test_labels_beside_a_single_text_leave_no_choice_either(folder: Folder) -> None:
    test_set = folder.read("doc\toutput\tdomain\nd1\ta\tnews\n", ending=".tsv")
    assert list(test_set.systems["system"]) == ["a"]
    assert test_set.documents == ("d1",)
    assert test_set.domains == ("news",)


def test_several_columns_must_be_chosen_from(folder: Folder) -> None:
    with pytest.raises(MalformedFileError) as caught:
        folder.read("x\ty\n1\t2\n", ending=".tsv")
    path = str(folder.path / "system.tsv")
    assert f"{path}: found the columns x, y" in str(caught.value)
    assert f"{path}#x" in str(caught.value)


def test_an_unknown_column_lists_the_known_ones(folder: Folder) -> None:
    path = folder.write("t.csv", "x,y\n1,2\n")
    with pytest.raises(MissingColumnError, match=r"t\.csv: no column 'z'; it has x, y"):
        read_test_set([f"{path}#z"], [f"{path}#x"])


@pytest.mark.parametrize("column", ["doc", "document", "document_id"])
def test_columns_of_documents_are_known_by_name(folder: Folder, column: str) -> None:
    path = folder.write("t.tsv", f"{column}\tref\tout\n7\ta\tb\n7\tc\td\n8\te\tf\n")
    assert read_test_set([f"{path}#out"], [f"{path}#ref"]).documents == ("7", "7", "8")


def test_a_table_is_read_once_for_all_its_columns(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truebleu.corpus import _files as files

    opened: list[str] = []
    read = files._read

    def watched(path: str) -> bytes:
        opened.append(path)
        return read(path)

    monkeypatch.setattr(files, "_read", watched)
    path = folder.write("t.tsv", "a\tb\tc\n1\t2\t3\n")
    read_test_set([f"{path}#a", f"{path}#b"], [f"{path}#c"])
    assert opened == [path]
