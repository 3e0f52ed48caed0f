"""How long contestants take: each warmed up, then in turns, the shortest time of each."""

from __future__ import annotations

import gc
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 5
# Slow peers would take minutes for all rounds, and their times vary by less.
SECONDS_PER_RACE = 60.0


def race(contestants: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The shortest time in seconds of each contestant, which have all been run once before.

    In turns, so that a machine that slows down slows all of them. The shortest time, because what
    else the machine does can only add to it.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    started = perf_counter()
    for _ in range(rounds):
        for name, run in contestants.items():
            times[name].append(time_once(run))
        if perf_counter() - started > SECONDS_PER_RACE:
            break
    return {name: min(taken) for name, taken in times.items()}


def time_once(run: Callable[[], object]) -> float:
    """The time of one call in seconds; what earlier calls left behind is cleared up first."""
    gc.collect()
    started = perf_counter()
    run()
    return perf_counter() - started
