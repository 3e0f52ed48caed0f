"""What is said of a reranker by several metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.nbest.small_lists import informative
from truebleu.studies.reranking import study_reranking


@pytest.mark.slow
def test_metrics_that_point_in_different_directions_are_a_warning() -> None:
    lists, references = informative(segments=12)
    result = study_reranking(
        lists, [references], metrics=["nist", "bleu"], ngrams=1, folds=2, replicates=50
    )
    first, second = result.rows
    rows = (
        replace(first, difference=0.2, verdict="better"),
        replace(second, difference=-0.1, verdict="undecided"),
    )
    text = " ".join(replace(result, rows=rows).to_document().sentences)
    assert "Better by NIST." in text
    assert "Undecided by BLEU." in text
    assert "point in different directions" in text
    same = tuple(replace(row, difference=0.2) for row in rows)
    text = " ".join(replace(result, rows=same).to_document().sentences)
    assert "point in different directions" not in text
