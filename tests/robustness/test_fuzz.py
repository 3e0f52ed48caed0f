"""Readers on damaged files: our own errors and nothing else. `make fuzz` goes on for longer."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest

from truebleu.corpus import read_test_set
from truebleu.errors import TruebleuError

SEED = 16
CASES = 150
SEEDS: dict[str, bytes] = {
    ".txt": b"a cat\nsat\n",
    ".tsv": b"doc\ttext\nd1\ta cat\nd2\tsat\n",
    ".csv": b'doc,text\nd1,"a ""cat"""\nd2,sat\n',
    ".jsonl": b'{"text": "a cat"}\n' + json.dumps({"text": "\u00e9"}).encode() + b"\n",
    ".sgm": b'<tstset><doc sysid="s" docid="d"><seg id="1">a &lt; cat</seg>'
    b'<!-- x --><seg id="2">sat</seg></doc></tstset>\n',
    ".xml": b'<?xml version="1.0"?><dataset><doc id="d"><hyp system="s"><p><seg id="1">a cat</seg>'
    b'<seg id="2">sat</seg></p></hyp></doc></dataset>\n',
}
PIECES = [
    *b"\0 \xff \xed\xb2\x80 \t \n \r \" ' < > & = \\u0000 \\udc80 NaN 1e999 <!-- -->".split(b" "),
    *b"]]> <![CDATA[ &#0; &#x110000; <doc <seg> </seg> {} [[[[".split(b" "),
    b"9" * 5000,
]


def damaged(data: bytes, draw: random.Random) -> bytes:
    """The data with one to four pieces put in, taken out or doubled."""
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.randrange(12))
        piece = draw.choice([*PIECES, data[start:end] * 2, b""])
        data = data[:start] + piece + data[end:]
    return data


def attack(folder: Path, ending: str, draw: random.Random) -> None:
    """Read one damaged file; any error but ours is a fault."""
    (folder / "ref").write_bytes(b"a cat\nsat\n")
    path = folder / f"x{ending}"
    path.write_bytes(damaged(SEEDS[ending], draw))
    column = "#text" if ending in (".tsv", ".csv", ".jsonl") else ""
    try:
        test_set = read_test_set([f"{path}{column}"], [folder / "ref"])
    except TruebleuError:
        return
    assert len(test_set) == 2


@pytest.mark.parametrize("ending", SEEDS)
def test_a_damaged_file_is_read_or_refused(ending: str, tmp_path: Path) -> None:
    draw = random.Random(f"{SEED} {ending}")  # noqa: S311
    for _ in range(CASES):
        attack(tmp_path, ending, draw)


def fuzz(seconds: float) -> int:
    """Attack for so long; the number of cases."""
    seed, cases, end = SEED, 0, monotonic() + seconds
    with TemporaryDirectory() as folder:
        while monotonic() < end:
            for ending in SEEDS:
                seed += 1
                sys.stderr.write(f"\rseed {seed}")
                draw = random.Random(f"{seed} {ending}")  # noqa: S311
                for _ in range(CASES):
                    attack(Path(folder), ending, draw)
                    cases += 1
    return cases


if __name__ == "__main__":
    sys.stdout.write(f"\n{fuzz(60 * float(sys.argv[1])):,} cases without a fault\n")
