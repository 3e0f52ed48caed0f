"""Run a call of `digit_cases.CALLS`, and print its result as JSON.

    PYTHON tools/digit_calls.py VERB ARGUMENTS FOLDER

ARGUMENTS are JSON; "$NAME" stands for a value in FOLDER/values.json, and "$made" for FOLDER. The
Python is that whose truebleu is recorded, and nothing else of this project is imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import truebleu
from truebleu.errors import TruebleuError


def resolve(value: Any, values: dict[str, Any], folder: str) -> Any:
    """Replace names of values by these values, at any depth of lists."""
    if isinstance(value, list):
        return [resolve(entry, values, folder) for entry in value]
    if not isinstance(value, str):
        return value
    return values[value[1:]] if value[1:] in values else value.replace("$made", folder)


def main(verb: str, written: str, folder: str) -> int:
    """Call a verb; exit with 2 if it raises one of our errors."""
    values: dict[str, Any] = json.loads((Path(folder) / "values.json").read_text("utf-8"))
    arguments = {
        name: resolve(value, values, folder) for name, value in json.loads(written).items()
    }
    try:
        result = getattr(truebleu, verb)(**arguments)
    except TruebleuError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    json.dump({"result": result.to_dict(), "text": str(result).split("\n")}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
