"""Claims about the study of reranking: scores and p-values are those of compare."""

from __future__ import annotations

import pytest

from tests.nbest.small_lists import informative
from truebleu.errors import SettingError
from truebleu.nbest.reranking import rerank
from truebleu.significance.compare import compare
from truebleu.studies.reranking import study_reranking


@pytest.mark.slow
def test_rows_are_what_compare_says_of_both_models() -> None:
    lists, references = informative(segments=20)
    result = study_reranking(
        lists, [references], metrics=["nist", "chrf"], ngrams=2, folds=2, replicates=100
    )
    models = {
        name: rerank(
            lists,
            references,
            model="log-linear",
            ngrams=orders,
            metrics=["nist"],
            folds=2,
            replicates=50,
        )
        for name, orders in (("baseline", 0), ("reranking", 2))
    }
    texts = {name: list(model.texts) for name, model in models.items()}
    expected = compare(
        texts, references, metrics=["nist", "chrf"], replicates=100, baseline="baseline"
    )
    assert [row.metric for row in result.rows] == ["NIST", "chrF2"]
    for row, pair in zip(result.rows, expected.comparisons, strict=True):
        assert row.difference == pair.difference
        assert row.ar == pair.p
        assert row.verdict in {"better", "worse", "undecided"}
    assert result.selected == len(models["reranking"].selected)
    assert "segments" in str(result)


def test_something_to_compare_by_is_needed() -> None:
    lists, references = informative()
    with pytest.raises(SettingError, match="one or more"):
        study_reranking(lists, [references], metrics=[])
