"""Description of the machine."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import truebleu


def describe_machine(threads: int) -> dict[str, str]:
    """Return processor, system, versions, threads and load."""
    return {
        "processor": f"{_processor()}, {os.cpu_count()} logical processors",
        "system": platform.platform(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "truebleu": truebleu.__version__,
        "threads": str(threads),
        "load": ", ".join(f"{load:.1f}" for load in os.getloadavg()) + " (1, 5, 15 minutes)",
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
