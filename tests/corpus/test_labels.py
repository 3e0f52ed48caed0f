from __future__ import annotations

from pathlib import Path

import pytest

from truebleu.corpus import TestSet, read_test_set
from truebleu.errors import MalformedFileError, MissingColumnError, UnpairedSegmentsError

from .writing import Folder, lines


def read(folder: Folder, name: str, content: str, count: int = 3, column: str = "") -> TestSet:
    reference = folder.write("ref", lines(count))
    return read_test_set([], [reference], documents=folder.write(name, content) + column)


def test_one_document_per_line(folder: Folder) -> None:
    assert read(folder, "docs", "a\na\nb\n").documents == ("a", "a", "b")
    assert read(folder, "docs.tsv", "a\na\tb\nb\n").documents == ("a", "a\tb", "b")


@pytest.mark.parametrize("name", ["docs.tsv", "docs.txt"])
def test_a_header_names_documents_and_domains(folder: Folder, name: str) -> None:
    test_set = read(folder, name, "domain\tdoc\nnews\td1\nnews\td1\ntalk\td2\n")
    assert test_set.documents == ("d1", "d1", "d2")
    assert test_set.domains == ("news", "news", "talk")


def test_files_of_mt_metrics_eval_have_domain_and_document_on_each_line(folder: Folder) -> None:
    test_set = read(folder, "en-de.docs", "news d 1\nnews\td 1\ntalk d2\n")
    assert test_set.documents == ("d 1", "d 1", "d2")
    assert test_set.domains == ("news", "news", "talk")
    with pytest.raises(MalformedFileError, match="line 2: found 'news', expected DOMAIN DOCUMENT"):
        read(folder, "en-de.docs", "news d1\nnews\ntalk d2\n")


def test_a_lone_name_is_a_header_unless_it_is_needed_as_a_label(folder: Folder) -> None:
    assert read(folder, "docs", "doc\na\na\nb\n").documents == ("a", "a", "b")
    assert read(folder, "docs", "doc\na\nb\n").documents == ("doc", "a", "b")


def test_other_tables_will_do(folder: Folder) -> None:
    records = '{"document_id": 1}\n{"document_id": 1}\n{"document_id": 2}\n'
    assert read(folder, "docs.jsonl", records).documents == ("1", "1", "2")
    assert read(folder, "docs.csv", "x,y\n1,a\n2,b\n3,c\n", column="#y").documents == (
        "a",
        "b",
        "c",
    )


def test_a_wrong_number_of_labels_names_both(folder: Folder) -> None:
    with pytest.raises(UnpairedSegmentsError) as caught:
        read(folder, "docs", "a\nb\n")
    left, n_left, right, n_right = caught.value.args
    assert (Path(left).name, n_left, Path(right).name, n_right) == ("docs", 2, "ref", 3)
    with pytest.raises(UnpairedSegmentsError):
        read(folder, "docs.tsv", "doc\tdomain\na\tb\n")


def test_a_table_without_labels_is_refused(folder: Folder) -> None:
    with pytest.raises(
        MalformedFileError, match="found the columns x, y, expected a column doc or"
    ):
        read(folder, "docs.csv", "x,y\n1,a\n2,b\n3,c\n")
    with pytest.raises(MissingColumnError, match="no column 'z'"):
        read(folder, "docs.csv", "x,y\n1,a\n2,b\n3,c\n", column="#z")


def test_a_label_must_not_be_missing(folder: Folder) -> None:
    with pytest.raises(MalformedFileError, match="line 2: found nothing in key 'doc'"):
        read(folder, "docs.jsonl", '{"doc": "a"}\n{"doc": null}\n{"doc": "b"}\n')


def test_a_file_of_labels_comes_before_labels_in_texts(folder: Folder) -> None:
    path = folder.write("t.tsv", "doc\tdomain\tref\na\tnews\tx\n")
    test_set = read_test_set([], [f"{path}#ref"], documents=folder.write("docs", "mine\n"))
    assert test_set.documents == ("mine",)
    assert test_set.domains == ("news",)


def test_the_labels_of_wmt24(shared: Path) -> None:
    wmt24 = shared / "data" / "wmt24-en-es"
    test_set = read_test_set(
        [str(wmt24 / "sys" / "GPT-4.txt")],
        [str(wmt24 / "refA.txt")],
        documents=str(wmt24 / "docs.tsv"),
    )
    assert len(test_set) == 997
    assert test_set.domains is not None
    assert set(test_set.domains) == {"literary", "news", "social", "speech"}
    assert test_set.documents is not None
    assert test_set.documents[0] == "test-en-news_beverly_press.3585"
    assert test_set.to_dict()["documents"] == 170
