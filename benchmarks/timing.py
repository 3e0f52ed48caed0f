"""How long contestants take: each warmed up, then in turns, the shortest time of each."""

from __future__ import annotations

import gc
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 5
# Slow peers would take minutes for all rounds, and their times vary by less.
SECONDS_PER_RACE = 20.0
MOST_TRIES = 5


def race(contestants: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The shortest time in seconds of each contestant, which have all been run once before.

    In turns, so that a machine that slows down slows all of them. The shortest time, because what
    else the machine does can only add to it.
    """
    times = {name: [time_once(run)] for name, run in contestants.items()}
    slowest = max(taken[0] for taken in times.values())
    tries = {
        name: max(1, min(MOST_TRIES, int(slowest / taken[0]))) for name, taken in times.items()
    }
    started = perf_counter()
    for _ in range(rounds):
        for name, run in contestants.items():
            # A quick contestant gets several tries while a slow one gets one.
            times[name] += [time_once(run) for _ in range(tries.get(name, 1))]
        if perf_counter() - started > SECONDS_PER_RACE:
            break
    return {name: min(taken) for name, taken in times.items()}


def time_once(run: Callable[[], object]) -> float:
    """The time of one call in seconds; what earlier calls left behind is cleared up first."""
    gc.collect()
    started = perf_counter()
    run()
    return perf_counter() - started
