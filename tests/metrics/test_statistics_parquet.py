"""Tables of statistics: the same checksum however the rows are grouped."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from truebleu.errors import MalformedFileError, SettingError
from truebleu.metrics._statistics_parquet import (
    Part,
    Reader,
    Writer,
    are_whole,
    column_names,
    header_of,
)

NAMES = column_names({"BLEU|x:1": 2, "TER|y:2": 1})
COUNTS = {
    name: np.arange(20.0).reshape(2, 10) + place
    for place, name in enumerate(name for names in NAMES.values() for name in names)
}


def written(size: int, whole: tuple[str, ...] = (), counts: Any = COUNTS) -> io.BytesIO:
    sink = io.BytesIO()
    writer = Writer(sink, ["a", "b"], whole)
    for start in range(0, 10, size):
        part = slice(start, start + size)
        labels: dict[str, Any] = {
            "characters": list(range(10))[part],
            "domain": list("xyxyxyxyxy")[part],
        }
        writer.add(Part(labels, {name: column[:, part] for name, column in counts.items()}))
    writer.close(header_of({"a": "sha256:1", "b": "sha256:2"}, 10, 1, "sha256:3", NAMES))
    sink.seek(0)
    return sink


@pytest.mark.parametrize("whole", [(), tuple(COUNTS)], ids=["floats", "whole"])
@pytest.mark.parametrize("size", [1, 4, 10])
def test_what_is_read_is_what_was_written(size: int, whole: tuple[str, ...]) -> None:
    reader = Reader("file", written(size, whole))
    parts = list(reader.parts())
    assert reader._checksum == Reader("file", written(10))._checksum
    assert len(parts[0].labels["characters"]) == size
    for name, column in COUNTS.items():
        found = np.concatenate([part.counts[name] for part in parts], axis=1)
        np.testing.assert_array_equal(found, column)
    assert [label for part in parts for label in part.labels["domain"]] == list("xyxyxyxyxy")


def test_a_changed_table_is_refused_after_its_last_part() -> None:
    other = written(5, counts={name: column + 1 for name, column in COUNTS.items()})
    reader = Reader("file", other)
    reader._checksum = Reader("file", written(5))._checksum
    parts = reader.parts()
    assert len([next(parts), next(parts)]) == 2
    with pytest.raises(MalformedFileError, match="checksum"):
        next(parts)


def test_counts_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(SettingError, match="finite"):
        written(10, counts=dict.fromkeys(COUNTS, np.full((2, 10), np.nan)))


def test_only_whole_numbers_are_written_as_such() -> None:
    assert are_whole(np.array([0.0, 3.0]))
    assert not any(map(are_whole, np.array([[0.5, 1], [-0.0, 1], [2.0**60, 1]])))
