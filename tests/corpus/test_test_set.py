"""Claims about test sets: how they are made, checked, and examined for what looks wrong."""

from __future__ import annotations

import hashlib
import json
import pickle
import random
import re
import unicodedata
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from truebleu import errors
from truebleu.corpus import Segments, TestSet, TextLike, TextWarning, as_test_set, read_test_set
from truebleu.corpus.test_set import fingerprint
from truebleu.schema import plain

if TYPE_CHECKING:
    from tests.writing import Folder


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


@pytest.mark.parametrize("outputs", [("a", ""), Segments(["a", ""])])
def test_what_cannot_change_is_handed_on_as_it_is(outputs: Any) -> None:
    assert as_outputs(outputs) is outputs


def test_a_test_set_stays_as_it_is_when_the_callers_lists_change() -> None:
    outputs, reference, names = ["a b", "c"], ["a", "c d"], ["x", "y"]
    test_set = as_test_set({"s": outputs}, [reference], source=names, documents=names)
    before = (test_set.fingerprint, test_set.output_fingerprint("s"), repr(test_set))
    outputs[0], names[1] = "other", "z"
    reference.append("more")
    assert (test_set.fingerprint, test_set.output_fingerprint("s"), repr(test_set)) == before


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


def test_what_could_be_either_way_round_is_by_translator() -> None:
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
def test_what_has_no_order_is_no_text(stranger: Any) -> None:
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
    with pytest.raises(errors.SettingError, match=r"references: .* none beside a TestSet"):
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
def test_what_is_said_of_segments_must_be_as_long(field: str) -> None:
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


# Fingerprints of references.

SAME: list[list[str | None]] = [["a cat", "a dog"], ["the cat", None]]


def test_it_is_the_sha_256_of_numbers_and_texts() -> None:
    texts = b"5 bytes\na cat5 bytes\na dog", b"7 bytes\nthe catnone\n"
    digests = [hashlib.sha256(text).digest() for text in texts]
    plain = b"2 references\n" + b"".join(b"2 segments\n" + digest for digest in digests)
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


# Warnings.


VOCABULARY = "the a small big cat dog house tree sees finds old new river over under red"


def sentences(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)  # noqa: S311
    return [" ".join(rng.choices(VOCABULARY.split(), k=rng.randint(6, 14))) for _ in range(count)]


def translated(segments: list[str]) -> list[str]:
    """Other outputs for the same segments: every third word is left out."""
    return [" ".join(w for i, w in enumerate(s.split()) if i % 3) for s in segments]


def text(segments: list[str]) -> str:
    return "".join(f"{segment}\n" for segment in segments)


def warnings(folder: Folder, system: str, reference: str) -> dict[str, TextWarning]:
    every = folder.read(system, reference).warnings
    assert len({(warning.code, warning.text) for warning in every}) == len(every)
    return {w.code: w for w in every if w.text == str(folder.path / "system")}


def test_clean_texts_have_no_warnings(folder: Folder) -> None:
    reference = sentences(60)
    assert warnings(folder, text(translated(reference)), text(reference)) == {}


@pytest.mark.parametrize(
    ("written", "code", "count", "segment"),
    [
        ("\ufeffa\nb\nc\n", "byte-order-mark", 1, 1),
        ("a\nb\r\nc\r\n", "crlf", 2, None),
        ("a\nb\tb\t\nc\n", "tabs", 2, 2),
        ("a\nb\rb\nc\n", "carriage-returns", 1, 2),
        ("a\u2028\nb\x85b\x0b\nc\x0c\u2029\n", "line-breaks", 5, 1),
        ("a\nb\u200bb\nc\ufeff\n", "zero-width", 2, 2),
        ("a\n\nc\n", "blank", 1, 2),
        ("a\n \n\n", "mostly-empty", 2, 2),
        ("e\u0301\n\u00e9\nc\n", "normalization", 1, 1),
    ],
)
def test_what_a_file_contains_is_reported(
    folder: Folder, written: str, code: str, count: int, segment: int | None
) -> None:
    reported = warnings(folder, written, "r\ns\nt\n")
    assert set(reported) == {code}
    warning = reported[code]
    assert (warning.count, warning.segment) == (count, segment)
    assert warning.message.startswith(f"{folder.path / 'system'}: ")
    assert "\n" not in warning.message
    assert json.loads(json.dumps(plain(warning)))["code"] == code


def test_zero_width_characters_that_a_script_needs_are_fine(folder: Folder) -> None:
    assert warnings(folder, "می\u200cخواهم\n👩\u200d🚀\nक्\u200dष\n", "a\nb\nc\n") == {}


def test_decomposed_text_is_reported_where_others_are_composed(folder: Folder) -> None:
    composed = "été\nnaïve\ngarçon\n"
    decomposed = unicodedata.normalize("NFD", composed)
    assert warnings(folder, decomposed, composed)["normalization"].count == 3
    assert "normalization" not in warnings(folder, decomposed + "x\n", decomposed + "y\n")
    assert "normalization" not in warnings(folder, composed + "x\n", composed + "y\n")


def test_findings_of_a_table_name_the_column_and_those_of_its_file_come_once(
    folder: Folder,
) -> None:
    path = folder.write("t.tsv", "\ufeffref\tmt\nr\ta\u200b\ns\tb\n")
    reported = read_test_set([f"{path}#mt"], [f"{path}#ref"]).warnings
    assert [(warning.code, warning.text) for warning in reported] == [
        ("byte-order-mark", path),
        ("zero-width", f"{path}#mt"),
    ]


def test_identical_texts_are_reported(folder: Folder) -> None:
    a, b = folder.write("a", "x\ny\n"), folder.write("b", "x\ny\n")
    other, same = folder.write("other", "u\nv\n"), folder.write("same", "u\nv\n")
    reported = read_test_set([a, b, other], [same, f"z={b}"], source=a).warnings
    assert {(warning.code, warning.text) for warning in reported} == {
        ("same-as-source", a),
        ("same-as-reference", a),
        ("same-as-source", b),
        ("same-as-reference", b),
        ("same-as-system", b),
        ("same-as-reference", other),
    }
    reported = read_test_set([], [other, same]).warnings
    assert [(warning.code, warning.text) for warning in reported] == [("same-as-reference", same)]


def test_a_text_in_two_roles_is_reported_once(folder: Folder) -> None:
    path = folder.write("a", "x\ty\n")
    others = [folder.write(name, "x\ty\n") for name in ("b", "c")]
    reported = read_test_set([path, *others], [path, folder.write("d", "x\ty\n")]).warnings
    assert len(reported) == len({(warning.code, warning.text) for warning in reported})


def test_a_lost_first_line_is_noticed(folder: Folder) -> None:
    reference = sentences(80)
    outputs = translated(reference)
    reported = warnings(folder, text([*outputs[1:], outputs[-1]]), text(reference))
    assert (reported["shifted"].segment, reported["shifted"].count) == (1, 79)
    assert "segments 1 to 79" in reported["shifted"].message
    assert "moved down by 1; 1 line lost at segment 1?" in reported["shifted"].message


def test_an_extra_line_in_the_middle_is_noticed(folder: Folder) -> None:
    reference = sentences(80)
    outputs = translated(reference)
    reported = warnings(folder, text([*outputs[:40], "", *outputs[40:-1]]), text(reference))
    assert reported["shifted"].segment == 42
    assert "moved up by 1; 1 line extra at segment 42?" in reported["shifted"].message


DATA = (
    "four-references",
    "iwslt-optimizer-runs",
    "ted-mqm-en-de",
    "wmt21-en-de",
    "wmt23-en-cs",
    "wmt23-en-ja",
    "wmt23-he-en",
    "wmt23-zh-en",
    "wmt24-en-es",
)


def real_files(folder: Path) -> tuple[list[str], list[str]]:
    references = sorted(folder.glob("ref*.txt"))
    beside = sorted(set(folder.glob("*.txt")) - set(references) - {folder / "src.txt"})
    systems = sorted((folder / "sys").glob("*.txt")) or beside
    return [str(path) for path in systems], [str(path) for path in references]


def plainly_counted(path: str, code: str) -> int:
    data = Path(path).read_bytes()
    segments = data.decode("utf-8-sig").removesuffix("\n").split("\n")
    match code:
        case "byte-order-mark":
            return int(data.startswith(b"\xef\xbb\xbf"))
        case "tabs":
            return sum(segment.count("\t") for segment in segments)
        case "blank":
            return sum(not segment.strip() for segment in segments)
        case "tokenized":
            return sum(segment.rstrip().endswith(" .") for segment in segments)
        case "zero-width":
            joined = re.sub("\u200d[\u2640\u2642]", "", "\n".join(segments))  # parts of emoji
            return sum(map(joined.count, "\u200b\u200c\u200d\u2060\ufeff"))
        case _:
            return -1


@pytest.mark.parametrize("name", DATA)
def test_findings_on_real_data_are_true(shared: Path, name: str) -> None:
    systems, references = real_files(shared / "data" / name)
    for warning in read_test_set(systems, references).warnings:
        if warning.code == "same-as-system":
            other = warning.message.partition("the system ")[2].partition(";")[0]
            assert Path(warning.text).read_bytes() == Path(other).read_bytes()
        else:
            assert warning.count == plainly_counted(warning.text, warning.code)


@pytest.mark.parametrize("name", DATA)
def test_lost_lines_are_noticed_in_real_data(shared: Path, folder: Folder, name: str) -> None:
    systems, references = real_files(shared / "data" / name)
    outputs = Path(systems[0]).read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")
    for place in (0, len(outputs) // 2):
        lost = [*outputs[:place], *outputs[place + 1 :], outputs[-1]]
        system = folder.write("lost", text(lost))
        shifted = [f for f in read_test_set([system], references).warnings if f.code == "shifted"]
        assert len(shifted) == 1
        assert shifted[0].segment == pytest.approx(place + 1, abs=3)


def test_texts_from_memory_are_examined_on_request() -> None:
    reference = sentences(60)
    systems = {"a": translated(reference), "copy": reference, "tabs": ["a\tb", *reference[1:]]}
    test_set = as_test_set(systems, {"ref": reference}, source=["\u200bx"] * 60)
    assert test_set.warnings == ()
    examined = test_set.examined()
    assert {(warning.text, warning.code) for warning in examined.warnings} == {
        ("copy", "same-as-reference"),
        ("tabs", "tabs"),
        ("source", "zero-width"),
    }
    assert {name: list(text) for name, text in examined.systems.items()} == systems
    assert examined.examined() is examined


def test_outputs_that_end_in_a_space_and_a_full_stop_look_tokenized() -> None:
    reference = [f"{line}." for line in sentences(150)]
    tokenized = [f"{line} ." for line in translated(sentences(150))]

    def codes(system: list[str]) -> list[str]:
        test_set = as_test_set(system, [f"{line} ." for line in reference]).examined()
        return [warning.code for warning in test_set.warnings]

    # sacreBLEU's rule: a hundred of them, in outputs only.
    assert codes([*tokenized[:100], *reference[100:]]) == ["tokenized"]
    assert codes([*tokenized[:99], *reference[99:]]) == []


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
