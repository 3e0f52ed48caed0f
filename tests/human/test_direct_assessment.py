"""Direct assessment as WMT published it before 2023."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.human.asking import scores
from truebleu.errors import MalformedFileError

if TYPE_CHECKING:
    from tests.writing import Folder

SEGMENTS = "SYS SID RAW.SCR Z.SCR N\na.4 1 80 0.5 2\na.4 2 60 -0.5 1\nb 1 70 0.1 1\n"


@pytest.mark.parametrize("name", ["ad-seg-scores-cs-en.csv", "seg.txt", "seg.tsv"])
def test_raw_scores_of_segments_are_read(folder: Folder, name: str) -> None:
    human = scores(folder.write(name, SEGMENTS))
    assert human.scores == {"a": (80.0, 60.0), "b": (70.0, None)}
    assert "format:da|column:RAW.SCR" in human.signature


def test_z_is_the_files_own_column(folder: Folder) -> None:
    human = scores(folder.write("seg.csv", SEGMENTS), raters="z")
    assert human.scores == {"a": (0.5, -0.5), "b": (0.1, None)}
    assert "raters:z" in human.signature


def test_scores_of_systems_are_read(folder: Folder) -> None:
    text = "RAW.SCR Z.SCR N SYS N.ALL\n71.5 0.2 10 a.1 12\n70 0.1 9 b.2 11\n"
    human = scores(folder.write("sys.csv", text))
    assert (human.level, human.scores) == ("system", {"a": (71.5,), "b": (70.0,)})


def test_segments_may_be_called_by_document(folder: Folder) -> None:
    text = "SYS SID RAW.SCR Z.SCR N\na x-0.1_1 80 0 1\na y_1 81 0 1\nb y_2 82 0 1\n"
    human = scores(folder.write("seg.csv", text), segments=3, documents=["x-0.1", "y", "y"])
    assert human.scores == {"a": (80.0, 81.0, None), "b": (None, None, 82.0)}


def test_headers_in_the_middle_and_mixed_white_space_do_not_matter(folder: Folder) -> None:
    header = "SRC TRG HIT N.raw N.z SID SYS RAW.SCR Z.SCR\n"
    text = f"{header}cs en 1 1 1 1 a\t80 0\n{header}cs en  1 1 1 1 b 70 0\n"
    assert scores(folder.write("seg.csv", text)).means() == {"a": 80.0, "b": 70.0}


def test_two_submissions_of_one_name_stay_apart(folder: Folder) -> None:
    text = SEGMENTS + "a.5 1 10 0 1\n"
    with pytest.raises(MalformedFileError, match=r"'a\.4'.*'a\.5'"):
        scores(folder.write("seg.csv", text))


def test_a_short_row_is_refused(folder: Folder) -> None:
    with pytest.raises(MalformedFileError, match="line 5: found 3 fields, expected 5"):
        scores(folder.write("seg.csv", SEGMENTS + "b 2 70\n"))
