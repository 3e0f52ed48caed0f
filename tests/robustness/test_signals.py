"""Signals and forks: Ctrl-C is heard within native calls, and a forked child can count."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from tests.robustness.conftest import write_texts
from tests.robustness.running import PATIENCE

TUNING = """
from truebleu.nbest import NBest
texts = [[f"the cat {i % 9} sat on mat {i * j % 7}" for j in range(50)] for i in range(300)]
values = np.random.default_rng(1).normal(size=(5, 300, 50)).tolist()
lists = NBest.of(texts, features={f"f{i}": value for i, value in enumerate(values)})
references = ["the cat 1 sat on mat 3"] * 300
"""

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
work = lambda: _core.Rows(rows).bootstrap_sums(replicates=200_000, **drawn)
""",
    "swaps": """
rows = np.full((200_000, 40), 0.5)
work = lambda: _core.Rows(rows).swapped_sums(first=0, replicates=500_000, seed=1)
""",
    "pairs of systems": """
taken, sums = np.full((20_000, 50, 10), 20.0), np.full((50, 10), 40.0)
pairs = [(first, second) for first in range(50) for second in range(first)] * 100
bleu = truebleu.BLEU().native()
work = lambda: _core.Pairs(pairs).differences(taken, sums, bleu)
""",
    "permutations": """
scores = np.random.default_rng(1).normal(size=(3, 20, 5_000))
from truebleu.agreement.coefficients import coefficient
what = coefficient("kendall-b", grouping="item").native
how = dict(systems=False, first=0, replicates=3_000_000, seed=1)
work = lambda: _core.Cells(*scores).hybrid_values(what, **how)
""",
    "permutations of pairs": """
scores = np.random.default_rng(1).normal(size=(3, 20, 100_000))
how = dict(systems=False, first=0, replicates=200_000, seed=1)
work = lambda: _core.Cells(*scores).hybrid_soft_accuracies(**how)
""",
    "minimum Bayes risk": """
lines = (f"{i} of {i * 7 % 1000} cats sat on mat {i % 99}" for i in range(40_000))
candidates = [line * 3 for line in lines]
work = lambda: truebleu.mbr([candidates], metric="chrf")
""",
    "MERT": TUNING
    + """
work = lambda: truebleu.tune(lists, references, folds=0, method="mert:restarts=100000")
""",
    "MIRA": TUNING
    + """
work = lambda: truebleu.tune(lists, references, method="mira:epochs=100000", folds=0)
""",
}


# Interrupted as by Ctrl-C, by a clock of the processor's work: before that much of it, modules are
# still being imported, and Python would hear the signal instead of native code.
WORKING = """
import signal
import numpy as np
import truebleu
from truebleu import _core
{work}
signal.signal(signal.SIGPROF, signal.default_int_handler)
try:
    signal.setitimer(signal.ITIMER_PROF, {seconds})
    work()
except KeyboardInterrupt:
    print("interrupted")
"""
# Of work before the signal.
SECONDS = 0.9


@pytest.mark.parametrize("name", LONG_WORK)
def test_ctrl_c_stops_native_work(name: str) -> None:
    """The work would take longer than `output_of` waits."""
    program = WORKING.format(work=LONG_WORK[name], seconds=SECONDS)
    assert output_of(program) == "interrupted\n"


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


def output_of(program: str) -> str:
    """What a program prints that ends well."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_counts_with_threads_of_its_own() -> None:
    assert output_of(FORKED) == "done\n"


THREADED = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import truebleu
from truebleu.nbest import NBest
from truebleu.simulation import simulate

sys.setswitchinterval(1e-5)
test_set = simulate(segments=100, systems=[0.1, 0.15, 0.2], seed=1)
outputs, references = list(test_set.systems.values()), test_set.references[0]
draw = np.random.default_rng(1)
human = {name: draw.integers(-9, 1, 100).tolist() for name in test_set.systems}
lists = [[str(text[i]) for text in outputs] for i in range(40)]
features = {name: draw.normal(size=(40, 3)).tolist() for name in "fgh"}
nbest, judged = NBest.of(lists, features=features), list(references)[:40]
few = dict(replicates=200)
calls = [
    lambda: truebleu.score(test_set, metrics=["bleu", "chrf", "ter", "nist", "wer"]),
    lambda: truebleu.compare(test_set, metrics=["bleu", "chrf"], **few),
    lambda: truebleu.compare(test_set, test="scaled", **few),
    lambda: truebleu.gate(dict(new=outputs[0], old=outputs[1]), references, baseline="old", **few),
    lambda: truebleu.explain(test_set, baseline="system-1", **few),
    lambda: truebleu.agree(test_set, human, ["bleu", "chrf"], permutations=50, **few),
    lambda: truebleu.plan(test_set, difference=1.0, baseline="system-1"),
    lambda: truebleu.mbr(lists, metric="chrf"),
    lambda: truebleu.tune(nbest, judged, folds=0, **few),
]
expected = [call().to_dict() for call in calls]
rounds = list(range(len(calls))) * 2
with ThreadPoolExecutor(8) as threads:
    found = list(threads.map(lambda number: calls[number]().to_dict(), rounds))
assert all(result == expected[number] for number, result in zip(rounds, found))
print("done", getattr(sys, "_is_gil_enabled", lambda: True)())
"""


@pytest.mark.slow
def test_many_threads_get_the_digits_that_one_gets() -> None:
    """Of every verb, at once; where Python has no lock, importing must not bring it back."""
    has_lock = not sysconfig.get_config_var("Py_GIL_DISABLED")
    assert output_of(THREADED) == f"done {has_lock}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_stopped_program_leaves_no_partial_files(number: signal.Signals, tmp_path: Path) -> None:
    """The program is stopped while it writes, whichever command it is that writes."""
    code = f"""
import sys
from pathlib import Path
from truebleu.cli import main as cli
from truebleu.corpus._files import write_files

def slowly():
    yield b"one"
    print("writing", flush=True)
    sys.stdin.readline()
    yield b"two"

cli.truebleu.invoke = lambda _: write_files(Path({str(tmp_path / "out")!r}), {{"a": slowly()}})
cli.main(["list"])
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


# Says at last how much the processor worked for it.
INTERRUPTED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from truebleu.cli.main import main
try:
    main({arguments!r})
except SystemExit as stopped:
    print(stopped.code, time.process_time())
"""
MANY = "30000000"
TEXTS = ["-r", "ref.txt", "good.txt", "bad.txt"]
HUMAN = ["--human", "human.tsv"]
#: Calls that would go on for minutes, for each place where a signal is heard.
LONG_CALLS: dict[str, list[str]] = {
    "compare": ["compare", *TEXTS, "--replicates", MANY],
    "agree": ["agree", *TEXTS, *HUMAN, "--replicates", MANY, "-c", "acc-eq"],
    "mbr": ["mbr", "lists", "-m", "ter"],
    "study": ["study", "coverage", *TEXTS, "--samples", "1000000", "--sizes", "10"],
    "score": ["score", "-r", "large.txt", "other.txt", "-m", "ter"],
    "explain": ["explain", *TEXTS, "--replicates", MANY],
    "panel": ["panel", "panel", "--replicates", MANY],
    "tune": ["tune", "lists", "-r", "ref.txt", "--method", "mert:restarts=100000"],
    "rerank": ["rerank", "lists", "-r", "ref.txt", "--ngrams", "4"],
}
QUICK_CALLS = ("compare", "agree", "mbr", "study")


@pytest.fixture(scope="module")
def long_work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts, judgments, lists and a panel; what is large is so that work on it takes long."""
    folder = tmp_path_factory.mktemp("long")
    write_texts(folder)
    draw = random.Random(16)  # noqa: S311
    reference = (folder / "ref.txt").read_text().splitlines()
    words = [f"w{number}" for number in range(500)]
    for name in ("large.txt", "other.txt"):
        lines = (" ".join(draw.choices(words, k=400)) for _ in range(2_000))
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    rows = [f"{name}\t{i}\t{draw.random()}" for name in ("good", "bad") for i in range(1, 41)]
    (folder / "human.tsv").write_text("\n".join(["system\tsegment\tscore", *rows, ""]))
    lists = [
        f"{i} ||| {line} {' '.join(draw.choices(words, k=30))} ||| "
        f"a= {draw.random()} b= {draw.random()} c= {draw.random()} ||| 1\n"
        for i, line in enumerate(reference)
        for _ in range(120)
    ]
    (folder / "lists").write_text("".join(lists))
    for name in ("a", "b"):
        write_texts(folder / "panel" / name)
        for other in ("one.txt", "docs.txt"):
            (folder / "panel" / name / other).unlink()
    return folder


def worked(process: subprocess.Popen[str]) -> float:
    """The seconds that the processor has worked for a program, as Linux says."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK_CALLS else pytest.param(name, marks=pytest.mark.slow)
        for name in LONG_CALLS
    ],
)
def test_every_command_hears_ctrl_c_within_a_second(name: str, long_work: Path) -> None:
    """A second of its own work, on one thread: the machine may be busy with something else."""
    arguments = [*LONG_CALLS[name], "--threads", "1", "--quiet"]
    command = [sys.executable, "-c", INTERRUPTED.format(arguments=arguments)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=long_work, text=True, **pipes) as process:
        while (before := worked(process)) < SECONDS and process.poll() is None:
            # What is waited for is work, however long it takes on this machine.
            sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert err == ""
    status, seconds = out.split()
    assert status == "130"
    assert float(seconds) < before + 1
    assert not list(long_work.glob(".partial-*"))
    assert not (long_work / "page.html").exists()
