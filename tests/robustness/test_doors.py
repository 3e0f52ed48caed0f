"""Doors beside texts: the server, decoders' commands, archives, and names that become paths."""

from __future__ import annotations

import json
import socket
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tests.reports.page.serving import serving
from tests.robustness.running import PATIENCE
from truebleu.cli.main import main
from truebleu.corpus.test_set import as_test_set
from truebleu.errors import MalformedFileError
from truebleu.human.tools import read_tool_scores
from truebleu.reports.page._server import ADDRESS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truebleu.reports.page._server import ReportServer

LINES = [f"the cat {i} sat on the mat" for i in range(12)]


@pytest.fixture(scope="module")
def server() -> Iterator[ReportServer]:
    texts = {"a": LINES, "b": [line.replace("sat", "lay") for line in LINES]}
    with serving(as_test_set(texts, [LINES])) as running:
        yield running


def answer(server: ReportServer, request: bytes) -> bytes:
    """What the server says to bytes that no library would send, before it hangs up."""
    parts = []
    with socket.create_connection((ADDRESS, server.server_port), timeout=PATIENCE) as connection:
        # It need not read to the end what it refuses.
        with suppress(OSError):
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            while part := connection.recv(65536):
                parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/texts/../../etc/passwd",
        "//etc/passwd",
        "/texts/0-99999999999999",
        "/texts/5-1",
        f"/texts/{'9' * 5000}-{'9' * 5000}",
        "/description\x00",
        "http://evil.example/description",
    ],
)
def test_no_path_leads_out_of_the_report(server: ReportServer, path: str) -> None:
    host = f"{ADDRESS}:{server.server_port}"
    head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Token: {server.token}\r\n\r\n"
    said = answer(server, head.encode())
    assert b"200 OK" not in said.split(b"\r\n", 1)[0]
    assert b"root:" not in said


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"\x00" * 1000 + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ],
)
def test_large_and_broken_requests_are_refused_and_the_server_goes_on(
    server: ReportServer, request_: bytes
) -> None:
    said = answer(server, request_)
    assert b" 200 " not in said.split(b"\r\n", 1)[0]
    host = f"{ADDRESS}:{server.server_port}".encode()
    good = b"GET /?token=%b HTTP/1.0\r\nHost: %b\r\n\r\n" % (server.token.encode(), host)
    assert b" 200 OK" in answer(server, good).split(b"\r\n", 1)[0]


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
    settings = ["--folds", "0", "--rounds", "1", "--restarts", "0", "--replicates", "100"]
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
            read_tool_scores(str(path), "", "")


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
    status_of(["sample", *texts, "--size", "6", "--out", "out"])
    few = ["--replicates", "100", "--benchmark", name]
    status_of(["export", *texts, "-o", "export", *few])
    assert {path.name for path in tmp_path.iterdir()} == {"inside"}
    allowed = {"long.jsonl", "ref.txt", "out", "export"}
    assert {path.name for path in inside.iterdir()} <= allowed
