"""WER, PER, GTM and the length ratio: their parts, edges, settings and signatures."""

from __future__ import annotations

import pytest

from truebleu.errors import SettingError
from truebleu.metrics import GTM, PER, WER, LengthRatio, parse_metric


def test_scores_without_words_are_defined() -> None:
    assert GTM().corpus([""], [""]).to_dict() == {
        "score": 0.0,
        "precision": 0.0,
        "recall": 0.0,
        "match_size": 0.0,
        "output_length": 0,
        "reference_length": 0,
    }
    assert LengthRatio().corpus([""], [""]).score == 100.0
    assert LengthRatio().corpus(["a b"], [""]).score == 200.0


def test_parts_are_printed_with_the_score() -> None:
    outputs, references = ["the cat sat on the mat"], ["the cat sat on a red mat"]
    assert str(GTM().corpus(outputs, references)) == (
        "GTM = 76.92 (precision = 83.33 recall = 71.43)"
    )
    assert str(WER().corpus(outputs, references)) == (
        "WER = 28.57 (substitutions = 1 deletions = 1 insertions = 0 reference = 7)"
    )
    assert PER().corpus(outputs, references).to_dict() == {
        "score": pytest.approx(200 / 7),
        "errors": 2,
        "reference_length": 7,
    }
    assert LengthRatio().corpus(outputs, references).to_dict() == {
        "score": pytest.approx(600 / 7),
        "output_length": 6,
        "reference_length": 7,
    }


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("wer:tokenize=13a,lowercase", WER(tokenize="13a", lowercase=True)),
        ("per:lowercase=yes", PER(lowercase=True)),
        ("gtm:exponent=2", GTM(exponent=2.0)),
        ("length:tokenize=char", LengthRatio(tokenize="char")),
    ],
)
def test_settings_may_be_written_as_text(text: str, metric: object) -> None:
    assert parse_metric(text) == metric


def test_an_unknown_tokenizer_is_refused() -> None:
    for name in ("wer", "per", "gtm", "length"):
        with pytest.raises(SettingError, match="unknown tokenizer '13b'"):
            parse_metric(f"{name}:tokenize=13b")


def test_signatures_tell_the_settings() -> None:
    assert str(WER().signature.with_references(1)).startswith(
        "WER|nrefs:1|case:mixed|tok:none|version:truebleu-"
    )
    assert str(GTM(exponent=1.5, lowercase=True, tokenize="intl").signature).startswith(
        "GTM|case:lc|tok:intl|e:1.5|version:truebleu-"
    )


def test_case_and_tokens_are_as_the_settings_say() -> None:
    output, reference = ["Hello, World!"], ["hello , world !"]
    assert WER().corpus(output, reference).score == 100.0
    assert WER(tokenize="13a").corpus(output, reference).score == 50.0
    assert WER(tokenize="13a", lowercase=True).corpus(output, reference).score == 0.0
