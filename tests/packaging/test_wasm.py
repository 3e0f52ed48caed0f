"""The core on a machine of 32 bits: its own tests, as WebAssembly in node."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import IN_CI

ROOT = Path(__file__).parents[2]
TARGET = "wasm32-wasip1"


def need(there: bool, what: str) -> None:
    if not there and IN_CI:
        pytest.fail(f"{what} is not there")
    if not there:
        pytest.skip(f"{what} is not there")


@pytest.mark.slow
def test_the_tests_of_the_core_pass_on_32_bits() -> None:
    """Numbers of 64 bits stay whole, and nothing needs threads."""
    need(shutil.which("cargo") is not None, "cargo")
    need(shutil.which("node") is not None, "node")
    if shutil.which("rustup") is not None:
        subprocess.run(["rustup", "target", "add", TARGET], capture_output=True, check=False)
    libraries = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", TARGET],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    need(Path(libraries.stdout.strip()).is_dir(), f"Rust's target {TARGET}")
    runner = f"node --no-warnings {Path(__file__).with_name('wasi.mjs')}"
    result = subprocess.run(
        ["cargo", "test", "--locked", "--package", "truebleu-core", "--lib", "--target", TARGET],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        # Compiling takes most of the time.
        env={
            **os.environ,
            "CARGO_TARGET_WASM32_WASIP1_RUNNER": runner,
            "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "0",
        },
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "test resampling::swaps::tests::" in result.stdout
    assert " 0 failed" in result.stdout
