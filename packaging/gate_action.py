"""The step of action.yml that decides: runs `gate_decision.py`, and believes only what it says.

Exits with 0 if every test set passes, 1 if one fails, 2 at bad input and 3 for anything else, such
as a missing package or a fault. Python itself exits with 1 or 2 if a program cannot start: so a
status counts only with the verdict that the decision prints as its last line.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: Last line of the decision by its exit status.
VERDICTS = {
    0: "truebleu gate: passed",
    1: "truebleu gate: failed",
    2: "truebleu gate: bad input",
}
FAULT = 3


def main() -> int:
    """Run the decision in a process of its own and pass on what it prints."""
    program = Path(__file__).with_name("gate_decision.py")
    process = subprocess.run([sys.executable, str(program)], stdout=subprocess.PIPE, check=False)  # noqa: S603
    *lines, last = process.stdout.rstrip(b"\n").split(b"\n")
    is_said = last.decode(errors="replace") == VERDICTS.get(process.returncode)
    shown = lines if is_said else [*lines, last]
    sys.stdout.buffer.write(b"".join(line + b"\n" for line in shown if line))
    if is_said:
        return process.returncode
    print(f"::error title=truebleu::the gate did not decide (exit status {process.returncode})")
    return FAULT


if __name__ == "__main__":
    sys.exit(main())
