"""WER, PER, GTM and the length ratio against plain definitions, and the laws they obey."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import plain_words
from tests.properties.texts import aligned_texts
from truebleu.corpus import as_test_set
from truebleu.metrics import GTM, PER, WER, LengthRatio

if TYPE_CHECKING:
    from truebleu.metrics.base import WordMetric

# Few words, so that they repeat and there is more than one way to align.
WORDS = st.sampled_from(["a", "b", "c", "d", "É", "é"])
SEGMENT = st.lists(WORDS, max_size=12).map(" ".join)
SOME_WORDS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
# Longer than the 64 words that the native code takes at a time, and than the 256 that it keeps.
LONG = st.lists(WORDS, min_size=50, max_size=320).map(" ".join)
REFERENCES = st.lists(SEGMENT, min_size=1, max_size=4)
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


def row_of(metric: WordMetric, output: str, references: list[str]) -> list[float]:
    (row,) = metric.statistics([output], [[reference] for reference in references]).tolist()
    return list(row)


@given(SEGMENT, REFERENCES)
def test_wer_counts_what_its_definition_says(output: str, references: list[str]) -> None:
    edits, length, *kinds = row_of(WER(), output, references)
    assert (edits, length) == plain_words.wer_row(output, references)
    assert sum(kinds) == edits


@pytest.mark.slow
@given(LONG, LONG)
def test_long_segments_have_the_edit_distance_of_the_definition(
    output: str, reference: str
) -> None:
    edits, length, substitutions, deletions, insertions = row_of(WER(), output, [reference])
    assert edits == plain_words.distance(reference.split(), output.split())
    assert substitutions + deletions + insertions == edits
    assert length - deletions + insertions == len(output.split())
    assert substitutions + deletions <= length


@given(SEGMENT, REFERENCES)
def test_per_counts_what_its_definition_says(output: str, references: list[str]) -> None:
    assert tuple(row_of(PER(), output, references)) == plain_words.per_row(output, references)


@given(SEGMENT, REFERENCES)
def test_the_length_ratio_counts_what_its_definition_says(
    output: str, references: list[str]
) -> None:
    row = tuple(row_of(LengthRatio(), output, references))
    assert row == plain_words.length_row(output, references)


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6))
def test_gtm_with_exponent_one_has_the_largest_matching(
    output: list[str], reference: list[str]
) -> None:
    row = row_of(GTM(), " ".join(output), [" ".join(reference)])
    largest = plain_words.largest_size(output, reference, 1)
    assert row == [pytest.approx(largest), len(output), len(reference)]


@given(
    st.lists(WORDS, max_size=12),
    st.lists(WORDS, max_size=12),
    st.sampled_from([1.0, 1.2, 2.0, 3.0, 10.0]),
)
def test_gtm_takes_the_longest_runs_first(
    output: list[str], reference: list[str], exponent: float
) -> None:
    size, *lengths = row_of(GTM(exponent=exponent), " ".join(output), [" ".join(reference)])
    runs = plain_words.greedy_runs(output, reference)
    assert size == pytest.approx(plain_words.size(runs, exponent), rel=1e-12)
    assert lengths == [len(output), len(reference)]


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, max_size=6), st.floats(1, 4))
def test_no_matching_is_larger_than_the_largest(
    output: list[str], reference: list[str], exponent: float
) -> None:
    size = row_of(GTM(exponent=exponent), " ".join(output), [" ".join(reference)])[0]
    assert size <= plain_words.largest_size(output, reference, exponent) * (1 + 1e-12)


@given(SEGMENT, SEGMENT, st.floats(1, 20), st.floats(1, 20))
def test_a_greater_exponent_never_raises_gtm(
    output: str, reference: str, exponent: float, other: float
) -> None:
    small, great = sorted((exponent, other))
    lower = GTM(exponent=great).sentence(output, reference).score
    assert lower <= GTM(exponent=small).sentence(output, reference).score * (1 + 1e-12)


@given(SEGMENT, REFERENCES)
def test_gtm_counts_against_the_reference_with_the_best_score(
    output: str, references: list[str]
) -> None:
    metric = GTM(exponent=2)
    best = max(metric.sentence(output, reference).score for reference in references)
    assert metric.sentence(output, references).score == pytest.approx(best, rel=1e-12)


@given(SOME_WORDS)
def test_an_output_equal_to_its_reference_scores_best(segment: str) -> None:
    assert WER().sentence(segment, segment).score == 0
    assert PER().sentence(segment, segment).score == 0
    assert GTM(exponent=3).sentence(segment, segment).score == 100
    assert LengthRatio().sentence(segment, segment).score == 100


@given(SEGMENT, SEGMENT)
def test_forgetting_the_order_never_adds_errors(output: str, reference: str) -> None:
    assert PER().sentence(output, reference).score <= WER().sentence(output, reference).score


@pytest.mark.parametrize("metric", [WER(), PER()], ids=["WER", "PER"])
@given(output=SEGMENT, references=REFERENCES)
def test_another_reference_never_raises_a_segments_error_rate(
    metric: WordMetric, output: str, references: list[str]
) -> None:
    fewer = metric.sentence(output, references[:1]).score
    more = metric.sentence(output, references).score
    # Errors against an empty reference alone are a rate of 100 by convention, not by counting.
    assert more <= fewer or not references[0]


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
