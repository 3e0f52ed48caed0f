from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.corpus import read_test_set
from truebleu.corpus.tables import read_json_lines
from truebleu.errors import EmptyTextError, MalformedFileError, MissingColumnError

if TYPE_CHECKING:
    from .writing import Folder

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.lists(st.fixed_dictionaries({"mt": TEXT, "ref": TEXT}), min_size=1), st.booleans())
def test_what_is_written_is_read_back(records: list[dict[str, str]], ascii_only: bool) -> None:
    data = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)
    table = read_json_lines("f", data.encode())
    for key in ("mt", "ref"):
        text = table.select("system", key)[0]
        assert list(text.segments) == [record[key] for record in records]


def test_a_byte_order_mark_and_blank_lines_at_the_end_do_no_harm() -> None:
    table = read_json_lines("f", b'\xef\xbb\xbf{"a": "x"}\r\n{"a": "y"}\r\n\r\n \n')
    assert table.values("a") == ["x", "y"]
    assert table.byte_order_mark


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": "x"}\n\n{"a": "y"}\n', "line 2: found a blank line"),
        (b'{"a": "x"}\n{"a": \n', "line 2: found no valid JSON"),
        (b'{"a": "x"}\n["a"]\n', "line 2: found JSON of type list"),
        (b'{"a": "x"}\n' + b"[" * 100_000 + b"\n", "line 2: found no valid JSON"),
    ],
)
def test_a_line_that_is_no_object_is_located(data: bytes, message: str) -> None:
    with pytest.raises(MalformedFileError, match=f"f: {message}"):
        read_json_lines("f", data)


@pytest.mark.parametrize(
    ("value", "found"), [("3", "type int"), ("null", "nothing"), (r'"\ud800"', "surrogate")]
)
def test_a_value_that_is_no_text_is_located(value: str, found: str) -> None:
    table = read_json_lines("f", f'{{"a": "x"}}\n{{"a": {value}}}\n'.encode())
    with pytest.raises(MalformedFileError, match=f"f: line 2: found .*{found}.* in key 'a'"):
        table.select("system", "a")


def test_a_missing_key_is_an_error_for_outputs() -> None:
    table = read_json_lines("f", b'{"a": "x", "b": "y"}\n{"a": "z"}\n')
    with pytest.raises(MalformedFileError, match="f: line 2: found nothing in key 'b'"):
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
    with pytest.raises(MalformedFileError, match="line 2: found a NUL character in key 'a'"):
        read_json_lines("f", b'{"a": "x"}\n{"a": "y\\u0000"}\n').select("system", "a")


def test_labels_of_some_segments_only_do_not_keep_a_text_from_being_read(folder: Folder) -> None:
    rows = '{"t": "x", "doc": 1, "domain": null}\n{"t": "y", "doc": 2, "domain": "news"}\n'
    path = folder.write("t.jsonl", rows)
    plain = folder.write("plain", "a\nb\n")
    test_set = read_test_set([f"{path}#t"], [plain])
    assert (test_set.documents, test_set.domains) == (("1", "2"), None)
    with pytest.raises(MalformedFileError, match="line 1: found nothing in key 'domain'"):
        read_test_set([plain], [plain], documents=path)
