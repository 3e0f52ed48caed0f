"""Sentence BLEU and M-BLEU against plain definitions, and the laws that their means obey."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.properties.plain import bleu_row
from tests.properties.plain_sentence_bleu import sentence_bleu
from tests.properties.texts import (
    REPETITIVE as SEGMENT,
    REPETITIVE_REFERENCES as REFERENCES,
    aligned_texts,
)
from truebleu import BLEU, SentenceBLEU
from truebleu.corpus import as_test_set
from truebleu.errors import SettingError
from truebleu.metrics import MBLEU, SentenceBLEUScore, parse_metric
from truebleu.metrics.bleu import SMOOTHINGS

if TYPE_CHECKING:
    from random import Random

Texts = tuple[list[str], list[list[str]]]

METRICS = [SentenceBLEU(smoothing=number, tokenize="none") for number in range(8)]
METRICS.append(replace(METRICS[7], smooth_next_order=True))
every_smoothing = pytest.mark.parametrize("metric", METRICS, ids=lambda m: str(m.signature))


@every_smoothing
@given(output=SEGMENT, references=REFERENCES, max_order=st.integers(1, 6))
def test_a_segment_scores_what_the_equations_say(
    metric: SentenceBLEU, output: str, references: list[str], max_order: int
) -> None:
    metric = replace(metric, max_order=max_order)
    number = list(SMOOTHINGS).index(str(metric.smoothing))
    expected = sentence_bleu(
        output, references, number, max_order, smooth_next_order=metric.smooth_next_order
    )
    assert metric.sentence(output, references).score == pytest.approx(
        100 * expected, rel=1e-9, abs=1e-12
    )


@pytest.mark.parametrize(
    ("number", "smooth", "value"),
    [(0, "none", None), (1, "floor", 0.1), (2, "add-k", 1.0), (3, "exp", None)],
)
@given(output=SEGMENT, references=REFERENCES)
def test_the_smoothings_that_bleu_has_too_agree_wherever_a_word_matches(
    number: int, smooth: str, value: float | None, output: str, references: list[str]
) -> None:
    bleu = BLEU(tokenize="none", smooth=smooth, smooth_value=value)  # type: ignore[arg-type]
    if set(output.split()) & set(" ".join(references).split()):
        expected = bleu.sentence(output, references).score
        assert METRICS[number].sentence(output, references).score == pytest.approx(expected)


@every_smoothing
@given(segment=SEGMENT.filter(bool), others=st.lists(SEGMENT, max_size=2))
def test_an_output_equal_to_a_reference_scores_100(
    metric: SentenceBLEU, segment: str, others: list[str]
) -> None:
    if metric.smooth_next_order:
        # The other reading of Smoothing 7 gives a short one more, by a smoothed m_(N+1).
        assert metric.sentence(segment, [*others, segment]).score >= 100 - 1e-9
        return
    assert metric.sentence(segment, [*others, segment]).score == pytest.approx(100, rel=1e-12)
    assert metric.corpus([segment] * 3, [segment] * 3).score == pytest.approx(100, rel=1e-12)


@every_smoothing
@given(texts=aligned_texts(SEGMENT), order=st.randoms(use_true_random=False))
def test_the_order_of_segments_changes_nothing(
    metric: SentenceBLEU, texts: Texts, order: Random
) -> None:
    outputs, references = texts
    positions = list(range(len(outputs)))
    order.shuffle(positions)
    shuffled = metric.corpus(
        [outputs[at] for at in positions], [[text[at] for at in positions] for text in references]
    )
    assert shuffled.score == pytest.approx(metric.corpus(outputs, references).score, rel=1e-12)


@every_smoothing
@given(texts=aligned_texts(SEGMENT), cut=st.integers(0, 6))
def test_rows_of_blocks_add_up_to_the_mean_of_the_whole(
    metric: SentenceBLEU, texts: Texts, cut: int
) -> None:
    outputs, references = texts
    rows = metric.statistics(outputs, references)
    sums = rows[:cut].sum(axis=0) + rows[cut:].sum(axis=0)
    segments = list(zip(outputs, zip(*references, strict=True), strict=True))
    scores = [metric.sentence(output, translations).score for output, translations in segments]
    lengths = [bleu_row(output, translations, 1)[1] for output, translations in segments]
    expected = np.dot(lengths, scores) / sum(lengths) if sum(lengths) else 0.0
    assert metric.score(sums) == pytest.approx(expected, rel=1e-12)
    assert metric.sentence_level().score(sums) == pytest.approx(np.mean(scores), rel=1e-12)
    described = metric.describe(sums.tolist(), 1)
    assert isinstance(described, SentenceBLEUScore)
    assert described.score == described.length_weighted == metric.score(sums)
    assert described.equally_weighted == metric.sentence_level().score(sums)


@every_smoothing
@given(texts=aligned_texts(SEGMENT))
def test_scores_are_finite_and_not_negative(metric: SentenceBLEU, texts: Texts) -> None:
    rows = metric.statistics(*texts)
    for weighted in (metric, metric.sentence_level()):
        scores = weighted.score(np.vstack([rows, rows.sum(axis=0), 0 * rows]))
        assert np.isfinite(scores).all()
        assert (scores >= 0).all()


@given(texts=aligned_texts(SEGMENT))
def test_systems_counted_together_are_counted_as_if_alone(texts: Texts) -> None:
    outputs, references = texts
    systems = {"first": outputs, "second": references[0], "third": outputs[::-1]}
    for metric in (*METRICS, MBLEU()):
        together = metric.count(as_test_set(systems, references)).array()
        for index, system in enumerate(systems.values()):
            np.testing.assert_array_equal(together[:, index], metric.statistics(system, references))


MONOTONE = [metric for metric in METRICS if metric.smoothing != "interpolate"]


@pytest.mark.parametrize("metric", MONOTONE, ids=lambda metric: str(metric.signature))
@given(output=SEGMENT, references=REFERENCES, more=REFERENCES)
def test_more_references_of_the_same_length_never_lower_a_score(
    metric: SentenceBLEU, output: str, references: list[str], more: list[str]
) -> None:
    # Interpolation is not like that: one more word that matches lowers what it expects of 3-grams.
    size = len(output.split())
    fitted = [" ".join((text.split() + ["z"] * size)[:size]) for text in [*references, *more]]
    some = metric.sentence(output, fitted[: len(references)]).score
    assert metric.sentence(output, fitted).score >= some - 1e-9


def test_every_value_keeps_scores_finite() -> None:
    segments = ["a b a", "x y z", "b", "a b " * 100]
    for text in ("smoothing=4,k=1e-300", "smoothing=7,k=1e-300,smooth_next_order"):
        metric = parse_metric(f"sentbleu:{text}")
        scores = metric.score(metric.statistics(segments, ["b a b"] * 4))
        assert (np.isfinite(scores) & (scores >= 0)).all(), text
    steep = SentenceBLEU(smoothing=6, alpha=1e6, max_order=100)
    assert np.isfinite(steep.sentence("a b a", "b a b").score)
    with pytest.raises(SettingError, match="alpha: 1e\\+300; expected a number above 0"):
        SentenceBLEU(smoothing=6, alpha=1e300)


@pytest.mark.parametrize("number", range(8))
def test_a_smoothing_is_a_name_or_the_number_of_the_paper(number: int) -> None:
    metric = SentenceBLEU(smoothing=number)
    assert isinstance(metric.smoothing, str)
    assert metric == SentenceBLEU(smoothing=metric.smoothing)
    assert metric == parse_metric(f"sentbleu:smoothing={number}")
    assert f"|smooth:{metric.smoothing}" in str(metric.signature)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("smoothing=8", "unknown smoothing '8'"),
        ("smoothing=halve", "did you mean 'halving'?"),
        ("smoothing=1,epsilon=0", "epsilon: 0.0; expected a number above 0 and up to 1"),
        ("smoothing=1,epsilon=2", "epsilon: 2.0; expected a number above 0 and up to 1"),
        ("smoothing=4,k=-1", "k: -1.0; expected a number above 0"),
        ("smoothing=4,k=inf", "k: inf; expected a number above 0"),
        ("smoothing=6,alpha=nan", "alpha: nan; expected a number above 0"),
        (
            "smoothing=3,k=4",
            "no value with smoothing=halving; it belongs to length-scaled and scaled",
        ),
        ("smoothing=5,smooth_next_order", "it belongs to scaled-average"),
        ("weight=none", "unknown weight 'none'"),
        ("max_order=0", "max_order: 0"),
        ("tokenize=13b", "unknown tokenizer '13b'"),
    ],
)
def test_impossible_settings_are_rejected(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refusal:
        parse_metric(f"sentbleu:{text}")
    assert message in str(refusal.value)
