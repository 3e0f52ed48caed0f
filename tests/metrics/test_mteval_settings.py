"""The settings that make BLEU mteval's, and those of NIST."""

from __future__ import annotations

import pytest

import truebleu
from truebleu import BLEU, NIST
from truebleu.errors import SettingError, UnknownNameError
from truebleu.metrics import parse_metric

OUTPUTS = ["yes", "maybe", "u v w x y z"]
REFERENCES = ["yes it is", "no way", "a b c d e f"]


def test_nist_is_written_as_a_name_and_settings() -> None:
    text = "nist:tokenize=mteval-intl,lowercase,max_order=4,zero_history=no"
    expected = NIST(tokenize="mteval-intl", lowercase=True, max_order=4, zero_history=False)
    assert parse_metric(text) == expected
    assert str(expected.signature.with_references(2)).startswith(
        "NIST|nrefs:2|case:lc|tok:mteval-intl|n:4|zero:no|version:truebleu-"
    )


def test_nist_refuses_what_is_impossible() -> None:
    with pytest.raises(SettingError, match="max_order: found 0"):
        NIST(max_order=0)
    with pytest.raises(UnknownNameError, match="did you mean 'mteval'"):
        NIST(tokenize="mtevl")


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
    segments = truebleu.score(OUTPUTS, REFERENCES, metrics, segments=True).systems[0].segments
    assert segments is not None
    # mteval-v13a's own, from tests/parity's golden file: micro-visible-02.
    assert segments["NIST"] == pytest.approx((0.02133082515770591, 0.0, 0.0), rel=1e-12)
    expected = (13.53352832366127, 30.934850332660563, 4.0583489434387374)
    assert segments["BLEU"] == pytest.approx(expected, rel=1e-12)
