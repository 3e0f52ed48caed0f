"""Runs the command line as a program of its own, under conditions that hurt."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "truebleu"]
#: A safety net only: nothing here takes a tenth of it.
PATIENCE = 120.0


def run(
    *arguments: str, folder: Path, unbuffered: bool = False, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run truebleu in a folder; streams are captured unless options say otherwise."""
    # A module that is compiled where files may not grow would leave half of its bytecode behind.
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **unwritten, **options.pop("env", {})}
    environment.pop("PYTHONUNBUFFERED", None)
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment,
        check=False,
        timeout=PATIENCE,
        **options,
    )
