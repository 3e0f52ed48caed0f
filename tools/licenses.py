"""Check the licences of the crates that are compiled into the wheel.

    python tools/licenses.py

List every crate with its licence; fail if a licence does not allow Apache-2.0 software to include
the crate in binary form.
"""

from __future__ import annotations

import ast
import re
import subprocess

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
}


def allowed(expression: str) -> bool:
    """Return whether an SPDX expression is allowed: one side of OR, both sides of AND.

    >>> allowed("(MIT OR Apache-2.0) AND Unicode-3.0"), allowed("MIT AND GPL-3.0")
    (True, False)
    """
    if not expression:
        return False
    words = {"OR": "or", "AND": "and"}
    written = re.sub(
        r"[\w.+-]+",
        lambda word: words.get(word[0], str(word[0] in ALLOWED)),
        expression.replace("/", " OR "),
    )
    return _value(ast.parse(written, mode="eval").body)


def _value(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return (any if isinstance(node.op, ast.Or) else all)(map(_value, node.values))
    return isinstance(node, ast.Constant) and node.value is True


def crates() -> dict[str, str]:
    """Return the licence of each crate in the wheel, by name and version."""
    listed = subprocess.run(
        ["cargo", "tree", "--package", "truebleu-python", "--edges", "normal", "--prefix", "none",
         "--no-dedupe", "--format", "{p}|{l}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = (line.split("|") for line in listed.stdout.splitlines())
    return {" ".join(name.split()[:2]): licence for name, licence in lines}


def main() -> None:
    """List the crates; raises SystemExit if a licence is not allowed."""
    licences = crates()
    for name, licence in sorted(licences.items()):
        print(f"{name:40} {licence}")
    refused = [f"{name}: {licence}" for name, licence in licences.items() if not allowed(licence)]
    if refused:
        raise SystemExit("licences that the wheel must not carry: " + "; ".join(sorted(refused)))


if __name__ == "__main__":
    main()
