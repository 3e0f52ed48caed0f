from __future__ import annotations

import pytest

from truebleu.corpus import read_test_set
from truebleu.errors import AbsentSegmentError, MisalignedSegmentsError, UnpairedSegmentsError

from .writing import Folder, lines


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
    with pytest.raises(MisalignedSegmentsError, match=r"s\.sgm: no segment '2' .*'d' and 1 more"):
        read_test_set([folder.write("s.sgm", marked("tstset", "1"))], [reference])
    more = folder.write("more.sgm", marked("tstset", "3", "2", "1", "9"))
    with pytest.raises(MisalignedSegmentsError, match=r"r\.sgm: no segment '9' of document 'd', w"):
        read_test_set([more], [reference])


def test_a_segment_without_any_reference_is_refused(folder: Folder) -> None:
    path = folder.write("t.jsonl", '{"a": "x", "b": null}\n{"a": null, "c": 1}\n')
    with pytest.raises(AbsentSegmentError, match="segment 2: found no reference"):
        read_test_set([], [f"{path}#a", f"{path}#b"])
