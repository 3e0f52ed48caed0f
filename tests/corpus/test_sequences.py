"""Texts and labels in memory: data frames and their columns."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

from truebleu import errors
from truebleu.corpus import as_test_set

# pandas and polars are not needed to test what is asked of them.


class Column:
    """A column like one of pandas, where a missing value is a float that is not a number."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __iter__(self) -> Any:
        return iter(self.values)

    def isna(self) -> list[bool]:
        return [not isinstance(value, str) for value in self.values]


class Table:
    """A data frame like those of pandas and polars."""

    def __init__(self, columns: dict[Any, list[Any]]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[Any]:
        return list(self._columns)

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __getitem__(self, name: Any) -> Column:
        return Column(self._columns[name])


def test_the_columns_of_a_data_frame_are_systems_or_references() -> None:
    outputs = Table({"a": ["x", "y"], 2: ["y", "x"]})
    references = Table({"refA": ["x", float("nan")], "refB": ["z", "z"]})
    test_set = as_test_set(outputs, references)
    assert test_set.systems == {"a": ("x", "y"), "2": ("y", "x")}
    assert test_set.references == (("x", None), ("z", "z"))
    assert test_set.reference_names == ("refA", "refB")
    assert as_test_set(outputs["a"], references["refB"]).references == (("z", "z"),)  # type: ignore[arg-type]


def test_tables_and_columns_of_arrow_are_texts() -> None:
    table = pa.table({"a": ["x", "y"], "b": ["y", "x"]})
    test_set = as_test_set(table, table["b"])
    assert test_set.systems == {"a": ("x", "y"), "b": ("y", "x")}
    assert test_set.references == (("y", "x"),)
    assert as_test_set(table["a"], [table["a"], table["b"]]).references == (("x", "y"), ("y", "x"))
    assert as_test_set(table, table, documents=table["a"]).documents == ("x", "y")


def test_a_data_frame_where_a_text_should_be_is_refused() -> None:
    table = Table({"a": ["x"]})
    with pytest.raises(errors.SettingError, match=r"a: <class .*Table'>; expected a list"):
        as_test_set({"a": table}, ["x"])
    with pytest.raises(errors.SettingError, match="source: <class"):
        as_test_set(["x"], ["x"], source=table)  # type: ignore[arg-type]
    with pytest.raises(errors.EmptyTextError, match="references"):
        as_test_set(["x"], Table({}))
    with pytest.raises(errors.DuplicateSystemError, match="'1'"):
        as_test_set(Table({1: ["x"], "1": ["y"]}), ["x"])
    with pytest.raises(errors.SegmentTypeError, match="n: segment 1: int"):
        as_test_set(pa.table({"n": [1]}), ["x"])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_real_data_frames_are_outputs_and_references(library: str) -> None:
    frames = import_module(library)
    outputs = frames.DataFrame({"a": ["x y", "z"], "b": ["x", "y z"]})
    references = frames.DataFrame({"one": ["x y", "z"], "two": ["x", "z z"]})
    test_set = as_test_set(outputs, references)
    assert {name: list(text) for name, text in test_set.systems.items()} == {
        "a": ["x y", "z"],
        "b": ["x", "y z"],
    }
    assert [list(text) for text in test_set.references] == [["x y", "z"], ["x", "z z"]]
    assert list(as_test_set(outputs["a"], references["one"]).references[0]) == ["x y", "z"]
