"""Times of contestants: each is warmed up, then runs in turns; the shortest time counts."""

from __future__ import annotations

import gc
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROUNDS = 5
# No round begins after this time; slow peers vary less, so they need fewer rounds.
SECONDS_PER_RACE = 20.0
MOST_TRIES = 5


def race(contestants: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the shortest time of each contestant in seconds; all have run once before.

    Contestants take turns, so that a slower machine slows all of them. The shortest time counts,
    because other processes can only add to it.
    """
    times = {name: [time_once(run)] for name, run in contestants.items()}
    slowest = max(taken[0] for taken in times.values())
    tries = {
        name: max(1, min(MOST_TRIES, int(slowest / taken[0]))) for name, taken in times.items()
    }
    started = perf_counter()
    for _ in range(rounds):
        for name, run in contestants.items():
            # Fast contestants run several times per round.
            times[name] += [time_once(run) for _ in range(tries.get(name, 1))]
        if perf_counter() - started > SECONDS_PER_RACE:
            break
    return {name: min(taken) for name, taken in times.items()}


def time_once(run: Callable[[], object]) -> float:
    """Time one call in seconds, after collecting garbage of earlier calls."""
    gc.collect()
    started = perf_counter()
    run()
    return perf_counter() - started
