"""What tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.writing import Folder
from truebleu import _core, set_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_CI = os.environ.get("CI") == "true"
# A busy machine must not fail a test: no property depends on how long an example takes.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=80 if IN_CI else 40,
    derandomize=IN_CI,
)
settings.register_profile("quick", parent=settings.get_profile("patient"), max_examples=10)
settings.load_profile("patient")
# Tables fit the width that COLUMNS names: xdist sets it for its workers, and some shells do.
os.environ.pop("COLUMNS", None)
# A shell lets what it runs in the background ignore Ctrl-C, and nohup the end of the terminal: so
# would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# Tests leave the cache of the machine alone; those of neural metrics have caches of their own.
os.environ["TRUEBLEU_CACHE"] = "off"
# As on the command line: small problems spend their time waiting for threads otherwise.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    """With the slow tests left out, properties look at fewer examples too."""
    if "not slow" in config.option.markexpr:
        settings.load_profile("quick")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and golden values beside the project; CI must have it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        if IN_CI:
            pytest.fail(f"{folder} is not there")
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.fixture
def restored_threads() -> Iterator[None]:
    """The number of threads that a test may change."""
    before = _core.threads()
    yield
    set_threads(before)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty folder to write files into and to read test sets from."""
    return Folder(tmp_path)
