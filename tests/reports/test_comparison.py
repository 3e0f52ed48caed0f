"""A comparison as tables."""

from __future__ import annotations

import truebleu
from truebleu.reports.compare import system_table


def test_equal_systems_differ_by_a_plain_zero() -> None:
    text = ["one two", "three"]
    comparison = truebleu.compare({"a": text, "b": text}, text, ["wer"])
    assert [row[3] for row in system_table(comparison, "WER").rows] == ["", "+0.00"]
