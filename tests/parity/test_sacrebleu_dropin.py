"""The drop-in against sacreBLEU 2.6.0: scores, counts, signatures and the line that is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import truebleu.compat.sacrebleu as sacrebleu
from tests.parity.cases import case_id, cases, texts
from truebleu.compat.sacrebleu.metrics import METRICS

if TYPE_CHECKING:
    from truebleu.compat.sacrebleu.metrics.base import Score

# What a golden result has besides the score, and how exactly it must be met.
EXACT = ("counts", "totals", "sys_len", "ref_len", "num_edits", "name")
CLOSE = ("precisions", "bp", "ref_length")
# These settings belong to the resampling, not to the metric.
RESAMPLING = ("n_samples", "seed")


def metric_of(case: dict[str, Any], **arguments: Any) -> Any:
    settings = {key: value for key, value in case["params"].items() if key not in RESAMPLING}
    return METRICS[case["metric"].upper()](**settings, **arguments)


def assert_agrees(score: Score, expected: dict[str, Any], signature: str) -> None:
    assert score.score == pytest.approx(expected["score"], rel=1e-9, abs=1e-12)
    for name in EXACT:
        if name in expected:
            assert getattr(score, name) == expected[name], name
    for name in CLOSE:
        if name in expected:
            assert getattr(score, name) == pytest.approx(expected[name], rel=1e-12), name
    assert score.format(width=1, signature=signature) == expected["text"]


@pytest.mark.parametrize("case", cases("sacrebleu", "corpus", "degenerate"), ids=case_id)
def test_corpus_scores_agree(case: dict[str, Any]) -> None:
    systems, references = texts(case)
    metric = metric_of(case, references=references)
    expect = case["expect"]
    scores = metric.corpus_scores(systems)
    assert metric.get_signature().format() == expect["signature"]
    assert metric.get_signature().format(short=True) == expect["short_signature"]
    for score, expected in zip(scores, expect["results"], strict=True):
        assert_agrees(score, expected, expect["signature"])


@pytest.mark.parametrize("case", cases("sacrebleu", "degenerate"), ids=case_id)
def test_corpus_scores_against_references_given_with_the_text_agree(case: dict[str, Any]) -> None:
    systems, references = texts(case)
    metric = metric_of(case)
    expect = case["expect"]
    for hypotheses, expected in zip(systems, expect["results"], strict=True):
        score = metric.corpus_score(hypotheses, references)
        assert_agrees(score, expected, str(metric.get_signature()))
        assert metric.get_signature().format() == expect["signature"]


@pytest.mark.parametrize("case", cases("sacrebleu", "sentence"), ids=case_id)
def test_sentence_scores_agree(case: dict[str, Any]) -> None:
    systems, references = texts(case)
    metric = metric_of(case)
    by_segment = [list(lines) for lines in zip(*references, strict=True)]
    for hypotheses, expected in zip(systems, case["expect"]["results"], strict=True):
        scores = [
            metric.sentence_score(hypothesis, lines)
            for hypothesis, lines in zip(hypotheses, by_segment, strict=True)
        ]
        for name, values in expected.items():
            found = [getattr(score, name) for score in scores]
            assert found == [pytest.approx(value, rel=1e-9, abs=1e-12) for value in values], name
    assert metric.get_signature().format() == case["expect"]["signature"]


@pytest.mark.parametrize("case", cases("sacrebleu", "confidence"), ids=case_id)
def test_intervals_agree(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", str(case["params"]["seed"]))
    systems, references = texts(case)
    metric = metric_of(case, references=references)
    for hypotheses, expected in zip(systems, case["expect"]["results"], strict=True):
        score = metric.corpus_score(hypotheses, None, n_bootstrap=case["params"]["n_samples"])
        assert score.score == pytest.approx(expected["score"], rel=1e-9)
        # The last digits depend on how a NumPy release adds and takes logarithms.
        assert score._mean == pytest.approx(expected["mean"], rel=1e-6)
        assert score._ci == pytest.approx(expected["ci"], rel=1e-5)
    assert metric.get_signature().format() == case["expect"]["signature"]


@pytest.mark.parametrize("case", cases("sacrebleu", "tokenize"), ids=case_id)
def test_tokenizers_agree(case: dict[str, Any]) -> None:
    line = case["systems"][0][0]
    for name, expected in case["expect"]["bleu"].items():
        tokenizer = sacrebleu.BLEU(tokenize=name).tokenizer
        assert tokenizer(line) == expected["raw"], name
    for variant, expected in case["expect"]["tercom"].items():
        settings = {key: value == "1" for key, value in (o.split("=") for o in variant.split(","))}
        assert sacrebleu.TER(**settings).tokenizer(line) == expected["raw"], variant
