"""Where tasks run: other processes, a Dask cluster, or any other `concurrent.futures.Executor`.

A task depends on nothing but what it carries, so where it runs, in which order and how often it
was tried changes no digit. Tasks travel in groups: each takes a moment to send, so a group has as
many as a worker does in about a second. What all tasks carry, such as the counts of a whole pool,
travels with each group.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as executor:
    ...     sorted(completed(executor, [lambda: "a", lambda: "b", lambda: "c"]))
    [(0, 'a'), (1, 'b'), (2, 'c')]
"""

from __future__ import annotations

import logging
import os
import pickle
import re
import signal
import sys
from collections.abc import Sized
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from math import ceil
from multiprocessing import get_context, parent_process
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from truebleu import _core
from truebleu.errors import ExecutionError, MissingExtraError, SettingError, without_addresses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    # What calls returned, with their places, before one raised an error; and the seconds they took.
    Outcome = tuple[list[tuple[int, Any]], BaseException | None, float]

__all__ = ["Cluster", "Processes", "completed", "in_order"]

# What a group should take: long compared with sending it, short for those who wait.
GROUP_SECONDS = 1.0
# Towards the end groups become smaller, so that all workers finish at about the same time.
SHORTEST_GROUP_SECONDS = 0.2
# Groups that are sent to each worker: the next one waits there when the first is done.
AHEAD = 2
# A group whose worker ends is sent again; one that ended three may be what ends them.
ATTEMPTS = 3
# How often it is asked whether an executor still lives while no group comes back.
HEARTBEAT_SECONDS = 1.0
PIPE_SIGNAL = getattr(signal, "SIGPIPE", None)  # Windows has none


class Processes(Executor):
    """Processes of this machine; a pool that broke, since one was killed, is started anew.

    They start when the first task is submitted, and share the threads of this process out among
    them. In a script, what uses them must stand under ``if __name__ == "__main__":``.

    Args:
        workers: how many processes.
    """

    def __init__(self, workers: int) -> None:
        if not isinstance(workers, int) or workers < 1:
            raise SettingError("processes", workers, "1 or more")
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._broken_pipes: Any = None

    def __str__(self) -> str:
        return "1 process" if self.workers == 1 else f"{self.workers} processes"

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any
    ) -> Future[Any]:
        """Run a function in one of the processes."""
        if self._pool is not None:
            with suppress(BrokenExecutor):
                return self._pool.submit(function, *arguments, **keywords)
            self._pool.shutdown(wait=False)
        elif PIPE_SIGNAL is not None:
            # sacreBLEU's command lets a broken pipe end the process; a killed worker leaves one.
            with suppress(ValueError):  # only the main thread may
                self._broken_pipes = signal.signal(PIPE_SIGNAL, signal.SIG_IGN)
        threads = max(1, _core.threads() // self.workers)
        # A forked process would have the locks of this one's threads, but not the threads.
        self._pool = ProcessPoolExecutor(
            self.workers, get_context("spawn"), _prepare_worker, (threads,)
        )
        return self._pool.submit(function, *arguments, **keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when they have done what was submitted."""
        if self._pool is not None:
            self._pool.shutdown(wait, cancel_futures=cancel_futures)
        if self._broken_pipes is not None and PIPE_SIGNAL is not None:
            with suppress(ValueError):
                signal.signal(PIPE_SIGNAL, self._broken_pipes)

    def __exit__(self, *raised: Any) -> None:
        if raised[1] is not None and self._pool is not None:
            # Nobody waits for the rest any more.
            for process in list((getattr(self._pool, "_processes", None) or {}).values()):
                process.terminate()
        self.shutdown()


def _prepare_worker(threads: int) -> None:
    """Take a share of the threads, leave Ctrl-C to the parent, and end when that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _core.set_threads(threads)
    # Where metrics count they look for this, unless somebody chose.
    os.environ["TRUEBLEU_THREADS"] = str(threads)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Cluster(Executor):
    """A Dask cluster; needs ``truebleu[dask]``.

    Dask sends the tasks of a worker that ended to another one. Workers need the same version of
    truebleu. They may come and go; while there is none, tasks wait. Certificates are those of
    Dask's own settings, for a scheduler at ``tls://``.

    Args:
        address: of the scheduler, such as ``tls://10.0.0.1:8786``.
        patience: seconds to wait for the scheduler.
        silent: whether Dask's own messages are kept back, tracebacks and all.
    """

    def __init__(self, address: str, *, patience: float = 10.0, silent: bool = False) -> None:
        if not re.fullmatch(r"(\w+://)?(?!local:)[^\s/]+:\d+", address):
            expected = "a scheduler's address such as tls://10.0.0.1:8786, or --processes N instead"
            raise SettingError("cluster", address, expected)
        try:
            import distributed
        except ImportError:
            raise MissingExtraError("running on a Dask cluster", "dask") from None
        if silent:
            for name in ("distributed", "distributed.client"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        self.address = address
        try:
            self._client = distributed.Client(address, timeout=patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = f"no scheduler answers ({_first_line(error)})"
            raise ExecutionError(str(self), reason) from error
        self._executor = self._client.get_executor(pure=False)

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody else on the way can read what is sent, or send something else."""
        return self.address.startswith("tls://")

    def __str__(self) -> str:
        return f"Dask cluster {self.address}"

    @property
    def workers(self) -> int:
        """How many tasks the cluster does at once, as far as is known."""
        try:
            return sum(self._client.nthreads().values())
        except OSError:
            # Gone; waiting for a task there raises an error.
            return 0

    @property
    def failure(self) -> str | None:
        """Why it does no more work, if that is so."""
        # It does connect again, but what was submitted before is lost.
        return None if self._client.status == "running" else "the scheduler is gone"

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any
    ) -> Future[Any]:
        """Run a function on the cluster."""
        return cast("Future[Any]", self._executor.submit(function, *arguments, **keywords))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster."""
        if self.failure is None:
            self._executor.shutdown(wait and not cancel_futures)
        self._client.close()

    def __exit__(self, *raised: Any) -> None:
        self.shutdown(wait=raised[1] is None)


def completed(executor: Executor, calls: Iterable[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
    """What calls return, each with its place among them, as they come.

    Calls are made when a worker can take them: whatever their number, few are on their way. An
    error of a call is raised after what was returned before it in its group.

    Args:
        executor: where they run; if that is another process, they must be picklable.
        calls: functions without arguments, best made by `functools.partial`.
    """
    waiting, count = enumerate(calls), len(calls) if isinstance(calls, Sized) else sys.maxsize
    running: dict[Future[Any], _Group] = {}
    taken, done, seconds = 0, 0, 0.0
    try:
        while True:
            workers = max(1, _workers(executor))
            # Until something came back, it is unknown how many calls fill a group.
            each = seconds / done if done else None
            while len(running) < workers * (AHEAD if done else 1):
                size = _group_size(each, count - taken, workers)
                if not (group := list(islice(waiting, size))):
                    break
                taken += len(group)
                _send(_Group(group), executor, running)
            if not running:
                return
            for future in _next_done(executor, running):
                sent = running.pop(future)
                result = _result(executor, future, sent)
                if result is None:
                    _send(sent, executor, running)
                    continue
                values, error, took = result
                done += len(values)
                seconds += took
                yield from values
                if error is not None:
                    raise error
    finally:
        for future in running:
            future.cancel()


def in_order(executor: Executor, calls: Iterable[Callable[[], Any]]) -> Iterator[Any]:
    """What calls return, in their order; see `completed`."""
    early: dict[int, Any] = {}
    place = 0
    for index, value in completed(executor, calls):
        early[index] = value
        while place in early:
            yield early.pop(place)
            place += 1


def _send(group: _Group, executor: Executor, running: dict[Future[Any], _Group]) -> None:
    try:
        running[executor.submit(group)] = group
    except Exception as error:
        raise _failure(executor, f"takes no tasks ({_first_line(error)})") from error


def _group_size(seconds: float | None, waiting: int, workers: int) -> int:
    """How many calls travel together that take so many seconds each, as far as is known."""
    if seconds is None:
        return 1
    each = max(seconds, 1e-6)
    fair = -(-waiting // (AHEAD * workers))
    size = max(min(round(GROUP_SECONDS / each), fair), ceil(SHORTEST_GROUP_SECONDS / each), 1)
    return min(size, waiting)


@dataclass(eq=False)
class _Group:
    """Calls that travel together, so that what they have in common travels once."""

    calls: list[tuple[int, Callable[[], Any]]]
    version: str = _core.VERSION
    attempts: int = 1

    def __call__(self) -> Outcome:
        """What the calls returned before one of them raised, and the seconds they took."""
        if self.version != _core.VERSION:
            reason = f"truebleu {_core.VERSION}; expected {self.version} as here"
            raise ExecutionError("a worker", reason)
        values: list[tuple[int, Any]] = []
        raised: Exception | None = None
        started = monotonic()
        try:
            for index, call in self.calls:
                values.append((index, call()))
        except Exception as error:
            raised = _picklable(error)
        return values, raised, monotonic() - started


def _picklable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # made one line above
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _workers(executor: Executor) -> int:
    """How many groups an executor can do at once, as far as it says."""
    known = getattr(executor, "workers", None) or getattr(executor, "_max_workers", None)
    return known if isinstance(known, int) else (os.cpu_count() or 1)


def _next_done(executor: Executor, running: dict[Future[Any], _Group]) -> set[Future[Any]]:
    while True:
        done = wait(running, HEARTBEAT_SECONDS, FIRST_COMPLETED).done
        if done:
            return done
        if getattr(executor, "failure", None):
            raise _failure(executor)


def _result(executor: Executor, future: Future[Outcome], group: _Group) -> Outcome | None:
    """What a group returned; None if it is to be sent again."""
    if future.cancelled():
        raise _failure(executor, "the tasks were cancelled there")
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenExecutor) and group.attempts < ATTEMPTS:
        group.attempts += 1
        return None
    if isinstance(error, ExecutionError):
        raise error
    reason = f"a task could not be run there ({type(error).__name__}: {_first_line(error)})"
    raise _failure(executor, reason) from error


def _failure(executor: Executor, otherwise: str = "") -> ExecutionError:
    """Why an executor does no more work: by its own words, where it has some."""
    ours = isinstance(executor, Processes | Cluster)
    name = str(executor) if ours else type(executor).__name__
    return ExecutionError(name, getattr(executor, "failure", None) or otherwise)


def _first_line(error: BaseException) -> str:
    return without_addresses((str(error) or type(error).__name__).strip().split("\n", 1)[0])
