"""Executors: wherever tasks run, they find the same, and what ends a worker ends no work."""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import pytest

from tests.nbest.small_lists import informative
from truebleu import _core, set_threads, studies
from truebleu.errors import ExecutionError, SettingError
from truebleu.execution import Cluster, Processes, Runner, Task, completed, in_order
from truebleu.execution.executors import _Group, _group_size
from truebleu.human.judgments import HumanScores
from truebleu.simulation import simulate
from truebleu.studies import study_power

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from truebleu.studies import StudyResult

SUBJECT = {"study": "example"}


def third(number: int) -> dict[str, float]:
    return {"value": number / 3}


def end_worker_once(flag: Path, number: int) -> dict[str, float]:
    if number == 5 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return third(number)


def end_worker() -> dict[str, float]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def refuse(number: int) -> dict[str, float]:
    if number == 3:
        raise SettingError("number", number, "another")
    return third(number)


def tasks(work: Any, *arguments: Any) -> list[Task]:
    return [Task((number,), partial(work, *arguments, number)) for number in range(8)]


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as executor:
        yield executor


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    from distributed import LocalCluster

    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=2, silence_logs=logging.CRITICAL, **options) as local,
        Cluster(local.scheduler_address, silent=True) as executor,
    ):
        yield executor


@pytest.fixture(params=["processes", "cluster"])
def elsewhere(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def power(executor: Executor | None = None) -> StudyResult:
    pool = simulate(segments=60, systems=[0.1, 0.2, 0.3])
    options: dict[str, Any] = {"sizes": [20, 30], "samples": 30, "replicates": 200}
    return study_power(pool, ["bleu", "ter"], runner=Runner(executor=executor), **options)


def test_any_number_of_threads_gives_the_same_digits() -> None:
    before = _core.threads()
    try:
        set_threads(1)
        alone = power()
        set_threads(8)
        assert power() == alone
    finally:
        set_threads(before)
    with ThreadPoolExecutor(8) as executor:
        assert power(executor) == alone


@pytest.mark.slow
def test_processes_give_the_same_digits(processes: Processes) -> None:
    assert power(processes) == power()
    with Processes(4) as more:
        assert power(more) == power()


@pytest.mark.slow
def test_a_cluster_gives_the_same_digits(cluster: Cluster) -> None:
    assert cluster.workers == 2
    assert power(cluster) == power()


@pytest.mark.slow
def test_tasks_of_a_killed_worker_are_run_again(elsewhere: Executor, tmp_path: Path) -> None:
    chosen = tasks(end_worker_once, tmp_path / "ended")
    records = Runner(tmp_path / "journal", executor=elsewhere).run(SUBJECT, chosen)
    assert (tmp_path / "ended").exists()
    assert records == Runner().run(SUBJECT, tasks(third))
    # Each is kept once.
    assert (tmp_path / "journal").read_bytes().count(b"\n") == 1 + len(records)


@pytest.mark.slow
def test_results_come_in_order_even_if_a_worker_ends(elsewhere: Executor, tmp_path: Path) -> None:
    calls = (partial(end_worker_once, tmp_path / "ended", number) for number in range(40))
    assert list(in_order(elsewhere, calls)) == [third(number) for number in range(40)]


def test_an_error_comes_after_all_results_before_it_in_its_group() -> None:
    group = _Group([(number, partial(refuse, number)) for number in range(50)])
    values, error, _ = group()
    assert values == [(number, third(number)) for number in range(3)]
    assert isinstance(error, SettingError)
    with ThreadPoolExecutor(8) as executor, pytest.raises(SettingError, match="3"):
        list(in_order(executor, (partial(refuse, number) for number in range(50))))


@pytest.mark.slow
def test_a_broken_pipe_of_a_killed_worker_does_not_end_the_process() -> None:
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as sacreBLEU's command does
    try:
        with Processes(1) as executor:
            assert executor.submit(third, 3).result() == third(3)
            assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGPIPE, before)


@pytest.mark.slow
def test_a_task_that_kills_every_worker_raises_an_error(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    last = Task((9,), end_worker)
    with Processes(1) as executor, pytest.raises(ExecutionError) as caught:
        Runner(journal, executor=executor).run(SUBJECT, [*tasks(third), last])
    assert "1 process: a task could not be run (BrokenProcessPool: " in str(caught.value)
    assert f"tasks were done and are kept in {journal}: run the same" in str(caught.value)


SCHEDULER = """
import asyncio, distributed
async def serve():
    options = {"host": "127.0.0.1", "port": 0, "dashboard_address": None}
    async with distributed.Scheduler(**options) as scheduler:
        async with distributed.Worker(scheduler.address, nthreads=1, dashboard_address=None):
            print(scheduler.address, flush=True)
            await scheduler.finished()
asyncio.run(serve())
"""


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_reported_and_the_journal_kept(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    process = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # What tasks are made of is imported there.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    try:
        with Cluster(address, silent=True) as executor:
            chosen = [*tasks(third), Task((9,), partial(end_scheduler, process.pid))]
            with pytest.raises(
                ExecutionError, match=r"the scheduler is gone; \d of 9 tasks were done"
            ):
                Runner(journal, executor=executor).run(SUBJECT, chosen)
    finally:
        process.kill()
    process.wait()
    process.stdout.close()
    kept = journal.read_bytes()
    assert Runner(journal).run(SUBJECT, tasks(third)) == Runner().run(SUBJECT, tasks(third))
    assert kept.count(b"\n") > 1
    assert journal.read_bytes().startswith(kept)
    with pytest.raises(ExecutionError, match=f"Dask cluster {address}: no scheduler answers"):
        Cluster(address, patience=0.5, silent=True)


def end_scheduler(pid: int) -> dict[str, float]:
    os.kill(pid, signal.SIGKILL)
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["processes", "cluster"])
def test_errors_of_tasks_arrive_as_they_were_raised(
    kind: str, request: pytest.FixtureRequest
) -> None:
    executor = request.getfixturevalue(kind)
    with pytest.raises(SettingError, match="number: 3; expected another"):
        Runner(executor=executor).run(SUBJECT, tasks(refuse))


@pytest.mark.slow
def test_an_unpicklable_task_is_reported_without_addresses(processes: Processes) -> None:
    said = r"2 processes: a task could not be run \(((?! at 0x).)*$"
    with pytest.raises(ExecutionError, match=said):
        list(completed(processes, [lambda: 1]))


class Here(Executor):
    """Runs what it gets at once, and remembers it; it may be broken, or cancel what it gets."""

    def __init__(self, failure: Exception | None = None, *, cancels: bool = False) -> None:
        self.groups: list[_Group] = []
        self.failure_, self.cancels = failure, cancels

    def submit(self, function: Any, /, *_arguments: Any, **_keywords: Any) -> Future[Any]:
        if self.failure_ is not None:
            raise self.failure_
        self.groups.append(function)
        future: Future[Any] = Future()
        if self.cancels:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(function())
        return future


def test_an_executor_that_accepts_no_tasks_is_reported() -> None:
    with pytest.raises(ExecutionError, match=r"Here: accepts no tasks \(shut down\)"):
        list(completed(Here(RuntimeError("shut down")), [dict]))
    with pytest.raises(ExecutionError, match="Here: the tasks were cancelled"):
        list(completed(Here(cancels=True), [dict]))


def test_small_tasks_travel_together() -> None:
    executor = Here()
    calls = [partial(third, number) for number in range(5000)]
    assert [value for _, value in sorted(completed(executor, calls))] == [c() for c in calls]
    sizes = [len(group.calls) for group in executor.groups]
    assert sum(sizes) == len(calls)
    # The first ones tell how long tasks take.
    assert len(sizes) < 20 + 2 * (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("seconds", "waiting", "workers", "size"),
    [
        (0.01, 10_000, 4, 100),  # a second's worth
        (0.01, 80, 4, 20),  # near the end at least 0.2 seconds' worth
        (0.01, 7, 4, 7),
        (0.1, 12, 2, 3),  # each worker has two groups
        (5.0, 100, 2, 1),
    ],
)
def test_groups_are_as_large_as_their_tasks_allow(
    seconds: float, waiting: int, workers: int, size: int
) -> None:
    assert _group_size(None, waiting, workers) == 1
    assert _group_size(seconds, waiting, workers) == size


def test_a_worker_of_another_version_is_refused() -> None:
    group = _Group([(0, dict)], version="0.0.1")
    with pytest.raises(ExecutionError, match=r"a worker: truebleu \S+; expected 0.0.1"):
        group()


class LocalError(Exception):
    """Holds what cannot be pickled."""

    def __str__(self) -> str:
        return "this and that"


def test_an_error_that_cannot_be_sent_arrives_by_its_message() -> None:
    def fail() -> None:
        raise LocalError(fail)

    with pytest.raises(RuntimeError, match="LocalError: this and that"):
        list(completed(Here(), [fail]))


@pytest.mark.parametrize("where", ["", "local", "local:2", "there", "tcp://there"])
def test_an_invalid_cluster_address_is_rejected(where: str) -> None:
    with pytest.raises(SettingError, match=r"cluster: .* expected a scheduler's address"):
        Cluster(where)
    with pytest.raises(SettingError, match="processes: 0; expected a whole number from 1"):
        Processes(0)


class Sends(Executor):
    """Sends a group through pickle, and goes no further."""

    def submit(self, function: Any, /, *_arguments: Any, **_keywords: Any) -> Future[Any]:
        assert len(pickle.loads(pickle.dumps(function)).calls) == 1  # noqa: S301
        raise RuntimeError("arrived")


#: All studies but the one of a paper, which runs the others and reports their errors.
STUDIES = [name for name in dir(studies) if re.match("study_(?!paper)", name)]


@pytest.mark.parametrize("name", STUDIES)
def test_the_tasks_of_every_study_can_be_sent(name: str) -> None:
    texts = simulate(segments=200, systems=[0.1, 0.2, 0.3], references=2)
    given: list[Any] = [texts]
    if name == "study_smoothing":
        rows = {system: tuple(i % 3 + 0.0 for i in range(200)) for system in texts.systems}
        given.append(HumanScores(label="ratings", level="segment", signature="s", scores=rows))
    if name in ("study_tuning", "study_reranking"):
        lists, references = informative(segments=20)
        given = [lists, [references]] * (2 if name == "study_tuning" else 1)
    with pytest.raises(ExecutionError, match=r"accepts no tasks \(arrived\)"):
        getattr(studies, name)(*given, runner=Runner(executor=Sends()))


PARENT = """
from functools import partial
from time import sleep
from truebleu.execution import Processes, completed
from tests.execution.test_executors import say_pid_and_sleep
if __name__ == "__main__":
    with Processes(2) as executor:
        list(completed(executor, [say_pid_and_sleep, say_pid_and_sleep]))
"""


def say_pid_and_sleep() -> None:
    print(os.getpid(), flush=True)
    sleep(600)


@pytest.mark.slow
def test_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        assert all(int(parent.stdout.readline()) for _ in range(2))
        parent.kill()
        # Workers hold the other end of the pipe: it ends with them.
        started = monotonic()
        assert parent.stdout.read() == ""
        assert monotonic() - started < 5


@pytest.mark.slow
def test_a_scheduler_without_encryption_is_known_as_such(cluster: Cluster) -> None:
    assert cluster.address.startswith("tcp://")
    assert not cluster.is_encrypted
