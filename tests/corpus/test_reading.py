from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.writing import Folder, lines
from truebleu.corpus import TestSet, read_test_set
from truebleu.errors import (
    AbsentSegmentError,
    DuplicateSystemError,
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    MisalignedSegmentsError,
    MissingColumnError,
    SettingError,
    SuspiciousTextError,
    UnpairedSegmentsError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from tests.writing import Folder

# Whole test sets.


def test_systems_references_and_source_are_read_in_order(folder: Folder) -> None:
    systems = [folder.write(f"sys/{name}.txt", f"{name}1\n{name}2\n") for name in ("B", "A")]
    references = [folder.write(f"ref{i}", f"r{i}1\nr{i}2\n") for i in (1, 2)]
    test_set = read_test_set(systems, references, source=folder.write("src", "s1\ns2\n"))
    assert {n: list(t) for n, t in test_set.systems.items()} == {
        "B": ["B1", "B2"],
        "A": ["A1", "A2"],
    }
    assert list(test_set.systems) == ["B", "A"]
    assert [list(text) for text in test_set.references] == [["r11", "r12"], ["r21", "r22"]]
    assert test_set.reference_names == ("ref1", "ref2")
    assert test_set.source is not None
    assert list(test_set.source) == ["s1", "s2"]
    assert test_set.warnings == ()


def test_names_may_be_given(folder: Folder) -> None:
    path = folder.write("x", "a\n")
    test_set = read_test_set([f"mine={path}"], [f"gold={folder.write('y', 'b')}"])
    assert list(test_set.systems) == ["mine"]
    assert test_set.reference_names == ("gold",)


def test_standard_input_is_read_once(folder: Folder) -> None:
    reference = folder.write("ref", "r\n")
    test_set = read_test_set(["mine=-"], [reference], stdin=io.BytesIO(b"a\n"))
    assert list(test_set.systems["mine"]) == ["a"]
    with pytest.raises(UnreadableFileError, match="-: standard input can be read only once"):
        read_test_set(["a=-", "b=-"], [reference], stdin=io.BytesIO(b"a\n"))
    with pytest.raises(UnreadableFileError, match="only once"):
        read_test_set(["-"], ["-"], stdin=io.BytesIO(b"a\n"))


def test_a_missing_file_is_named(folder: Folder) -> None:
    reference = folder.write("ref", "r\n")
    missing = str(folder.path / "missing.txt")
    for written in (missing, f"name={missing}", f"{missing}#column", f"a={missing}#b"):
        with pytest.raises(UnreadableFileError, match=r"missing\.txt: no such file"):
            read_test_set([written], [reference])


def test_a_folder_or_a_pattern_stands_for_its_files(folder: Folder) -> None:
    for name in ("sys/b.txt", "sys/a.txt", "sys/.hidden", "sys/more/c.txt"):
        folder.write(name, "x\n")
    references = [folder.write("ref", "r\n")]
    systems = folder.path / "sys"
    for written in (str(systems), systems, str(systems / "*.txt"), f"{systems}/[ab].txt"):
        assert list(read_test_set([written], references).systems) == ["a", "b"]


def test_a_pattern_without_files_and_an_empty_folder_are_refused(folder: Folder) -> None:
    reference = folder.write("ref", "r\n")
    with pytest.raises(UnreadableFileError, match=r"\*\.none: no such file"):
        read_test_set([str(folder.path / "*.none")], [reference])
    (folder.path / "empty").mkdir()
    with pytest.raises(EmptyTextError, match="empty: no segments"):
        read_test_set([folder.path / "empty"], [reference])


def test_a_directory_is_no_file(folder: Folder) -> None:
    reference = folder.write("ref", "r\n")
    here = str(folder.path)
    for written in ({"systems": [f"n={here}"]}, {"references": [here]}, {"source": here}):
        arguments: Any = {"systems": [], "references": [reference], **written}
        with pytest.raises(UnreadableFileError, match="a directory"):
            read_test_set(**arguments)


def test_a_file_that_cannot_be_opened_says_why(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = folder.write("ref", "r\n")
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(UnreadableFileError, match=r"ref: cannot be read \(Permission denied\)"):
        read_test_set([], [path])


def test_an_impossible_path_is_an_error_of_ours() -> None:
    with pytest.raises(UnreadableFileError):
        read_test_set([], ["a\0b"])


def test_errors_in_a_file_name_it(folder: Folder) -> None:
    with pytest.raises(EmptyTextError, match="system: no segments"):
        folder.read(b"")
    with pytest.raises(EncodingError, match="system: line 1, byte 1: ff"):
        folder.read(b"\xff\n")


def test_a_lone_path_is_not_a_list_of_letters(folder: Folder) -> None:
    path = folder.write("ref", "r\n")
    with pytest.raises(SettingError, match=r"systems: .*ref.*; expected a list of files"):
        read_test_set(path, [path])
    with pytest.raises(SettingError, match="references"):
        read_test_set([path], path)
    with pytest.raises(SettingError, match="at least one"):
        read_test_set([path], [])


def test_strict_makes_findings_errors(folder: Folder) -> None:
    reference = folder.write("ref", lines(3))
    system = folder.write("sys", b"a\tb\r\nc\r\n\r\n")
    findings = read_test_set([system], [reference]).warnings
    assert {finding.code for finding in findings} == {"tabs", "crlf", "blank"}
    with pytest.raises(SuspiciousTextError) as caught:
        read_test_set([system], [reference], strict=True)
    assert all(finding.message in str(caught.value) for finding in findings)


def test_files_may_be_path_objects(folder: Folder) -> None:
    path = Path(folder.write("r.txt", "a\n"))
    test_set = read_test_set([path], [path], source=path, documents=path)
    assert (list(test_set.systems), test_set.documents) == (["r"], ("a",))


@pytest.mark.parametrize("written", ["r.txt", Path("r.txt"), None])
def test_a_lone_file_is_no_list_of_files(written: Any) -> None:
    with pytest.raises(SettingError, match=r"systems: .* expected a list of files"):
        read_test_set(written, ["r.txt"])


# Names.


def names(folder: Folder, *systems: str) -> list[str]:
    return list(read_test_set(systems, [folder.write("ref", "r\n")]).systems)


def test_systems_of_one_name_are_told_apart_by_their_folders(folder: Folder) -> None:
    paths = [folder.write(name, "a\n") for name in ("a/out.txt", "b/out.txt", "c.txt")]
    assert names(folder, *paths) == ["a/out", "b/out", "c"]


def test_names_get_as_many_folders_as_needed(folder: Folder) -> None:
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


def test_a_repeated_path_is_rejected(folder: Folder) -> None:
    path = folder.write("x", "a\n")
    with pytest.raises(DuplicateSystemError):
        names(folder, path, path)


def test_one_name_cannot_stand_for_several_systems(folder: Folder) -> None:
    hyps = "".join(f'<hyp system="{s}"><seg id="1">a</seg></hyp>' for s in ("X", "Y"))
    path = folder.write("all.xml", f'<dataset><doc id="d">{hyps}</doc></dataset>')
    with pytest.raises(SettingError, match="to choose one of X, Y"):
        names(folder, f"A={path}")
    assert names(folder, f"A={path}#X") == ["A"]


# Pairing.


def marked(kind: str, *segments: str) -> str:
    inside = "".join(f"<seg id={s}>text {s}</seg>" for s in segments)
    return f"<{kind} sysid=X><doc docid=d>{inside}</doc></{kind}>"


def test_different_numbers_of_segments_name_both(folder: Folder) -> None:
    short, reference = folder.write("short", lines(2)), folder.write("reference", lines(3))
    with pytest.raises(UnpairedSegmentsError) as caught:
        read_test_set([short], [reference])
    assert caught.value.args == (short, 2, reference, 3)


def test_plain_lines_must_be_as_many_as_marked_segments(folder: Folder) -> None:
    system, reference = folder.write("s.sgm", marked("tstset", "1", "2")), folder.write("r", "a\n")
    with pytest.raises(UnpairedSegmentsError) as caught:
        read_test_set([system], [reference])
    assert set(caught.value.args) == {system, 2, reference, 1}


def test_segments_that_one_file_lacks_are_named(folder: Folder) -> None:
    reference = folder.write("r.sgm", marked("refset", "1", "2", "3"))
    test_set = read_test_set([folder.write("s.sgm", marked("tstset", "3"))], [reference])
    assert list(test_set.systems["X"]) == ["", "", "text 3"]
    missing = test_set.warnings[0]
    assert (missing.code, missing.count, missing.segment) == ("missing-output", 2, 1)
    more = folder.write("more.sgm", marked("tstset", "3", "2", "1", "9"))
    with pytest.raises(MisalignedSegmentsError, match=r"r\.sgm: no segment '9' of document 'd', w"):
        read_test_set([more], [reference])


def test_a_segment_without_any_reference_is_refused(folder: Folder) -> None:
    path = folder.write("t.jsonl", '{"a": "x", "b": null}\n{"a": null, "c": 1}\n')
    with pytest.raises(AbsentSegmentError, match="segment 2: no reference"):
        read_test_set([], [f"{path}#a", f"{path}#b"])


def test_segments_that_only_another_reference_has_are_kept(folder: Folder) -> None:
    first = folder.write("a.sgm", marked("refset", "1", "3"))
    second = folder.write("b.sgm", marked("refset", "2", "1"))
    test_set = read_test_set(
        [folder.write("s.sgm", marked("tstset", "1", "2", "3"))], [first, second]
    )
    assert [list(text) for text in test_set.references] == [
        ["text 1", "text 3", None],
        ["text 1", None, "text 2"],
    ]
    assert list(test_set.systems["X"]) == ["text 1", "text 3", "text 2"]


# Files of tables: by id where both have one, else by line.


def rows(folder: Folder, name: str, **columns: list[Any]) -> str:
    records = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return folder.write(name, "".join(json.dumps(record) + "\n" for record in records))


def codes(test_set: TestSet) -> list[str]:
    return [warning.code for warning in test_set.warnings]


def test_json_lines_pair_by_id_whatever_their_order(folder: Folder) -> None:
    reference = rows(folder, "ref.jsonl", id=[1, 2, 3], ref=["one", "two", "three"])
    system = rows(folder, "sys.jsonl", id=["3", "1", "2"], out=["III", "I", "II"])
    test_set = read_test_set([f"{system}#out"], [f"{reference}#ref"])
    assert list(test_set.systems["out"]) == ["I", "II", "III"]
    assert codes(test_set) == []


def test_tables_of_other_formats_pair_by_id_too(folder: Folder) -> None:
    reference = folder.write("ref.tsv", "id\tref\nx\tone\ny\ttwo\n")
    system = folder.write("sys.csv", "out,segment_id\nII,y\nI,x\n")
    test_set = read_test_set([f"{system}#out"], [f"{reference}#ref"])
    assert list(test_set.systems["out"]) == ["I", "II"]


def test_ids_may_restart_in_each_document(folder: Folder) -> None:
    reference = rows(folder, "r.jsonl", doc=["a", "a", "b"], id=[1, 2, 1], ref=["A1", "A2", "B1"])
    system = rows(folder, "s.jsonl", doc=["b", "a", "a"], id=[1, 1, 2], out=["b1", "a1", "a2"])
    test_set = read_test_set([f"{system}#out"], [f"{reference}#ref"])
    assert list(test_set.systems["out"]) == ["a1", "a2", "b1"]
    assert test_set.documents == ("a", "a", "b")


def test_json_lines_without_ids_pair_by_line_and_say_so(folder: Folder) -> None:
    reference = rows(folder, "ref.jsonl", id=[1, 2], ref=["one", "two"])
    system = rows(folder, "sys.jsonl", out=["I", "II"])
    test_set = read_test_set([f"{system}#out"], [f"{reference}#ref"])
    assert list(test_set.systems["out"]) == ["I", "II"]
    assert codes(test_set) == ["paired-by-line"]
    assert "sys.jsonl#out has no unique ids" in test_set.warnings[0].message


@pytest.mark.parametrize(
    ("ids", "outputs", "reason"),
    [
        ([7, 8], ["I", "II"], "nothing in common"),
        ([1, 1], ["I", "I"], "no unique ids"),
    ],
)
def test_ids_that_do_not_help_are_left_alone_aloud(
    folder: Folder, ids: list[int], outputs: list[str], reason: str
) -> None:
    reference = rows(folder, "ref.jsonl", id=[1, 2], ref=["one", "two"])
    system = rows(folder, "sys.jsonl", id=ids, out=outputs)
    test_set = read_test_set([f"{system}#out"], [f"{reference}#ref"])
    assert codes(test_set) == ["paired-by-line"]
    assert reason in test_set.warnings[0].message


def test_repeated_ids_with_other_texts_are_refused_with_their_lines(folder: Folder) -> None:
    reference = rows(folder, "ref.jsonl", id=[1, 2, 3], ref=["one", "two", "three"])
    system = rows(folder, "sys.jsonl", id=[1, 2, 2], out=["I", "II", "III"])
    with pytest.raises(MalformedFileError, match=r"line 3: another text of id 2 than on line 2"):
        read_test_set([f"{system}#out"], [f"{reference}#ref"])
    documents = rows(folder, "docs.jsonl", doc=["a", "b", "b"], id=[1, 1, 2], out=["I", "II", "V"])
    assert len(read_test_set([f"{documents}#out"], [f"{reference}#ref"])) == 3


@pytest.mark.parametrize("ids", [["a1", "A2"], ["A1", " A2"], ["A1", "A02"]], ids=repr)
def test_ids_that_differ_by_spelling_are_named(folder: Folder, ids: list[str]) -> None:
    reference = rows(folder, "ref.jsonl", id=["A1", "A2"], ref=["one", "two"])
    system = rows(folder, "sys.jsonl", id=ids, out=["I", "II"])
    with pytest.raises(MalformedFileError, match="differ by case, spaces or leading zeros"):
        read_test_set([f"{system}#out"], [f"{reference}#ref"])


def test_ids_that_are_different_words_are_not_spellings(folder: Folder) -> None:
    reference = rows(folder, "ref.jsonl", id=["A1", "a1", "A10"], ref=["one", "two", "three"])
    system = rows(folder, "sys.jsonl", id=["a1", "A10", "A1"], out=["II", "III", "I"])
    test_set = read_test_set([f"{system}#out"], [f"{reference}#ref"])
    assert list(test_set.systems["out"]) == ["I", "II", "III"]


def test_columns_of_one_file_need_no_ids(folder: Folder) -> None:
    path = rows(folder, "t.jsonl", ref=["one", "two"], out=["I", "II"])
    assert codes(read_test_set([f"{path}#out"], [f"{path}#ref"])) == []


def test_ids_that_fit_in_part_are_outputs_that_are_missing_or_refused(folder: Folder) -> None:
    reference = rows(folder, "ref.jsonl", id=[1, 2], ref=["one", "two"])
    fewer = rows(folder, "fewer.jsonl", id=[2], out=["II"])
    test_set = read_test_set([f"{fewer}#out"], [f"{reference}#ref"])
    assert list(test_set.systems["out"]) == ["", "II"]
    assert "missing-output" in codes(test_set)
    shifted = rows(folder, "shifted.jsonl", id=[2, 3], out=["II", "III"])
    with pytest.raises(MisalignedSegmentsError, match=r"ref.jsonl#ref: no segment '3', which"):
        read_test_set([f"{shifted}#out"], [f"{reference}#ref"])


def test_a_list_of_references_is_one_for_each_place(folder: Folder) -> None:
    path = rows(folder, "t.jsonl", refs=[["a", "b"], ["c"], "d"], out=["1", "2", "3"])
    test_set = read_test_set([f"{path}#out"], [f"{path}#refs"])
    assert [list(text) for text in test_set.references] == [["a", "c", "d"], ["b", None, None]]
    assert test_set.reference_names == ("refs[0]", "refs[1]")
    with pytest.raises(MalformedFileError, match="line 1: a list in key 'refs'"):
        read_test_set([f"{path}#refs"], [f"{path}#out"])


def test_keys_may_be_inside_keys(folder: Folder) -> None:
    response = [{"choices": [{"message": {"content": text}}]} for text in ("I", "II")]
    path = rows(folder, "batch.jsonl", custom_id=["a", "b"], response=response, ref=["one", "two"])
    test_set = read_test_set([f"{path}#response.choices.0.message.content"], [f"{path}#ref"])
    assert [list(text) for text in test_set.systems.values()] == [["I", "II"]]
    with pytest.raises(MissingColumnError, match=r"no key 'response\.text'"):
        read_test_set([f"{path}#response.text"], [f"{path}#ref"])


def test_json_may_be_an_array(folder: Folder) -> None:
    reference = folder.write("ref.json", json.dumps(["one", "two"]))
    system = folder.write("sys.json", json.dumps([{"out": "I"}, {"out": "II"}], indent=1))
    test_set = read_test_set([f"{system}#out"], [reference])
    assert list(test_set.systems["out"]) == ["I", "II"]
    assert list(test_set.references[0]) == ["one", "two"]
    assert test_set.reference_names == ("ref",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "invalid JSON"),
        ('["a", {"b": 1}]', "objects and other values"),
        ("[1]", "a value of type int in row 1"),
        ('{"a":\n ["b"]}', "JSON of type dict"),
        ("[1,", "invalid JSON"),
    ],
)
def test_other_json_is_refused(folder: Folder, content: str, message: str) -> None:
    with pytest.raises(MalformedFileError, match=message):
        read_test_set([], [folder.write("x.json", content)])


def test_a_long_table_has_many_systems(folder: Folder) -> None:
    path = rows(
        folder,
        "long.jsonl",
        system=["A", "B", "B", "A"],
        id=[1, 2, 1, 2],
        out=["A1", "B2", "B1", "A2"],
        ref=["one", "two", "one", "two"],
    )
    test_set = read_test_set([f"{path}#out"], [f"{path}#ref"])
    assert {name: list(text) for name, text in test_set.systems.items()} == {
        "A": ["A1", "A2"],
        "B": ["B1", "B2"],
    }
    assert [list(text) for text in test_set.references] == [["one", "two"]]
    assert test_set.reference_names == ("ref",)


def test_a_long_table_needs_one_reference_for_a_segment(folder: Folder) -> None:
    path = folder.write("long.tsv", "system\tid\tout\tref\nA\t1\ta\tone\nB\t1\tb\tother\n")
    with pytest.raises(MalformedFileError, match="line 3: another text of segment '1' in"):
        read_test_set([f"{path}#out"], [f"{path}#ref"])


def test_one_system_does_not_make_a_table_long(folder: Folder) -> None:
    path = rows(folder, "gpt.jsonl", system=["Translate.", "Translate."], out=["I", "II"])
    test_set = read_test_set([f"{path}#out"], [folder.write("ref.txt", "one\ntwo\n")])
    assert list(test_set.systems) == ["out"]


# Documents and domains.


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
    with pytest.raises(MalformedFileError, match="line 2: 'news'; expected DOMAIN DOCUMENT"):
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
    with pytest.raises(MalformedFileError, match="the columns x, y; expected a column doc or"):
        read(folder, "docs.csv", "x,y\n1,a\n2,b\n3,c\n")
    with pytest.raises(MissingColumnError, match="no column 'z'"):
        read(folder, "docs.csv", "x,y\n1,a\n2,b\n3,c\n", column="#z")


def test_a_label_must_not_be_missing(folder: Folder) -> None:
    with pytest.raises(MalformedFileError, match="line 2: no value in key 'doc'"):
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


@pytest.mark.parametrize("ids", [["7", "7"], [None, None]], ids=["repeated", "none"])
@pytest.mark.parametrize("others", [["7", "8"], ["7", "7"]], ids=["unique", "repeated too"])
def test_tables_without_unique_ids_are_paired_by_line_with_a_warning(
    folder: Folder, ids: list[str | None], others: list[str]
) -> None:
    def written(name: str, ids: list[str | None]) -> str:
        # Rows with one id have one text.
        rows = [[i, text] if i else [text] for i, text in zip(ids, "xx", strict=True)]
        header = ["id", "text"] if ids[0] else ["text"]
        return folder.write(name, "".join("\t".join(map(str, r)) + "\n" for r in [header, *rows]))

    system, reference = written("s.tsv", ids), written("r.tsv", [*others])
    test_set = read_test_set([f"{system}#text"], [f"{reference}#text"])
    assert codes(test_set) == ["paired-by-line", "same-as-reference"]
    with pytest.raises(SuspiciousTextError, match="has no unique ids"):
        read_test_set([f"{system}#text"], [f"{reference}#text"], strict=True)


@pytest.mark.parametrize("blank", ["", "  ", "\u3000"])
def test_a_blank_label_among_documents_is_refused(folder: Folder, blank: str) -> None:
    text, labels = folder.write("r", "a\nb\nc\n"), folder.write("labels", f"d1\n{blank}\nd2\n")
    with pytest.raises(MalformedFileError, match="labels: line 2: a blank line; expected a label"):
        read_test_set([text], [text], documents=labels)
