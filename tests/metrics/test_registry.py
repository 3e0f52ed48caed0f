"""Settings of metrics: as arguments, as text, in signatures, and refused where impossible."""

from __future__ import annotations

from typing import Any

import pytest

from truebleu import BLEU, CHRF, TER
from truebleu.errors import SettingError
from truebleu.metrics import MBLEU, PER, LengthRatio, Metric, SentenceBLEU, parse_metric
from truebleu.metrics.registry import as_metrics


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("bleu", BLEU()),
        ("BLEU", BLEU()),
        ("bleu:tokenize=zh,smooth=floor,smooth_value=0.01", None),
        ("bleu:lowercase", BLEU(lowercase=True)),
        ("bleu:lowercase=no,max_order=2", BLEU(max_order=2)),
        ("bleu:tokenize=spm:/models/a.model", BLEU(tokenize="spm:/models/a.model")),
        ("chrf:word_order=2,beta=3", CHRF(word_order=2, beta=3)),
        ("ter:normalized=yes,case_sensitive=true", TER(normalized=True, case_sensitive=True)),
        ("chrF++", CHRF(word_order=2)),
        ("chrf2", CHRF()),
        ("CHRF2++", CHRF(word_order=2)),
        ("chrF3+:lowercase", CHRF(beta=3, word_order=1, lowercase=True)),
        ("M-BLEU", MBLEU()),
        ("sentBLEU:smoothing=4", SentenceBLEU(smoothing=4)),
    ],
)
def test_a_metric_is_written_as_a_name_and_settings(text: str, metric: Metric | None) -> None:
    expected = metric or BLEU(tokenize="zh", smooth="floor", smooth_value=0.01)
    assert parse_metric(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blue", "unknown metric 'blue'; did you mean 'bleu'?"),
        ("bleu:tokenise=zh", "unknown setting of bleu 'tokenise'; did you mean 'tokenize'?"),
        ("bleu:tokenize=13b", "unknown tokenizer '13b'; did you mean '13a'?"),
        ("bleu:smooth=expo", "unknown smooth 'expo'; did you mean 'exp'?"),
        ("bleu:max_order=four", "bleu: max_order: 'four'; expected a whole number"),
        ("bleu:max_order=0", "max_order: 0; expected a whole number from 1 to 100"),
        ("bleu:lowercase=perhaps", "bleu: lowercase: 'perhaps'; expected yes or no"),
        ("bleu:smooth=floor,smooth_value=nan", "smooth_value: nan"),
        ("bleu:smooth=floor,smooth_value=-1", "smooth_value: -1.0"),
        ("bleu:smooth_value=1", "smooth_value: 1.0; expected none with smooth=exp"),
        ("bleu:max_order=2,max_order=3", "each setting once"),
        ("chrf:char_order=0", "at least 1 where word_order is 0"),
        ("chrf:beta=x", "chrf: beta: 'x'; expected a whole number"),
        ("", "unknown metric ''"),
        ("bleu,", "unknown metric ''"),
        ("bleu,chrf", "metric: 'bleu,chrf'; expected one metric"),
        ("chrf++:word_order=1", "each setting once"),
        ("spBLEU", "bleu:tokenize=spm:PATH"),
        ("bleu:lowercase,chr", "unknown setting of bleu 'chr'"),
    ],
)
def test_what_is_impossible_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(SettingError) as refusal:
        parse_metric(text)
    assert message in str(refusal.value)


def test_signatures_tell_the_settings() -> None:
    assert str(BLEU(smooth="add-k").signature.with_references(2)).startswith(
        "BLEU|nrefs:2|case:mixed|eff:no|tok:auto|smooth:add-k[1.00]|n:4|version:truebleu-"
    )
    assert str(CHRF(lowercase=True).signature.with_references(None)).startswith(
        "chrF2|nrefs:var|case:lc|eff:yes|nc:6|nw:0|space:no|version:truebleu-"
    )
    assert str(TER(no_punct=True).signature).startswith(
        "TER|case:lc|tok:tercom|norm:no|punct:no|asian:no|version:truebleu-"
    )


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("bleu,chrf", [BLEU(), CHRF()]),
        ("bleu, chrF++,TER", [BLEU(), CHRF(word_order=2), TER()]),
        ("bleu:tokenize=zh,lowercase,chrf", [BLEU(tokenize="zh", lowercase=True), CHRF()]),
        ("bleu:tokenize=spm:a.model,ter:normalized,no_punct=yes",
         [BLEU(tokenize="spm:a.model"), TER(normalized=True, no_punct=True)]),
        ("length,bleu:reference_length=shortest",
         [LengthRatio(), BLEU(reference_length="shortest")]),
    ],
)  # fmt: skip
def test_commas_separate_metrics_and_settings(text: str, metrics: list[Metric]) -> None:
    assert as_metrics(text) == metrics
    assert as_metrics([text, "per"]) == [*metrics, PER()]


def test_a_lone_text_is_one_metric() -> None:
    assert as_metrics("chrf:word_order=2") == as_metrics(["chrf:word_order=2"])


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [(None, "names such as"), ([], "at least one"), ([BLEU], r"such as BLEU\(\)")],
)
def test_what_is_no_list_of_metrics_is_refused(metrics: Any, expected: str) -> None:
    with pytest.raises(SettingError, match=f"metrics: .*{expected}"):
        as_metrics(metrics)
