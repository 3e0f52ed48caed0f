from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pyarrow
import pyarrow.parquet
import pytest

from truebleu.corpus import read_test_set
from truebleu.corpus.tables import read_parquet
from truebleu.errors import MalformedFileError, MissingColumnError, MissingExtraError

if TYPE_CHECKING:
    from .writing import Folder


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


@pytest.mark.parametrize(("value", "found"), [(3, "type int"), (None, "nothing")])
def test_a_value_that_is_no_text_is_located_by_its_row(value: object, found: str) -> None:
    values = [value, value] if value else ["a", value]
    table = read_parquet("f", parquet(x=values, y=["a", "b"]))
    with pytest.raises(MalformedFileError, match=f"f: found .*{found} in row . in column 'x'"):
        table.select("system", "x")


def test_an_unknown_column_lists_the_known_ones() -> None:
    with pytest.raises(MissingColumnError, match="f: no column 'z'; it has x"):
        read_parquet("f", parquet(x=["a"])).select("system", "z")


@pytest.mark.parametrize("data", [b"", b"no parquet", parquet(x=["a"])[:-5]])
def test_damaged_data_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedFileError, match=r"f: found damaged data .*, expected Parquet"):
        read_parquet("f", data)


def test_without_its_package_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"truebleu\[parquet\]"):
        read_parquet("f", b"")


def test_two_columns_of_one_name_are_refused() -> None:
    columns = [pyarrow.array(["a"]), pyarrow.array(["b"])]
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(columns, names=["t", "t"]), buffer)
    with pytest.raises(MalformedFileError, match="f: found 2 columns called 't'"):
        read_parquet("f", buffer.getvalue())
