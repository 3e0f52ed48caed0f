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
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    ProcessPoolExecutor,
    wait,
)
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from multiprocessing import get_context, parent_process
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from truebleu import _core
from truebleu.errors import ExecutionError, MissingExtraError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
    from concurrent.futures import Future

__all__ = ["Cluster", "Processes", "completed", "in_order"]

# What a group should take: long compared with sending it, short for those who wait.
GROUP_SECONDS = 1.0
# Towards the end groups become smaller, so that all workers finish at about the same time.
SHORTEST_GROUP_SECONDS = 0.2
# Groups that are sent to each worker: the next one waits there when the first is done.
AHEAD = 2
# Groups of each worker that may wait for one before them, where results are needed in order.
EARLY = 4
# A group whose worker ends is sent again; one that ended three may be what ends them.
ATTEMPTS = 3
# How often it is asked whether an executor still lives while no group comes back.
HEARTBEAT_SECONDS = 1.0


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
        self.threads = max(1, _core.threads() // workers)
        self._pool: ProcessPoolExecutor | None = None

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
        # A forked process would have the locks of this one's threads, but not the threads.
        self._pool = ProcessPoolExecutor(
            self.workers, mp_context=get_context("spawn"), initializer=_prepare_worker
        )
        return self._pool.submit(function, *arguments, **keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when they have done what was submitted."""
        if self._pool is not None:
            self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def __exit__(self, *raised: Any) -> None:
        if raised[1] is not None and self._pool is not None:
            # Nobody waits for the rest any more.
            for process in list((getattr(self._pool, "_processes", None) or {}).values()):
                process.terminate()
        self.shutdown()


def _prepare_worker() -> None:
    """Leave Ctrl-C to the parent, which ends its workers; and end when it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


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
        future: Future[Any] = self._executor.submit(function, *arguments, **keywords)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster."""
        if self.failure is None:
            self._executor.shutdown(wait and not cancel_futures)
        self._client.close()

    def __exit__(self, *raised: Any) -> None:
        self.shutdown(wait=raised[1] is None)


def completed(executor: Executor, calls: Sequence[Callable[[], Any]]) -> Iterator[tuple[int, Any]]:
    """What calls return, each with its place among them, as they come.

    An error of a call is raised after what was returned before it in its group.

    Args:
        executor: where they run; if that is another process, they must be picklable.
        calls: functions without arguments, best made by `functools.partial`.
    """
    for _, outcome in _outcomes(executor, enumerate(calls), len(calls)):
        yield from outcome.values
        if outcome.error is not None:
            raise outcome.error


def in_order(executor: Executor, calls: Iterable[Callable[[], Any]]) -> Iterator[Any]:
    """What calls return, in their order; an error is raised in its place.

    Calls are made when a worker can take them, and wait for none but those before them: whatever
    their number, few are in memory.

    Args:
        executor: where they run; if that is another process, they must be picklable.
        calls: functions without arguments.
    """
    early: dict[int, _Outcome] = {}
    place = 0
    for group, outcome in _outcomes(executor, enumerate(calls), early=early):
        early[group.calls[0][0]] = outcome
        while place in early:
            ready = early.pop(place)
            for index, value in ready.values:
                place = index + 1
                yield value
            if ready.error is not None:
                raise ready.error


def _outcomes(
    executor: Executor,
    calls: Iterator[tuple[int, Callable[[], Any]]],
    count: int = sys.maxsize,
    early: Sized = (),
) -> Iterator[tuple[_Group, _Outcome]]:
    """What groups of calls return, as they come.

    Args:
        executor: where they run.
        calls: with their places.
        count: how many calls there are, if that is known.
        early: outcomes that wait for others; while there are many, no calls are taken.
    """
    running: dict[Future[Any], _Group] = {}
    taken, done, seconds, more = 0, 0, 0.0, True

    def send(group: _Group) -> None:
        try:
            running[executor.submit(group)] = group
        except Exception as error:
            raise _failure(executor, f"takes no tasks ({_first_line(error)})") from error

    try:
        while more or running:
            workers = max(1, _workers(executor))
            # Until something came back, it is unknown how many calls fill a group.
            most = workers * (AHEAD if done else 1)
            while more and len(running) < most and len(early) < EARLY * workers:
                each = seconds / done if done else None
                chosen = list(islice(calls, _group_size(each, count - taken, workers)))
                taken += len(chosen)
                more = bool(chosen) and taken < count
                if chosen:
                    send(_Group(chosen, getattr(executor, "threads", None)))
            for future in _next_done(executor, running) if running else ():
                group = running.pop(future)
                outcome = _outcome(executor, future, group)
                if outcome is None:
                    send(group)
                    continue
                done += len(outcome.values)
                seconds += outcome.seconds
                yield group, outcome
    finally:
        for future in running:
            future.cancel()


def _group_size(seconds: float | None, waiting: int, workers: int) -> int:
    """How many calls travel together that take so many seconds each, as far as is known."""
    if seconds is None:
        return 1
    each = max(seconds, 1e-6)
    fair = -(-waiting // (AHEAD * workers))
    size = max(min(round(GROUP_SECONDS / each), fair), ceil(SHORTEST_GROUP_SECONDS / each), 1)
    return min(size, waiting)


@dataclass
class _Outcome:
    """What the calls of a group returned before one of them raised, and the time they took."""

    values: list[tuple[int, Any]]
    seconds: float
    error: BaseException | None


@dataclass(eq=False)
class _Group:
    """Calls that travel together, so that what they have in common travels once."""

    calls: list[tuple[int, Callable[[], Any]]]
    threads: int | None
    version: str = _core.VERSION
    attempts: int = field(default=1)

    def __call__(self) -> _Outcome:
        if self.version != _core.VERSION:
            reason = f"truebleu {_core.VERSION}; expected {self.version} as here"
            raise ExecutionError("a worker", reason)
        if self.threads is not None and _core.threads() != self.threads:
            _core.set_threads(self.threads)
            # Where metrics count they look for this, unless somebody chose.
            os.environ["TRUEBLEU_THREADS"] = str(self.threads)
        values: list[tuple[int, Any]] = []
        started = monotonic()
        try:
            for index, call in self.calls:
                values.append((index, call()))
        except Exception as error:
            return _Outcome(values, monotonic() - started, _picklable(error))
        return _Outcome(values, monotonic() - started, None)


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


def _outcome(executor: Executor, future: Future[Any], group: _Group) -> _Outcome | None:
    """What a group found; None if it is to be sent again."""
    if future.cancelled():
        raise _failure(executor, "the tasks were cancelled there")
    error = future.exception()
    if error is None:
        outcome: _Outcome = future.result()
        return outcome
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
    return (str(error) or type(error).__name__).strip().split("\n", 1)[0]
