"""Run a program with truebleu's kernels inside sacreBLEU.

python -m truebleu.compat script.py ARGUMENTS
python -m truebleu.compat -m package.module ARGUMENTS
"""

from __future__ import annotations

import os
import runpy
import sys

from truebleu.compat import install
from truebleu.errors import MissingExtraError


def main(arguments: list[str]) -> None:
    """Run a script or a module as the command python does."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print((__doc__ or "").strip())
        raise SystemExit(0 if arguments else 2)
    if arguments[0] == "-m" and len(arguments) == 1:
        raise SystemExit("error: -m: no module; expected the name of a module")
    try:
        install()
    except MissingExtraError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    script = arguments[0]
    if not os.path.exists(script):
        print(f"error: {script}: no such file; expected a Python script", file=sys.stderr)
        raise SystemExit(2)
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
