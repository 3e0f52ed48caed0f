"""Claims about the arithmetic of the benchmarks; how fast anything is they do not test."""

from __future__ import annotations

import gzip
import json
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import (
    dropin,
    judgments,
    limits,
    nbest,
    plain_agreement,
    significance,
    ten_million,
    timing,
    tuning,
)
from benchmarks.__main__ import NAMES, Run
from benchmarks.agreement import DisagreementError, require_agreement
from benchmarks.contests import compare
from benchmarks.data import Corpus
from benchmarks.memory import peak_memory
from benchmarks.peers import COMPARISONS, Comparison, Contest
from benchmarks.results import Memory, Speed
from benchmarks.table import memory_table, speed_table

if TYPE_CHECKING:
    from pathlib import Path

CORPUS = Corpus(
    "tiny", {"a": ["one two three four", "x"], "b": ["1 2 3 4", "y z"]}, ["one two 3 4", "z"]
)


def contest(_: Corpus) -> Contest:
    return Contest(lambda: [1.0], lambda: [2.0])


def test_a_ratio_says_how_many_times_as_long_the_peer_takes() -> None:
    row = Speed(name="n", what="w", peer="p", peer_seconds=3.0, seconds=0.25, bar=12)
    assert (row.ratio, row.met) == (12.0, True)
    assert "12.0×" in speed_table([row])


def test_a_missed_target_is_shown() -> None:
    row = Speed(name="n", what="w", peer="p", peer_seconds=1.0, seconds=0.5, bar=10)
    assert row.met is False
    assert speed_table([row]).splitlines()[2].endswith("NO")


def test_a_peer_that_is_not_installed_is_no_error() -> None:
    absent = Comparison(name="n", work="BLEU", package="no-such-peer", prepare=contest)
    row = compare(absent, CORPUS)
    assert (row.problem, row.ratio, row.met) == ("not installed", None, None)
    assert "not installed" in speed_table([row])


def test_scores_that_differ_get_no_times() -> None:
    disagreeing = Comparison(name="n", work="BLEU", package="pytest", prepare=contest)
    row = compare(disagreeing, CORPUS)
    assert row.problem.startswith("scores differ")
    assert row.seconds is None


def test_memory_is_compared_with_its_limit() -> None:
    within = Memory(name="n", what="w", text=10, before=1, peak=20, bar=20)
    beyond = Memory(name="n", what="w", text=10, before=1, peak=21, bar=20)
    assert (within.met, beyond.met) == (True, False)
    assert "yes" in memory_table([within])


def test_peak_memory_is_in_bytes() -> None:
    assert 5_000_000 < peak_memory() < 100_000_000_000


@pytest.mark.parametrize("theirs", [[1.0, 2.1], [1.0], [1.0, 2.0, 3.0], [1.0, float("nan")]])
def test_scores_that_differ_or_are_missing_do_not_agree(theirs: list[float]) -> None:
    with pytest.raises(DisagreementError, match="score"):
        require_agreement([1.0, 2.0], theirs, "peer")


def test_the_shortest_time_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    times = cycle([3.0, 9.0, 2.0, 8.0, 4.0, 7.0])
    monkeypatch.setattr(timing, "time_once", lambda _: next(times))
    assert timing.race({"a": list, "b": list}, rounds=3) == {"a": 2.0, "b": 7.0}


def test_a_smaller_corpus_keeps_its_texts_aligned() -> None:
    assert CORPUS.first(1, 1).systems == {"a": ["one two three four"]}
    assert CORPUS.every(2).reference == ["one two 3 4"]
    kept = CORPUS.with_words(2)
    assert (kept.systems["b"], kept.reference) == (["1 2 3 4"], ["one two 3 4"])


def test_every_comparison_can_be_chosen_by_name() -> None:
    comparisons = [comparison.name for comparison in COMPARISONS]
    measured = (significance, judgments, nbest, tuning, limits)
    others = [
        "large",
        "cold",
        *ten_million.NAMES,
        *dropin.NAMES,
        *(name for module in measured for name in module.NAMES),
    ]
    assert [*comparisons, *others] == list(NAMES)


def test_the_plain_procedures_follow_the_definition() -> None:
    # Three systems on two segments: tau-b 1 / sqrt(2 * 3) on the first, 1 on the second.
    human = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    metric = np.array([[1.0, 5.0], [2.0, 6.0], [1.5, 7.0]])
    kendall = plain_agreement.kendall_by_segment(human, metric)
    assert kendall == pytest.approx((0 / 6**0.5 + 1) / 2)
    # Untied, 1 and 3 pairs are right. From 0.5 on the first segment has only its tie wrong and one
    # order lost; from 1 on, its tie is right and the second segment has nothing right.
    for accuracy in (
        plain_agreement.calibrated_accuracy,
        plain_agreement.calibrated_accuracy_at_once,
    ):
        assert accuracy(human, metric) == pytest.approx((1 / 3 + 1) / 2)
        assert accuracy(human, human) == 1


def test_lists_are_the_systems_outputs_and_mixtures_of_them() -> None:
    lists = nbest.make_lists(CORPUS, 5, 3)
    assert [len(texts) for texts in lists] == [5, 5, 5]
    assert lists[0][:2] == ["one two three four", "1 2 3 4"]
    assert lists == nbest.make_lists(CORPUS, 5, 3)


@pytest.mark.slow
def test_the_functions_that_mbrs_calls_agree_with_truebleu() -> None:
    pytest.importorskip("sacrebleu")
    lists = nbest.make_lists(CORPUS, 4, 2)
    for metric, pairs in (("chrf", nbest._chrf_pairs), ("bleu", nbest._bleu_pairs)):
        row = nbest._race("mbr", lists, metric, pairs, bar=1, few=1)
        assert row.problem == ""
        assert row.ratio is not None


def test_a_failing_row_is_reported_without_losing_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> list[Speed | Memory]:
        raise ModuleNotFoundError("No module named 'scipy'")

    kept = tmp_path / "results" / "latest.json"
    run = Run(kept, {"quick": True})
    run.measure("bleu", fail)
    run.measure("ter", lambda: [Speed(name="ter", what="w", peer="p", problem="not installed")])
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        """bleu: failed (ModuleNotFoundError("No module named 'scipy'"))""",
        "ter: not installed",
    ]
    assert "Traceback" in printed.err
    rows = json.loads(kept.read_text(encoding="utf-8"))["speed"]
    assert [row["name"] for row in rows] == ["bleu", "ter"]


def test_ten_million_segments_are_made_of_blocks_and_compared(tmp_path: Path) -> None:
    paths, size = ten_million.write_files(tmp_path, 130)
    texts = [gzip.decompress(path.read_bytes()) for path in paths]
    assert [text.count(b"\n") for text in texts] == [130] * 3
    assert sum(map(len, texts)) == size
