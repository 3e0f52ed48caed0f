"""Signals and forks: Ctrl-C is heard within native calls, and a forked child can count."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.robustness.running import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

# Each would run for a minute or more.
LONG_WORK = {
    "counting": """
import random
random.seed(1)
text = lambda: " ".join(str(random.randrange(1000)) for _ in range(1_000_000))
texts = text(), text()
work = lambda: truebleu.metrics.WER().sentence(texts[0], [texts[1]])
""",
    "resampling": """
rows, drawn = np.ones((20_000, 40)), dict(strata=[(0, 20_000)], first=0, seed=1)
_core.bootstrap_sums(rows, replicates=1, **drawn)  # which imports the rest of NumPy
work = lambda: _core.bootstrap_sums(rows, replicates=200_000, **drawn)
""",
    "streaming": """
from truebleu.corpus import TestSet, TestSetStream
part = TestSet(systems={"a": ["x y z"] * 512, "b": ["x z y"] * 512}, references=(["x y z"] * 512,))
parts = iter(lambda: part, None)
stream = TestSetStream.of(parts)
work = lambda: truebleu.compare(stream, replicates=100)
""",
}


def script(work: str) -> str:
    """A program that says when it begins long work, and what ended it."""
    return f"""
import numpy as np
import truebleu
from truebleu import _core
{work}
try:
    print("begun", flush=True)
    work()
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("name", LONG_WORK)
def test_ctrl_c_stops_native_work(name: str) -> None:
    command = [sys.executable, "-c", script(LONG_WORK[name])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        # Safety net: the work would take longer than this.
        out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, "interrupted\n")


FORKED = """
import multiprocessing, os, sys
import truebleu
from truebleu.simulation import simulate

def p_value(_=None):
    test_set = simulate(segments=100, systems=[0.1, 0.2])
    return truebleu.compare(test_set, replicates=500).to_dict()

if __name__ == "__main__":
    expected = p_value()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(p_value, range(3)).get(60) == [expected] * 3
    child = os.fork()
    if child == 0:
        os._exit(0 if p_value() == expected else 3)
    assert os.waitpid(child, 0) == (child, 0)
    assert p_value() == expected
    print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_counts_with_threads_of_its_own() -> None:
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_stopped_program_leaves_no_partial_files(number: signal.Signals, tmp_path: Path) -> None:
    """The program is stopped while it writes, whichever command it is that writes."""
    code = f"""
import sys
from pathlib import Path
from truebleu.cli import main as cli
from truebleu.corpus._writing import write_files

def slowly():
    yield b"one"
    print("writing", flush=True)
    sys.stdin.readline()
    yield b"two"

cli.truebleu = lambda **_: write_files(Path({str(tmp_path / "out")!r}), {{"a": slowly()}})
cli.main([])
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        assert list((tmp_path / "out").iterdir()) != []
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert list((tmp_path / "out").iterdir()) == []
