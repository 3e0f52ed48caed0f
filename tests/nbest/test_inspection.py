from __future__ import annotations

import pytest

from truebleu.errors import TruebleuError
from truebleu.nbest import NBest, describe_lists


def test_a_description_counts_what_matters() -> None:
    lists = NBest.of(
        [["a", "a", ""], ["b"], ["c", "c"]],
        scores=[[3, 1, 2], [1], [1, 2]],
        features={"same": [[1, 1, 1], [2], [3, 3]], "other": [[1, 2, 3], [0], [1, 1]]},
    )
    report = describe_lists(lists)
    assert (report.candidates, report.distinct, report.empty) == (6, 4, 1)
    assert (report.single_lists, report.equal_lists, report.unordered_lists) == (1, 1, 1)
    same, other = report.features
    assert (same.constant_lists, same.within) == (3, 0.0)
    assert other.constant_lists == 2
    text = str(report)
    assert "Constant within every list, so of no use to choose by: same." in text
    assert "1 list has only one candidate" in text
    with pytest.raises(TruebleuError, match="4"):
        describe_lists(lists, references=4)
