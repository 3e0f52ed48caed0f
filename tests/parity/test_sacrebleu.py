"""BLEU, chrF, TER and their tokenizers against sacreBLEU 2.6.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.parity.cases import case_id, cases, texts
from truebleu import BLEU, CHRF, TER, _core
from truebleu.corpus import as_test_set
from truebleu.tokenizers import tokenize

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

METRICS: dict[str, Any] = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
# sacreBLEU's names of settings that have another name here.
NAMES = {"max_ngram_order": "max_order", "smooth_method": "smooth"}
# What sacreBLEU calls the parts of a score, by our name for it.
PARTS = {
    "precisions": "precisions",
    "matches": "counts",
    "totals": "totals",
    "brevity_penalty": "bp",
    "output_length": "sys_len",
    "reference_length": "ref_len",
    "edits": "num_edits",
}


def metric_of(case: dict[str, Any]) -> Metric:
    settings = {NAMES.get(name, name): value for name, value in case["params"].items()}
    metric: Metric = METRICS[case["metric"]](**settings)
    return metric


def parts_of(case: dict[str, Any]) -> dict[str, str]:
    if case["metric"] == "ter":
        return {"edits": "num_edits", "reference_length": "ref_length"}
    return {name: theirs for name, theirs in PARTS.items() if case["metric"] == "bleu"}


@pytest.mark.parametrize("case", cases("sacrebleu", "corpus", "degenerate"), ids=case_id)
def test_corpus_scores_and_their_parts_agree(case: dict[str, Any]) -> None:
    systems, references = texts(case)
    test_set = as_test_set(dict(zip(map(str, range(99)), systems, strict=False)), references)
    metric = metric_of(case).for_references(test_set.references)
    results = case["expect"]["results"]
    for sums, expected in zip(metric.count(test_set).sums(), results, strict=True):
        score = metric.describe(sums, test_set.references_per_segment)
        assert score.score == pytest.approx(expected["score"], rel=1e-9, abs=1e-12)
        values = score.to_dict()
        for ours, theirs in parts_of(case).items():
            if theirs in expected:
                assert values[ours] == pytest.approx(expected[theirs], rel=1e-12, abs=0), ours
        if case["metric"] == "chrf":
            assert sums == expected["stats"]
            assert score.name == expected["name"]


@pytest.mark.parametrize("case", cases("sacrebleu", "sentence"), ids=case_id)
def test_segment_scores_agree(case: dict[str, Any]) -> None:
    metric = metric_of(case)
    systems, references = texts(case)
    for outputs, expected in zip(systems, case["expect"]["results"], strict=True):
        scores = metric.score(metric.statistics(outputs, references))
        assert scores.tolist() == pytest.approx(expected["score"], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", cases("sacrebleu", "tokenize"), ids=case_id)
def test_tokens_agree(case: dict[str, Any]) -> None:
    line, expected = case["systems"][0][0], case["expect"]
    for name, result in expected["bleu"].items():
        assert tokenize(line, name) == result["tokens"], name
    assert tokenize(line, "13a", lowercase=True) == expected["13a_lowercase_tokens"]
    for variant, result in expected["tercom"].items():
        options = {key: value == "1" for key, value in (o.split("=") for o in variant.split(","))}
        tokenized = _core.tokenize_ter(line.rstrip(), **options)
        assert tokenized.split() == result["hyp_tokens"], variant
        assert _core.tokenize_ter(tokenized, **options).split() == result["ref_tokens"], variant


@pytest.mark.parametrize("case", cases("sacrebleu", "tokenize"), ids=case_id)
def test_chrf_counts_as_many_characters_and_words(case: dict[str, Any]) -> None:
    line, expected = case["systems"][0][0], case["expect"]["chrf"]
    row = CHRF(char_order=1, word_order=1).statistics([line], [line])[0].tolist()
    characters, words = len(expected["chars"]), len(expected["words"])
    assert row == [characters] * 3 + [words] * 3


@pytest.mark.usefixtures("shared")
def test_the_golden_file_is_the_whole_one() -> None:
    assert len(cases("sacrebleu", "corpus", "sentence", "degenerate", "tokenize")) == 1928
