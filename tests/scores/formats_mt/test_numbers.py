"""A number on each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scores.formats.files import is_table, read, written
from truebleu.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("text", ["-5\nNone\n0\n", "-5\r\nNone\r\n0\r\n", "-5.0\nNone\n0"])
def test_none_is_missing_and_never_0(tmp_path: Path, text: str) -> None:
    scores = read(written(tmp_path, "gemba.txt", text))
    assert scores.by_system == {"gemba": [-5.0, None, 0.0]}
    assert (scores.name, scores.higher_is_better) == ("", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [("1\n\n2\n", "line 2: a blank line"), ("1\nx\n", "line 2: score 'x'")],
)
def test_a_line_without_a_number_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(written(tmp_path, "bleurt.txt", text))


@pytest.mark.parametrize(
    "text", ["a\tb\n1\t2\n", "system\tsegment\tscore\na\t1\t2\n", "", "text\n"]
)
def test_tables_and_texts_are_of_no_tool(tmp_path: Path, text: str) -> None:
    assert is_table(written(tmp_path, "table.tsv", text))
