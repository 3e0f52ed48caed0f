"""BLEU: its counts, its settings, and mteval's."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import truebleu
from tests.properties import plain
from tests.properties.texts import aligned_texts
from truebleu import BLEU, NIST, TER
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics import parse_metric

OUTPUTS = ["yes", "maybe", "u v w x y z"]


REFERENCES = ["yes it is", "no way", "a b c d e f"]


def test_a_length_other_than_the_closest_is_in_the_signature() -> None:
    assert "len:" not in str(BLEU().signature)
    metric = parse_metric("bleu:reference_length=shortest")
    assert "|n:4|len:shortest|" in str(metric.signature)
    scores = truebleu.score(OUTPUTS, REFERENCES, [BLEU(), metric])
    assert list(scores.signatures) == ["BLEU", "BLEU[len:shortest]"]
    with pytest.raises(UnknownNameError, match="did you mean 'shortest'"):
        parse_metric("bleu:reference_length=short")


def test_smoothing_as_mteval_has_no_effective_order() -> None:
    metric = BLEU(smooth="mteval")
    assert metric.sentence_level() == metric
    with pytest.raises(SettingError, match="effective_order"):
        BLEU(smooth="mteval", effective_order=True)


def test_segment_scores_of_a_test_set_are_mteval_s() -> None:
    metrics = [NIST(), BLEU(tokenize="mteval", smooth="mteval")]
    segments = truebleu.score(OUTPUTS, REFERENCES, metrics, per_segment=True).systems[0].segments
    assert segments is not None
    # mteval-v13a's own, from tests/parity's golden file: micro-visible-02.
    assert segments["NIST"] == pytest.approx((0.02133082515770591, 0.0, 0.0), rel=1e-12)
    expected = (13.53352832366127, 30.934850332660563, 4.0583489434387374)
    assert segments["BLEU"] == pytest.approx(expected, rel=1e-12)


# Few words, so that n-grams repeat and clipping matters.
WORDS = st.sampled_from(["a", "b", "c", "ab", "é", "中", "."])


SEGMENT = st.lists(WORDS, max_size=12).map(" ".join)


@given(SEGMENT, st.lists(SEGMENT, min_size=1, max_size=4), st.integers(1, 5))
def test_bleu_counts_what_its_definition_says(
    output: str, references: list[str], max_order: int
) -> None:
    metric = BLEU(tokenize="none", max_order=max_order)
    (row,) = metric.statistics([output], [[reference] for reference in references]).tolist()
    assert row == plain.bleu_row(output, references, max_order)


@given(texts=aligned_texts(SEGMENT))
def test_more_references_never_lower_a_match(texts: tuple[list[str], list[list[str]]]) -> None:
    outputs, references = texts
    metric = BLEU()
    matches = slice(2, 2 + metric.max_order)
    some = metric.statistics(outputs, references[:1])[:, matches]
    more = metric.statistics(outputs, references)[:, matches]
    assert (more >= some).all()
    assert (
        TER().statistics(outputs, references)[:, 0]
        <= TER().statistics(outputs, references[:1])[:, 0]
    ).all()


@pytest.mark.parametrize(
    ("output", "order"),
    [
        ("a b c d e", None),
        ("a b c x d", 4),
        ("a b x c d e", 4),
        ("a b x c d", 3),
        ("a x b x c", 2),
        # Without any match there is no score, and without 4-grams no precision of them.
        ("x x x x x", None),
        ("a b c", None),
    ],
)
def test_the_order_without_a_match_is_known(output: str, order: int | None) -> None:
    assert BLEU().corpus([output], ["a b c d e"]).unmatched_order == order


def test_scores_without_smoothing_are_made_of_matches_alone() -> None:
    score = BLEU(smooth="none").corpus(["a b x c d"], ["a b c d e"])
    assert (score.score, score.unmatched_order) == (0.0, None)
