"""Doors beside texts: decoders' commands, archives, and names that become paths."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from truebleu.cli.main import main
from truebleu.errors import MalformedFileError
from truebleu.scores.given import read_segment_scores

LINES = [f"the cat {i} sat on the mat" for i in range(12)]


def status_of(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    return int(str(stopped.value.code))


DECODER = """
import json, sys
json.dump(sys.argv[1:], open("seen.json", "w"))
weights = dict(line.split("\\t") for line in open(sys.argv[1]))
with open(sys.argv[2], "w") as file:
    for i in range(12):
        names = " ".join(f"{name}= {i % 3}" for name in weights)
        file.write(f"{i} ||| the cat {i} sat ||| {names} ||| 1\\n")
"""


def test_a_decoder_gets_its_arguments_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No shell takes apart the folder's name, or what stands in the command."""
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("".join(f"{line}\n" for line in LINES))
    Path("decode.py").write_text(DECODER)
    Path("w.tsv").write_text("lm\t1\ntm\t1\n")
    folder = "rounds; touch forged $(touch forged) `touch forged` {nbest}"
    decoder = f"{sys.executable} decode.py {{weights}} {{nbest}} '; touch forged' '$(touch forged)'"
    settings = ["--folds", "0", "--rounds", "1", "--method", "mert:restarts=0"]
    command = ["tune", "--decoder", decoder, "--start", "w.tsv", "-r", "ref.txt"]
    assert status_of([*command, "--resume", folder, *settings]) == 0
    assert not Path("forged").exists()
    weights, _, *others = json.loads(Path("seen.json").read_text())
    assert others == ["; touch forged", "$(touch forged)"]
    assert weights.startswith(folder)


def archive(samples: int, size: int) -> bytes:
    """A log of Inspect whose samples are as large as is said, and almost nothing in the file."""
    file = BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as log:
        log.writestr("header.json", '{"eval": {"model": "m"}}')
        for number in range(samples):
            log.writestr(f"samples/{number}_epoch_1.json", b" " * size)
    return file.getvalue()


def test_an_archive_that_grows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_MAX_BYTES", "1000000")
    for samples, size in ((1, 2_000_000), (30, 50_000)):
        path = tmp_path / "log.eval"
        path.write_bytes(archive(samples, size))
        assert len(path.read_bytes()) < 20_000
        with pytest.raises(MalformedFileError, match="TRUEBLEU_MAX_BYTES"):
            read_segment_scores(str(path))


@pytest.mark.parametrize("name", ["../../up", "/root/up", "..", "a/../../../up", "up\n../x"])
def test_no_name_becomes_a_path_out_of_the_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    rows = [
        {"system": n, "id": str(i), "text": t} for n in (name, "b") for i, t in enumerate(LINES)
    ]
    Path("long.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("ref.txt").write_text("".join(f"{line}\n" for line in LINES))
    texts = ["long.jsonl", "-r", "ref.txt", "-q"]
    status_of(["sample", *texts, "--size", "6", "-o", "out"])
    assert {path.name for path in tmp_path.iterdir()} == {"inside"}
    allowed = {"long.jsonl", "ref.txt", "out"}
    assert {path.name for path in inside.iterdir()} <= allowed
