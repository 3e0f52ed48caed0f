"""Statistics that are written and read part by part are those of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import truebleu
from truebleu.corpus import TestSet, TestSetStream
from truebleu.errors import MalformedFileError, OtherStatisticsError, SettingError
from truebleu.metrics import (
    SavedStatistics,
    SavedTestSet,
    read_all_statistics,
    save_statistics,
    save_stream,
    stream_statistics_files,
)
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from pathlib import Path

METRICS = ["bleu", "chrf", "sentbleu"]


@pytest.fixture(scope="module")
def whole() -> TestSet:
    made = simulate(segments=500, systems=[0.1, 0.2, 0.3], references=2, seed=5)
    return TestSet(systems=made.systems, references=made.references)


def in_parts(test_set: TestSet, size: int, names: tuple[str, ...] = ()) -> TestSetStream:
    systems = {name: test_set.systems[name] for name in names or test_set.systems}
    some = TestSet(systems=systems, references=test_set.references)
    places = range(0, len(some), size)
    return TestSetStream.of([some.part(range(i, min(i + size, len(some)))) for i in places])


def test_what_was_saved_in_parts_is_what_was_counted(whole: TestSet, tmp_path: Path) -> None:
    save_stream(in_parts(whole, 128), METRICS, tmp_path / "a.parquet")
    found = read_all_statistics(tmp_path / "a.parquet")
    for one, other in zip(found, SavedStatistics.of_systems(whole, METRICS), strict=True):
        assert one.rows.keys() == other.rows.keys()
        assert all((one.rows[key] == other.rows[key]).all() for key in one.rows)
        assert (one.fingerprint, one.output) == (other.fingerprint, other.output)
        assert one.lengths == other.lengths


@pytest.mark.parametrize("size", [64, 100, 500])
def test_results_are_those_of_the_texts(whole: TestSet, tmp_path: Path, size: int) -> None:
    """Files of other systems and parts beside each other, one of them written at once."""
    save_stream(in_parts(whole, size, ("system-1",)), METRICS, tmp_path / "a.parquet")
    others = TestSet(
        systems={name: whole.systems[name] for name in ("system-2", "system-3")},
        references=whole.references,
    )
    save_statistics(SavedStatistics.of_systems(others, METRICS), tmp_path / "b.parquet")
    stream = stream_statistics_files([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    settings: dict[str, Any] = {"metrics": METRICS, "replicates": 100}
    expected = truebleu.compare(in_parts(whole, 500), **settings).to_dict()
    assert truebleu.compare(stream, **settings).to_dict() == expected
    scores = truebleu.score(whole, metrics=METRICS).to_dict()
    assert truebleu.score(stream, metrics=METRICS).to_dict() == scores


def test_files_that_do_not_fit_are_refused(whole: TestSet, tmp_path: Path) -> None:
    save_stream(in_parts(whole, 128, ("system-1",)), ["bleu"], tmp_path / "a.parquet")
    other = simulate(segments=500, systems={"x": truebleu.simulation.Channel()}, seed=6)
    save_statistics(SavedStatistics.of_systems(other, ["bleu"]), tmp_path / "b.parquet")
    with pytest.raises(OtherStatisticsError, match="references"):
        stream_statistics_files([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(truebleu.errors.DuplicateSystemError):
        stream_statistics_files([tmp_path / "a.parquet"] * 2)
    with pytest.raises(OtherStatisticsError, match="signature"):
        truebleu.score(stream_statistics_files([tmp_path / "a.parquet"]), metrics=["chrf"])
    (tmp_path / "c.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-90])
    with pytest.raises(MalformedFileError):
        stream_statistics_files([tmp_path / "c.parquet"])


def test_a_file_that_fails_is_not_there(whole: TestSet, tmp_path: Path) -> None:
    for metrics, path in ((["nist"], "a.parquet"), (["bleu"], "a.json")):
        with pytest.raises(SettingError):
            save_stream(in_parts(whole, 128), metrics, tmp_path / path)
    assert not list(tmp_path.iterdir())
    saved = SavedTestSet.of(SavedStatistics.of_systems(whole, ["bleu"]))
    with pytest.raises(SettingError, match="texts to count"):
        save_stream(TestSetStream.of([saved]), ["bleu"], tmp_path / "a.parquet")
