"""WER, PER, GTM and the length ratio against plain definitions, and the laws they obey."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.properties.texts import REFERENCES, SEGMENT, WORDS, aligned_texts, row_of
from truebleu.corpus import as_test_set
from truebleu.metrics import GTM, PER, WER, LengthRatio

if TYPE_CHECKING:
    from truebleu.metrics.base import WordMetric

SOME_WORDS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
METRICS = [
    WER(),
    WER(tokenize="13a", lowercase=True),
    PER(),
    PER(tokenize="char"),
    GTM(),
    GTM(exponent=1.5),
    GTM(exponent=2, lowercase=True),
    LengthRatio(),
]
IDS = [str(metric.signature) for metric in METRICS]
every_metric = pytest.mark.parametrize("metric", METRICS, ids=IDS)


@given(SOME_WORDS)
def test_an_output_equal_to_its_reference_scores_best(segment: str) -> None:
    assert WER().sentence(segment, segment).score == 0
    assert PER().sentence(segment, segment).score == 0
    assert GTM(exponent=3).sentence(segment, segment).score == 100
    assert LengthRatio().sentence(segment, segment).score == 100


@every_metric
@given(output=SEGMENT, references=REFERENCES)
def test_the_order_of_the_references_does_not_matter(
    metric: WordMetric, output: str, references: list[str]
) -> None:
    assert row_of(metric, output, references) == row_of(metric, output, references[::-1])


@every_metric
@given(texts=aligned_texts(SEGMENT))
def test_sums_of_rows_score_like_texts_in_any_order(
    metric: WordMetric, texts: tuple[list[str], list[list[str]]]
) -> None:
    outputs, references = texts
    rows = metric.statistics(outputs, references)
    halves = rows[: len(rows) // 2].sum(axis=0) + rows[len(rows) // 2 :].sum(axis=0)
    expected = metric.corpus(outputs, references).score
    turned = metric.corpus(outputs[::-1], [text[::-1] for text in references]).score
    assert metric.score(halves) == pytest.approx(expected, rel=1e-12)
    assert turned == pytest.approx(expected, rel=1e-12)


@every_metric
@given(texts=aligned_texts(SEGMENT))
def test_systems_counted_together_are_counted_as_if_alone(
    metric: WordMetric, texts: tuple[list[str], list[list[str]]]
) -> None:
    outputs, references = texts
    systems = {"first": outputs, "second": references[0], "third": outputs[::-1]}
    together = metric.count(as_test_set(systems, references)).array()
    for index, system in enumerate(systems.values()):
        np.testing.assert_array_equal(together[:, index], metric.statistics(system, references))


@every_metric
@given(texts=aligned_texts(SEGMENT))
def test_scores_are_finite_and_of_the_shape_of_the_sums(
    metric: WordMetric, texts: tuple[list[str], list[list[str]]]
) -> None:
    rows = metric.statistics(*texts)
    scores = metric.score(np.stack([rows, 0 * rows]))
    assert scores.shape == (2, len(rows))
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
