"""The native counts against plain definitions, and the laws that sums of counts obey."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.properties.texts import aligned_texts
from truebleu import BLEU, CHRF, TER, _core
from truebleu.corpus import as_test_set

# Few words, so that n-grams repeat and clipping matters.
WORDS = st.sampled_from(["a", "b", "c", "ab", "é", "中", "."])
SEGMENT = st.lists(WORDS, max_size=12).map(" ".join)
METRICS = [
    BLEU(),
    BLEU(tokenize="none", max_order=2, smooth="add-k"),
    BLEU(tokenize="intl", lowercase=True),
    BLEU(tokenize="zh"),
    BLEU(tokenize="char", effective_order=True),
    CHRF(),
    CHRF(word_order=2, whitespace=True),
    CHRF(eps_smoothing=True, lowercase=True),
    TER(),
    TER(normalized=True, no_punct=True),
]
IDS = [str(metric.signature) for metric in METRICS]
every_metric = pytest.mark.parametrize("metric", METRICS, ids=IDS)
AnyMetric: TypeAlias = BLEU | CHRF | TER
Texts: TypeAlias = tuple[list[str], list[list[str]]]


@every_metric
@given(texts=aligned_texts(SEGMENT))
def test_the_score_of_a_text_is_the_score_of_its_summed_rows(
    metric: AnyMetric, texts: Texts
) -> None:
    outputs, references = texts
    rows = metric.statistics(outputs, references)
    halves = rows[: len(rows) // 2].sum(axis=0) + rows[len(rows) // 2 :].sum(axis=0)
    expected = metric.corpus(outputs, references).score
    assert metric.score(rows.sum(axis=0)) == pytest.approx(expected, rel=1e-12)
    assert metric.score(halves) == pytest.approx(expected, rel=1e-12)


@every_metric
@given(texts=aligned_texts(SEGMENT))
def test_systems_counted_together_are_counted_as_if_alone(metric: AnyMetric, texts: Texts) -> None:
    outputs, references = texts
    systems = {"first": outputs, "second": references[0], "third": outputs[::-1]}
    together = metric.count(as_test_set(systems, references)).array()
    for index, system in enumerate(systems.values()):
        alone = metric.statistics(system, references)
        np.testing.assert_array_equal(together[:, index], alone)


@every_metric
@given(texts=aligned_texts(SEGMENT))
def test_scores_are_finite_and_of_the_shape_of_the_sums(metric: AnyMetric, texts: Texts) -> None:
    rows = metric.statistics(*texts)
    scores = metric.score(np.stack([rows, 2 * rows]))
    assert scores.shape == (2, len(rows))
    assert np.isfinite(scores).all()


@given(st.text(), st.text(), st.sampled_from(_core.tokenizers()), st.booleans())
def test_any_text_is_counted(output: str, reference: str, tokenizer: str, lowercase: bool) -> None:
    row = BLEU(tokenize=tokenizer, lowercase=lowercase).statistics([output], [reference])[0]
    tokens = _core.tokenize(output, tokenizer=tokenizer, lowercase=lowercase)
    assert row[0] == len(tokens)
    if tokenizer.startswith("mteval"):
        # To Perl these four are not white space; to Python they are.
        tokens = [token.translate(dict.fromkeys(range(0x1C, 0x20), "x")) for token in tokens]
    assert "".join(tokens).split() == ["".join(tokens)] or not tokens


@given(SEGMENT.filter(str.strip))
def test_an_output_equal_to_its_reference_scores_best(segment: str) -> None:
    assert BLEU().sentence(segment, segment).score == pytest.approx(100)
    assert CHRF(word_order=2).sentence(segment, segment).score == pytest.approx(100)
    assert TER().sentence(segment, segment).score == 0
