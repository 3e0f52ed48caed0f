"""``truebleu serve`` as people call it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from tests.cli.shell import refuses
from truebleu.simulation import save_test_set, simulate_causes

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["-r", "reference-1.txt", "runaway.txt", "baseline.txt", "--replicates", "200"]


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    save_test_set(simulate_causes(segments=40), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_it_prints_its_address_answers_and_ends_at_ctrl_c(texts: Path) -> None:
    command = [sys.executable, "-m", "truebleu", "serve", *TEXTS]
    with subprocess.Popen(
        command, cwd=texts, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout is not None
        address = served.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address) as answer:  # noqa: S310  # our own
            assert "truebleu serve" in answer.read().decode()
        served.send_signal(signal.SIGINT)
        out, err = served.communicate(timeout=60)
    assert (served.returncode, out, err) == (0, "", "")


def test_a_port_in_use_is_refused(texts: Path) -> None:
    assert texts.is_dir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refuses("a free port", "serve", *TEXTS, "--port", port)
