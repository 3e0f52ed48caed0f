from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from truebleu import TER
from truebleu.errors import TruebleuError
from truebleu.nbest import FeatureMean, count_candidates

LISTS = [["a dog sat", "the cat sat", "the cat"], ["yes", "no", "no"], ["on the mat"]]
REFERENCES = ["the cat sat down", "no", "on a mat"]


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "nist", "sentbleu", "per"])
def test_rows_are_those_of_each_candidate_as_a_system(name: str) -> None:
    counted = count_candidates(LISTS, REFERENCES, name)
    for indices in product(range(3), range(3), range(1)):
        texts = [list_[i] for list_, i in zip(LISTS, indices, strict=True)]
        expected = counted.metric.corpus(texts, REFERENCES).score
        assert counted.score(list(indices)) == pytest.approx(expected, abs=1e-9)


def test_several_references_count() -> None:
    counted = count_candidates([["a b", "c d"]], [["a b"], ["c d"]], TER())
    assert counted.sentence_scores().tolist() == [0.0, 0.0]


@pytest.mark.parametrize("name", ["bleu", "chrf", "nist"])
def test_lists_of_any_lengths_count_as_each_by_itself(name: str) -> None:
    lists = [[f"the cat {number}" for number in range(size)] for size in (1, 40, 3, 2, 17, 1)]
    references = [f"the cat {number}" for number in range(6)]
    counted = count_candidates(lists, references, name)
    firsts = [list_[0] for list_ in lists]
    lasts = [list_[-1] for list_ in lists]
    sizes = np.diff(counted.offsets)
    for texts, indices in ((firsts, np.zeros(6, dtype=int)), (lasts, sizes - 1)):
        expected = counted.metric.corpus(texts, references).score
        assert counted.score(indices) == pytest.approx(expected, abs=1e-9)


def test_a_feature_needs_lists() -> None:
    with pytest.raises(TruebleuError, match="n-best lists with features"):
        FeatureMean(name="qe").corpus(["a"], ["a"])
