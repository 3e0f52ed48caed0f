from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias
from unittest.mock import Mock

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, strategies as st

from truebleu.corpus import read_test_set
from truebleu.corpus.tables import (
    Table,
    parse_table,
    read_csv,
    read_json_lines,
    read_parquet,
    read_tsv,
)
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    MalformedFileError,
    MissingColumnError,
    MissingExtraError,
)

if TYPE_CHECKING:
    from tests.writing import Folder

# Columns.


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


def test_labels_are_not_candidates_for_the_text_column(folder: Folder) -> None:
    test_set = folder.read("doc\toutput\tdomain\nd1\ta\tnews\n", ending=".tsv")
    assert list(test_set.systems["system"]) == ["a"]
    assert test_set.documents == ("d1",)
    assert test_set.domains == ("news",)


def test_several_columns_must_be_chosen_from(folder: Folder) -> None:
    with pytest.raises(MalformedFileError) as caught:
        folder.read("x\ty\n1\t2\n", ending=".tsv")
    path = str(folder.path / "system.tsv")
    assert f"{path}: line 1: the columns x, y" in str(caught.value)
    assert f"{path}#x" in str(caught.value)


def test_an_unknown_column_lists_the_known_ones(folder: Folder) -> None:
    path = folder.write("t.csv", "x,y\n1,2\n")
    with pytest.raises(MissingColumnError, match=r"t\.csv: no column 'z'; it has x, y"):
        read_test_set([f"{path}#z"], [f"{path}#x"])


@pytest.mark.parametrize("column", ["doc", "document", "document_id", "docid", "DocID", "doc_id"])
def test_columns_of_documents_are_known_by_name(folder: Folder, column: str) -> None:
    path = folder.write("t.tsv", f"{column}\tref\tout\n7\ta\tb\n7\tc\td\n8\te\tf\n")
    assert read_test_set([f"{path}#out"], [f"{path}#ref"]).documents == ("7", "7", "8")


def test_a_table_is_read_once_for_all_its_columns(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truebleu.corpus import _files as files

    read = Mock(wraps=files._open)
    monkeypatch.setattr(files, "_open", read)
    path = folder.write("t.tsv", "a\tb\tc\n1\t2\t3\n")
    read_test_set([f"{path}#a", f"{path}#b"], [f"{path}#c"])
    read.assert_called_once_with(path)


def test_parquet_whose_columns_are_shorter_than_it_says_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bit in its footer may say so; then rows would be looked for that are not there."""
    file = Mock()
    file.schema_arrow.names = ["text"]
    file.metadata.num_rows = 3
    file.read.return_value = pyarrow.table({"text": ["a", "b"]})
    monkeypatch.setattr("pyarrow.parquet.ParquetFile", lambda _: file)
    with pytest.raises(MalformedFileError, match="2 values in column 'text'; expected 3"):
        read_parquet("f", b"").select("system", "text")


# TSV and CSV.


Reader: TypeAlias = Callable[[str, bytes], Table]

FIELD = st.text(st.characters(exclude_characters="\t\r\n\0", exclude_categories=["Cs"]))
QUOTED_FIELD = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]))


@given(st.lists(st.tuples(FIELD, FIELD), min_size=1))
def test_tsv_is_read_back(rows: list[tuple[str, str]]) -> None:
    data = "x\ty\n" + "".join(f"{x}\t{y}\n" for x, y in rows)
    table = read_tsv("f", data.encode())
    assert list(zip(table.values("x"), table.values("y"), strict=True)) == rows


@given(st.lists(st.tuples(QUOTED_FIELD, QUOTED_FIELD), min_size=1))
def test_csv_is_read_back(rows: list[tuple[str, str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("x", "y"), *rows])
    table = read_csv("f", file.getvalue().encode())
    assert list(zip(table.values("x"), table.values("y"), strict=True)) == rows


def test_a_quote_in_tsv_is_a_character() -> None:
    table = read_tsv("f", b'x\ty\n"a\tb"c\n')
    assert table.values("x") == ['"a']
    assert table.values("y") == ['b"c']


def test_tsv_rows_end_at_line_feeds_only() -> None:
    table = read_tsv("f", "\ufeffx\ty\r\na\u2028b\tc\x85d\r\n".encode())
    assert table.columns == ("x", "y")
    assert table.values("x") == ["a\u2028b"]
    assert table.values("y") == ["c\x85d"]
    assert table.carriage_returns == 2


@pytest.mark.parametrize(
    ("path", "text"), [("f.tsv", "x\na\n"), ("f.csv", "x\na\n"), ("f.jsonl", '{"x": "a"}\n')]
)
def test_a_byte_order_mark_is_noticed(path: str, text: str) -> None:
    marks = []
    for start in ("", "\ufeff"):
        table = parse_table(path, (start + text).encode())
        assert table is not None
        assert table.values("x") == ["a"]
        marks.append(table.byte_order_mark)
    assert marks == [False, True]


def test_csv_fields_may_hold_line_ends_commas_and_quotes() -> None:
    table = read_csv("f", b'\xef\xbb\xbfx,y\r\n"a\nb","c, ""d"""\r\n')
    assert table.values("x") == ["a\nb"]
    assert table.values("y") == ['c, "d"']


def test_a_ragged_tsv_row_is_located() -> None:
    with pytest.raises(MalformedFileError, match="f: line 3: 1 field; expected 2"):
        read_tsv("f", b"x\ty\na\tb\nc\n")
    with pytest.raises(MalformedFileError, match="line 2: 3 fields"):
        read_tsv("f", b"x\ty\na\tb\tc\n")


def test_a_ragged_csv_row_is_reported_at_its_first_line() -> None:
    with pytest.raises(MalformedFileError, match="f: line 4: 3 fields; expected 2"):
        read_csv("f", b'x,y\n"a\nb",c\n1,2,"3\n4"\n')


def test_broken_quotes_in_csv_are_located() -> None:
    with pytest.raises(MalformedFileError, match="f: line 3: a broken row"):
        read_csv("f", b'x,y\na,b\nc,"d\ne,f\n')


def test_columns_must_differ() -> None:
    with pytest.raises(MalformedFileError, match="line 1: 2 columns called 'x'"):
        read_tsv("f", b"x\tx\na\tb\n")


@pytest.mark.parametrize("read", [read_tsv, read_csv])
@pytest.mark.parametrize("data", [b"", b"x\n", b"\xef\xbb\xbf"])
def test_a_table_without_rows_is_refused(read: Reader, data: bytes) -> None:
    with pytest.raises(EmptyTextError, match="f: no segments"):
        read("f", data)


@pytest.mark.parametrize("read", [read_tsv, read_csv])
def test_bad_utf8_is_located(read: Reader) -> None:
    with pytest.raises(EncodingError, match="f: line 2, byte 2: ff"):
        read("f", b"x\na\xff\n")


def test_a_long_field_is_read_and_the_limit_left_as_it_was() -> None:
    before = csv.field_size_limit()
    table = read_csv("f", b"text\n" + b"w " * 100_000 + b"\n")
    assert table.values("text") == ["w " * 100_000]
    assert csv.field_size_limit() == before


# JSON lines.


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.lists(st.fixed_dictionaries({"mt": TEXT, "ref": TEXT}), min_size=1), st.booleans())
def test_json_lines_are_read_back(records: list[dict[str, str]], ascii_only: bool) -> None:
    data = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)
    table = read_json_lines("f", data.encode())
    for key in ("mt", "ref"):
        text = table.select("system", key)[0]
        assert list(text.segments) == [record[key] for record in records]


def test_a_byte_order_mark_and_blank_lines_at_the_end_do_no_harm() -> None:
    table = read_json_lines("f", b'\xef\xbb\xbf{"a": "x"}\r\n{"a": "y"}\r\n\r\n \n')
    assert table.values("a") == ["x", "y"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": "x"}\n\n{"a": "y"}\n', "line 2: a blank line"),
        (b'{"a": "x"}\n{"a": \n', "line 2: invalid JSON"),
        (b'{"a": "x"}\n["a"]\n', "line 2: JSON of type list"),
        (b'{"a": "x"}\n' + b"[" * 100_000 + b"\n", "line 2: invalid JSON"),
    ],
)
def test_a_line_that_is_no_object_is_located(data: bytes, message: str) -> None:
    with pytest.raises(MalformedFileError, match=f"f: {message}"):
        read_json_lines("f", data)


@pytest.mark.parametrize(
    ("value", "found"), [("3", "type int"), ("null", "no value"), (r'"\ud800"', "surrogate")]
)
def test_a_value_that_is_no_text_is_located(value: str, found: str) -> None:
    table = read_json_lines("f", f'{{"a": "x"}}\n{{"a": {value}}}\n'.encode())
    with pytest.raises(MalformedFileError, match=f"f: line 2: .*{found}.* in key 'a'"):
        table.select("system", "a")


def test_a_missing_key_is_an_error_for_outputs() -> None:
    table = read_json_lines("f", b'{"a": "x", "b": "y"}\n{"a": "z"}\n')
    with pytest.raises(MalformedFileError, match="f: line 2: no value in key 'b'"):
        table.select("system", "b")
    with pytest.raises(MissingColumnError, match="f: no key 'c'; it has a, b"):
        table.select("system", "c")


def test_a_reference_may_be_null_or_missing(folder: Folder) -> None:
    records = '{"mt": "x", "a": "r", "b": null}\n{"mt": "y", "a": null, "b": "s"}\n'
    path = folder.write("t.jsonl", records + '{"mt": "z", "a": "t"}\n')
    test_set = read_test_set([f"{path}#mt"], [f"{path}#a", f"{path}#b"])
    assert [list(text) for text in test_set.references] == [["r", None, "t"], [None, "s", None]]


def test_a_file_without_objects_is_refused() -> None:
    with pytest.raises(EmptyTextError):
        read_json_lines("f", b"\n\n")


def test_a_nul_is_refused_here_too() -> None:
    with pytest.raises(MalformedFileError, match="line 2: a NUL character in key 'a'"):
        read_json_lines("f", b'{"a": "x"}\n{"a": "y\\u0000"}\n').select("system", "a")


def test_labels_of_some_segments_only_do_not_keep_a_text_from_being_read(folder: Folder) -> None:
    rows = '{"t": "x", "doc": 1, "domain": null}\n{"t": "y", "doc": 2, "domain": "news"}\n'
    path = folder.write("t.jsonl", rows)
    plain = folder.write("plain", "a\nb\n")
    test_set = read_test_set([f"{path}#t"], [plain])
    assert (test_set.documents, test_set.domains) == (("1", "2"), None)
    with pytest.raises(MalformedFileError, match="line 1: no value in key 'domain'"):
        read_test_set([plain], [plain], documents=path)


@pytest.mark.parametrize("text", ["null", '""', '" \\t"', '"\\u00a0"'])
def test_a_document_that_is_missing_for_one_segment_is_refused(folder: Folder, text: str) -> None:
    rows = [f'{{"t": "x", "doc": {n}}}' for n in range(499)]
    path = folder.write("t.jsonl", "\n".join([*rows, f'{{"t": "y", "doc": {text}}}']) + "\n")
    with pytest.raises(MalformedFileError, match="line 500: no value in key 'doc'"):
        read_test_set([f"{path}#t"], [f"{path}#t"])


def test_documents_that_are_missing_everywhere_are_none(folder: Folder) -> None:
    path = folder.write("t.jsonl", '{"t": "x", "doc": null}\n{"t": "y", "doc": null}\n')
    assert read_test_set([f"{path}#t"], [f"{path}#t"]).documents is None
    for asked in (path, f"{path}#doc"):
        with pytest.raises(MalformedFileError, match="line 1: no value in key 'doc'"):
            read_test_set([f"{path}#t"], [f"{path}#t"], documents=asked)


@pytest.mark.parametrize("column", ["system", "model", "sys"])
def test_a_long_table_has_rows_of_several_systems(folder: Folder, column: str) -> None:
    rows = [f"{name}\t{n}\tr{n}\t{name} {n}\n" for name in "ab" for n in (1, 2)]
    path = folder.write("t.tsv", f"{column}\tid\tref\ttext\n" + "".join(rows))
    test_set = read_test_set([f"{path}#text"], [f"{path}#ref"])
    assert {name: list(text) for name, text in test_set.systems.items()} == {
        "a": ["a 1", "a 2"],
        "b": ["b 1", "b 2"],
    }
    assert list(test_set.references[0]) == ["r1", "r2"]


def test_a_column_of_outputs_called_sys_makes_no_long_table(folder: Folder) -> None:
    path = folder.write("t.tsv", "ref\tsys\nr1\to1\nr2\to2\n")
    test_set = read_test_set([f"{path}#sys"], [f"{path}#ref"])
    assert list(test_set.references[0]) == ["r1", "r2"]


# Parquet.


def parquet(**columns: object) -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


def test_columns_are_texts_and_null_is_an_absent_reference(folder: Folder) -> None:
    data = parquet(mt=["a", "b"], ref=["c", None], other=["d", "e"], doc=[1, 2])
    path = folder.write("t.parquet", data)
    test_set = read_test_set([f"{path}#mt"], [f"{path}#ref", f"{path}#other"])
    assert list(test_set.systems["mt"]) == ["a", "b"]
    assert list(test_set.references[0]) == ["c", None]
    assert test_set.documents == ("1", "2")


def test_other_ways_to_store_text_are_text() -> None:
    words = pyarrow.array(["a", "b", "a"])
    table = read_parquet("f", parquet(x=words.dictionary_encode(), y=words.cast("large_string")))
    for column in ("x", "y"):
        assert list(table.select("system", column)[0].segments) == ["a", "b", "a"]


@pytest.mark.parametrize(("value", "found"), [(3, "type int"), (None, "no value")])
def test_a_value_that_is_no_text_is_located_by_its_row(value: object, found: str) -> None:
    values = [value, value] if value else ["a", value]
    table = read_parquet("f", parquet(x=values, y=["a", "b"]))
    with pytest.raises(MalformedFileError, match=f"f: .*{found} in row . in column 'x'"):
        table.select("system", "x")


def test_an_unknown_column_of_parquet_lists_the_known_ones() -> None:
    with pytest.raises(MissingColumnError, match="f: no column 'z'; it has x"):
        read_parquet("f", parquet(x=["a"])).select("system", "z")


@pytest.mark.parametrize("data", [b"", b"no parquet", parquet(x=["a"])[:-5]])
def test_damaged_data_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedFileError, match=r"f: damaged data .*; expected Parquet"):
        read_parquet("f", data)


def test_a_missing_parquet_package_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install pyarrow"):
        read_parquet("f", b"")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["0.5", "true", "0.7"], "line 3: 'true' among fractions in column 'score'"),
        (["1", "true", "0"], None),
        (["51.3%", "48.0%"], "line 2: '51.3%' in column 'score'; expected a number, with a"),
        (["0.5", "0,513"], "line 3: '0,513' in column 'score'"),
        (["0.51", "0.48", "63.0", "44.1"], "line 2: 0.51 and 63 in column 'score'"),
        (["-0.51", "-0.48", "-63.0", "-44.1"], "line 2: -0.51 and -63 in column 'score'"),
        (["0.51", "0.48", "3.0", "2.1", "63.0", "44.1"], None),
        (["0.51", "0.48", "-63.0", "44.1"], None),
        (["1", "0", "63", "44"], None),
        (["0.51", "0.48", "999", "999"], None),
        (["0.4", "0.48", "4.1", "5.2"], None),
        (["0.51", "63.0", "44.1"], None),
    ],
)
def test_scores_that_contradict_each_other_are_refused_with_their_line(
    values: list[str], message: str | None
) -> None:
    table = read_tsv("t.tsv", "\n".join(["score", *values]).encode())
    if message is None:
        assert len(table.scores("score")) == len(values)
        return
    with pytest.raises(MalformedFileError) as error:
        table.scores("score")
    assert message in str(error.value)


@pytest.mark.parametrize("few", [4, 5])
def test_a_second_scale_has_five_percent_of_the_scores(few: int) -> None:
    large = [f"{50 + number}.5" for number in range(100 - few)]
    small = [f"0.{50 + number}" for number in range(few)]
    table = read_tsv("t.tsv", "\n".join(["score", *large, *small]).encode())
    if few == 4:
        assert len(table.scores("score")) == 100
    else:
        with pytest.raises(MalformedFileError, match="on one scale"):
            table.scores("score")


@pytest.mark.parametrize("name", ["d.tsv", "d.docs"])
def test_a_document_in_two_domains_is_refused_with_its_line(folder: Folder, name: str) -> None:
    rows = ["news\ta", "news\tb", "speech\ta"]
    header = [] if name.endswith("docs") else ["domain\tdoc"]
    labels = folder.write(name, "".join(f"{row}\n" for row in header + rows))
    text = folder.write("r.txt", "x\ny\nz\n")
    line = len(header) + 3
    message = f"line {line}: document 'a' in domain 'speech', before in 'news'"
    with pytest.raises(MalformedFileError, match=message):
        read_test_set([text], [text], documents=labels)


def test_two_columns_of_one_name_are_refused() -> None:
    columns = [pyarrow.array(["a"]), pyarrow.array(["b"])]
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(columns, names=["t", "t"]), buffer)
    with pytest.raises(MalformedFileError, match="f: 2 columns called 't'"):
        read_parquet("f", buffer.getvalue())
