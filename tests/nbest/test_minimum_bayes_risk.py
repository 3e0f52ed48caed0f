"""Minimum Bayes risk equals its definition, for every metric and however it is computed."""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from truebleu import BLEU, CHRF, NIST, TER, SentenceBLEU, set_threads
from truebleu.errors import SettingError, TruebleuError, UnpairedSegmentsError
from truebleu.execution import Processes
from truebleu.metrics import GTM, MBLEU, PER, WER
from truebleu.metrics.function import FunctionMetric
from truebleu.nbest import CoarseToFine, NBest, mbr, utility_matrix
from truebleu.nbest.minimum_bayes_risk import Candidates, MBRSettings, Scoring, _candidates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from truebleu.metrics.base import Metric

METRICS: list[Metric] = [
    BLEU(),
    BLEU(tokenize="none", smooth="add-k", max_order=2, lowercase=True),
    BLEU(tokenize="mteval-intl", smooth="mteval"),
    MBLEU(),
    CHRF(),
    CHRF(word_order=2, char_order=3, whitespace=True),
    CHRF(eps_smoothing=True, lowercase=True),
    SentenceBLEU(smoothing=4),
    TER(),
    WER(),
    PER(),
    GTM(),
    NIST(),
]
WORDS = st.sampled_from(["a", "b", "A", "cat", "cats", "ä", "\u4e2d", ".", "\t", ""])
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)
LISTS = st.lists(TEXTS, min_size=1, max_size=9)


def plain(metric: Metric, candidates: list[str], references: list[str]) -> np.ndarray[Any, Any]:
    """Every pair by itself."""
    return np.array(
        [[metric.sentence(c, [r]).score for r in references] for c in candidates], dtype=float
    )


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: str(metric.signature))
@given(candidates=LISTS, data=st.data())
@settings(max_examples=25)
def test_every_metric_gives_the_mean_over_all_pairs(
    metric: Metric, candidates: list[str], data: st.DataObject
) -> None:
    sizes = st.lists(st.floats(0.01, 1), min_size=len(candidates), max_size=len(candidates))
    weights = np.array(data.draw(sizes))
    expected = plain(metric, candidates, candidates)
    assert utility_matrix(metric, candidates) == pytest.approx(expected, abs=1e-9)
    result = mbr([candidates], metric=metric, weigh_by=[weights])
    utilities = np.array(result.segments[0].utilities)
    assert utilities == pytest.approx(expected @ (weights / weights.sum()), abs=1e-9)
    sign = 1 if metric.higher_is_better else -1
    best = (sign * utilities).max()
    assert sign * utilities[result.indices[0]] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=str)
@given(candidates=LISTS, references=LISTS)
def test_pseudo_references_may_be_other_texts(
    metric: Metric, candidates: list[str], references: list[str]
) -> None:
    expected = plain(metric, candidates, references)
    assert utility_matrix(metric, candidates, references) == pytest.approx(expected, abs=1e-9)
    result = mbr([candidates], metric=metric, pseudo_references=[references])
    assert result.segments[0].utilities == pytest.approx(tuple(expected.mean(axis=1)), abs=1e-9)


@given(candidates=LISTS, include_self=st.booleans())
def test_collapsing_duplicates_changes_nothing(candidates: list[str], include_self: bool) -> None:
    candidates = candidates + candidates[:2]
    matrix = np.array(plain(CHRF(), candidates, candidates))
    (segment,) = mbr([candidates], metric="chrf", include_self=include_self).segments
    expected = matrix.mean(axis=1)
    if not include_self:
        expected = (matrix.sum(axis=1) - np.diag(matrix)) / (len(candidates) - 1)
    assert segment.utilities == pytest.approx(tuple(expected), abs=1e-9)
    assert (segment.distinct, segment.candidates) == (len(set(candidates)), len(candidates))


def test_a_sampled_duplicate_is_evidence() -> None:
    once = mbr([["abc", "xyz"]])
    again = mbr([["abc", "xyz", "xyz"]])
    assert once.indices == [0]
    assert once.segments[0].ties == 1
    assert again.texts == ["xyz"]
    counted = NBest.of([["abc", "xyz"]], counts=[[1, 2]])
    assert mbr(counted, weigh_by="counts").texts == ["xyz"]
    assert mbr(counted, weigh_by="counts").segments[0].utilities[0] == pytest.approx(
        again.segments[0].utilities[0]
    )


def test_probabilities_are_a_softmax_and_the_same_hypothesis_counts_once() -> None:
    logs = [[-1.0, -2.0, -1.0]]
    lists = NBest.of([["a b c", "x y z", "a b c"]], log_probabilities=logs)
    (segment,) = mbr(lists, weigh_by="probability", temperature=2.0).segments
    p = np.exp([-0.5, -1.0])
    p /= p.sum()
    assert segment.utilities[0] == pytest.approx(100 * p[0])
    assert segment.effective == pytest.approx(1 / (p**2).sum())


def test_lower_is_better_where_the_metric_says_so() -> None:
    result = mbr([["v w x y z", "the cat sat", "the cat sat down"]], metric="ter")
    assert result.texts == ["the cat sat"]
    utilities = [u for u in result.segments[0].utilities if u is not None]
    assert utilities[result.indices[0]] == min(utilities)
    assert not result.higher_is_better


def test_the_best_are_different_texts_and_ties_go_by_the_list() -> None:
    lists = [["b", "a", "b", "a", "c"]]
    result = mbr(lists, metric=lambda *_: 1.0, best=5)
    (segment,) = result.segments
    assert [choice.text for choice in segment.chosen] == ["b", "a", "c"]
    assert [choice.index for choice in segment.chosen] == [0, 1, 4]
    assert (segment.ties, segment.margin) == (2, 0.0)


def test_the_margin_is_to_the_next_text() -> None:
    def threes(output: str, _: list[str]) -> float:
        return 3.0 if output == "a" else 1.0

    (segment,) = mbr([["a", "a", "b"]], metric=threes).segments
    assert (segment.margin, segment.ties) == (2.0, 0)
    (alone,) = mbr([["a", "a"]]).segments
    assert alone.margin is None
    assert (alone.distinct, alone.effective) == (1, 1.0)


@pytest.mark.parametrize(
    "method", ["aggregate", "prune", "coarse-to-fine:keep=8", CoarseToFine(keep=8)]
)
def test_an_approximation_says_what_it_misses(method: Any) -> None:
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "hat"]
    draw = np.random.default_rng(1)
    lists = [[" ".join(draw.choice(words, 6)) for _ in range(40)] for _ in range(12)]
    exact = mbr(lists, metric="bleu")
    result = mbr(lists, metric="bleu", method=method, check=True)
    for segment, truth in zip(result.segments, exact.segments, strict=True):
        assert segment.exact_index == truth.best.index
        assert truth.best.utility is not None
        lost = truth.best.utility - (truth.utilities[segment.best.index] or 0.0)
        assert segment.regret == pytest.approx(lost, abs=1e-9)
    assert "Compared with the exact result" in str(result)
    if method != "aggregate":
        looked_at = [sum(u is not None for u in s.utilities) for s in result.segments]
        assert max(looked_at) < 40
    assert result == mbr(lists, metric="bleu", method=method, check=True)


def drawn_lists(segments: int = 50) -> list[list[str]]:
    words = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "hat"]
    draw = np.random.default_rng(2)
    sizes = draw.integers(1, 30, segments)
    return [[" ".join(draw.choice(words, 7)) for _ in range(size)] for size in sizes]


def test_threads_and_batches_do_not_change_a_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = drawn_lists()
    whole = mbr(lists, metric="chrf")
    monkeypatch.setattr("truebleu.nbest.minimum_bayes_risk.BATCH_PAIRS", 10)
    try:
        for threads in (1, 8):
            set_threads(threads)
            assert mbr(lists, metric="chrf") == whole
    finally:
        set_threads(0)


@pytest.fixture(params=["threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    made: dict[str, Callable[[], Executor]] = {
        "threads": partial(ThreadPoolExecutor, 8),
        "processes": partial(Processes, 4),
    }
    with made[request.param]() as executor:
        yield executor


class EndsAWorkerOnce:
    """A utility that ends the process it is first called in, unless that is the one which tests."""

    def __init__(self, flag: Path) -> None:
        self.flag, self.tests = flag, os.getpid()

    def __call__(self, output: str, references: list[str]) -> float:
        if os.getpid() != self.tests and not self.flag.exists():
            self.flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(len({*output.split()} & {*references[0].split()}))


@pytest.mark.slow
def test_no_digit_depends_on_where_segments_are_scored(
    executor: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truebleu.nbest.minimum_bayes_risk.TASK_PAIRS", 100)
    lists = drawn_lists()
    done: list[int] = []
    for options in (
        {"metric": "chrf", "references": [texts[0] for texts in lists]},
        {"metric": "bleu", "method": "prune:replicates=20", "check": True},
        {"metric": "ter", "best": 2, "method": "coarse-to-fine:keep=3"},
        {"metric": "ter", "include_self": False},
    ):
        elsewhere = mbr(lists, **options, executor=executor, progress=done.append)
        assert elsewhere == mbr(lists, **options)
    assert sum(done) == 4 * len(lists)
    ends_a_worker = EndsAWorkerOnce(tmp_path / "ended")
    result = mbr(lists[:8], metric=ends_a_worker, executor=executor)
    assert result == mbr(lists[:8], metric=ends_a_worker)
    assert ends_a_worker.flag.exists() == (not isinstance(executor, ThreadPoolExecutor))


def test_lists_are_taken_as_workers_need_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that memory does not grow with their number."""
    monkeypatch.setattr("truebleu.nbest.minimum_bayes_risk.TASK_PAIRS", 1)
    taken: list[int] = []
    once = NBest.of([["a", "b"]])

    def listed() -> Iterator[Candidates]:
        for number in range(10_000):
            taken.append(number)
            (candidates,) = _candidates(once, None, None, MBRSettings())
            yield replace(candidates, number=number)

    # A call that takes long, so that each goes alone.
    monkeypatch.setattr("truebleu.execution.executors.monotonic", partial(next, count(0, 10)))
    with ThreadPoolExecutor(2) as two:
        batches = Scoring(CHRF(), MBRSettings(), [once.texts]).chosen(listed(), two)
        for number, (segment,) in enumerate(islice(batches, 300), 1):
            assert segment.segment == number
    assert len(taken) < 5_000


def test_a_result_is_data_that_can_be_kept() -> None:
    lists = NBest.of([["a b", "b a"], ["c"]])
    result = mbr(lists, references=["a b", "c"])
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301
    assert [gain.metric for gain in result.gains] == ["chrF2", "BLEU"]
    assert result.to_dict()["segments"][0]["chosen"][0]["text"] == "a b"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "length"}, "a metric with a direction"),
        ({"metric": "ter", "method": "aggregate"}, "aggregation is defined for BLEU and chrF"),
        ({"weigh_by": "probability"}, "log-probabilities that are not normalised"),
        ({"weigh_by": "counts"}, "lists with counts"),
        ({"weigh_by": "often"}, "unknown weigh_by"),
        ({"weigh_by": [[1.0, -1.0]]}, "numbers from 0 up"),
        ({"weigh_by": [[0.0, 0.0]]}, "a sum above 0"),
        ({"weigh_by": []}, "'0 lists'"),
        ({"temperature": 0}, "a number above 0"),
        ({"best": 0}, "a whole number from 1 up"),
        ({"check": True}, "no check with method exact"),
        ({"method": "guess"}, "unknown method"),
        ({"method": "prune:alpha=1"}, "above 0 and below 1"),
        ({"method": "exact:keep=3"}, "unknown setting of exact"),
        ({"method": "prune", "include_self": False}, "method exact"),
    ],
)
def test_contradictory_options_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TruebleuError) as error:
        mbr([["a", "b"]], **options)
    assert message in str(error.value)


def test_lists_must_pair_with_pseudo_references() -> None:
    with pytest.raises(UnpairedSegmentsError):
        mbr([["a"]], pseudo_references=[["a"], ["b"]])
    with pytest.raises(SettingError):
        mbr([["a"]], pseudo_references=[["a"]], include_self=False)


def test_a_function_may_look_at_the_source() -> None:
    def utility(output: str, references: list[str], source: str) -> float:
        return float(output == source and len(references) == 1)

    metric = FunctionMetric(function=utility, name="same", source=True)
    lists = NBest.of([["a", "b"], ["c", "d"]], sources=["b", "c"])
    assert mbr(lists, metric=metric).texts == ["b", "c"]
    with pytest.raises(SettingError, match="source"):
        mbr([["a", "b"]], metric=metric)


# Utilities of pairs: each is what the metric says of a candidate and a reference.


def overlap(output: str, references: list[str]) -> float:
    return float(len(set(output.split()) & set(references[0].split())))


def test_a_function_scores_every_pair() -> None:
    assert utility_matrix(overlap, ["a b", "b"], ["b c", "a b", ""]).tolist() == [
        [1.0, 2.0, 0.0],
        [1.0, 1.0, 0.0],
    ]


def test_segments_are_scored_as_single_ones() -> None:
    """BLEU has no 4-grams of two words: by themselves they count up to their own order."""
    assert utility_matrix("bleu", ["a b"]).tolist() == [[pytest.approx(100.0)]]
    assert BLEU().sentence("a b", ["a b"]).score == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("metric", "candidates", "message"),
    [("length", ["a"], "a metric with a direction"), ("bleu", [], "at least one string")],
)
def test_metrics_without_a_utility_raise(metric: str, candidates: list[str], message: str) -> None:
    with pytest.raises(TruebleuError, match=message):
        utility_matrix(metric, candidates)
