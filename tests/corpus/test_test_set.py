from __future__ import annotations

import hashlib
import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from truebleu.corpus import Segments, TestSet, TextLike, as_test_set
from truebleu.corpus.test_set import fingerprint
from truebleu.errors import (
    AbsentSegmentError,
    CorpusError,
    DuplicateSystemError,
    EmptyTextError,
    SegmentTypeError,
    SettingError,
    TransposedReferencesError,
    UnpairedSegmentsError,
)


def as_outputs(outputs: Any) -> TextLike:
    try:
        length = len(outputs)
    except TypeError:
        length = 2
    return as_test_set(outputs, [""] * (length or 1)).systems["system"]


def as_references(references: Any, length: int) -> list[TextLike]:
    return list(as_test_set([""] * length, references).references)


def test_the_outline_counts_segments_documents_and_domains() -> None:
    test_set = TestSet(
        systems={"a": Segments(["x", "y", "z"])},
        references=(Segments(["x", "y", "z"]),),
        reference_names=("ref",),
        documents=("d1", "d1", "d2"),
        domains=("news", "news", "news"),
    )
    outline = {
        "segments": 3,
        "references": 1,
        "reference_names": ["ref"],
        "documents": 2,
        "domains": 1,
    }
    assert len(test_set) == 3
    assert json.loads(json.dumps(test_set.to_dict())) == outline


def test_what_is_unknown_is_none() -> None:
    text = Segments(["x"])
    outline = TestSet(systems={}, references=(text,), reference_names=("r",)).to_dict()
    assert outline["documents"] is None
    assert outline["domains"] is None


@pytest.mark.parametrize("outputs", [["a", ""], ("a", ""), Segments(["a", ""])])
def test_outputs_are_handed_on_as_they_are(outputs: Any) -> None:
    assert as_outputs(outputs) is outputs


def test_other_iterables_become_a_list() -> None:
    assert as_outputs(iter(["a", "b"])) == ["a", "b"]
    assert as_references((c for c in "ab"), 2) == [["a", "b"]]


def test_one_reference_may_be_given_as_it_is() -> None:
    assert as_references(["a", "b"], 2) == [["a", "b"]]
    native = Segments(["a", "b"])
    assert as_references(native, 2) == [native]


def test_several_references_are_grouped_by_translator() -> None:
    assert as_references([["a", "b", "c"], ("d", None, "f")], 3) == [
        ["a", "b", "c"],
        ("d", None, "f"),
    ]


def test_what_could_be_either_way_round_is_by_translator() -> None:
    assert as_references([["a", "b"], ["c", "d"]], 2) == [["a", "b"], ["c", "d"]]


def test_a_reference_may_begin_with_none() -> None:
    assert as_references([[None, "b"], ["c", None]], 2) == [[None, "b"], ["c", None]]
    with pytest.raises(AbsentSegmentError, match="segment 1"):
        as_references([None, "b"], 2)


@pytest.mark.parametrize("call", [as_outputs, lambda text: as_references(text, 3)])
def test_a_lone_str_is_not_a_list_of_letters(call: Any) -> None:
    with pytest.raises(SettingError, match=r"found 'abc', expected a list of segments"):
        call("abc")
    with pytest.raises(SettingError):
        call(3)


def test_a_str_among_groups_is_refused() -> None:
    with pytest.raises(SettingError, match=r"references\[1\]"):
        as_references([["a", "b"], "cd"], 2)


def test_groups_by_segment_are_told_from_groups_by_translator() -> None:
    with pytest.raises(TransposedReferencesError, match="3 lists of 2 for 3 outputs") as caught:
        as_references([["a", "b"], ["c", "d"], ["e", "f"]], 3)
    assert "zip" in str(caught.value)
    with pytest.raises(TransposedReferencesError):
        as_references([["a", "b"]], 1)


def test_a_short_reference_is_named() -> None:
    with pytest.raises(
        UnpairedSegmentsError, match=r"references\[1\]: 1 segments, but system has 2"
    ):
        as_references([["a", "b"], ["c"]], 2)
    with pytest.raises(UnpairedSegmentsError, match=r"references\[0\]: 3 .* system has 2"):
        as_references(["a", "b", "c"], 2)


@pytest.mark.parametrize("empty", [[], (), Segments([])])
def test_nothing_is_not_a_text(empty: Any) -> None:
    with pytest.raises(EmptyTextError, match="system"):
        as_outputs(empty)
    with pytest.raises(EmptyTextError, match="references"):
        as_references(empty, 1)


@pytest.mark.parametrize("outputs", [["a", None], Segments(["a", None])])
def test_an_output_must_not_be_absent(outputs: Any) -> None:
    with pytest.raises(AbsentSegmentError, match="system: segment 2: found None"):
        as_outputs(outputs)


def test_every_segment_needs_a_reference() -> None:
    with pytest.raises(AbsentSegmentError, match="segment 2: found only None"):
        as_references([["a", None, "c"], Segments(["d", None, None])], 3)


@pytest.mark.parametrize(("stranger", "kind"), [(1, "int"), (b"b", "bytes"), (["b"], "list")])
def test_a_segment_that_is_not_text_is_located(stranger: Any, kind: str) -> None:
    with pytest.raises(SegmentTypeError, match=f"system: segment 2: found {kind}, expected str"):
        as_outputs(["a", stranger])
    with pytest.raises(SegmentTypeError, match=rf"references\[1\]: segment 2: found {kind}"):
        as_references([["a", "b"], ["a", stranger]], 2)


def test_native_references_may_be_mixed_with_lists() -> None:
    native = Segments(["a", None])
    assert as_references([native, ["b", "c"]], 2) == [native, ["b", "c"]]


def test_a_type_error_may_be_caught_as_either() -> None:
    with pytest.raises(TypeError):
        as_outputs([1])
    with pytest.raises(CorpusError):
        as_outputs([1])


@pytest.mark.parametrize("stranger", [{"a", "b"}, {"a": 1}.keys()])
def test_what_has_no_order_is_no_text(stranger: Any) -> None:
    with pytest.raises(SettingError, match=r"system: found <class .*expected a list of segments"):
        as_outputs(stranger)
    with pytest.raises(SettingError, match="references: found <class"):
        as_references(stranger, len(stranger))


def test_a_mapping_is_texts_by_name_and_nothing_else() -> None:
    with pytest.raises(SettingError, match="a: found 1, expected a list of segments"):
        as_references({"a": 1}, 1)
    with pytest.raises(SettingError, match="a: found 'text', expected a list of segments"):
        as_test_set({"a": "text"}, ["text"])
    with pytest.raises(SettingError, match=r"references\[1\]: found <class 'dict'>"):
        as_references([["a", "b"], {"a": 1, "b": 2}], 2)
    with pytest.raises(SettingError, match="systems: found 1, expected a name"):
        as_test_set({1: ["text"]}, ["text"])  # type: ignore[dict-item]
    test_set = as_test_set({"s": ["x"]}, {"A": ["y"], "B": ["z"]})
    assert test_set.reference_names == ("A", "B")
    assert test_set.references == (["y"], ["z"])


def test_an_array_of_no_dimension_is_no_text() -> None:
    with pytest.raises(SettingError, match=r"system: .* expected a list of segments"):
        as_outputs(np.array("a"))


def test_arrays_of_str_are_texts() -> None:
    outputs: Any = np.array(["a", "b"])
    references: Any = np.array([["a", "b"], ["c", "d"], ["e", "f"]])
    assert as_outputs(outputs) == ["a", "b"]
    assert len(as_references(references, 2)) == 3


def test_a_test_set_is_handed_on_as_it_is() -> None:
    test_set = as_test_set(["a"], ["b"])
    assert as_test_set(test_set) is test_set
    with pytest.raises(SettingError, match=r"references: .* none beside a TestSet"):
        as_test_set(test_set, ["b"])
    with pytest.raises(SettingError, match="references: found None"):
        as_test_set(["a"])


def test_labels_are_kept_as_a_tuple_of_str() -> None:
    test_set = as_test_set(["a", "b"], ["c", "d"], source=["e", "f"], documents=[1, 2])
    assert (test_set.source, test_set.documents) == (["e", "f"], ("1", "2"))


def test_a_test_set_is_checked_when_it_is_made() -> None:
    with pytest.raises(UnpairedSegmentsError, match=r"r: 1 segments, but a has 2"):
        TestSet(systems={"a": ["x", "y"]}, references=(["x"],), reference_names=("r",))
    with pytest.raises(UnpairedSegmentsError, match=r"b: 1 segments, but a has 2"):
        TestSet(systems={"a": ["x", "y"], "b": ["x"]}, references=(["x", "y"],))
    with pytest.raises(EmptyTextError, match="references"):
        TestSet(systems={"a": ["x"]}, references=())
    with pytest.raises(SettingError, match="reference_names: found '2 names of 1 references'"):
        TestSet(systems={"a": ["x"]}, references=(["x"],), reference_names=("r", "s"))
    with pytest.raises(
        SettingError, match=r"systems: found \['x'\], expected lists of segments by"
    ):
        TestSet(systems=["x"], references=(["x"],))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["source", "documents", "domains"])
def test_what_is_said_of_segments_must_be_as_long(field: str) -> None:
    test_set: Any = as_test_set(["a", "b"], ["a", "b"])
    with pytest.raises(UnpairedSegmentsError, match=f"{field}: 1 segments, but system has 2"):
        replace(test_set, **{field: ["x"]})
    with pytest.raises(SegmentTypeError, match=f"{field}: segment 2: found float"):
        replace(test_set, **{field: ["x", 1.5]})
    with pytest.raises(SettingError, match=f"{field}: found 'ab', expected a list"):
        replace(test_set, **{field: "ab"})


def test_a_test_set_of_references_alone_has_no_systems() -> None:
    test_set = TestSet(systems={}, references=(["a", "b"], ["c", None]))
    assert (len(test_set), test_set.reference_names) == (2, ("reference 1", "reference 2"))
    with pytest.raises(UnpairedSegmentsError):
        TestSet(systems={}, references=(["a", "b"], ["c"]))
    with pytest.raises(EmptyTextError, match="systems"):
        as_test_set({}, ["a"])


def test_a_test_set_may_be_pickled_and_compared() -> None:
    test_set = as_test_set({"a": ["x", "y"]}, Segments(["x", "z"]), documents=["d", "d"])
    assert pickle.loads(pickle.dumps(test_set)) == test_set  # noqa: S301
    assert replace(test_set, documents=None) != test_set


# Data frames. pandas and polars are not needed to test what is asked of them.


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
    assert test_set.systems == {"a": ["x", "y"], "2": ["y", "x"]}
    assert test_set.references == (["x", None], ["z", "z"])
    assert test_set.reference_names == ("refA", "refB")
    assert as_test_set(outputs["a"], references["refB"]).references == (["z", "z"],)  # type: ignore[arg-type]


def test_tables_and_columns_of_arrow_are_texts() -> None:
    table = pa.table({"a": ["x", "y"], "b": ["y", "x"]})
    test_set = as_test_set(table, table["b"])
    assert test_set.systems == {"a": ["x", "y"], "b": ["y", "x"]}
    assert test_set.references == (["y", "x"],)
    assert as_test_set(table["a"], [table["a"], table["b"]]).references == (["x", "y"], ["y", "x"])
    assert as_test_set(table, table, documents=table["a"]).documents == ("x", "y")


def test_a_data_frame_where_a_text_should_be_is_refused() -> None:
    table = Table({"a": ["x"]})
    with pytest.raises(SettingError, match=r"a: found <class .*Table'>, expected a list"):
        as_test_set({"a": table}, ["x"])  # type: ignore[dict-item]
    with pytest.raises(SettingError, match="source: found <class"):
        as_test_set(["x"], ["x"], source=table)  # type: ignore[arg-type]
    with pytest.raises(EmptyTextError, match="references"):
        as_test_set(["x"], Table({}))
    with pytest.raises(DuplicateSystemError, match="'1'"):
        as_test_set(Table({1: ["x"], "1": ["y"]}), ["x"])
    with pytest.raises(SegmentTypeError, match="n: segment 1: found int"):
        as_test_set(pa.table({"n": [1]}), ["x"])


# Fingerprints of references.

SAME: list[list[str | None]] = [["a cat", "a dog"], ["the cat", None]]


def test_it_is_the_sha_256_of_numbers_and_texts() -> None:
    plain = (
        b"2 references\n2 segments\n5 bytes\na cat5 bytes\na dog2 segments\n7 bytes\nthe catnone\n"
    )
    assert fingerprint(SAME) == f"sha256:{hashlib.sha256(plain).hexdigest()}"


def test_it_does_not_depend_on_the_type_of_the_texts() -> None:
    assert fingerprint([Segments(text) for text in SAME]) == fingerprint(SAME)


@pytest.mark.parametrize(
    "other",
    [
        [["a cat", "a dog"], ["the cat", ""]],
        [["a cat", "a dog "], ["the cat", None]],
        [["a cat", "a dog"]],
        [["the cat", None], ["a cat", "a dog"]],
        [["a dog", "a cat"], ["the cat", None]],
        [["a cat", "a dog", "the cat", None]],
        [["a cat5 bytes\na dog"], ["the cat"]],
    ],
    ids=str,
)
def test_any_change_of_the_references_changes_it(other: list[list[str | None]]) -> None:
    assert fingerprint(other) != fingerprint(SAME)
