"""The number of threads changes no digit."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from truebleu import BLEU, CHRF, TER, _core, set_threads
from truebleu.errors import SettingError
from truebleu.simulation import simulate

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("metric", [BLEU(), CHRF(word_order=2), TER()], ids=lambda m: m.name)
def test_counts_and_scores_do_not_depend_on_the_threads(metric: Metric) -> None:
    test_set = simulate(segments=300, systems=[0.1, 0.3], references=3)
    found = []
    for threads in (1, 2, 5):
        set_threads(threads)
        assert _core.threads() == threads
        statistics = metric.count(test_set)
        found.append((statistics.array().tolist(), statistics.sums()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("threads", [-1, 1025, 10**20])
def test_an_impossible_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(SettingError, match=f"threads: {threads}; expected .* 0 to 1,024"):
        set_threads(threads)


def run(code: str, threads: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TRUEBLEU_THREADS": threads}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_environment_sets_the_threads() -> None:
    result = run("import truebleu as t; t.BLEU().sentence('a', 'a'); print(t._core.threads())", "3")
    assert result.stdout == "3\n"


def test_importing_and_setting_read_no_environment() -> None:
    assert run("import truebleu.metrics.bleu", "many").returncode == 0
    code = "import truebleu as t; t.set_threads(2); t.BLEU().sentence('a', 'a')"
    assert run(code, "many").returncode == 0
    result = run("import truebleu as t; t.BLEU().sentence('a', 'a')", "many")
    assert "SettingError: TRUEBLEU_THREADS: 'many'" in result.stderr


def test_a_bad_number_in_the_environment_is_an_error_in_words() -> None:
    code = "from truebleu.cli.main import main; main(['score', '-r', 'x', 'y'])"
    result = run(code, "many")
    assert result.returncode == 2
    assert result.stderr == (
        "error: TRUEBLEU_THREADS: 'many'; expected a whole number from 0 to 1024\n"
    )


def test_more_threads_than_help_are_not_started(
    restored_threads: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert set_threads(1024) == _core.threads() == 20
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert set_threads(1024) == _core.threads() == 16


def test_a_number_of_5000_digits_in_the_environment_is_an_error_in_words() -> None:
    code = "from truebleu.cli.main import main; main(['score', '-r', 'x', 'y'])"
    result = run(code, "9" * 5000)
    assert result.returncode == 2
    assert result.stderr.startswith("error: TRUEBLEU_THREADS: '999")
    assert len(result.stderr) < 200
