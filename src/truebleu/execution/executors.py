"""Executors of tasks: other processes, a Dask cluster, or any `concurrent.futures.Executor`.

A task depends only on its own arguments, so neither the machine nor the order nor the number of
attempts changes a digit. Tasks are sent in groups, since sending takes time: a group has as many
tasks as a worker completes in about a second. Arguments that all tasks share, such as the counts
of a whole pool, are sent once for each group.

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

    # Results of calls with their indices, an error that ended the group, and the seconds used.
    Outcome = tuple[list[tuple[int, Any]], BaseException | None, float]

__all__ = ["Cluster", "Processes", "completed", "in_order"]

# Target duration of a group: much longer than sending it, short for progress.
GROUP_SECONDS = 1.0
# Shortest duration of the last groups, which shrink so that workers finish at about the same time.
SHORTEST_GROUP_SECONDS = 0.2
# Groups sent to each worker, so that the next group waits there when the first is done.
AHEAD = 2
# Attempts at a group whose worker ends: a group that ends three workers may be the reason.
ATTEMPTS = 3
# Seconds between checks that an executor is alive, while no group comes back.
HEARTBEAT_SECONDS = 1.0
PIPE_SIGNAL = getattr(signal, "SIGPIPE", None)  # Windows has none


class Processes(Executor):
    """Processes on this machine; a pool that broke because a process was killed is restarted.

    The processes start when the first task is submitted, and divide the threads of this process
    among them. In a script, use them only under ``if __name__ == "__main__":``.

    Args:
        workers: number of processes.
    """

    def __init__(self, workers: int) -> None:
        if not isinstance(workers, int) or workers < 1:
            raise SettingError("processes", workers, "a whole number from 1 up")
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._broken_pipes: Any = None

    def __str__(self) -> str:
        return "1 process" if self.workers == 1 else f"{self.workers} processes"

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any
    ) -> Future[Any]:
        """Submit a function to the processes; return its future."""
        if self._pool is not None:
            with suppress(BrokenExecutor):
                return self._pool.submit(function, *arguments, **keywords)
            self._pool.shutdown(wait=False)
        elif PIPE_SIGNAL is not None:
            # A killed worker leaves a broken pipe, which ends the process if sacreBLEU's command
            # has set the default handler.
            with suppress(ValueError):  # only the main thread may set handlers
                self._broken_pipes = signal.signal(PIPE_SIGNAL, signal.SIG_IGN)
        threads = max(1, _core.threads() // self.workers)
        # Spawn, since a forked process would inherit the locks of threads without the threads.
        self._pool = ProcessPoolExecutor(
            self.workers, get_context("spawn"), _prepare_worker, (threads,)
        )
        return self._pool.submit(function, *arguments, **keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when all submitted tasks are done."""
        if self._pool is not None:
            self._pool.shutdown(wait, cancel_futures=cancel_futures)
        if self._broken_pipes is not None and PIPE_SIGNAL is not None:
            with suppress(ValueError):
                signal.signal(PIPE_SIGNAL, self._broken_pipes)

    def __exit__(self, *raised: Any) -> None:
        if raised[1] is not None and self._pool is not None:
            # The remaining results are no longer needed.
            for process in list((getattr(self._pool, "_processes", None) or {}).values()):
                process.terminate()
        self.shutdown()


def _prepare_worker(threads: int) -> None:
    """Limit the threads, leave Ctrl-C to the parent, and end when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _core.set_threads(threads)
    # Metrics read this variable before they count, unless the threads are set.
    os.environ["TRUEBLEU_THREADS"] = str(threads)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Cluster(Executor):
    """A Dask cluster; needs ``truebleu[dask]``.

    Dask sends the tasks of a worker that ended to another worker. Workers need the same version of
    truebleu. They may join and leave; without workers, tasks wait. Certificates for a scheduler at
    ``tls://`` come from Dask's settings.

    Args:
        address: address of the scheduler, such as ``tls://10.0.0.1:8786``.
        patience: seconds to wait for the scheduler.
        silent: True to suppress Dask's own messages, including tracebacks.
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
        """True if the connection is encrypted and authenticated."""
        return self.address.startswith("tls://")

    def __str__(self) -> str:
        return f"Dask cluster {self.address}"

    @property
    def workers(self) -> int:
        """Number of tasks that run at once; 0 if the scheduler is gone."""
        try:
            return sum(self._client.nthreads().values())
        except OSError:
            # Waiting for a task raises the error.
            return 0

    @property
    def failure(self) -> str | None:
        """Reason why the cluster stopped working, or None."""
        # The client reconnects, but all submitted tasks are lost.
        return None if self._client.status == "running" else "the scheduler is gone"

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any
    ) -> Future[Any]:
        """Submit a function to the cluster; return its future."""
        return cast("Future[Any]", self._executor.submit(function, *arguments, **keywords))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster."""
        if self.failure is None:
            self._executor.shutdown(wait and not cancel_futures)
        self._client.close()

    def __exit__(self, *raised: Any) -> None:
        self.shutdown(wait=raised[1] is None)


def completed(executor: Executor, calls: Iterable[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
    """Yield the index and the result of each call, as calls complete.

    Calls are submitted when a worker is free, so only a few are pending at any time. An error of a
    call is raised after the results before it in its group.

    Args:
        executor: executor of the calls, which must be picklable if it runs in another process.
        calls: functions without arguments, best made by `functools.partial`.
    """
    waiting, count = enumerate(calls), len(calls) if isinstance(calls, Sized) else sys.maxsize
    running: dict[Future[Any], _Group] = {}
    submitted, done, seconds = 0, 0, 0.0
    try:
        while True:
            workers = max(1, _workers(executor))
            # Send single calls until their duration is known.
            each = seconds / done if done else None
            while len(running) < workers * (AHEAD if done else 1):
                size = _group_size(each, count - submitted, workers)
                if not (group := list(islice(waiting, size))):
                    break
                submitted += len(group)
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
    """Yield the results of calls, in the order of the calls; see `completed`."""
    early: dict[int, Any] = {}
    count = 0
    for index, value in completed(executor, calls):
        early[index] = value
        while count in early:
            yield early.pop(count)
            count += 1


def _send(group: _Group, executor: Executor, running: dict[Future[Any], _Group]) -> None:
    try:
        running[executor.submit(group)] = group
    except Exception as error:
        raise _failure(executor, f"accepts no tasks ({_first_line(error)})") from error


def _group_size(seconds: float | None, waiting: int, workers: int) -> int:
    """Return the number of calls in the next group, from the mean seconds of a call if known."""
    if seconds is None:
        return 1
    each = max(seconds, 1e-6)
    fair = -(-waiting // (AHEAD * workers))
    size = max(min(round(GROUP_SECONDS / each), fair), ceil(SHORTEST_GROUP_SECONDS / each), 1)
    return min(size, waiting)


@dataclass(eq=False)
class _Group:
    """Calls that are sent together, so that their common arguments are sent once."""

    calls: list[tuple[int, Callable[[], Any]]]
    version: str = _core.VERSION
    attempts: int = 1

    def __call__(self) -> Outcome:
        """Make the calls until one raises an error; return results, error and seconds."""
        if self.version != _core.VERSION:
            reason = f"truebleu {_core.VERSION}; expected {self.version}, as on this machine"
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
    """Return the number of groups that an executor runs at once; the number of CPUs if unknown."""
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
    """Return the outcome of a group, or None to send the group again."""
    if future.cancelled():
        raise _failure(executor, "the tasks were cancelled")
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenExecutor) and group.attempts < ATTEMPTS:
        group.attempts += 1
        return None
    if isinstance(error, ExecutionError):
        raise error
    reason = f"a task could not be run ({type(error).__name__}: {_first_line(error)})"
    raise _failure(executor, reason) from error


def _failure(executor: Executor, otherwise: str = "") -> ExecutionError:
    """Return the error of an executor, with its own reason if it has one."""
    ours = isinstance(executor, Processes | Cluster)
    name = str(executor) if ours else type(executor).__name__
    return ExecutionError(name, getattr(executor, "failure", None) or otherwise)


def _first_line(error: BaseException) -> str:
    return without_addresses((str(error) or type(error).__name__).strip().split("\n", 1)[0])
