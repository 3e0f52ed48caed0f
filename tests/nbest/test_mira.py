"""MIRA: sparse features."""

from __future__ import annotations

from typing import Any

import truebleu
from tests.nbest.small_lists import informative
from truebleu.nbest import NBest, SparseFeatures

FAST: dict[str, Any] = {"replicates": 100}


def test_sparse_features_are_learnt_by_mira() -> None:
    lists, references = informative()
    rows = [{f"w_{word}": 1.0 for word in text.split()} for text in lists.texts]
    sparse = NBest(texts=lists.texts, offsets=lists.offsets, sparse=SparseFeatures.of(rows))
    result = truebleu.tune(sparse, references, method="mira", metrics=["chrf"], folds=2, **FAST)
    assert len(result.weights) == len(sparse.sparse.names) if sparse.sparse else False
    assert result.development[0] > result.start
