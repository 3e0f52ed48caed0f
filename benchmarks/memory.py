"""Peak memory of this process."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_memory() -> int:
    """Return the peak resident memory in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux hands getrusage's peak down through fork and exec: the child of a process that was
        # large would start with that peak. This one belongs to the new program alone.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    from resource import RUSAGE_SELF, getrusage

    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # bytes on macOS, kilobytes elsewhere
