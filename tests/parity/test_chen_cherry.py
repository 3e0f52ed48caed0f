"""Sentence BLEU and M-BLEU against the papers' equations, computed apart, and against NLTK."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parity.cases import case_id, texts, tool_cases
from truebleu import SentenceBLEU
from truebleu.metrics import MBLEU

GOLDEN = "nist-multeval"
PAPER = tool_cases(GOLDEN, "paper-equations")
NLTK = tool_cases(GOLDEN, "nltk-3.10.4")
ZHANG_VOGEL = tool_cases(GOLDEN, "zhang-vogel-2004 plain numpy")
SEGMENTS = [case for case in PAPER if case["metric"].startswith("sentence BLEU")]
DOCUMENTS = [case for case in PAPER if case["metric"].startswith("BLEU_d")]
M_BLEU = [case for case in ZHANG_VOGEL if case["metric"].startswith("M-BLEU")]
# What the cases call the settings of smoothings.
VALUES = {"epsilon": "epsilon", "K": "k", "alpha": "alpha"}


def chosen_texts(case: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """The lines that the case is about."""
    (outputs,), references = texts(case)
    lines = case["params"]["lines"]
    return [outputs[at] for at in lines], [[text[at] for at in lines] for text in references]


def metric_of(case: dict[str, Any]) -> SentenceBLEU:
    params = case["params"]
    assert params["tokenizer"] == "whitespace"
    assert params["case_sensitive"]
    smoothing, _, reading = case["metric"].removeprefix("sentence BLEU, smoothing ").partition(" ")
    return SentenceBLEU(
        smoothing=smoothing,
        smooth_next_order=reading == "(other reading)",
        max_order=params["N"],
        tokenize="none",
        **{ours: params[theirs] for theirs, ours in VALUES.items() if theirs in params},
    )


def segment_scores(case: dict[str, Any]) -> list[float]:
    metric = metric_of(case).sentence_level()
    scores: list[float] = metric.score(metric.statistics(*chosen_texts(case))).tolist()
    return scores


@pytest.mark.parametrize("case", SEGMENTS, ids=case_id)
def test_segment_scores_follow_the_equations(case: dict[str, Any]) -> None:
    expected = [100 * score for score in case["expect"]]
    assert segment_scores(case) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", DOCUMENTS, ids=case_id)
def test_document_scores_follow_equation_13(case: dict[str, Any]) -> None:
    outputs, references = chosen_texts(case)
    for smoothing, expected in case["expect"].items():
        metric = SentenceBLEU(smoothing=smoothing, tokenize="none")
        corpus = metric.corpus(outputs, references)
        assert corpus.score == pytest.approx(100 * expected, rel=1e-9)


@pytest.mark.parametrize("case", NLTK, ids=case_id)
def test_segment_scores_agree_with_nltk_if_it_follows_the_paper(case: dict[str, Any]) -> None:
    # null: NLTK departs from the paper there, as the notes of the case say.
    pairs = zip(segment_scores(case), case["expect"], strict=True)
    compared = [(found, 100 * expected) for found, expected in pairs if expected is not None]
    assert len(compared) >= 100
    for found, expected in compared:
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", M_BLEU, ids=case_id)
def test_mbleu_agrees_with_a_plain_implementation(case: dict[str, Any]) -> None:
    assert case["params"]["tokenizer"] == "whitespace"
    assert case["params"]["case_sensitive"]
    max_order = int(case["metric"].removeprefix("M-BLEU (N=").removesuffix(")"))
    (outputs,), references = texts(case)
    score = MBLEU(max_order=max_order, tokenize="none").corpus(outputs, references)
    assert score.score == pytest.approx(100 * case["expect"]["score"], rel=1e-9)


@pytest.mark.usefixtures("shared")
def test_the_golden_file_has_all_these_cases() -> None:
    assert [len(cases) for cases in (SEGMENTS, DOCUMENTS, NLTK, M_BLEU)] == [36, 4, 20, 16]
