"""Claims about test sets: how they are made, checked, and examined for what looks wrong."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from truebleu import errors
from truebleu.corpus import Segments, TestSet, TextLike, as_test_set


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
        "rows": "segments",
    }
    assert len(test_set) == 3
    assert json.loads(json.dumps(test_set.to_dict())) == outline


def test_unknown_labels_are_none() -> None:
    text = Segments(["x"])
    outline = TestSet(systems={}, references=(text,), reference_names=("r",)).to_dict()
    assert outline["documents"] is None
    assert outline["domains"] is None


@pytest.mark.parametrize("outputs", [("a", ""), Segments(["a", ""])])
def test_immutable_outputs_are_not_copied(outputs: Any) -> None:
    assert as_outputs(outputs) is outputs


def test_a_test_set_stays_as_it_is_when_the_callers_lists_change() -> None:
    outputs, reference, names = ["a b", "c"], ["a", "c d"], ["x", "y"]
    test_set = as_test_set({"s": outputs}, [reference], source=names, documents=names)
    before = (test_set.fingerprints, repr(test_set))
    outputs[0], names[1] = "other", "z"
    reference.append("more")
    assert (test_set.fingerprints, repr(test_set)) == before


def test_other_iterables_become_a_tuple() -> None:
    assert as_outputs(iter(["a", "b"])) == ("a", "b")
    assert as_references((c for c in "ab"), 2) == [("a", "b")]


def test_one_reference_may_be_given_as_it_is() -> None:
    assert as_references(["a", "b"], 2) == [("a", "b")]
    native = Segments(["a", "b"])
    assert as_references(native, 2) == [native]


def test_several_references_are_grouped_by_translator() -> None:
    texts = [("a", "b", "c"), ("d", None, "f")]
    assert as_references([list(texts[0]), texts[1]], 3) == texts


def test_ambiguous_references_are_read_by_translator() -> None:
    assert as_references([["a", "b"], ["c", "d"]], 2) == [("a", "b"), ("c", "d")]


def test_a_reference_may_begin_with_none() -> None:
    assert as_references([[None, "b"], ["c", None]], 2) == [(None, "b"), ("c", None)]
    with pytest.raises(errors.AbsentSegmentError, match="segment 1"):
        as_references([None, "b"], 2)


@pytest.mark.parametrize("call", [as_outputs, lambda text: as_references(text, 3)])
def test_a_lone_str_is_not_a_list_of_letters(call: Any) -> None:
    with pytest.raises(errors.SettingError, match=r"'abc'; expected a list of segments"):
        call("abc")
    with pytest.raises(errors.SettingError):
        call(3)


def test_a_str_among_groups_is_refused() -> None:
    with pytest.raises(errors.SettingError, match=r"references\[1\]"):
        as_references([["a", "b"], "cd"], 2)


def test_groups_by_segment_are_told_from_groups_by_translator() -> None:
    with pytest.raises(
        errors.TransposedReferencesError, match="3 lists of 2 for 3 outputs"
    ) as caught:
        as_references([["a", "b"], ["c", "d"], ["e", "f"]], 3)
    assert "zip" in str(caught.value)
    with pytest.raises(errors.TransposedReferencesError):
        as_references([["a", "b"]], 1)


def test_a_short_reference_is_named() -> None:
    with pytest.raises(
        errors.UnpairedSegmentsError, match=r"references\[1\]: 1 segments, but system has 2"
    ):
        as_references([["a", "b"], ["c"]], 2)
    with pytest.raises(errors.UnpairedSegmentsError, match=r"references\[0\]: 3 .* system has 2"):
        as_references(["a", "b", "c"], 2)


@pytest.mark.parametrize("empty", [[], (), Segments([])])
def test_nothing_is_not_a_text(empty: Any) -> None:
    with pytest.raises(errors.EmptyTextError, match="system"):
        as_outputs(empty)
    with pytest.raises(errors.EmptyTextError, match="references"):
        as_references(empty, 1)


@pytest.mark.parametrize("outputs", [["a", None], Segments(["a", None])])
def test_an_output_must_not_be_absent(outputs: Any) -> None:
    with pytest.raises(errors.AbsentSegmentError, match="system: segment 2: None"):
        as_outputs(outputs)


def test_every_segment_needs_a_reference() -> None:
    with pytest.raises(errors.AbsentSegmentError, match="segment 2: only None"):
        as_references([["a", None, "c"], Segments(["d", None, None])], 3)


@pytest.mark.parametrize(("stranger", "kind"), [(1, "int"), (b"b", "bytes"), (["b"], "list")])
def test_a_segment_that_is_not_text_is_located(stranger: Any, kind: str) -> None:
    with pytest.raises(errors.SegmentTypeError, match=f"system: segment 2: {kind}; expected str"):
        as_outputs(["a", stranger])
    with pytest.raises(errors.SegmentTypeError, match=rf"references\[1\]: segment 2: {kind}"):
        as_references([["a", "b"], ["a", stranger]], 2)


def test_native_references_may_be_mixed_with_lists() -> None:
    native = Segments(["a", None])
    assert as_references([native, ["b", "c"]], 2) == [native, ("b", "c")]


def test_a_type_error_may_be_caught_as_either() -> None:
    with pytest.raises(TypeError):
        as_outputs([1])
    with pytest.raises(errors.CorpusError):
        as_outputs([1])


@pytest.mark.parametrize("stranger", [{"a", "b"}, {"a": 1}.keys()])
def test_a_set_is_not_a_text(stranger: Any) -> None:
    with pytest.raises(errors.SettingError, match=r"system: <class .*expected a list of segments"):
        as_outputs(stranger)
    with pytest.raises(errors.SettingError, match="references: <class"):
        as_references(stranger, len(stranger))


def test_a_mapping_is_texts_by_name_and_nothing_else() -> None:
    with pytest.raises(errors.SettingError, match="a: 1; expected a list of segments"):
        as_references({"a": 1}, 1)
    with pytest.raises(errors.SettingError, match="a: 'text'; expected a list of segments"):
        as_test_set({"a": "text"}, ["text"])
    with pytest.raises(errors.SettingError, match=r"references\[1\]: <class 'dict'>"):
        as_references([["a", "b"], {"a": 1, "b": 2}], 2)
    with pytest.raises(errors.SettingError, match="systems: 1; expected a name"):
        as_test_set({1: ["text"]}, ["text"])  # type: ignore[dict-item]
    test_set = as_test_set({"s": ["x"]}, {"A": ["y"], "B": ["z"]})
    assert test_set.reference_names == ("A", "B")
    assert test_set.references == (("y",), ("z",))


def test_an_array_of_no_dimension_is_no_text() -> None:
    with pytest.raises(errors.SettingError, match=r"system: .* expected a list of segments"):
        as_outputs(np.array("a"))


def test_arrays_of_str_are_texts() -> None:
    outputs: Any = np.array(["a", "b"])
    references: Any = np.array([["a", "b"], ["c", "d"], ["e", "f"]])
    assert as_outputs(outputs) == ("a", "b")
    assert len(as_references(references, 2)) == 3


def test_a_test_set_is_handed_on_as_it_is() -> None:
    test_set = as_test_set(["a"], ["b"])
    assert as_test_set(test_set) is test_set
    with pytest.raises(errors.SettingError, match=r"references: .* None, because the TestSet"):
        as_test_set(test_set, ["b"])
    with pytest.raises(errors.SettingError, match="references: None"):
        as_test_set(["a"])


def test_labels_are_kept_as_a_tuple_of_str() -> None:
    test_set = as_test_set(["a", "b"], ["c", "d"], source=["e", "f"], documents=[1, 2])
    assert (test_set.source, test_set.documents) == (("e", "f"), ("1", "2"))
    assert as_test_set(["a", "b"], ["c", "d"], documents=np.array([1, 2])) == replace(
        test_set, source=None
    )


def test_a_label_says_something() -> None:
    with pytest.raises(
        errors.SettingError, match=r"documents: ' '; expected a label for segment 2"
    ):
        as_test_set(["a", "b"], ["c", "d"], documents=["x", " "])


def test_a_test_set_is_checked_when_it_is_made() -> None:
    with pytest.raises(errors.UnpairedSegmentsError, match=r"r: 1 segments, but a has 2"):
        TestSet(systems={"a": ["x", "y"]}, references=(["x"],), reference_names=("r",))
    with pytest.raises(errors.UnpairedSegmentsError, match=r"b: 1 segments, but a has 2"):
        TestSet(systems={"a": ["x", "y"], "b": ["x"]}, references=(["x", "y"],))
    with pytest.raises(errors.EmptyTextError, match="references"):
        TestSet(systems={"a": ["x"]}, references=())
    with pytest.raises(errors.SettingError, match="reference_names: '2 names of 1 references'"):
        TestSet(systems={"a": ["x"]}, references=(["x"],), reference_names=("r", "s"))
    with pytest.raises(
        errors.SettingError, match=r"systems: \['x'\]; expected lists of segments by"
    ):
        TestSet(systems=["x"], references=(["x"],))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["source", "documents", "domains"])
def test_labels_need_one_item_per_segment(field: str) -> None:
    test_set: Any = as_test_set(["a", "b"], ["a", "b"])
    with pytest.raises(
        errors.UnpairedSegmentsError, match=f"{field}: 1 segments, but system has 2"
    ):
        replace(test_set, **{field: ["x"]})
    with pytest.raises(errors.SegmentTypeError, match=f"{field}: segment 2: float"):
        replace(test_set, **{field: ["x", 1.5]})
    with pytest.raises(errors.SettingError, match=f"{field}: 'ab'; expected a list"):
        replace(test_set, **{field: "ab"})


def test_a_test_set_of_references_alone_has_no_systems() -> None:
    test_set = TestSet(systems={}, references=(["a", "b"], ["c", None]))
    assert (len(test_set), test_set.reference_names) == (2, ("reference 1", "reference 2"))
    with pytest.raises(errors.UnpairedSegmentsError):
        TestSet(systems={}, references=(["a", "b"], ["c"]))
    with pytest.raises(errors.EmptyTextError, match="systems"):
        as_test_set({}, ["a"])


def test_a_test_set_may_be_pickled_and_compared() -> None:
    test_set = as_test_set({"a": ["x", "y"]}, Segments(["x", "z"]), documents=["d", "d"])
    assert pickle.loads(pickle.dumps(test_set)) == test_set  # noqa: S301
    assert replace(test_set, documents=None) != test_set
