"""Features that are in the texts: word n-grams of candidates, and pairs with words of the source.

Riezler & Maxwell (2005) rerank by phrases of two and three words besides the system's own scores.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from truebleu._settings import require_whole_number
from truebleu.corpus.nbest.lists import SparseFeatures
from truebleu.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from truebleu.corpus.nbest.lists import NBest

NGRAM, PAIR = "ngram:", "pair:"


def with_text_features(
    nbest: NBest,
    *,
    ngrams: int = 0,
    pairs: bool = False,
    least: int = 2,
    only: Collection[str] | None = None,
) -> NBest:
    """The lists with how often each candidate has an n-gram, or a word for a word of the source.

    >>> from truebleu.corpus.nbest.lists import NBest
    >>> lists = with_text_features(NBest.of([["a b", "b"]], sources=["x"]), ngrams=2, least=1)
    >>> lists.sparse.names
    ('ngram:a', 'ngram:b', 'ngram:a b')

    Args:
        nbest: the lists.
        ngrams: n-grams of up to so many words.
        pairs: whether pairs of a source word and a candidate's word count too; the lists must
            have their sources.
        least: what appears in the lists of fewer segments than this is left out.
        only: count only these, whatever their number.
    """
    require_whole_number("ngrams", ngrams, 0, 10)
    require_whole_number("least", least, 1, 10**9)
    if not ngrams and not pairs:
        return nbest
    if pairs and nbest.sources is None:
        expected = "the source of each segment in the lists (--source-key)"
        raise SettingError("pairs", nbest.name, expected)
    kept = _frequent(nbest, ngrams, pairs, least) if only is None else only
    columns = {name: place for place, name in enumerate(kept)}
    indptr, indices, values = [0], [], []
    for names in _names(nbest, ngrams, pairs):
        counts = Counter(columns[name] for name in names if name in columns)
        for column in sorted(counts):
            indices.append(column)
            values.append(float(counts[column]))
        indptr.append(len(indices))
    found = SparseFeatures(
        names=tuple(columns),
        indptr=np.array(indptr, dtype=np.int64),
        indices=np.array(indices, dtype=np.int64),
        values=np.array(values),
    )
    return replace(nbest, sparse=_side_by_side(nbest.sparse, found))


def _names(nbest: NBest, ngrams: int, pairs: bool) -> Iterator[list[str]]:
    """The features of each candidate, as often as it has them."""
    for segment, list_ in enumerate(nbest):
        source = nbest.sources[segment].split() if pairs and nbest.sources is not None else []
        for text in list_:
            words = text.split()
            names = [
                NGRAM + " ".join(words[start : start + order])
                for order in range(1, ngrams + 1)
                for start in range(len(words) - order + 1)
            ]
            # A pair counts once, however often either word stands there.
            names += sorted({f"{PAIR}{a}|{b}" for a in source for b in words})
            yield names


def _frequent(nbest: NBest, ngrams: int, pairs: bool, least: int) -> list[str]:
    """What appears in the lists of enough segments, in the order of its appearance."""
    segments: Counter[str] = Counter()
    names = _names(nbest, ngrams, pairs)
    for size in nbest.sizes.tolist():
        seen: dict[str, None] = {}
        for _ in range(size):
            seen.update(dict.fromkeys(next(names)))
        segments.update(seen.keys())
    return [name for name, count in segments.items() if count >= least]


def _side_by_side(first: SparseFeatures | None, second: SparseFeatures) -> SparseFeatures:
    if first is None:
        return second
    from scipy.sparse import csr_array, hstack

    matrix = csr_array(hstack([first.matrix(), second.matrix()], format="csr"))
    matrix.sort_indices()
    return SparseFeatures(
        names=first.names + second.names,
        indptr=matrix.indptr,
        indices=matrix.indices,
        values=matrix.data,
    )
