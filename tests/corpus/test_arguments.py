from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from truebleu.corpus import Segments, as_outputs, as_references
from truebleu.errors import (
    AbsentSegmentError,
    CorpusError,
    EmptyTextError,
    SegmentTypeError,
    SettingError,
    TransposedReferencesError,
    UnpairedSegmentsError,
)


@pytest.mark.parametrize("outputs", [["a", ""], ("a", ""), Segments(["a", ""])])
def test_outputs_are_handed_on_as_they_are(outputs: Any) -> None:
    assert as_outputs(outputs) is outputs


def test_other_iterables_become_a_list() -> None:
    assert as_outputs(iter(["a", "b"])) == ["a", "b"]  # type: ignore[arg-type]
    assert as_references((c for c in "ab"), 2) == [["a", "b"]]  # type: ignore[arg-type]


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
        UnpairedSegmentsError, match=r"references\[1\]: 1 segments, but outputs has 2"
    ):
        as_references([["a", "b"], ["c"]], 2)
    with pytest.raises(UnpairedSegmentsError, match=r"references\[0\]: 3 .* outputs has 2"):
        as_references(["a", "b", "c"], 2)


@pytest.mark.parametrize("empty", [[], (), Segments([])])
def test_nothing_is_not_a_text(empty: Any) -> None:
    with pytest.raises(EmptyTextError, match="outputs"):
        as_outputs(empty)
    with pytest.raises(EmptyTextError, match="references"):
        as_references(empty, 1)


@pytest.mark.parametrize("outputs", [["a", None], Segments(["a", None])])
def test_an_output_must_not_be_absent(outputs: Any) -> None:
    with pytest.raises(AbsentSegmentError, match="outputs: segment 2: found None"):
        as_outputs(outputs)


def test_every_segment_needs_a_reference() -> None:
    with pytest.raises(AbsentSegmentError, match="segment 2: found only None"):
        as_references([["a", None, "c"], Segments(["d", None, None])], 3)


@pytest.mark.parametrize(("stranger", "kind"), [(1, "int"), (b"b", "bytes"), (["b"], "list")])
def test_a_segment_that_is_not_text_is_located(stranger: Any, kind: str) -> None:
    with pytest.raises(SegmentTypeError, match=f"outputs: segment 2: found {kind}, expected str"):
        as_outputs(["a", stranger])
    with pytest.raises(SegmentTypeError, match=rf"references\[1\]: segment 2: found {kind}"):
        as_references([["a", "b"], ["a", stranger]], 2)


def test_native_references_may_be_mixed_with_lists() -> None:
    native = Segments(["a", None])
    assert as_references([native, ["b", "c"]], 2) == [native, ["b", "c"]]


def test_a_type_error_may_be_caught_as_either() -> None:
    with pytest.raises(TypeError):
        as_outputs([1])  # type: ignore[list-item]
    with pytest.raises(CorpusError):
        as_outputs([1])  # type: ignore[list-item]


@pytest.mark.parametrize("stranger", [{"a", "b"}, {"a": 1, "b": 2}, {"a": 1}.keys()])
def test_what_has_no_order_or_only_keys_is_no_text(stranger: Any) -> None:
    with pytest.raises(SettingError, match=r"outputs: found <class .*expected a list of segments"):
        as_outputs(stranger)
    with pytest.raises(SettingError, match="references: found <class"):
        as_references(stranger, len(stranger))


def test_an_array_of_no_dimension_is_no_text() -> None:
    with pytest.raises(SettingError, match=r"outputs: .* expected a list of segments"):
        as_outputs(np.array("a"))  # type: ignore[arg-type]


def test_arrays_of_str_are_texts() -> None:
    outputs: Any = np.array(["a", "b"])
    references: Any = np.array([["a", "b"], ["c", "d"], ["e", "f"]])
    assert as_outputs(outputs) == ["a", "b"]
    assert len(as_references(references, 2)) == 3
