"""A number, or a list of errors, on each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scores.tools.files import is_table, read, written
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


ERRORS = """\
{'critical': [], 'major': ['accuracy/omission - "it\\'s"'], 'minor': ['style/awkward', 'x']}
None
{'critical': ['non-translation'], 'major': ['a'], 'minor': []}
{'critical': [], 'major': ['a', 'b', 'c', 'd'], 'minor': ['e', 'f', 'g']}
{'critical': [], 'major': [], 'minor': []}
"""


@pytest.mark.parametrize("written_as", ["{}", "defaultdict(<class 'list'>, {})"])
def test_errors_that_gemba_lists_count_as_gemba_counts_them(
    tmp_path: Path, written_as: str
) -> None:
    """By its rule: 25, 5 and 1 of the five gravest, at most 25 (gemba_mqm_utils.py, a7a7eff)."""
    before, _, after = written_as.partition("{}")
    text = ERRORS.replace("{", before + "{").replace("}", "}" + after)
    scores = read(written(tmp_path, "mt.txt", text))
    assert scores.by_system == {"mt": [-7.0, None, -25.0, -21.0, 0.0]}
    assert (scores.name, scores.higher_is_better) == ("GEMBA-MQM", True)


@pytest.mark.parametrize("line", ["-5", "{'major': 1}", "{'grave': []}", "{'major': [", "x"])
def test_other_lines_beside_lists_of_errors_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(CorpusError, match=r"line 6: .*; expected None, or lists of errors"):
        read(written(tmp_path, "mt.txt", f"{ERRORS}{line}\n"))


@pytest.mark.parametrize(
    "text", ["a\tb\n1\t2\n", "system\tsegment\tscore\na\t1\t2\n", "", "text\n"]
)
def test_tables_and_texts_are_of_no_tool(tmp_path: Path, text: str) -> None:
    assert is_table(written(tmp_path, "table.tsv", text))
