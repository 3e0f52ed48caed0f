"""Claims about saved segment statistics."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from truebleu import BLEU, NIST, TER
from truebleu.errors import (
    MalformedFileError,
    OtherStatisticsError,
    SettingError,
    UnreadableFileError,
)
from truebleu.metrics import statistics_files as module
from truebleu.metrics.statistics_files import (
    SavedStatistics,
    find_statistics,
    read_statistics,
    save_statistics,
)
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet

METRICS = ("bleu", "ter", "nist")


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    return simulate(segments=40, systems={"old": Channel.at_rate(0.2)}, references=2)


@pytest.fixture(scope="module")
def statistics(test_set: TestSet) -> SavedStatistics:
    return SavedStatistics.of(test_set, METRICS)


@pytest.fixture
def file(statistics: SavedStatistics, tmp_path: Path) -> Path:
    save_statistics(statistics, tmp_path / "old.json")
    return tmp_path / "old.json"


def rewritten(file: Path, **changes: Any) -> Path:
    """The file with other values, and a checksum that fits them."""
    document = {**json.loads(file.read_text()), **changes}
    document.pop("checksum")
    document["checksum"] = module._checksum(document)
    file.write_text(json.dumps(document))
    return file


@pytest.mark.parametrize("name", ["old.json", "old.json.gz", "old"])
def test_what_is_saved_is_read_back_exactly(
    test_set: TestSet, statistics: SavedStatistics, name: str, tmp_path: Path
) -> None:
    save_statistics(statistics, tmp_path / name)
    read = read_statistics(tmp_path / name)
    assert (read.system, read.segments, read.references) == ("old", 40, 2)
    assert read.fingerprint == statistics.fingerprint
    assert (read.documents, read.domains) == (test_set.documents, test_set.domains)
    for unfixed in (BLEU(), TER(), NIST()):
        metric = unfixed.for_references(test_set.references)
        counts = metric.count(test_set).array()[:, 0]
        assert read.by(metric).tobytes() == counts.tobytes()


def of_rows(rows: NDArray[np.float64]) -> SavedStatistics:
    return SavedStatistics(
        system="s",
        segments=len(rows),
        references=1,
        fingerprint="",
        output="",
        lengths=(1,) * len(rows),
        documents=None,
        domains=None,
        rows={"X": rows},
    )


FINITE = st.floats(allow_nan=False, allow_infinity=False)
# The sign of zero, where whole numbers stop being written without a point, the ends of the range.
EDGES = [0.0, -0.0, 0.1, 2.0**53 - 1, 2.0**53, -(2.0**53), 5e-324, 1.7976931348623157e308]


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=FINITE))
@example(np.array([EDGES]))
@example(np.array([EDGES]).T)
def test_every_finite_number_survives(
    tmp_path_factory: pytest.TempPathFactory, rows: NDArray[np.float64]
) -> None:
    path = tmp_path_factory.mktemp("saved") / "file.json"
    save_statistics(of_rows(rows), path)
    assert read_statistics(path).rows["X"].tobytes() == rows.tobytes()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_not_finite_is_refused(number: float, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="finite numbers"):
        save_statistics(of_rows(np.array([[1.0, number]])), tmp_path / "file.json")
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_are_written_without_a_point_one_column_a_line(file: Path) -> None:
    lines = file.read_text().splitlines()
    columns = [line.rstrip(",") for line in lines if line.startswith("[")]
    assert len(columns) == 10 + 2 + 12
    assert all("." not in column for column in columns[:11])
    assert all(len(json.loads(column)) == 40 for column in columns)


def test_the_same_statistics_are_the_same_bytes(
    statistics: SavedStatistics, tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        save_statistics(statistics, tmp_path / folder / "old.gz")
    assert (tmp_path / "a" / "old.gz").read_bytes() == (tmp_path / "b" / "old.gz").read_bytes()


def test_it_does_not_matter_how_the_json_is_laid_out(
    statistics: SavedStatistics, file: Path
) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()), indent=4, sort_keys=False))
    assert read_statistics(file).fingerprint == statistics.fingerprint


def test_an_existing_file_is_kept_unless_it_may_be_overwritten(
    statistics: SavedStatistics, tmp_path: Path
) -> None:
    path = tmp_path / "old.json"
    path.write_text("mine")
    with pytest.raises(SettingError, match=r"old\.json.*--force"):
        save_statistics(statistics, path)
    assert path.read_text() == "mine"
    save_statistics(statistics, path, overwrite=True)
    assert read_statistics(path).system == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.json"]


def test_two_systems_are_refused() -> None:
    test_set = simulate(segments=5, systems=[0.1, 0.2])
    with pytest.raises(SettingError, match=r"system-1, system-2.*one system"):
        SavedStatistics.of(test_set)


def test_other_references_are_refused(file: Path, test_set: TestSet) -> None:
    read = read_statistics(file)
    read.require_same_references(test_set)
    one = simulate(segments=40, systems=[0.1])
    for other, found in (
        (simulate(segments=41, systems=[0.1], references=2), "segments: found 40, expected 41"),
        (one, "references: found 2, expected 1"),
        (
            simulate(segments=40, systems=[0.1], references=2, seed=1),
            "text of the references: found sha256:",
        ),
    ):
        with pytest.raises(OtherStatisticsError, match=f"old.json: {found}"):
            read.require_same_references(other)


@pytest.mark.parametrize("metric", [BLEU(lowercase=True), BLEU(max_order=2)], ids=str)
def test_another_signature_is_refused(file: Path, metric: BLEU) -> None:
    with pytest.raises(OtherStatisticsError, match=r"old\.json: signature: found BLEU\|nrefs:2"):
        read_statistics(file).by(metric)


def test_counts_of_another_version_of_truebleu_are_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.metrics.base.VERSION", "99.0")
    with pytest.raises(OtherStatisticsError, match=r"expected BLEU\|.*version:truebleu-99\.0"):
        read_statistics(file).by(BLEU())


def test_another_format_version_is_refused(file: Path) -> None:
    with pytest.raises(MalformedFileError, match=r"old\.json: found format version 2, expected 1"):
        read_statistics(rewritten(file, version=2))


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_a_file_that_is_cut_off_is_refused(file: Path, kept: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(kept * len(data))])
    with pytest.raises(MalformedFileError, match=r"old\.json: line \d+: found damaged or cut-off"):
        read_statistics(file)


def test_gzip_data_that_is_cut_off_is_refused(file: Path) -> None:
    file.write_bytes(gzip.compress(file.read_bytes())[:-20])
    with pytest.raises(MalformedFileError, match="gzip data that is damaged or cut off"):
        read_statistics(file)


@pytest.mark.parametrize(
    ("old", "new"), [('"columns": [\n[', '"columns": [\n[1'), ('"old"', '"new"'), ("]", ",1e999]")]
)
def test_a_changed_number_or_name_is_noticed(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(MalformedFileError, match="do not fit their checksum"):
        read_statistics(file)


def test_bytes_that_are_no_utf_8_are_refused(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b'"old"', b'"\xff"'))
    with pytest.raises(MalformedFileError, match="damaged JSON"):
        read_statistics(file)


@pytest.mark.parametrize(
    "changes",
    [
        {"metrics": None},
        {"metrics": [{"signature": "X"}]},
        {"metrics": [{"signature": "X", "columns": [[1, 2], [1]]}]},
        {"metrics": [{"signature": "X", "columns": [["a"] * 40]}]},
        {"metrics": [{"signature": "X", "columns": [1] * 40}]},
        {"metrics": [{"signature": "X", "columns": [[1] * 39]}]},
        {"documents": ["d"] * 39},
        {"segments": 41},
    ],
    ids=str,
)
def test_another_layout_is_refused(file: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(
        MalformedFileError, match=r"found (another layout|lists of different length)"
    ):
        read_statistics(rewritten(file, **changes))


@pytest.mark.parametrize("content", ["", "a text\n", "{}", '{"format": "other"}'])
def test_a_file_of_another_kind_is_told_from_statistics(tmp_path: Path, content: str) -> None:
    path = tmp_path / "text"
    path.write_text(content)
    assert find_statistics(str(path)) is None
    with pytest.raises(MalformedFileError, match="found a file of another kind"):
        read_statistics(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert find_statistics(str(tmp_path / "none")) is None
    with pytest.raises(UnreadableFileError, match="no such file"):
        read_statistics(tmp_path / "none")


def test_a_pipe_is_left_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert find_statistics(str(tmp_path / "pipe")) is None
