"""Claims about features of texts: n-grams and pairs, counted and named."""

from __future__ import annotations

import numpy as np
import pytest

from truebleu.corpus.nbest.lists import NBest, SparseFeatures
from truebleu.errors import SettingError
from truebleu.nbest.problem import with_text_features

LISTS = NBest.of([["a b a", "b"], ["a b", "c"]], sources=["x y", "x"])


def test_ngrams_are_counted_by_candidate() -> None:
    sparse = with_text_features(LISTS, ngrams=2, least=1).sparse
    assert sparse is not None
    assert sparse.row(0) == {"ngram:a": 2, "ngram:b": 1, "ngram:a b": 1, "ngram:b a": 1}
    assert sparse.row(3) == {"ngram:c": 1}


def test_what_few_segments_have_is_left_out() -> None:
    sparse = with_text_features(LISTS, ngrams=2).sparse
    assert sparse is not None
    assert set(sparse.names) == {"ngram:a", "ngram:b", "ngram:a b"}


def test_pairs_need_sources_and_count_once() -> None:
    sparse = with_text_features(LISTS, pairs=True, least=1).sparse
    assert sparse is not None
    assert sparse.row(0) == {"pair:x|a": 1, "pair:x|b": 1, "pair:y|a": 1, "pair:y|b": 1}
    with pytest.raises(SettingError, match="--source-key"):
        with_text_features(NBest.of([["a"]]), pairs=True)


def test_other_lists_get_the_same_names_beside_their_own_features() -> None:
    own = NBest(
        texts=("a b", "c"),
        offsets=np.array([0, 2]),
        sparse=SparseFeatures.of([{"own": 3.0}, {}]),
    )
    sparse = with_text_features(own, ngrams=2, only=["ngram:a b", "ngram:z"]).sparse
    assert sparse is not None
    assert sparse.names == ("own", "ngram:a b", "ngram:z")
    assert [sparse.row(place) for place in (0, 1)] == [{"own": 3.0, "ngram:a b": 1.0}, {}]
    assert with_text_features(own) is own
