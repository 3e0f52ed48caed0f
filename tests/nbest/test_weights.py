"""Files of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from truebleu.errors import MalformedFileError, SettingError, UnknownNameError
from truebleu.nbest import NBest
from truebleu.nbest.weights import format_weights, read_weights, weighted_choices, weights_format

if TYPE_CHECKING:
    from pathlib import Path

    from truebleu.nbest.weights import WeightsFormat

WEIGHTS = {"LM0": 0.5, "TM0_0": -0.25, "TM0_1": 1e-9, "a b": 3.0}


@pytest.mark.parametrize("kind", ["tsv", "json", "ini"])
def test_what_is_written_can_be_read(kind: WeightsFormat, tmp_path: Path) -> None:
    path = tmp_path / f"weights.{kind}"
    path.write_text(format_weights(WEIGHTS, kind))
    assert weights_format(path) == kind
    assert read_weights(str(path)) == WEIGHTS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\tb\n", "line 1: found weight 'b'"),
        ("a\t1\na\t2\n", "line 2: found 'a' again"),
        ("a\n", "line 1"),
        ("a\tnan\n", "finite"),
        ("\n", "no weights"),
        ("{1}", "JSON"),
        ("[weight]\nLM0\n", "line 2"),
    ],
)
def test_bad_files_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_text(text)
    with pytest.raises(MalformedFileError, match=reason):
        read_weights(str(path))


def test_weights_choose_the_first_of_the_best() -> None:
    lists = NBest.of([["a", "b", "c"], ["d", "e"]], features={"f": [[1, 2, 2], [0, 0]]})
    assert weighted_choices(lists, {"f": 1.0}).tolist() == [1, 0]
    with pytest.raises(UnknownNameError, match="g"):
        weighted_choices(lists, {"g": 1.0})


def test_moses_cannot_have_sparse_weights_in_its_ini() -> None:
    with pytest.raises(SettingError, match="sparse"):
        format_weights({"a": 1.0}, "ini", sparse=frozenset({"a"}))
