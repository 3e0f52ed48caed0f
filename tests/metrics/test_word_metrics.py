"""WER, PER, GTM and the length ratio: their parts, edges, settings and signatures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truebleu import score
from truebleu.errors import SettingError
from truebleu.metrics import GTM, PER, WER, LengthRatio, parse_metric
from truebleu.reports import render

# Of jiwer 4.0.0 with rapidfuzz 3.14.6, by jiwer.process_words(reference, output):
# reference, output, 100 × wer, substitutions, deletions, insertions.
JIWER = [
    ("the cat sat on the mat", "the cat sat on a mat", 100 / 6, 1, 0, 0),
    ("the cat sat on the mat", "on the mat the cat sat", 100.0, 0, 3, 3),
    ("a b c d e f", "f a b c d e", 200 / 6, 0, 1, 1),
    ("to be or not to be", "not to be or to be", 100.0 / 3, 0, 1, 1),
    ("yes", "well yes I think so", 400.0, 0, 0, 4),
    ("never say never again", "", 100.0, 0, 4, 0),
    ("a a b a b b", "b a a b b a b", 50.0, 0, 1, 2),
]


@pytest.mark.parametrize(
    ("reference", "output", "rate", "substituted", "deleted", "inserted"), JIWER
)
def test_wer_and_its_kinds_of_edits_are_those_of_jiwer(
    reference: str, output: str, rate: float, substituted: int, deleted: int, inserted: int
) -> None:
    found = WER().sentence(output, reference)
    assert found.score == pytest.approx(rate, rel=1e-12)
    kinds: dict[str, Any] = found.to_dict()
    assert kinds["substitutions"] == substituted
    assert kinds["deletions"] == deleted
    assert kinds["insertions"] == inserted


@pytest.mark.parametrize("metric", [WER(), PER()], ids=["WER", "PER"])
def test_words_against_an_empty_reference_are_errors_of_a_text_with_other_references(
    metric: WER | PER,
) -> None:
    assert metric.corpus(["a b", "c d e f"], ["", "c d e f"]).score == 50.0
    assert metric.corpus(["a b"], [""]).score == 100.0
    assert metric.corpus([""], [""]).score == 0.0
    assert metric.corpus([""], ["a b"]).score == 100.0


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


def test_parts_are_printed_beside_the_score() -> None:
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


@pytest.mark.parametrize("text", ["0.5", "nan", "inf", "-1", "x", ""])
def test_an_exponent_below_one_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="exponent"):
        parse_metric(f"gtm:exponent={text}")


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


def test_a_length_is_neither_better_nor_worse() -> None:
    scores = score({"a": ["x y"]}, ["x y z"], ["length", "wer", "gtm"])
    result = json.loads(render(scores, "json"))
    assert [metric["higher_is_better"] for metric in result["metrics"]] == [None, False, True]
    notes = [line for line in render(scores, "text").splitlines() if "|case:" in line]
    assert ["(lower is better)" in note for note in notes] == [False, True, False]
