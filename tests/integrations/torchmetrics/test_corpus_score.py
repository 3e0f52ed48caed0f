"""torchmetrics' own machinery on truebleu's sums: batches, resets, two processes."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING

import pytest
import torch
import torch.multiprocessing as processes
from torchmetrics import MetricCollection

from truebleu import BLEU, CHRF
from truebleu.integrations.torchmetrics import CorpusScore

if TYPE_CHECKING:
    from pathlib import Path

FIRST = [f"the cat number {number} sat on the mat" for number in range(30)]
OUTPUTS = [line.replace("sat on", "lay by" if i % 3 else "sat on") for i, line in enumerate(FIRST)]
BATCHES = [slice(start, start + 7) for start in range(0, 30, 7)]


def test_batches_add_up_until_reset() -> None:
    metric = CorpusScore("bleu")
    for _ in range(2):
        for batch in BATCHES:
            metric(OUTPUTS[batch], [[reference] for reference in FIRST[batch]])
        assert metric.compute().item() == pytest.approx(BLEU().corpus(OUTPUTS, FIRST).score)
        metric.reset()


def test_collections_and_pickles_work() -> None:
    collection = MetricCollection({"bleu": CorpusScore("bleu"), "chrf": CorpusScore("chrf")})
    collection = pickle.loads(pickle.dumps(collection))  # noqa: S301
    collection.update(OUTPUTS, FIRST)
    scores = collection.compute()
    assert float(scores["chrf"]) == pytest.approx(CHRF().corpus(OUTPUTS, FIRST).score)
    assert scores["bleu"] != scores["chrf"]


def test_sums_keep_their_precision() -> None:
    metric = CorpusScore("bleu").half()
    metric.update(OUTPUTS, FIRST)
    assert metric.sums.dtype == torch.float64


def test_the_interval_equals_the_interval_of_score() -> None:
    import truebleu

    metric = CorpusScore("bleu", interval=True, replicates=500, seed=7)
    for batch in BATCHES:
        metric.update(OUTPUTS[batch], FIRST[batch])
    found = metric.compute()
    scores = truebleu.score(
        OUTPUTS, [FIRST], ["bleu"], confidence=True, replicates=500, seed=7, interval="percentile"
    )
    (system,) = scores.systems
    assert system.intervals is not None
    (expected,) = system.intervals.values()
    assert (float(found["low"]), float(found["high"])) == pytest.approx(expected, rel=1e-6)


def _worker(rank: int, folder: str) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    store = f"file://{folder}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    metric = CorpusScore("bleu", interval=True, replicates=500, seed=7)
    for batch in BATCHES[rank::2]:
        metric.update(OUTPUTS[batch], FIRST[batch])
    torch.save(metric.compute(), f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()


def test_two_processes_equal_one(tmp_path: Path) -> None:
    processes.spawn(_worker, args=(str(tmp_path),), nprocs=2)
    first, second = (torch.load(tmp_path / f"{rank}.pt") for rank in (0, 1))
    assert first == second
    assert float(first["score"]) == pytest.approx(BLEU().corpus(OUTPUTS, FIRST).score)
    assert first["low"] < first["score"] < first["high"]


@pytest.mark.parametrize("segments", [1, 30])
def test_segments_that_do_not_vary_have_the_whole_range_as_interval(segments: int) -> None:
    metric = CorpusScore("bleu", interval=True, replicates=100)
    metric.update(FIRST[:1] * segments, FIRST[:1] * segments)
    found = metric.compute()
    assert [float(found[name]) for name in ("low", "score", "high")] == [0.0, 100.0, 100.0]
