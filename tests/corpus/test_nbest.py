from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from truebleu.errors import TruebleuError
from truebleu.nbest import NBest, SparseFeatures


def test_lists_are_a_sequence_of_tuples() -> None:
    lists = NBest.of([["a", "b"], ["c"]], scores=[[1, 2], [3]], sources=["x", "y"])
    assert [*lists] == [("a", "b"), ("c",)]
    assert lists[-1] == ("c",)
    assert lists[:1] == [("a", "b")]
    assert lists.sizes.tolist() == [2, 1]
    assert lists.choose([1, 0]) == ["b", "c"]
    assert lists.scores is not None
    with pytest.raises(IndexError):
        lists[2]
    with pytest.raises(TruebleuError):
        lists.choose([2, 0])
    with pytest.raises(ValueError, match="read-only"):
        lists.scores[0] = 5


def test_sparse_features_are_rows_by_name() -> None:
    sparse = SparseFeatures.of([{"b": 1.0}, {}, {"a": 2.0, "b": 3.0}])
    lists = NBest(texts=("x", "y", "z"), offsets=np.array([0, 2, 3]), sparse=sparse)
    assert lists.feature("a").tolist() == [0.0, 0.0, 2.0]
    assert lists.feature("b").tolist() == [1.0, 0.0, 3.0]
    assert sparse.row(2) == {"a": 2.0, "b": 3.0}
    assert sparse.matrix().toarray().tolist() == [[1.0, 0.0], [0.0, 0.0], [3.0, 2.0]]


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ([], {}, "no lists"),
        ([["a"], []], {}, "segment 2: 'no candidates'"),
        (["abc"], {}, "segment 1: a single str"),
        ([["a", 1]], {}, "segment 2: int; expected str"),
        ([["a"]], {"scores": [[1, 2]]}, "2 values"),
        ([["a"]], {"scores": [[1], [2]]}, "2 lists"),
        ([["a"]], {"scores": [[float("nan")]]}, "segment 1: scores: nan"),
        ([["a"], ["b"]], {"features": {"f": [[1], [float("inf")]]}}, "segment 2: f: inf"),
        ([["a"]], {"counts": [[0]]}, "1 or more"),
        ([["a"]], {"scores": [["x"]]}, "expected a number"),
        ([["a"]], {"sources": []}, "sources"),
    ],
)
def test_lists_are_checked_when_they_are_made(
    lists: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TruebleuError) as error:
        NBest.of(lists, **options)
    assert message in str(error.value)


def test_systems_make_lists() -> None:
    assert NBest.of_systems({"a": ["1", "2"], "b": ["3", "4"]})[1] == ("2", "4")
    with pytest.raises(TruebleuError):
        NBest.of_systems({"a": ["1"], "b": []})
