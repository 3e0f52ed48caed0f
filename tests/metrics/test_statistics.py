"""Claims about saved segment statistics."""

from __future__ import annotations

import io
import json
import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from truebleu.metrics.statistics import (
    SavedStatistics,
    find_statistics,
    read_statistics,
    save_statistics,
)

from truebleu import BLEU, NIST, TER
from truebleu.corpus._files import STATISTICS
from truebleu.errors import (
    MalformedFileError,
    OtherStatisticsError,
    SettingError,
    UnreadableFileError,
)
from truebleu.simulation import Channel, simulate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from truebleu.corpus import TestSet

METRICS = ("bleu", "ter", "nist")


@pytest.fixture(scope="module")
def test_set() -> TestSet:
    return simulate(segments=40, systems={"old": Channel.at_rate(0.2)}, references=2)


@pytest.fixture(scope="module")
def statistics(test_set: TestSet) -> SavedStatistics:
    return SavedStatistics.of(test_set, METRICS)[0]


@pytest.fixture
def file(statistics: SavedStatistics, tmp_path: Path) -> Path:
    save_statistics(statistics, tmp_path / "old.npz")
    return tmp_path / "old.npz"


def rewritten(
    file: Path, header: Mapping[str, Any], arrays: Mapping[str, Any] = MappingProxyType({})
) -> Path:
    """The file with other arrays, or with other values in its header."""
    with np.load(file) as archive:
        parts: dict[str, Any] = {**archive, **arrays}
    values = {**json.loads(parts[STATISTICS].tobytes()), **header}
    parts[STATISTICS] = np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)
    np.savez(file, **parts)
    return file


def test_what_is_saved_is_read_back_exactly(test_set: TestSet, file: Path) -> None:
    # Whatever it is called now.
    read = read_statistics(file.rename(file.with_suffix(".txt")))[0]
    assert (read.system, read.segments, read.references) == ("old", 40, 2)
    assert read.fingerprint == test_set.fingerprint
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
    path = tmp_path_factory.mktemp("saved") / "file.npz"
    save_statistics(of_rows(rows), path)
    assert read_statistics(path)[0].rows["X"].tobytes() == rows.tobytes()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_not_finite_is_refused(number: float, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="finite numbers"):
        save_statistics(of_rows(np.array([[1.0, number]])), tmp_path / "file.npz")
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_are_stored_in_few_bytes(file: Path) -> None:
    with np.load(file, allow_pickle=False) as archive:
        kinds = {name: (array.dtype.name, array.shape) for name, array in archive.items()}
    assert kinds["metric-0"] == ("uint8", (1, 40, 10))
    assert kinds["metric-2"] == ("float64", (1, 40, 12))


def test_the_same_statistics_are_the_same_bytes(
    statistics: SavedStatistics, tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        save_statistics(statistics, tmp_path / folder / "old.npz")
    assert (tmp_path / "a" / "old.npz").read_bytes() == (tmp_path / "b" / "old.npz").read_bytes()


def test_an_existing_file_is_kept_unless_it_may_be_overwritten(
    statistics: SavedStatistics, tmp_path: Path
) -> None:
    path = tmp_path / "old.npz"
    path.write_text("mine")
    with pytest.raises(SettingError, match=r"old\.npz.*--force"):
        save_statistics(statistics, path)
    assert path.read_text() == "mine"
    save_statistics(statistics, path, overwrite=True)
    assert read_statistics(path)[0].system == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.npz"]


def test_other_references_are_refused(file: Path, test_set: TestSet) -> None:
    read = read_statistics(file)[0]
    read.require_same_references(test_set)
    one = simulate(segments=40, systems=[0.1])
    for other, found in (
        (simulate(segments=41, systems=[0.1], references=2), "segments: 40; expected 41"),
        (one, "references: 2; expected 1"),
        (
            simulate(segments=40, systems=[0.1], references=2, seed=1),
            "text of the references: sha256:",
        ),
    ):
        with pytest.raises(OtherStatisticsError, match=f"old.npz: {found}"):
            read.require_same_references(other)


@pytest.mark.parametrize("metric", [BLEU(lowercase=True), BLEU(max_order=2)], ids=str)
def test_another_signature_is_refused(file: Path, metric: BLEU) -> None:
    with pytest.raises(OtherStatisticsError, match=r"old\.npz: signature: BLEU\|nrefs:2"):
        read_statistics(file)[0].by(metric)


def test_counts_of_another_version_of_truebleu_are_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.metrics.base.VERSION", "99.0")
    with pytest.raises(OtherStatisticsError, match=r"expected BLEU\|.*version:truebleu-99\.0"):
        read_statistics(file)[0].by(BLEU())


def test_counts_of_another_width_are_refused(file: Path) -> None:
    nine = {"metric-0": np.ones((1, 40, 9), dtype=np.uint8)}
    (read,) = read_statistics(rewritten(file, {}, nine))
    with pytest.raises(MalformedFileError, match=r"old\.npz: 9 columns of BLEU; expected 10"):
        read.by(BLEU(tokenize="13a"))


def test_another_format_version_is_refused(file: Path) -> None:
    with pytest.raises(MalformedFileError, match=r"old\.npz: format version 1; expected 2"):
        read_statistics(rewritten(file, {"version": 1}))


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_a_file_that_is_cut_off_is_refused(file: Path, kept: float) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: int(kept * len(data))])
    with pytest.raises(MalformedFileError, match=r"old\.npz: damaged data"):
        read_statistics(file)


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7])
def test_a_changed_byte_is_noticed(file: Path, place: float) -> None:
    data = bytearray(file.read_bytes())
    data[int(place * len(data))] ^= 1
    file.write_bytes(data)
    with pytest.raises(MalformedFileError, match=r"damaged data|another layout"):
        read_statistics(file)


ONES = np.ones((1, 40, 10), dtype=np.uint8)


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"metrics": None}, {}),
        ({"metrics": ["a", "b", "c", "d"]}, {}),
        ({"metrics": [1.5]}, {}),
        ({"segments": 41}, {}),
        ({"segments": 10**15}, {}),
        ({"systems": []}, {}),
        ({"systems": [{}]}, {}),
        ({"documents": []}, {}),
        ({"references": 10**9}, {}),
        ({"references": -1}, {}),
        ({"metrics": ["BLEU|nrefs:" + "9" * 5000]}, {}),
        ({}, {"metric-0": ONES[:, :39]}),
        ({}, {"metric-0": ONES[0]}),
        ({}, {"metric-0": ONES.astype(str)}),
        ({}, {"metric-0": np.full((1, 40, 10), np.nan)}),
        ({}, {"lengths": ONES[0, :39, 0]}),
        ({}, {"lengths": np.full(40, np.nan)}),
    ],
    ids=str,
)
def test_another_layout_is_refused(
    file: Path, header: dict[str, Any], arrays: dict[str, Any]
) -> None:
    with pytest.raises(MalformedFileError, match="another layout"):
        read_statistics(rewritten(file, header, arrays))


def test_no_room_is_made_for_an_array_that_is_not_there(file: Path) -> None:
    """The array says that it has 10 ** 15 rows, as the header does, and is empty."""
    head = io.BytesIO()
    shape = (1, 10**15, 10)
    np.lib.format.write_array_header_1_0(
        head, {"descr": "|u1", "fortran_order": False, "shape": shape}
    )
    rewritten(file, {"segments": 10**15, "metrics": ["X"]})
    with ZipFile(file) as archive:
        first = archive.read(f"{STATISTICS}.npy")
    with ZipFile(file, "w") as archive:
        archive.writestr(f"{STATISTICS}.npy", first)
        archive.writestr("lengths.npy", head.getvalue().replace(b"(1, 1", b"(1"))
        archive.writestr("metric-0.npy", head.getvalue())
    with pytest.raises(MalformedFileError, match="another layout"):
        read_statistics(file)


def test_objects_are_not_unpickled(file: Path) -> None:
    rewritten(file, {}, {"metric-0": np.array([[[print] * 10] * 40], dtype=object)})
    with pytest.raises(MalformedFileError, match="another layout"):
        read_statistics(file)


def test_an_archive_that_grows_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_MAX_BYTES", "1000")
    with pytest.raises(MalformedFileError, match="TRUEBLEU_MAX_BYTES"):
        read_statistics(file)


def test_another_ending_is_refused(statistics: SavedStatistics, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"old\.json'?; expected a name that ends in \.npz"):
        save_statistics(statistics, tmp_path / "old.json")


@pytest.mark.parametrize("content", ["", "a text\n", "{}", '{"format": "other"}'])
def test_a_file_of_another_kind_is_told_from_statistics(tmp_path: Path, content: str) -> None:
    path = tmp_path / "text"
    path.write_text(content)
    assert find_statistics(str(path)) is None
    with pytest.raises(MalformedFileError, match="a file of another kind"):
        read_statistics(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert find_statistics(str(tmp_path / "none")) is None
    with pytest.raises(UnreadableFileError, match="no such file"):
        read_statistics(tmp_path / "none")


def test_a_pipe_is_left_unread(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert find_statistics(str(tmp_path / "pipe")) is None
