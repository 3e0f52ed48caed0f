"""Memory: bounded by what goes in, not by replicates times pairs, nor by lengths squared."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.robustness.running import PATIENCE

MEASURED = """
import resource, sys
import truebleu
from truebleu.simulation import Channel, simulate
{work}
# On Linux, what getrusage says includes the process that started this one.
if sys.platform == "linux":
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    print(int(line.split()[1]) * 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
MANY_SYSTEMS = """
systems = {f"s{place}": Channel.at_rate(0.1 + place / 1000) for place in range(%d)}
test_set = simulate(segments=%d, systems=systems, seed=1)
truebleu.compare(test_set, replicates=%d, correction="westfall-young")
"""
# As many different words as positions: sets of positions by word would take the square of that.
DIFFERENT_WORDS = """
words = [f"w{number}" for number in range(%d)]
half = len(words) // 2
truebleu.TER().sentence(" ".join(words), [" ".join(words[half:] + words[:half])])
"""


def peak(work: str) -> int:
    """The most memory that a program had, in bytes."""
    result = subprocess.run(
        [sys.executable, "-c", MEASURED.format(work=work)],
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=True,
    )
    return int(result.stdout)


@pytest.mark.slow
def test_comparing_many_systems_keeps_no_differences_of_pairs() -> None:
    """44,850 pairs times 2,000 replicates would be 700 MB of differences by themselves."""
    assert peak(MANY_SYSTEMS % (300, 50, 2_000)) < 500e6


@pytest.mark.slow
def test_more_replicates_take_no_more_memory_than_their_scores() -> None:
    """4,950 pairs times 20,000 replicates would be 790 MB of differences, and as much of copies."""
    assert peak(MANY_SYSTEMS % (100, 30, 20_000)) < 500e6


def test_the_memory_of_ter_does_not_grow_with_the_square_of_the_length() -> None:
    assert peak(DIFFERENT_WORDS % 60_000) < 150e6
