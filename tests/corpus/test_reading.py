from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from truebleu.corpus import read_test_set
from truebleu.errors import (
    EmptyTextError,
    EncodingError,
    SettingError,
    SuspiciousTextError,
    UnreadableFileError,
)

from .writing import Folder, lines


def test_systems_references_and_source_are_read_in_order(folder: Folder) -> None:
    systems = [folder.write(f"sys/{name}.txt", f"{name}1\n{name}2\n") for name in ("B", "A")]
    references = [folder.write(f"ref{i}", f"r{i}1\nr{i}2\n") for i in (1, 2)]
    test_set = read_test_set(systems, references, source=folder.write("src", "s1\ns2\n"))
    assert {n: list(t) for n, t in test_set.systems.items()} == {
        "B": ["B1", "B2"],
        "A": ["A1", "A2"],
    }
    assert list(test_set.systems) == ["B", "A"]
    assert [list(text) for text in test_set.references] == [["r11", "r12"], ["r21", "r22"]]
    assert test_set.reference_names == ("ref1", "ref2")
    assert test_set.source is not None
    assert list(test_set.source) == ["s1", "s2"]
    assert test_set.warnings == ()


def test_names_may_be_given(folder: Folder) -> None:
    path = folder.write("x", "a\n")
    test_set = read_test_set([f"mine={path}"], [f"gold={folder.write('y', 'b')}"])
    assert list(test_set.systems) == ["mine"]
    assert test_set.reference_names == ("gold",)


def test_standard_input_is_read_once(folder: Folder) -> None:
    reference = folder.write("ref", "r\n")
    test_set = read_test_set(["mine=-"], [reference], stdin=io.BytesIO(b"a\n"))
    assert list(test_set.systems["mine"]) == ["a"]
    with pytest.raises(UnreadableFileError, match="-: standard input can be read only once"):
        read_test_set(["a=-", "b=-"], [reference], stdin=io.BytesIO(b"a\n"))
    with pytest.raises(UnreadableFileError, match="only once"):
        read_test_set(["-"], ["-"], stdin=io.BytesIO(b"a\n"))


def test_a_missing_file_is_named(folder: Folder) -> None:
    reference = folder.write("ref", "r\n")
    missing = str(folder.path / "missing.txt")
    for written in (missing, f"name={missing}", f"{missing}#column", f"a={missing}#b"):
        with pytest.raises(UnreadableFileError, match=r"missing\.txt: no such file"):
            read_test_set([written], [reference])


def test_a_directory_is_no_file(folder: Folder) -> None:
    with pytest.raises(UnreadableFileError, match="found a directory"):
        read_test_set([str(folder.path)], [folder.write("ref", "r\n")])


def test_a_file_that_cannot_be_opened_says_why(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = folder.write("ref", "r\n")
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(UnreadableFileError, match=r"ref: cannot be read \(Permission denied\)"):
        read_test_set([], [path])


def test_an_impossible_path_is_an_error_of_ours() -> None:
    with pytest.raises(UnreadableFileError):
        read_test_set([], ["a\0b"])


def test_errors_in_a_file_name_it(folder: Folder) -> None:
    with pytest.raises(EmptyTextError, match="system: found no segments"):
        folder.read(b"")
    with pytest.raises(EncodingError, match="system: line 1, byte 1: found ff"):
        folder.read(b"\xff\n")


def test_a_lone_path_is_not_a_list_of_letters(folder: Folder) -> None:
    path = folder.write("ref", "r\n")
    with pytest.raises(SettingError, match=r"systems: found .*ref.*, expected a list of files"):
        read_test_set(path, [path])
    with pytest.raises(SettingError, match="references"):
        read_test_set([path], path)
    with pytest.raises(SettingError, match="at least one"):
        read_test_set([path], [])


def test_strict_makes_findings_errors(folder: Folder) -> None:
    reference = folder.write("ref", lines(3))
    system = folder.write("sys", b"a\tb\r\nc\r\n\r\n")
    findings = read_test_set([system], [reference]).warnings
    assert {finding.code for finding in findings} == {"tabs", "crlf", "blank"}
    with pytest.raises(SuspiciousTextError) as caught:
        read_test_set([system], [reference], strict=True)
    assert all(finding.message in str(caught.value) for finding in findings)


def test_plain_lines_are_read_without_heavy_imports(folder: Folder) -> None:
    path = folder.write("ref", "r\n")
    heavy = "numpy pyarrow xml csv json gzip bz2 lzma zlib pathlib defusedxml zstandard"
    code = (
        "import sys; from truebleu.corpus import read_test_set\n"
        f"read_test_set([{path!r}], [{path!r}])\n"
        f"print(sorted(set({heavy.split()}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path("/")
    )
    assert done.stdout.strip() == "[]"


def test_files_may_be_path_objects(folder: Folder) -> None:
    path = Path(folder.write("r.txt", "a\n"))
    test_set = read_test_set([path], [path], source=path, documents=path)
    assert (list(test_set.systems), test_set.documents) == (["r"], ("a",))


@pytest.mark.parametrize("written", ["r.txt", Path("r.txt"), None])
def test_a_lone_file_is_no_list_of_files(written: Any) -> None:
    with pytest.raises(SettingError, match=r"systems: .* expected a list of files"):
        read_test_set(written, ["r.txt"])
