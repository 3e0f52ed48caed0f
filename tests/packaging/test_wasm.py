"""The core on a machine of 32 bits: its own tests, as WebAssembly in node."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.conftest import IN_CI
from tools.wasm import ROOT, TARGET, has_target


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
    added = None
    if shutil.which("rustup") is not None:
        command = ["rustup", "target", "add", TARGET]
        added = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    there = has_target()
    if not there and added is not None and "could not download" in added.stderr:
        pytest.skip(f"rustup cannot reach what has {TARGET}")
    need(there, f"Rust's target {TARGET}")
    result = subprocess.run(
        ["cargo", "test", "--locked", "--package", "truebleu-core", "--lib", "--target", TARGET],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        # Compiling takes most of the time.
        env={
            **os.environ,
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER": f"node {ROOT}/tests/packaging/bare.mjs",
            "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "0",
        },
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "the tests of the core have run" in result.stdout
