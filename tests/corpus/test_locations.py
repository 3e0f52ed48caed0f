from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from truebleu.corpus._lines import Location, extension, locate, stem
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from .writing import Folder


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a.txt", Location("a.txt")),
        ("-", Location("-")),
        ("mine=a.txt", Location("a.txt", None, "mine")),
        ("mine=-", Location("-", None, "mine")),
        ("a.tsv#col", Location("a.tsv", "col")),
        ("mine=a.tsv#col", Location("a.tsv", "col", "mine")),
        ("mine=a=b.txt", Location("a=b.txt", None, "mine")),
        ("a=", Location("a=")),
        ("#x", Location("#x")),
    ],
)
def test_what_is_written_is_taken_apart(written: str, expected: Location) -> None:
    assert locate(written) == expected


def test_a_file_of_the_whole_text_wins(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.path)
    for name in ("lr=0.1", "run#2.tsv", "x=y#z"):
        folder.write(name, "")
    assert locate("lr=0.1") == Location("lr=0.1")
    assert locate("run#2.tsv") == Location("run#2.tsv")
    assert locate("run#2.tsv#col#1") == Location("run#2.tsv", "col#1")
    assert locate("best=run#2.tsv#col") == Location("run#2.tsv", "col", "best")
    assert locate("x=y#z") == Location("x=y#z")


def test_a_name_must_not_be_empty() -> None:
    with pytest.raises(SettingError, match="a name before the ="):
        locate("=a.txt")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("sys/ONLINE-A.txt.gz", "ONLINE-A"),
        ("GPT-4.5.txt", "GPT-4.5"),
        ("out.de", "out.de"),
        ("a/b.TSV", "b"),
        (".txt", ".txt"),
        ("-", "stdin"),
    ],
)
def test_names_leave_out_folders_and_known_endings(path: str, name: str) -> None:
    assert stem(path) == name


def test_the_format_is_told_by_the_ending_inside_the_compression() -> None:
    assert extension("a.JSONL.zst") == ".jsonl"
    assert extension("v1.2/a") == ""


def test_a_path_object_is_a_path_and_nothing_else() -> None:
    assert locate(Path("a=b#c")) == Location("a=b#c")


@pytest.mark.parametrize("written", ["", 1, b"a"])
def test_what_names_no_file_is_refused(written: Any) -> None:
    with pytest.raises(SettingError, match="expected the name of a file"):
        locate(written)
