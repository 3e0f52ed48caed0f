"""Batches add up to the whole, and rewards are the scores of single segments."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from truebleu import BLEU, CHRF, TER
from truebleu._core import ReadyReferences
from truebleu.errors import SettingError, UnencodableSegmentError
from truebleu.integrations.batches import BatchMetric, Reward

OUTPUTS = ["the cat sat on the mat", "a dog barked", "", "it rains again and again"]
FIRST = ["the cat sat on a mat", "the dog barked", "nothing", "it rains once again"]
SECOND = ["a cat sat on the mat", "a dog was barking", "none", "again it rains"]
BOTH = [list(pair) for pair in zip(FIRST, SECOND, strict=True)]


@pytest.mark.parametrize("metric", [BLEU(tokenize="13a"), CHRF(word_order=2), TER()])
def test_batches_add_up_to_the_corpus_score(metric: BLEU | CHRF | TER) -> None:
    batches = BatchMetric(metric)
    sums = sum(batches.rows(OUTPUTS[i : i + 2], BOTH[i : i + 2]).sum(axis=0) for i in (0, 2))
    whole = metric.corpus(OUTPUTS, [FIRST, SECOND])
    assert batches.describe(np.asarray(sums).tolist()) == whole


def test_a_single_reference_may_stand_without_a_list() -> None:
    batches = BatchMetric("chrf")
    sums = batches.rows(OUTPUTS, FIRST).sum(axis=0)
    assert batches.describe(sums.tolist()) == CHRF().corpus(OUTPUTS, FIRST)


def test_numbers_of_references_may_vary() -> None:
    batches = BatchMetric("bleu")
    sums = batches.rows(OUTPUTS, [BOTH[0], FIRST[1:2], *BOTH[2:]]).sum(axis=0)
    several: list[list[str | None]] = [[*FIRST], [SECOND[0], None, *SECOND[2:]]]
    whole = BLEU().corpus(OUTPUTS, several)
    score = batches.describe(sums.tolist())
    assert score.score == whole.score
    assert score.signature["nrefs"] == "var"


def test_the_language_chooses_the_tokenizer() -> None:
    assert BatchMetric("bleu", "zh").metric == BLEU(tokenize="zh")
    assert BatchMetric("bleu").metric == BLEU(tokenize="13a")
    assert BatchMetric("bleu:tokenize=char").metric == BLEU(tokenize="char")


@pytest.mark.parametrize(
    ("outputs", "target", "message"),
    [
        (["a"], [], "target: 0; expected references for each of 1 outputs"),
        (["a"], "a", "target: 'a'; expected a list"),
        (["a"], [[]], r"target\[0\]: \[\]"),
        (["a"], [None], r"target\[0\]: None"),
        (["a", "b"], [["x"], [5]], r"target\[1\]: \[5\]"),
    ],
)
def test_targets_that_do_not_pair_are_refused(
    outputs: list[str], target: Any, message: str
) -> None:
    with pytest.raises(SettingError, match=message):
        BatchMetric("bleu").rows(outputs, target)


def test_metrics_of_whole_texts_are_rejected() -> None:
    with pytest.raises(SettingError, match="counts each segment alone"):
        BatchMetric("nist")


def test_rewards_are_scores_of_single_segments_and_higher_is_better() -> None:
    scores = [CHRF().sentence(*pair).score for pair in zip(OUTPUTS, FIRST, strict=True)]
    assert Reward("chrf")(OUTPUTS, FIRST) == pytest.approx([score / 100 for score in scores])
    ters = [TER().sentence(*pair).score for pair in zip(OUTPUTS, BOTH, strict=True)]
    assert Reward("ter")(OUTPUTS, BOTH) == pytest.approx([-score / 100 for score in ters])


def test_trainers_pass_messages_and_columns() -> None:
    messages = [[{"role": "assistant", "content": text}] for text in OUTPUTS]
    reward = Reward("chrf", column="answer")
    assert reward(messages, answer=FIRST, prompts=["?"] * 4) == reward(OUTPUTS, FIRST)
    assert reward.__name__ == "chrF2 reward"
    assert reward([], []) == []
    with pytest.raises(SettingError, match="a column 'answer'"):
        reward(OUTPUTS)
    with pytest.raises(SettingError, match="completions"):
        reward([5], ["a"])


def test_many_threads_may_ask_at_once() -> None:
    reward = Reward("chrf")
    expected = reward(OUTPUTS, FIRST)
    with ThreadPoolExecutor(8) as pool:
        rewards = list(pool.map(lambda _: reward(OUTPUTS, FIRST), range(64)))
    assert rewards == [expected] * 64


def test_rewards_travel_to_workers() -> None:
    reward = pickle.loads(pickle.dumps(Reward("chrf")))  # noqa: S301
    assert reward(OUTPUTS, FIRST) == Reward("chrf")(OUTPUTS, FIRST)


@pytest.mark.parametrize("metric", ["bleu", "chrf:word_order=2", "ter", "bleu:tokenize=char"])
@pytest.mark.parametrize("cache_bytes", [0, 100_000, 1 << 26])
def test_the_cache_does_not_change_rewards(metric: str, cache_bytes: int) -> None:
    reward = Reward(metric, cache_bytes=cache_bytes)
    single = reward.metric
    several = [FIRST[0], BOTH[1], FIRST[2], BOTH[3]]
    expected = [
        reward.metric.sign / 100 * single.sentence(*pair).score
        for pair in zip(OUTPUTS, several, strict=True)
    ]
    for repeats in (1, 2, 40):
        assert reward(OUTPUTS * repeats, several * repeats) == expected * repeats
    assert reward(OUTPUTS[::-1], several[::-1]) == expected[::-1]


def test_threads_share_the_cache() -> None:
    metric = CHRF()
    texts = [[f"reference {i % 7} of {i % 5}"] for i in range(200)]
    outputs = [f"reference {i} of {i % 3}" for i in range(200)]
    cache = metric.reference_cache(1 << 20)
    assert cache is not None
    expected = metric.statistics(outputs, [text for (text,) in texts])

    def count(start: int) -> bool:
        rows = cache.count(outputs[start:], texts[start:]).array()[:, 0]
        return bool((rows == expected[start:]).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(count, [0, 3, 150, 190] * 16))
    assert len(cache) == 35


@pytest.mark.parametrize(
    "metric", [BLEU(tokenize="13a"), CHRF(), CHRF(word_order=2), CHRF(char_order=7)]
)
def test_references_of_a_test_set_are_kept_ready(metric: BLEU | CHRF) -> None:
    texts: list[list[str | None]] = [[*FIRST], [SECOND[0], None, *SECOND[2:]]]
    ready = ReadyReferences(metric.native(), texts)
    for outputs in (OUTPUTS, SECOND):
        rows = ready.count(outputs).array()[:, 0]
        assert rows.tolist() == metric.statistics(outputs, texts).tolist()
    with pytest.raises(SettingError, match="outputs: '1'; expected 4"):
        ready.count(["a"])
    with pytest.raises(ValueError, match="segment 1: no reference"):
        ReadyReferences(metric.native(), [[None]])
    with pytest.raises(SettingError, match="one that keeps references"):
        ReadyReferences(TER().native(), [FIRST])


def test_kept_references_take_no_more_memory_than_allowed() -> None:
    cache = CHRF().reference_cache(10_000)
    assert cache is not None
    for number in range(100):
        cache.count(["a"], [[f"a reference of some length {number}"]])
    assert 0 < len(cache) < 20


def test_texts_that_cannot_be_kept_are_refused() -> None:
    with pytest.raises(SettingError, match="cache_bytes: -1"):
        Reward("chrf", cache_bytes=-1)
    with pytest.raises(UnencodableSegmentError):
        Reward("chrf")(["a"], ["\ud800"])
    cache = CHRF().reference_cache(1)
    assert cache is not None
    with pytest.raises(SettingError, match="references: '2'; expected 1"):
        cache.count(["a"], [["b"], ["c"]])
    assert TER().reference_cache(1) is None
    assert BLEU(tokenize="ja-mecab").reference_cache(1) is None
