"""``--chunk``: commands that read texts part by part, and what they say of it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli import shell
from tests.cli.texts import save_channels
from truebleu.cli import _streams
from truebleu.cli.main import progress_line, rate_line
from truebleu.corpus import _files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = save_channels(tmp_path_factory.mktemp("texts") / "demo", 700, {"good": 0.1, "bad": 0.2})
    (path / "bad.gz").write_bytes(gzip.compress((path / "bad.txt").read_bytes()))
    return path


def run(folder: Path, command: str, *arguments: str) -> shell.Result:
    texts = [str(folder / "good.txt"), str(folder / "bad.gz")]
    return shell.run(command, "-r", str(folder / "reference-1.txt"), *texts, *arguments)


def json_of(folder: Path, command: str, *arguments: str) -> Any:
    result = run(folder, command, *arguments, "--format", "json")
    assert result.code == 0, result.err
    return json.loads(result.out)


@pytest.mark.parametrize("chunk", ["64", "640", "6400"])
def test_scores_and_p_values_are_those_of_memory(folder: Path, chunk: str) -> None:
    usual = json_of(folder, "compare", "--chunk", "0", "-m", "bleu,chrf", "--replicates", "200")
    values = json_of(folder, "compare", "--chunk", chunk, "-m", "bleu,chrf", "--replicates", "200")
    assert values["settings"].pop("bootstrap") == "poisson"
    assert values["settings"] == usual["settings"]
    for one, other in zip(values["comparisons"], usual["comparisons"], strict=True):
        assert (one["p"], one["difference"]) == (other["p"], other["difference"])
    plain = json_of(folder, "score", "--chunk", chunk, "--bootstrap", "poisson", "--confidence")
    assert plain == json_of(folder, "score", "--bootstrap", "poisson", "--confidence")


def test_the_line_to_quote_names_the_bootstrap(folder: Path) -> None:
    assert "1,000 Poisson bootstrap replicates" in run(folder, "compare", "--chunk", "64").out
    assert "bootstrap" not in run(folder, "score", "--chunk", "64").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--by", "domain"),
        ("--unit", "block", "--block-length", "5"),
        ("--adaptive",),
        ("--interval", "hall"),
        ("--bootstrap", "multinomial"),
        ("-m", "nist"),
    ],
    ids=" ".join,
)
def test_options_that_need_all_segments_are_refused(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    result = run(folder, "compare", "--chunk", "64", *arguments)
    assert result.code == 2
    assert "where texts are read part by part" in result.err


@pytest.mark.parametrize("arguments", [(), ("--margin", "20"), ("--margin", "1")])
def test_a_gate_reads_in_parts(folder: Path, arguments: tuple[str, ...]) -> None:
    usual = run(folder, "gate", *arguments)
    found = run(folder, "gate", "--chunk", "64", *arguments)
    assert (found.code, usual.code) in ((0, 0), (1, 1))
    assert found.out.split(":")[0] == usual.out.split(":")[0]
    assert run(folder, "gate", "--chunk", "64", "--ledger", "looks.jsonl").code == 2
    idle = run(folder, "gate", "--processes", "2")
    assert (idle.code, "--chunk N beside it" in idle.err) == (2, True)


def test_scores_of_segments_are_refused(folder: Path) -> None:
    result = run(folder, "score", "--chunk", "64", "--per-segment")
    assert result.code == 2
    assert "--per-segment" in result.err


def test_large_texts_are_read_in_parts_unless_that_cannot_be(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_files, "STREAMED_BYTES", 10_000)
    assert json_of(folder, "compare")["settings"]["bootstrap"] == "poisson"
    whole = run(folder, "compare", "--adaptive")
    assert whole.code == 0
    assert "all texts are read into memory, though they are large: --adaptive" in whole.err
    assert "into memory" not in run(folder, "compare", "--chunk", "0", "--adaptive").err


@pytest.mark.parametrize("chunk", ["64", "320"])
def test_documents_are_read_in_parts_too(folder: Path, tmp_path: Path, chunk: str) -> None:
    (tmp_path / "docs.txt").write_text("".join(f"doc {i // 7}\n" for i in range(700)))
    arguments = ("--documents", str(tmp_path / "docs.txt"), "--replicates", "200")
    usual = json_of(folder, "compare", "--chunk", "0", *arguments)
    found = json_of(folder, "compare", "--chunk", chunk, "--margin", "50", *arguments)
    assert found["settings"]["unit"] == "document"
    assert found["test_set"] == usual["test_set"]
    for one, other in zip(found["comparisons"], usual["comparisons"], strict=True):
        assert one["p"] == other["p"]
        assert one["equivalent"]
        assert one["design_effect"] == pytest.approx(other["design_effect"])
    (tmp_path / "docs.txt").write_text("".join(f"doc {i % 7}\n" for i in range(700)))
    again = run(folder, "compare", "--chunk", chunk, *arguments)
    assert again.code == 2
    assert "'doc 0 again in segment 8'" in again.err


def test_standard_input_can_be_read_in_parts_but_only_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["score", "-r", str(folder / "reference-1.txt"), "-", "--chunk", "64"]
    for arguments, code in (([], 0), (["-m", "sentbleu", "--confidence"], 2)):
        text = io.BytesIO((folder / "good.txt").read_bytes())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(text))
        result = shell.run(*command, *arguments)
        assert result.code == code, result.err
    assert "only once" in result.err


def test_warnings_are_said_and_strict_makes_them_errors(folder: Path) -> None:
    copy = ("same=" + str(folder / "reference-1.txt"),)
    assert "identical to the reference" in run(folder, "score", "--chunk", "64", *copy).err
    strict = run(folder, "score", "--chunk", "64", "--strict", *copy)
    assert strict.code == 2
    assert strict.out == ""


def test_progress_shows_the_rate_and_the_time_left() -> None:
    assert progress_line(0.5).strip().endswith("50 %")
    assert progress_line(None) == ""
    assert rate_line(1000, 4.0, None) == "  1,000 segments, 250/s"
    assert rate_line(1000, 4.0, 0.01).endswith("6:36 left")


def test_the_bar_knows_how_much_of_the_files_was_read(folder: Path) -> None:
    from truebleu.cli._options import Texts

    texts = Texts(
        systems=[str(folder / "good.txt")],
        references=[str(folder / "reference-1.txt")],
        source=None,
        documents=None,
        strict=False,
    )
    stream = _streams.stream_of(texts, 64, [], {}, {})
    assert stream is not None
    assert isinstance(stream.source, _streams._Watched)
    assert stream.source.share() is None
    assert len(list(stream.read().parts)) == 11
    assert stream.source.share() == 1.0


def test_statistics_are_saved_and_read_in_parts(folder: Path, tmp_path: Path) -> None:
    file = str(tmp_path / "all.parquet")
    arguments = ("-m", "bleu,chrf", "--confidence", "--replicates", "100")
    saved = json_of(folder, "score", "--chunk", "128", "--save", file, *arguments)
    expected = json_of(folder, "score", "--chunk", "64", *arguments)
    for values in (saved, expected):
        del values["test_set"]["reference_names"]
    assert saved == expected
    texts = json_of(folder, "compare", "--chunk", "64", "--replicates", "100")
    again = shell.run("compare", file, "--chunk", "64", "--replicates", "100", "--format", "json")
    found = json.loads(again.out)
    assert found["comparisons"] == texts["comparisons"]
    assert found["systems"] == texts["systems"]
    usual = shell.run("compare", file, "--replicates", "100", "--format", "json")
    assert json.loads(usual.out)["comparisons"][0]["p"] == found["comparisons"][0]["p"]
    twice = run(folder, "score", "--chunk", "128", "--save", file)
    assert (twice.code, "--force" in twice.err) == (2, True)


@pytest.mark.slow
def test_processes_count_parts_and_nothing_else(folder: Path) -> None:
    idle = run(folder, "compare", "--processes", "2")
    assert (idle.code, "--chunk N beside it" in idle.err) == (2, True)
    found = json_of(folder, "compare", "--chunk", "128", "--processes", "2", "--replicates", "100")
    assert found == json_of(folder, "compare", "--chunk", "64", "--replicates", "100")
